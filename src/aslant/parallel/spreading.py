"""Where tasks run: threads of this process, or the workers that `use_workers` names."""

from __future__ import annotations

import operator
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, wait
from contextlib import ExitStack, closing, contextmanager
from contextvars import ContextVar
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Any, TypeVar

from aslant.errors import WorkersError
from aslant.parallel.threads import cores, in_order, is_worker, threads_asked
from aslant.version import __version__

if TYPE_CHECKING:
    from aslant.parallel.clusters import Cluster

T = TypeVar("T")
Item = TypeVar("Item")
Shared = TypeVar("Shared")
#: Short tasks under way for each worker of a cluster: one is worked on while the next one waits there.
AHEAD = 2
#: How many pieces of work are handed out again because what the workers share was lost, before that is an error.
LOSSES = 100
#: Seconds between two looks at whether there are any workers left.
LOOK = 2

_in_use: ContextVar[Cluster | None] = ContextVar("workers_in_use", default=None)


@contextmanager
def use_workers(
    *, threads: int | None = None, dask: str | None = None, ray: str | None = None, processes: None = None
) -> Iterator[None]:
    """Let everything inside the block run on these workers; results are the same, bit by bit, on any.

    `threads`: of this process (the default, one for each core). `dask`: the address of a scheduler, such as
    "tcp://host:8786"; several processes of this machine are a `dask.distributed.LocalCluster`. `ray`: "auto" (the
    cluster that this machine belongs to), an address, or "local" to start one. Workers need the same versions of aslant
    and of what it computes with, and see files under the same paths. Whoever can reach a cluster can run code on it:
    use your own.

    >>> import aslant
    >>> with aslant.use_workers(threads=2):
    ...     aslant.weat(aslant.load(), "weat-6").effect_size > 1
    True
    """
    if processes is not None:
        raise WorkersError(
            f"processes={processes} is no longer supported; use threads={processes}, or "
            "dask=dask.distributed.LocalCluster().scheduler_address for processes."
        )
    named = [name for name, value in (("threads", threads), ("dask", dask), ("ray", ray)) if value is not None]
    if len(named) > 1:
        raise WorkersError(f"{' and '.join(named)} were both given; choose one kind of workers.")
    with ExitStack() as stack:
        if dask is not None or ray is not None:
            from aslant.parallel.clusters import DaskCluster, RayCluster

            cluster: Cluster = DaskCluster(dask) if dask is not None else RayCluster(str(ray))
            stack.callback(cluster.close)
            try:  # one small task, so that what is wrong with a cluster is said before any work
                list(_run_in_order(cluster, operator.eq, None, [0]))
            except ImportError as error:
                needed = f"install aslant {__version__} there"
                raise WorkersError(f"the workers cannot import what they need ({error}); {needed}.") from None
            stack.callback(_in_use.reset, _in_use.set(cluster))
        elif threads is not None:
            stack.callback(threads_asked.reset, threads_asked.set(cores(threads)))
            stack.callback(_in_use.reset, _in_use.set(None))
        yield


def workers_in_use() -> Cluster | None:
    """Return the workers outside of this process, or None: inside a task there are none."""
    return None if is_worker() else _in_use.get()


def spread(
    task: Callable[[Shared, Item], T], items: Iterable[Item], shared: Shared, workers: int | None = None
) -> Generator[T, None, None]:
    """Yield `task(shared, item)` for each item, in their order, computed by the workers in use.

    `task` is a function of a module; `shared` is what is large, and goes to each worker once. `workers` asks for that
    many threads of this process, whatever is in use. Close the generator if you leave it before its end.

    >>> import operator
    >>> list(spread(operator.mul, range(4), 10))
    [0, 10, 20, 30]
    """
    cluster = workers_in_use() if workers is None else None
    if cluster is None:
        return in_order(partial(task, shared), items, workers)
    return _run_in_order(cluster, task, shared, items)


def as_finished(
    task: Callable[[Shared, Item], T],
    items: Iterable[Item],
    shared: Shared,
    given_up: Callable[[Item, WorkersError], T] | None = None,
) -> Generator[tuple[Item, T], None, None]:
    """Yield each item with `task(shared, item)` as soon as it is there; one after the other without a cluster.

    An item that cost several workers is an error, or what `given_up` makes of it.

    >>> import operator
    >>> sorted(as_finished(operator.mul, range(4), 10))
    [(0, 0), (1, 10), (2, 20), (3, 30)]
    """
    cluster = workers_in_use()
    if cluster is None:
        yield from ((item, task(shared, item)) for item in items)
        return
    from aslant.parallel.clusters import GivenUpError

    with closing(_answered(cluster, partial(cluster.submit, task, shared), items, in_order=False)) as futures:
        for item, future in futures:
            try:
                found: T = _result(cluster, future)
            except GivenUpError as error:
                if given_up is None:
                    raise
                found = given_up(item, error)
            yield item, found


def _run_in_order(
    cluster: Cluster, task: Callable[[Shared, Item], T], shared: Shared, items: Iterable[Item]
) -> Generator[T, None, None]:
    with closing(_answered(cluster, partial(cluster.submit, task, shared), items, in_order=True)) as futures:
        for _, future in futures:
            yield _result(cluster, future)


def _answered(
    cluster: Cluster, submit: Callable[[Item], Future[Any]], items: Iterable[Item], *, in_order: bool
) -> Generator[tuple[Item, Future[Any]], None, None]:
    """Submit every item, and yield it when it has an answer, as long as there are workers.

    What nobody takes is cancelled; what is under way on a cluster runs to its end there. (Ray's own cancelling of a
    task that ends at that moment ends the whole process, in 2.60; this does not reach it.)
    """
    ahead = AHEAD if in_order else 1  # a worker that dies must not take others along
    waiting: dict[Future[Any], Item] = {}
    rest = iter(items)
    lost = 0
    try:
        while True:
            for item in islice(rest, max(0, ahead * cluster.size() - len(waiting))):
                waiting[submit(item)] = item
            if not waiting:
                return
            chosen = list(waiting)[:1] if in_order else list(waiting)
            while not (done := wait(chosen, timeout=LOOK, return_when=FIRST_COMPLETED).done):
                cluster.size()
            future = next(iter(done))
            item = waiting.pop(future)
            if future.cancelled() and lost < LOSSES:  # what the workers share died with the only one that had it
                lost += 1
                waiting = {submit(item): item, **waiting}
            else:
                yield item, future
    finally:
        for future in waiting:
            future.cancel()


def _result(cluster: Cluster, future: Future[Any]) -> Any:
    try:
        return future.result()
    except BaseException as error:
        explained = cluster.explained(error)
        if explained is error:
            raise
        raise explained from None

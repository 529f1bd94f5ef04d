"""Where tasks run: threads of this process, or the workers that `use_workers` names."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import partial
from typing import NoReturn, TypeVar

from aslant.errors import WorkersError
from aslant.parallel.cluster import Cluster, run_as_finished, run_in_order
from aslant.parallel.threads import cores, in_order, is_worker, threads_asked
from aslant.parallel.worker import software

T = TypeVar("T")
Item = TypeVar("Item")
Shared = TypeVar("Shared")

_in_use: ContextVar[Cluster | None] = ContextVar("workers_in_use", default=None)


@contextmanager
def use_workers(
    *, threads: int | None = None, processes: int | None = None, dask: str | None = None, ray: str | None = None
) -> Iterator[None]:
    """Let everything inside the block run on these workers; results are the same, bit by bit, on any.

    `threads`: of this process (the default, one for each core). `processes`: of this machine. `dask`: the address of a
    scheduler, such as "tcp://host:8786". `ray`: "auto" (the cluster that this machine belongs to), an address, or
    "local" to start one. Workers need the same versions of aslant and of what it computes with, and see files under the
    same paths. Whoever can reach a cluster can run code on it: use your own.

    >>> import aslant
    >>> with aslant.use_workers(threads=2):
    ...     aslant.weat(aslant.load(), "weat-6").effect_size > 1
    True
    """
    given = {"threads": threads, "processes": processes, "dask": dask, "ray": ray}
    named = [name for name, value in given.items() if value is not None]
    if len(named) > 1:
        raise WorkersError(f"{' and '.join(named)} were both given; choose one kind of workers.")
    if not named or threads is not None:
        token = threads_asked.set(threads_asked.get() if threads is None else cores(threads))
        here = _in_use.set(_in_use.get() if threads is None else None)
        try:
            yield
        finally:
            _in_use.reset(here)
            threads_asked.reset(token)
        return
    cluster = _opened(processes, dask, ray)
    try:
        _try_out(cluster)
        inside = _in_use.set(cluster)
        try:
            yield
        finally:
            _in_use.reset(inside)
    finally:
        cluster.close()


def _opened(processes: int | None, dask: str | None, ray: str | None) -> Cluster:
    if processes is not None:
        from aslant.parallel.on_processes import Processes

        return Processes(cores(processes))
    if dask is not None:
        from aslant.parallel.on_dask import DaskCluster

        return DaskCluster(dask)
    from aslant.parallel.on_ray import RayCluster

    return RayCluster(str(ray))


def _try_out(cluster: Cluster) -> None:
    """Give the workers one small task, so that what is wrong with them is said before any work."""
    try:
        list(run_in_order(cluster, _nothing, None, [0]))
    except ImportError as error:
        raise WorkersError(
            f"the workers cannot import what they need ({error}); install aslant {dict(software())['aslant']} there."
        ) from None


def _nothing(_shared: None, item: int) -> int:
    return item


def workers_in_use() -> Cluster | None:
    """Return the workers outside of this process, or None: inside a task there are none.

    >>> workers_in_use() is None
    True
    """
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
    return run_in_order(cluster, task, shared, items)


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
        return ((item, task(shared, item)) for item in items)
    return run_as_finished(cluster, task, shared, items, given_up or _raise)


def _raise(_item: object, error: WorkersError) -> NoReturn:
    raise error

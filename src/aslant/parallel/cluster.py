"""Any workers outside of this process, seen alike: tasks are handed out, a lost one is handed out again.

A cluster says how a task is submitted and its answer fetched; in which order answers come, how many tasks are under way
and what happens when a worker dies is decided here, once for all.
"""

from __future__ import annotations

import socket
from collections import deque
from collections.abc import Callable, Generator, Iterable, Sequence
from typing import Any, Protocol, TypeVar

from aslant.errors import WorkersError

T = TypeVar("T")
Item = TypeVar("Item")
Shared = TypeVar("Shared")
#: A task whose worker dies is given to another one; so often, since it may be the task that kills them.
ATTEMPTS = 5
#: Tasks under way for each worker: one is worked on while the next one waits there.
AHEAD = 2
#: Seconds to wait for a cluster to answer.
PATIENCE = 10


class GivenUpError(WorkersError):
    """A piece of work that cost several workers."""


class LostError(Exception):
    """The worker of a task is gone, and the answer with it; the task can be given to another."""


class Cluster(Protocol):
    """Workers outside of this process.

    A task is a function of a module, called as `task(shared, item)`; it is sent by name, `shared` once to each worker.
    """

    def size(self) -> int:
        """Return how many tasks can be worked on at once, by now."""

    def submit(self, task: Callable[[Shared, Item], Any], shared: Shared, item: Item) -> Any:
        """Hand out a task and return what stands for its answer."""

    def result(self, future: Any) -> Any:
        """Wait for an answer and return it; raise what the task raised, `LostError`, or `GivenUpError`."""

    def wait(self, futures: Sequence[Any]) -> Any:
        """Wait until one of these has an answer (or lost its worker), and return it."""

    def cancel(self, future: Any) -> None:
        """Let go of an answer that nobody wants any more."""

    def close(self) -> None:
        """Leave the workers; those that were started for this end."""


class _Errand:
    """One task for one item, handed out again when its worker is lost."""

    def __init__(self, cluster: Cluster, task: Callable[[Any, Any], Any], shared: Any, item: Any) -> None:
        self.cluster, self.task, self.shared, self.item = cluster, task, shared, item
        self.attempts = 0
        self.future: Any = None
        self.send()

    def send(self) -> None:
        self.attempts += 1
        self.future = self.cluster.submit(self.task, self.shared, self.item)

    def answer(self) -> Any:
        """Return the answer, or raise `LostError` where it has been sent out again."""
        try:
            return self.cluster.result(self.future)
        except LostError as error:
            if self.attempts == ATTEMPTS:
                raise GivenUpError(
                    f"{ATTEMPTS} workers were lost with the same piece of work ({error}); look into their logs: most "
                    "often they have run out of memory."
                ) from None
            self.send()
            raise


def run_in_order(
    cluster: Cluster, task: Callable[[Shared, Item], T], shared: Shared, items: Iterable[Item]
) -> Generator[T, None, None]:
    """Yield `task(shared, item)` for each item, in the order of the items; few are taken ahead of what is yielded."""
    waiting: deque[_Errand] = deque()

    def first() -> Any:
        while True:
            try:
                answer = waiting[0].answer()
            except LostError:
                continue
            waiting.popleft()
            return answer

    try:
        for item in items:
            waiting.append(_Errand(cluster, task, shared, item))
            while len(waiting) >= AHEAD * max(1, cluster.size()):
                yield first()
        while waiting:
            yield first()
    finally:
        for errand in waiting:
            cluster.cancel(errand.future)


def run_as_finished(
    cluster: Cluster,
    task: Callable[[Shared, Item], T],
    shared: Shared,
    items: Iterable[Item],
    given_up: Callable[[Item, WorkersError], T],
) -> Generator[tuple[Item, T], None, None]:
    """Yield each item with `task(shared, item)` as soon as it is there, in whatever order.

    For an item that cost several workers, `given_up` is called instead.
    """
    waiting: list[_Errand] = []

    def next_one() -> Any:
        while True:
            ready = cluster.wait([errand.future for errand in waiting])
            errand = next(each for each in waiting if each.future is ready)
            try:
                answer = errand.answer()
            except LostError:
                continue
            except GivenUpError as error:
                answer = given_up(errand.item, error)
            waiting.remove(errand)
            return errand.item, answer

    try:
        for item in items:
            waiting.append(_Errand(cluster, task, shared, item))
            while len(waiting) >= AHEAD * max(1, cluster.size()):
                yield next_one()
        while waiting:
            yield next_one()
    finally:
        for errand in waiting:
            cluster.cancel(errand.future)


def first_line(error: BaseException) -> str:
    """Return what an error says, or is, in one line.

    >>> first_line(ValueError("no" + chr(10) + "more")), first_line(ValueError())
    ('no', 'ValueError')
    """
    return (str(error).strip().splitlines() or [type(error).__name__])[0]


def reach(address: str) -> bool:
    """Raise at once where nobody answers at "host:port" or "tcp://host:port"; False where it is no such address.

    >>> reach("auto")
    False
    """
    host, _, port = address.rpartition("//")[2].rpartition(":")
    if not host or not port.isdecimal():
        return False
    socket.create_connection((host.strip("[]"), int(port)), PATIENCE).close()
    return True

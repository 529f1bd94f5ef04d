"""The one way to use several cores: tasks in order, and no library that starts threads of its own meanwhile.

Tasks run in threads: those who come here spend their time in BLAS or in compiled code, which both let go of Python's
lock, so that nothing has to be copied to another process.
"""

from __future__ import annotations

import functools
import os
import sys
import threading
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any, TypeVar

from slant.errors import MeasureError

T = TypeVar("T")
Item = TypeVar("Item")


def cores(workers: int | None = None) -> int:
    """Return how many workers to use: as many as asked for, or one for each core that this process may use.

    >>> cores(3), cores() >= 1
    (3, True)
    """
    if workers is None:
        return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    if isinstance(workers, bool) or not isinstance(workers, int) or workers < 1:
        raise MeasureError(f"workers is {workers!r}; give a whole number from 1 up, or None for every core.")
    return workers


#: Modules that bring libraries with threads of their own.
THREADED = ("numpy", "scipy.linalg", "sklearn", "sklearn.cluster", "sklearn.svm", "torch", "numba")
_guard = threading.Lock()
_inside = 0
_limits: Any = None


@contextmanager
def one_thread_each() -> Iterator[None]:
    """Hold BLAS and OpenMP at one thread for each caller, so that workers do not fight for cores.

    It also makes sums come out alike, bit by bit, whatever the machine is doing: no library splits them. BLAS is held
    for the whole process until the last caller has left; OpenMP for the calling thread only.

    >>> with one_thread_each():
    ...     pass
    """
    global _inside, _limits
    with _guard:
        _inside += 1
        if _inside == 1:
            _limits = _libraries().limit(limits=1, user_api="blas")
    try:
        with _libraries().limit(limits=1, user_api="openmp"):
            yield
    finally:
        with _guard:
            _inside -= 1
            if _inside == 0:
                _limits.restore_original_limits()


def _one_openmp_thread() -> None:
    """Hold OpenMP at one thread in a worker, for as long as it lives."""
    _libraries().limit(limits=1, user_api="openmp")


def _libraries() -> Any:
    """Return what controls the threads of the libraries that are loaded by now."""
    return _controller(tuple(name for name in THREADED if name in sys.modules))


@functools.cache
def _controller(loaded: tuple[str, ...]) -> Any:
    """Look for libraries once for each set of modules: looking takes milliseconds."""
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()


def in_order(task: Callable[[Item], T], items: Iterable[Item], workers: int | None = None) -> Generator[T, None, None]:
    """Yield `task(item)` for each item, in the order of the items, computed by `workers` threads.

    Two items for each worker are taken ahead of what has been yielded, no more, so `items` may be endless. Close the
    generator if you leave it before its end: what is under way is then finished and dropped.

    >>> list(in_order(lambda x: x * x, range(4), workers=2))
    [0, 1, 4, 9]
    """
    n = cores(workers)
    if n == 1:
        yield from map(task, items)
        return
    with ThreadPoolExecutor(n, initializer=_one_openmp_thread) as pool:
        ahead: deque[Future[T]] = deque()
        try:
            for item in items:
                ahead.append(pool.submit(task, item))
                if len(ahead) == 2 * n:
                    yield ahead.popleft().result()
            while ahead:
                yield ahead.popleft().result()
        finally:
            for future in ahead:
                future.cancel()

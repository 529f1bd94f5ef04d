"""Threads of this process: tasks in order, and no library that starts threads of its own meanwhile.

Those who come here spend their time in BLAS, torch or compiled code, which all let go of Python's lock, so that nothing
has to be copied to another process.
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
from contextvars import ContextVar
from typing import Any, TypeVar

from aslant.errors import MeasureError

T = TypeVar("T")
Item = TypeVar("Item")

#: How many threads to use where a caller does not say; None: one for each core.
threads_asked: ContextVar[int | None] = ContextVar("threads_asked", default=None)
_here = threading.local()


def cores(workers: int | None = None) -> int:
    """Return how many workers to use: as many as requested, or one for each core that this process may use.

    Inside a task that was given to a worker it is always one: the other cores have tasks of their own.

    >>> cores(3), cores() >= 1
    (3, True)
    """
    if workers is not None and (isinstance(workers, bool) or not isinstance(workers, int) or workers < 1):
        raise MeasureError(f"workers is {workers!r}; give a whole number from 1 up, or None for every core.")
    if is_worker():
        return 1
    asked = workers or threads_asked.get()
    if asked is None:
        return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return asked


def is_worker() -> bool:
    """Tell whether this thread runs a task that was given to a worker."""
    return bool(getattr(_here, "worker", False))


@contextmanager
def as_worker() -> Iterator[None]:
    """Run a task as a worker does: one thread for each library, and no workers of its own."""
    before = is_worker()
    _here.worker = True
    try:
        with one_thread_each():
            yield
    finally:
        _here.worker = before


#: Modules that bring libraries with threads of their own.
THREADED = ("numpy", "scipy.linalg", "sklearn", "sklearn.cluster", "sklearn.svm", "torch", "numba")
_guard = threading.Lock()
_inside = 0
_limits: list[Any] = []
_held: tuple[str, ...] | None = None
_torch_threads: int | None = None


@contextmanager
def one_thread_each() -> Iterator[None]:
    """Hold BLAS, OpenMP and torch at one thread for each caller, so that workers do not fight for cores.

    It also makes sums come out alike, bit by bit, whatever the machine is doing: no library splits them. BLAS and torch
    are held for the whole process until the last caller has left; OpenMP for the calling thread only.

    >>> with one_thread_each():
    ...     pass
    """
    global _inside, _held, _torch_threads
    with _guard:
        _inside += 1
        if (loaded := _loaded()) != _held:  # the first caller, or one after a library was loaded
            _release_blas()
            _limits.append(_controller(loaded).limit(limits=1, user_api="blas"))
            _held = loaded
        torch = sys.modules.get("torch")
        if torch is not None and hasattr(torch, "set_num_threads"):  # loaded: it counts threads of its own
            _torch_threads = torch.get_num_threads() if _torch_threads is None else _torch_threads
            torch.set_num_threads(1)
    try:
        with _controller(_loaded()).limit(limits=1, user_api="openmp"):
            yield
    finally:
        with _guard:
            _inside -= 1
            if _inside == 0:
                _release_blas()
                while _limits:
                    _limits.pop().restore_original_limits()
                _release_blas()
                _held = None
                if _torch_threads is not None:
                    sys.modules["torch"].set_num_threads(_torch_threads)
                    _torch_threads = None


def _release_blas() -> None:
    """Let this thread set OpenBLAS' threads: since 3.7, threadpoolctl heeds one thread only, and ignores the others."""
    from threadpoolctl import OpenBLASController

    if hasattr(OpenBLASController, "clear_controlling_thread"):
        OpenBLASController.clear_controlling_thread(force=True)


def _one_thread_of_each_library() -> None:
    """Hold OpenMP and torch at one thread in a worker, for as long as it lives."""
    _controller(_loaded()).limit(limits=1, user_api="openmp")
    if _torch_threads is not None:
        sys.modules["torch"].set_num_threads(1)


def _loaded() -> tuple[str, ...]:
    return tuple(name for name in THREADED if name in sys.modules)


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
    with ThreadPoolExecutor(n, initializer=_one_thread_of_each_library) as pool:
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

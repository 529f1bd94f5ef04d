"""The one way to use several cores: tasks in order, and no library that starts threads of its own meanwhile.

Tasks run in threads: those who come here spend their time in BLAS or in compiled code, which both let go of Python's
lock, so that nothing has to be copied to another process.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Generator, Iterable
from contextlib import AbstractContextManager
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


def one_thread_each() -> AbstractContextManager[Any]:
    """Hold BLAS and OpenMP at one thread for each caller, so that workers do not fight for cores.

    It also makes sums come out alike, bit by bit, whatever the machine is doing: no library splits them.

    >>> with one_thread_each():
    ...     pass
    """
    from threadpoolctl import threadpool_limits

    limits: AbstractContextManager[Any] = threadpool_limits(limits=1)
    return limits


def in_order(task: Callable[[Item], T], items: Iterable[Item], workers: int | None = None) -> Generator[T, None, None]:
    """Yield `task(item)` for each item, in the order of the items, computed by `workers` threads.

    Only a few items are taken ahead of what has been yielded, so `items` may be endless. Close the generator if you
    leave it before its end: what is under way is then finished and dropped.

    >>> list(in_order(lambda x: x * x, range(4), workers=2))
    [0, 1, 4, 9]
    """
    n = cores(workers)
    if n == 1:
        yield from map(task, items)
        return
    from joblib import Parallel, delayed

    pool = Parallel(n_jobs=n, backend="threading", return_as="generator", pre_dispatch="2*n_jobs", batch_size=1)
    results = pool(delayed(task)(item) for item in items)
    try:
        for result in results:  # noqa: UP028 (closing must come through here, not go to joblib)
            yield result
    finally:
        with warnings.catch_warnings():  # joblib warns of results that nobody took: leaving early is allowed here
            warnings.simplefilter("ignore")
            results.close()

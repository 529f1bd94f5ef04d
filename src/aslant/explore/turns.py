"""Whose turn it is: as many computations at a time as there are cores, the newest of each person's questions only."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Hashable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

T = TypeVar("T")
#: Questions that may wait; of one person and panel only one does.
MOST_WAITING = 64


class SupersededError(Exception):
    """A newer question of the same person and panel came before this one had its turn."""


class BusyError(Exception):
    """More people ask than can be answered."""


class Turns:
    """Threads that compute, and the queue before them; used from one event loop.

    A question that replaces a waiting one takes its place in the queue, so that whoever types fast does not wait for
    ever, nor longer than others.
    """

    def __init__(self, threads: int) -> None:
        self._free = threads
        self._pool = ThreadPoolExecutor(threads, "aslant-explore")
        self._waiting: dict[Hashable, asyncio.Future[None]] = {}

    async def take(self, whose: Hashable, work: Callable[[], T]) -> T:
        """Do the work in a thread when its turn comes."""
        await self._turn(whose)
        try:
            return await asyncio.get_running_loop().run_in_executor(self._pool, work)
        finally:
            self._free += 1
            self._call()

    async def _turn(self, whose: Hashable) -> None:
        before = self._waiting.get(whose)
        if before is None and len(self._waiting) >= MOST_WAITING:
            raise BusyError
        own: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting[whose] = own  # in a dict, a value that is replaced keeps its place
        if before is not None and not before.done():
            before.set_exception(SupersededError())
        self._call()
        try:
            await own
        except asyncio.CancelledError:
            if own.done() and not own.cancelled() and own.exception() is None:  # called, but nobody is there any more
                self._free += 1
                self._call()
            elif self._waiting.get(whose) is own:
                del self._waiting[whose]
            raise

    def _call(self) -> None:
        """Call those whose turn it is."""
        while self._free and self._waiting:
            whose: Any = next(iter(self._waiting))
            own = self._waiting.pop(whose)
            if not own.done():
                self._free -= 1
                own.set_result(None)

    def close(self) -> None:
        """Do not begin anything more."""
        self._pool.shutdown(wait=False, cancel_futures=True)

"""As many computations at a time as there are threads; the newest of each person's questions only."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

import pytest

from aslant.explore import turns
from aslant.explore.turns import BusyError, SupersededError, Turns

T = TypeVar("T")


def running(work: Coroutine[Any, Any, T]) -> T:
    """Run in a thread, since the tests of the page leave a loop in this one."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(asyncio.run, work).result()


def with_one_busy(then: Callable[[Turns, threading.Event], Awaitable[Any]]) -> Any:
    """Run with one thread, which is busy until an event is set."""

    async def run() -> Any:
        made, go, begun = Turns(1), threading.Event(), threading.Event()
        first = asyncio.create_task(made.take("busy", lambda: (begun.set(), go.wait())))
        await asyncio.to_thread(begun.wait)
        try:
            return await then(made, go)
        finally:
            go.set()
            await first
            made.close()

    return running(run())


def test_a_newer_question_of_the_same_person_replaces_one_that_waits() -> None:
    async def then(made: Turns, go: threading.Event) -> Any:
        done: list[str] = []
        old = asyncio.create_task(made.take("me", lambda: done.append("old")))
        other = asyncio.create_task(made.take("you", lambda: done.append("other")))
        await asyncio.sleep(0)
        new = asyncio.create_task(made.take("me", lambda: done.append("new")))
        with pytest.raises(SupersededError):
            await old  # at once, not when its turn comes
        go.set()
        await asyncio.gather(new, other)
        return done

    assert with_one_busy(then) == ["new", "other"]  # in the place of the old one: who types does not wait longer


def test_more_than_may_wait_are_turned_away(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(turns, "MOST_WAITING", 3)

    async def then(made: Turns, go: threading.Event) -> Any:
        waiting = [asyncio.create_task(made.take(n, lambda n=n: n)) for n in range(3)]
        await asyncio.sleep(0)
        with pytest.raises(BusyError):
            await made.take("one more", lambda: None)
        go.set()
        return await asyncio.gather(*waiting)

    assert with_one_busy(then) == [0, 1, 2]


def test_who_goes_away_while_waiting_frees_the_place() -> None:
    async def then(made: Turns, go: threading.Event) -> Any:
        done: list[str] = []
        gone = asyncio.create_task(made.take("gone", lambda: done.append("gone")))
        await asyncio.sleep(0)
        gone.cancel()
        with pytest.raises(asyncio.CancelledError):
            await gone
        go.set()
        await made.take("after", lambda: done.append("after"))
        return done

    assert with_one_busy(then) == ["after"]


def test_no_more_run_at_a_time_than_there_are_threads() -> None:
    now, most, lock = 0, 0, threading.Lock()
    together = threading.Barrier(2, timeout=30)

    def work() -> None:
        nonlocal now, most
        with lock:
            now += 1
            most = max(most, now)
        together.wait()  # passes only if two do run at a time
        with lock:
            now -= 1

    async def run() -> None:
        made = Turns(2)
        await asyncio.gather(*(made.take(n, work) for n in range(8)))
        made.close()

    running(run())
    assert most == 2


def test_an_error_of_the_work_reaches_whoever_asked_and_frees_the_thread() -> None:
    async def run() -> Any:
        made = Turns(1)
        with pytest.raises(ZeroDivisionError):
            await made.take("a", lambda: 1 // 0)
        return await made.take("b", lambda: "fine")

    assert running(run()) == "fine"

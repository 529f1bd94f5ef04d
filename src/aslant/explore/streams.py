"""Answers that come bit by bit: a line of JSON for each step of the work, then one with the result."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import msgspec

from aslant.errors import AslantError
from aslant.explore import long_questions
from aslant.explore.tries import pvalues_of
from aslant.explore.worker import MOST_WAITING, LostWorkerError, StoppedError

if TYPE_CHECKING:
    from aslant.explore.long_questions import LongQuestion
    from aslant.explore.opened import Opened
    from aslant.explore.visit import Explorer, Visit

LOST = "the process of this model has ended before it had the answer; ask again, and a new one is started."
REPLACED = "superseded"
BUSY = "too many questions wait for this model; try again in a moment."


def result_of(
    explorer: Explorer, opened: Opened, asked: LongQuestion, tell: Callable[[Any], None], stopped: threading.Event
) -> Any:
    """Return the result of a long question: as it was found before, or from the model's own process."""
    key = opened.number, asked.key
    found = explorer.found.get(key)
    if found is None:
        worker = explorer.worker(opened)
        if worker.waiting >= MOST_WAITING:
            raise AslantError(BUSY)
        found = worker.ask(asked.job, asked.arguments, tell, stopped)
        explorer.remember(key, found)
    return found


def _answered(visit: Visit, opened: Opened, asked: LongQuestion, result: Any) -> dict[str, Any]:
    """Return what the page shows of one model's answer, with what all tries make of it."""
    tries = visit.tries.corrected((opened.number, asked.tried))
    return {**long_questions.answered(opened, asked, result), "tries": tries}


async def lines(
    explorer: Explorer, visit: Visit, whose: Any, models: Sequence[Opened], asked: LongQuestion
) -> AsyncIterator[bytes]:
    """Yield a line for each step, then the answer; who goes away, or asks something newer, stops the work."""
    loop, queue, stopped = asyncio.get_running_loop(), asyncio.Queue[Any](), threading.Event()
    explorer.replace(whose, stopped)

    def tell(line: Any) -> None:
        with suppress(RuntimeError):  # the server has ended, and its loop is closed: nobody is there to be told
            loop.call_soon_threadsafe(queue.put_nowait, line)

    def run() -> None:
        try:
            found = [(opened, result_of(explorer, opened, asked, tell, stopped)) for opened in models]
            for opened, result in found:
                key, title = (opened.number, asked.tried), f"{asked.title}; on {opened.name}"
                visit.tries.add(key, title, *pvalues_of(result))
            first, *others = (_answered(visit, opened, asked, result) for opened, result in found)
            first["code"] = long_questions.code_of(models, asked)
            tell({"result": first | ({"other": others[0]} if others else {})})
        except LostWorkerError:
            tell({"error": LOST})
        except StoppedError:
            tell({"error": REPLACED})
        except AslantError as error:
            tell({"incomplete": str(error)})
        except BaseException:
            tell({"error": "aslant itself has failed; the terminal in which it runs says how."})
            raise
        finally:
            tell(None)

    threading.Thread(target=run, daemon=True, name="aslant-stream").start()
    try:
        while (line := await queue.get()) is not None:
            yield msgspec.json.encode(line) + b"\n"
    finally:
        stopped.set()
        if explorer.asking.get(whose) is stopped:
            del explorer.asking[whose]

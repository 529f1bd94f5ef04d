"""A process for each model that works for long: what kills it, or stops it, does no harm to the page."""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import threading
import time
import traceback
from collections.abc import Callable
from contextlib import suppress
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, TypeAlias

from aslant.errors import AslantError

#: Says how far a job is: a line of what the page gets.
Tell: TypeAlias = Callable[[dict[str, Any]], None]
#: Seconds between two looks at whether the question still stands, and until a job that does not stop is killed.
LOOK, PATIENCE = 0.1, 5.0
#: Questions that may wait for one model.
MOST_WAITING = 8


class LostWorkerError(Exception):
    """The process of a model has ended, or failed, while it worked."""


class StoppedError(Exception):
    """Nobody waits for the answer any more."""


class Worker:
    """The process of one model: started when it is first asked, and again after it was lost."""

    def __init__(self, given: str | None, reading: Any, is_lm: bool, folder: str) -> None:
        self._opens = given, reading, is_lm, folder
        self._turn = threading.Lock()
        self._process: Any = None
        self._connection: Connection | None = None
        self.waiting = 0

    def ask(self, job: str, arguments: dict[str, Any], tell: Tell, stopped: threading.Event) -> Any:
        """Let the process do a job, and return its result; questions come one at a time."""
        self.waiting += 1
        try:
            while not self._turn.acquire(timeout=LOOK):
                if stopped.is_set():
                    raise StoppedError
        finally:
            self.waiting -= 1
        try:
            return self._asked(job, arguments, tell, stopped)
        finally:
            self._turn.release()

    def _asked(self, job: str, arguments: dict[str, Any], tell: Tell, stopped: threading.Event) -> Any:
        try:
            connection = self._started(tell)
            connection.send((job, arguments))
            return self._answer(connection, tell, stopped)
        except (EOFError, OSError):
            self.close()
            raise LostWorkerError from None

    def _started(self, tell: Tell) -> Connection:
        if self._connection is not None and self._process.is_alive():
            return self._connection
        self.close()
        tell({"progress": {"done": 0, "total": 0, "what": "opening the model"}})
        context = multiprocessing.get_context("spawn")
        self._connection, other = context.Pipe()
        process = context.Process(target=work, args=(other, *self._opens), daemon=True, name="aslant-model")
        process.start()
        self._process = process  # one that has not begun cannot be killed
        other.close()  # so that this end hears when the process is gone
        return self._connection

    def _answer(self, connection: Connection, tell: Tell, stopped: threading.Event) -> Any:
        told_at = 0.0
        while True:
            if stopped.is_set():
                if not told_at:
                    connection.send("stop")
                    told_at = time.monotonic()
                elif time.monotonic() - told_at > PATIENCE:
                    self.close()
                    raise StoppedError
            if not connection.poll(LOOK):
                continue
            kind, content = connection.recv()
            if kind == "line":
                tell(content)
            elif kind == "result":
                return content
            elif kind == "refused":
                raise AslantError(content)
            elif kind == "stopped":
                raise StoppedError
            else:
                print(content, file=sys.stderr, flush=True)
                raise LostWorkerError

    def kill(self) -> None:
        """End the process; a thread that waits for its answer hears so, and closes the pipe that is its own."""
        if (process := self._process) is not None:
            process.kill()
            process.join(1)

    def close(self) -> None:
        """End the process, and close the pipe."""
        self.kill()
        if self._connection is not None:
            self._connection.close()
        self._process = self._connection = None


def work(connection: Connection, given: str | None, reading: Any, is_lm: bool, folder: str) -> None:
    """Open a model, and do the jobs that come through the pipe until it is closed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the server, which ends this process
    with suppress(AttributeError, OSError):
        os.nice(5)  # whoever types comes first
    model: Any = None
    while True:
        try:
            asked = connection.recv()
        except (EOFError, OSError):
            return
        if asked == "stop":  # came after the answer
            continue
        try:
            model = _opened(given, reading, is_lm) if model is None else model
            connection.send(("result", _done(asked, model, connection, folder)))
        except StoppedError:
            connection.send(("stopped", None))
        except AslantError as error:
            connection.send(("refused", str(error)))
        except Exception:
            with suppress(OSError):  # the server has ended, as the next look into the pipe says
                connection.send(("failed", traceback.format_exc()))


def _opened(given: str | None, reading: Any, is_lm: bool) -> Any:
    if not is_lm:
        return reading.open(given, quiet=True)
    from aslant.models.loading import load_lm

    return load_lm(given)


def _done(asked: Any, model: Any, connection: Connection, folder: str) -> Any:
    from aslant.explore.long_answers import JOBS

    job, arguments = asked

    def tell(line: dict[str, Any]) -> None:
        if connection.poll():
            connection.recv()
            raise StoppedError
        connection.send(("line", line))

    kept = Path(folder)
    kept.mkdir(parents=True, exist_ok=True)
    return JOBS[job](model, arguments, tell, kept)

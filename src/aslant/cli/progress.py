"""What a long command shows while it runs, for warnings, and when it is stopped."""

from __future__ import annotations

import logging
import sys
import threading
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO

from aslant.errors import plural
from aslant.io.logs import lines_wanted, progress_lines, told

#: Seconds between two lines about work that runs without a terminal.
EVERY = 60.0


@contextmanager
def bar(*, quiet: bool = False, in_bytes: bool = False) -> Iterator[Callable[[str, int, int], None] | None]:
    """Show a progress bar with the time left, on standard error; elsewhere than on a terminal, a line once a minute.

    Gives a function to call with a step, how much of it is done and how much there is (0: not known); None if nothing
    is shown. With --log, progress is told in lines."""
    if lines_wanted():
        yield progress_lines()
        return
    if quiet:
        yield None
        return
    if not sys.stderr.isatty():
        with now_and_then(in_bytes=in_bytes) as tell:
            yield tell
        return
    from rich import progress as rich
    from rich.console import Console
    from rich.markup import escape

    from aslant.report.tables import plain

    counted = (rich.DownloadColumn(), rich.TransferSpeedColumn()) if in_bytes else (rich.MofNCompleteColumn(),)
    columns = (rich.TextColumn("{task.description}"), rich.BarColumn(), *counted, rich.TimeRemainingColumn())
    tasks: dict[str, rich.TaskID] = {}
    with rich.Progress(*columns, console=Console(stderr=True), transient=True) as progress:

        def show(step: str, done: int, total: int) -> None:
            if step not in tasks:
                tasks[step] = progress.add_task(escape(plain(step)), total=total or None)
            progress.update(tasks[step], completed=done, total=total or None)

        yield show


@dataclass
class Step:
    """How far a step has come, and since when: `began` with how much `before` it was first heard of."""

    name: str
    done: int
    total: int
    began: float
    before: int
    in_bytes: bool = False

    def line(self, now: float) -> str:
        """Say how far it is and, once that can be told, how long it will take.

        >>> Step("weat", 5, 20, 0.0, 0).line(60.0)
        'weat: 5 of 20, about 3 minutes left'
        >>> Step("reading", 0, 0, 0.0, 0).line(60.0)
        'reading'
        """
        if not self.total:
            return f"{self.name}: {self._told(self.done)}" if self.done else self.name
        moved, text = self.done - self.before, f"{self.name}: {self._told(self.done)} of {self._told(self.total)}"
        if moved <= 0 or self.done >= self.total:
            return text
        left = (now - self.began) / moved * (self.total - self.done)
        return f"{text}, about {plural(max(round(left / 60), 1), 'minute')} left" if left > 45 else text

    def _told(self, count: int) -> str:
        return f"{count / 1e6:,.0f} MB" if self.in_bytes else f"{count:,}"


@contextmanager
def now_and_then(every: float | None = None, *, in_bytes: bool = False) -> Iterator[Callable[[str, int, int], None]]:
    """Say once a minute on standard error how far the latest step has come: for logs of runs that nobody watches.

    Nothing is said about work that takes less. A thread speaks, so that a step which reports rarely is heard of too.
    """
    steps: dict[str, Step] = {}
    latest: list[Step] = []
    ended, began = threading.Event(), time.monotonic()

    def show(step: str, done: int, total: int) -> None:
        known = steps.setdefault(step, Step(step, done, total, time.monotonic(), done, in_bytes))
        known.done, known.total = done, total
        latest[:] = [known]

    def speak() -> None:
        while not ended.wait(EVERY if every is None else every):
            now = time.monotonic()
            minutes = plural(max(round((now - began) / 60), 1), "minute")
            said = "; ".join(step.line(now) for step in latest) or "working"
            say(f"after {minutes}: {said}")

    thread = threading.Thread(target=speak, daemon=True, name="aslant-progress")
    thread.start()
    try:
        yield show
    finally:
        ended.set()
        thread.join()


def written(*paths: Path | str, to: TextIO | None = None) -> None:
    """Say which files were written, one a line; those that are not there, such as '-', are left out."""
    from aslant.report.tables import plain

    for path in dict.fromkeys(map(Path, paths)):
        if path.exists():
            print(f"written: {plain(path)}", file=to or sys.stdout)


@contextmanager
def noted(*, quiet: bool = False) -> Iterator[None]:
    """Print warnings as notes once the work is done, or has failed, each once; or not at all."""
    caught: list[warnings.WarningMessage] | None = None
    try:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", UserWarning)
            yield
    finally:  # how a file was read may be why the work failed
        for text in dict.fromkeys(str(warning.message) for warning in caught or ()) if not quiet else ():
            note(text)


def note(text: object) -> None:
    """Print a remark on standard error, in one line in which no name or word can control the terminal."""
    from aslant.report.tables import plain

    if lines_wanted():
        told(f"note: {plain(text)}")
    else:
        print(f"note: {plain(text)}", file=sys.stderr)


def say(text: object) -> None:
    """Print a message on standard error in which no name or word can control the terminal; its lines stay lines."""
    from aslant.report.tables import lines

    if lines_wanted():
        told(lines(text), logging.WARNING)
    else:
        print(f"aslant: {lines(text)}", file=sys.stderr)


@contextmanager
def resumable(*, kept: bool) -> Iterator[None]:
    """Say, when the user stops the work, that nothing that was finished is lost."""
    try:
        yield
    except KeyboardInterrupt:
        if kept:
            say("stopped; the same command resumes where it stopped.")
        raise

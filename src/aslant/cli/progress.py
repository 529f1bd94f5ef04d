"""What a long command shows while it runs, for warnings, and when it is stopped."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def bar(*, quiet: bool = False, in_bytes: bool = False) -> Iterator[Callable[[str, int, int], None] | None]:
    """Show a progress bar with the time left, on a terminal only, on standard error.

    Gives a function to call with a step, how much of it is done and how much there is (0: not known); None if nothing
    is shown."""
    if quiet or not sys.stderr.isatty():
        yield None
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


@contextmanager
def noted(*, quiet: bool = False) -> Iterator[None]:
    """Print warnings as notes once the work is done, or not at all."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", UserWarning)
        yield
    for warning in caught if not quiet else ():
        note(warning.message)


def note(text: object) -> None:
    """Print a remark on standard error, in one line in which no name or word can control the terminal."""
    from aslant.report.tables import plain

    print(f"note: {plain(text)}", file=sys.stderr)


def say(text: object) -> None:
    """Print a message on standard error in which no name or word can control the terminal; its lines stay lines."""
    from aslant.report.tables import lines

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

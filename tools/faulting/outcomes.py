"""What came of a fault: a row of the table, and the work that is damaged in a process of our own."""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

#: What two runs may differ in.
TIMES = frozenset({"created", "seconds"})


@dataclass
class Outcome:
    """What came of one kind of fault.

    `lost` says in words what had to be done again; `different` counts results that were not those of an undisturbed
    run, `trouble` has what went wrong otherwise: tracebacks, leftovers, wrong exit codes.
    """

    fault: str
    tries: int = 0
    lost: str = ""
    different: int = 0
    trouble: list[str] | None = None

    def blame(self, what: str) -> None:
        """Note something that must not be."""
        self.trouble = [*(self.trouble or []), what]

    @property
    def good(self) -> bool:
        """Whether everything is as promised."""
        return self.tries > 0 and not self.different and not self.trouble

    def row(self) -> str:
        """Return the row of the table."""
        same = "yes" if not self.different else f"NO ({self.different})"
        said = "none" if not self.trouble else f"{len(self.trouble)}: {self.trouble[0]:.300}"
        return f"| {self.fault} | {self.tries} | {self.lost} | {same} | {said} |"


HEAD = "| fault | tries | what was lost | result identical | trouble |\n|---|---:|---|---|---|"


@dataclass(frozen=True)
class Work:
    """Work that keeps something in a folder: `do` leaves files there and returns what comes out, the same each time.

    `needs_room` says that the work cannot be done at all without its folder: one clear sentence is right then.
    """

    name: str
    do: Callable[[Path], Any]
    needs_room: bool = False


def quietly(work: Work, folder: Path) -> Any:
    """Do the work without the notes that a folder which cannot be written gives rise to."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return work.do(folder)


def timeless(content: Any) -> Any:
    """Return a result without what differs between two runs of the same."""
    if isinstance(content, dict):
        return {key: timeless(value) for key, value in content.items() if key not in TIMES}
    if isinstance(content, list | tuple):
        return [timeless(value) for value in content]
    return content


def read_result(path: Path) -> Any:
    """Read a result from JSON, without its times."""
    return timeless(json.loads(path.read_text(encoding="utf-8")))

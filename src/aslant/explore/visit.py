"""What the server remembers while it runs: the models, whose turn it is, and what each person has tried and kept."""

from __future__ import annotations

import itertools
import os
import tempfile
import threading
from collections import OrderedDict
from collections.abc import Hashable, Iterator
from dataclasses import dataclass, field
from typing import Any

from aslant.errors import AslantError
from aslant.explore.opened import Opened
from aslant.explore.tries import Tries, pvalues_of
from aslant.explore.turns import Turns
from aslant.explore.worker import Worker

#: People that are remembered; of more, whoever has not asked for longest is forgotten.
MOST_PEOPLE = 1_000
#: Answers of long questions that are kept, and results that one person may keep for a report.
MOST_FOUND, MOST_KEPT = 40, 50


@dataclass
class Visit:
    """What one person has tried, and kept for a report: titles and results by number."""

    tries: Tries = field(default_factory=Tries)
    kept: dict[int, tuple[str, Any]] = field(default_factory=dict)
    numbers: Iterator[int] = field(default_factory=lambda: itertools.count(1))

    def counted(self, key: Hashable, question: str, *results: Any) -> dict[str, Any] | None:
        """Count a question whose answer is shown, and say what all tries make of it."""
        for place, result in enumerate(results):
            self.tries.add((key, place), question, *pvalues_of(result))
        return self.tries.corrected((key, 0))

    def keep(self, title: str, result: Any) -> int:
        """Keep a result for the report, and return its number."""
        if len(self.kept) >= MOST_KEPT:
            raise AslantError(f"a report has room for {MOST_KEPT} results; remove one first.")
        number = next(self.numbers)  # two tabs may keep something at once
        self.kept[number] = title, result
        return number


@dataclass
class Explorer:
    """The state of one server."""

    models: tuple[Opened, ...]
    seed: int = 0
    turns: Turns = field(default_factory=lambda: Turns(os.cpu_count() or 1))
    visits: OrderedDict[str, Visit] = field(default_factory=OrderedDict)
    found: OrderedDict[Hashable, Any] = field(default_factory=OrderedDict)
    workers: dict[int, Worker] = field(default_factory=dict)
    asking: dict[Hashable, threading.Event] = field(default_factory=dict)
    lock: threading.Lock = field(default_factory=threading.Lock)
    folder: tempfile.TemporaryDirectory[str] | None = None

    def visit(self, person: str) -> Visit:
        """Return what a person has done so far."""
        found = self.visits.setdefault(person, Visit())
        self.visits.move_to_end(person)
        if len(self.visits) > MOST_PEOPLE:
            self.visits.popitem(last=False)
        return found

    def worker(self, opened: Opened) -> Worker:
        """Return the process of a model."""
        with self.lock:
            if opened.number not in self.workers:
                self.folder = self.folder or tempfile.TemporaryDirectory(prefix="aslant-explore-")
                folder = f"{self.folder.name}/{opened.number}"
                made = Worker(opened.given, opened.reading, opened.vectors is None, folder)
                self.workers[opened.number] = made
            return self.workers[opened.number]

    def remember(self, key: Hashable, result: Any) -> None:
        """Keep the answer of a long question; the oldest of too many goes."""
        with self.lock:
            self.found[key] = result
            if len(self.found) > MOST_FOUND:
                self.found.popitem(last=False)

    def replace(self, whose: Hashable, stopped: threading.Event) -> None:
        """Stop what the same person asked before on the same panel."""
        if (before := self.asking.get(whose)) is not None:
            before.set()
        self.asking[whose] = stopped

    def close(self) -> None:
        """End every process and every wait."""
        for stopped in self.asking.values():
            stopped.set()
        self.turns.close()
        for worker in self.workers.values():
            worker.kill()
        if self.folder is not None:
            self.folder.cleanup()

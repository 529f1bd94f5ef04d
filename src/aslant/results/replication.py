"""What `aslant replicate` returns: a paper's printed numbers next to ours, cell by cell."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from aslant.results.codec import MeasuredResult, Result

#: The verdicts on a cell. A stand-in was computed with data other than the paper's, and is never "met".
MET, DIFFERS, STAND_IN, NOT_RUN, NOT_PRINTED = "met", "differs", "stand-in", "not run", "not printed"
VERDICTS = (MET, DIFFERS, STAND_IN, NOT_RUN)
#: The fields of a cell that its table row has.
COLUMNS = (
    *("table", "row", "column", "way", "printed", "printed_text", "authors", "ours", "ours_text"),
    *("difference", "tolerance", "verdict", "used", "note"),
)


@dataclass(frozen=True)
class ReplicatedCell:
    """One printed number (or words), ours, and what was used.

    `printed_text` is what the paper prints, `printed` its number; `authors` is what the authors' stored outputs hold
    where that is known. `way` names another way to the same printed number (such as without a quirk of the authors'
    code); a cell without one is computed as the paper says, and is what counts. `note` says why it differs, or what
    it needs.
    """

    table: str
    row: str
    column: str
    way: str
    printed: float | None
    printed_text: str
    authors: float | None
    ours: float | None
    ours_text: str
    tolerance: float
    verdict: str
    used: str
    note: str
    missing: tuple[str, ...] = ()

    @property
    def difference(self) -> float | None:
        """Ours minus the printed number."""
        return None if self.ours is None or self.printed is None else self.ours - self.printed

    @property
    def counts(self) -> bool:
        """Whether the cell represents a number of the paper: it is printed, and computed as the paper says."""
        return bool(self.printed_text) and not self.way


@dataclass(frozen=True)
class ReplicatedFigure:
    """A figure of the paper, redrawn: what the paper says about it, and the result that it is drawn from."""

    title: str
    paper_says: str
    used: str
    result: MeasuredResult
    pictures: tuple[str, ...]


@dataclass(frozen=True)
class Lacking:
    """What was not available, how many cells need it, and how to get it."""

    what: str
    cells: int
    how: str


@dataclass(frozen=True)
class ReplicationResult(Result):
    """A paper's tables, recomputed."""

    kind: ClassVar[str] = "replication"

    paper: str
    title: str
    citation: str
    cells: tuple[ReplicatedCell, ...]
    figures: tuple[ReplicatedFigure, ...]
    lacking: tuple[Lacking, ...]
    notes: tuple[str, ...]
    more: str
    seed: int
    version: str
    #: The first line of every human-readable output about it.
    first_line: str

    @property
    def missing(self) -> tuple[str, ...]:
        """The words missing from the vectors in use."""
        return tuple(dict.fromkeys(word for cell in self.cells for word in cell.missing))

    @property
    def counts(self) -> dict[str, int]:
        """How many printed cells have each verdict."""
        verdicts = [cell.verdict for cell in self.cells if cell.counts]
        return {verdict: verdicts.count(verdict) for verdict in VERDICTS}

    def rows(self) -> list[dict[str, Any]]:
        """Return one table row per cell."""
        return [{name: getattr(cell, name) for name in COLUMNS} for cell in self.cells]


@dataclass(frozen=True)
class ReplicationsResult(Result):
    """Several papers, recomputed: how many cells of each were met, differ, or were not run."""

    kind: ClassVar[str] = "replications"

    results: tuple[ReplicationResult, ...]
    more: str

    @property
    def missing(self) -> tuple[str, ...]:
        """The words missing from the vectors in use."""
        return tuple(dict.fromkeys(word for result in self.results for word in result.missing))

    def rows(self) -> list[dict[str, Any]]:
        """Return one table row per paper."""
        return [
            {"paper": r.paper, "title": r.title, "printed": sum(r.counts.values()), **r.counts} for r in self.results
        ]

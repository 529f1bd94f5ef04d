"""What `slant replicate` returns: a paper's printed numbers beside ours, cell by cell."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from slant.results.codec import Result


@dataclass(frozen=True)
class ReplicatedCell:
    """One printed number, ours, and what was used; `ours` is None where something is missing, which `note` names."""

    row: str
    column: str
    printed: float | None
    ours: float | None
    tolerance: float
    verdict: str
    used: str
    note: str
    missing: tuple[str, ...] = ()

    @property
    def difference(self) -> float | None:
        """Ours minus the printed number."""
        return None if self.ours is None or self.printed is None else self.ours - self.printed


@dataclass(frozen=True)
class ReplicationResult(Result):
    """A published table, recomputed."""

    kind: ClassVar[str] = "replication"

    paper: str
    title: str
    citation: str
    cells: tuple[ReplicatedCell, ...]
    notes: tuple[str, ...]
    seed: int
    version: str

    @property
    def missing(self) -> tuple[str, ...]:
        """The words that the vectors in use lack."""
        return tuple(dict.fromkeys(word for cell in self.cells for word in cell.missing))

    def rows(self) -> list[dict[str, Any]]:
        """Return one table row per cell."""
        return [
            {
                "row": c.row, "column": c.column, "printed": c.printed, "ours": c.ours, "difference": c.difference,
                "tolerance": c.tolerance, "verdict": c.verdict, "used": c.used, "note": c.note,
            }
            for c in self.cells
        ]  # fmt: skip

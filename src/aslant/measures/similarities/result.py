"""What the agreement with people's ratings is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from aslant.results.codec import MeasuredResult
from aslant.results.parts import Interval, bounds
from aslant.results.provenance import Provenance


@dataclass(frozen=True)
class SimilarityResult(MeasuredResult):
    """How well cosines rank pairs of words as people do: Spearman's rho over the pairs that have vectors."""

    kind: ClassVar[str] = "word-similarity"

    pairs: str
    spearman: float
    interval: Interval | None
    n_used: int
    n_missing: int
    provenance: Provenance

    def rows(self) -> list[dict[str, Any]]:
        """Return the result as one table row."""
        low, high = bounds(self.interval)
        row = {"pairs": self.pairs, "spearman": self.spearman, "low": low, "high": high}
        return [row | {"used": self.n_used, "missing": self.n_missing}]

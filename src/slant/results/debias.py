"""What the check of a debiased embedding returns: every measure before and after, and word similarity."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from slant.results.codec import MeasuredResult
from slant.results.provenance import Provenance, Representation
from slant.results.weat import Interval


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
        return [
            {
                "pairs": self.pairs,
                "spearman": self.spearman,
                "low": self.interval.low if self.interval else None,
                "high": self.interval.high if self.interval else None,
                "used": self.n_used,
                "missing": self.n_missing,
            }
        ]


@dataclass(frozen=True)
class CheckedMeasure:
    """One measure before and after; `family` is the kind of measure, `reads` says what the number means.

    A value is None where it is not defined, such as a correlation of constants.
    """

    family: str
    measure: str
    before: float | None
    after: float | None
    reads: str

    @property
    def difference(self) -> float | None:
        """After minus before; None where one of them could not be computed."""
        return None if self.before is None or self.after is None else self.after - self.before


@dataclass(frozen=True)
class DebiasCheck(MeasuredResult):
    """Two states of one embedding under every static measure; `not_run` says what was not measured, and why.

    `provenance` is that of the later state, whose note tells what was done to it.
    """

    kind: ClassVar[str] = "debias-check"

    before: Representation
    after: Representation
    measures: tuple[CheckedMeasure, ...]
    not_run: dict[str, str]
    provenance: Provenance

    def rows(self) -> list[dict[str, Any]]:
        """Return one table row per measure."""
        return [
            {
                "family": m.family,
                "measure": m.measure,
                "before": m.before,
                "after": m.after,
                "difference": m.difference,
                "reads": m.reads,
            }
            for m in self.measures
        ]

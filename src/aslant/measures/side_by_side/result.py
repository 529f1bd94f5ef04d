"""What two embeddings side by side give."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from aslant.measures.polarities.result import Difference, PolarityComparison, _row
from aslant.results.codec import MeasuredResult
from aslant.results.provenance import Provenance, Representation
from aslant.statistics.chance import Chance


@dataclass(frozen=True)
class WeatDifference:
    """One WEAT in two embeddings, over the words that both have."""

    test: str
    title: str
    first: float
    second: float
    difference: Difference
    words: int
    left_out: tuple[str, ...]
    chances: tuple[Chance | None, Chance | None] = (None, None)


@dataclass(frozen=True)
class ComparisonResult(MeasuredResult):
    """Two embeddings side by side on their shared vocabulary: WEAT and polarity, with paired intervals."""

    kind: ClassVar[str] = "comparison"

    first: str
    second: str
    representations: tuple[Representation, Representation]
    weat: tuple[WeatDifference, ...]
    not_compared: dict[str, str]
    polarity: tuple[PolarityComparison, ...]
    provenance: Provenance

    def rows(self) -> list[dict[str, Any]]:
        """Return one table row per measure."""
        rows = [_row(f"{w.test}: {w.title}", w.first, w.second, w.difference, w.words, w.chances) for w in self.weat]
        for comparison in self.polarity:
            a, b = comparison.results
            what = f"polarity {a.scheme}: {', '.join(group.name for group in a.classes)}"
            rows.append(
                _row(
                    what,
                    a.score,
                    b.score,
                    comparison.differences[0],
                    len(comparison.shared_words),
                    (a.chance, b.chance),
                )
            )
        return rows

"""What the distance to groups returns."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, ClassVar

from aslant.results import MeasuredResult, Provenance


@dataclass(frozen=True)
class WordDistance:
    """How much nearer one word is to the first group (below 0) or to the second (above 0)."""

    word: str
    difference: float


@dataclass(frozen=True)
class GroupDistanceResult(MeasuredResult):
    """Distance to groups; `value` is the sum over words: below 0, nearer to the first group."""

    kind: ClassVar[str] = "group-distance"

    value: float
    by_word: tuple[WordDistance, ...]
    provenance: Provenance

    def rows(self) -> list[dict[str, Any]]:
        """Return one table row per word."""
        return [asdict(word) for word in self.by_word]

"""What a measure over the years returns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from aslant.measures.polarities.result import TrendTest
from aslant.results.codec import MeasuredResult
from aslant.results.parts import chance_row
from aslant.results.provenance import Provenance, Representation
from aslant.statistics.chance import Chance


@dataclass(frozen=True)
class PeriodScore:
    """The score of one period: the mean over its trainings, each of which has a place in `trainings`.

    `low` and `high` enclose what another training would give (a prediction interval by Student's t); None with one
    training, which is one draw. `words` were used, of which `found` of those asked for are in every training. `chance`
    is what random words of the same frequency in this period give; `tokens` is how much text the period has, if known.
    """

    year: int
    score: float
    low: float | None
    high: float | None
    trainings: tuple[float, ...]
    words: int
    found: int
    tokens: int | None
    representation: str
    chance: Chance | None = None


@dataclass(frozen=True)
class HistoryResult(MeasuredResult):
    """A measure over the years, with a test for trend whose unit is the period, however many trainings it has.

    `label` names the score, `basis` says which words were used, `asked` how many words were asked for. `tau_range` has
    95 % of the taus of one training of each period, drawn at random: what those who train once would find.
    """

    kind: ClassVar[str] = "trend"

    measure: str
    label: str
    basis: str
    asked: int
    points: tuple[PeriodScore, ...]
    test: TrendTest | None
    tau_range: tuple[float, float] | None
    years_left_out: dict[int, str]
    representations: tuple[Representation, ...]
    provenance: Provenance

    def rows(self) -> list[dict[str, Any]]:
        """Return one table row per period."""
        return [
            {
                "year": p.year, "score": p.score, "low": p.low, "high": p.high, "trainings": len(p.trainings),
                **chance_row(p.chance), "words": p.words, "found": p.found, "tokens": p.tokens,
                "representation": p.representation, "each_training": " ".join(f"{score:.6g}" for score in p.trainings),
            }
            for p in self.points
        ]  # fmt: skip

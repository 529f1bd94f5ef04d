"""What the co-occurrences of a text give."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from aslant.measures.sentence_tests.result import CorpusRead
from aslant.results.codec import MeasuredResult
from aslant.results.parts import Correlation, Interval, WordsUsed, bounds, chance_row
from aslant.results.provenance import Provenance
from aslant.statistics.chance import Chance
from aslant.statistics.frequency import FrequencyLean


@dataclass(frozen=True)
class PmiWord:
    """One word near two sets of context words: counts, and the log odds ratio, which is above 0 near the first set.

    `low` and `high` are its interval, by its standard error over parts of the text or over single occurrences,
    whichever is larger; `pvalue` is for a ratio of 0. `chance_pvalue` is the share of words of about the same frequency
    that lean as far.
    """

    word: str
    group: str
    count: int
    near_first: int
    near_second: int
    log_odds: float
    low: float
    high: float
    pvalue: float
    qvalue: float
    figure: float | None = None
    chance_pvalue: float | None = None
    chance_qvalue: float | None = None


@dataclass(frozen=True)
class PmiContrast:
    """How much more the words of the first list stand near the first contexts than those of the second list do.

    `value` is the difference of their mean log odds ratios, `pvalue` over re-partitions of the words, `chance` what
    random words of the same frequency give in place of both lists.
    """

    first: str
    second: str
    value: float
    pvalue: float
    pvalue_bounds: tuple[float, float]
    chance: Chance | None


@dataclass(frozen=True)
class PmiResult(MeasuredResult):
    """Bias of a text by co-occurrence (Valentini et al. 2023): no vectors, no training.

    `score` is the mean size of the log odds ratios, `interval` over the choice of words, `chance` what words of the
    same frequency give. `too_rare` words stand near the contexts less often than `min_near`.
    """

    kind: ClassVar[str] = "pmi"

    contexts: tuple[WordsUsed, WordsUsed]
    words: tuple[PmiWord, ...]
    too_rare: tuple[str, ...]
    score: float
    interval: Interval | None
    chance: Chance | None
    contrast: PmiContrast | None
    correlation: Correlation | None
    frequency: FrequencyLean | None
    pairs: tuple[int, int]
    corpus: CorpusRead
    provenance: Provenance

    def rows(self) -> list[dict[str, Any]]:
        """Return one table row per word."""
        return [vars(word) for word in self.words]

    def summary(self) -> dict[str, Any]:
        """Return the score with its interval and chance, as a table row has them."""
        low, high = bounds(self.interval)
        return {"score": self.score, "low": low, "high": high, **chance_row(self.chance)}

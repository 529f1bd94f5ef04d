"""What scores of word sets return: one by one, and side by side."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from aslant.measures.shared.association import SkippedTest
from aslant.results.codec import MeasuredResult
from aslant.results.parts import Interval, WordsUsed, bounds, chance_row
from aslant.results.provenance import Provenance
from aslant.statistics.chance import Chance

#: Up to these q-values, of chance and of its own test, a score is beyond chance.
BEYOND = 0.05


@dataclass(frozen=True)
class WordScore:
    """What one word adds to a score."""

    word: str
    group: str
    value: float


@dataclass(frozen=True)
class SetMean:
    """What the words of one set add to a score on average, and their standard deviation (population)."""

    name: str
    mean: float
    sd: float


@dataclass(frozen=True, kw_only=True)
class WordSetScore(MeasuredResult):
    """A score of word sets.

    `pvalue` is the share of ways to reassign words that give as extreme a score, over `n_partitions` ways in all;
    None where no words could change places. `chance` is what random attributes of the same frequency give, and
    `strength` how many standard deviations the score is beyond their mean, above 0 if it shows more bias. `caution` is
    what must stand beside results of the word set.
    """

    test: str
    title: str
    category: str
    value: float
    targets: tuple[WordsUsed, ...]
    attributes: tuple[WordsUsed, ...]
    interval: Interval | None
    pvalue: float | None
    pvalue_method: str
    n_partitions: int | None
    chance: Chance | None
    strength: float | None
    sets: tuple[SetMean, ...]
    words: tuple[WordScore, ...]
    provenance: Provenance
    caution: str = ""

    def row(self, qvalue: float | None = None, chance_qvalue: float | None = None) -> dict[str, Any]:
        """Return the score as one table row."""
        low, high = bounds(self.interval)
        first = {name: getattr(self, name) for name in ("test", "title", "category")}
        first |= {"measure": self.kind, "value": self.value, "low": low, "high": high, "pvalue": self.pvalue}
        first |= {"pvalue_method": self.pvalue_method, "qvalue": qvalue, **chance_row(self.chance)}
        last = {"chance_qvalue": chance_qvalue, "strength": self.strength, "words_missing": len(self.missing)}
        return first | last | {"representation": self.provenance.representation.name}

    def rows(self) -> list[dict[str, Any]]:
        """Return the score as one table row."""
        return [self.row()]


@dataclass(frozen=True, kw_only=True)
class RelativeNormResult(WordSetScore):
    """Relative norm distance (Garg et al. 2018): below 0, the attributes are nearer to the first targets."""

    kind: ClassVar[str] = "relative-norm"


@dataclass(frozen=True, kw_only=True)
class RipaResult(WordSetScore):
    """Relational inner product association (Ethayarajh et al. 2019): above 0, attributes lean to the first targets."""

    kind: ClassVar[str] = "ripa"


@dataclass(frozen=True, kw_only=True)
class MacResult(WordSetScore):
    """Mean average cosine distance (Manzini et al. 2019): the lower, the closer targets are to the attributes."""

    kind: ClassVar[str] = "mac"


@dataclass(frozen=True, kw_only=True)
class EctResult(WordSetScore):
    """Embedding coherence test (Dev & Phillips 2019): 1 where both targets rank the attributes in the same order."""

    kind: ClassVar[str] = "ect"


@dataclass(frozen=True, kw_only=True)
class RnsbResult(WordSetScore):
    """Relative negative sentiment bias (Sweeney & Najafian 2019): 0 where all targets are equally "negative"."""

    kind: ClassVar[str] = "rnsb"


@dataclass(frozen=True, kw_only=True)
class SameResult(WordSetScore):
    """SAME (Schröder et al. 2022): 0 where no target leans to either attribute set."""

    kind: ClassVar[str] = "same"


@dataclass(frozen=True)
class AssociationLevel:
    """One part of ML-EAT: level 2 has an effect size and its p-value, level 3 a mean cosine and its spread."""

    level: int
    targets: str
    attributes: str
    value: float
    sd: float | None
    pvalue: float | None


@dataclass(frozen=True, kw_only=True)
class MlEatResult(WordSetScore):
    """Multilevel embedding association test (Wolfe et al. 2024): WEAT's d, and the parts that it is made of."""

    kind: ClassVar[str] = "ml-eat"

    levels: tuple[AssociationLevel, ...] = ()


def beyond_chance(qvalues: Sequence[float | None], chance_qvalues: Sequence[float | None]) -> tuple[bool, ...]:
    """Tell which scores neither chance nor, where there is one, their own test explains: both q-values up to 0.05.

    >>> beyond_chance([0.05, 0.2, None, 0.01], [0.05, 0.04, 0.04, None])
    (True, False, True, False)
    """
    pairs = zip(qvalues, chance_qvalues, strict=True)
    return tuple(chance is not None and max(chance, own or 0.0) <= BEYOND for own, chance in pairs)


@dataclass(frozen=True)
class Agreement:
    """How far two scores agree.

    `rho` is Spearman's correlation of their strengths over `n_sets` word sets (the mean over embeddings, if there are
    several); on `same_verdict` of the `n_scored` sets both or neither are beyond chance (`beyond_chance`). `tau` says
    how often they put two embeddings in the same order on the same word set, minus how often in the opposite.
    """

    first: str
    second: str
    rho: float | None
    n_sets: int
    same_verdict: int
    n_scored: int
    tau: float | None


@dataclass(frozen=True)
class CategoryStrength:
    """All scores of the word sets of one category together.

    `strength` is their mean, and `chance` the same mean with random attributes, the same for all scores of a set.
    `pvalue` combines the scores' own p-values (Simes); `n_beyond` scores are beyond chance (`beyond_chance`).
    """

    category: str
    representation: str
    tests: tuple[str, ...]
    n_scores: int
    n_beyond: int
    strength: float
    pvalue: float | None
    chance: Chance


@dataclass(frozen=True, kw_only=True)
class WordSetScoresResult(MeasuredResult):
    """Several scores of several word sets side by side; `qvalues[i]` is the Benjamini–Hochberg q of `results[i]`."""

    kind: ClassVar[str] = "word-set-scores"

    scores: tuple[str, ...]
    results: tuple[MeasuredResult, ...]
    qvalues: tuple[float | None, ...]
    chance_qvalues: tuple[float | None, ...]
    agreement: tuple[Agreement, ...]
    categories: tuple[CategoryStrength, ...]
    skipped: tuple[SkippedTest, ...]
    provenance: Provenance

    @property
    def beyond(self) -> tuple[bool, ...]:
        """Of each of `results`, whether it is beyond chance (`beyond_chance`)."""
        return beyond_chance(self.qvalues, self.chance_qvalues)

    def rows(self) -> list[dict[str, Any]]:
        """Return one table row for each score of each word set."""
        return list(map(_row, self.results, self.qvalues, self.chance_qvalues))


def _row(result: MeasuredResult, qvalue: float | None, chance_qvalue: float | None) -> dict[str, Any]:
    assert isinstance(result, WordSetScore)
    return result.row(qvalue, chance_qvalue)

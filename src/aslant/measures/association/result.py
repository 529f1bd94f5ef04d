"""What WEAT, its suite, the single-category test and the multi-group statistic return."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from aslant.results.codec import MeasuredResult
from aslant.results.provenance import Provenance


@dataclass(frozen=True)
class WordsUsed:
    """One word set as it was actually used: `used` has vectors, `missing` has none.

    `tokens` are the vocabulary entries that stand for `used` (another case, an underscore); `removed` were left
    out on request, to equalise set sizes; `same_token` because their token already represents another word of the set;
    `not_in_vocabulary` because the vocabulary that the test was reduced to does not have them.
    """

    name: str
    used: tuple[str, ...]
    tokens: tuple[str, ...]
    missing: tuple[str, ...]
    removed: tuple[str, ...] = ()
    same_token: tuple[str, ...] = ()
    not_in_vocabulary: tuple[str, ...] = ()


@dataclass(frozen=True)
class WordAssociation:
    """s(w, A, B) of one target word: how much closer it is to the first attribute set than to the second."""

    word: str
    target: str
    value: float


@dataclass(frozen=True)
class Interval:
    """An interval from resampling."""

    low: float
    high: float
    confidence: float
    n_resamples: int


@dataclass(frozen=True)
class LeaveOneOut:
    """The range of the effect size when any one word is left out, and which word that is."""

    low: float
    low_without: str
    high: float
    high_without: str


@dataclass(frozen=True)
class HumanComparison:
    """What the study that this test mirrors found in people."""

    reference: str
    effect_size: float | None
    participants: int | None
    pvalue: float | None
    note: str = ""


@dataclass(frozen=True)
class WeatResult(MeasuredResult):
    """A Word Embedding Association Test (Caliskan et al. 2017).

    `effect_size` divides by the sample standard deviation (ddof = 1), as the published tables do;
    `effect_size_population` by the population one, as several tools do. `pvalue` is exact where
    `pvalue_bounds` are equal; the method says how it was found, over `n_partitions` partitions.
    """

    kind: ClassVar[str] = "weat"

    test: str
    title: str
    category: str
    targets: tuple[WordsUsed, WordsUsed]
    attributes: tuple[WordsUsed, WordsUsed]
    statistic: float
    effect_size: float
    effect_size_population: float
    pvalue: float
    pvalue_bounds: tuple[float, float]
    pvalue_method: str
    n_partitions: int
    alternative: str
    interval: Interval | None
    leave_one_out: LeaveOneOut | None
    associations: tuple[WordAssociation, ...]
    human: HumanComparison | None
    provenance: Provenance

    @property
    def n_used(self) -> int:
        """How many words of the four sets have vectors and were used."""
        return sum(len(group.used) for group in self.targets + self.attributes)

    @property
    def n_asked(self) -> int:
        """How many words the four sets have, including those that were left out for any reason."""
        groups = self.targets + self.attributes
        lists = [(g.used, g.missing, g.removed, g.same_token, g.not_in_vocabulary) for g in groups]
        return sum(len(words) for found in lists for words in found)

    @property
    def removed(self) -> tuple[str, ...]:
        """The target words that were removed at random, to equalise set sizes."""
        return tuple(word for group in self.targets for word in group.removed)

    @property
    def not_in_vocabulary(self) -> tuple[str, ...]:
        """The words missing from the vocabulary that the test was reduced to, each once."""
        groups = self.targets + self.attributes
        return tuple(dict.fromkeys(word for group in groups for word in group.not_in_vocabulary))

    def rows(self) -> list[dict[str, Any]]:
        """Return the result as one table row."""
        return [_row(self, None)]


@dataclass(frozen=True)
class SkippedTest:
    """A test that was not run, and why."""

    test: str
    title: str
    reason: str
    missing: tuple[str, ...]


@dataclass(frozen=True)
class WeatSuiteResult(MeasuredResult):
    """Several WEATs on one embedding; `qvalues[i]` is the Benjamini–Hochberg q-value of `results[i]`."""

    kind: ClassVar[str] = "weat-suite"

    results: tuple[WeatResult, ...]
    qvalues: tuple[float, ...]
    skipped: tuple[SkippedTest, ...]
    provenance: Provenance

    def rows(self) -> list[dict[str, Any]]:
        """Return one table row per test that was run."""
        return [_row(result, qvalue) for result, qvalue in zip(self.results, self.qvalues, strict=True)]


@dataclass(frozen=True)
class MaskedWeatResult(WeatResult):
    """A WEAT on a masked model's vectors of words in sentences, the other word masked (Kurita et al. 2019, §3.1).

    Words that are not one piece of the model's vocabulary are `missing`.
    """

    kind: ClassVar[str] = "masked-weat"

    templates: tuple[str, ...]


@dataclass(frozen=True)
class MaskedWeatSuiteResult(WeatSuiteResult):
    """Several WEATs on one masked model; `qvalues[i]` is the Benjamini–Hochberg q-value of `results[i]`."""

    kind: ClassVar[str] = "masked-weat-suite"

    results: tuple[MaskedWeatResult, ...]


def _row(result: WeatResult, qvalue: float | None) -> dict[str, Any]:
    human = result.human
    return {
        "test": result.test,
        "title": result.title,
        "category": result.category,
        "effect_size": result.effect_size,
        "low": result.interval.low if result.interval else None,
        "high": result.interval.high if result.interval else None,
        "pvalue": result.pvalue,
        "pvalue_low": result.pvalue_bounds[0],
        "pvalue_high": result.pvalue_bounds[1],
        "pvalue_method": result.pvalue_method,
        "qvalue": qvalue,
        "people_effect_size": human.effect_size if human else None,
        "people_n": human.participants if human else None,
        "words_used": result.n_used,
        "words_asked": result.n_asked,
        "words_missing": len(result.missing),
        "missing": " ".join(result.missing),
        "not_in_vocabulary": " ".join(result.not_in_vocabulary),
        "removed": " ".join(result.removed),
        "effect_size_population": result.effect_size_population,
        "statistic": result.statistic,
        "alternative": result.alternative,
        "representation": result.provenance.representation.name,
    }


@dataclass(frozen=True)
class WefatWord:
    """One word's association with two attribute sets, as an effect size with its exact p-value."""

    word: str
    effect_size: float
    pvalue: float
    pvalue_bounds: tuple[float, float]
    pvalue_method: str
    qvalue: float
    figure: float | None


@dataclass(frozen=True)
class Correlation:
    """How the effect sizes correlate with an external figure, over `n` words; p-values of up to 8 words are exact."""

    figure: str
    pearson: float
    pearson_pvalue: float
    spearman: float
    spearman_pvalue: float
    n: int


@dataclass(frozen=True)
class WefatResult(MeasuredResult):
    """Single-category association of each word of a list (WEFAT; Caliskan et al. 2017)."""

    kind: ClassVar[str] = "wefat"

    words: tuple[WefatWord, ...]
    attributes: tuple[WordsUsed, WordsUsed]
    correlation: Correlation | None
    alternative: str
    provenance: Provenance

    def rows(self) -> list[dict[str, Any]]:
        """Return one table row per word."""
        return [
            {
                "word": w.word,
                "effect_size": w.effect_size,
                "pvalue": w.pvalue,
                "qvalue": w.qvalue,
                "figure": w.figure,
            }
            for w in self.words
        ]


@dataclass(frozen=True)
class GroupAssociation:
    """One group's share of the multi-group statistic: (X̄_i − μ)·(Ā_i − 𝒜̄)."""

    group: WordsUsed
    attributes: WordsUsed
    value: float


@dataclass(frozen=True)
class GeneralisedWeatResult(MeasuredResult):
    """The multi-group statistic g of Swinger et al. 2019, §2.1, and each group's part in it.

    `pvalue` is the share of the `n_partitions` re-partitions of the groups' words, sizes kept, whose g is as large;
    `pvalue_bounds` are equal where it is exact, else a 99 % interval of a Monte Carlo estimate (or a bracket, for
    two groups).
    """

    kind: ClassVar[str] = "generalised-weat"

    value: float
    pvalue: float
    pvalue_bounds: tuple[float, float]
    pvalue_method: str
    n_partitions: int
    groups: tuple[GroupAssociation, ...]
    provenance: Provenance

    def rows(self) -> list[dict[str, Any]]:
        """Return one table row per group."""
        return [
            {"group": part.group.name, "attributes": part.attributes.name, "value": part.value} for part in self.groups
        ]

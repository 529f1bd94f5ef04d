"""What association tests on words in sentences return: SEAT (templates) and CEAT (contexts from a corpus)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from aslant.measures.association.result import HumanComparison, Interval, SkippedTest, WordsUsed
from aslant.results.codec import MeasuredResult
from aslant.results.provenance import Provenance


@dataclass(frozen=True)
class SentenceWord:
    """One word of a SEAT: the kind whose sentences it is in (`listed` in the templates, or assumed), and how many.

    `association` is the mean of s(sentence, A, B) over its sentences; None for words of the attributes.
    """

    word: str
    group: str
    kind: str
    listed: bool
    sentences: int
    association: float | None


@dataclass(frozen=True)
class SeatResult(MeasuredResult):
    """A Sentence Encoder Association Test (May et al. 2019).

    `effect_size` is the published one, over sentences; `effect_size_words` is over words, each by its mean association.
    `unit` says what was re-partitioned for `pvalue`: "word" (all sentences of a word move together) or "sentence" (as
    published; too small, since sentences of a word are not independent). `statistic` is the difference of means of
    that unit. `interval` is that of `effect_size` over the choice of words. `sentences` are those of the two target
    and the two attribute sets.
    """

    kind: ClassVar[str] = "seat"

    test: str
    title: str
    category: str
    templates: str
    pooling: str
    unit: str
    targets: tuple[WordsUsed, WordsUsed]
    attributes: tuple[WordsUsed, WordsUsed]
    sentences: tuple[int, int, int, int]
    statistic: float
    effect_size: float
    effect_size_population: float
    effect_size_words: float
    pvalue: float
    pvalue_bounds: tuple[float, float]
    pvalue_method: str
    n_partitions: int
    alternative: str
    interval: Interval | None
    words: tuple[SentenceWord, ...]
    human: HumanComparison | None
    provenance: Provenance

    @property
    def assumed(self) -> tuple[str, ...]:
        """The words whose kind the templates do not list, and that are not capitalised as names are."""
        return tuple(w.word for w in self.words if not w.listed and not w.word[:1].isupper())

    def rows(self) -> list[dict[str, Any]]:
        """Return the result as one table row."""
        return [_seat_row(self, None)]


@dataclass(frozen=True)
class SeatSuiteResult(MeasuredResult):
    """Several SEATs on one encoder; `qvalues[i]` is the Benjamini–Hochberg q-value of `results[i]`."""

    kind: ClassVar[str] = "seat-suite"

    results: tuple[SeatResult, ...]
    qvalues: tuple[float, ...]
    skipped: tuple[SkippedTest, ...]
    provenance: Provenance

    def rows(self) -> list[dict[str, Any]]:
        """Return one table row per test that was run."""
        return [_seat_row(result, qvalue) for result, qvalue in zip(self.results, self.qvalues, strict=True)]


@dataclass(frozen=True)
class ContextWord:
    """One word of a CEAT: sentences of the corpus that hold it, in a spelling that counts (`found`), and those used.

    `association` is the mean of s(w, A, B) over its contexts; None for words of the attributes.
    """

    word: str
    group: str
    found: int
    contexts: int
    association: float | None


@dataclass(frozen=True)
class EffectBin:
    """How many samples have an effect size from `low` up to `high`."""

    low: float
    high: float
    count: int


@dataclass(frozen=True)
class EffectDistribution:
    """The effect sizes of all samples: `quantiles` by their share in percent, the shares of each sign, and bins."""

    mean: float
    standard_deviation: float
    quantiles: dict[str, float]
    share_positive: float
    share_negative: float
    bins: tuple[EffectBin, ...]


@dataclass(frozen=True)
class Heterogeneity:
    """How samples differ: Cochran's `q`, the share `i_squared` beyond chance, `tau_squared` between samples."""

    q: float
    degrees: int
    i_squared: float
    tau_squared: float


@dataclass(frozen=True)
class CorpusRead:
    """What the contexts were drawn from; `record` is a corpus's own (files, fingerprint), None for a list."""

    name: str
    sentences: int
    tokens: int
    record: dict[str, Any] | None


@dataclass(frozen=True)
class CeatResult(MeasuredResult):
    """A Contextualised Embedding Association Test (Guo & Caliskan 2021).

    `effect_size` is the combined effect size of `samples` draws of one context for each word, combined by a
    random-effects model. `pvalue` is over re-partitions of the target *words*, each with its mean association over
    contexts (`statistic` and `effect_size_words` are those of these). `published_pvalue` is the paper's: normal,
    two-sided, as if samples were independent. They share words and contexts, so it goes to 0 as `samples` grows.
    """

    kind: ClassVar[str] = "ceat"

    test: str
    title: str
    category: str
    targets: tuple[WordsUsed, WordsUsed]
    attributes: tuple[WordsUsed, WordsUsed]
    samples: int
    effect_size: float
    standard_error: float
    published_z: float
    published_pvalue: float
    effect_size_words: float
    statistic: float
    pvalue: float
    pvalue_bounds: tuple[float, float]
    pvalue_method: str
    n_partitions: int
    alternative: str
    heterogeneity: Heterogeneity
    distribution: EffectDistribution
    contexts_per_word: int
    words: tuple[ContextWord, ...]
    corpus: CorpusRead
    human: HumanComparison | None
    provenance: Provenance

    @property
    def short_of_contexts(self) -> tuple[ContextWord, ...]:
        """The words that were used with fewer contexts than requested."""
        return tuple(word for word in self.words if 0 < word.contexts < self.contexts_per_word)

    def rows(self) -> list[dict[str, Any]]:
        """Return the result as one table row."""
        return [_ceat_row(self, None)]


@dataclass(frozen=True)
class CeatSuiteResult(MeasuredResult):
    """Several CEATs on one encoder and corpus; `qvalues[i]` is the Benjamini–Hochberg q-value of `results[i]`."""

    kind: ClassVar[str] = "ceat-suite"

    results: tuple[CeatResult, ...]
    qvalues: tuple[float, ...]
    skipped: tuple[SkippedTest, ...]
    provenance: Provenance

    def rows(self) -> list[dict[str, Any]]:
        """Return one table row per test that was run."""
        return [_ceat_row(result, qvalue) for result, qvalue in zip(self.results, self.qvalues, strict=True)]


def _seat_row(result: SeatResult, qvalue: float | None) -> dict[str, Any]:
    return {
        **_tested(result, qvalue),
        "low": result.interval.low if result.interval else None,
        "high": result.interval.high if result.interval else None,
        "unit": result.unit,
        "sentences": sum(result.sentences),
        "pooling": result.pooling,
        "templates": result.templates,
        "effect_size_population": result.effect_size_population,
        "representation": result.provenance.representation.name,
    }


def _ceat_row(result: CeatResult, qvalue: float | None) -> dict[str, Any]:
    quantiles = result.distribution.quantiles
    return {
        **_tested(result, qvalue),
        "low": quantiles["2.5"],
        "high": quantiles["97.5"],
        "share_positive": result.distribution.share_positive,
        "published_pvalue": result.published_pvalue,
        "published_z": result.published_z,
        "standard_error": result.standard_error,
        "samples": result.samples,
        "i_squared": result.heterogeneity.i_squared,
        "tau_squared": result.heterogeneity.tau_squared,
        "fewest_contexts": min(word.contexts for word in result.words if word.contexts),
        "contexts_per_word": result.contexts_per_word,
        "corpus": result.corpus.name,
        "representation": result.provenance.representation.name,
    }


def _tested(result: SeatResult | CeatResult, qvalue: float | None) -> dict[str, Any]:
    human, groups = result.human, result.targets + result.attributes
    return {
        "test": result.test,
        "title": result.title,
        "category": result.category,
        "effect_size": result.effect_size,
        "effect_size_words": result.effect_size_words,
        "pvalue": result.pvalue,
        "pvalue_low": result.pvalue_bounds[0],
        "pvalue_high": result.pvalue_bounds[1],
        "pvalue_method": result.pvalue_method,
        "qvalue": qvalue,
        "people_effect_size": human.effect_size if human else None,
        "people_n": human.participants if human else None,
        "words_used": sum(len(group.used) for group in groups),
        "words_missing": len(result.missing),
        "missing": " ".join(result.missing),
        "statistic": result.statistic,
        "alternative": result.alternative,
    }

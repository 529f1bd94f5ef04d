"""What association tests on words in sentences return: SEAT (templates) and CEAT (contexts from a corpus)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from aslant.measures.shared.association import AssociationSuite, WeatSetTest
from aslant.results.parts import Interval


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


def learned_row(result: SeatResult | CeatResult) -> dict[str, Any]:
    """Return what a table row says of what need not be learned: word pieces, and what untrained models give."""
    names = ("first_targets", "second_targets", "first_attributes", "second_attributes")
    means = result.pieces or (None,) * 4
    return {
        **{f"pieces_{name}": mean for name, mean in zip(names, means, strict=True)},
        "effect_size_one_piece": result.effect_size_one_piece,
        "effect_size_without_pieces": result.effect_size_without_pieces,
        "twins_low": min(result.twins, default=None),
        "twins_high": max(result.twins, default=None),
    }


@dataclass(frozen=True, kw_only=True)
class SeatResult(WeatSetTest):
    """A Sentence Encoder Association Test (May et al. 2019).

    `effect_size` is the published one, over sentences; `effect_size_words` is over words, each by its mean association.
    `unit` says what was re-partitioned for `pvalue`: "word" (all sentences of a word move together) or "sentence" (as
    published; too small, since sentences of a word are not independent). `interval` is that of `effect_size` over the
    choice of words. `sentences` are those of the two target and the two attribute sets.

    `pieces` are the mean numbers of word pieces of these sets (None: the encoder does not have a tokenizer). Beside
    `effect_size_words` stand the effect among target words of one piece (None: fewer than two in a set) and the effect
    once the number of pieces is regressed out of the associations. `twins` are the effect sizes that untrained models
    of the same architecture give: an effect that they reach is not learned.
    """

    kind: ClassVar[str] = "seat"

    templates: str
    pooling: str
    unit: str
    sentences: tuple[int, int, int, int]
    effect_size_population: float
    effect_size_words: float
    interval: Interval | None
    words: tuple[SentenceWord, ...]
    pieces: tuple[float, float, float, float] | None = None
    effect_size_one_piece: float | None = None
    effect_size_without_pieces: float | None = None
    twins: tuple[float, ...] = ()

    @property
    def assumed(self) -> tuple[str, ...]:
        """The words whose kind the templates do not list, and that are not capitalised as names are."""
        return tuple(w.word for w in self.words if not w.listed and not w.word[:1].isupper())

    def own_columns(self) -> dict[str, Any]:
        """Return what only a SEAT's row has: its interval, its sentences and how they became vectors."""
        return {
            "low": self.interval.low if self.interval else None,
            "high": self.interval.high if self.interval else None,
            **super().own_columns(),
            **{name: getattr(self, name) for name in ("effect_size_words", "effect_size_population", "unit")},
            "sentences": sum(self.sentences), "pooling": self.pooling, "templates": self.templates,
            **learned_row(self),
        }  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class SeatSuiteResult(AssociationSuite):
    """Several SEATs on one encoder."""

    kind: ClassVar[str] = "seat-suite"

    results: tuple[SeatResult, ...]


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
    """What the contexts were drawn from; `record` is a corpus's own (files, fingerprint)."""

    name: str
    sentences: int
    tokens: int
    record: dict[str, Any] | None


@dataclass(frozen=True, kw_only=True)
class CeatResult(WeatSetTest):
    """A Contextualised Embedding Association Test (Guo & Caliskan 2021).

    `effect_size` is the combined effect size of `samples` draws of one context for each word, combined by a
    random-effects model. `pvalue` is over re-partitions of the target *words*, each with its mean association over
    contexts (`statistic` and `effect_size_words` are those of these). `published_pvalue` is the paper's: normal,
    two-sided, as if samples were independent. They share words and contexts, so it goes to 0 as `samples` grows.
    Word pieces are as in a SEAT. `chance` and `twins` are those of `effect_size_words`.
    """

    kind: ClassVar[str] = "ceat"

    samples: int
    standard_error: float
    published_z: float
    published_pvalue: float
    effect_size_words: float
    heterogeneity: Heterogeneity
    distribution: EffectDistribution
    contexts_per_word: int
    words: tuple[ContextWord, ...]
    corpus: CorpusRead
    pieces: tuple[float, float, float, float] | None = None
    effect_size_one_piece: float | None = None
    effect_size_without_pieces: float | None = None
    twins: tuple[float, ...] = ()

    @property
    def short_of_contexts(self) -> tuple[ContextWord, ...]:
        """The words that were used with fewer contexts than requested."""
        return tuple(word for word in self.words if 0 < word.contexts < self.contexts_per_word)

    def own_columns(self) -> dict[str, Any]:
        """Return what only a CEAT's row has: how its draws are spread, and where its contexts come from."""
        return {
            "low": self.distribution.quantiles["2.5"],
            "high": self.distribution.quantiles["97.5"],
            "share_positive": self.distribution.share_positive,
            **{name: getattr(self, name) for name in ("published_pvalue", "published_z", "standard_error")},
            **super().own_columns(),
            **{name: getattr(self, name) for name in ("effect_size_words", "samples")},
            **{name: getattr(self.heterogeneity, name) for name in ("i_squared", "tau_squared")},
            "fewest_contexts": min(word.contexts for word in self.words if word.contexts),
            "contexts_per_word": self.contexts_per_word,
            "corpus": self.corpus.name,
            **learned_row(self),
        }


@dataclass(frozen=True, kw_only=True)
class CeatSuiteResult(AssociationSuite):
    """Several CEATs on one encoder and corpus."""

    kind: ClassVar[str] = "ceat-suite"

    results: tuple[CeatResult, ...]

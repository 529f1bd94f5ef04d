"""What comparing pairs of sentences returns: every pair, every group of them, and two models on the same pairs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from aslant.results.codec import MeasuredResult
from aslant.results.parts import Interval
from aslant.results.provenance import Provenance
from aslant.stimuli.pronoun_sets import Remark

#: The group of all pairs.
ALL = "all pairs"
#: What a group is made by.
CATEGORY, DIRECTION, QUALITY, LENGTH, PART, FREQUENCY = (
    "category", "direction", "quality", "length", "part", "frequency"
)  # fmt: skip


@dataclass(frozen=True)
class PairScore:
    """One pair. `difference` = score of the more stereotyping sentence − that of the other, natural logarithm.

    `pieces_more` and `pieces_less`: over how many word pieces each score is. `unrelated`: the score of the sentence
    that makes no sense (StereoSet). `counted`: one of the two sentences is a stereotype. `prior`: how much more
    probable the words are that only the more stereotyping sentence has than those that only the other one has, each
    without the rest of the sentence; None where the model was not asked.
    """

    id: str
    category: str
    cluster: str
    direction: str
    part: str
    more: str
    less: str
    score_more: float
    score_less: float
    difference: float
    pieces_more: int
    pieces_less: int
    equal: bool
    flags: tuple[str, ...] = ()
    unrelated: float | None = None
    counted: bool = True
    prior: float | None = None


@dataclass(frozen=True)
class PairGroup:
    """A part of the pairs: in `count` of `n` − `equal` the more stereotyping sentence scores higher.

    Pairs of equal score are counted apart. `share_interval` is Wilson's, widened as far as pairs of one cluster go
    together; `share_pvalue` is two-sided and exact, over giving all pairs of a cluster the other sign (with clusters
    of one pair: the binomial test). `mean` is that of the differences, with an interval over draws of clusters and the
    two-sided `mean_pvalue` of sign flips of clusters. `share_qvalue`: over all categories, None elsewhere.
    """

    name: str
    by: str
    n: int
    clusters: int
    equal: int
    count: int
    share: float | None
    share_interval: Interval | None
    share_pvalue: float | None
    mean: float
    mean_interval: Interval | None
    mean_pvalue: float
    share_qvalue: float | None = None


@dataclass(frozen=True)
class LanguageModelScore:
    """StereoSet's scores, in per cent, as published: means over target terms, each over its sentences.

    `lms`: how often a sentence that makes sense scores higher than one that does not; `ss`: how often the stereotype
    scores higher than the other; `icat` = lms · min(ss, 100 − ss) / 50.
    """

    part: str
    lms: float
    ss: float
    icat: float
    terms: int


@dataclass(frozen=True)
class ProfessionContrast:
    """Score of the sentence on a woman − that on a man, with professions of women minus with professions of men.

    What a model prefers with every profession cancels. One value per profession; the p-value is two-sided, over
    re-partitions of the professions. `balanced`: the mean with professions that neither dominates.
    """

    difference: float
    interval: Interval | None
    pvalue: float
    with_women: float
    with_men: float
    balanced: float | None
    n_women: int
    n_men: int


@dataclass(frozen=True)
class Lengths:
    """Pairs whose sentences differ in word pieces: how often the shorter scores higher, and how often it stereotypes.

    `expected` is the share that a model would have that always preferred the shorter sentence.
    """

    n: int
    shorter_higher: float
    expected: float


@dataclass(frozen=True)
class WordFrequency:
    """Pairs whose contrasted words the model finds unequally probable by themselves (`prior` of a pair).

    `likelier_higher`: how often the sentence with the likelier words scores higher; `expected`: the share that a model
    would have that always preferred it. The group "without word frequency" is of the differences minus `slope` times
    the prior: the line through 0 that fits best, so that frequency takes all that it can.
    """

    n: int
    likelier_higher: float
    expected: float
    slope: float


@dataclass(frozen=True)
class UntrainedPairs:
    """What an untrained model of the same architecture gives: the share of each group, None where there is none.

    `contrast` is the difference of the contrast between professions, where there is one.
    """

    shares: dict[str, float | None]
    contrast: float | None = None


@dataclass(frozen=True)
class SentencePairsResult(MeasuredResult):
    """Which of two sentences a language model finds more probable, pair by pair.

    The first of `groups` is all pairs. `left_out` are pairs that the model cannot score; `drawn_from`: how many pairs
    the set has. `twins` are what untrained models give.
    """

    kind: ClassVar[str] = "sentence-pairs"

    dataset: str
    title: str
    score: str
    pairs: tuple[PairScore, ...]
    groups: tuple[PairGroup, ...]
    lengths: Lengths | None
    language_model: tuple[LanguageModelScore, ...]
    contrast: ProfessionContrast | None
    left_out: tuple[Remark, ...]
    drawn_from: int
    notes: tuple[str, ...]
    provenance: Provenance
    twins: tuple[UntrainedPairs, ...] = ()
    frequency: WordFrequency | None = None

    @property
    def share(self) -> float | None:
        """The share of pairs in which the more stereotyping sentence scores higher."""
        return self.groups[0].share

    @property
    def by_category(self) -> dict[str, PairGroup]:
        """The groups of the categories, by name."""
        return {group.name: group for group in self.groups if group.by == CATEGORY}

    def rows(self) -> list[dict[str, Any]]:
        """Return one table row per pair."""
        return [{**vars(pair), "flags": "; ".join(pair.flags)} for pair in self.pairs]


@dataclass(frozen=True)
class PairsDisagreement:
    """Two models on the same pairs: `only_first` and `only_second` count pairs in which only that one stereotypes.

    `pvalue` is McNemar's, two-sided and exact, over giving all disagreements of a cluster the other sign; `qvalue`
    over the categories.
    """

    name: str
    n: int
    share_first: float
    share_second: float
    both: int
    only_first: int
    only_second: int
    neither: int
    pvalue: float
    qvalue: float | None = None


@dataclass(frozen=True)
class PairsComparisonResult(MeasuredResult):
    """Two language models on the same pairs of sentences; pairs of equal score in either are left out."""

    kind: ClassVar[str] = "sentence-pairs-comparison"

    dataset: str
    title: str
    first: str
    second: str
    scores: tuple[str, str]
    groups: tuple[PairsDisagreement, ...]
    provenance: Provenance

    def rows(self) -> list[dict[str, Any]]:
        """Return one table row per group."""
        return [dict(vars(group)) for group in self.groups]

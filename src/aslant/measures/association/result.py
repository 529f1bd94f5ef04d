"""What WEAT, its suite, the single-category test and the multi-group statistic return."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from aslant.measures.shared.association import AssociationSuite, WeatSetTest, WordAssociation
from aslant.results.codec import MeasuredResult
from aslant.results.parts import Correlation, Interval, WordsUsed, chance_row
from aslant.results.provenance import Provenance
from aslant.statistics.chance import Chance
from aslant.statistics.frequency import FrequencyLean


@dataclass(frozen=True)
class LeaveOneOut:
    """The range of the effect size when any one word is left out, and which word that is."""

    low: float
    low_without: str
    high: float
    high_without: str


@dataclass(frozen=True, kw_only=True)
class WeatResult(WeatSetTest):
    """A Word Embedding Association Test (Caliskan et al. 2017).

    `effect_size` divides by the sample standard deviation (ddof = 1), as the published tables do;
    `effect_size_population` by the population one, as several tools do.
    """

    kind: ClassVar[str] = "weat"

    effect_size_population: float
    interval: Interval | None
    leave_one_out: LeaveOneOut | None
    associations: tuple[WordAssociation, ...]

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

    def own_columns(self) -> dict[str, Any]:
        """Return what only a WEAT's row has: its interval, and the words that were left out."""
        return {
            "low": self.interval.low if self.interval else None,
            "high": self.interval.high if self.interval else None,
            **super().own_columns(),
            "words_asked": self.n_asked,
            "words": f"{self.n_used}/{self.n_asked}",
            "not_in_vocabulary": " ".join(self.not_in_vocabulary),
            "removed": " ".join(self.removed),
            "effect_size_population": self.effect_size_population,
        }


@dataclass(frozen=True, kw_only=True)
class WeatSuiteResult(AssociationSuite):
    """Several WEATs on one embedding."""

    kind: ClassVar[str] = "weat-suite"

    results: tuple[WeatResult, ...]


@dataclass(frozen=True, kw_only=True)
class MaskedWeatResult(WeatResult):
    """A WEAT on a masked model's vectors of words in sentences, the other word masked (Kurita et al. 2019, §3.1).

    Words that are not one piece of the model's vocabulary are `missing`.
    """

    kind: ClassVar[str] = "masked-weat"

    templates: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class MaskedWeatSuiteResult(WeatSuiteResult):
    """Several WEATs on one masked model."""

    kind: ClassVar[str] = "masked-weat-suite"

    results: tuple[MaskedWeatResult, ...]


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
    chance: Chance | None = None
    chance_qvalue: float | None = None


@dataclass(frozen=True)
class WefatResult(MeasuredResult):
    """Single-category association of each word of a list (WEFAT; Caliskan et al. 2017).

    `frequency` says how far the effect sizes go with the frequency of the words. Random attributes of the same
    frequency give each word its `chance`, and the Pearson correlation `correlation_chance`.
    """

    kind: ClassVar[str] = "wefat"

    words: tuple[WefatWord, ...]
    attributes: tuple[WordsUsed, WordsUsed]
    correlation: Correlation | None
    alternative: str
    provenance: Provenance
    frequency: FrequencyLean | None = None
    correlation_chance: Chance | None = None

    def rows(self) -> list[dict[str, Any]]:
        """Return one table row per word."""
        shown = ("word", "effect_size", "pvalue", "qvalue", "figure", "chance_qvalue")
        return [{name: getattr(w, name) for name in shown} | chance_row(w.chance) for w in self.words]


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
    two groups). `chance` is what random attributes of the same frequency give.
    """

    kind: ClassVar[str] = "generalised-weat"

    value: float
    pvalue: float
    pvalue_bounds: tuple[float, float]
    pvalue_method: str
    n_partitions: int
    groups: tuple[GroupAssociation, ...]
    provenance: Provenance
    chance: Chance | None = None

    def rows(self) -> list[dict[str, Any]]:
        """Return one table row per group."""
        return [{"group": p.group.name, "attributes": p.attributes.name, "value": p.value} for p in self.groups]

"""What a model's choice between pronouns returns: every sentence, every group of them, every occupation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from aslant.results.codec import MeasuredResult
from aslant.results.parts import Correlation, Interval
from aslant.results.provenance import Provenance
from aslant.stimuli.pronoun_sets import Remark


@dataclass(frozen=True)
class PronounScore:
    """One sentence. `log_odds` = log P(female pronoun) − log P(male pronoun), natural logarithm.

    `gap` is the same between the pronoun that the stereotype expects and the other one, None where there is no
    stereotype. The corrected ones have log(P / P with the occupation masked too) in place of log P; None where that
    was not computed. `p_male` = P(male) / (P(male) + P(female)); `p_neutral` is the neutral pronoun's share of all
    three, None where the sentence has no such version.
    """

    id: str
    groups: tuple[str, ...]
    sentence: str
    occupation: str
    stereotype: str | None
    log_odds: float
    log_odds_corrected: float | None
    gap: float | None
    gap_corrected: float | None
    p_male: float
    p_neutral: float | None


@dataclass(frozen=True)
class Preference:
    """The gap over sentences: `count` of `n` prefer what the stereotype expects (gap > 0).

    Intervals come from drawing whole occupations again, within those of each gender (Wilson's for a share that does not
    vary); None if none was requested. The p-value is two-sided, from giving all gaps of an occupation the other sign at
    random (exact for up to 16).
    """

    count: int
    n: int
    share: float
    share_interval: Interval | None
    gap: float
    gap_interval: Interval | None
    pvalue: float


@dataclass(frozen=True)
class OccupationContrast:
    """Mean log-odds of occupations with a female stereotype minus that of those with a male one.

    What a model prefers in every sentence (mostly “he”) cancels, unlike in a gap. One value per occupation; the p-value
    is two-sided, over re-partitions of the occupations, exact where `pvalue_bounds` are equal.
    """

    difference: float
    interval: Interval | None
    pvalue: float
    pvalue_bounds: tuple[float, float]
    n_female: int
    n_male: int


@dataclass(frozen=True)
class PronounGroup:
    """A part of the set. `gap_of_male` is the mean gap where the stereotype is male, `gap_of_female` the other one.

    `p_male` and `p_neutral` are means over sentences; `p_against` is the mean probability of the pronoun against the
    stereotype, between the two. `corrected` and `correlation_corrected` use the corrected scores. Correlations are of
    the occupations' mean log-odds with the share of women, with permutation p-values.
    """

    name: str
    sentences: int
    occupations: int
    preference: Preference | None
    corrected: Preference | None
    contrast: OccupationContrast | None
    gap_of_male: float | None
    gap_of_female: float | None
    log_odds: float
    p_male: float
    p_against: float | None
    p_neutral: float | None
    correlation: Correlation | None
    correlation_corrected: Correlation | None


@dataclass(frozen=True)
class OccupationPreference:
    """One occupation: means over its sentences in the first group; `by_group` has its log-odds in every group."""

    occupation: str
    stereotype: str | None
    share_women: float | None
    sentences: int
    stereotyped: int
    log_odds: float
    log_odds_corrected: float | None
    gap: float | None
    gap_corrected: float | None
    by_group: tuple[float | None, ...]


@dataclass(frozen=True)
class UntrainedChoice:
    """What an untrained model of the same architecture gives in the first group; None where it does not exist."""

    share: float | None
    contrast: float | None
    correlation: float | None


@dataclass(frozen=True)
class PronounChoiceResult(MeasuredResult):
    """Which pronoun a language model prefers in WinoBias or Winogender, sentence by sentence; nothing is trained.

    `method` says what was compared: "masks" or "whole sentences". The first of `groups` stands for all, and
    `occupations` are about it. `left_out` are sentences that are not used, `odd` those that need a
    remark. `provenance.missing` has the ids of sentences left out. `twins` are what untrained models give.
    """

    kind: ClassVar[str] = "pronoun-choice"

    dataset: str
    title: str
    method: str
    figure: str
    scores: tuple[PronounScore, ...]
    groups: tuple[PronounGroup, ...]
    occupations: tuple[OccupationPreference, ...]
    left_out: tuple[Remark, ...]
    odd: tuple[Remark, ...]
    notes: tuple[str, ...]
    provenance: Provenance
    twins: tuple[UntrainedChoice, ...] = ()

    def group(self, name: str) -> PronounGroup:
        """Return the group of that name."""
        return next(group for group in self.groups if group.name == name)

    @property
    def ranked(self) -> tuple[OccupationPreference, ...]:
        """The occupations with a stereotype, largest gap first."""
        known = [o for o in self.occupations if o.gap is not None]
        return tuple(sorted(known, key=lambda o: -(o.gap or 0.0)))

    def rows(self) -> list[dict[str, Any]]:
        """Return one table row per occupation."""
        rows = []
        for occupation in self.occupations:
            row = dict(vars(occupation))
            by_group = zip(self.groups, row.pop("by_group"), strict=True)
            rows.append(row | {f"log_odds: {group.name}": value for group, value in by_group})
        return rows

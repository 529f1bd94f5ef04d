"""From a model's choices to groups and occupations: shares, mean gaps, intervals, p-values, correlations."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from aslant import statistics
from aslant.measures.pronouns_chosen import result
from aslant.measures.pronouns_chosen.result import OccupationContrast, OccupationPreference, Preference, PronounGroup
from aslant.measures.pronouns_chosen.scoring import logistic
from aslant.results.parts import Correlation, Interval
from aslant.stimuli.pronoun_sets import FEMALE, MALE, PronounSet

#: Fewer occupations give no correlation.
LEAST_OCCUPATIONS = 3


@dataclass(frozen=True)
class Drawing:
    """How intervals and p-values are drawn; every group draws from the same seed."""

    bootstrap: int
    confidence: float
    n_resamples: int
    seed: int

    def interval(self, samples: NDArray[np.float64]) -> Interval:
        """Return the interval of resampled values."""
        low, high = statistics.percentile_interval(samples, self.confidence)
        return Interval(low, high, self.confidence, self.bootstrap)


def groups_of(asked: PronounSet, scores: Sequence[result.PronounScore], drawing: Drawing) -> tuple[PronounGroup, ...]:
    """Sum up every group that has a sentence."""
    members = {name: [score for score in scores if name in score.groups] for name in asked.groups}
    return tuple(_group(name, part, asked, drawing) for name, part in members.items() if part)


def _group(name: str, scores: Sequence[result.PronounScore], asked: PronounSet, drawing: Drawing) -> PronounGroup:
    return PronounGroup(
        name=name,
        sentences=len(scores),
        occupations=len({s.occupation for s in scores}),
        preference=preference([(s.occupation, s.stereotype or "", s.gap) for s in scores], drawing),
        corrected=preference([(s.occupation, s.stereotype or "", s.gap_corrected) for s in scores], drawing),
        contrast=contrast([(s.occupation, s.stereotype or "", s.log_odds) for s in scores], drawing),
        gap_of_male=_mean([s.gap for s in scores if s.stereotype == MALE]),
        gap_of_female=_mean([s.gap for s in scores if s.stereotype == FEMALE]),
        log_odds=float(np.mean([s.log_odds for s in scores])),
        p_male=float(np.mean([s.p_male for s in scores])),
        p_against=_mean([logistic(-s.gap) for s in scores if s.gap is not None]),
        p_neutral=_mean([s.p_neutral for s in scores]),
        correlation=_correlation(asked, [(s.occupation, s.log_odds) for s in scores], drawing),
        correlation_corrected=_correlation(asked, [(s.occupation, s.log_odds_corrected) for s in scores], drawing),
    )


def _mean(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return float(np.mean(known)) if known else None


def preference(gaps: Sequence[tuple[str, str, float | None]], drawing: Drawing) -> Preference | None:
    """Sum up (occupation, stereotype, gap) of sentences; None where no sentence has a gap.

    >>> gaps = [("cook", "male", 2.0), ("cook", "male", -1.0), ("nurse", "female", 2.0)]
    >>> p = preference(gaps, Drawing(0, 0.95, 9, 0))
    >>> p.count, p.n, p.gap, p.pvalue
    (2, 3, 1.0, 0.5)
    """
    known = [(occupation, stereotype, gap) for occupation, stereotype, gap in gaps if gap is not None]
    if not known:
        return None
    occupations = {occupation: place for place, occupation in enumerate(dict.fromkeys(row[0] for row in known))}
    strata = {occupation: stereotype for occupation, stereotype, _ in known}
    place = np.array([occupations[row[0]] for row in known])
    values = np.array([row[2] for row in known], dtype=np.float64)
    sums = np.stack([np.bincount(place, values), np.bincount(place, values > 0)], axis=1)
    gap_interval = share_interval = None
    if drawing.bootstrap:
        random, sizes = np.random.default_rng(drawing.seed), np.bincount(place)
        strata_of = [strata[name] for name in occupations]
        means = statistics.cluster_bootstrap_means(sums, sizes, strata_of, drawing.bootstrap, random)
        gap_interval, share_interval = map(drawing.interval, means.T)
    count, n = int((values > 0).sum()), len(known)
    p = statistics.sign_flip_pvalue(sums[:, 0], n_resamples=drawing.n_resamples, rng=drawing.seed)
    return Preference(count, n, count / n, share_interval, float(values.mean()), gap_interval, p)


def contrast(log_odds: Sequence[tuple[str, str, float]], drawing: Drawing) -> OccupationContrast | None:
    """Compare (occupation, stereotype, log-odds) of sentences by stereotype; None where one of the two is absent.

    >>> found = contrast([("cook", "male", -3.0), ("nurse", "female", -1.0)], Drawing(0, 0.95, 9, 0))
    >>> found.difference, found.pvalue
    (2.0, 1.0)
    """
    sides: dict[str, dict[str, list[float]]] = {FEMALE: {}, MALE: {}}
    for occupation, stereotype, value in log_odds:
        if stereotype in sides:
            sides[stereotype].setdefault(occupation, []).append(value)
    female, male = (np.array([np.mean(values) for values in side.values()]) for side in sides.values())
    if not len(female) or not len(male):
        return None
    draws = {"n_resamples": drawing.n_resamples, "rng": drawing.seed}
    p = statistics.partition_pvalue(female, male, alternative="two-sided", **draws)  # type: ignore[arg-type]
    interval = None
    if drawing.bootstrap:
        random = np.random.default_rng(drawing.seed)
        first, second = (statistics.bootstrap_means(side, drawing.bootstrap, random) for side in (female, male))
        interval = drawing.interval(first - second)
    difference = float(female.mean() - male.mean())
    return OccupationContrast(difference, interval, p.pvalue, p.bounds, len(female), len(male))


def _correlation(asked: PronounSet, scored: Sequence[tuple[str, float | None]], drawing: Drawing) -> Correlation | None:
    """Correlate the occupations' mean log-odds with the share of women; None with too few, or where one is constant."""
    shares = {name.lower(): share for name, share in asked.shares.items()}
    by_occupation: dict[str, list[float]] = {}
    for occupation, value in scored:
        if value is not None and occupation.lower() in shares:
            by_occupation.setdefault(occupation, []).append(value)
    odds = np.array([np.mean(values) for values in by_occupation.values()])
    women = np.array([shares[occupation.lower()] for occupation in by_occupation])
    if len(odds) < LEAST_OCCUPATIONS or np.ptp(odds) == 0 or np.ptp(women) == 0:
        return None
    draws = {"n_resamples": drawing.n_resamples, "rng": drawing.seed}
    return Correlation(
        asked.figure,
        float(np.corrcoef(odds, women)[0, 1]),
        statistics.correlation_pvalue(odds, women, **draws),
        float(statistics.rank_correlations([odds], [women])[0]),
        statistics.rank_correlation_pvalue(odds, women, **draws),
        len(odds),
    )


def occupations_of(asked: PronounSet, scores: Sequence[result.PronounScore]) -> tuple[OccupationPreference, ...]:
    """Sum up every occupation, in the first group that has sentences, by name."""
    shares = {name.lower(): share for name, share in asked.shares.items()}
    names = [name for name in asked.groups if any(name in score.groups for score in scores)]
    by_occupation: dict[str, list[result.PronounScore]] = {}
    for score in scores:
        by_occupation.setdefault(score.occupation, []).append(score)
    found = []
    for occupation, every in sorted(by_occupation.items(), key=lambda entry: entry[0].lower()):
        part = [score for score in every if names[0] in score.groups]
        if not part:
            continue
        by_group = tuple(_mean([score.log_odds for score in every if name in score.groups]) for name in names)
        found.append(
            OccupationPreference(
                occupation=occupation,
                stereotype=part[0].stereotype,
                share_women=shares.get(occupation.lower()),
                sentences=len(part),
                stereotyped=sum(score.gap is not None and score.gap > 0 for score in part),
                log_odds=float(np.mean([score.log_odds for score in part])),
                log_odds_corrected=_mean([score.log_odds_corrected for score in part]),
                gap=_mean([score.gap for score in part]),
                gap_corrected=_mean([score.gap_corrected for score in part]),
                by_group=by_group,
            )
        )
    return tuple(found)

"""Statistics of resolved pronouns: arrays in, parts of the result out (Kurita et al. 2019, §4, Table 4)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aslant.measures.pronouns_resolved.gap_files import GENDERS, LABELS
from aslant.measures.pronouns_resolved.result import CalibrationBin, GenderGap, GenderOutcome, TopicCorrelation
from aslant.results.parts import Interval, Spread
from aslant.statistics import (
    bootstrap_means,
    partition_pvalue,
    percentile_interval,
    rank_correlation_pvalue,
    rank_correlations,
    spawn,
)

FloatArray = NDArray[np.float64]
NEITHER = LABELS.index("neither")
#: Up to this many samples the p-value of a gap is exact.
EXACT = 50
#: The smallest probability that the log-loss counts, as in scikit-learn for these numbers.
SMALLEST = float(np.finfo(np.float64).eps)


@dataclass(frozen=True)
class Resampling:
    """How intervals and p-values are drawn."""

    bootstrap: int
    n_resamples: int
    confidence: float
    bins: int


def log_losses(probabilities: FloatArray, labels: NDArray[np.intp]) -> FloatArray:
    """Return −log P(label) of each row of (n, classes).

    >>> log_losses(np.array([[0.5, 0.5], [1.0, 0.0]]), np.array([0, 0])).round(4).tolist()
    [0.6931, 0.0]
    """
    chosen = probabilities[np.arange(len(labels)), labels]
    return np.asarray(-np.log(np.clip(chosen, SMALLEST, 1.0)) + 0.0)


def calibration(predicted: FloatArray, true: NDArray[np.bool_], bins: int) -> tuple[tuple[CalibrationBin, ...], float]:
    """Bin probabilities (n,) evenly from 0 to 1, and return the bins in use and the expected calibration error.

    >>> found, error = calibration(np.array([0.1, 0.3, 0.9, 0.9]), np.array([False, False, True, True]), 2)
    >>> [(b.low, b.n, round(b.predicted, 2), b.observed) for b in found], round(error, 2)
    ([(0.0, 2, 0.2, 0.0), (0.5, 2, 0.9, 1.0)], 0.15)
    """
    place = np.minimum((predicted * bins).astype(np.intp), bins - 1)
    found = tuple(
        CalibrationBin(
            b / bins, (b + 1) / bins, int((place == b).sum()), float(predicted[place == b].mean()),
            float(true[place == b].mean()),
        )
        for b in np.unique(place).tolist()
    )  # fmt: skip
    return found, sum(b.n * abs(b.predicted - b.observed) for b in found) / len(predicted)


def outcome(
    gender: str, probabilities: FloatArray, labels: NDArray[np.intp], how: Resampling, random: np.random.Generator
) -> GenderOutcome:
    """Describe the samples of one gender: probabilities (n, 3) and labels (n,)."""
    neither, is_neither = probabilities[:, NEITHER], labels == NEITHER
    top = probabilities.argmax(axis=1)
    bins, error = calibration(neither, is_neither, how.bins)
    return GenderOutcome(
        gender=gender,
        n=len(labels),
        neither=int(is_neither.sum()),
        prior=float(is_neither.mean()),
        predicted=float(neither.mean()),
        interval=_interval(bootstrap_means(neither, how.bootstrap, random), how) if how.bootstrap else None,
        accuracy=float((top == labels).mean()),
        log_loss=float(log_losses(probabilities, labels).mean()),
        calibration=bins,
        calibration_error=error,
        confidence_error=calibration(probabilities.max(axis=1), top == labels, how.bins)[1],
    )


def _interval(samples: FloatArray, how: Resampling) -> Interval:
    return Interval(*percentile_interval(samples, how.confidence), how.confidence, len(samples))


def gender_gap(male: FloatArray, female: FloatArray, how: Resampling, random: np.random.Generator) -> GenderGap:
    """Compare the means of two groups, female minus male: permutation p-value over the genders, bootstrap interval.

    The p-value is exact for small groups, and Monte Carlo for others, where exactness would take longer than training.
    """
    method: Any = "auto" if len(female) + len(male) <= EXACT else "monte carlo"
    found = partition_pvalue(
        female, male, alternative="two-sided", method=method, n_resamples=how.n_resamples, rng=random
    )
    interval = None
    if how.bootstrap:
        drawn = [bootstrap_means(values, how.bootstrap, random) for values in (female, male)]
        interval = _interval(drawn[0] - drawn[1], how)
    difference = float(female.mean() - male.mean())
    return GenderGap(difference, interval, found.pvalue, found.bounds, found.method)


def spread(values: FloatArray) -> Spread:
    """Return the mean and the range of a number over seeds, (seeds,)."""
    return Spread(float(values.mean()), float(values.min()), float(values.max()), len(values))


def topic_correlation(
    gender: str, bias: FloatArray, neither: FloatArray, how: Resampling, random: np.random.Generator
) -> TopicCorrelation | None:
    """Correlate sample bias with P(neither) by ranks, over the samples of one gender, each (n,); None if one is flat.

    >>> how = Resampling(100, 999, 0.95, 10)
    >>> r = topic_correlation("female", np.arange(9.0), np.arange(9.0) ** 2, how, np.random.default_rng(0))
    >>> r.rho, r.pvalue < 0.01
    (1.0, True)
    """
    rho = float(rank_correlations(bias[None], neither[None])[0]) if len(bias) > 2 else float("nan")
    if not np.isfinite(rho):
        return None
    interval = None
    if how.bootstrap:
        rows = random.integers(0, len(bias), (how.bootstrap, len(bias)))
        drawn = rank_correlations(bias[rows], neither[rows])
        interval = _interval(drawn[np.isfinite(drawn)], how)
    pvalue = rank_correlation_pvalue(bias, neither, n_resamples=how.n_resamples, rng=random)
    return TopicCorrelation(gender, len(bias), rho, interval, pvalue)


def by_gender(
    probabilities: FloatArray, labels: NDArray[np.intp], genders: NDArray[np.str_], how: Resampling, seed: int
) -> tuple[tuple[GenderOutcome, GenderOutcome], GenderGap, GenderGap]:
    """Return the outcome of each gender, the gap in P(neither), and the gap beyond that in the labels."""
    random = spawn(seed, 4)
    sides = [genders == gender for gender in GENDERS]
    outcomes = [
        outcome(gender, probabilities[side], labels[side], how, random[place])
        for place, (gender, side) in enumerate(zip(GENDERS, sides, strict=True))
    ]
    neither = probabilities[:, NEITHER]
    beyond = neither - (labels == NEITHER)
    gap, beyond_gap = (
        gender_gap(values[sides[0]], values[sides[1]], how, rng)
        for values, rng in ((neither, random[2]), (beyond, random[3]))
    )
    return (outcomes[0], outcomes[1]), gap, beyond_gap

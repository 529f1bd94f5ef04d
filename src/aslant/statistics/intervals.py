"""Intervals around shares and resampled statistics, bootstrap means, false-discovery rates, and combined effects."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from statistics import NormalDist
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from aslant.errors import MeasureError


def percentile_interval(samples: ArrayLike, confidence: float = 0.95) -> tuple[float, float]:
    """Cut the same share off both ends of the resampled values of a statistic (Efron's percentile interval).

    `samples` is (n_resamples,), finite.

    >>> percentile_interval(range(101), confidence=0.5)
    (25.0, 75.0)
    """
    values = np.asarray(samples, dtype=np.float64)
    if values.ndim != 1 or not values.size or not np.isfinite(values).all():
        raise MeasureError(f"samples of shape {values.shape}: give one list of finite numbers, at least one.")
    tail = (1 - check_confidence(confidence)) / 2
    low, high = np.quantile(values, [tail, 1 - tail])
    return float(low), float(high)


def clopper_pearson(successes: int, trials: int, confidence: float = 0.99) -> tuple[float, float]:
    """Enclose a share by an interval that covers it at least as often as promised (Clopper–Pearson 1934).

    >>> low, high = clopper_pearson(0, 100)
    >>> low, round(high, 4)
    (0.0, 0.0516)
    """
    return _proportion_interval(successes, trials, confidence, "exact")


def wilson(successes: int, trials: int, confidence: float = 0.95) -> tuple[float, float]:
    """Enclose a share by an interval that covers it about as often as promised (Wilson 1927).

    >>> low, high = wilson(6, 10)
    >>> round(low, 3), round(high, 3)
    (0.313, 0.832)
    """
    return _proportion_interval(successes, trials, confidence, "wilson")


def clustered_wilson(successes: ArrayLike, trials: ArrayLike, confidence: float = 0.95) -> tuple[float, float]:
    """Enclose the share of successes of trials that come in clusters, shape (clusters,) each, by Wilson's interval.

    The number of trials is divided by the design effect: how much larger the variance over clusters is than that of
    independent trials (never smaller). Where all trials agree, clusters are taken for single trials.

    >>> low, high = clustered_wilson([1] * 6 + [0] * 4, [1] * 10)
    >>> round(low, 3), round(high, 3), clustered_wilson([6, 0], [6, 4])[1] > high
    (0.313, 0.832, True)
    """
    hits, sizes = np.asarray(successes, np.float64), np.asarray(trials, np.float64)
    if hits.ndim != 1 or hits.shape != sizes.shape or not sizes.size or (hits < 0).any() or (hits > sizes).any():
        raise MeasureError(f"successes {hits.shape} of trials {sizes.shape}: give as many of both, and some.")
    n, clusters = sizes.sum(), sizes.size
    share = hits.sum() / n
    effect = (sizes @ sizes) / n
    if 0 < share < 1 and clusters > 1:
        between = float(((hits - sizes * share) ** 2).sum()) * clusters / (clusters - 1)
        effect = between / (n * share * (1 - share)) if (sizes > 1).any() else 1.0
    n = n / max(1.0, effect)
    z = NormalDist().inv_cdf(0.5 + check_confidence(confidence) / 2)
    middle, half = share + z * z / (2 * n), z * math.sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    low, high = (middle - half) / (1 + z * z / n), (middle + half) / (1 + z * z / n)
    return float(low if share > 0 else 0.0), float(high if share < 1 else 1.0)  # exact, whatever rounding gives


def _proportion_interval(
    successes: int, trials: int, confidence: float, method: Literal["exact", "wilson"]
) -> tuple[float, float]:
    if not 0 <= successes <= trials or trials < 1:
        raise MeasureError(f"{successes} of {trials} is not a share; give 0 ≤ successes ≤ trials ≥ 1.")
    from scipy.stats import binomtest

    interval = binomtest(int(successes), int(trials)).proportion_ci(check_confidence(confidence), method=method)
    return float(interval.low), float(interval.high)


def check_confidence(confidence: float) -> float:
    """Return `confidence`, or raise an error if it is not one."""
    if not 0 < confidence < 1:
        raise MeasureError(f"confidence is {confidence!r}; give a number between 0 and 1, such as 0.95.")
    return confidence


_BLOCK = 1 << 22  # numbers drawn at a time


def bootstrap_means(values: ArrayLike, n_resamples: int, random: np.random.Generator) -> NDArray[np.float64]:
    """Return the means of `n_resamples` draws with replacement from `values`; shape (n_resamples,).

    >>> bootstrap_means([2.0, 2.0], 3, np.random.default_rng(0)).tolist()
    [2.0, 2.0, 2.0]
    """
    pool = np.asarray(values, dtype=np.float64)
    if pool.ndim != 1 or not pool.size:
        raise MeasureError(f"values of shape {pool.shape}: give one list of numbers, at least one.")
    means = np.empty(n_resamples)
    rows = max(1, _BLOCK // pool.size)
    for start in range(0, n_resamples, rows):
        count = min(rows, n_resamples - start)
        means[start : start + count] = pool[random.integers(0, pool.size, (count, pool.size))].mean(axis=1)
    return means


def cluster_bootstrap_means(
    sums: ArrayLike, sizes: ArrayLike, strata: ArrayLike, n_resamples: int, random: np.random.Generator
) -> NDArray[np.float64]:
    """Return the means of values that come in clusters, over draws of whole clusters; shape (n_resamples,) or (…, k).

    `sums` is (clusters,) or (clusters, k) and has what the values of each cluster add up to, `sizes` how many they
    are; clusters are drawn with replacement within each of the `strata`, (clusters,).

    >>> cluster_bootstrap_means([2.0, 6.0], [1, 3], [0, 1], 2, np.random.default_rng(0)).tolist()
    [2.0, 2.0]
    """
    totals, counts, labels = np.asarray(sums, np.float64), np.asarray(sizes, np.float64), np.asarray(strata)
    if not len(totals) == len(counts) == len(labels) or not len(totals):
        raise MeasureError(
            f"{len(totals)} sums, {len(counts)} sizes, {len(labels)} strata: give one of each, and some."
        )
    drawn = [np.flatnonzero(labels == label) for label in np.unique(labels)]
    means = np.empty((n_resamples, *totals.shape[1:]))
    rows = max(1, _BLOCK // totals.size)
    for start in range(0, n_resamples, rows):
        count = min(rows, n_resamples - start)
        chosen = np.hstack([places[random.integers(0, len(places), (count, len(places)))] for places in drawn])
        size = counts[chosen].sum(axis=1)
        means[start : start + count] = (totals[chosen].sum(axis=1).T / size).T
    return means


def benjamini_hochberg(pvalues: ArrayLike) -> NDArray[np.float64]:
    """Turn p-values into Benjamini–Hochberg q-values, in the same order.

    `pvalues` is (m,), each in [0, 1]; so is the answer. Rejecting where q ≤ α keeps the expected share of
    false findings at α or below (Benjamini and Hochberg 1995; Swinger et al. use α = 0.05).

    >>> benjamini_hochberg([0.01, 0.04, 0.03, 0.5])
    array([0.04      , 0.05333333, 0.05333333, 0.5       ])
    """
    given = np.asarray(pvalues, dtype=np.float64)
    if given.ndim != 1:
        raise MeasureError(f"p-values have shape {given.shape}; give one list of numbers.")
    if not given.size:
        return given.copy()
    wrong = given[~((given >= 0) & (given <= 1))]
    if wrong.size:
        raise MeasureError(f"{wrong[0]} is not a p-value; p-values lie between 0 and 1.")
    # By hand, not by SciPy's false_discovery_control: importing scipy.stats takes longer than a suite of tests.
    order = np.argsort(given)[::-1]
    steps = given[order] * (given.size / np.arange(given.size, 0, -1))
    qvalues = np.empty_like(given)
    qvalues[order] = np.minimum.accumulate(np.minimum(steps, 1.0))
    return qvalues


def holm(pvalues: ArrayLike) -> NDArray[np.float64]:
    """Correct p-values for their number by Holm's method, in the same order.

    `pvalues` is (m,), each in [0, 1]; so is the answer. Rejecting where it is ≤ α keeps the chance of any false finding
    at α or below, whatever the p-values have to do with each other (Holm 1979).

    >>> holm([0.01, 0.04, 0.03, 0.5])
    array([0.04, 0.09, 0.09, 0.5 ])
    """
    given = np.asarray(pvalues, dtype=np.float64)
    order = np.argsort(given)
    corrected = np.empty_like(given)
    corrected[order] = np.maximum.accumulate(np.minimum(given[order] * np.arange(given.size, 0, -1), 1.0))
    return corrected


#: No variance may be less: weights are inverse variances, and are squared.
SMALLEST = 1e-140


@dataclass(frozen=True)
class RandomEffects:
    """A combined effect size, its standard error, and how much the samples differ beyond their own variances.

    `z` = effect / standard_error and its two-sided normal `pvalue` hold for *independent* samples only. `q` is
    Cochran's, with samples − 1 degrees of freedom; `i_squared` its share beyond them; `tau_squared` the variance
    between samples.
    """

    effect: float
    standard_error: float
    z: float
    pvalue: float
    q: float
    i_squared: float
    tau_squared: float
    samples: int


def combine(effects: ArrayLike, variances: ArrayLike) -> RandomEffects:
    """Combine `effects`, shape (n,), whose own variances are `variances`, shape (n,), all above 0.

    τ² = max(0, (Q − (n − 1)) / c) by the method of moments; each sample then weighs 1 / (variance + τ²).

    >>> both = combine([1.0, 2.0], [0.5, 0.5])
    >>> both.effect, both.tau_squared, both.q
    (1.5, 0.0, 1.0)
    """
    from scipy.stats import norm

    e, v = np.asarray(effects, np.float64), np.asarray(variances, np.float64)
    usable = e.ndim == 1 and e.shape == v.shape and e.size and np.isfinite(e).all() and np.isfinite(v).all()
    if not usable or (v <= SMALLEST).any():
        raise MeasureError(f"effects {e.shape} and variances {v.shape}: give as many of both, finite and above 0.")
    w = 1 / v
    # Q about the fixed-effect mean, the same as Σ w·e² − (Σ w·e)² / Σ w without its cancellation.
    q = float((w * (e - (w @ e) / w.sum()) ** 2).sum())
    free = e.size - 1
    c = w.sum() - (w @ w) / w.sum()
    tau_squared = float(max(0.0, (q - free) / c)) if free and c > 0 else 0.0
    weights = 1 / (v + tau_squared)
    effect, error = float(weights @ e / weights.sum()), float(1 / math.sqrt(weights.sum()))
    z = effect / error
    # Far out the normal tail is smaller than any number that can be written; a p-value is never 0.
    pvalue = max(float(2 * norm.sf(abs(z))), float(np.finfo(np.float64).tiny))
    return RandomEffects(effect, error, z, pvalue, q, max(0.0, 1 - free / q) if q > 0 else 0.0, tau_squared, e.size)


def known_qvalues(pvalues: Iterable[float | None]) -> tuple[float | None, ...]:
    """Turn those p-values that there are into Benjamini–Hochberg q-values.

    >>> known_qvalues([0.25, None, 0.5])
    (0.5, None, 0.5)
    """
    given = tuple(pvalues)
    found = iter(benjamini_hochberg([p for p in given if p is not None]).tolist())
    return tuple(None if p is None else next(found) for p in given)

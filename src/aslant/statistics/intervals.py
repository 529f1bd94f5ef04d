"""Intervals around shares and resampled statistics, by SciPy."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

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

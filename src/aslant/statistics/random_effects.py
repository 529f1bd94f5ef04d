"""Effect sizes of several samples combined by a random-effects model (DerSimonian & Laird 1986)."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from aslant.errors import MeasureError

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


def _usable(effects: NDArray[np.float64], variances: NDArray[np.float64]) -> bool:
    # The inverse of a smaller variance would be infinite.
    return bool(np.isfinite(effects).all() and np.isfinite(variances).all() and (variances > SMALLEST).all())


def combine(effects: ArrayLike, variances: ArrayLike) -> RandomEffects:
    """Combine `effects`, shape (n,), whose own variances are `variances`, shape (n,), all above 0.

    τ² = max(0, (Q − (n − 1)) / c) by the method of moments; each sample then weighs 1 / (variance + τ²).

    >>> both = combine([1.0, 2.0], [0.5, 0.5])
    >>> both.effect, both.tau_squared, both.q
    (1.5, 0.0, 1.0)
    """
    from scipy.stats import norm

    e, v = np.asarray(effects, np.float64), np.asarray(variances, np.float64)
    if e.ndim != 1 or e.shape != v.shape or not e.size or not _usable(e, v):
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

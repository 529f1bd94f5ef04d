"""Bootstrap means in bulk: draws with replacement, a block at a time."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from slant.errors import MeasureError

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

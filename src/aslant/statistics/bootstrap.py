"""Bootstrap means in bulk: draws with replacement, a block at a time."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from aslant.errors import MeasureError

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

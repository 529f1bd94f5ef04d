"""Spearman's rank correlation, of many series at once, and permutation p-values of it and of Pearson's."""

from __future__ import annotations

import itertools

import numpy as np
from numpy.typing import ArrayLike, NDArray

from aslant.errors import MeasureError
from aslant.statistics.randomness import generator

_EXACT = 8  # up to this many pairs all n! orders are listed


def rank_correlations(x: ArrayLike, y: ArrayLike) -> NDArray[np.float64]:
    """Return Spearman's rho for each row of x and y, (series, n), ties at their mean rank; shape (series,).

    Where all values of a row are tied there is no rho: NaN, for the caller to deal with.

    >>> rank_correlations([[1.0, 2.0, 3.0], [1.0, 1.0, 1.0]], [[10.0, 30.0, 20.0], [1.0, 2.0, 3.0]]).tolist()
    [0.5, nan]
    """
    from scipy.stats import rankdata

    ranks = [np.asarray(rankdata(values, axis=1), dtype=np.float64) for values in (x, y)]
    first, second = (rows - (rows.shape[1] + 1) / 2 for rows in ranks)
    sizes = np.sqrt((first**2).sum(axis=1) * (second**2).sum(axis=1))
    products = (first * second).sum(axis=1)
    return np.asarray(np.divide(products, sizes, out=np.full(len(sizes), np.nan), where=sizes > 0))


def rank_correlation_pvalue(
    x: ArrayLike, y: ArrayLike, *, n_resamples: int = 99_999, rng: int | np.random.Generator | None = 0
) -> float:
    """Return the two-sided p-value of Spearman's rho of `x` and `y`, each (n,), over the orders of `y`.

    Exact for up to 8 pairs; otherwise add-one over random orders. 0 < p ≤ 1.

    >>> rank_correlation_pvalue([1, 2, 3, 4], [10, 20, 30, 40]) == 2 / 24
    True
    """
    from scipy.stats import rankdata

    first, second = (np.asarray(rankdata(values), dtype=np.float64) for values in (x, y))
    if first.shape != second.shape or first.ndim != 1 or not first.size:
        raise MeasureError(f"series of shapes {first.shape} and {second.shape}: give two of one length.")
    return _permuted(first, second, 1e-9, n_resamples, rng)  # ranks are halves of whole numbers, so equal sums are ties


def correlation_pvalue(
    x: ArrayLike, y: ArrayLike, *, n_resamples: int = 99_999, rng: int | np.random.Generator | None = 0
) -> float:
    """Return the two-sided p-value of Pearson's r of `x` and `y`, each (n,), over the orders of `y`.

    Exact for up to 8 pairs; otherwise add-one over random orders. 0 < p ≤ 1.

    >>> correlation_pvalue([1, 2, 3, 4], [1, 2, 3, 9]) == 2 / 24
    True
    """
    first, second = np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64)
    if first.shape != second.shape or first.ndim != 1 or not first.size:
        raise MeasureError(f"series of shapes {first.shape} and {second.shape}: give two of one length.")
    rounding = 1e-12 * float(np.linalg.norm(first - first.mean()) * np.linalg.norm(second - second.mean()))
    return _permuted(first, second, rounding, n_resamples, rng)


def _permuted(
    first: NDArray[np.float64], second: NDArray[np.float64], rounding: float, n_resamples: int,
    rng: int | np.random.Generator | None,
) -> float:  # fmt: skip
    """Return how often the product of two series, each around its mean, is as large in another order of the second."""
    first, second = first - first.mean(), second - second.mean()
    observed = abs(first @ second) - rounding
    if first.size <= _EXACT:
        orders = np.array(list(itertools.permutations(range(first.size))))
        return float(np.mean(np.abs(second[orders] @ first) >= observed))
    shuffled = generator(rng).permuted(np.broadcast_to(second, (n_resamples, second.size)), axis=1)
    return (1 + int(np.count_nonzero(np.abs(shuffled @ first) >= observed))) / (1 + n_resamples)

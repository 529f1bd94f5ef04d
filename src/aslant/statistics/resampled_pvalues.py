"""Permutation p-values of correlations, of paired differences, and of a statistic over several groups."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from math import factorial, prod

import numpy as np
from numpy.typing import ArrayLike, NDArray

from aslant.errors import MeasureError
from aslant.statistics.intervals import clopper_pearson
from aslant.statistics.permutation import BLOCK, ENUMERATION_LIMIT, PermutationPvalue, check_choices, partition_pvalue
from aslant.statistics.randomness import generator

FloatArray = NDArray[np.float64]
_EXACT = 8  # up to this many pairs all n! orders are listed
_EXACT_FLIPS = 16  # up to this many differences all 2^n sign patterns are listed
_BLOCK = 1 << 22
#: Sums that differ by less than this, of the largest possible, are ties: rounding must not decide.
TIE = 1e-12


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
    return _permuted(first, second, 1e-9, n_resamples, rng)  # ranks are halves of whole numbers, so equal sums are ties


def correlation_pvalue(
    x: ArrayLike, y: ArrayLike, *, n_resamples: int = 99_999, rng: int | np.random.Generator | None = 0
) -> float:
    """Return the two-sided p-value of Pearson's r of `x` and `y`, each (n,), over the orders of `y`.

    Exact for up to 8 pairs; otherwise add-one over random orders. 0 < p ≤ 1.

    >>> correlation_pvalue([1, 2, 3, 4], [1, 2, 3, 9]) == 2 / 24
    True
    """
    return _permuted(np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64), None, n_resamples, rng)


def _permuted(
    first: FloatArray, second: FloatArray, rounding: float | None, n_resamples: int,
    rng: int | np.random.Generator | None,
) -> float:  # fmt: skip
    """Return how often the product of two series, each around its mean, is as large in another order of the second."""
    if first.shape != second.shape or first.ndim != 1 or not first.size:
        raise MeasureError(f"series of shapes {first.shape} and {second.shape}: give two of one length.")
    first, second = first - first.mean(), second - second.mean()
    if rounding is None:
        rounding = 1e-12 * float(np.linalg.norm(first) * np.linalg.norm(second))
    observed = abs(first @ second) - rounding
    if first.size <= _EXACT:
        orders = np.array(list(itertools.permutations(range(first.size))))
        return float(np.mean(np.abs(second[orders] @ first) >= observed))
    shuffled = generator(rng).permuted(np.broadcast_to(second, (n_resamples, second.size)), axis=1)
    return (1 + int(np.count_nonzero(np.abs(shuffled @ first) >= observed))) / (1 + n_resamples)


def sign_flip_pvalue(
    differences: ArrayLike, *, n_resamples: int = 9_999, rng: int | np.random.Generator | None = 0
) -> float:
    """Return the two-sided p-value that the mean of paired `differences`, shape (n,), is not zero.

    Exact for up to 16 differences; otherwise add-one over random sign patterns. 0 < p ≤ 1.

    >>> sign_flip_pvalue([1.0, 2.0, 3.0])
    0.25
    """
    values = np.asarray(differences, dtype=np.float64)
    if values.ndim != 1 or not values.size or not np.isfinite(values).all():
        raise MeasureError(f"differences of shape {values.shape}: give one list of finite numbers, at least one.")
    observed = abs(values.sum()) - 1e-12 * np.abs(values).sum()  # so that equal sums count as ties
    if values.size <= _EXACT_FLIPS:
        patterns = (np.arange(1 << values.size)[:, None] >> np.arange(values.size)) & 1
        return float(np.mean(np.abs((2 * patterns - 1) @ values) >= observed))
    random, extreme = generator(rng), 0
    rows = max(1, _BLOCK // values.size)
    for start in range(0, n_resamples, rows):
        signs = random.integers(0, 2, (min(rows, n_resamples - start), values.size), dtype=np.int8)
        extreme += int(np.count_nonzero(np.abs((2.0 * signs - 1) @ values) >= observed))
    return (1 + extreme) / (1 + n_resamples)


def sign_count_pvalue(counts: ArrayLike) -> float:
    """Return the exact two-sided p-value that whole numbers, shape (n,), add up to more than random signs would give.

    Each is the successes of a cluster minus its failures. With clusters of one it is the binomial test at one half.

    >>> sign_count_pvalue([1, 1, 1, 1, 1]), sign_count_pvalue([5]), sign_count_pvalue([2, -2])
    (0.0625, 1.0, 1.0)
    """
    values = np.abs(np.asarray(counts, dtype=np.int64))
    observed, reach = abs(int(np.asarray(counts, dtype=np.int64).sum())), int(values.sum())
    chance = np.zeros(2 * reach + 1)  # the probability of each sum, from -reach on
    chance[reach] = 1.0
    for value in values[values > 0].tolist():
        up, down = np.zeros_like(chance), np.zeros_like(chance)
        up[value:], down[:-value] = chance[:-value], chance[value:]
        chance = (up + down) / 2
    sums = np.abs(np.arange(-reach, reach + 1))
    return min(1.0, max(float(chance[sums >= observed].sum()), np.finfo(np.float64).tiny))


def regrouping_pvalue(
    scores: ArrayLike, sizes: Sequence[int], *, n_resamples: int = 100_000, rng: int | np.random.Generator | None = 0
) -> PermutationPvalue:
    """Compute the share of re-partitions whose statistic, Σ_i mean of the words of group i, is as large as observed.

    `scores` is (words, groups): what a word counts in each group; the words stand group by group, `sizes` of each.
    The observed partition counts, so 0 < p ≤ 1. Two groups are a difference of means, and exact wherever
    `partition_pvalue` is; more are exact up to 262,144 partitions, and beyond that from `n_resamples` random ones.

    >>> regrouping_pvalue([[1, 0, 0], [0, 1, 0], [0, 0, 1]], [1, 1, 1]).pvalue == 1 / 6
    True
    """
    given = np.asarray(scores, dtype=np.float64) / np.asarray(sizes, dtype=np.float64)
    check_choices("greater", "auto", n_resamples)
    if len(sizes) == 2:
        gain = given[:, 0] - given[:, 1]  # of standing in the first group; the rest is the same for all partitions
        return partition_pvalue(gain[: sizes[0]], gain[sizes[0] :], n_resamples=n_resamples, rng=rng)
    labels = np.repeat(np.arange(len(sizes)), sizes)
    least = given[np.arange(len(given)), labels].sum() - TIE * np.abs(given).sum()
    partitions = factorial(sum(sizes)) // prod(map(factorial, sizes))
    if partitions <= ENUMERATION_LIMIT:
        p = float((_every_sum(given, sizes) >= least).mean())
        return PermutationPvalue(p, (p, p), "enumeration", partitions)
    random, hits = generator(rng), 0
    rows = max(1, BLOCK // len(given))
    for start in range(0, n_resamples, rows):
        order = random.permuted(np.tile(np.arange(len(given)), (min(rows, n_resamples - start), 1)), axis=1)
        hits += int((given[order, labels].sum(axis=1) >= least).sum())
    bounds = clopper_pearson(hits, n_resamples)
    # The observed partition is one of them: p is not smaller than its share.
    shares = [max(share, 1 / partitions) for share in ((1 + hits) / (1 + n_resamples), *bounds)]
    return PermutationPvalue(shares[0], (shares[1], shares[2]), "monte carlo", partitions, int(n_resamples))


def _every_sum(scores: FloatArray, sizes: Sequence[int]) -> FloatArray:
    """Return the sum of scores for every partition; word by word, for each way to have filled the groups so far."""
    sums: dict[tuple[int, ...], FloatArray] = {(0,) * len(sizes): np.zeros(1)}
    for word in scores:
        grown: dict[tuple[int, ...], list[FloatArray]] = {}
        for filled, found in sums.items():
            for group, size in enumerate(sizes):
                if filled[group] < size:
                    after = (*filled[:group], filled[group] + 1, *filled[group + 1 :])
                    grown.setdefault(after, []).append(found + word[group])
        sums = {filled: np.concatenate(parts) for filled, parts in grown.items()}
    return sums[tuple(sizes)]

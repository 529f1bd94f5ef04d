"""The permutation p-value of a statistic over several groups: the words of all groups reassigned, sizes kept."""

from __future__ import annotations

from collections.abc import Sequence
from math import comb

import numpy as np
from numpy.typing import ArrayLike, NDArray

from aslant.statistics.intervals import clopper_pearson
from aslant.statistics.permutation import BLOCK, ENUMERATION_LIMIT, PermutationPvalue, check_choices, partition_pvalue
from aslant.statistics.randomness import generator

FloatArray = NDArray[np.float64]
#: Sums that differ by less than this, of the largest possible, are ties: rounding must not decide.
TIE = 1e-12


def regrouping_pvalue(
    scores: ArrayLike,
    sizes: Sequence[int],
    *,
    n_resamples: int = 100_000,
    rng: int | np.random.Generator | None = 0,
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
    partitions = n_partitions(sizes)
    if partitions <= ENUMERATION_LIMIT:
        p = float((every_sum(given, sizes) >= least).mean())
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


def n_partitions(sizes: Sequence[int]) -> int:
    """Count the ways to deal words out to groups of these sizes.

    >>> n_partitions([2, 1, 1])
    12
    """
    count, left = 1, sum(sizes)
    for size in sizes:
        count *= comb(left, size)
        left -= size
    return count


def every_sum(scores: FloatArray, sizes: Sequence[int]) -> FloatArray:
    """Return the sum of scores for every partition; word by word, for each way to have filled the groups so far.

    >>> sorted(every_sum(np.array([[1.0, 0], [0, 10]]), [1, 1]).tolist())
    [0.0, 11.0]
    """
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

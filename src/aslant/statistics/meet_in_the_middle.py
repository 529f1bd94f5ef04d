"""The exact number of subsets that reach a sum, by meeting in the middle (Horowitz and Sahni 1974).

The pool is cut in two; each half yields the sorted list of its subset sums for every subset size, and
pairs of lists are counted in one pass. Two or three scores are kept out of both halves and tried
one by one, which quarters the memory for about the same time.
"""

from __future__ import annotations

import itertools

import numpy as np
from numpy.typing import NDArray

from aslant.statistics.compiled import compiled
from aslant.statistics.fixed_point import Tail

Sorted = NDArray[np.int64]
ALWAYS_UP_TO = 50
COMPILED_FROM = 1 << 17
# Subset sums kept per half: all of them for pools that always fit, else what a far tail leaves alive.
_LIST_LIMIT = 1 << 24
_TAIL_LIST_LIMIT = 1 << 18
_LISTS_LIMIT = 50_000  # merged, at a few µs each


def count_at_least(tail: Tail) -> int | None:
    """Count the subsets whose sum reaches the tail's threshold, or return None if the lists get too long.

    Pools of up to 50 scores always fit; larger ones when so few subsets reach the threshold that almost
    every list dies early, or when one side has few scores.
    """
    scores, size, threshold = tail.scores, tail.size, tail.threshold
    if len(scores) * size > _LISTS_LIMIT:
        return None
    limit = _LIST_LIMIT if len(scores) <= ALWAYS_UP_TO else _TAIL_LIST_LIMIT
    # Lists are pruned from below, so the rarer of "reaches" and "does not" is the one to count.
    if tail.is_above_mean:
        return _count(scores, size, threshold, limit)
    missed = _count(-scores, size, 1 - threshold, limit)
    return None if missed is None else tail.n_partitions - missed


def _count(scores: NDArray[np.int64], size: int, threshold: int, limit: int) -> int | None:
    ordered = np.sort(scores)[::-1]
    half = max(0, len(ordered) - 2) // 2
    left, spare, right = np.split(ordered, [half, len(ordered) - half])
    left_sums = _sums_by_size(left, np.concatenate([spare, right]), size, threshold, limit)
    if left_sums is None:
        return None
    right_sums = _sums_by_size(right, np.concatenate([left, spare]), size, threshold, limit)
    if right_sums is None:
        return None
    total = 0
    for taken in range(len(spare) + 1):
        for subset in itertools.combinations(spare.tolist(), taken):
            for k, sums in enumerate(left_sums):
                if 0 <= size - taken - k < len(right_sums):
                    total += count_pairs(sums, right_sums[size - taken - k], threshold - sum(subset))
    return total


def _sums_by_size(half: Sorted, others: Sorted, size: int, threshold: int, limit: int) -> list[Sorted] | None:
    """List the subset sums of one half, ascending, by subset size, without those that are dead.

    A sum is dead if even the best completion from all scores not yet decided misses the threshold.
    """
    sums = [np.zeros(1, np.int64), *[np.zeros(0, np.int64)] * min(size, len(half))]
    for i, score in enumerate(half.tolist()):
        undecided = np.sort(np.concatenate([half[i + 1 :], others]))[::-1]
        best = np.concatenate([[0], np.cumsum(undecided)])
        # From above, so that list j − 1 is still the one before this score.
        for j in range(min(i + 1, len(sums) - 1), -1, -1):
            if size - j > len(undecided):
                sums[j] = sums[j][:0]
                continue
            alive_from = threshold - int(best[size - j])
            sums[j] = sums[j][np.searchsorted(sums[j], alive_from) :]
            if j:
                with_it = sums[j - 1][np.searchsorted(sums[j - 1], alive_from - score) :]
                sums[j] = merge(sums[j], with_it, score)
        if sum(map(len, sums)) > limit:
            return None
    return sums


def merge(first: Sorted, second: Sorted, shift: int) -> Sorted:
    """Merge `first` and `second + shift`, both ascending, into one ascending list."""
    if not len(second):
        return first
    if len(first) + len(second) < COMPILED_FROM:
        # A stable sort finds the two runs and merges them.
        return np.sort(np.concatenate([first, second + shift]), kind="stable")
    merged = np.empty(len(first) + len(second), dtype=np.int64)
    compiled(_merge_into)(first, second, shift, merged)
    return merged


def count_pairs(first: Sorted, second: Sorted, threshold: int) -> int:
    """Count the pairs, one of each ascending list, whose sum is at least the threshold."""
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

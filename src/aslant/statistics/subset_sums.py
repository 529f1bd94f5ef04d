"""How many subsets of scores reach a sum: exactly, by meeting in the middle, or within a guaranteed bracket, on a grid.

Scores are integers: a p-value that misses a tie, as sums of floats do, is too small. Centred scores are divided by a
unit, a power of two that makes the largest about 2⁴⁴, and rounded once, which moves the difference of two subset sums
of a pool of n by less than n units: a sum counts as reaching the observed one if it is at most n units below it. This
errs on the conservative side, by at most n · 10⁻¹³ of the largest score. A unit is never finer than the float
resolution of the scores, and scores of up to three decimals are taken as the whole thousandths that they mean.

Meeting in the middle (Horowitz and Sahni 1974): the pool is cut in two; each half yields the sorted list of its subset
sums for every subset size, and pairs of lists are counted in one pass. Two or three scores are kept out of both halves
and tried one by one, which quarters the memory for about the same time.

The grid: scores are rounded to a given step. The distribution of the rounded sum of a random subset is computed without
loss (up to float rounding), and what the rounding of the scores can do to the sum of `size` of them is bounded from
both sides; a finer grid gives a narrower bracket.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from aslant.statistics.compiled import compiled

_BITS = 44
Sorted = NDArray[np.int64]
ALWAYS_UP_TO = 50
COMPILED_FROM = 1 << 17
# Subset sums kept per half: all of them for pools that always fit, else what a far tail leaves alive.
_LIST_LIMIT = 1 << 24
_TAIL_LIST_LIMIT = 1 << 18
_LISTS_LIMIT = 50_000  # merged, at a few µs each
# Per pass: cell updates (about 1.5 ns each), cells alive at a time (8 bytes each), rows (about 6 µs each).
_WORK_LIMIT = 2_000_000_000
_CELLS_LIMIT = 1 << 24
_ROWS_LIMIT = 50_000
_FIRST_WORK = 1_000_000

Row = tuple[int, NDArray[np.float64]]


@dataclass(frozen=True)
class Tail:
    """The question "which share of the subsets of this size has a sum as large as the first one's?".

    `scores` is (n,) integers, of which the first `size` are the set that was observed.
    """

    scores: NDArray[np.int64]
    size: int

    @property
    def threshold(self) -> int:
        """The sum to reach: the observed one less the rounding of two sums."""
        return int(self.scores[: self.size].sum()) - len(self.scores)

    @property
    def is_above_mean(self) -> bool:
        """Whether the threshold is above the mean of all subset sums: then the tail is rather small."""
        return self.threshold * len(self.scores) > self.size * int(self.scores.sum())

    @property
    def n_partitions(self) -> int:
        """The number of subsets of this size."""
        return math.comb(len(self.scores), self.size)

    def mirrored(self) -> Tail:
        """The same question about the lower tail: sums as small as the observed one."""
        return Tail(-self.scores, self.size)

    def smaller(self) -> Tail:
        """The same question about the complements, if these are smaller: less to enumerate."""
        others = len(self.scores) - self.size
        return self if self.size <= others else Tail(-np.roll(self.scores, -self.size), others)


def upper_tail(first: NDArray[np.float64], second: NDArray[np.float64]) -> Tail:
    """Round the scores of two sets to integers; the observed set is the first.

    `first` is (k,), `second` is (m,), both finite. For fixed sizes the difference of the two means grows
    with the sum of the first set (Caliskan et al. 2017, Methods), so the sum is all that matters.
    """
    scores = np.concatenate([first, second])
    largest = np.abs(scores).max()
    for factor in (10, 100, 1000) if largest <= 1e9 else ():  # decimals, such as 0.1 and 0.35, become whole numbers
        whole = np.rint(scores * factor)
        if np.abs(whole - scores * factor).max() <= 2.0**-50 * factor * largest:
            scores = whole
            break
    # Multiplying by a power of two is exact, and keeps what follows away from overflow.
    scores = np.ldexp(scores, -_exponent(scores))
    centred = scores - (scores.min() + scores.max()) / 2
    bits = min(_BITS, 62 - len(scores).bit_length())
    # Centred scores of a spread too small to have digits of their own are rounding noise.
    unit_exponent = max(_exponent(centred) - bits, -52)
    return Tail(np.rint(np.ldexp(centred, -unit_exponent)).astype(np.int64), len(first))


def _exponent(scores: NDArray[np.float64]) -> int:
    """Return the least e with |score| < 2ᵉ for every score."""
    return int(np.frexp(np.abs(scores).max())[1])


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


@dataclass(frozen=True)
class _Grid:
    """Scores in grid cells, in descending order, and which cells each state has to keep.

    `floor` and `cap` are (n + 1, size + 1): for the first i scores of which j were taken, sums below
    `floor` can no longer reach the threshold, and sums from `cap` on surely reach it, so that they may
    share one cell. `alive` is False where nothing can reach it. `sure` is the cell from which the true
    sum reaches the threshold regardless of rounding. One pass updates `work` cells, up to `peak` at a time.
    """

    cells: NDArray[np.int64]
    sure: int
    floor: NDArray[np.int64]
    cap: NDArray[np.int64]
    alive: NDArray[np.bool_]
    work: int
    peak: int


def tail_bracket(tail: Tail, relative_width: float) -> tuple[float, float] | None:
    """Bracket the share of subsets that reach the tail's threshold, or None if that is too much work.

    The bracket (low, high) is guaranteed and no wider than `relative_width · low`. The recursion is the
    shift algorithm (Streitberg and Röhmel 1986) for Caliskan et al. (2017)'s permutation distribution.
    """
    scores, size, threshold = np.sort(tail.scores)[::-1], tail.size, tail.threshold
    if int(scores[-size:].sum()) >= threshold:
        return 1.0, 1.0
    if len(scores) * size > _ROWS_LIMIT:
        return None
    low, high = 0.0, 1.0
    # Begin with the finest power of two whose pass is still cheap: on it, scores on a lattice (ranks, counts, ties)
    # often round to nothing.
    step = 1 << max(1, int(scores[0] - scores[-1]).bit_length() - 4)
    while step > 1 and _round(scores, size, threshold, step // 2).work <= _FIRST_WORK:
        step //= 2
    while (grid := _round(scores, size, threshold, step)).work <= _WORK_LIMIT and grid.peak <= _CELLS_LIMIT:
        before = low, high
        low, high = _pass(grid, size)
        # The observed set reaches its own sum, and on the grid it usually stands among the doubtful.
        if int(_cells(tail.scores[:size], step).sum()) < grid.sure:
            low += 1 / tail.n_partitions
        low, high = max(low, before[0]), min(high, before[1])
        if high - low <= relative_width * low:
            return low, high
        # Other sets that tie with the observed one stay in doubt on any grid: hopeless if there are many.
        if (low, high) == before:
            return None
        # The bracket narrows in proportion to the step; far from the goal that is only roughly so.
        shrink = 0.8 * relative_width * low / (high - low)
        step = max(1, int(step * min(0.5, max(shrink, 1 / 32))))
    return None


def _round(ordered: NDArray[np.int64], size: int, threshold: int, step: int) -> _Grid:
    cells = _cells(ordered, step)
    rest = np.sort(ordered - cells * step)
    # sum = step · cell + rest, with rest between the `size` smallest and the `size` largest residuals
    possible, sure = (-((int(part.sum()) - threshold) // step) for part in (rest[len(rest) - size :], rest[:size]))
    prefix = np.concatenate([[0], np.cumsum(cells)])
    n = len(cells)
    i, j = np.arange(n + 1)[:, None], np.arange(size + 1)[None, :]
    wanted = size - j
    exists = (j <= i) & (wanted <= n - i)
    smallest = prefix[i] - prefix[np.maximum(i - j, 0)]
    largest = np.broadcast_to(prefix[j], exists.shape)
    best = prefix[np.minimum(i + wanted, n)] - prefix[i]
    worst = prefix[n] - prefix[n - wanted]
    cap = np.minimum(largest, sure - worst)
    floor = np.minimum(np.maximum(smallest, possible - best), cap)
    alive = exists & (largest + best >= possible)
    widths = np.where(alive, cap - floor + 1, 0).sum(axis=1)
    return _Grid(cells, sure, floor, cap, alive, int(widths.sum()), int(widths.max()))


def _cells(scores: NDArray[np.int64], step: int) -> NDArray[np.int64]:
    return (scores + step // 2) // step


def _pass(grid: _Grid, size: int) -> tuple[float, float]:
    """Run the recursion over one grid; return the sure and the possible mass, widened by rounding."""
    n = len(grid.cells)
    rows: list[Row | None] = [(0, np.ones(1)), *[None] * size]
    for i, cell in enumerate(grid.cells.tolist(), start=1):
        # From above, so that row j − 1 is still the one before this score.
        for j in range(min(i, size), -1, -1):
            if not grid.alive[i, j]:
                rows[j] = None
                continue
            floor = int(grid.floor[i, j])
            mass = np.zeros(int(grid.cap[i, j]) - floor + 1)
            # f_i[j] = (i − j)/i · f_{i−1}[j] + j/i · shift(f_{i−1}[j − 1]): each f is a distribution
            # given j, so that nothing overflows however many subsets there are.
            _deposit(mass, floor, rows[j], 0, (i - j) / i)
            _deposit(mass, floor, rows[j - 1] if j else None, cell, j / i)
            rows[j] = floor, mass
    final = rows[size]
    if final is None:
        return 0.0, 0.0
    floor, mass = final
    low = float(mass[-1]) if floor + len(mass) - 1 >= grid.sure else 0.0
    # Every term is positive: relative errors of a few ulp per score, and sums of underflowed terms.
    slack = 64 * n * 2.0**-53
    return low * (1 - slack), min(1.0, float(mass.sum()) * (1 + slack) + 1e-290)


def _deposit(mass: NDArray[np.float64], floor: int, row: Row | None, shift: int, weight: float) -> None:
    """Add weight · row, shifted, to mass; below the floor it is lost, beyond the cap it is kept there."""
    if row is None or weight == 0:
        return
    start = row[0] + shift - floor
    values = row[1][max(0, -start) :]
    start = max(0, start)
    inside = max(0, min(len(values), len(mass) - start))
    if inside:
        mass[start : start + inside] += weight * values[:inside]
    if inside < len(values):
        mass[-1] += weight * float(values[inside:].sum())

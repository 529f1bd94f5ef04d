"""Dynamic programming over subset sums rounded to a grid: a guaranteed bracket around a tail.

Scores are rounded to a grid of a given step. The distribution of the rounded sum of a random subset
is computed without loss (up to float rounding), and what the rounding of the scores can do to the sum
of `size` of them is bounded from both sides; a finer grid gives a narrower bracket.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from aslant.statistics.fixed_point import Tail

# Per pass: cell updates (about 1.5 ns each), cells alive at a time (8 bytes each), rows (about 6 µs each).
_WORK_LIMIT = 2_000_000_000
_CELLS_LIMIT = 1 << 24
_ROWS_LIMIT = 50_000
_FIRST_WORK = 1_000_000

Row = tuple[int, NDArray[np.float64]]


@dataclass(frozen=True)
class _Grid:
    """Scores in grid cells, in descending order, and which cells each state has to keep.

    `floor` and `cap` are (n + 1, size + 1): for the first i scores of which j were taken, sums below
    `floor` can no longer reach the threshold, and sums from `cap` on surely reach it, so that they may
    share one cell. `alive` is False where nothing can reach it. `sure` is the cell from which the true
    sum reaches the threshold regardless of rounding.
    """

    cells: NDArray[np.int64]
    sure: int
    floor: NDArray[np.int64]
    cap: NDArray[np.int64]
    alive: NDArray[np.bool_]

    @property
    def work(self) -> int:
        """The number of cells that one pass updates."""
        return int(self._widths.sum())

    @property
    def fits(self) -> bool:
        """Whether a pass stays within the limits of time and memory."""
        return self.work <= _WORK_LIMIT and int(self._widths.sum(axis=1).max()) <= _CELLS_LIMIT

    @property
    def _widths(self) -> NDArray[np.int64]:
        return np.where(self.alive, self.cap - self.floor + 1, 0)


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
    while (grid := _round(scores, size, threshold, step)).fits:
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
    return _Grid(cells, sure, floor, cap, exists & (largest + best >= possible))


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

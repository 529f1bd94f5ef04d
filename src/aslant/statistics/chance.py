"""What chance gives: the same statistic, with the words that carry the meaning replaced by others of their frequency.

Only arrays here. Words stand in order of frequency, so a row number is a rank; `pool` holds the rows that may be drawn
(docs/definitions.md §9).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

Rows: TypeAlias = NDArray[np.int64]

#: A word is replaced by one whose rank is within this factor of its own, among at least this many.
FACTOR, LEAST = 1.5, 20


@dataclass(frozen=True)
class Chance:
    """What `draws` random choices of a `kind` give in place of the words that were measured.

    `low` and `high` enclose 95 % of them. `pvalue` is the share that is at least as far from 0 (for a score that has no
    sign: at least as large) as what was measured, the measured one counted among them.
    """

    kind: str
    mean: float
    sd: float
    low: float
    high: float
    pvalue: float
    draws: int

    @property
    def reached(self) -> int:
        """How many draws reach what was measured."""
        return round(self.pvalue * (1 + self.draws)) - 1

    def standardised(self, score: float) -> float | None:
        """Return how many standard deviations of chance `score` is from its mean; None where no float can hold it."""
        away = (score - self.mean) / self.sd if self.sd else math.inf
        return away if math.isfinite(away) else None


def against_chance(observed: float, drawn: ArrayLike, kind: str = "matched words", *, signed: bool = True) -> Chance:
    """Compare a score with those of random choices, shape (draws,); of a signed score, the sizes are compared.

    Values as far apart as rounding in single precision are ties, which count against the score.

    >>> against_chance(2.0, [-3.0, 1.0, 0.0, 0.5]).pvalue
    0.4
    >>> against_chance(2.0, [-3.0, 1.0, 0.0, 0.5], signed=False).pvalue
    0.2
    """
    values = np.asarray(drawn, dtype=np.float64)
    size, sizes = (abs(observed), np.abs(values)) if signed else (observed, values)
    reached = int((sizes >= size - 1e-6 * abs(size)).sum())
    low, high = np.quantile(values, [0.025, 0.975])
    return Chance(
        kind, float(values.mean()), float(values.std()), float(low), float(high),
        (1 + reached) / (1 + values.size), values.size,
    )  # fmt: skip


def draw_matched(ranks: ArrayLike, pool: Rows, draws: int, rng: np.random.Generator, factor: float = FACTOR) -> Rows:
    """Draw a row of `pool` (sorted) for each of `ranks`, no row twice in a draw; shape (draws, ranks).

    A replacement's rank is within a `factor` of the rank that it replaces; where the pool has fewer than 20 rows
    there, or fewer than twice as many as are drawn together, the window grows on both sides.

    >>> rows = draw_matched([10, 1000], np.arange(5000), 200, np.random.default_rng(0))
    >>> rows.shape, bool(rows[:, 0].max() < 40), bool(((666 <= rows[:, 1]) & (rows[:, 1] < 1503)).all())
    ((200, 2), True, True)
    """
    start, stop = _windows(np.asarray(ranks, dtype=np.int64), pool, factor)
    places = rng.integers(start, stop, (draws, len(start)))
    again = _repeated(places)
    while again.any():  # a row that the draw has already: another one from the same window
        row, column = np.nonzero(again)
        places[row, column] = rng.integers(start[column], stop[column])
        row = np.unique(row)
        again[row] = _repeated(places[row])
    return pool[places]


def is_large_enough(pool: Rows, words: int) -> bool:
    """Tell whether words can be drawn for so many at a time.

    >>> is_large_enough(np.arange(25), 4), is_large_enough(np.arange(25), 13)
    (True, False)
    """
    return len(pool) >= max(LEAST, 2 * words)


def _windows(ranks: Rows, pool: Rows, factor: float) -> tuple[Rows, Rows]:
    """Return where in the pool each window begins and ends, shape (ranks,) each."""
    need = max(LEAST, 2 * len(ranks))
    start = np.searchsorted(pool, np.floor((ranks + 1) / factor) - 1)
    stop = np.searchsorted(pool, np.ceil((ranks + 1) * factor))
    start = np.clip(start - np.maximum(need - (stop - start), 0) // 2, 0, len(pool) - need)
    return start, np.maximum(stop, start + need)


def _repeated(places: Rows) -> NDArray[np.bool_]:
    """Mark what stands in its draw already, in an earlier column."""
    order = np.argsort(places, axis=1, kind="stable")
    ordered = np.take_along_axis(places, order, axis=1)
    same = np.zeros(places.shape, dtype=bool)
    same[:, 1:] = ordered[:, 1:] == ordered[:, :-1]
    marked = np.zeros_like(same)
    np.put_along_axis(marked, order, same, axis=1)
    return marked

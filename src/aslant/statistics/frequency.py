"""How far scores go with the frequency of words, and what is left of them without it (docs/definitions.md §9)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray


@dataclass(frozen=True)
class FrequencyLean:
    """Spearman's correlation of signed leans with the logarithm of frequency ranks over `n` words.

    Below 0: the more frequent a word, the more it leans to the first side. `score` is the mean size of the leans, and
    `without` the same once the straight line through log rank is taken out of them.
    """

    rho: float
    n: int
    score: float
    without: float


def frequency_lean(leans: ArrayLike, rows: ArrayLike) -> FrequencyLean | None:
    """Compare signed leans, shape (words,), with ranks: rows of vectors in order of frequency, 0 the most frequent.

    None with fewer than 10 words, or where all leans or ranks are the same.

    >>> found = frequency_lean(np.arange(20.0, 0, -1), np.exp(np.arange(20)) - 1)
    >>> found.rho, round(found.without, 6)
    (-1.0, 10.5)
    """
    values, logs = np.asarray(leans, dtype=np.float64), np.log1p(np.asarray(rows, dtype=np.float64))
    if len(values) < 10 or np.ptp(values) == 0 or np.ptp(logs) == 0:
        return None
    rho = float(np.corrcoef(_ranks(values), _ranks(logs))[0, 1])
    rest = without_slope(values, logs)
    return FrequencyLean(rho, len(values), float(np.abs(values).mean()), float(np.abs(rest).mean()))


def without_slope(values: NDArray[np.float64], against: NDArray[np.float64]) -> NDArray[np.float64]:
    """Take the slope of a straight line out of `values`, shape kept; their mean stays.

    >>> without_slope(np.array([1.0, 2.0, 3.0]), np.array([0.0, 1.0, 2.0])).tolist()
    [2.0, 2.0, 2.0]
    """
    centred = against - against.mean()
    return np.asarray(values - centred * (centred @ values / (centred @ centred)))


def _ranks(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Rank values from 1, ties at their mean rank; scipy.stats would take half a second to load."""
    _, places, counts = np.unique(values, return_inverse=True, return_counts=True)
    return np.asarray((np.cumsum(counts) - (counts - 1) / 2)[places])

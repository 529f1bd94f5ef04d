"""Scores as integers, so that sums are exact and ties are ties in every method.

Subset sums of floats depend on the order of the additions, and a permutation p-value that misses a tie is too small.
Here the centred scores are divided by a unit, a power of two that makes the largest about 2⁴⁴, and rounded once, which
moves the difference of two subset sums of a pool of n by less than n units: a sum counts as reaching the observed one
if it is at most n units below it. This errs on the conservative side, by at most n · 10⁻¹³ of the largest score. A unit
is never finer than the float resolution of the scores, and scores of up to three decimals are taken as the whole
thousandths that they mean.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

_BITS = 44


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

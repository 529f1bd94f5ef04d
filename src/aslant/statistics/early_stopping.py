"""When the rest of a randomised test can no longer change its verdict, except with a stated risk.

The question is not what the true p-value is, but what the *full* run of R rotations would have said. Of R
exchangeable draws C reach the observed score; c of the first k did. Given C, c is hypergeometric, so its tails bound C
exactly; a share of the risk goes to each cell and each look, so all bounds hold at once with probability 1 − risk.
Verdicts then follow from Benjamini–Hochberg, which only finds more as p-values fall: what is significant with every
p at its upper bound stays so, and what is not with every p at its lower bound never will be.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from aslant.statistics.intervals import benjamini_hochberg

Integers = NDArray[np.int64]
FloatArray = NDArray[np.float64]


def looks(rotations: int, first: int = 256, growth: float = 1.25) -> tuple[int, ...]:
    """Return after how many rotations to look, fixed in advance: often at first, then ever more rarely.

    >>> looks(1000, first=256, growth=2.0)
    (256, 512)
    """
    planned: list[int] = []
    at = float(first)
    while round(at) < rotations:
        planned.append(round(at))
        at *= growth
    return tuple(planned)


def bounds_of_full_count(reached: Integers, drawn: int, rotations: int, risk: float) -> tuple[Integers, Integers]:
    """Bound how many of all `rotations` reach the score, when `reached` of the first `drawn` did; shapes kept.

    Each side fails with probability `risk` at most.

    >>> low, high = bounds_of_full_count(np.array([0, 500]), 500, 1000, 1e-6)
    >>> low.tolist(), high.tolist()
    ([0, 981], [19, 1000])
    """
    from scipy.stats import hypergeom

    unique, inverse = np.unique(reached, return_inverse=True)
    rest = rotations - drawn
    # Certain bounds: what was reached stays reached; of the rest none or all may follow.
    low = _first_true(unique, unique + rest, lambda c: hypergeom.sf(unique - 1, rotations, c, drawn) > risk)
    high = _first_true(unique, unique + rest + 1, lambda c: hypergeom.cdf(unique, rotations, c, drawn) <= risk) - 1
    return low[inverse].reshape(reached.shape), np.maximum(high, low)[inverse].reshape(reached.shape)


def _first_true(low: Integers, high: Integers, test: Callable[[Integers], NDArray[np.bool_]]) -> Integers:
    """Return, elementwise, the smallest number from `low` on for which the monotone `test` holds, or `high`."""
    low, high = low.copy(), high.copy()
    while (open_ := low < high).any():
        middle = (low + high) // 2
        holds = test(middle)
        high = np.where(open_ & holds, middle, high)
        low = np.where(open_ & ~holds, middle + 1, low)
    return low


def settled_verdicts(low: FloatArray, high: FloatArray, alpha: float) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Return which p-values between `low` and `high` Benjamini–Hochberg at `alpha` must accept, and which it must not.

    >>> sure, never = settled_verdicts(np.array([0.001, 0.04, 0.6]), np.array([0.002, 0.06, 0.9]), 0.05)
    >>> sure.tolist(), never.tolist()
    ([True, False, False], [False, True, True])
    """
    at_most, at_least = (benjamini_hochberg(bound.ravel()).reshape(bound.shape) for bound in (high, low))
    return at_most <= alpha, at_least > alpha

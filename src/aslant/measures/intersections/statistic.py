"""Words between four groups of names, two traits crossed (Guo & Caliskan 2021; docs/definitions.md §15). Arrays only.

Groups are numbered: 0 is the group itself, 1 shares its first trait, 2 its second, 3 neither.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from aslant.measures.shared.statistic import NO_SPREAD
from aslant.measures.shared.wordsets import FloatArray

#: The group against each of the others.
OTHERS = (((0,), (1,)), ((0,), (2,)), ((0,), (3,)))
#: Its two traits, each against the opposite: first trait, second trait.
TRAITS = (((0, 1), (2, 3)), ((0, 2), (1, 3)))


@dataclass(frozen=True)
class Sums:
    """Sums of the cosines of words with the names of each group, and of their squares: (groups, draws, words) each."""

    values: FloatArray
    squares: FloatArray
    sizes: tuple[int, ...]

    def effect(self, first: Sequence[int], second: Sequence[int]) -> FloatArray:
        """d(w) = (mean over the first groups − mean over the second) / standard deviation over both, ddof = 1.

        Shape (draws, words); 0 where all cosines are the same.
        """
        a, b = list(first), list(second)
        n, m = sum(self.sizes[g] for g in a), sum(self.sizes[g] for g in b)
        sum_a, sum_b = self.values[a].sum(axis=0), self.values[b].sum(axis=0)
        squares = self.squares[a + b].sum(axis=0)
        variance = np.maximum(squares - (sum_a + sum_b) ** 2 / (n + m), 0.0) / (n + m - 1)
        gaps, spreads = sum_a / n - sum_b / m, np.sqrt(variance)
        return np.asarray(np.divide(gaps, spreads, out=np.zeros_like(gaps), where=spreads > NO_SPREAD))

    def against(self) -> FloatArray:
        """Effect sizes of the group against each other group, (3, draws, words)."""
        return np.stack([self.effect(*pair) for pair in OTHERS])

    def traits(self) -> FloatArray:
        """Effect sizes of the two traits that the group combines, (2, draws, words)."""
        return np.stack([self.effect(*pair) for pair in TRAITS])


def as_dealt(cosines: FloatArray, sizes: tuple[int, ...]) -> Sums:
    """Sum the cosines of words with names (words, names), which are in the order of their groups: one draw."""
    return dealt(cosines, np.arange(cosines.shape[1])[None], sizes)


def relabelled(cosines: FloatArray, sizes: tuple[int, ...], draws: int, rng: np.random.Generator) -> Sums:
    """Sum them for names that are dealt out to groups of the same sizes at random, this many times."""
    orders = rng.permuted(np.tile(np.arange(cosines.shape[1]), (draws, 1)), axis=1)
    return dealt(cosines, orders, sizes)


def dealt(cosines: FloatArray, orders: NDArray[np.intp], sizes: tuple[int, ...]) -> Sums:
    """Sum them for names in other orders, (draws, names): the first are the first group's, and so on."""
    draws = np.arange(len(orders))[:, None]
    sums, squares = [], []
    for own in np.split(orders, np.cumsum(sizes)[:-1], axis=1):
        members = np.zeros((len(orders), cosines.shape[1]))
        members[draws, own] = 1.0
        sums.append(members @ cosines.T)
        squares.append(members @ (cosines**2).T)
    return Sums(np.stack(sums), np.stack(squares), sizes)


def labels(against: FloatArray, traits: FloatArray, threshold: float) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Tell which words are intersectional (IBD), and which of these emergent (EIBD); (draws, words) each.

    A word is intersectional if some d against another group is above the threshold; it is emergent if, moreover,
    neither trait by itself is.
    """
    intersectional = np.asarray((against > threshold).any(axis=0))
    return intersectional, intersectional & ~np.asarray((traits > threshold).any(axis=0))

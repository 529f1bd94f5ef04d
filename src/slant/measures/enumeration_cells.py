"""Steps 3 and 4 of bias enumeration: which words fall to which group, their scores, and indirect bias (MEASURES §3)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from slant.measures.wordsets import FloatArray
from slant.results import IndirectBias

Integers = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Cells:
    """What was chosen: `words` (m, n, t) rows of the words, best first, −1 where a cell has no test.

    `candidates` (m, n) counts the words that fall to each cell; `scores` (m, n) is NaN where there is no test.
    """

    words: Integers
    candidates: Integers
    scores: FloatArray


def choose_cells(words: NDArray[np.floating], starts: Integers, means: FloatArray, per_cell: int) -> Cells:
    """Choose the words of every cell and score them.

    `words` (M, d) are unit vectors in order of category, which begin at `starts` (m + 1); `means` (n, d) are the
    group means. A word belongs to the group argmax_i ŵ·X̄_i; a cell takes the `per_cell` words with the largest
    (X̄_i − μ)·ŵ, and scores σ_ij = (X̄_i − μ)·(Ā_ij − 𝒜̄).

    >>> words = np.array([[1, 0], [0.8, 0.6], [0, 1]])
    >>> cells = choose_cells(words, np.array([0, 3]), np.eye(2), 1)
    >>> cells.words.tolist(), cells.candidates.tolist()
    ([[[0], [2]]], [[2, 1]])
    """
    m, n = len(starts) - 1, len(means)
    products = np.asarray(words, dtype=np.float64) @ means.T
    winner = products.argmax(axis=1)
    values = products[np.arange(len(words)), winner] - products.mean(axis=1)
    category = np.repeat(np.arange(m), np.diff(starts))
    cell = category * n + winner
    candidates = np.bincount(cell, minlength=m * n)
    order = np.lexsort((-values, cell))  # by cell, then best first; equals stay in the order of frequency
    begins = np.concatenate([[0], np.cumsum(candidates)[:-1]])
    tested = candidates >= per_cell
    chosen = np.full((m * n, per_cell), -1, dtype=np.int64)
    chosen[tested] = order[begins[tested][:, None] + np.arange(per_cell)]
    # (X̄_i − μ)·𝒜̄, the same for every category
    offsets = (means - means.mean(axis=0)) @ np.asarray(words).mean(axis=0, dtype=np.float64)
    scores = np.full(m * n, np.nan)
    scores[tested] = values[chosen[tested]].mean(axis=1) - np.tile(offsets, m)[tested]
    return Cells(chosen.reshape(m, n, per_cell), candidates.reshape(m, n), scores.reshape(m, n))


def indirect_bias(words: NDArray[np.floating], cells: Cells, significant: NDArray[np.bool_]) -> IndirectBias:
    """Count the 4-tuples i < i', j < j' of significant cells, and those with (Ā_ij − Ā_i'j)·(Ā_ij' − Ā_i'j') > 0.

    `significant` is (m, n), categories by groups.

    >>> words = np.array([[1, 0], [0, 1], [1, 0.1], [0.1, 1]])
    >>> cells = Cells(np.array([[[0], [1]], [[2], [3]]]), np.ones((2, 2), int), np.ones((2, 2)))
    >>> indirect_bias(words, cells, np.ones((2, 2), bool))
    IndirectBias(tuples=1, aligned=1)
    """
    _, n = significant.shape
    tuples = aligned = 0
    means = np.asarray(words, dtype=np.float64)[cells.words].mean(axis=2)  # Ā_ij; rows of −1 are never significant
    for first in range(n):
        for second in range(first + 1, n):
            both = np.flatnonzero(significant[:, first] & significant[:, second])
            apart = means[both, first] - means[both, second]
            upper = np.triu_indices(len(both), 1)
            tuples += len(upper[0])
            aligned += int((np.einsum("ij,kj->ik", apart, apart)[upper] > 0).sum())
    return IndirectBias(tuples, aligned)

"""Steps 3 and 4 of bias enumeration: each group's words, their scores, indirect bias, and how a result holds them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from aslant.measures.enumeration.result import EnumeratedCell, IndirectBias, PotentialProxy
from aslant.measures.shared.wordsets import FloatArray
from aslant.statistics import RotationCounts

Integers = NDArray[np.int64]
#: A result lists this many potential indirect biases, the strongest; the paper's embeddings have up to 2,713 in all.
MOST_PROXIES = 10_000


@dataclass(frozen=True, eq=False)
class Cells:
    """What was chosen: `words` (m, n, t) rows of the words, best first, −1 where a cell has no test.

    `candidates` (m, n) counts the words that belong to each cell; `scores` (m, n) is NaN where there is no test.
    """

    words: Integers
    candidates: Integers
    scores: FloatArray


def choose_cells(
    words: NDArray[np.floating], starts: Integers, means: FloatArray, per_cell: int, *, voronoi: bool = True
) -> Cells:
    """Choose the words of every cell and score them.

    `words` (M, d) are unit vectors in order of category, which begin at `starts` (m + 1); `means` (n, d) are the
    group means. A word belongs to the group argmax_i ŵ·X̄_i (without `voronoi` to every group: the paper's footnote
    2); a cell takes the `per_cell` words with the largest (X̄_i − μ)·ŵ, and scores σ_ij = (X̄_i − μ)·(Ā_ij − 𝒜̄).
    """
    m, n = len(starts) - 1, len(means)
    products = np.asarray(words, dtype=np.float64) @ means.T
    everyone = np.arange(len(words))
    if voronoi:
        rows, groups = everyone, products.argmax(axis=1)
    else:
        rows, groups = np.repeat(everyone, n), np.tile(np.arange(n), len(words))
    values = products[rows, groups] - products.mean(axis=1)[rows]
    category = np.repeat(np.arange(m), np.diff(starts))
    cell = category[rows] * n + groups
    candidates = np.bincount(cell, minlength=m * n)
    order = np.lexsort((-values, cell))  # by cell, then best first; equals stay in the order of frequency
    begins = np.concatenate([[0], np.cumsum(candidates)[:-1]])
    tested = candidates >= per_cell
    best = order[begins[tested][:, None] + np.arange(per_cell)]
    chosen = np.full((m * n, per_cell), -1, dtype=np.int64)
    chosen[tested] = rows[best]
    # (X̄_i − μ)·𝒜̄, the same for every category
    offsets = (means - means.mean(axis=0)) @ np.asarray(words).mean(axis=0, dtype=np.float64)
    scores = np.full(m * n, np.nan)
    scores[tested] = values[best].mean(axis=1) - np.tile(offsets, m)[tested]
    return Cells(chosen.reshape(m, n, per_cell), candidates.reshape(m, n), scores.reshape(m, n))


def indirect_bias(
    words: NDArray[np.floating], tokens: Sequence[str], cells: Cells, significant: NDArray[np.bool_]
) -> IndirectBias:
    """Count the 4-tuples i < i', j < j' of significant cells, and those with (Ā_ij − Ā_i'j)·(Ā_ij' − Ā_i'j') > 0.

    `significant` is (m, n), categories by groups. The strongest are listed, with the `tokens` of the words.
    """
    tuples = aligned = 0
    strongest: list[tuple[float, tuple[int, int, int, int]]] = []
    means = np.asarray(words, dtype=np.float64)[cells.words].mean(axis=2)  # Ā_ij; rows of −1 are never significant
    for first, second in combinations(range(significant.shape[1]), 2):
        both = np.flatnonzero(significant[:, first] & significant[:, second])
        apart = means[both, first] - means[both, second]
        one, other = np.triu_indices(len(both), 1)
        values = np.einsum("ij,kj->ik", apart, apart)[one, other]
        tuples += len(values)
        aligned += int((values > 0).sum())
        largest = np.argsort(-values, kind="stable")[:MOST_PROXIES]
        strongest += [(float(values[k]), (first, second, int(both[one[k]]), int(both[other[k]]))) for k in largest]
    strongest = sorted(strongest, key=lambda found: -found[0])[:MOST_PROXIES]

    def chosen(category: int, group: int) -> tuple[str, ...]:
        return tuple(tokens[row] for row in cells.words[category, group])

    listed = [
        PotentialProxy((g, h), (j, k), ((chosen(j, g), chosen(j, h)), (chosen(k, g), chosen(k, h))), value)
        for value, (g, h, j, k) in strongest
        if value > 0
    ]
    return IndirectBias(tuples, aligned, tuple(listed))


def enumerated_cells(
    cells: Cells,
    tokens: Sequence[str],
    counted: RotationCounts,
    pvalues: FloatArray,
    qvalues: FloatArray,
    significant: NDArray[np.bool_],
) -> tuple[EnumeratedCell, ...]:
    """Return the cells as a result holds them, group by group within each category."""
    made = []
    for at in np.ndindex(cells.scores.shape):
        tested = not np.isnan(cells.scores[at])
        made.append(
            EnumeratedCell(
                group=at[1],
                category=at[0],
                words=tuple(tokens[row] for row in cells.words[at]) if tested else (),
                candidates=int(cells.candidates[at]),
                score=float(cells.scores[at]) if tested else None,
                pvalue=float(pvalues[at]),
                qvalue=float(qvalues[at]),
                significant=bool(significant[at]),
                exceeding=int(counted.reached[at]),
                rotations=int(counted.drawn[at[0]]) if tested else 0,
            )
        )
    return tuple(made)

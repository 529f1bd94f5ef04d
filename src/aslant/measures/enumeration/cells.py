"""Steps 3 and 4 of bias enumeration: each group's words, their scores, indirect bias, and how a result holds them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise

import numpy as np
from numpy.typing import NDArray

from aslant.measures.enumeration import groups as steps
from aslant.measures.enumeration.result import (
    EnumeratedCell,
    IndirectBias,
    NameGroup,
    PotentialProxy,
    RotationsUsed,
    Weights,
    WordCategory,
)
from aslant.measures.shared.wordsets import FloatArray
from aslant.results.parts import WordsUsed
from aslant.statistics import RotationCounts, RotationPlan
from aslant.stimuli import NameFacts

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

    >>> words = np.array([[1, 0], [0.8, 0.6], [0, 1]])
    >>> cells = choose_cells(words, np.array([0, 3]), np.eye(2), 1)
    >>> cells.words.tolist(), cells.candidates.tolist()
    ([[[0], [2]]], [[2, 1]])
    >>> choose_cells(words, np.array([0, 3]), np.eye(2), 2, voronoi=False).words.tolist()
    [[[0, 1], [2, 1]]]
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

    >>> words = np.array([[1, 0], [0, 1], [1, 0.1], [0.1, 1]])
    >>> cells = Cells(np.array([[[0], [1]], [[2], [3]]]), np.ones((2, 2), int), np.ones((2, 2)))
    >>> found = indirect_bias(words, ["tea", "ale", "cup", "mug"], cells, np.ones((2, 2), bool))
    >>> found.tuples, found.aligned, [round(proxy.value, 3) for proxy in found.strongest]
    (1, 1, [1.8])
    """
    _, n = significant.shape
    tuples = aligned = 0
    strongest: list[tuple[float, tuple[int, int, int, int]]] = []
    means = np.asarray(words, dtype=np.float64)[cells.words].mean(axis=2)  # Ā_ij; rows of −1 are never significant
    for first, second in combinations(range(n), 2):
        both = np.flatnonzero(significant[:, first] & significant[:, second])
        apart = means[both, first] - means[both, second]
        one, other = np.triu_indices(len(both), 1)
        values = np.einsum("ij,kj->ik", apart, apart)[one, other]
        tuples += len(values)
        aligned += int((values > 0).sum())
        largest = np.argsort(-values, kind="stable")[:MOST_PROXIES]
        strongest += [(float(values[k]), (first, second, int(both[one[k]]), int(both[other[k]]))) for k in largest]
    strongest = sorted(strongest, key=lambda found: -found[0])[:MOST_PROXIES]
    return IndirectBias(tuples, aligned, tuple(_proxy(tokens, cells, *found) for found in strongest if found[0] > 0))


def _proxy(tokens: Sequence[str], cells: Cells, value: float, place: tuple[int, int, int, int]) -> PotentialProxy:
    first, second, one, other = place

    def words(category: int, group: int) -> tuple[str, ...]:
        return tuple(tokens[row] for row in cells.words[category, group])

    each = (words(one, first), words(one, second)), (words(other, first), words(other, second))
    return PotentialProxy((first, second), (one, other), each, value)


#: Names shown for a group (the survey shows all five), and words for a category.
ILLUSTRATIVE, CENTRE_WORDS = 5, 5
#: Centre words that label a category.
IN_LABEL = 3


@dataclass(frozen=True, eq=False)
class Grouped:
    """The name groups and the unit vectors of each (names, d).

    `listed` are all requested names, `ordered_by` says how the groups are ordered: "share_female", "size" or
    "given". `found`: by clustering.
    """

    groups: tuple[NameGroup, ...]
    vectors: tuple[FloatArray, ...]
    listed: tuple[str, ...]
    left_out: tuple[str, ...]
    used: tuple[WordsUsed, ...]
    source: str
    ordered_by: str
    found: bool

    @property
    def means(self) -> FloatArray:
        """The mean unit vector of each group, shape (groups, d)."""
        return np.array([unit.mean(axis=0) for unit in self.vectors])

    def not_words(self, *, drop_names: bool) -> frozenset[str]:
        """Return what cannot be among the words: tokens of the groups; with `drop_names` all names, in lower case."""
        if drop_names:
            tokens = (token for words in self.used for token in words.tokens)
            return frozenset(spelled.lower() for spelled in (*tokens, *self.listed))
        return frozenset(token for group in self.groups for token in group.tokens)


@dataclass(frozen=True, eq=False)
class CategorisedWords:
    """The words in order of category, most frequent first within each; categories begin at `starts`."""

    tokens: tuple[str, ...]
    unit: NDArray[np.float32]
    starts: NDArray[np.int64]
    categories: tuple[WordCategory, ...]


def name_group(
    label: str,
    names: tuple[str, ...],
    tokens: tuple[str, ...],
    unit: FloatArray,
    facts: Mapping[str, NameFacts],
    weighted_by: Weights,
) -> NameGroup:
    """Describe one group: its illustrative names, and what the tables know about it."""
    return NameGroup(
        label=label,
        size=len(names),
        illustrative=tuple(names[row] for row in steps.illustrative(unit, ILLUSTRATIVE)),
        names=names,
        tokens=tokens,
        demographics=steps.demographics(names, facts, weighted_by),
    )


def described(
    tokens: tuple[str, ...], unit: NDArray[np.float32], starts: NDArray[np.int64]
) -> tuple[WordCategory, ...]:
    """Describe each category by the words nearest to its centre."""
    found = []
    for start, end in pairwise(starts.tolist()):
        nearest = steps.nearest_to_mean(unit[start:end], CENTRE_WORDS)
        centre = tuple(tokens[start + row] for row in nearest)
        found.append(WordCategory(", ".join(centre[:IN_LABEL]), end - start, centre, tokens[start:end]))
    return tuple(found)


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
    for category, group in np.ndindex(cells.scores.shape):
        at = category, group
        tested = not np.isnan(cells.scores[at])
        made.append(
            EnumeratedCell(
                group=group,
                category=category,
                words=tuple(tokens[row] for row in cells.words[at]) if tested else (),
                candidates=int(cells.candidates[at]),
                score=float(cells.scores[at]) if tested else None,
                pvalue=float(pvalues[at]),
                qvalue=float(qvalues[at]),
                significant=bool(significant[at]),
                exceeding=int(counted.reached[at]),
                rotations=int(counted.drawn[category]) if tested else 0,
            )
        )
    return tuple(made)


def ordering(scores: FloatArray, significant: NDArray[np.bool_]) -> tuple[int, ...]:
    """Return the categories by the total score of their significant cells, largest first.

    >>> ordering(np.array([[0.1, 0.9], [0.5, 0.2]]), np.array([[True, False], [True, True]]))
    (1, 0)
    """
    totals = np.where(significant, scores, 0.0).sum(axis=1)
    return tuple(int(category) for category in np.argsort(-totals, kind="stable"))


def rotations_used(
    counted: RotationCounts, plan: RotationPlan, starts: NDArray[np.int64], scores: FloatArray
) -> RotationsUsed:
    """Say how much of the null distribution was drawn."""
    run = int(counted.drawn.max(initial=0))
    words = int(np.diff(starts)[~np.isnan(scores).all(axis=1)].sum())  # those with anything to test
    return RotationsUsed(plan.rotations, run, counted.work / max(1, plan.rotations * words), plan.risk)

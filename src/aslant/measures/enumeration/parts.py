"""The parts of an enumeration: groups of names, words by category, and the cells of a result."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from aslant.measures.enumeration import groups as steps
from aslant.measures.enumeration.cells import Cells
from aslant.measures.enumeration.result import EnumeratedCell, NameGroup, RotationsUsed, Weights, WordCategory
from aslant.measures.shared.wordsets import FloatArray
from aslant.results.parts import WordsUsed
from aslant.statistics import RotationCounts, RotationPlan
from aslant.stimuli import NameFacts

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

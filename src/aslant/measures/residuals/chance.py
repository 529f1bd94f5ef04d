"""What chance leaves: random poles, words chosen along them, their direction taken out, and all of it measured again.

Words that were picked by a direction lie together also where it is gone, because words that are alike in one way are
alike in others: so they do for two words picked at random (docs/definitions.md §9).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from typing import TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from aslant.measures.residuals.result import ResidualClassification, ResidualClustering, ResidualNeighbours
from aslant.measures.shared.chance import kind_of, matched_words
from aslant.parallel import in_order
from aslant.results.parts import WordsUsed
from aslant.statistics import Chance, against_chance, clustering_accuracy, shares_without, two_clusters, unit_rows
from aslant.vectors import WordVectors

FloatRows = NDArray[np.float32]
Places = NDArray[np.intp]
#: How well rows (n, d) are told apart as labels (n,) say, with the randomness of a draw.
ToldApart: TypeAlias = Callable[[FloatRows, NDArray[np.bool_], np.random.Generator], float]
KIND = "random poles"
#: Draws of the first step, and how many of them that reach as much make a second one needless.
FIRST, ENOUGH = 99, 10


def without_direction(rows: FloatRows, direction: FloatRows) -> FloatRows:
    """Take a direction (d,), of length one, out of rows (n, d) of length one; what is left has length one again.

    >>> without_direction(np.array([[0.6, 0.8]], np.float32), np.array([1.0, 0.0], np.float32)).tolist()
    [[0.0, 1.0]]
    """
    left = rows - np.outer(rows @ direction, direction)
    left /= np.maximum(np.linalg.norm(left, axis=1, keepdims=True), np.finfo(np.float32).tiny)
    return left


def random_poles(
    vectors: WordVectors,
    poles: Sequence[WordsUsed],
    others: Sequence[WordsUsed],
    draws: int,
    rng: np.random.Generator,
) -> NDArray[np.int64] | None:
    """Draw pairs of words of the poles' frequency, none of `others`; rows (draws, 2); None: too few, or no draws."""
    steps = [matched_words(vectors, poles, others, n, rng) for n in (min(FIRST, draws), draws - FIRST) if n > 0]
    drawn = [np.concatenate(rows, axis=1) for rows in steps if rows is not None]
    return np.concatenate(drawn) if drawn else None


def in_two_steps(
    observed: float, measure: Callable[[slice], NDArray[np.float64]], draws: int, kind: str = KIND
) -> Chance:
    """Compare with the first 99 of `draws`, and with all of them only where fewer than ten of the 99 reach as much.

    A small p needs many draws, and a large one does not. The p-value holds: one up to 0.1 is always that of all draws,
    and to have been small among the first 99, too, can only make it rarer.

    >>> draws = np.linspace(0.0, 0.5, 499)
    >>> [in_two_steps(score, lambda part: draws[part], 499).draws for score in (0.05, 0.6)]
    [99, 499]
    """
    found = measure(slice(FIRST))
    if draws > FIRST and np.count_nonzero(found >= observed) < ENOUGH:
        found = np.concatenate([found, measure(slice(FIRST, draws))])
    return against_chance(observed, found, kind, signed=False)


def directions_of(vectors: WordVectors, rows: NDArray[np.int64]) -> FloatRows:
    """Return the direction between the two words of each pair of rows (draws, 2), of length one; shape (draws, d)."""
    first, second = (unit_rows(vectors.rows(column)) for column in rows.T)
    return unit_rows(first - second).astype(np.float32)


def clustered(rows: FloatRows, labels: NDArray[np.bool_], random: np.random.Generator) -> float:
    """Return how well two clusters of rows (n, d) agree with labels (n,)."""
    return clustering_accuracy(two_clusters(rows, random), labels)


def random_accuracies(
    pool: FloatRows,
    directions: FloatRows,
    left_out: Places,
    per_side: int,
    randoms: Sequence[np.random.Generator],
    told_apart: ToldApart = clustered,
) -> NDArray[np.float64]:
    """Return how well the words that lean most along each direction are told apart once it is taken out; (draws,).

    `pool` (n, d) are all candidates at unit length, of which `left_out[i]` are not chosen for direction i.
    """
    labels = np.repeat([True, False], per_side)

    def of_draw(i: int) -> float:
        along = pool @ directions[i]
        along[left_out[i][left_out[i] >= 0]] = 0
        chosen = np.concatenate([_largest(along, per_side), _largest(-along, per_side)])
        return told_apart(without_direction(pool[chosen], directions[i]), labels, randoms[i])

    with closing(in_order(of_draw, range(len(directions)))) as found:
        return np.array(list(found))


def _largest(values: FloatRows, count: int) -> Places:
    return np.argpartition(-values, count)[:count]


def random_correlations(
    queries: FloatRows, pool: FloatRows, directions: FloatRows, own: Places, left_out: Places, k: int
) -> NDArray[np.float64]:
    """Return how each query's lean correlates with that of its k nearest once the direction is out; shape (draws,)."""
    shares = shares_without(queries, pool, directions, k, own, left_out)
    leans = (directions @ queries.T).astype(np.float64)
    shares -= shares.mean(axis=1, keepdims=True)
    leans -= leans.mean(axis=1, keepdims=True)
    lengths = np.linalg.norm(shares, axis=1) * np.linalg.norm(leans, axis=1)
    return np.asarray(np.divide((shares * leans).sum(axis=1), lengths, out=np.zeros(len(shares)), where=lengths > 0))


Separated = TypeVar("Separated", ResidualClustering, ResidualClassification)


@dataclass(frozen=True)
class Poles:
    """Random poles, as pairs of rows of an embedding (draws, 2), which what is left of a bias is compared with."""

    vectors: WordVectors
    rows: NDArray[np.int64]

    def beside(
        self, part: Separated, candidates: Places, randoms: Sequence[np.random.Generator], told_apart: ToldApart
    ) -> Separated:
        """Compare clusters or a classifier with those of the candidates (rows) that lean most along random poles."""
        pool, directions, left_out = self._among(candidates)

        def accuracies(some: slice) -> NDArray[np.float64]:
            drawn = directions[some], left_out[some], part.words_per_side, randoms[some]
            return random_accuracies(pool, *drawn, told_apart)

        return replace(part, random_poles=self._compared(part.accuracy, accuracies))

    def near(self, part: ResidualNeighbours, among: Places) -> ResidualNeighbours:
        """Compare the neighbours of words, sought `among` rows, with what they are along random poles."""
        if part.correlation is None:
            return part
        pool, directions, left_out = self._among(among)
        asked = [self.vectors.index[word.word] for word in part.by_word]
        queries, own = unit_rows(self.vectors.matrix[asked]).astype(np.float32), self._places(among)[asked]

        def correlations(some: slice) -> NDArray[np.float64]:
            return random_correlations(queries, pool, directions[some], own, left_out[some], part.k)

        return replace(part, random_poles=self._compared(part.correlation, correlations))

    def _among(self, rows: Places) -> tuple[FloatRows, FloatRows, Places]:
        pool = unit_rows(self.vectors.matrix[rows]).astype(np.float32)
        return pool, directions_of(self.vectors, self.rows), self._places(rows)[self.rows]

    def _places(self, rows: Places) -> Places:
        """Return the place among `rows` of each row of the embedding, −1 for those that are not among them."""
        places = np.full(len(self.vectors), -1, dtype=np.intp)
        places[rows] = np.arange(len(rows))
        return places

    def _compared(self, observed: float, measure: Callable[[slice], NDArray[np.float64]]) -> Chance:
        return in_two_steps(observed, measure, len(self.rows), kind_of(self.vectors, KIND))

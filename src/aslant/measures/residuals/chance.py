"""What chance leaves: random poles, words chosen along them, their direction taken out, and all of it measured again.

Words that were picked by a direction lie together also where it is gone, because words that are alike in one way are
alike in others: so they do for two words picked at random (docs/definitions.md §9).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import closing

import numpy as np
from numpy.typing import NDArray

from aslant.measures.shared.chance import matched_words
from aslant.parallel import in_order
from aslant.results.parts import WordsUsed
from aslant.statistics import Chance, against_chance, clustering_accuracy, shares_without, two_clusters, unit_rows
from aslant.vectors import WordVectors

FloatRows = NDArray[np.float32]
Places = NDArray[np.intp]
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


def random_accuracies(
    pool: FloatRows, directions: FloatRows, left_out: Places, per_side: int, randoms: Sequence[np.random.Generator]
) -> NDArray[np.float64]:
    """Return the accuracy of two clusters of the words that lean most along each direction, which is then taken out.

    `pool` (n, d) are all candidates at unit length, of which `left_out[i]` are not chosen for direction i. (draws,)
    """

    def of_draw(i: int) -> float:
        along = pool @ directions[i]
        along[left_out[i][left_out[i] >= 0]] = 0
        chosen = np.concatenate([_largest(along, per_side), _largest(-along, per_side)])
        clusters = two_clusters(without_direction(pool[chosen], directions[i]), randoms[i])
        return clustering_accuracy(clusters, np.repeat([True, False], per_side))

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

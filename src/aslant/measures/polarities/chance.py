"""What chance gives polarity: random words of the same frequency in place of the classes (docs/definitions.md §9)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aslant.measures.shared.chance import matched_words
from aslant.measures.shared.wordsets import FloatArray
from aslant.results.parts import WordsUsed
from aslant.statistics import Chance, against_chance, unit_rows
from aslant.vectors import WordVectors

#: Numbers at a time, which bounds memory, and in all, which bounds time: many words are compared with fewer draws.
BLOCK, MOST, LEAST_DRAWS = 1 << 21, 1 << 24, 200


def polarity_chance(
    vectors: WordVectors,
    words: NDArray[Any],
    classes: Sequence[WordsUsed],
    scheme: str,
    score: float,
    draws: int,
    rng: np.random.Generator,
) -> Chance | None:
    """Compare a score with those between random classes, for the same `words` (words, d); None where none can be drawn.

    Words of the class words' frequency take their place, as many for each class.
    """
    draws = min(draws, max(LEAST_DRAWS, MOST // (len(words) * len(classes))))
    rows = matched_words(vectors, classes, (), draws, rng) if draws else None
    if rows is None:
        return None
    units = unit_rows(words).T
    block = max(1, BLOCK // (len(classes) * units.shape[1]))
    drawn = [
        _scores(np.stack([_means(vectors, of_class[at : at + block]) for of_class in rows], axis=1), units, scheme)
        for at in range(0, draws, block)
    ]
    return against_chance(score, np.concatenate(drawn), signed=False)


def _means(vectors: WordVectors, rows: NDArray[Any]) -> FloatArray:
    """Return the mean raw vector of each draw, shape (draws, d)."""
    found = vectors.rows(rows.ravel()).reshape(*rows.shape, vectors.dimensions)
    return np.asarray(found.mean(axis=1, dtype=np.float64))


def _scores(classes: FloatArray, units: FloatArray, scheme: str) -> FloatArray:
    """Return the score of each draw, from classes (draws, n, d) and words at unit length (d, words)."""
    n = classes.shape[1]
    if scheme == "one-vs-rest":
        directions = classes - (classes.sum(axis=1, keepdims=True) - classes) / (n - 1)
        return np.asarray((unit_rows(directions) @ units).max(axis=1).mean(axis=1))
    first, second = np.triu_indices(n, 1)
    directions = classes[:, first] - classes[:, second]
    return np.asarray(np.abs(unit_rows(directions) @ units).mean(axis=(1, 2)))

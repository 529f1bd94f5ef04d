"""What chance gives a WEAT: random words of the same frequency in place of its attributes (docs/definitions.md §9)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aslant.measures.shared.chance import matched_words
from aslant.measures.shared.statistic import NO_SPREAD
from aslant.measures.shared.wordsets import FloatArray, Found
from aslant.statistics import Chance, against_chance
from aslant.vectors import WordVectors


def weat_chance(
    vectors: WordVectors, found: Sequence[Found], effect_size: float, draws: int, rng: np.random.Generator
) -> Chance | None:
    """Compare an effect size with those that random attributes give the same targets; None where none can be drawn."""
    X, Y, A, B = found
    rows = matched_words(vectors, (A.words, B.words), (X.words, Y.words), draws, rng) if draws else None
    if rows is None:
        return None
    drawn = np.concatenate(rows, axis=1)
    place = np.zeros(len(vectors), dtype=np.int32)
    place[drawn] = 1
    needed = np.flatnonzero(place)
    place[needed] = np.arange(len(needed))
    picked = vectors.rows(needed)
    cosines = picked @ np.concatenate([X.unit, Y.unit]).T.astype(np.float32)
    cosines /= np.sqrt(np.einsum("ij,ij->i", picked, picked))[:, None]
    signs = np.repeat([1 / len(A.raw), -1 / len(B.raw)], [len(A.raw), len(B.raw)]).astype(np.float32)
    return against_chance(effect_size, effect_sizes(weighted(cosines, place[drawn], signs), len(X.raw)))


def weighted(cosines: NDArray[Any], places: NDArray[Any], weights: NDArray[Any]) -> FloatArray:
    """Sum the rows of `cosines` (rows, targets) at `places` (draws, words), each by its word's weight."""
    from scipy.sparse import csr_array

    draws, words = places.shape
    starts = np.arange(0, draws * words + 1, words)
    return np.asarray(csr_array((np.tile(weights, draws), places.ravel(), starts), (draws, len(cosines))) @ cosines)


def effect_sizes(associations: FloatArray, size: int) -> FloatArray:
    """Return d of each row of associations (draws, targets), the first `size` of which are the first target set's."""
    gaps = associations[:, :size].mean(axis=1) - associations[:, size:].mean(axis=1)
    spreads = associations.std(axis=1, ddof=1)
    return np.asarray(np.divide(gaps, spreads, out=np.zeros_like(gaps), where=spreads > NO_SPREAD))

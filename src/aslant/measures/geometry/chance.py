"""What chance gives direct bias: random words of the same frequency in place of the pairs (docs/definitions.md §9)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from aslant.measures.shared.chance import matched_words
from aslant.measures.shared.wordsets import FloatArray
from aslant.results.parts import WordsUsed
from aslant.statistics import Chance, against_chance, unit_rows
from aslant.vectors import WordVectors

#: Draws at a time, which bounds memory.
BLOCK = 250


def direct_bias_chance(
    vectors: WordVectors,
    units: FloatArray,
    sets: Sequence[WordsUsed],
    strictness: float,
    value: float,
    draws: int,
    rng: np.random.Generator,
) -> Chance | None:
    """Compare direct bias with that along the first component of random pairs, for the same words at unit length.

    None where no words can be drawn, or where the direction does not come from words.
    """
    used = [group for group in sets if len(group.tokens) > 1]
    rows = matched_words(vectors, used, (), draws, rng) if used and draws else None
    if rows is None:
        return None
    drawn = []
    for at in range(0, draws, BLOCK):
        found = [
            unit_rows(vectors.rows(r[at : at + BLOCK].ravel())).reshape(-1, r.shape[1], units.shape[1]) for r in rows
        ]
        directions = first_components(np.concatenate([f - f.mean(axis=1, keepdims=True) for f in found], axis=1))
        drawn.append((np.abs(directions @ units.T) ** strictness).mean(axis=1))
    return against_chance(value, np.concatenate(drawn), signed=False)


def first_components(centred: FloatArray) -> FloatArray:
    """Return the first principal component of each draw, shape (draws, d), from centred vectors (draws, words, d).

    The Gram matrix of the words is much smaller than their scatter matrix; its first eigenvector weighs the words.
    """
    weights = np.linalg.eigh(centred @ centred.swapaxes(1, 2))[1][:, :, -1]
    return unit_rows(np.einsum("bw,bwd->bd", weights, centred))

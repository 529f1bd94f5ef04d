"""What chance gives a subspace, direct and indirect bias: random words in place of pairs (docs/definitions.md §9)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from aslant.measures.shared.chance import kind_of, matched_words
from aslant.measures.shared.wordsets import FloatArray, Found
from aslant.results.parts import WordsUsed
from aslant.statistics import Chance, against_chance, contrasts, explained_ratios, unit_rows
from aslant.vectors import WordVectors

#: Draws at a time, which bounds memory.
BLOCK = 250


def direct_bias_chance(
    vectors: WordVectors,
    words: Found,
    sets: Sequence[WordsUsed],
    others: Sequence[WordsUsed],
    strictness: float,
    value: float,
    draws: int,
    rng: np.random.Generator,
) -> Chance | None:
    """Compare direct bias with that along the first component of random pairs, for the same words.

    Neither these words nor `others` are drawn. None where no words can be drawn, or where the direction does not come
    from words.
    """
    drawn = [
        (np.abs(first_components(pairs) @ words.unit.T) ** strictness).mean(axis=1)
        for pairs in _random_pairs(vectors, sets, [words.words, *others], draws, rng)
    ]
    return against_chance(value, np.concatenate(drawn), kind_of(vectors), signed=False) if drawn else None


def indirect_bias_chances(
    vectors: WordVectors, ends: FloatArray, others: FloatArray, betas: FloatArray, sets: Sequence[WordsUsed],
    measured: Sequence[WordsUsed], draws: int, rng: np.random.Generator,
) -> list[Chance | None]:  # fmt: skip
    """Compare β of each pair of unit rows, (pairs, d) each, with that along the first component of random pairs.

    No word that is `measured` is drawn. None where β does not exist (NaN), where no words can be drawn, or where the
    direction does not come from words.
    """
    similarity, drawn = np.einsum("ij,ij->i", ends, others), []
    for pairs in _random_pairs(vectors, sets, measured, draws, rng):
        along, across = (first_components(pairs) @ rows.T for rows in (ends, others))
        apart = (similarity - along * across) / np.sqrt((1 - along**2) * (1 - across**2))
        drawn.append(1 - apart / np.where(np.isnan(betas), 1, similarity))
    values = np.concatenate(drawn).T if drawn else [None] * len(betas)
    return [
        None if own is None or np.isnan(value) else against_chance(float(value), own, kind_of(vectors))
        for value, own in zip(betas, values, strict=True)
    ]


def subspace_chance(
    vectors: WordVectors, sets: Sequence[WordsUsed], share: float, draws: int, rng: np.random.Generator
) -> Chance | None:
    """Compare the share of variance of the first component with that of random pairs; None where none can be drawn."""
    drawn = [explained_ratios(pairs, 1)[:, 0] for pairs in _random_pairs(vectors, sets, (), draws, rng)]
    return against_chance(share, np.concatenate(drawn), kind_of(vectors), signed=False) if drawn else None


def _random_pairs(
    vectors: WordVectors,
    sets: Sequence[WordsUsed],
    others: Sequence[WordsUsed],
    draws: int,
    rng: np.random.Generator,
) -> Iterator[FloatArray]:
    """Yield the contrasts of random sets in place of `sets`, as arrays (draws, contrasts, d); none: nothing."""
    used = [group for group in sets if len(group.tokens) > 1]
    rows = matched_words(vectors, used, others, draws, rng) if used and draws else None
    for at in range(0, draws if rows else 0, BLOCK):
        found = [
            unit_rows(vectors.rows(r[at : at + BLOCK].ravel())).reshape(-1, r.shape[1], vectors.dimensions)
            for r in rows or ()
        ]
        yield np.concatenate([contrasts(f) for f in found], axis=1)


def first_components(centred: FloatArray) -> FloatArray:
    """Return the first principal component of each draw, shape (draws, d), from contrasts (draws, words, d).

    The Gram matrix of the words is much smaller than their scatter matrix; its first eigenvector weighs the words.
    """
    weights = np.linalg.eigh(centred @ centred.swapaxes(1, 2))[1][:, :, -1]
    return unit_rows(np.einsum("bw,bwd->bd", weights, centred))

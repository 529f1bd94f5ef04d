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
#: Cosines that differ by less, relative to their size, are ties: single precision.
ROUNDING = 1e-6


def direct_bias_chance(
    vectors: WordVectors,
    words: Found,
    sets: Sequence[WordsUsed],
    others: Sequence[WordsUsed],
    strictness: float,
    cosines: FloatArray,
    ratings: Sequence[FloatArray],
    draws: int,
    rng: np.random.Generator,
) -> tuple[Chance, FloatArray, list[Chance]] | None:
    """Compare direct bias with that along the first component of random pairs, for the same words.

    Neither these words nor `others` are drawn. None where no words can be drawn, or where the direction does not come
    from words. Returns chance for the mean; for each word, whose `cosines` are (words,), the share of random directions
    along which it lies as far, its own counted among them; and chance for Pearson's correlation with each of `ratings`.
    """
    means, reached, correlations = [], np.ones(len(cosines)), []
    rated = unit_rows(np.array([rating - np.mean(rating) for rating in ratings])) if ratings else np.empty((0, 0))
    for pairs in _random_pairs(vectors, sets, [words.words, *others], draws, rng):
        along = first_components(pairs) @ words.unit.T
        means.append((np.abs(along) ** strictness).mean(axis=1))
        reached += (np.abs(along) >= np.abs(cosines) * (1 - ROUNDING)).sum(axis=0)
        if ratings:
            correlations.append(unit_rows(along - along.mean(axis=1, keepdims=True)) @ rated.T)
    if not means:
        return None
    kind, value = kind_of(vectors), float((np.abs(cosines) ** strictness).mean())
    given = np.concatenate(correlations).T if correlations else ()
    own = rated @ unit_rows((cosines - cosines.mean())[None])[0] if ratings else ()
    return (
        against_chance(value, np.concatenate(means), kind, signed=False),
        reached / (1 + draws),
        [against_chance(float(r), drawn, kind) for r, drawn in zip(own, given, strict=True)],
    )


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

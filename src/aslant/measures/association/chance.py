"""What chance gives association tests: random words of the same frequency as attributes (docs/definitions.md §9)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from aslant.measures.shared.chance import coherent_words, kind_of, matched_words
from aslant.measures.shared.statistic import NO_SPREAD
from aslant.measures.shared.wordsets import FloatArray, Found
from aslant.statistics import Chance, against_chance
from aslant.vectors import WordVectors

Rows: TypeAlias = Sequence[NDArray[np.int64]]
#: Words at a time, which bounds memory.
BLOCK = 256


def weat_chance(
    vectors: WordVectors, found: Sequence[Found], effect_size: float, draws: int, rng: np.random.Generator,
    words: str = "matched",
) -> Chance | None:  # fmt: skip
    """Compare an effect size with those that random attributes give the same targets; None where none can be drawn.

    The `words` are "matched" ones, or "coherent": a random word and its nearest neighbours.
    """
    X, Y, A, B = found
    draw = coherent_words if words == "coherent" else matched_words
    rows = draw(vectors, (A.words, B.words), (X.words, Y.words), draws, rng) if draws else None
    if rows is None:
        return None
    cosines, places = drawn_cosines(vectors, rows, np.concatenate([X.unit, Y.unit]))
    drawn = effect_sizes(weighted(cosines, places, signs_of(rows)), len(X.raw))
    return against_chance(effect_size, drawn, kind_of(vectors, f"{words} words"))


def group_chance(
    vectors: WordVectors, groups: Sequence[Found], attributes: Sequence[Found], centred: FloatArray, value: float,
    ambient: float, draws: int, rng: np.random.Generator,
) -> Chance | None:  # fmt: skip
    """Compare g with those of random attributes, given what makes it of their means: X̄_i − μ, (groups, d).

    `ambient` is what the mean of all attributes takes off. None where no words can be drawn.
    """
    sets = [group.words for group in attributes]
    rows = matched_words(vectors, sets, [group.words for group in groups], draws, rng) if draws else None
    if rows is None:
        return None
    products, places = drawn_cosines(vectors, rows, centred)
    each = np.split(places, np.cumsum([of_set.shape[1] for of_set in rows])[:-1], axis=1)
    means = [products[own, group].mean(axis=1, dtype=np.float64) for group, own in enumerate(each)]
    return against_chance(value, np.sum(means, axis=0) - ambient, kind_of(vectors))


def drawn_cosines(vectors: WordVectors, rows: Rows, units: FloatArray) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return the cosine of every drawn word with every unit row, (drawn, units), and where each draw's words are there.

    The places, of shape (draws, words), have the sets of `rows` in turn.
    """
    drawn = np.concatenate(rows, axis=1)
    place = np.zeros(len(vectors), dtype=np.int32)
    place[drawn] = 1
    needed = np.flatnonzero(place)
    place[needed] = np.arange(len(needed))
    picked = vectors.rows(needed)
    cosines = picked @ units.T.astype(np.float32)
    cosines /= np.sqrt(np.einsum("ij,ij->i", picked, picked))[:, None]
    return cosines, place[drawn]


def signs_of(rows: Rows) -> NDArray[Any]:
    """Return the weights that make a sum over two sets, (draws, words) each, the difference of their means."""
    first, second = (of_set.shape[1] for of_set in rows)
    return np.repeat([1 / first, -1 / second], [first, second]).astype(np.float32)


def word_effects(
    vectors: WordVectors, words: Found, attributes: Sequence[Found], draws: int, rng: np.random.Generator
) -> FloatArray | None:
    """Return d of each word between random attributes, the same for all, (draws, words); None where none are drawn."""
    rows = matched_words(vectors, [group.words for group in attributes], [words.words], draws, rng) if draws else None
    if rows is None:
        return None
    blocks = [words.unit[at : at + BLOCK] for at in range(0, len(words.raw), BLOCK)]
    return np.concatenate([_word_effects(vectors, rows, block) for block in blocks], axis=1)


def _word_effects(vectors: WordVectors, rows: Rows, units: FloatArray) -> FloatArray:
    cosines, places = drawn_cosines(vectors, rows, units)
    n = places.shape[1]
    each = np.full(n, 1 / n, dtype=np.float32)
    variances = weighted(cosines**2, places, each) - weighted(cosines, places, each) ** 2
    return np.asarray(weighted(cosines, places, signs_of(rows)) / np.sqrt(np.maximum(variances, 1e-12) * n / (n - 1)))


def weighted(cosines: NDArray[Any], places: NDArray[Any], weights: NDArray[Any]) -> FloatArray:
    """Sum the rows of `cosines` (rows, targets) at `places` (draws, words), each by its word's weight."""
    total = np.zeros((len(places), cosines.shape[1]), dtype=cosines.dtype)
    for place, weight in zip(places.T, weights, strict=True):
        total += weight * cosines[place]
    return total


def effect_sizes(associations: FloatArray, size: int) -> FloatArray:
    """Return d of each row of associations (draws, targets), the first `size` of which are the first target set's."""
    gaps = associations[:, :size].mean(axis=1) - associations[:, size:].mean(axis=1)
    spreads = associations.std(axis=1, ddof=1)
    return np.asarray(np.divide(gaps, spreads, out=np.zeros_like(gaps), where=spreads > NO_SPREAD))

"""What chance gives polarity: random words of the same frequency in place of the classes (docs/definitions.md §9)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Sized
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aslant.measures.polarities.settings import PolaritySettings
from aslant.measures.shared.chance import kind_of, matched_words
from aslant.measures.shared.wordsets import FloatArray, Found, find
from aslant.results.parts import WordsUsed
from aslant.statistics import Chance, against_chance, unit_rows
from aslant.stimuli import WordList
from aslant.vectors import WordVectors

#: Numbers at a time, which bounds memory, and in all, which bounds time: many words are compared with fewer draws.
BLOCK, MOST, LEAST_DRAWS = 1 << 21, 1 << 24, 200
#: Leans that differ by less, relative to their size, are ties: single precision.
ROUNDING = 1e-6


def polarity_chance(
    vectors: WordVectors,
    words: Found,
    classes: Sequence[WordsUsed],
    scheme: str,
    values: FloatArray,
    draws: int,
    rng: np.random.Generator,
    *,
    unit: bool = False,
) -> tuple[Chance, FloatArray] | None:
    """Compare how far `words` lean, `values` (words,), with what random classes give; None where none can be drawn.

    Words of the class words' frequency take their place, as many for each class, and none that is measured itself; with
    `unit`, at unit length. Returns chance for the mean, and for each word the share of random classes between which it
    leans as far, its own classes counted among them, (words,).
    """
    draws = at_most(draws, words.raw, classes)
    rows = matched_words(vectors, classes, [words.words], draws, rng) if draws else None
    if rows is None:
        return None
    means, reached = [], np.ones(len(values))
    for leans in drawn_leans(vectors, words.raw, rows, scheme, unit=unit):
        means.append(leans.mean(axis=1))
        reached += (leans >= values * (1 - ROUNDING)).sum(axis=0)
    chance = against_chance(float(values.mean()), np.concatenate(means), kind_of(vectors), signed=False)
    return chance, reached / (1 + draws)


def at_most(draws: int, words: Sized, classes: Sized) -> int:
    """Return how many draws a number of words and classes allows."""
    return min(draws, max(LEAST_DRAWS, MOST // (len(words) * len(classes))))


def drawn_leans(
    vectors: WordVectors, words: NDArray[Any], rows: Sequence[NDArray[np.int64]], scheme: str, *, unit: bool = False
) -> Iterator[FloatArray]:
    """Yield how far `words` (words, d) lean between the classes of some draws, (draws, words); rows: (draws, used)."""
    units = unit_rows(words).T
    block = max(1, BLOCK // (len(rows) * units.shape[1]))
    for at in range(0, len(rows[0]), block):
        yield leans_of(np.stack([_means(vectors, of[at : at + block], unit) for of in rows], axis=1), units, scheme)


def drawn_trends(
    series: Mapping[int, WordVectors],
    classes: Mapping[int, Sequence[WordsUsed]],
    words: Sequence[str],
    settings: PolaritySettings,
    rng: np.random.Generator,
) -> FloatArray | None:
    """Return the score of each year between random classes, (draws, years); None where none can be drawn.

    A class word is replaced by the same word in every year, one that all years have, of its frequency in the last, and
    that is not measured.
    """
    last, names = series[max(series)], [group.name for group in classes[max(series)]]
    every = [group for groups in classes.values() for group in groups]
    tokens = {name: tuple({t: t for g in every if g.name == name for t in g.tokens}) for name in names}
    replaced = [WordsUsed(name, (), tokens[name], ()) for name in names]
    draws = at_most(settings.chance, words, names)
    shared = draws and set.intersection(*(set(vectors.words) for vectors in series.values()))
    measured = WordList("words", tuple(words))
    rows = matched_words(last, replaced, [find(last, measured).words], draws, rng, shared) if shared else None
    if rows is None:
        return None
    needed = np.unique(np.concatenate([of_class.ravel() for of_class in rows]))
    scores = []
    for year, vectors in series.items():
        at = np.array([vectors.index[last.words[row]] for row in needed.tolist()])
        own = {group.name: [tokens[group.name].index(token) for token in group.tokens] for group in classes[year]}
        of_year = [at[np.searchsorted(needed, of_class[:, own[n]])] for n, of_class in zip(names, rows, strict=True)]
        raw = find(vectors, measured).raw
        leans = drawn_leans(vectors, raw, of_year, settings.scheme, unit=settings.unit)
        scores.append(np.concatenate([some.mean(axis=1) for some in leans]))
    return np.stack(scores, axis=1)


def _means(vectors: WordVectors, rows: NDArray[Any], unit: bool) -> FloatArray:
    """Return the mean vector of each draw, raw or of vectors at `unit` length; shape (draws, d)."""
    found = vectors.rows(rows.ravel()).reshape(*rows.shape, vectors.dimensions)
    return np.asarray((unit_rows(found) if unit else found).mean(axis=1, dtype=np.float64))


def leans_of(classes: FloatArray, units: FloatArray, scheme: str) -> FloatArray:
    """Return how far words lean in each draw, (draws, words), from classes (draws, n, d) and unit words (d, words)."""
    n = classes.shape[1]
    if scheme == "one-vs-rest":
        directions = classes - (classes.sum(axis=1, keepdims=True) - classes) / (n - 1)
        return np.asarray((unit_rows(directions) @ units).max(axis=1))
    first, second = np.triu_indices(n, 1)
    directions = classes[:, first] - classes[:, second]
    return np.asarray(np.abs(unit_rows(directions) @ units).mean(axis=1))

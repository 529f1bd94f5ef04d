"""Direct bias: how far words lie along the direction of a concept (Bolukbasi et al. 2016; docs/definitions.md §5)."""

from __future__ import annotations

import numbers
from os import PathLike

import numpy as np
from numpy.typing import NDArray

from aslant.errors import MeasureError
from aslant.measures.geometry.result import DirectBiasResult, WordProjection
from aslant.measures.polarities.measure import Words, word_list
from aslant.measures.shared.correlations import correlation
from aslant.measures.shared.directions import DEFAULT_PAIRS, Direction, find_direction
from aslant.measures.shared.wordsets import FloatArray, Found, check_vectors, find, provenance
from aslant.results.parts import Correlation
from aslant.statistics import unit_rows
from aslant.stimuli import WordList, WordSet, load_set
from aslant.vectors import WordVectors

DEFAULT_WORDS = "professions"
SPECIFIC_WORDS = "gender-specific-words"
#: Projections that differ by less than this (of cosines in single precision) do not differ.
NO_SPREAD = 1e-6


def projections(words: NDArray[np.floating], direction: FloatArray) -> FloatArray:
    """Return the cosine of each word with a direction; shape (words,), from (words, d) and (d,).

    >>> projections(np.array([[3.0, 4.0], [0.0, -2.0]]), np.array([0.0, 1.0])).tolist()
    [0.8, -1.0]
    """
    return np.asarray(unit_rows(words) @ unit_rows(direction))


def direct_bias_value(cosines: FloatArray, strictness: float) -> float:
    """Return the mean of |cos|^c over words (Bolukbasi et al. §5.2).

    >>> direct_bias_value(np.array([0.5, -0.1]), 1.0)
    0.3
    """
    return float(np.mean(np.abs(cosines) ** strictness))


def direct_bias(
    vectors: WordVectors,
    words: Words = DEFAULT_WORDS,
    *,
    direction: Direction = DEFAULT_PAIRS,
    strictness: float = 1.0,
    keep_specific: bool = True,
    specific: Words = SPECIFIC_WORDS,
) -> DirectBiasResult:
    """Measure the direct bias of `words`: the mean of |cos(w, g)| to the power of `strictness`.

    `direction` g is a pair set or pairs (their first component, see `gender_subspace`), or the numbers themselves.
    `keep_specific=False` leaves out the words that `specific` lists, which are gendered by definition; the published
    0.08 for GoogleNews keeps them. Ratings that a word set carries are correlated with the projections.

    >>> import aslant
    >>> r = aslant.direct_bias(aslant.load())
    >>> r.poles, [word.word for word in r.extremes(2)[0]]
    (('female', 'male'), ['ballerina', 'homemaker'])
    """
    check_vectors(vectors)
    if isinstance(strictness, bool) or not isinstance(strictness, numbers.Real) or not 0 < strictness <= 100:
        raise MeasureError(f"strictness is {strictness!r}; give a number above 0, such as 1.")
    listed, words_id = word_list(words)
    removed = () if keep_specific else _specific(listed, specific)
    gone = set(removed)
    found = find(vectors, WordList("words", tuple(word for word in listed if word not in gone)))
    if not found.words.used:
        raise MeasureError(f"'{vectors.name}' has none of the words ({len(listed)}), so nothing can be measured.")
    chosen = find_direction(vectors, direction)
    cosines = projections(found.raw, chosen.vector)
    columns = _ratings(words)
    settings = {
        "strictness": strictness, "direction": chosen.id, "keep_specific": keep_specific,
        "specific": word_list(specific)[1],
    }  # fmt: skip
    return DirectBiasResult(
        value=direct_bias_value(cosines, strictness),
        strictness=float(strictness),
        poles=chosen.poles,
        by_word=tuple(
            WordProjection(word, cosine, tuple(column[word] for column in columns.values()))
            for word, cosine in zip(found.words.used, cosines.tolist(), strict=True)
        ),
        ratings=tuple(columns),
        correlations=_correlations(found, cosines, columns),
        specific="kept" if keep_specific else "removed",
        removed=removed,
        provenance=provenance(vectors, words_id, (found.words, *chosen.found), None, settings),
    )


def _specific(listed: tuple[str, ...], specific: Words) -> tuple[str, ...]:
    known = {word.lower().replace(" ", "_") for word in word_list(specific)[0]}
    return tuple(word for word in listed if word.lower().replace(" ", "_") in known)


def _ratings(words: Words) -> dict[str, dict[str, float]]:
    """Return the numbers that the word set carries, by column and word."""
    if not isinstance(words, str | PathLike):
        return {}
    chosen = load_set(words, WordSet)
    return {name: chosen.column(name) for name in chosen.columns[1:]}


def _correlations(found: Found, cosines: FloatArray, columns: dict[str, dict[str, float]]) -> tuple[Correlation, ...]:
    if np.ptp(cosines) < NO_SPREAD:
        return ()
    made = [correlation(name, cosines, [col[word] for word in found.words.used]) for name, col in columns.items()]
    return tuple(one for one in made if one is not None)

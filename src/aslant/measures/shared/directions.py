"""From definitional pairs, sets of words or an array to a direction in an embedding."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from os import PathLike
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from aslant.errors import MeasureError
from aslant.measures.shared.wordsets import FloatArray, check_vectors, checked_words, find
from aslant.results.parts import WordsUsed
from aslant.statistics import subspace, unit_rows
from aslant.stimuli import PairSet, WordList, load_set
from aslant.vectors import WordVectors

#: Sets that differ in one concept: the name of a pair set, a TOML file, or words, two or more in each.
Pairs: TypeAlias = str | PathLike[str] | Iterable[Iterable[str]]
#: A direction: what `Pairs` are, or the numbers themselves, one per dimension.
Direction: TypeAlias = Pairs | Sequence[float] | NDArray[Any]

DEFAULT_PAIRS = "definitional-pairs"


@dataclass(frozen=True)
class FoundSets:
    """Sets of words with their vectors, each array (words, d) at unit length; `left_out` have fewer than two words."""

    id: str
    poles: tuple[str, ...]
    vectors: tuple[FloatArray, ...]
    words: tuple[tuple[str, ...], ...]
    left_out: tuple[tuple[str, ...], ...]
    found: tuple[WordsUsed, ...]


@dataclass(frozen=True)
class FoundDirection:
    """A direction of length one, shape (d,), where it comes from, and what is at its positive and negative end."""

    vector: FloatArray
    id: str
    poles: tuple[str, ...]
    found: tuple[WordsUsed, ...]


def find_sets(vectors: WordVectors, pairs: Pairs) -> FoundSets:
    """Look sets up; words without a vector are recorded, and a set needs two words that have different ones."""
    check_vectors(vectors)
    sets, name, poles = chosen_sets(pairs)
    arrays, words, left_out, found = [], [], [], []
    for number, members in enumerate(sets, 1):
        looked_up = find(vectors, WordList(f"set {number}", tuple(dict.fromkeys(members))))
        found.append(looked_up.words)
        if len(looked_up.words.used) < 2:
            left_out.append(members)
            continue
        arrays.append(looked_up.unit)
        words.append(looked_up.words.used)
    if not arrays:
        raise MeasureError(
            f"no set of '{name}' ({len(sets)} in all) has two words in '{vectors.name}'; give others with pairs=…"
        )
    return FoundSets(name, poles, tuple(arrays), tuple(words), tuple(left_out), tuple(found))


def chosen_sets(pairs: Pairs) -> tuple[tuple[tuple[str, ...], ...], str, tuple[str, ...]]:
    """Return the sets, the id of where they come from, and the names of their sides."""
    if isinstance(pairs, str | PathLike):
        chosen = load_set(pairs, PairSet)
        return chosen.pairs, chosen.id, chosen.poles
    if not isinstance(pairs, Iterable):
        raise MeasureError(f"pairs={pairs!r:.60} are not pairs of words; give a set's name, or lists of words.")
    sets = tuple(checked_words(members) for members in pairs)
    for members in sets:
        if len(set(members)) < 2:
            raise MeasureError(f"the set {list(members)} has fewer than two words; give two or more that differ.")
    return sets, "own", sets[0] if sets else ()


def find_direction(vectors: WordVectors, direction: Direction) -> FoundDirection:
    """Return the first component of the sets given, or the array given, at length one."""
    given = _numbers(direction)
    if given is None:
        sets = find_sets(vectors, direction)  # type: ignore[arg-type]
        return FoundDirection(subspace(sets.vectors)[0][0], sets.id, sets.poles, sets.found)
    check_vectors(vectors)
    if given.shape != (vectors.dimensions,) or not np.isfinite(given).all() or not given.any():
        raise MeasureError(
            f"the direction has shape {given.shape}; give {vectors.dimensions} finite numbers, not all of them 0."
        )
    return FoundDirection(unit_rows(given), "own array", ("positive", "negative"), ())


def _numbers(direction: Any) -> FloatArray | None:
    """Return the direction as an array if it is numbers, None if it is words."""
    if isinstance(direction, np.ndarray) and direction.dtype.kind in "fiu":
        return direction.astype(np.float64)
    if isinstance(direction, list | tuple) and direction and not isinstance(direction[0], str | list | tuple | set):
        try:
            return np.asarray(direction, dtype=np.float64)
        except (TypeError, ValueError):
            raise MeasureError(f"the direction {direction!r:.60} is neither numbers nor pairs of words.") from None
    return None

"""From what a user gives (a set's name, a file, word lists) to vectors, with every missing word on record."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from slant.errors import MeasureError
from slant.results import Provenance, Representation, WordsUsed
from slant.stimuli import WordList
from slant.vectors import WordVectors
from slant.version import __version__

FloatArray: TypeAlias = NDArray[np.float64]
#: Two or more word sets: a mapping of names to words, `WordList`s, or bare sequences of words.
WordSets: TypeAlias = Mapping[str, Iterable[str]] | Sequence[WordList] | Sequence[Iterable[str]]


@dataclass(frozen=True)
class Found:
    """A word set with the unit vectors of its words, shape (used, dimensions), float64."""

    words: WordsUsed
    unit: FloatArray


def word_lists(sets: Any, default_names: Sequence[str]) -> tuple[WordList, ...]:
    """Give names to word sets that have none."""
    items = list(sets.items()) if isinstance(sets, Mapping) else list(sets)
    if len(items) != len(default_names):
        raise MeasureError(f"{len(items)} word sets were given; {len(default_names)} are needed.")
    lists = []
    for item, name in zip(items, default_names, strict=True):
        if isinstance(item, WordList):
            lists.append(item)
            continue
        label, words = item if isinstance(sets, Mapping) else (name, item)
        if isinstance(words, str):
            raise MeasureError(f"{words!r} is one string; give a list of words.")
        lists.append(WordList(str(label), tuple(words)))
    return tuple(lists)


def find(vectors: WordVectors, words: WordList) -> Found:
    """Look a word set up and scale its vectors to unit length."""
    looked_up = vectors.lookup(words.words)
    used = WordsUsed(words.name, looked_up.found, looked_up.tokens, looked_up.missing)
    return Found(used, unit_rows(looked_up.vectors))


def unit_rows(vectors: NDArray[Any]) -> FloatArray:
    """Scale each row to length one, in double precision; shape kept.

    >>> unit_rows(np.array([[3.0, 4.0]])).tolist()
    [[0.6, 0.8]]
    """
    array = np.asarray(vectors, dtype=np.float64)
    lengths = np.linalg.norm(array, axis=-1, keepdims=True)
    return np.asarray(np.divide(array, lengths, out=np.zeros_like(array), where=lengths > 0))


def need_words(found: Found, least: int, vectors: WordVectors) -> None:
    """Refuse to go on with fewer than `least` words of a set."""
    if len(found.words.used) < least:
        missing = ", ".join(found.words.missing[:5]) + (", …" if len(found.words.missing) > 5 else "")
        raise MeasureError(
            f"{len(found.words.used)} words of '{found.words.name}' are in '{vectors.name}', at least {least} "
            f"are needed (missing: {missing or 'none; the set is empty'})."
        )


def provenance(
    vectors: WordVectors,
    stimuli: str,
    groups: Iterable[WordsUsed],
    seed: int | None,
    settings: dict[str, Any],
) -> Provenance:
    """Record what a result comes from."""
    missing = tuple(dict.fromkeys(word for group in groups for word in group.missing))
    return Provenance(stimuli, Representation(**vectors.record()), missing, seed, settings, __version__)

"""Words that lean most between two poles, or that a user names by class: what some methods learn from."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from os import PathLike
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from aslant.debias.words import NO_ROWS, Rows, Words, find_words
from aslant.errors import DebiasError, plural
from aslant.statistics import unit_rows
from aslant.stimuli import DEFAULT_POLES, MOST_FREQUENT, ClassSet, is_plain, load_set
from aslant.vectors import WordVectors
from aslant.vectors.debiasing_record import WordsTaken

#: Classes to learn: the name or path of a class set, or words by class.
LabelledWords: TypeAlias = str | PathLike[str] | Mapping[str, Iterable[str]]

#: The role, in a treatment's record, of the poles between which it learned from leaning words.
POLES = "poles"


@dataclass(frozen=True)
class Labelled:
    """Rows with a class number each, shapes (n,), and what was taken for them.

    `per_side` is how many lean to each pole; None where a user named the words by class.
    """

    rows: Rows
    labels: NDArray[np.intp]
    taken: tuple[WordsTaken, ...]
    per_side: int | None

    def settings(self) -> dict[str, Any]:
        """Return what a treatment records about the words that it learned from."""
        return {"words_per_side": self.per_side, "trained_on": len(self.rows)}


def labelled_rows(
    vectors: WordVectors, classes: LabelledWords | None, poles: tuple[str, str] | None, words: int, specific: Words
) -> Labelled:
    """Return the words of `classes`; None: the `words` that lean most to either of the two `poles`."""
    if classes is None:
        return leaning(vectors, DEFAULT_POLES if poles is None else poles, words, specific)
    if poles is not None:
        raise DebiasError(f"both poles={poles!r:.60} and classes were given to learn from; give one of them.")
    return by_class(vectors, classes)


def by_class(vectors: WordVectors, classes: LabelledWords) -> Labelled:
    """Return the rows of each class that a user names; a word of two classes is refused."""
    if isinstance(classes, str | PathLike):
        chosen = load_set(classes, ClassSet)
        groups: dict[str, Iterable[str]] = {group.name: group.words for group in chosen.classes}
    elif isinstance(classes, Mapping):
        groups = dict(classes)
    else:
        raise DebiasError(f"{classes!r:.60} are not classes; give a class set's name, or words by class.")
    found = [find_words(vectors, words, f"class {name}") for name, words in groups.items()]
    if len(found) < 2 or any(len(rows) < 2 for rows, _ in found):
        raise DebiasError("at least two classes with at least two words each in the embedding are needed.")
    rows = np.concatenate([rows for rows, _ in found])
    values, counts = np.unique(rows, return_counts=True)
    if (counts > 1).any():
        raise DebiasError(f"'{vectors.words[int(values[counts.argmax()])]}' is in two classes; put it in one.")
    labels = np.repeat(np.arange(len(found)), [len(rows) for rows, _ in found])
    return Labelled(rows, labels, tuple(taken for _, taken in found), None)


def leaning(vectors: WordVectors, poles: tuple[str, str], words: int, specific: Words) -> Labelled:
    """Return the `words` rows that lean most to either pole by cos(w, first) − cos(w, second); labels 0 and 1.

    Chosen among the 50,000 most frequent words of plain lower-case letters that are not `specific`. Label 1 is the
    more frequent pole's, so that the order of the poles does not matter.
    """
    if isinstance(words, bool) or not isinstance(words, int) or words < 2:
        raise DebiasError(f"words={words!r} is not a number of words; give a whole number from 2 up.")
    both, pole_words = pole_rows(vectors, poles)
    left_out, specific_words = find_words(vectors, specific, "specific words")
    plain = [row for row, word in enumerate(vectors.words[:MOST_FREQUENT]) if is_plain(word)]
    candidates = np.setdiff1d(np.array(plain, dtype=np.intp), np.concatenate([left_out, both]))
    if len(candidates) < 2 * words:
        raise DebiasError(
            f"'{vectors.name}' has {plural(len(candidates), 'plain word')}; {words:,} per side need {2 * words:,}, "
            "so request fewer words."
        )
    first, second = unit_rows(vectors.matrix[np.sort(both)])
    order = candidates[np.argsort(unit_rows(vectors.matrix[candidates]) @ (first - second), kind="stable")]
    rows = np.concatenate([order[:words], order[-words:]])
    return Labelled(rows, np.repeat([0, 1], words), (pole_words, specific_words), words)


def pole_rows(vectors: WordVectors, poles: tuple[str, str]) -> tuple[Rows, WordsTaken]:
    """Return the rows of the two words between which biased words are found, in their order."""
    if isinstance(poles, str) or len(poles) != 2:
        raise DebiasError(f"poles={poles!r:.60} are not two words, such as ('she', 'he').")
    found = [find_words(vectors, [pole], "pole") for pole in poles]
    missing = [pole for pole, (rows, _) in zip(poles, found, strict=True) if not len(rows)]
    if missing:
        raise DebiasError(f"'{missing[0]}' is not in '{vectors.name}'; name two poles that are, or words by class.")
    rows = np.concatenate([NO_ROWS, *(rows for rows, _ in found)])
    if rows[0] == rows[1]:
        raise DebiasError(f"the poles {poles[0]!r} and {poles[1]!r} are one word; name two that differ.")
    return rows, WordsTaken(POLES, f"own ({poles[0]}, {poles[1]})", 2)

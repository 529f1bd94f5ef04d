"""From what a user gives (a set's name, a file, word lists) to rows of an embedding, with what is missing recorded.

Some methods learn from words that lean most between two poles, or that a user names by class.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from os import PathLike
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from aslant.errors import DebiasError, MeasureError, plural
from aslant.statistics import subspace, unit_rows
from aslant.stimuli import DEFAULT_POLES, MOST_FREQUENT, ClassSet, PairSet, is_plain, kind_of, listed_words, load_set
from aslant.vectors import LookupPolicy, WordVectors
from aslant.vectors.debiasing_record import WordsTaken

FloatArray: TypeAlias = NDArray[np.float64]
Rows: TypeAlias = NDArray[np.intp]
#: Words: the name or path of any set, or words.
Words: TypeAlias = str | PathLike[str] | Iterable[str]
#: Sets of words that differ in one concept: the name or path of pairs or classes, or two or more words each.
Sets: TypeAlias = str | PathLike[str] | Iterable[Sequence[str]]

#: Classes to learn: the name or path of a class set, or words by class.
LabelledWords: TypeAlias = str | PathLike[str] | Mapping[str, Iterable[str]]
#: The role, in a treatment's record, of the poles between which it learned from leaning words.
POLES = "poles"


@dataclass(frozen=True)
class FoundSets:
    """The rows of each set of which at least two words were found, and what was taken for it."""

    rows: tuple[Rows, ...]
    words: tuple[tuple[str, ...], ...]
    taken: WordsTaken

    def with_cases(self, vectors: WordVectors) -> tuple[list[Rows], WordsTaken]:
        """Return the rows of the sets and of their Title Case and UPPER CASE forms, where all of them exist.

        What the other cases add is recorded separately.
        """
        rows = {tuple(sorted(found.tolist())): found for found in self.rows}
        before = len(rows)
        for words in self.words:
            for form in (str.title, str.upper):
                other = [vectors.index[form(word)] for word in words if form(word) in vectors.index]
                if len(other) == len(words) == len(set(other)):
                    rows.setdefault(tuple(sorted(other)), np.array(other, dtype=np.intp))
        added = {row for found in list(rows)[before:] for row in found}
        return list(rows.values()), WordsTaken("equalised in Title or UPPER CASE", self.taken.stimuli, len(added))


def check_vectors(vectors: Any) -> WordVectors:
    """Return `vectors`, or raise an error that says how to get some."""
    if not isinstance(vectors, WordVectors):
        raise DebiasError(f"{vectors!r:.60} is not word vectors; open it with aslant.load(…) first.")
    return vectors


def find_words(vectors: WordVectors, words: Words, role: str) -> tuple[Rows, WordsTaken]:
    """Return the rows of `words`, each once, and what was found and missing.

    The words of a set that ships, or of a file, are taken as written: lists such as gender-specific-words hold words
    in several cases ("NeW", "Legs"), and would otherwise match other words ("new", "legs") in lower case.
    """
    if isinstance(words, str | PathLike):
        chosen = load_set(words)
        listed, stimuli, policy = chosen.words, chosen.id, replace(check_vectors(vectors).policy, case="exact")
    elif isinstance(words, Iterable):
        listed, stimuli, policy = listed_words(words, DebiasError), "own", None
    else:
        raise DebiasError(f"{words!r:.60} are not words; give a set's name, or a list of words.")
    rows, missing = _rows_of(vectors, listed, policy)
    return np.unique(list(rows.values())).astype(np.intp), WordsTaken(role, stimuli, len(rows), missing)


def find_sets(vectors: WordVectors, sets: Sets, role: str) -> FoundSets:
    """Return the rows of the sets of which at least two words were found; the only word found of a set is not used."""
    listed, stimuli = word_sets(sets)
    rows, missing = _rows_of(vectors, [word for words in listed for word in words])
    found_rows, found_words = [], []
    for words in listed:
        by_row = {rows[word]: word for word in reversed(words) if word in rows}  # two spellings of one token: one row
        if len(by_row) > 1:
            there = dict(reversed(by_row.items()))
            found_rows.append(np.array(list(there), dtype=np.intp))
            found_words.append(tuple(there.values()))
    used = {word for words in found_words for word in words}
    alone = dict.fromkeys(word for words in listed for word in words if word in rows and word not in used)
    taken = WordsTaken(role, stimuli, len(used), missing, tuple(alone))
    return FoundSets(tuple(found_rows), tuple(found_words), taken)


def word_sets(sets: Sets) -> tuple[tuple[tuple[str, ...], ...], str]:
    """Return sets of two or more words each, and the id of the stimuli that they are from ("own" if none).

    Of a class set, the first words of all classes make the first set, and so on.

    >>> word_sets("gender-three")
    ((('male', 'female', 'gay'),), 'gender-three')
    """
    if isinstance(sets, str | PathLike):
        chosen = load_set(sets)
        if isinstance(chosen, PairSet):
            return chosen.pairs, chosen.id
        if not isinstance(chosen, ClassSet):
            kind = kind_of(chosen)
            raise DebiasError(f"'{sets}' is a set of kind '{kind}'; one of kind 'pairs' or 'classes' is needed.")
        if len(sizes := {len(group.words) for group in chosen.classes}) > 1:
            raise DebiasError(
                f"the classes of '{chosen.id}' must correspond, but differ in their numbers of words "
                f"({', '.join(map(str, sorted(sizes)))})."
            )
        return tuple(zip(*(group.words for group in chosen.classes), strict=True)), chosen.id
    if not isinstance(sets, Iterable) or isinstance(sets, Mapping):
        raise DebiasError(f"{sets!r:.60} are not sets of words; give a set's name, or two or more words in each set.")
    listed = tuple(listed_words(words, DebiasError) for words in sets)
    for words in listed:
        if len(set(words)) < 2:
            raise DebiasError(f"the set {list(words)} has fewer than two words; each set needs words that differ.")
    return listed, "own"


def _rows_of(
    vectors: WordVectors, words: Iterable[str], policy: LookupPolicy | None = None
) -> tuple[dict[str, int], tuple[str, ...]]:
    """Return the row of each word that is in the vocabulary itself, and the words that are not."""
    asked = tuple(dict.fromkeys(words))
    looked_up = check_vectors(vectors).lookup(asked, policy=policy)
    tokens = dict(zip(looked_up.found, looked_up.tokens, strict=True))
    # A vector composed from parts or sub-words has no row that could be changed.
    rows = {word: vectors.index[token] for word, token in tokens.items() if token in vectors.index}
    return rows, tuple(word for word in asked if word not in rows)


def concept(vectors: WordVectors, sets: Sets, role: str, components: int) -> tuple[FoundSets, FloatArray]:
    """Return what was found of sets, and an orthonormal basis (components, d) of the subspace in which they differ.

    PCA of unit vectors, each set centred on its own mean (Bolukbasi et al. 2016, step 1; Manzini et al. 2019).
    """
    found = find_sets(vectors, sets, role)
    name = found.taken.stimuli
    if not found.rows:
        raise DebiasError(f"no set of '{name}' has two words in '{vectors.name}'; the subspace needs at least one.")
    return found, first_components([unit_rows(vectors.matrix[rows]) for rows in found.rows], components, name)


def first_components(sets: Sequence[NDArray[Any]], components: int, name: str) -> FloatArray:
    """Return the first principal components (components, d) of sets of vectors, each centred on its own mean."""
    try:
        basis, shares = subspace(sets)
    except MeasureError as error:
        raise DebiasError(f"'{name}' gives no subspace: {error}") from None
    spanned = int(np.count_nonzero(shares > 1e-12))
    if isinstance(components, bool) or not isinstance(components, int) or not 1 <= components <= spanned:
        raise DebiasError(f"components={components!r}: give a whole number from 1 to {spanned}, which '{name}' spans.")
    return basis[:components]


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
    if isinstance(poles, str) or len(poles) != 2:
        raise DebiasError(f"poles={poles!r:.60} are not two words, such as ('she', 'he').")
    both, found = find_words(vectors, poles, POLES)
    if found.missing:
        raise DebiasError(
            f"'{found.missing[0]}' is not in '{vectors.name}'; name two poles that are, or words by class."
        )
    if len(both) < 2:
        raise DebiasError(f"the poles {poles[0]!r} and {poles[1]!r} are one word; name two that differ.")
    left_out, specific_words = find_words(vectors, specific, "specific words")
    plain = [row for row, word in enumerate(vectors.words[:MOST_FREQUENT]) if is_plain(word)]
    candidates = np.setdiff1d(np.array(plain, dtype=np.intp), np.concatenate([left_out, both]))
    if len(candidates) < 2 * words:
        raise DebiasError(
            f"'{vectors.name}' has {plural(len(candidates), 'plain word')}; {words:,} per side need {2 * words:,}, "
            "so request fewer words."
        )
    first, second = unit_rows(vectors.matrix[both])
    order = candidates[np.argsort(unit_rows(vectors.matrix[candidates]) @ (first - second), kind="stable")]
    rows = np.concatenate([order[:words], order[-words:]])
    taken = (replace(found, stimuli=f"own ({poles[0]}, {poles[1]})"), specific_words)
    return Labelled(rows, np.repeat([0, 1], words), taken, words)

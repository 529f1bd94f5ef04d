"""From a test or word lists to the sets that a score takes: looked up, counted, paired."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import combinations
from os import PathLike
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aslant.errors import MeasureError, plural
from aslant.measures.set_scores.kinds import MANY, Score, Sets
from aslant.measures.set_scores.statistic import Batch, FloatArray
from aslant.measures.shared.suite import chosen_test, need_share
from aslant.measures.shared.wordsets import Found, checked_words, find, need_distinct, word_lists
from aslant.stimuli import WeatSet, WordList, given_lists
from aslant.stimuli.own_lists import is_lists
from aslant.vectors import WordVectors


@dataclass(frozen=True)
class Asked:
    """The word sets that were asked for, by a test's name or as lists."""

    id: str
    title: str
    category: str
    targets: tuple[WordList, ...]
    attributes: tuple[WordList, ...]
    language: str = "und"
    caution: str = ""


def asked_of(test: WeatSet) -> Asked:
    """Return the sets of a test."""
    return Asked(test.id, test.title, test.category, test.targets, test.attributes, test.language, test.caution)


def chosen_sets(test: Any, targets: Any, attributes: Any, language: str | None = None) -> Asked:
    """Return the sets of the test that is named, or those given here, one or several each."""
    if test is not None or targets is None or attributes is None:
        return asked_of(chosen_test(test, targets, attributes, language))
    x, a = _listed(targets, "targets"), _listed(attributes, "attributes")
    names = "; ".join(", ".join(words.name for words in sets) for sets in (x, a))
    return Asked("own", names, "own", x, a)


def _listed(given: Any, role: str) -> tuple[WordList, ...]:
    """Return one set or several as lists with names; a list of words is one set."""
    if isinstance(given, WordList):
        return (given,)
    if isinstance(given, PathLike) or (isinstance(given, str) and is_lists(given)):
        given = given_lists([given])
    items = given if isinstance(given, Mapping) else given if isinstance(given, str) else list(given)
    if isinstance(items, str) or (isinstance(items, list) and any(isinstance(item, str) for item in items)):
        return (WordList(role, checked_words(items)),)
    return word_lists(items, [f"{role} {place}" for place in range(1, len(items) + 1)])


@dataclass(frozen=True)
class Looked:
    """The sets of a test as they were found in an embedding, and the products of all their words."""

    asked: Asked
    targets: tuple[Found, ...]
    attributes: tuple[Found, ...]
    batch: Batch


def look_up(vectors: WordVectors, asked: Asked, min_found: float, *, unit: bool) -> Looked:
    """Look the sets up; refuse sets with too few words, or with one in common."""
    targets, attributes = (tuple(find(vectors, g) for g in sets) for sets in (asked.targets, asked.attributes))
    stated: Any = asked  # of which only the name is used
    need_share(stated, [g.words for g in (*targets, *attributes)], min_found, f"a vector in '{vectors.name}'")
    for sets in (targets, attributes):
        for first, second in combinations(sets, 2):
            need_distinct(first, second)
    x, a = (
        np.concatenate([g.unit if unit else g.raw for g in sets]).astype(np.float64) for sets in (targets, attributes)
    )
    batch = Batch(x @ x.T, (x @ a.T)[None], (a @ a.T)[None], members(targets), members(attributes))
    return Looked(asked, targets, attributes, batch)


def members(sets: tuple[Found, ...]) -> FloatArray:
    """Return which words are in which set, (1, sets, words)."""
    sizes = [len(found.raw) for found in sets]
    return np.repeat(np.eye(len(sizes)), sizes, axis=1)[None]


def need_sets(score: Score, asked: Asked) -> None:
    """Refuse more or fewer sets than a score takes."""
    for role, sets, (least, most) in (
        ("target", asked.targets, score.targets), ("attribute", asked.attributes, score.attributes)
    ):  # fmt: skip
        if not least <= len(sets) <= most:
            raise MeasureError(
                f"{plural(len(sets), f'{role} set')} given; {score.short} takes {_number((least, most))}."
            )


def _number(sets: Sets) -> str:
    least, most = sets
    return f"{least} or more" if most == MANY else str(least) if least == most else f"{least} or {most}"


def paired(looked: Looked) -> tuple[tuple[Found, ...], NDArray[np.intp]]:
    """Return the targets whose counterpart, at the same place of the other list, was found too, and their rows."""
    places = [{word: row for row, word in enumerate(found.words.used)} for found in looked.targets]
    listed = zip(*(words.words for words in looked.asked.targets), strict=False)
    both = [pair for pair in listed if all(word in own for word, own in zip(pair, places, strict=True))]
    if not both:
        first, second = (words.name for words in looked.asked.targets)
        raise MeasureError(f"no word of '{first}' has a counterpart at its place in '{second}'; RIPA needs pairs.")
    rows = [[own[pair[side]] for pair in both] for side, own in enumerate(places)]
    kept = tuple(_only(found, own) for found, own in zip(looked.targets, rows, strict=True))
    return kept, np.array([*rows[0], *(len(looked.targets[0].raw) + row for row in rows[1])])


def _only(found: Found, rows: list[int]) -> Found:
    """Return some of the words of a set, and those that were left out as removed."""
    words = found.words
    used, tokens = (tuple(some[row] for row in rows) for some in (words.used, words.tokens))
    removed = tuple(word for row, word in enumerate(words.used) if row not in rows)
    return replace(found, words=replace(words, used=used, tokens=tokens, removed=removed), raw=found.raw[rows])

"""From what a user gives (a set's name, a file, word lists) to vectors, with every missing word recorded."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from os import PathLike
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from aslant.errors import MeasureError, plural
from aslant.results.parts import WordsUsed
from aslant.results.provenance import Provenance, Representation
from aslant.statistics import unit_rows
from aslant.stimuli import WordList, given_lists, listed_words
from aslant.vectors import LookupPolicy, WordVectors
from aslant.version import __version__

if TYPE_CHECKING:
    from aslant.models.vocabulary import Vocabulary

FloatArray: TypeAlias = NDArray[np.float64]
#: Two or more word sets: a mapping of names to words, `WordList`s, or bare sequences of words.
WordSets: TypeAlias = Mapping[str, Iterable[str]] | Sequence[WordList] | Sequence[Iterable[str]]


@dataclass(frozen=True)
class Found:
    """A word set with the raw vectors of its words, shape (used, dimensions)."""

    words: WordsUsed
    raw: NDArray[Any]

    @cached_property
    def unit(self) -> FloatArray:
        """The vectors at unit length, float64."""
        return unit_rows(self.raw)


def word_lists(sets: Any, default_names: Sequence[str]) -> tuple[WordList, ...]:
    """Give names to word sets that have none; they may also be in files, or text such as "old: aged, elderly"."""
    if isinstance(sets, str | PathLike) or (isinstance(sets, Sequence) and any(isinstance(x, str) for x in sets)):
        sets = given_lists([sets] if isinstance(sets, str | PathLike) else sets)
    items = list(sets.items()) if isinstance(sets, Mapping) else list(sets)
    if len(items) != len(default_names):
        what = default_names[0].removesuffix(" 1")
        how = f" (on the command line, give --{what} as often, or a file with that many lists)"
        told = how if what in ("targets", "attributes") else ""
        raise MeasureError(f"{plural(len(items), 'word set')} given; {len(default_names)} are needed{told}.")
    lists = []
    for item, name in zip(items, default_names, strict=True):
        if isinstance(item, WordList):
            lists.append(item)
            continue
        label, words = item if isinstance(sets, Mapping) else (name, item)
        lists.append(WordList(str(label), checked_words(words)))
    return tuple(lists)


def checked_words(words: Any) -> tuple[str, ...]:
    """Return `words` as a tuple of non-empty strings, or raise an error that says what is wrong."""
    return listed_words(words, MeasureError)


def check_vectors(vectors: WordVectors) -> None:
    """Refuse anything but word vectors, saying how to get them."""
    if not isinstance(vectors, WordVectors):
        raise MeasureError(f"{vectors!r:.60} is not word vectors; open it with aslant.load(…) first.")


def find(
    vectors: WordVectors, words: WordList, vocabulary: Vocabulary | None = None, *, policy: LookupPolicy | None = None
) -> Found:
    """Look a word set up, or those words of it that `vocabulary` has; words that stand for one token count once.

    `policy` says how words are matched, if not by the vectors' own.
    """
    check_vectors(vectors)
    outside = tuple(word for word in words.words if not vocabulary.has(word)) if vocabulary else ()
    looked_up = vectors.lookup(tuple(word for word in words.words if word not in outside), policy=policy)
    first: dict[str, int] = {}
    for row, token in enumerate(looked_up.tokens):
        first.setdefault(token, row)  # "king" and "King" may be one vector, which must not count twice
    rows = list(first.values())
    kept = set(rows)
    found = tuple(looked_up.found[row] for row in rows)
    same = tuple(word for row, word in enumerate(looked_up.found) if row not in kept)
    used = WordsUsed(words.name, found, tuple(first), looked_up.missing, same_token=same, not_in_vocabulary=outside)
    return Found(used, looked_up.vectors[rows])


def need_distinct(first: Found, second: Found) -> None:
    """Refuse two opposed sets with one word in common, however it is spelled, such as "John" and "john".

    Two different words may have one vector, where a model gives rare words that of another: they are measured so.
    """
    opposed = {_spelled(word) for word in (*first.words.used, *first.words.same_token)}
    for word, token in zip(second.words.used, second.words.tokens, strict=True):
        if token in first.words.tokens and _spelled(word) in opposed:
            raise MeasureError(
                f"'{word}' of '{second.words.name}' is the token '{token}', which is also in "
                f"'{first.words.name}'; a word must be in only one of the two sets."
            )


def _spelled(word: str) -> str:
    return word.replace("_", " ").replace("-", " ").casefold()


def need_words(found: Found, least: int, vectors: WordVectors) -> None:
    """Refuse to continue with fewer than `least` words of a set."""
    words = found.words
    if len(words.used) < least:
        lists = {"missing": words.missing, "not in the given vocabulary": words.not_in_vocabulary}
        said = [f"{why}: {', '.join(some[:5])}{', …' * (len(some) > 5)}" for why, some in lists.items() if some]
        needed = f"{least} {'is' if least == 1 else 'are'} needed"
        raise MeasureError(
            f"'{vectors.name}' has {plural(len(words.used), 'word')} of '{words.name}', but at least {needed}"
            + (f" ({'; '.join(said)})." if said else ".")
        )


class Recorded(Protocol):
    """Anything that is measured: vectors, a language model, an encoder."""

    def record(self) -> dict[str, Any]: ...  # noqa: D102


def provenance(
    measured: Recorded, stimuli: str, missing: Iterable[WordsUsed | str], seed: int | None, settings: dict[str, Any]
) -> Provenance:
    """Record what a result comes from; `missing` are words, or sets of words some of which are missing."""
    words = dict.fromkeys(w for some in missing for w in ((some,) if isinstance(some, str) else some.missing))
    return Provenance(stimuli, Representation(**measured.record()), tuple(words), seed, settings, __version__)

"""From what a user calls names (nothing, a list, a file, a data name, the embedding) to a table of names with facts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from os import PathLike
from pathlib import Path
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from aslant.data import could_be_name
from aslant.errors import MeasureError, plural
from aslant.io.memory_maps import picked_rows
from aslant.measures.enumeration.groups import is_cased
from aslant.measures.shared.wordsets import FloatArray, checked_words
from aslant.parallel import one_thread_each
from aslant.statistics import unit_rows
from aslant.stimuli import NameTable, bundled_names, named, read_names
from aslant.vectors import WordVectors

Names: TypeAlias = str | PathLike[str] | Iterable[str] | None
#: Short for the data name.
SURNAMES = "surnames"
#: Names are to be taken from the vocabulary itself.
EMBEDDING = "embedding"
#: Where names are looked for: this many of the most frequent tokens.
SEARCHED = 200_000
#: How many parts tell each other's names from other capitalised words; each needs several known names.
PARTS, LEAST_KNOWN = 5, 20


def name_table(names: Names) -> NameTable:
    """Return the names to cluster: None gives the bundled first names, "surnames" those of the US census.

    >>> len(name_table(None).names), name_table(["Ann", "Bob"]).names
    (9656, ('Ann', 'Bob'))
    """
    if names is None:
        return bundled_names()
    if isinstance(names, str | PathLike):
        return read_names(_path(names))
    if not isinstance(names, Iterable):
        raise MeasureError(f"names={names!r:.60} are not names; give a list, a file, a data name, or nothing.")
    return named("own", checked_words(names))


def embedding_names(vectors: WordVectors) -> NameTable:
    """Return the first names that a cased vocabulary holds, also those that no table has (the paper's footnote 1).

    Candidates are words that are more frequent capitalised than in lower case. A linear classifier of the bundled
    first names among them against the others judges each candidate, trained on the four fifths without it.
    """
    if not is_cased(vectors.words):
        raise MeasureError(
            f"names={EMBEDDING!r} needs capital letters to tell names from words, and '{vectors.name}' is "
            "lower-cased; give names, or nothing for the bundled first names."
        )
    rows, tokens = _capitalised(vectors.words[:SEARCHED])
    bundled = bundled_names()
    known = np.isin(tokens, bundled.names)
    if min(known.sum(), (~known).sum()) < LEAST_KNOWN:
        raise MeasureError(
            f"aslant knows {known.sum()} of {plural(len(known), 'capitalised word')} of '{vectors.name}' as names; "
            f"names={EMBEDDING!r} needs at least {LEAST_KNOWN} of them, and as many others, to learn what a name is."
        )
    like_names = _margins_of_others(unit_rows(picked_rows(vectors.matrix, rows)), known) > 0
    return named(f"names of the embedding ({SEARCHED:,} words searched)", tokens[like_names].tolist())


def _capitalised(words: Sequence[str]) -> tuple[NDArray[np.int64], NDArray[np.str_]]:
    """Return the rows and tokens of words such as "Ann" that come before "ann", in the order of frequency.

    >>> _capitalised(["the", "The", "Ann", "NATO", "ann", "New_York", "I"])[1].tolist()
    ['Ann']
    """
    first = {token: row for row, token in enumerate(words)}
    rows = [
        row for token, row in first.items()
        if len(token) > 1 and token.isalpha() and token == token.capitalize() != token.lower()
        and first.get(token.lower(), row + 1) > row
    ]  # fmt: skip
    return np.array(rows, dtype=np.int64), np.array([words[row] for row in rows], dtype=str)


def _margins_of_others(unit: FloatArray, known: NDArray[np.bool_]) -> FloatArray:
    """Return each row's margin by a classifier that was trained without it; `unit` is (words, d), `known` (words,)."""
    from sklearn.model_selection import StratifiedKFold, cross_val_predict
    from sklearn.svm import LinearSVC

    model = LinearSVC(class_weight="balanced", dual=False)  # as many of each kind, in effect
    with one_thread_each():
        return np.asarray(cross_val_predict(model, unit, known, cv=StratifiedKFold(PARTS), method="decision_function"))


def _path(given: str | PathLike[str]) -> Path:
    """Return the file of names: a path, or where the data of that name are."""
    path = Path(given)
    if path.exists() or not could_be_name(str(given)):
        return path
    from aslant.data import resolve

    return resolve("census-surnames" if str(given) == SURNAMES else str(given), kinds=["names"]) or path

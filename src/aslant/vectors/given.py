"""Embeddings that are in memory already: gensim's objects, data frames, dicts, and pairs of words and a matrix."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from aslant.errors import VectorsError
from aslant.vectors.rows import Arrays, checked_block

#: Names of a column that holds the words, where several columns hold text.
WORD_COLUMNS = ("word", "words", "token", "tokens", "term", "terms", "key")
TAKEN = "a path, a data name, a data frame, a dict of words to vectors, or a pair (words, matrix)"


def arrays_of(source: Any) -> Arrays:
    """Return words and matrix of what was given, or say what is missing.

    >>> arrays_of({"he": [1.0, 0.0], "she": [0.0, 1.0]}).words
    ['he', 'she']
    >>> arrays_of(np.eye(2))
    Traceback (most recent call last):
    aslant.errors.VectorsError: an array of shape (2, 2) does not say which words its rows are; give (words, array).
    """
    if hasattr(type(source), "columns") and hasattr(source, "__len__"):  # of the type: asking a lazy frame computes it
        return _arrays(*_of_frame(source), "data frame")
    if isinstance(source, Mapping):
        if not source:
            raise VectorsError("a dict without words was given; give {word: vector, …}.")
        return _arrays(list(source), list(source.values()), "dict")
    if isinstance(source, np.ndarray):
        raise VectorsError(
            f"an array of shape {source.shape} does not say which words its rows are; give (words, array)."
        )
    if isinstance(source, tuple) and len(source) == 2 and not isinstance(source[0], str):
        return _arrays(_listed(source[0]), source[1], "words and matrix")
    raise VectorsError(f"cannot load {_called(source)}; give {TAKEN}.")


def name_of(source: Any) -> str:
    """Return what results call such vectors.

    >>> name_of({"he": [1.0]}), name_of((["he"], [[1.0]]))
    ('dict', 'arrays')
    """
    return "arrays" if isinstance(source, tuple) else type(source).__name__


def _called(source: Any) -> str:
    name = type(source).__name__
    return f"{'an' if name[0].lower() in 'aeiou' else 'a'} {name}"


def _arrays(words: list[Any], matrix: Any, kind: str) -> Arrays:
    try:
        numbers = np.asarray(matrix) if hasattr(matrix, "__array__") else np.array([np.asarray(row) for row in matrix])
    except (TypeError, ValueError):
        lengths = sorted({len(row) for row in matrix if hasattr(row, "__len__")})
        told = (
            f"their lengths are {lengths[0]} to {lengths[-1]}" if len(lengths) > 1 else "they are not rows of numbers"
        )
        raise VectorsError(f"the vectors of a {kind} do not make a matrix: {told}.") from None
    block = checked_block(words, numbers)
    return Arrays(block.words, block.matrix, {"format": kind})


def _listed(words: Any) -> list[Any]:
    try:
        return list(words)
    except TypeError:
        raise VectorsError(f"{words!r:.40} is not a list of words; give (words, matrix).") from None


def _of_frame(frame: Any) -> tuple[list[Any], Any]:
    """Return the words of a data frame (a column of text, or pandas' index) and its numbers, one row per word."""
    import narwhals.stable.v1 as nw
    from narwhals.exceptions import DuplicateError

    try:
        table = nw.from_native(frame, eager_only=True)
    except TypeError:
        raise VectorsError(f"cannot load {_called(frame)}; give {TAKEN} (a lazy frame after collect()).") from None
    except DuplicateError:
        raise VectorsError("the data frame has several columns of the same name; rename them.") from None
    words, column = _words(nw, table)
    others = table if column is None else table.drop(column)
    numbers = others.select(nw.selectors.numeric())
    if len(numbers.columns):
        return words, numbers.to_numpy()
    nested = [name for name, dtype in others.schema.items() if dtype in (nw.List, nw.Array, nw.Object)]
    if len(nested) == 1:  # one column that holds the whole vectors
        return words, table.get_column(nested[0]).to_list()
    raise VectorsError(f"the data frame has no columns of numbers ({_columns(table.columns)}); give one per dimension.")


def _words(nw: Any, table: Any) -> tuple[list[Any], str | None]:
    """Return the words, and the name of their column, or None where they are pandas' index."""
    # by the schema: pandas' columns may have numbers for names, which would be places in a table
    text = [name for name, dtype in table.schema.items() if dtype in (nw.String, nw.Categorical, nw.Enum)]
    named = [name for name in text if str(name).lower() in WORD_COLUMNS]
    if len(named) == 1 or len(text) == 1:
        column = (named if len(named) == 1 else text)[0]
        words = table.get_column(column)
        return [str(word) if there else "" for word, there in zip(words, ~words.is_null(), strict=True)], column
    index = nw.maybe_get_index(table)
    # what pandas reads as missing (the words "null" and "NA" of a file, too) is left out as a word that is empty
    labels = [] if index is None else ["" if gap else label for label, gap in zip(index, index.isna(), strict=True)]
    if not text and any(labels) and all(isinstance(label, str) for label in labels):
        return labels, None
    if text:
        raise VectorsError(f"the data frame has several columns of text ({_columns(text)}); keep one, the words.")
    raise VectorsError(
        f"the data frame has no column of words ({_columns(table.columns)}); give a column of text, or words as index."
    )


def _columns(names: Any) -> str:
    shown = [f"'{str(name)[:30]}'" for name in list(names)[:4]]
    return ", ".join(shown) + (", …" if len(names) > 4 else "")

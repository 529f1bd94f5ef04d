"""The vectors of a spaCy pipeline, read without spaCy: its folder, `vocab` in it, or the file `vocab/vectors`.

`vectors` is a NumPy array, `key2row` a msgpack dict of words to rows, where a word is a hash (MurmurHash64A, seed 1),
and `strings.json` has the words. Several words may share a row: pipelines of size md keep 20,000 rows, and give any
other word the row of its nearest neighbour ("pruned"). The first word of a row is the one that it was made for; it is
the word of the vocabulary, and the others stand for it: two words of one row are one vector, and count once.
The order of rows is not documented, so it tells nothing of frequency unless it looks like it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from aslant.errors import VectorsError
from aslant.io.reading import read_bytes
from aslant.vectors.formats.numpy_array import load_array
from aslant.vectors.rows import Block, in_memory
from aslant.vectors.word_vectors import WordVectors, as_matrix

NAME = "spaCy vectors"
FACTOR, SHIFT = np.uint64(0xC6A4A7935BD1E995), np.uint64(47)
#: Longer strings are not words.
MAX_WORD_BYTES = 1000
MAX_TABLE_BYTES = 1 << 30
#: Words that are also names of spaCy's own, by the numbers that they have there in place of a hash.
SYMBOLS = {"agent": 401, "mark": 423, "meta": 424, "number": 432, "possessive": 441, "root": 449}


class _Meta(msgspec.Struct):
    lang: str = ""
    name: str = ""


def folder_of(path: Path) -> Path | None:
    """Return the folder with the three files of the vectors that `path` names, or None."""
    folders = [path.parent] if path.name == "vectors" else [path, path / "vocab"]
    return next((f for f in folders if all((f / part).is_file() for part in ("vectors", "key2row"))), None)


def read(folder: Path, name: str, top: int | None = None) -> WordVectors:
    """Open the vectors in `folder`; with `top`, only the first `top` rows, and only their own words."""
    _check_mode(folder)
    matrix = load_array(folder / "vectors")
    if matrix.ndim != 2 or 0 in matrix.shape:
        raise VectorsError(f"'{folder / 'vectors'}' has shape {matrix.shape}; expected words × dimensions.")
    keys, rows = _keys(folder / "key2row", len(matrix))
    own = _own_words(folder / "strings.json", keys, rows, len(matrix))
    kept = np.flatnonzero([word is not None for word in own])
    if not len(kept):
        raise VectorsError(f"none of the keys in '{folder / 'key2row'}' is a word of 'strings.json'.")
    whole = len(kept) == len(matrix)
    block = Block([str(own[row]) for row in kept.tolist()], as_matrix(matrix if whole else matrix[kept]))
    vectors = in_memory([block], name=_name(folder.parent / "meta.json") or name, format_name=NAME, top=top)
    sharing = len(keys) - len(np.unique(rows))
    if not sharing or len(vectors) == top:
        return vectors
    note = f"{len(kept):,} vectors for {len(keys):,} words: {sharing:,} share the vector of another word"
    return replace(vectors, note=note, shared=SharedRows(keys, rows, own))


class SharedRows(Mapping[str, str]):
    """For each word that has no row of its own, the word that it shares one with: found by its hash."""

    def __init__(self, keys: NDArray[np.uint64], rows: NDArray[np.int64], own: list[str | None]) -> None:
        order = np.argsort(keys)
        self._keys, self._rows, self._own = keys[order], rows[order], own

    def __getitem__(self, word: str) -> str:
        for key in (*([SYMBOLS[word]] if word in SYMBOLS else ()), int(keys_of([_encoded(word)])[0])):
            at = int(np.searchsorted(self._keys, np.uint64(key)))
            if at < len(self._keys) and self._keys[at] == key and (own := self._own[int(self._rows[at])]) is not None:
                return own
        raise KeyError(word)

    def __iter__(self) -> Iterator[str]:
        return (word for word in self._own if word is not None)

    def __len__(self) -> int:
        return len(self._keys)


def keys_of(words: list[bytes]) -> NDArray[np.uint64]:
    """Return spaCy's keys of words in UTF-8: MurmurHash64A with seed 1, all words of a length at a time."""
    lengths = np.array([len(word) for word in words], dtype=np.int64)
    keys = np.zeros(len(words), dtype=np.uint64)
    for length in np.unique(lengths[lengths <= MAX_WORD_BYTES]).tolist():
        those = np.flatnonzero(lengths == length)
        padded = np.zeros((len(those), -(-length // 8) * 8), dtype=np.uint8)
        joined = np.frombuffer(b"".join(words[place] for place in those.tolist()), np.uint8)
        padded[:, :length] = joined.reshape(len(those), length)
        parts = padded.view("<u8")
        value = np.full(len(those), 1, dtype=np.uint64) ^ (np.array([length], dtype=np.uint64) * FACTOR)
        for place in range(parts.shape[1]):
            if (place + 1) * 8 <= length:
                part = parts[:, place] * FACTOR
                value = (value ^ ((part ^ (part >> SHIFT)) * FACTOR)) * FACTOR
            else:
                value = (value ^ parts[:, place]) * FACTOR
        value = (value ^ (value >> SHIFT)) * FACTOR
        keys[those] = value ^ (value >> SHIFT)
    return keys


def _encoded(word: str) -> bytes:
    return word.encode("utf-8", "surrogatepass")


def _name(path: Path) -> str:
    """Return the name that a pipeline gives itself, such as en_core_web_md, or ""."""
    if not path.is_file():
        return ""
    try:
        told = msgspec.json.decode(read_bytes(path, VectorsError), type=_Meta)
    except (msgspec.MsgspecError, ValueError, RecursionError):
        return ""
    name = f"{told.lang}_{told.name}"[:80]
    return name if told.lang and told.name and name.isprintable() else ""


def _check_mode(folder: Path) -> None:
    """Refuse floret vectors: hashed n-grams, which no list of words belongs to."""
    path = folder / "vectors.cfg"
    if not path.is_file():
        return
    try:
        mode = msgspec.json.decode(read_bytes(path, VectorsError), type=dict[str, Any]).get("mode", "default")
    except (msgspec.MsgspecError, ValueError, RecursionError):
        raise VectorsError(f"'{path}' is not what spaCy writes; get the pipeline again.") from None
    if mode != "default":
        raise VectorsError(
            f"'{folder}' holds {str(mode)[:20]!a} vectors, which have no list of words; export the words that you need "
            "in spaCy, as {word: nlp.vocab[word].vector}, and give that dict."
        )


def _keys(path: Path, rows: int) -> tuple[NDArray[np.uint64], NDArray[np.int64]]:
    """Return the keys of words and their rows, in the order of the file, both of shape (words,)."""
    try:
        table = msgspec.msgpack.decode(read_bytes(path, VectorsError, most=MAX_TABLE_BYTES), type=dict[int, int])
        keys = np.array(list(table), dtype=np.uint64)
        found = np.array(list(table.values()), dtype=np.int64)
    except (msgspec.MsgspecError, ValueError, OverflowError, TypeError, RecursionError):
        raise VectorsError(f"'{path}' is not spaCy's table of words and rows; get the pipeline again.") from None
    if not len(keys) or found.max() >= rows:
        most = f"row {int(found.max()):,}" if len(keys) else "no word at all"
        raise VectorsError(f"'{path}' has {most}, and 'vectors' has {rows:,} rows; the two do not belong together.")
    has_row = found >= 0  # −1: without a vector
    return keys[has_row], found[has_row]


def _own_words(path: Path, keys: NDArray[np.uint64], rows: NDArray[np.int64], n_rows: int) -> list[str | None]:
    """Return the word that each row was made for: the first of the table that `strings.json` has."""
    try:
        strings = msgspec.json.decode(read_bytes(path, VectorsError, most=MAX_TABLE_BYTES), type=list[str])
    except (msgspec.MsgspecError, ValueError, RecursionError):
        raise VectorsError(f"'{path}' is not spaCy's list of words; get the pipeline again.") from None
    known = np.concatenate([keys_of([_encoded(word) for word in strings]), np.array([*SYMBOLS.values()], np.uint64)])
    words = [*strings, *SYMBOLS]
    order = np.argsort(known, kind="stable")
    at = np.minimum(np.searchsorted(known[order], keys), len(known) - 1)
    own: list[str | None] = [None] * n_rows
    named = known[order[at]] == keys
    first_rows, first = np.unique(rows[named], return_index=True)
    for row, place in zip(first_rows.tolist(), np.flatnonzero(named)[first].tolist(), strict=True):
        own[row] = words[order[at[place]]]
    return own

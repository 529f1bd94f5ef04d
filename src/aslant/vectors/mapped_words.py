"""A vocabulary that stays on disk: a sequence of words, and the row of a word, each reading the few bytes it needs.

Four arrays, all of them mapped from a file: the words as UTF-8, one per line; where each word ends; and an index, the
rows in the order of their words' CRC-32 beside the sorted CRCs. What the index finds is compared with the word itself.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any, NamedTuple, overload
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from aslant.errors import VectorsError

#: Words that are encoded or decoded in one go.
CHUNK = 8192
#: `repr` shows up to this many words; of more, the first three.
WRITTEN_OUT = 100


class Table(NamedTuple):
    """The arrays of a vocabulary: `hashes` and `rows` (words,), sorted by hash; `ends` (words,), `text` (bytes,)."""

    hashes: NDArray[np.uint32]
    rows: NDArray[np.uint32]
    ends: NDArray[np.uint32]
    text: NDArray[np.uint8]


def table_of(words: Sequence[str]) -> Table:
    """Return the arrays for `words`, which are all different."""
    data = np.frombuffer(encoded(words), np.uint8)
    ends = np.append(np.flatnonzero(data == ord("\n")), len(data)).astype("<u4")
    hashes = np.fromiter(map(crc32, map(str.encode, words)), np.uint32, len(words))
    rows = np.argsort(hashes, kind="stable")
    return Table(hashes[rows].astype("<u4"), rows.astype("<u4"), ends, data)


def encoded(words: Sequence[str]) -> bytes:
    """Return the words as UTF-8, one per line, or say which of them cannot be written so."""
    return b"\n".join([_encoded(words[start : start + CHUNK]) for start in range(0, len(words), CHUNK)])


def _encoded(words: Sequence[str]) -> bytes:
    text = "\n".join(words)
    if text.count("\n") >= len(words):
        bad = next(word for word in words if "\n" in word)
        raise VectorsError(f"the word {bad!r} contains a line end, which this format cannot hold.")
    try:
        return text.encode("utf-8")
    except UnicodeEncodeError as error:
        raise VectorsError(f"a word holds {text[error.start]!r}, which is not valid Unicode.") from None


class MappedWords(Sequence[str]):
    """The words of a `Table`, or those from row `start` up to `stop`: decoded into strings one by one, when used."""

    def __init__(self, table: Table, start: int = 0, stop: int | None = None) -> None:
        self._table = table
        self._start, self._stop = start, len(table.ends) if stop is None else stop
        # Views whose items are Python's own numbers: several times as fast as arrays.
        self._hashes, self._rows, self._ends, self._text = (part.data for part in table)

    def __len__(self) -> int:
        return self._stop - self._start

    @overload
    def __getitem__(self, index: int) -> str: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[str]: ...
    def __getitem__(self, index: int | slice) -> str | Sequence[str]:
        chosen = range(self._start, self._stop)[index]
        if isinstance(chosen, int):
            return self._token(chosen).decode("utf-8")
        if chosen.step == 1:
            return MappedWords(self._table, chosen.start, max(chosen.start, chosen.stop))
        return [self._token(row).decode("utf-8") for row in chosen]

    def __iter__(self) -> Iterator[str]:
        for start in range(self._start, self._stop, CHUNK):
            stop = min(start + CHUNK, self._stop)
            begin = self._ends[start - 1] + 1 if start else 0
            yield from bytes(self._text[begin : self._ends[stop - 1]]).decode("utf-8").split("\n")

    def __contains__(self, word: object) -> bool:
        return word in self.by_word

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, MappedWords | list):
            return NotImplemented
        return len(self) == len(other) and all(a == b for a, b in zip(self, other, strict=True))

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        if len(self) <= WRITTEN_OUT:
            return repr(list(self))
        return f"<{len(self):,} words: {', '.join(map(repr, self[:3]))}, …>"

    def __reduce__(self) -> Any:
        return MappedWords, (self._table, self._start, self._stop)

    @cached_property
    def by_word(self) -> RowsByWord:
        """The place of each word."""
        return RowsByWord(self)

    def find(self, word: object) -> int | None:
        """Return the place of `word`, or None."""
        if not isinstance(word, str):
            return None
        token = word.encode("utf-8", "surrogatepass")
        wanted = crc32(token)
        at = bisect_left(self._hashes, wanted)
        while at < len(self._hashes) and self._hashes[at] == wanted:
            row = self._rows[at]
            if self._token(row) == token:
                return row - self._start if self._start <= row < self._stop else None
            at += 1
        return None

    def _token(self, row: int) -> bytes:
        return bytes(self._text[self._ends[row - 1] + 1 if row else 0 : self._ends[row]])


class RowsByWord(Mapping[str, int]):
    """The place of each of the words in a `MappedWords`."""

    def __init__(self, words: MappedWords) -> None:
        self._words = words

    def __getitem__(self, word: str) -> int:
        row = self._words.find(word)
        if row is None:
            raise KeyError(word)
        return row

    def __iter__(self) -> Iterator[str]:
        return iter(self._words)

    def __len__(self) -> int:
        return len(self._words)

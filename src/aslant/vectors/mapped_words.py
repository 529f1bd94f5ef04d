"""A vocabulary that stays on disk: a sequence of words, and the row of a word, each reading the few bytes it needs.

Four arrays, all of them mapped from a file: the words as UTF-8, one per line; where each word ends; and an index, the
rows in the order of their words' CRC-32 (words of one CRC in the order of their bytes) beside the sorted CRCs. What the
index finds is compared with the word itself, so a faulty index cannot give a wrong row.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any, NamedTuple, overload
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from aslant.errors import VectorsError
from aslant.vectors.word_log import WordLog

#: Words that are decoded at a time.
CHUNK = 8192
#: `repr` shows up to this many words; of more, the first three.
WRITTEN_OUT = 100
#: Places in the text are four bytes; a vocabulary of three million words takes a hundredth of that.
MAX_TEXT = 1 << 32
DAMAGED = "the words of the vectors are damaged; get the file again."

#: What words are looked up by; the same in every process.
token_hash = crc32


class Table(NamedTuple):
    """The arrays of a vocabulary: `text` (bytes,), `ends` (words,); `hashes` and `rows` (words,), sorted by hash."""

    text: NDArray[np.uint8]
    ends: NDArray[np.uint32]
    hashes: NDArray[np.uint32]
    rows: NDArray[np.uint32]


def table_of(log: WordLog) -> Table:
    """Return the arrays for the words of `log`, which are all different.

    >>> log = WordLog()
    >>> log.add(["the", "of"])
    >>> table_of(log).ends.tolist(), MappedWords(table_of(log))[1]
    ([3, 6], 'of')
    """
    texts, ends, hashes, position = [], [], [], 0
    for text, places in log.lines():
        tokens = text.split(b"\n")
        if len(tokens) != len(places):
            raise VectorsError(_with_line_end(text, places))
        texts.append(text)
        ends.append(places + position)
        hashes.append(np.fromiter(map(token_hash, tokens), np.uint32, len(tokens)))
        position += len(text) + 1
    if position > MAX_TEXT:
        raise VectorsError(f"the words take {position:,} bytes, over {MAX_TEXT >> 30} GB; no vocabulary is that large.")
    whole = np.frombuffer(b"\n".join(texts), np.uint8)
    every = np.concatenate(hashes)
    rows = np.argsort(every.astype(np.uint16), kind="stable")  # by the lower half, then the upper: NumPy counts those
    rows = rows[np.argsort((every >> 16).astype(np.uint16)[rows], kind="stable")]
    return _ties_by_bytes(
        Table(whole, np.concatenate(ends).astype("<u4"), every[rows].astype("<u4"), rows.astype("<u4"))
    )


def _with_line_end(text: bytes, ends: NDArray[np.int64]) -> str:
    starts = [0, *(ends[:-1] + 1).tolist()]
    tokens = (text[start:end] for start, end in zip(starts, ends.tolist(), strict=True))
    bad = next(token for token in tokens if b"\n" in token).decode("utf-8", "replace")
    return f"the word {bad!r} contains a line end, which this format cannot hold."


def _ties_by_bytes(table: Table) -> Table:
    """Put the rows of one hash in the order of their words, so that not even a million of them are slow to search."""
    words = MappedWords(table)
    same = np.concatenate([[False], table.hashes[1:] == table.hashes[:-1], [False]])
    starts = np.flatnonzero(same[1:] & ~same[:-1])
    stops = np.flatnonzero(same[:-1] & ~same[1:]) + 1
    for start, stop in zip(starts.tolist(), stops.tolist(), strict=True):
        table.rows[start:stop] = sorted(table.rows[start:stop].tolist(), key=words.token)
    return table


class MappedWords(Sequence[str]):
    """The words of a `Table`, or those from row `start` up to `stop`: decoded into strings one by one, when used.

    `damaged` is the message for words that cannot be read.

    >>> log = WordLog()
    >>> log.add(["the", "of", "and"])
    >>> words = MappedWords(table_of(log))
    >>> words, words[1], words[1:], words == ["the", "of", "and"], words.by_word["and"]
    (['the', 'of', 'and'], 'of', ['of', 'and'], True, 2)
    """

    def __init__(self, table: Table, damaged: str = DAMAGED, start: int = 0, stop: int | None = None) -> None:
        self._table, self._damaged = table, damaged
        self._start, self._stop = start, len(table.ends) if stop is None else stop
        # Views whose items are Python's own numbers: several times as fast as arrays.
        self._text, self._ends = table.text.data, table.ends.data

    def __len__(self) -> int:
        return self._stop - self._start

    @overload
    def __getitem__(self, index: int) -> str: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[str]: ...
    def __getitem__(self, index: int | slice) -> str | Sequence[str]:
        places = range(self._start, self._stop)
        if not isinstance(index, slice):
            return self._decoded(self.token(places[index]))
        chosen = places[index]
        if chosen.step == 1:
            return MappedWords(self._table, self._damaged, chosen.start, max(chosen.start, chosen.stop))
        return [self._decoded(self.token(row)) for row in chosen]

    def __iter__(self) -> Iterator[str]:
        for start in range(self._start, self._stop, CHUNK):
            yield from self._chunk(start, min(start + CHUNK, self._stop))

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
        return MappedWords, (self._table, self._damaged, self._start, self._stop)

    def index(self, value: Any, start: int = 0, stop: int | None = None) -> int:
        """Return the place of the word `value`; a ValueError if it is not there (between `start` and `stop`)."""
        row: int | None = self.by_word.get(value)
        if row is None or row not in range(len(self))[start:stop]:
            raise ValueError(f"{value!r} is not among the words")
        return row

    def count(self, value: Any) -> int:
        """Return 1 if the word `value` is there, else 0."""
        return int(value in self.by_word)

    @cached_property
    def by_word(self) -> RowsByWord:
        """The place of each word."""
        return RowsByWord(self, self._table, self._start, self._stop)

    def token(self, row: int) -> bytes:
        """Return the bytes of the word at `row` of the table."""
        start = self._ends[row - 1] + 1 if row else 0
        end = self._ends[row]
        if not start <= end <= len(self._text):
            raise VectorsError(self._damaged)
        return bytes(self._text[start:end])

    def _chunk(self, start: int, stop: int) -> list[str]:
        begin = self._ends[start - 1] + 1 if start else 0
        words = self._decoded(bytes(self._text[begin : self._ends[stop - 1]])).split("\n")
        if len(words) != stop - start:
            raise VectorsError(self._damaged)
        return words

    def _decoded(self, token: bytes) -> str:
        try:
            return token.decode("utf-8")
        except UnicodeDecodeError:
            raise VectorsError(self._damaged) from None


class RowsByWord(Mapping[str, int]):
    """The place of each word of a table between `start` and `stop`, counted from `start`."""

    def __init__(self, words: MappedWords, table: Table, start: int, stop: int) -> None:
        self._words, self._start, self._stop = words, start, stop
        self._hashes, self._rows = table.hashes.data, table.rows.data

    def __getitem__(self, word: str) -> int:
        row = self._find(word)
        if row is None:
            raise KeyError(word)
        return row

    def get(self, word: Any, default: Any = None) -> Any:
        """Return the place of `word`, or `default` where it is not there."""
        row = self._find(word)
        return default if row is None else row

    def __contains__(self, word: object) -> bool:
        return self._find(word) is not None

    def __iter__(self) -> Iterator[str]:
        return iter(self._words)

    def __len__(self) -> int:
        return self._stop - self._start

    def __reduce__(self) -> Any:
        return getattr, (self._words, "by_word")

    def _find(self, word: object) -> int | None:
        if not isinstance(word, str):
            return None
        token = word.encode("utf-8", "surrogatepass")
        wanted = token_hash(token)
        at = bisect_left(self._hashes, wanted)
        end = at + 1
        if end < len(self._hashes) and self._hashes[end] == wanted:  # several words of one hash
            end = bisect_right(self._hashes, wanted, at)
            at = bisect_left(self._rows, token, at, end, key=self._token)
        if at >= min(end, len(self._rows)):
            return None
        row = self._rows[at]
        return row - self._start if self._start <= row < self._stop and self._token(row) == token else None

    def _token(self, row: int) -> bytes:
        # A row that is not there is the fault of a damaged index: no word holds a line end, so this is never the one.
        return self._words.token(row) if row < len(self._hashes) else b"\n"

"""The words of an embedding while it is read: some ten bytes each instead of a Python string, and no word twice.

A word is known by its hash, and compared itself before it counts as a repeat. The hashes are Python's own, which no
file can be made to collide with: they have a new key in every process.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

#: Per word 32 bits of its hash above the 32 bits of a row or place, so that one sort brings equal hashes together.
Keys = NDArray[np.uint64]

#: What tells words apart at first sight.
word_hash = hash
HALF = np.uint64(32)
LOWER = np.uint64(0xFFFFFFFF)
LINE_END = ord("\n")
#: Bits of a hash that mark a byte in a table of 16 MB: most words are new, which one look there tells.
MARKED = np.uint64(24)


def keys_of(words: list[str]) -> Keys:
    """Return the key of each word, with its place in the list, sorted.

    >>> sorted((keys_of(["a", "b", "a"]) & LOWER).tolist())
    [0, 1, 2]
    """
    hashes = np.fromiter(map(word_hash, words), np.int64, len(words)).view(np.uint64)
    return np.sort(hashes << HALF | np.arange(len(words), dtype=np.uint64))


class WordLog:
    """Words in the order they came: `add` them, ask which of others are `repeated`, read them back as bytes.

    >>> log = WordLog()
    >>> log.add(["the", "of"])
    >>> log.repeated(["to", "of", "to"])
    [1, 2]
    >>> len(log), [text for text, _ in log.lines()]
    (2, [b'the\\nof'])
    """

    def __init__(self) -> None:
        self._texts: list[bytes] = []
        self._ends: list[NDArray[np.int64]] = []
        self._firsts: list[int] = []
        self._count = 0
        #: Sorted keys with rows, the longest first; each is at least twice as long as the next.
        self._runs: list[Keys] = []
        self._marks = np.zeros(1 << int(MARKED), np.bool_)

    def __len__(self) -> int:
        return self._count

    def add(self, words: list[str], keys: Keys | None = None) -> None:
        """Append `words`, which are all different and not in the log; `keys` are theirs, if they are known already."""
        if not words:
            return
        text = "\n".join(words).encode("utf-8", "surrogatepass")
        ends = np.append(np.flatnonzero(np.frombuffer(text, np.uint8) == LINE_END), len(text))
        if len(ends) != len(words):  # a word with a line end inside
            ends = np.cumsum([len(word.encode("utf-8", "surrogatepass")) + 1 for word in words]) - 1
        self._texts.append(text)
        self._ends.append(ends)
        self._firsts.append(self._count)
        keys = keys_of(words) if keys is None else keys
        self._marks[keys >> (np.uint64(64) - MARKED)] = True
        self._runs.append(keys + np.uint64(self._count))
        self._count += len(words)
        while len(self._runs) > 1 and len(self._runs[-2]) < 2 * len(self._runs[-1]):
            joined = np.concatenate([self._runs.pop(), self._runs.pop()])
            self._runs.append(np.sort(joined, kind="stable"))  # which merges two sorted runs in one pass

    def repeated(self, words: list[str], keys: Keys | None = None) -> list[int]:
        """Return the places of those of `words` that are in the log, or stand before in `words` itself."""
        keys = keys_of(words) if keys is None else keys
        hashes, places = keys >> HALF, (keys & LOWER).astype(np.intp)
        twins = np.flatnonzero(hashes[1:] == hashes[:-1])
        found: dict[int, list[NDArray[np.uint64]]] = {
            place: [] for place in (*places[twins].tolist(), *places[twins + 1].tolist())
        }
        marked = np.flatnonzero(self._marks[keys >> (np.uint64(64) - MARKED)])
        hashes, places = hashes[marked], places[marked]
        for run in self._runs if len(marked) else ():
            starts = np.searchsorted(run, hashes << HALF)
            hits = np.flatnonzero(run[np.minimum(starts, len(run) - 1)] >> HALF == hashes)
            stops = np.searchsorted(run, (hashes[hits] << HALF) | LOWER, "right")
            for place, start, stop in zip(places[hits].tolist(), starts[hits].tolist(), stops.tolist(), strict=True):
                found.setdefault(place, []).append(run[start:stop])
        return list(self._confirmed(words, found))

    def _confirmed(self, words: list[str], found: dict[int, list[Keys]]) -> Iterator[int]:
        """Yield the places of `found`, words whose hashes were met before, at which the words were, too."""
        seen: set[str] = set()
        for place in sorted(found):
            word = words[place]
            token = word.encode("utf-8", "surrogatepass")
            if word in seen or any(self._token(int(key & LOWER)) == token for run in found[place] for key in run):
                yield place
            seen.add(word)

    def _token(self, row: int) -> bytes:
        block = bisect_right(self._firsts, row) - 1
        ends, place = self._ends[block], row - self._firsts[block]
        return self._texts[block][ends[place - 1] + 1 if place else 0 : ends[place]]

    def lines(self) -> Iterator[tuple[bytes, NDArray[np.int64]]]:
        """Yield the words of each `add` as UTF-8, one per line, with where each word ends in that text."""
        yield from zip(self._texts, self._ends, strict=True)

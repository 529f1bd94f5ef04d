"""From raw blocks of a file to clean rows: first of duplicates, no zero rows, no NaN; all of it counted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from aslant.errors import VectorsError
from aslant.io.memory_maps import release
from aslant.vectors.word_vectors import FloatMatrix, WordVectors, as_matrix

#: Fields of `WordVectors` that a file keeps: format, note, repairs, treatments.
Kept = dict[str, Any]
#: Rows that are read at a time.
CHECKED_ROWS = 8192
#: A file in which more than this share of the rows holds NaN or infinity is corrupt, not repairable.
MAX_NON_FINITE = 0.1

DUPLICATE = "duplicate words left out"
ZERO = "zero vectors left out"
NON_FINITE = "vectors with NaN or infinity left out"
EMPTY = "empty words left out"
UNDECODABLE = "words that are not UTF-8 (bad bytes replaced)"
BEYOND = "files with more rows than their header promises (the rest left out)"
LINE_END = "words with a line end inside (replaced by a space)"


@dataclass(frozen=True)
class Block:
    """Consecutive rows of a file: `words[i]` has `matrix[i]` (float32, shape (words, dimensions)).

    `repairs` counts what the reader itself had to repair in these rows.
    """

    words: list[str]
    matrix: FloatMatrix
    repairs: dict[str, int] = field(default_factory=dict)


@dataclass(frozen=True)
class Arrays:
    """Words and a matrix of any kind of numbers as they lie in a file, unchecked, with what the file `kept` of them."""

    words: list[str]
    matrix: NDArray[Any]
    kept: Kept

    def blocks(self) -> Iterator[Block]:
        """Yield words and vectors, some thousand at a time, and hold on to nothing."""
        for start in range(0, len(self.matrix), CHECKED_ROWS):
            part = slice(start, start + CHECKED_ROWS)
            yield Block(self.words[part], as_matrix(self.matrix[part]))
            release(self.matrix)


def decode_words(words: list[bytes]) -> tuple[list[str], dict[str, int]]:
    """Decode `words` from UTF-8, replacing bad bytes; also return the repairs this took."""
    decoded = [word.decode("utf-8", "replace") for word in words]
    bad = sum("\ufffd" in text and text.encode() != word for text, word in zip(decoded, words, strict=True))
    return decoded, {UNDECODABLE: bad} if bad else {}


class Sieve:
    """Passes on at most `top` clean rows of successive blocks, and remembers what it left out."""

    def __init__(self, top: int | None = None) -> None:
        if top is not None and (isinstance(top, bool) or not isinstance(top, Integral) or top < 1):
            raise VectorsError(
                f"top={top} is not a number of words; use a positive whole number, or leave it out for all."
            )
        self.top = top
        self.read = 0
        self.repairs: Counter[str] = Counter()
        self.words: list[str] = []
        self._seen: set[str] = set()

    def clean(self, blocks: Iterable[Block]) -> Iterator[Block]:
        """Yield the clean part of each block, stopping as soon as `top` words are there."""
        for block in blocks:
            cleaned = self._clean_one(block)
            if cleaned.words:
                yield cleaned
            if len(self.words) == self.top:
                return

    def finish(self, name: str) -> dict[str, int]:
        """Return the repairs, or raise an error if nothing usable was found."""
        if self.repairs[NON_FINITE] > MAX_NON_FINITE * self.read:
            raise VectorsError(
                f"'{name}' is corrupt: {self.repairs[NON_FINITE]:,} of {self.read:,} vectors hold NaN or "
                "infinity; get or make it again."
            )
        if not self.words:
            raise VectorsError(f"'{name}' holds no usable word vectors ({self.read:,} rows read).")
        return {what: count for what, count in sorted(self.repairs.items()) if count}

    def _clean_one(self, block: Block) -> Block:
        self.repairs.update(block.repairs)
        faults, fresh = _bad_vectors(block.matrix), set(block.words)
        plain = not faults and "" not in fresh and len(fresh) == len(block.words) and self._seen.isdisjoint(fresh)
        if plain and (self.top is None or len(self.words) + len(fresh) <= self.top):  # as nearly all blocks are
            self.read += len(fresh)
            self._seen |= fresh
            self.words += block.words
            return Block(block.words, block.matrix)
        good: list[int] = []
        row = -1
        for row, word in enumerate(block.words):
            if row not in faults:  # a row that is left out takes no word away from a later one
                if not word or word in self._seen:
                    faults[row] = DUPLICATE if word else EMPTY
                    continue
                self._seen.add(word)
                good.append(row)
                if len(self.words) + len(good) == self.top:  # errors after the last requested word do not count
                    break
        self.read += row + 1
        self.repairs.update(fault for place, fault in faults.items() if place <= row)
        whole = len(good) == row + 1
        words = block.words[: row + 1] if whole else [block.words[place] for place in good]
        self.words += words
        return Block(words, block.matrix[: row + 1] if whole else block.matrix[good])


def _bad_vectors(matrix: FloatMatrix) -> dict[int, str]:
    """Return the faults of the rows of `matrix`, by row."""
    with np.errstate(over="ignore", invalid="ignore"):
        squares = np.einsum("ij,ij->i", matrix, matrix)  # one pass; only suspicious rows are looked at
    faults = {}
    for row in np.flatnonzero((squares == 0) | ~np.isfinite(squares)).tolist():
        if not np.isfinite(matrix[row]).all():
            faults[row] = NON_FINITE
        elif not matrix[row].any():
            faults[row] = ZERO
    return faults


def checked_block(words: list[str], matrix: ArrayLike) -> Block:
    """Return words and vectors of unknown origin as a block, or raise an error that says why they are not one."""
    array = as_matrix(matrix)
    if len(words) != len(array):
        raise VectorsError(f"{len(words):,} words but {len(array):,} vectors; there must be one vector per word.")
    for word in words:
        if not isinstance(word, str):
            raise VectorsError(f"the word {word!r} is of type {type(word).__name__}; words must be strings.")
    return Block([str(word) for word in words], array)  # plain strings: NumPy's own do not go into JSON


def in_memory(blocks: Iterable[Block], *, name: str, format_name: str, top: int | None = None) -> WordVectors:
    """Collect clean blocks into one array."""
    sieve = Sieve(top)
    kept = list(sieve.clean(blocks))
    repairs = sieve.finish(name)
    matrix = kept[0].matrix if len(kept) == 1 else np.concatenate([block.matrix for block in kept])
    return WordVectors(sieve.words, np.ascontiguousarray(matrix), name=name, format=format_name, repairs=repairs)


def cleaned(found: Arrays, name: str, top: int | None) -> WordVectors:
    """Clean arrays; the matrix stays where it is, such as mapped, if there is nothing to mend."""
    block = Block(found.words, as_matrix(found.matrix, f"the vectors in '{name}'"))
    made = in_memory([block], name=name, format_name="", top=top)
    repairs = Counter(found.kept.get("repairs", {})) + Counter(made.repairs)
    return replace(made, **{**found.kept, "repairs": dict(sorted(repairs.items()))})

"""From raw blocks of a file to clean rows: first of duplicates, no zero rows, no NaN; all of it counted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike, NDArray

from slant.errors import VectorsError
from slant.vectors.word_vectors import FloatMatrix, WordVectors, as_matrix

#: A file in which more than this share of the rows holds NaN or infinity is corrupt, not repairable.
MAX_NON_FINITE = 0.1

DUPLICATE = "duplicate words left out"
ZERO = "zero vectors left out"
NON_FINITE = "vectors with NaN or infinity left out"
EMPTY = "empty words left out"
UNDECODABLE = "words that are not UTF-8 (bad bytes replaced)"


@dataclass(frozen=True)
class Block:
    """Consecutive rows of a file: `words[i]` has `matrix[i]` (float32, shape (words, dimensions)).

    `repairs` counts what the reader itself had to mend in these rows.
    """

    words: list[str]
    matrix: FloatMatrix
    repairs: dict[str, int] = field(default_factory=dict)


class Sieve:
    """Passes on at most `top` clean rows of successive blocks, and remembers what it left out."""

    def __init__(self, top: int | None = None) -> None:
        if top is not None and top < 1:
            raise VectorsError(f"top={top} asks for no words; use a positive number, or leave it out for all.")
        self.top = top
        self.kept = 0
        self.read = 0
        self.repairs: Counter[str] = Counter()
        self._seen: set[str] = set()

    @property
    def full(self) -> bool:
        """Whether `top` words are there."""
        return self.top is not None and self.kept >= self.top

    def clean(self, blocks: Iterable[Block]) -> Iterator[Block]:
        """Yield the clean part of each block, stopping as soon as `top` words are there."""
        for block in blocks:
            cleaned = self._clean_one(block)
            if cleaned.words:
                yield cleaned
            if self.full:
                return

    def finish(self, name: str) -> dict[str, int]:
        """Return the repairs, or say that nothing usable was there."""
        if self.repairs[NON_FINITE] > MAX_NON_FINITE * self.read:
            raise VectorsError(
                f"'{name}' is corrupt: {self.repairs[NON_FINITE]:,} of {self.read:,} vectors hold NaN or "
                "infinity; get the file again."
            )
        if not self.kept:
            raise VectorsError(f"'{name}' holds no usable word vectors ({self.read:,} rows read).")
        return {what: count for what, count in sorted(self.repairs.items()) if count}

    def _clean_one(self, block: Block) -> Block:
        self.repairs.update(block.repairs)
        words, matrix = block.words, block.matrix
        good = self._good_rows(words, matrix)
        if not good.all():
            matrix = matrix[good]
            words = [word for word, keep in zip(words, good.tolist(), strict=True) if keep]
        if self.top is not None and self.kept + len(words) > self.top:
            words = words[: self.top - self.kept]
            matrix = matrix[: len(words)]
            self.read -= len(good) - len(words)
        self.read += len(good)
        self.kept += len(words)
        return Block(words, matrix)

    def _good_rows(self, words: list[str], matrix: FloatMatrix) -> NDArray[np.bool_]:
        good = np.ones(len(words), dtype=bool)
        with np.errstate(over="ignore", invalid="ignore"):
            squares = np.einsum("ij,ij->i", matrix, matrix)  # one pass; only suspicious rows are looked at
        for row in np.flatnonzero((squares == 0) | ~np.isfinite(squares)).tolist():
            if not np.isfinite(matrix[row]).all():
                good[row] = False
                self.repairs[NON_FINITE] += 1
            elif not matrix[row].any():
                good[row] = False
                self.repairs[ZERO] += 1
        fresh = set(words)
        if len(fresh) == len(words) and "" not in fresh and self._seen.isdisjoint(fresh):
            if good.all():
                self._seen |= fresh
            else:
                self._seen.update(word for word, keep in zip(words, good.tolist(), strict=True) if keep)
            return good
        for row, word in enumerate(words):
            if not good[row]:
                continue
            if word == "" or word in self._seen:
                good[row] = False
                self.repairs[DUPLICATE if word else EMPTY] += 1
            else:
                self._seen.add(word)
        return good


def from_block(words: list[str], matrix: ArrayLike, *, name: str) -> WordVectors:
    """Make `WordVectors` from words and an array in memory, cleaned like a file would be."""
    array = as_matrix(matrix)
    if len(words) != len(array):
        raise VectorsError(f"{len(words):,} words but {len(array):,} vectors; there must be one vector per word.")
    if stranger := next((word for word in words if not isinstance(word, str)), None):
        raise VectorsError(f"the word {stranger!r} is a {type(stranger).__name__}; words must be strings.")
    return in_memory([Block(words, array)], name=name, format_name="arrays")


def in_memory(blocks: Iterable[Block], *, name: str, format_name: str, top: int | None = None) -> WordVectors:
    """Collect clean blocks into one array."""
    sieve = Sieve(top)
    kept = list(sieve.clean(blocks))
    repairs = sieve.finish(name)
    words = [word for block in kept for word in block.words]
    matrix = kept[0].matrix if len(kept) == 1 else np.concatenate([block.matrix for block in kept])
    return WordVectors(words, np.ascontiguousarray(matrix), name=name, format=format_name, repairs=repairs)

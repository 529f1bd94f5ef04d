"""Vectors that can be used where they are in a file, with their words: opened, but not yet read or checked.

Large ones are read through once, block by block; words and index are then kept in the cache, and the matrix stays
where it is (see `cache.adopt`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aslant.errors import VectorsError
from aslant.io.memory_maps import is_large, release
from aslant.vectors.mapped_words import MAX_TEXT, MappedWords, Table
from aslant.vectors.rows import Block
from aslant.vectors.word_vectors import as_matrix

#: Rows that are read at a time.
CHECKED_ROWS = 8192
LINE_END = ord("\n")
NOTHING = np.empty(0, np.uint32)


@dataclass(frozen=True)
class Unread:
    """`words[i]` has `matrix[i]`, a mapped array of any kind of numbers; `record` is what the file says about them."""

    words: Sequence[str]
    matrix: NDArray[Any]
    format: str
    record: dict[str, Any] = field(default_factory=dict)

    @property
    def large(self) -> bool:
        """Whether the matrix is too large to be copied to memory."""
        matrix = self.matrix
        return matrix.ndim == 2 and 0 not in matrix.shape and matrix.dtype.kind in "fiu" and is_large(matrix)

    @property
    def place(self) -> tuple[Path, int] | None:
        """Where the matrix lies as float32 in C order, so that it can be mapped again: file and first byte."""
        whole = self.matrix
        if not isinstance(whole, np.memmap) or whole.dtype != np.dtype("<f4") or not whole.flags.c_contiguous:
            return None
        return Path(str(whole.filename)), int(whole.offset)

    def blocks(self) -> Iterator[Block]:
        """Yield words and vectors, some thousand at a time, and hold on to nothing."""
        for start in range(0, len(self.matrix), CHECKED_ROWS):
            words = list(self.words[start : start + CHECKED_ROWS])
            yield Block(words, as_matrix(self.matrix[start : start + CHECKED_ROWS]))
            release(self.matrix)


def lines(text: bytes, damaged: str) -> MappedWords:
    """Return the lines of `text`, made into strings as they are used; `damaged` is the message if that cannot be.

    >>> lines(b"the\\nof", "damaged")
    ['the', 'of']
    """
    if len(text) >= MAX_TEXT:
        raise VectorsError(damaged)
    data = np.frombuffer(text, np.uint8)
    ends = np.append(np.flatnonzero(data == LINE_END), len(data))
    return MappedWords(Table(data, ends.astype(np.uint32), NOTHING, NOTHING), damaged)

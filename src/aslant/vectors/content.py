"""What identifies vectors: a digest of every word and every number, the same in any file that holds them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import xxhash

from aslant.io.memory_maps import release

#: Words, and rows, that are taken in at a time.
PART = 8192
#: Hexadecimal digits of a fingerprint.
DIGITS = 12


class Rows:
    """A digest of rows that come one block after the other (XXH3, 128 bits, which is faster than reading them).

    >>> one, two = Rows(), Rows()
    >>> one.add(np.eye(3))
    >>> for row in np.eye(3):
    ...     two.add(row[None])
    >>> one.with_words(["a", "b", "c"]) == two.with_words(["a", "b", "c"])
    True
    """

    def __init__(self) -> None:
        self._digest, self._shape = xxhash.xxh3_128(), (0, 0)

    def add(self, rows: Any) -> None:
        """Take in rows (n, dimensions), as float32."""
        self._digest.update(np.ascontiguousarray(rows, dtype="<f4").data)
        self._shape = (self._shape[0] + rows.shape[0], rows.shape[1])

    def with_words(self, words: Sequence[str]) -> str:
        """Return the digest of all rows and of their words."""
        whole = xxhash.xxh3_128(f"{self._shape}{self._digest.hexdigest()}".encode())
        for start in range(0, len(words), PART):
            whole.update("\n".join([*words[start : start + PART], ""]).encode("utf-8", "surrogatepass"))
        return whole.hexdigest()


def content_of(words: Sequence[str], matrix: Any) -> str:
    """Return the digest of vectors; a mapped file is read once, and its pages are let go of.

    >>> content_of(["a"], np.ones((1, 2))) == content_of(["a"], np.ones((1, 2), np.float32))
    True
    """
    rows = Rows()
    for start in range(0, len(matrix), PART):
        rows.add(matrix[start : start + PART])
        release(matrix)
    return rows.with_words(words)


def fingerprint_of(content: str, shared: Mapping[str, str], beyond: str) -> str:
    """Return the fingerprint of vectors by their content, what shares their rows, and what is `beyond` their words.

    >>> fingerprint_of("0123456789abcdef", {}, "")
    '0123456789ab'
    """
    if shared or beyond:
        whole = xxhash.xxh3_128(f"{content}{beyond}".encode())
        for pair in sorted(shared.items()):
            whole.update("\n".join([*pair, ""]).encode("utf-8", "surrogatepass"))
        content = whole.hexdigest()
    return content[:DIGITS]

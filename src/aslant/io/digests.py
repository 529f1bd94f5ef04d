"""The one checksum of all that is kept: a bit that flips on the disk is noticed, and no number changes unseen."""

from __future__ import annotations

import hashlib
from functools import cache

import numpy as np
from numpy.typing import NDArray

#: Bytes of a digest.
SIZE = 16


def digest(*parts: bytes) -> str:
    """Return what stands for these bytes, one part after the other: 32 hexadecimal digits.

    >>> digest(b"abc") == digest(b"ab", b"c"), len(digest())
    (True, 32)
    """
    made = hashlib.blake2b(digest_size=SIZE)
    for part in parts:
        made.update(part)
    return made.hexdigest()


def row_sums(rows: NDArray[np.float32]) -> NDArray[np.uint32]:
    """Return a checksum for each of float32 rows; (rows,) from (rows, dimensions).

    It is the sum of the 32-bit words of a row, each times an odd number of its own, modulo 2³²: a row in which one of
    them was changed never has the same. It costs less than reading the row.

    >>> one, same, other = row_sums(np.array([[1, 2], [1, 2], [2, 1]], dtype=np.float32))
    >>> bool(one == same), bool(one == other)
    (True, False)
    """
    words = np.ascontiguousarray(rows, dtype="<f4").view("<u4").astype(np.uint32, copy=False)
    return np.asarray(np.einsum("ij,j->i", words, _weights(rows.shape[1])), dtype=np.uint32)


@cache
def _weights(dimensions: int) -> NDArray[np.uint32]:
    """Return odd numbers that look random, the same on every machine."""
    return np.asarray(np.random.PCG64(0).random_raw(dimensions), np.uint64).astype(np.uint32) | np.uint32(1)

"""A checksum beside what is kept, so that a bit that flips on the disk is noticed and no number changes unseen."""

from __future__ import annotations

import hashlib
from functools import cache

import numpy as np
from numpy.typing import NDArray

#: Bytes of a seal.
SIZE = 16
_OPEN, _BETWEEN, _CLOSE = b'["', b'", ', b"]"
_LENGTH = len(_OPEN) + 2 * SIZE + len(_BETWEEN)


def sealed(content: bytes) -> bytes:
    """Return `content` with its seal at the end.

    >>> unsealed(sealed(b"abc")), unsealed(sealed(b"abc").replace(b"b", b"x")), unsealed(b"abc")
    (b'abc', None, None)
    """
    return content + _digest(content).digest()


def unsealed(content: bytes) -> bytes | None:
    """Return what was sealed, or None if it is not whole."""
    inner, seal = content[:-SIZE], content[-SIZE:]
    return inner if len(seal) == SIZE and _digest(inner).digest() == seal else None


def sealed_json(text: bytes) -> bytes:
    """Return JSON as JSON with a seal: a list of the seal and what is sealed.

    >>> sealed_json(b'{"a": 1}')
    b'["6903fb303cd60ccb0a2b9c2592fa773b", {"a": 1}]'
    """
    return _OPEN + _digest(text).hexdigest().encode() + _BETWEEN + text + _CLOSE


def unsealed_json(content: bytes) -> bytes | None:
    """Return the JSON that was sealed, or None if it is not whole.

    >>> unsealed_json(sealed_json(b'{"a": 1}')), unsealed_json(sealed_json(b'{"a": 1}').replace(b"1", b"2"))
    (b'{"a": 1}', None)
    """
    text = content[_LENGTH : -len(_CLOSE)]
    return text if content == sealed_json(text) else None


def _digest(content: bytes) -> hashlib.blake2b:
    return hashlib.blake2b(content, digest_size=SIZE)


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

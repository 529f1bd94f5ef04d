"""Reading and writing arrays that may be larger than memory, some rows at a time.

A page of a mapped file that was read stays with the process until the kernel wants it back, and brings its
neighbours with it: half a megabyte for each row, on some systems. Here such pages are released as soon as possible.
"""

from __future__ import annotations

import math
import mmap
import os
import tempfile
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

#: Arrays of fewer bytes are left alone: they may stay in memory.
LARGE = 256 << 20
#: A new array of up to this many bytes is made in memory, a larger one in a file.
HELD = 1 << 30
#: Rows that are picked from all over a large array before its pages are released.
PICKED = 64


def is_large(array: NDArray[Any]) -> bool:
    """Tell whether `array` is too large to be held in memory needlessly."""
    return array.nbytes >= LARGE


def release(array: NDArray[Any]) -> None:
    """Release the pages of a mapped file that `array` lies in, if it is large; they are read again when needed."""
    if not is_large(array) or not hasattr(mmap, "MADV_DONTNEED"):
        return
    base: Any = array
    shared = False  # whether its pages hold no changes that the file does not
    while isinstance(base, np.ndarray):
        if isinstance(base, np.memmap):
            shared = base.mode != "c"
        base = base.base
    if shared and isinstance(base, mmap.mmap):
        base.madvise(mmap.MADV_DONTNEED)


def picked_rows(matrix: NDArray[Any], rows: NDArray[np.integer[Any]]) -> NDArray[np.float32]:
    """Return a copy of the `rows` of `matrix`, shape (rows, dimensions), without holding on to more of a mapped one."""
    if not is_large(matrix):
        return np.array(matrix[rows], dtype=np.float32)
    out = np.empty((len(rows), matrix.shape[1]), np.float32)
    for start in range(0, len(rows), PICKED):
        out[start : start + PICKED] = matrix[rows[start : start + PICKED]]
        release(matrix)
    return out


def room_for(shape: tuple[int, int], folder: Path) -> NDArray[np.float32]:
    """Return a new array to be filled: in memory, or if it is very large, in a file without a name in `folder`.

    The file's disk space is reserved at once and freed with the array. Without enough of it, memory is used instead.
    """
    size = 4 * math.prod(shape)
    if size > HELD and hasattr(os, "posix_fallocate"):
        try:
            folder.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryFile(dir=folder) as file:
                os.posix_fallocate(file.fileno(), 0, size)  # a full disk must not show when a page is written back
                return np.memmap(file, np.float32, "r+", shape=shape)
        except OSError:
            pass
    return np.empty(shape, np.float32)


def row_sums(rows: NDArray[np.float32]) -> NDArray[np.uint32]:
    """Return a checksum for each of float32 rows; (rows,) from (rows, dimensions).

    It is the sum of the 32-bit words of a row, each times an odd number of its own, modulo 2³²: a row in which one of
    them was changed never has the same. It costs less than reading the row.
    """
    words = np.ascontiguousarray(rows, dtype="<f4").view("<u4").astype(np.uint32, copy=False)
    return np.asarray(np.einsum("ij,j->i", words, _weights(rows.shape[1])), dtype=np.uint32)


@cache
def _weights(dimensions: int) -> NDArray[np.uint32]:
    """Return odd numbers that look random, the same on every machine."""
    return np.asarray(np.random.PCG64(0).random_raw(dimensions), np.uint64).astype(np.uint32) | np.uint32(1)

"""Maps of all rows of an embedding, some thousand at a time: float64 inside, float32 out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aslant.data import cache_folder
from aslant.debias.words import FloatArray
from aslant.errors import DebiasError
from aslant.io.memory_maps import release, room_for
from aslant.vectors.word_vectors import FloatMatrix

#: Little enough that a block stays in cache, large enough for fast products.
BLOCK = 4096
#: Below this share of a vector's length, what is left of it is only rounding.
NOTHING = 1e-6


def mapped(
    matrix: NDArray[Any],
    change: Callable[[FloatArray, slice], FloatArray],
    words: Sequence[str] | None = None,
    *,
    unit: bool = False,
) -> FloatMatrix:
    """Return `change` of every block of rows, at unit length if requested; shape kept.

    `change` is given the block, which it may overwrite, and its position. `words` are the rows' names, for messages.

    >>> mapped(np.ones((2, 3), np.float32), lambda block, where: block * 2).tolist()
    [[2.0, 2.0, 2.0], [2.0, 2.0, 2.0]]
    """
    out = room_for((matrix.shape[0], matrix.shape[1]), cache_folder() / "vectors")
    for start in range(0, len(matrix), BLOCK):
        where = slice(start, min(start + BLOCK, len(matrix)))
        block = matrix[where].astype(np.float64)
        before = lengths(block)
        changed = change(block, where)
        after = lengths(changed)
        if (after <= NOTHING * before).any():
            row = start + int(np.argmax(after <= NOTHING * before))
            raise DebiasError(
                f"nothing is left of {repr(words[row]) if words else f'row {row}'}, which lies entirely in what is "
                "removed; remove fewer directions, or leave that word out of the embedding."
            )
        if unit:
            changed /= after
        out[where] = changed
        release(matrix)
        release(out)
    return out


def without_subspace(rows: FloatArray, basis: FloatArray) -> FloatArray:
    """Return rows (n, d) minus their projections on the subspace that the orthonormal `basis` (k, d) spans.

    >>> without_subspace(np.array([[3.0, 4.0]]), np.array([[1.0, 0.0]])).tolist()
    [[0.0, 4.0]]
    """
    return np.asarray(rows - (rows @ basis.T) @ basis)


def lengths(rows: FloatArray) -> FloatArray:
    """Return the length of each row, shape (n, 1)."""
    return np.asarray(np.sqrt(np.einsum("ij,ij->i", rows, rows))[:, None])

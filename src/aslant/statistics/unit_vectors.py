"""Vectors at length one."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


def unit_rows(vectors: NDArray[Any]) -> NDArray[np.float64]:
    """Scale each row to length one, in double precision; shape kept, and rows of zeros stay.

    >>> unit_rows(np.array([[3.0, 4.0]])).tolist()
    [[0.6, 0.8]]
    """
    array = np.asarray(vectors, dtype=np.float64)
    lengths = np.linalg.norm(array, axis=-1, keepdims=True)
    return np.asarray(np.divide(array, lengths, out=np.zeros_like(array), where=lengths > 0))

"""The principal directions of a matrix too large to be copied."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from aslant.errors import MeasureError, plural
from aslant.io.memory_maps import release

#: Rows that are read at a time.
BLOCK = 8192


def principal_axes(matrix: NDArray[Any], count: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the mean (d,) of the rows of `matrix` (n, d) and their first `count` principal directions (count, d).

    The largest coordinate of each direction is positive.

    >>> mean, axes = principal_axes(np.array([[3.0, 1.0], [1.0, 1.0], [2.0, 1.5], [2.0, 0.5]]), 1)
    >>> mean.tolist(), axes.tolist()
    ([2.0, 1.0], [[1.0, 0.0]])
    """
    n, d = matrix.shape
    if not 1 <= count <= d:
        raise MeasureError(f"{plural(count, 'direction')} requested; there are {plural(d, 'dimension')}.")
    total = np.zeros(d)
    for start in range(0, n, BLOCK):
        total += matrix[start : start + BLOCK].sum(axis=0, dtype=np.float64)
        release(matrix)
    mean = total / n
    products = np.zeros((d, d))
    for start in range(0, n, BLOCK):
        block = matrix[start : start + BLOCK].astype(np.float64) - mean
        products += block.T @ block
        release(matrix)
    axes = np.linalg.eigh(products)[1][:, ::-1][:, :count].T
    largest = np.take_along_axis(axes, np.abs(axes).argmax(axis=1)[:, None], axis=1)
    return mean, np.asarray(axes * np.sign(largest))

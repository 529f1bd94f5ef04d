"""Unit vectors, principal axes, and the components of word sets centred on their own means (Bolukbasi et al.)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from aslant.errors import MeasureError, plural
from aslant.io.memory_maps import release

#: Less variance than this, relative to the vectors' own size, is rounding.
NO_VARIANCE = 1e-12


def subspace(sets: Sequence[ArrayLike]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the principal components of centred sets, and the share of variance that each explains.

    `sets` are arrays (words, d), two words or more each; the answer has shapes (components, d) and (components,), with
    as many components as there are words more than sets (or d, if that is fewer). Each component points to the side
    on which the first words of the sets lie.

    >>> components, ratios = subspace([[[1.0, 0.0], [-1.0, 0.0]], [[3.0, 1.0], [1.0, 1.0]]])
    >>> components[0].tolist(), ratios.tolist()
    ([1.0, 0.0], [1.0, 0.0])
    """
    arrays = [np.asarray(words, dtype=np.float64) for words in sets]
    for array in arrays:
        if array.ndim != 2 or len(array) < 2 or not np.isfinite(array).all():
            shape = array.shape
            raise MeasureError(f"a set of vectors has shape {shape}; give words × dimensions, finite, two at least.")
    if not arrays or len({words.shape[1] for words in arrays}) > 1:
        raise MeasureError(f"{plural(len(arrays), 'set')} of vectors: give at least one, all of the same dimensions.")
    stacked = centred(arrays)
    _, singular, rows = np.linalg.svd(stacked, full_matrices=False)
    count = min(len(stacked) - len(arrays), stacked.shape[1])
    variance = singular**2
    size = max(float(np.square(words).sum()) for words in arrays)
    if variance.sum() <= NO_VARIANCE * size:
        raise MeasureError("the words of each set have the same vector, so there is no direction between them.")
    firsts = np.array([words[0] - words[1:].mean(axis=0) for words in arrays])
    lean = (firsts @ rows[:count].T).sum(axis=0)
    components = rows[:count] * np.where(lean < 0, -1.0, 1.0)[:, None] + 0.0
    return components, variance[:count] / variance.sum()


def explained_ratios(stacked: NDArray[np.float64], count: int) -> NDArray[np.float64]:
    """Return the shares of variance of the first `count` components of centred vectors, over any number of draws.

    `stacked` is (draws, words, d), already centred, or contrasts; the answer is (draws, count). The Gram matrix of the
    words has the same eigenvalues as their scatter matrix, and is much smaller.
    """
    eigenvalues = np.linalg.eigvalsh(stacked @ stacked.swapaxes(-1, -2))[..., ::-1]
    positive = np.clip(eigenvalues, 0, None)
    return np.asarray(positive[..., :count] / positive.sum(axis=-1, keepdims=True))


def contrasts(words: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return rows (…, k − 1, d) with the scatter that words (…, k, d) have around their mean: Helmert's contrasts.

    >>> round(float(contrasts(np.array([[3.0], [1.0]]))[0, 0] ** 2), 9)  # as (3 − 2)² + (1 − 2)²
    2.0
    """
    from scipy.linalg import helmert

    return np.asarray(helmert(words.shape[-2]) @ words)


def centred(sets: Sequence[NDArray[np.float64]]) -> NDArray[np.float64]:
    """Centre each set (words, d) on its own mean, and stack them."""
    return np.concatenate([words - words.mean(axis=0) for words in sets])


def unit_rows(vectors: NDArray[Any]) -> NDArray[np.float64]:
    """Scale each row to length one, in double precision; shape kept, and rows of zeros stay.

    >>> unit_rows(np.array([[3.0, 4.0]])).tolist()
    [[0.6, 0.8]]
    """
    array = np.asarray(vectors, dtype=np.float64)
    lengths = np.linalg.norm(array, axis=-1, keepdims=True)
    return np.asarray(np.divide(array, lengths, out=np.zeros_like(array), where=lengths > 0))


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

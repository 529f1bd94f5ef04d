"""Neighbours of professions: whether biased words still keep the company of words of their side (MEASURES §6)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from slant.errors import MeasureError
from slant.measures.correlations import correlation
from slant.measures.spreads import spread
from slant.measures.wordsets import FloatArray
from slant.results import NeighbourShare, ResidualNeighbours

#: Rows of similarities held at a time, and how many of them set a first bound on the k nearest.
BLOCK, SAMPLE = 1 << 10, 1 << 11
#: Neighbours are at most this share of the words among which they are sought, so that they are a choice.
MOST_OF_POOL = 1 / 3
SHUFFLES = 999


def nearest(queries: NDArray[Any], pool: NDArray[Any], k: int, own: NDArray[np.intp] | None = None) -> NDArray[np.intp]:
    """Return the rows of `pool` nearest to each query by cosine; shape (queries, k), from (queries, d) and (pool, d).

    Vectors are at unit length. `own[i]` is the row of `pool` that is query i itself, which is never its neighbour; −1
    where there is none. The k rows of a query come in ascending order of their number.

    >>> points = np.array([[1.0, 0.0], [0.8, 0.6], [0.0, 1.0]], dtype=np.float32)
    >>> nearest(points, points, 1, own=np.arange(3)).tolist()
    [[1], [0], [1]]
    """
    left = len(pool) - (0 if own is None else 1)
    if not 1 <= k <= left:
        raise MeasureError(f"{k} neighbours cannot be found among {left} words; give a smaller k.")
    found = np.empty((len(queries), k), dtype=np.intp)
    rows = np.ascontiguousarray(pool, dtype=np.float32)
    for start in range(0, len(queries), BLOCK):
        block = np.ascontiguousarray(queries[start : start + BLOCK], dtype=np.float32)
        similarity = block @ rows.T
        if own is not None:
            mine = own[start : start + BLOCK]
            known = np.flatnonzero(mine >= 0)
            similarity[known, mine[known]] = -np.inf
        for number, row in enumerate(similarity, start):
            found[number] = _largest(row, k)
    return found


def _largest(row: NDArray[np.float32], k: int) -> NDArray[np.intp]:
    """Return the places of the k largest, in ascending order.

    The k-th largest of some entries is never above the k-th largest of all, so what is below it can be passed over:
    one comparison instead of a partition of the whole row.
    """
    sample = row[: max(SAMPLE, 2 * k)]
    bound = np.partition(sample, len(sample) - k)[len(sample) - k]
    places = np.flatnonzero(row >= bound)
    values = row[places]
    kept = np.argpartition(values, len(values) - k)[len(values) - k :]
    return np.sort(places[kept])


def neighbour_shares(neighbours: NDArray[np.intp], leans: NDArray[np.bool_]) -> FloatArray:
    """Return the share of each row's neighbours that lean to the first side; (queries,), from (queries, k), (pool,).

    >>> neighbour_shares(np.array([[0, 1], [1, 2]]), np.array([True, True, False])).tolist()
    [1.0, 0.5]
    """
    return np.asarray(leans[neighbours].mean(axis=1))


def shuffled_correlations(
    neighbours: NDArray[np.intp], leans: NDArray[np.bool_], bias: FloatArray, random: np.random.Generator
) -> FloatArray:
    """Return Pearson's correlation with `bias` after each of 999 shuffles of the leanings; constant shares give 0.

    Words that share neighbours are not independent, so these spread wider than Pearson's own p-value supposes.
    """
    centred = bias - bias.mean()
    shares = np.array([neighbour_shares(neighbours, random.permutation(leans)) for _ in range(SHUFFLES)])
    shares -= shares.mean(axis=1, keepdims=True)
    lengths = np.linalg.norm(shares, axis=1) * np.linalg.norm(centred)
    return np.asarray(np.divide(shares @ centred, lengths, out=np.zeros(SHUFFLES), where=lengths > 0))


def measure_neighbours(
    words: Sequence[str],
    queries: FloatArray,
    bias: FloatArray,
    pool: NDArray[Any],
    pool_bias: FloatArray,
    own: NDArray[np.intp],
    k: int,
    random: np.random.Generator,
) -> ResidualNeighbours:
    """Correlate the share of first-side words among the k nearest of each query with the query's original bias.

    `queries` (n, d) and `pool` (m, d) are unit vectors in the space under test; `bias` (n,) and `pool_bias` (m,) come
    from the original one; `own` as in `nearest`.
    """
    used = min(k, int((len(pool) - 1) * MOST_OF_POOL))
    if used < 1 or len(words) < 3:
        raise MeasureError(f"{len(words)} words and {len(pool)} possible neighbours are too few for a correlation.")
    found, leans = nearest(queries, pool, used, own), pool_bias > 0
    shares = neighbour_shares(found, leans)
    chances, pearson = shuffled_correlations(found, leans, bias, random), correlation("", shares, bias)
    as_far = None if pearson is None else int(np.count_nonzero(np.abs(chances) >= abs(pearson.pearson) - 1e-12))
    return ResidualNeighbours(
        correlation=pearson.pearson if pearson else None,
        pvalue=pearson.pearson_pvalue if pearson else None,
        spearman=pearson.spearman if pearson else None,
        spearman_pvalue=pearson.spearman_pvalue if pearson else None,
        shuffled_pvalue=None if as_far is None else (1 + as_far) / (1 + SHUFFLES),
        chance=spread(chances),
        k=used,
        asked_k=k,
        among=len(pool),
        by_word=tuple(
            NeighbourShare(word, b, share) for word, b, share in zip(words, bias.tolist(), shares.tolist(), strict=True)
        ),
    )

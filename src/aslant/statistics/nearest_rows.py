"""The rows nearest to each query, in pieces that stay in cache; and two clusters by k-means."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aslant.errors import MeasureError, plural
from aslant.parallel import in_order, one_thread_each
from aslant.statistics.compiled import compiled

#: Queries and rows in a piece: 160 × 1,024 products are 0.6 MB, which a core's own cache holds.
QUERIES, ROWS = 160, 1024


def nearest(queries: NDArray[Any], pool: NDArray[Any], k: int, own: NDArray[np.intp] | None = None) -> NDArray[np.intp]:
    """Return the rows of `pool` nearest to each query by cosine; shape (queries, k), from (queries, d) and (pool, d).

    Vectors are at unit length. `own[i]` is the row of `pool` that is query i itself, which is never its neighbour; −1
    where there is none. The k rows of a query come in ascending order of their number; of equal cosines the
    first rows count.

    >>> points = np.array([[1.0, 0.0], [0.8, 0.6], [0.0, 1.0]], dtype=np.float32)
    >>> nearest(points, points, 1, own=np.arange(3)).tolist()
    [[1], [0], [1]]
    """
    left = len(pool) - (0 if own is None else 1)
    if not 1 <= k <= left:
        raise MeasureError(f"{plural(k, 'neighbour')} cannot be found among {plural(left, 'word')}; give a smaller k.")
    rows = np.ascontiguousarray(pool, dtype=np.float32)
    mine = np.full(len(queries), -1, dtype=np.intp) if own is None else np.asarray(own, dtype=np.intp)

    def of_block(start: int) -> NDArray[np.intp]:
        block = np.ascontiguousarray(queries[start : start + QUERIES], dtype=np.float32)

        def fill(first: int, products: NDArray[np.float32]) -> None:
            np.matmul(block, rows[first : first + ROWS].T, out=products)

        return _best(fill, len(rows), k, mine[start : start + QUERIES])

    with one_thread_each(), closing(in_order(of_block, range(0, len(queries), QUERIES))) as blocks:
        return np.concatenate(list(blocks)) if len(queries) else np.empty((0, k), dtype=np.intp)


def shares_without(
    queries: NDArray[np.float32],
    pool: NDArray[np.float32],
    directions: NDArray[np.float32],
    k: int,
    own: NDArray[np.intp],
    left_out: NDArray[np.intp],
) -> NDArray[np.float64]:
    """Take each direction out of the space, and find which share of a query's k nearest lay on its positive side.

    Shape (directions, queries), from (queries, d), (pool, d) and (directions, d), all at unit length. `own` as in
    `nearest`; `left_out` (directions, any) are rows of `pool` that are not neighbours, −1 where there is none. Taking
    out g turns a cosine into (cos − q·g p·g) / √(1 − (q·g)²) √(1 − (p·g)²): products are computed once for all g.

    >>> points = np.array([[0.6, 0.8], [-0.6, 0.8], [0.8, -0.6]], dtype=np.float32)
    >>> none = np.full((1, 1), -1)
    >>> shares_without(points, points, np.array([[1.0, 0.0]], np.float32), 1, np.arange(3), none).tolist()
    [[0.0, 1.0, 1.0]]
    """
    along = directions @ pool.T
    lengths = 1 / np.sqrt(np.maximum(1 - along**2, 1e-6))

    def of_block(start: int) -> NDArray[np.float64]:
        block = queries[start : start + QUERIES]
        cosines, parts = block @ pool.T, block @ directions.T
        shares = np.empty((len(directions), len(block)))
        for i in range(len(directions)):

            def fill(first: int, products: NDArray[np.float32], i: int = i) -> None:
                piece = slice(first, first + ROWS)
                np.multiply(parts[:, i, None], along[i, piece], out=products)
                np.subtract(cosines[:, piece], products, out=products)
                products *= lengths[i, piece]
                products[:, [row - first for row in left_out[i] if first <= row < first + ROWS]] = -np.inf

            near = _best(fill, len(pool), k, own[start : start + QUERIES])
            shares[i] = (along[i] > 0)[near].mean(axis=1)
        return shares

    with one_thread_each(), closing(in_order(of_block, range(0, len(queries), QUERIES))) as blocks:
        return np.concatenate(list(blocks), axis=1)


def _best(
    fill: Callable[[int, NDArray[np.float32]], None], size: int, k: int, own: NDArray[np.intp]
) -> NDArray[np.intp]:
    """Return the k of `size` rows with the largest products for each query, (queries, k), in ascending order.

    `fill(first, products)` puts the products with the rows from `first` on into an array (queries, up to 1,024).
    """
    scan = compiled(_scan, nogil=True)
    values = np.full((len(own), k), -np.inf, dtype=np.float32)
    places = np.full((len(own), k), -1, dtype=np.intp)
    room = np.empty(len(own) * ROWS, dtype=np.float32)
    for first in range(0, size, ROWS):
        width = min(ROWS, size - first)
        products = room[: len(own) * width].reshape(len(own), width)
        fill(first, products)
        scan(products, first, own, values, places)
    return np.sort(places, axis=1)


def _scan(products: Any, first: int, own: Any, values: Any, places: Any) -> None:
    """Put what is larger than the least of a query's heap into it; `values` (queries, k) are heaps, least on top.

    Of equal values the later row is the lesser. Rows come in ascending order, so one that equals the top stays out.
    """
    n_queries, n_rows = products.shape
    k = values.shape[1]
    for q in range(n_queries):
        row, heap, place = products[q], values[q], places[q]
        for start in range(0, n_rows, 16):
            end = min(start + 16, n_rows)
            highest = row[start]
            for w in range(start + 1, end):
                highest = max(highest, row[w])
            if highest <= heap[0]:
                continue
            for w in range(start, end):
                value = row[w]
                if value <= heap[0] or first + w == own[q]:
                    continue
                at = 0  # sink to where both below are larger
                while 2 * at + 1 < k:
                    below = 2 * at + 1
                    if below + 1 < k and (
                        heap[below + 1] < heap[below]
                        or (heap[below + 1] == heap[below] and place[below + 1] > place[below])
                    ):
                        below += 1
                    if heap[below] >= value:
                        break
                    heap[at], place[at] = heap[below], place[below]
                    at = below
                heap[at], place[at] = value, first + w


def two_clusters(vectors: NDArray[Any], random: np.random.Generator) -> NDArray[np.intp]:
    """Split vectors (n, d) into two clusters by k-means; returns 0 or 1 per row.

    Ten starts, the best kept. One thread, so that sums are taken in one order and a seed gives one answer.

    >>> found = two_clusters(np.array([[0.0], [0.1], [5.0], [5.1]]), np.random.default_rng(0))
    >>> bool(found[0] == found[1] != found[2] == found[3])
    True
    """
    from sklearn.cluster import KMeans

    with one_thread_each():
        means = KMeans(n_clusters=2, n_init=10, random_state=int(random.integers(2**31)))
        return np.asarray(means.fit_predict(vectors), dtype=np.intp)


def clustering_accuracy(clusters: NDArray[np.intp], labels: NDArray[np.bool_]) -> float:
    """Return the share of rows whose cluster is that of their label, for the better naming of the clusters.

    The better of two is never below 0.5, so chance is above it: by about 0.4 / √n for n rows.

    >>> clustering_accuracy(np.array([1, 1, 0, 0]), np.array([False, False, True, False]))
    0.75
    """
    agree = float(np.mean((clusters == 1) == labels))
    return max(agree, 1 - agree)

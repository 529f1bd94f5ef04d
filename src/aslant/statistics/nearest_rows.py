"""The rows nearest to each query, in pieces that stay in cache; and two clusters by k-means."""

from __future__ import annotations

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
    scan = compiled(_scan, nogil=True)

    def of_block(start: int) -> NDArray[np.intp]:
        block = np.ascontiguousarray(queries[start : start + QUERIES], dtype=np.float32)
        values = np.full((len(block), k), -np.inf, dtype=np.float32)
        places = np.full((len(block), k), -1, dtype=np.intp)
        room = np.empty(len(block) * ROWS, dtype=np.float32)
        for first in range(0, len(rows), ROWS):
            piece = rows[first : first + ROWS]
            products = room[: len(block) * len(piece)].reshape(len(block), len(piece))
            np.matmul(block, piece.T, out=products)
            scan(products, first, mine[start : start + QUERIES], values, places)
        return np.sort(places, axis=1)

    with one_thread_each(), closing(in_order(of_block, range(0, len(queries), QUERIES))) as blocks:
        return np.concatenate(list(blocks)) if len(queries) else np.empty((0, k), dtype=np.intp)


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

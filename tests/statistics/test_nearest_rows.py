"""The nearest rows are those of a sort, in blocks of any size; clusters are named as well as they can be."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from aslant.errors import MeasureError
from aslant.statistics import clustering_accuracy, nearest, nearest_rows, two_clusters


def sorted_nearest(products: Any, k: int, own: Any, left_out: Any = ()) -> list[list[int]]:
    """Sort the rows of each query by product, the first of equals first."""
    found = []
    for query, values in enumerate(products):
        rows = [row for row in range(len(values)) if row != own[query] and row not in left_out]
        found.append(sorted(sorted(rows, key=lambda row: (-values[row], row))[:k]))
    return found


@pytest.mark.parametrize("k", [1, 2, 7, 36])
@pytest.mark.parametrize(("queries", "rows"), [(160, 1024), (3, 10), (4, 17)])
def test_the_nearest_rows_are_those_of_a_sort_with_ties(
    k: int, queries: int, rows: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(nearest_rows, "QUERIES", queries)
    monkeypatch.setattr(nearest_rows, "ROWS", rows)
    rng = np.random.default_rng(k)
    pool = rng.integers(-2, 3, (37, 3))  # whole numbers: many ties
    asked = rng.permutation(37)[:10]
    assert nearest(pool[asked], pool, k).tolist() == sorted_nearest(pool[asked] @ pool.T, k, [-1] * 10)
    assert nearest(pool[asked], pool, k, asked).tolist() == sorted_nearest(pool[asked] @ pool.T, k, asked)


def test_as_many_neighbours_can_be_asked_for_as_there_are_other_rows() -> None:
    points = np.eye(4, dtype=np.float32)
    assert nearest(points, points, 4).shape == (4, 4)
    assert nearest(points, points, 3, np.arange(4)).shape == (4, 3)
    assert nearest(points[:0], points, 3).shape == (0, 3)
    for k, own in ((0, None), (5, None), (4, np.arange(4))):
        with pytest.raises(MeasureError, match="cannot be found among"):
            nearest(points, points, k, own)


@pytest.mark.parametrize(("queries", "rows"), [(160, 1024), (4, 11)])
def test_shares_without_a_direction_are_those_of_vectors_without_it(
    queries: int, rows: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(nearest_rows, "QUERIES", queries)
    monkeypatch.setattr(nearest_rows, "ROWS", rows)
    rng = np.random.default_rng(0)
    pool, directions = (rng.normal(size=(n, 6)) for n in (40, 3))
    pool, directions = (array / np.linalg.norm(array, axis=1, keepdims=True) for array in (pool, directions))
    own = np.array([5, -1, 39, 0, 7, 30, 20, 11, 12])
    left_out = np.array([[3, 38, 10], [11, 21, -1], [0, 1, 2]])
    asked = pool[own]
    q, p, d = (array.astype(np.float32) for array in (asked, pool, directions))
    found = nearest_rows.shares_without(q, p, d, 7, own, left_out)
    for i, g in enumerate(directions):
        rest = pool - np.outer(pool @ g, g)
        rest /= np.linalg.norm(rest, axis=1, keepdims=True)
        near = sorted_nearest((asked - np.outer(asked @ g, g)) @ rest.T, 7, own, left_out[i])
        assert found[i].tolist() == [np.mean([pool[row] @ g > 0 for row in rows]) for rows in near]


def test_a_neighbour_at_right_angles_to_the_direction_lies_on_neither_side() -> None:
    points = np.array([[0.6, 0.8], [0.0, 1.0]], dtype=np.float32)
    for side in (1, -1):
        directions = np.array([[side, 0]], dtype=np.float32)
        assert (
            nearest_rows.shares_without(points[:1], points, directions, 1, np.zeros(1, int), np.full((1, 1), -1)) == 0
        )


def test_a_row_along_the_direction_itself_is_still_compared() -> None:
    points = np.eye(3, dtype=np.float32)[[0, 1, 1, 2]]
    shares = nearest_rows.shares_without(points, points, points[:1], 2, np.arange(4), np.full((1, 1), -1))
    assert np.isfinite(shares).all()


def test_clusters_are_found_and_their_accuracy_is_that_of_the_better_naming() -> None:
    rng = np.random.default_rng(0)
    labels = rng.random(30) < 0.4
    found = two_clusters(rng.normal(size=(30, 2)) + 9 * labels[:, None], np.random.default_rng(1))
    assert set(found.tolist()) == {0, 1}
    assert clustering_accuracy(found, labels) == clustering_accuracy(1 - found, labels) == 1
    wrong = found.copy()
    wrong[:3] = 1 - wrong[:3]
    assert clustering_accuracy(wrong, labels) == pytest.approx(0.9)

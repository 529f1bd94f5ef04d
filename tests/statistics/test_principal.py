"""Principal directions of a large matrix are those of scikit-learn."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.decomposition import PCA

from aslant.errors import MeasureError
from aslant.statistics import principal_axes
from aslant.statistics.subspaces import BLOCK, explained_ratios, subspace, unit_rows


def test_directions_and_mean_are_those_of_scikit_learn() -> None:
    rows = np.random.default_rng(0).normal(size=(2 * BLOCK + 5, 6)) * [5, 4, 3, 2, 1, 0.5] + 7
    mean, axes = principal_axes(rows.astype(np.float32), 3)
    pca = PCA(3).fit(rows)
    assert np.allclose(mean, pca.mean_, atol=1e-5)
    assert np.allclose(np.abs((axes * pca.components_).sum(axis=1)), 1, atol=1e-6)
    assert (np.take_along_axis(axes, np.abs(axes).argmax(axis=1)[:, None], axis=1) > 0).all()


@pytest.mark.parametrize("count", [0, 7])
def test_more_directions_than_dimensions_are_refused(count: int) -> None:
    with pytest.raises(MeasureError, match=f"{count} directions requested"):
        principal_axes(np.ones((9, 6)), count)


def test_shares_of_variance_are_those_of_singular_values() -> None:
    stacks = np.random.default_rng(1).normal(size=(4, 5, 7))
    stacks -= stacks.mean(axis=1, keepdims=True)
    for count in (1, 3):
        found = explained_ratios(stacks, count)
        for shares, words in zip(found, stacks, strict=True):
            variances = np.linalg.svd(words)[1] ** 2
            np.testing.assert_allclose(shares, variances[:count] / variances.sum())
    assert (explained_ratios(np.eye(3)[None, [0, 0, 1]], 3) >= 0).all()


@pytest.mark.parametrize("side", [1.0, -1.0])
def test_components_hold_no_negative_zeros_whichever_way_they_were_turned(side: float) -> None:
    components, _ = subspace([np.array([[side, 0.0], [-side, 0.0]])])
    assert components.tolist() == [[side, 0.0]]
    assert not np.signbit(components[components == 0]).any()


@pytest.mark.parametrize(("sizes", "d"), [((2, 2, 2), 5), ((3, 2), 2), ((4,), 6)])
def test_components_are_those_of_sets_each_around_its_mean(sizes: tuple[int, ...], d: int) -> None:
    sets = [np.random.default_rng(i).normal(size=(size, d)) + 5 * i for i, size in enumerate(sizes)]
    components, ratios = subspace(sets)
    rows = np.array([word - words.mean(axis=0) for words in sets for word in words])
    values, vectors = np.linalg.eigh(sum(np.outer(row, row) for row in rows))
    count = min(sum(sizes) - len(sizes), d)
    assert components.shape == (count, d)
    np.testing.assert_allclose(ratios, values[::-1][:count] / values.sum(), atol=1e-12)
    np.testing.assert_allclose(np.abs((components * vectors.T[::-1][:count]).sum(axis=1)), 1)
    for component in components:  # the first words of the sets lie on its positive side
        assert sum((words[0] - words[1:].mean(axis=0)) @ component for words in sets) > 0


def test_sets_without_variance_or_of_other_shapes_are_refused() -> None:
    nearly = [[1.0], [0.0]] * np.ones(3)
    for same in (np.ones((2, 3)), nearly + 1e9):  # of numbers as large as these, 1 is rounding
        with pytest.raises(MeasureError, match="same vector"):
            subspace([same])
    assert subspace([nearly + 1e3])[1].tolist() == [1.0]
    for bad in ([], [np.ones(3)], [np.ones((1, 3))], [np.full((2, 3), np.nan)], [np.eye(2), np.eye(3)]):
        with pytest.raises(MeasureError, match="of vectors"):
            subspace(bad)


def test_unit_rows_have_length_one_and_zeros_stay() -> None:
    rows = np.random.default_rng(2).normal(size=(2, 4, 3))
    rows[1, 2] = 0
    found = unit_rows(rows)
    np.testing.assert_allclose(np.linalg.norm(found, axis=-1), np.where((rows == 0).all(axis=-1), 0, 1))
    np.testing.assert_allclose(found * np.linalg.norm(rows, axis=-1, keepdims=True), rows)

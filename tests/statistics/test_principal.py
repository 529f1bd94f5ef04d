"""Principal directions of a large matrix are those of scikit-learn."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.decomposition import PCA

from aslant.errors import MeasureError
from aslant.statistics import principal_axes
from aslant.statistics.subspaces import BLOCK


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

"""Claims about bootstrap means: how draws are distributed, and that blocks do not matter."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from aslant.errors import MeasureError
from aslant.statistics import bootstrap_means, cluster_bootstrap_means, intervals


@pytest.mark.parametrize("place", range(4))
def test_every_value_is_drawn_as_often_as_any_other(place: int) -> None:
    """How often one of n values is drawn, in n draws, is binomial with p = 1/n."""
    n = 4
    values = np.zeros(n)
    values[place] = n
    counts = bootstrap_means(values, 20_000, np.random.default_rng(place))
    observed = np.bincount(counts.astype(int), minlength=n + 1)
    expected = stats.binom.pmf(range(n + 1), n, 1 / n) * 20_000
    assert stats.chisquare(observed, expected).pvalue > 1e-3


def test_means_vary_as_theory_says() -> None:
    values = np.random.default_rng(0).gamma(2.0, size=30)
    means = bootstrap_means(values, 40_000, np.random.default_rng(1))
    assert means.mean() == pytest.approx(values.mean(), abs=4 * means.std() / 200)
    assert means.std() == pytest.approx(values.std() / np.sqrt(30), rel=0.02)


@pytest.mark.parametrize("block", [7, 35, 36, 70, 10_000])
def test_blocks_of_any_size_give_the_same_means(block: int, monkeypatch: pytest.MonkeyPatch) -> None:
    values = np.random.default_rng(0).normal(size=7)
    whole = bootstrap_means(values, 23, np.random.default_rng(3))
    clusters = cluster_bootstrap_means(values, np.arange(1, 8), np.zeros(7), 23, np.random.default_rng(3))
    monkeypatch.setattr(intervals, "_BLOCK", block)
    np.testing.assert_array_equal(bootstrap_means(values, 23, np.random.default_rng(3)), whole)
    np.testing.assert_array_equal(
        cluster_bootstrap_means(values, np.arange(1, 8), np.zeros(7), 23, np.random.default_rng(3)), clusters
    )


def test_more_numbers_than_a_block_holds_are_drawn_in_several() -> None:
    values = np.arange(3000.0)
    n = intervals._BLOCK // 3000 + 2
    means = bootstrap_means(values, n, np.random.default_rng(0))
    assert means.shape == (n,)
    assert abs(means - 1499.5).max() < 6 * values.std() / np.sqrt(3000)


def test_whole_clusters_are_drawn_within_their_stratum() -> None:
    """Two strata of two clusters: each is drawn 0, 1 or 2 times, and a stratum always has two."""
    sums = np.array([[1.0, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]])
    drawn = 4 * cluster_bootstrap_means(sums, np.ones(4), [0, 0, 1, 1], 8_000, np.random.default_rng(0))
    np.testing.assert_allclose(drawn[:, :2].sum(axis=1), 2)
    np.testing.assert_allclose(drawn[:, 2:].sum(axis=1), 2)
    for column in drawn.T:
        observed = np.bincount(np.rint(column).astype(int), minlength=3)
        assert stats.chisquare(observed, [2000, 4000, 2000]).pvalue > 1e-3


def test_a_cluster_counts_by_its_size() -> None:
    means = cluster_bootstrap_means([0.0, 30.0], [1, 3], [0, 0], 4_000, np.random.default_rng(0))
    assert set(np.round(means, 6)) == {0.0, 7.5, 10.0}


@pytest.mark.parametrize("values", [[], [[1.0]], 3.0])
def test_no_list_of_numbers_is_refused(values: object) -> None:
    with pytest.raises(MeasureError, match="give one list of numbers"):
        bootstrap_means(values, 3, np.random.default_rng(0))  # type: ignore[arg-type]


@pytest.mark.parametrize(("sums", "sizes", "strata"), [([1.0, 2.0], [1], [0, 0]), ([1.0], [1], [0, 0]), ([], [], [])])
def test_clusters_without_their_size_or_stratum_and_no_clusters_are_refused(
    sums: list[float], sizes: list[int], strata: list[int]
) -> None:
    said = f"{len(sums)} sums, {len(sizes)} sizes, {len(strata)} strata: give one of each, and some"
    with pytest.raises(MeasureError, match=said):
        cluster_bootstrap_means(sums, sizes, strata, 3, np.random.default_rng(0))

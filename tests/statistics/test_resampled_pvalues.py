"""Permutation p-values of correlations, differences and several groups: those of a loop over every order."""

from __future__ import annotations

import functools
import itertools
from typing import Any

import numpy as np
import pytest
from scipy import stats

from aslant.errors import MeasureError
from aslant.statistics import partition_pvalue, resampled_pvalues
from aslant.statistics.resampled_pvalues import (
    correlation_pvalue,
    rank_correlation_pvalue,
    rank_correlations,
    regrouping_pvalue,
    sign_flip_pvalue,
)  # fmt: skip

SCALES = (1e-6, 1.0, 1e6)


def draw(seed: int, *shape: int, whole: bool = False) -> Any:
    rng = np.random.default_rng(seed)
    return rng.integers(-3, 4, shape).astype(float) if whole else rng.normal(size=shape)


@pytest.mark.parametrize("seed", range(6))
def test_rank_correlations_are_scipys(seed: int) -> None:
    x, y = draw(seed, 2, 5, 9, whole=seed % 2 == 0)
    x[3] = 2.0  # a row without a rho
    expected = [stats.spearmanr(*rows).statistic if i != 3 else np.nan for i, rows in enumerate(zip(x, y, strict=True))]
    np.testing.assert_allclose(rank_correlations(x, y), expected, atol=1e-12)


@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("whole", [True, False])
@pytest.mark.parametrize("n", [3, 5])
def test_a_few_pairs_are_compared_with_all_their_orders(n: int, whole: bool, scale: float) -> None:
    x, y = draw(n, 2, n, whole=whole)
    orders = list(itertools.permutations(range(n)))
    for function, series in ((correlation_pvalue, (x, y)), (rank_correlation_pvalue, map(stats.rankdata, (x, y)))):
        first, second = series
        rho = [abs(np.corrcoef(first, second[list(order)])[0, 1]) for order in orders]
        assert function(scale * x, y / scale + scale) == np.mean(np.array(rho) >= rho[0] - 1e-9)


@pytest.mark.parametrize("function", [correlation_pvalue, rank_correlation_pvalue])
def test_eight_pairs_are_exact_and_nine_are_drawn(function: Any) -> None:
    assert function(range(8), range(8), n_resamples=10) == 2 / 40_320
    assert function(range(9), range(9), n_resamples=10) == 1 / 11
    x, y = draw(2, 2, 9)
    assert function(x, y, n_resamples=2, rng=0) in {1 / 3, 2 / 3, 1.0}
    assert function(x, -x, n_resamples=99) == 1 / 100  # both sides count
    assert function([0.0] * 4 + [1.0] * 5, [0.0, 1.0] * 4 + [0.0], n_resamples=999) > 0.5
    known = stats.pearsonr(x, y) if function is correlation_pvalue else stats.spearmanr(x, y)
    assert function(x, y, n_resamples=20_000) == pytest.approx(known.pvalue, abs=0.03)


def test_series_of_other_lengths_are_refused() -> None:
    for x, y in (([1.0, 2.0], [1.0]), ([], []), ([[1.0]], [[1.0]])):
        with pytest.raises(MeasureError, match="give two of one length"):
            correlation_pvalue(x, y)
    assert correlation_pvalue([1.0], [2.0]) == 1


@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("whole", [True, False])
@pytest.mark.parametrize("n", [1, 2, 7])
def test_differences_are_compared_with_all_their_signs(n: int, whole: bool, scale: float) -> None:
    values = scale * (draw(n, n, whole=whole) + 0.5)
    sums = [abs(sum(signs * values)) for signs in itertools.product((1, -1), repeat=n)]
    assert sign_flip_pvalue(values) == np.mean(np.array(sums) >= sums[0] - 1e-9 * scale)


@pytest.mark.parametrize("block", [1, 40, 1 << 22])
def test_more_than_sixteen_differences_are_drawn_in_blocks(block: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(resampled_pvalues, "_BLOCK", block)
    assert sign_flip_pvalue([1.0] * 16, n_resamples=10) == 2 / 2**16
    assert sign_flip_pvalue([1.0] * 17, n_resamples=10) == 1 / 11
    assert sign_flip_pvalue([1.0] + [0.0] * 16, n_resamples=11) == 1, "not more draws than asked for in the last block"
    values = draw(3, 17) + 0.3
    sums = functools.reduce(lambda sums, value: np.append(sums + value, sums - value), values, np.zeros(1))
    expected = np.mean(np.abs(sums) >= sums[0] - 1e-9)
    assert sign_flip_pvalue(values, n_resamples=3000) == pytest.approx(expected, abs=0.03)
    one = sign_flip_pvalue(values, n_resamples=41, rng=1)
    assert round(one * 42) == pytest.approx(one * 42)


@pytest.mark.parametrize("bad", [[], [[1.0]], [1.0, float("nan")], [float("inf")]])
def test_differences_that_are_not_numbers_are_refused(bad: Any) -> None:
    with pytest.raises(MeasureError, match="give one list of finite numbers"):
        sign_flip_pvalue(bad)


def all_partitions(scores: Any, sizes: Any) -> Any:
    """The statistic of each distinct way to put the words into groups; the observed one first."""
    labels = np.repeat(range(len(sizes)), sizes)
    ways = {tuple(order) for order in itertools.permutations(labels.tolist())} - {tuple(labels)}
    return np.array([
        sum(scores[i, g] / sizes[g] for i, g in enumerate(way)) for way in (tuple(labels.tolist()), *ways)
    ])  # fmt: skip


@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("whole", [True, False])
@pytest.mark.parametrize("sizes", [(2, 2), (1, 4), (1, 2, 3), (2, 2, 2), (1, 1, 2, 2)])
def test_groups_are_compared_with_every_other_partition(sizes: Any, whole: bool, scale: float) -> None:
    scores = draw(len(sizes), sum(sizes), len(sizes), whole=whole)
    found = regrouping_pvalue(scale * scores, sizes)
    every = all_partitions(scores, sizes)
    assert found.n_partitions == len(every)
    assert found.pvalue == pytest.approx(np.mean(every >= every[0] - 1e-9))
    assert (found.method, found.bounds) == ("enumeration", (found.pvalue, found.pvalue))


def test_two_groups_are_a_difference_of_means_and_exact_beyond_what_can_be_listed() -> None:
    scores = draw(5, 24, 2)
    found = regrouping_pvalue(scores, [12, 12], n_resamples=9)
    gain = scores[:, 0] - scores[:, 1]
    assert found == partition_pvalue(gain[:12], gain[12:])
    assert (found.method, found.n_partitions) == ("meet-in-the-middle", 2_704_156)


@pytest.mark.parametrize("block", [1, 30, 1 << 21])
def test_with_many_partitions_random_ones_are_drawn(block: int, monkeypatch: pytest.MonkeyPatch) -> None:
    scores = draw(1, 6, 3)
    exact = regrouping_pvalue(scores, [1, 2, 3])
    monkeypatch.setattr(resampled_pvalues, "ENUMERATION_LIMIT", exact.n_partitions)
    assert regrouping_pvalue(scores, [1, 2, 3]) == exact
    monkeypatch.setattr(resampled_pvalues, "ENUMERATION_LIMIT", exact.n_partitions - 1)
    monkeypatch.setattr(resampled_pvalues, "BLOCK", block)
    drawn = regrouping_pvalue(scores, [1, 2, 3], n_resamples=4000)
    assert (drawn.method, drawn.n_partitions, drawn.n_resamples) == ("monte carlo", 60, 4000)
    assert drawn.bounds[0] < exact.pvalue < drawn.bounds[1]
    hits = round(drawn.pvalue * 4001) - 1
    assert drawn.pvalue == (1 + hits) / 4001
    interval = stats.binomtest(hits, 4000).proportion_ci(0.99, method="exact")
    assert drawn.bounds == pytest.approx((interval.low, interval.high))
    best = 10.0 * np.repeat(np.eye(3), [1, 2, 3], axis=0)
    assert (
        regrouping_pvalue(best, [1, 2, 3], n_resamples=100).bounds[0] >= 1 / 60
    )  # never below the observed one's share
    assert regrouping_pvalue(np.zeros((6, 3)), [1, 2, 3], n_resamples=7).pvalue == 1

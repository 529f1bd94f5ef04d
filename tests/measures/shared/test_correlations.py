"""Correlations with an outside figure: their p-values must hold for few words too."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from scipy import stats

from aslant.measures.shared.statistic import EXACT, correlation
from aslant.statistics import correlation_pvalue, rank_correlation_pvalue


@pytest.mark.parametrize("n", [3, 4, 5])
def test_with_few_words_no_more_orders_are_significant_than_the_level_allows(n: int) -> None:
    found = [correlation("x", np.arange(n), order) for order in itertools.permutations(range(n))]
    for level in (0.01, 0.05, 0.1, 0.5):
        for name in ("pearson_pvalue", "spearman_pvalue"):
            assert np.mean([getattr(one, name) <= level for one in found]) <= level, (name, level)


def test_a_perfect_correlation_of_few_words_is_not_beyond_doubt() -> None:
    found = correlation("x", [1.0, 2.0, 3.0], [10.0, 20.0, 30.0])
    assert found is not None
    assert found.spearman_pvalue == found.pearson_pvalue == 2 / 6
    assert stats.spearmanr([1, 2, 3], [10, 20, 30]).pvalue == 0  # why SciPy's is not taken


def test_up_to_eight_words_p_values_are_over_all_orders() -> None:
    x, y = np.random.default_rng(1).normal(size=(2, 8))
    found = correlation("x", x, y)
    assert found is not None
    assert found.pearson_pvalue == correlation_pvalue(x, y)
    assert found.spearman_pvalue == rank_correlation_pvalue(x, y)
    assert found.pearson_pvalue != pytest.approx(stats.pearsonr(x, y).pvalue, rel=1e-4)


def test_with_more_words_p_values_are_those_of_scipy() -> None:
    random = np.random.default_rng(0)
    x, y = random.normal(size=(2, EXACT + 1))
    found = correlation("x", x, y)
    assert found is not None
    assert found.pearson_pvalue == pytest.approx(stats.pearsonr(x, y).pvalue)
    assert found.spearman_pvalue == pytest.approx(stats.spearmanr(x, y).pvalue)


@pytest.mark.parametrize("words", [9, 40, 400])
def test_no_perfect_correlation_has_a_pvalue_of_zero(words: int) -> None:
    found = correlation("rating", np.arange(words, dtype=float), np.arange(words) ** 3.0)
    assert found is not None
    assert found.spearman == pytest.approx(1)
    assert 0 < found.spearman_pvalue < 1e-5
    if words <= 40:  # no order but the two extremes is as far from 0
        assert found.spearman_pvalue == pytest.approx(2 / math.factorial(words))
    assert found.pearson_pvalue > 0


def test_only_a_constant_series_has_no_correlation() -> None:
    zeros_and_ones = [0.0, 1.0, 1.0]
    assert correlation("x", zeros_and_ones, [1.0, 2.0, 3.0]) is not None
    assert correlation("x", [1.0, 2.0, 3.0], zeros_and_ones) is not None
    assert correlation("x", [1.0, 1.0, 1.0], zeros_and_ones) is None
    assert correlation("x", zeros_and_ones, [1.0, 1.0, 1.0]) is None

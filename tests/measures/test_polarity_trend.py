"""Polarity over time: a planted trend is found, a flat one is not, and vocabularies are handled openly."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

import slant
from slant.errors import MeasureError

WORDS = [f"w{i}" for i in range(40)]


def decade(lean: float, seed: int, words: list[str] = WORDS) -> slant.WordVectors:
    """Words lean by `lean` along the first axis, on which the two classes differ."""
    random = np.random.default_rng(seed)
    matrix = random.normal(size=(len(words), 8))
    matrix[:, 0] = lean + 0.1 * random.normal(size=len(words))
    classes = np.zeros((2, 8))
    classes[:, 0], classes[:, 1] = (1, -1), 1
    return slant.WordVectors.from_arrays([*words, "x", "y"], np.vstack([matrix, classes]), name=f"d{seed}")


def test_a_planted_trend_is_found_with_scipys_numbers() -> None:
    series = {1900 + 10 * i: decade(0.2 + 0.3 * i, i) for i in range(8)}
    t = slant.polarity_trend(series, ["x", "y"], WORDS)
    assert t.test is not None
    scores = [p.score for p in t.points]
    assert t.test.kendall == pytest.approx(stats.kendalltau(range(8), scores).statistic) == 1
    assert t.test.kendall_pvalue < 0.001
    assert t.test.slope_per_century > 0


def test_no_trend_is_found_where_there_is_none() -> None:
    found = 0
    for run in range(40):
        series = {1900 + 10 * i: decade(0.5, 100 * run + i) for i in range(8)}
        test = slant.polarity_trend(series, ["x", "y"], WORDS, bootstrap=0).test
        found += test is not None and test.kendall_pvalue < 0.05
    assert found <= 6


def test_only_words_that_every_year_has_are_used_unless_asked() -> None:
    series = {1900: decade(0.5, 0, WORDS[:30]), 1910: decade(0.5, 1, WORDS[10:])}
    t = slant.polarity_trend(series, ["x", "y"], WORDS)
    assert t.words == tuple(WORDS[10:30])
    assert [p.words for p in t.points] == [20, 20]
    assert set(t.missing) == set(WORDS) - set(WORDS[10:30])
    anyway = slant.polarity_trend(series, ["x", "y"], WORDS, any_words=True)
    assert [p.words for p in anyway.points] == [30, 30]


def test_a_year_without_a_class_is_left_out_and_listed() -> None:
    lacking = slant.WordVectors.from_arrays([*WORDS, "x"], np.random.default_rng(0).normal(size=(41, 8)))
    t = slant.polarity_trend({1900: decade(0.5, 0), 1910: lacking, 1920: decade(0.5, 2)}, ["x", "y"], WORDS)
    assert [p.year for p in t.points] == [1900, 1920]
    assert t.years_left_out == {1910: "no vector for y"}


def test_years_come_in_order_and_few_years_have_no_test() -> None:
    t = slant.polarity_trend({1920: decade(0.5, 0), 1900: decade(0.5, 1)}, ["x", "y"], WORDS)
    assert [p.year for p in t.points] == [1900, 1920]
    assert t.test is None


def test_bad_input_is_one_clear_error() -> None:
    with pytest.raises(MeasureError, match="two are needed"):
        slant.polarity_trend({1900: decade(0.5, 0)}, ["x", "y"], WORDS)
    with pytest.raises(MeasureError, match="no word of the 1"):
        slant.polarity_trend({1900: decade(0.5, 0), 1910: decade(0.5, 1)}, ["x", "y"], ["zz"])


def test_with_any_words_those_are_listed_that_some_year_has() -> None:
    series = {1900: decade(0.5, 0, WORDS[:30]), 1910: decade(0.5, 1, WORDS[10:])}
    t = slant.polarity_trend(series, ["x", "y"], [*WORDS, "nowhere"], any_words=True)
    assert t.words == tuple(WORDS)
    assert t.missing == ("nowhere",)
    assert [r.name for r in t.representations] == ["d0", "d1"]


def test_spearman_is_by_permutation_and_never_zero() -> None:
    from slant.statistics import rank_correlation_pvalue

    t = slant.polarity_trend({1900 + i: decade(0.2 + 0.3 * i, i) for i in range(4)}, ["x", "y"], WORDS)
    assert t.test is not None
    assert t.test.spearman == 1
    assert t.test.spearman_pvalue == pytest.approx(2 / 24)
    random = np.random.default_rng(0)
    x, y = random.normal(size=(2, 7))
    expected = stats.permutation_test(
        (x,), lambda a: stats.spearmanr(a, y).statistic, permutation_type="pairings", n_resamples=np.inf
    )
    assert rank_correlation_pvalue(x, y) == pytest.approx(expected.pvalue)
    x, y = random.normal(size=(2, 20))
    assert rank_correlation_pvalue(x, y) == pytest.approx(stats.spearmanr(x, y).pvalue, abs=0.02)
    assert 0 < rank_correlation_pvalue(range(30), range(30)) < 1e-4

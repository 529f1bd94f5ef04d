"""Chance: who is drawn for whom, how often, and what a score's p-value is."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from aslant.statistics import Chance, against_chance, draw_matched, is_large_enough

RNG = np.random.default_rng


def test_no_row_is_drawn_twice_in_a_draw_and_all_come_from_the_pool() -> None:
    pool = np.arange(3, 400, 3)
    rows = draw_matched([5, 6, 7, 8, 9, 200, 201], pool, 3000, RNG(0))
    assert set(rows.ravel()) <= set(pool)
    assert all(len(set(row)) == rows.shape[1] for row in rows.tolist())


@pytest.mark.parametrize(("rank", "low", "high"), [(0, 0, 19), (99, 66, 149), (999, 666, 1499), (2999, 1999, 2999)])
def test_replacements_are_uniform_within_a_factor_of_the_rank(rank: int, low: int, high: int) -> None:
    rows = draw_matched([rank], np.arange(3000), 40_000, RNG(1))[:, 0]
    counts = np.bincount(rows, minlength=3000)
    assert np.abs(np.flatnonzero(counts)[[0, -1]] - [low, high]).max() <= 1
    assert stats.chisquare(counts[rows.min() : rows.max() + 1]).pvalue > 1e-4


@pytest.mark.parametrize("step", [1, 4, 31])
@pytest.mark.parametrize("words", [1, 13])
def test_a_row_is_drawn_from_its_ranks_within_the_factor_or_from_the_nearest_that_suffice(
    step: int, words: int
) -> None:
    pool = np.arange(step // 2, 60 * step, step)
    for rank in (0, 7, 24, 40 * step, 59 * step):
        start = len([row for row in pool if row + 1 < math.floor((rank + 1) / 1.5)])
        stop = len([row for row in pool if row + 1 <= math.ceil((rank + 1) * 1.5)])
        need = max(20, 2 * words)
        start = min(max(0, start - max(0, need - (stop - start)) // 2), 60 - need)
        rows = draw_matched([rank] * words, pool, 40_000 // words**2, RNG(5))
        assert set(rows.ravel()) == set(pool[start : max(stop, start + need)])


def test_a_window_with_too_few_words_grows_until_all_can_be_drawn() -> None:
    ranks = np.arange(30)
    rows = draw_matched(ranks, np.arange(60), 500, RNG(2))
    assert all(len(set(row)) == 30 for row in rows.tolist())
    assert rows.max() == 59
    assert draw_matched([59], np.arange(60), 500, RNG(2)).min() >= 38


def test_a_pool_needs_twice_the_words_and_at_least_twenty() -> None:
    assert [is_large_enough(np.arange(n), words) for n, words in [(19, 1), (20, 10), (20, 11), (22, 11)]] == [
        False, True, False, True,
    ]  # fmt: skip


def test_the_pvalue_counts_ties_and_the_score_itself() -> None:
    drawn = np.array([-2.0, -1.0, 0.5, 1.0, 1.0 + 1e-12])
    assert against_chance(1.0, drawn).pvalue == 5 / 6
    assert against_chance(-1.0, drawn).pvalue == 5 / 6
    assert against_chance(1.0, drawn, signed=False).pvalue == 3 / 6
    assert against_chance(9.0, drawn).pvalue == 1 / 6


@pytest.mark.parametrize("scale", [1e-7, 1.0, 1e7])
def test_what_ties_does_not_depend_on_the_size_of_scores(scale: float) -> None:
    drawn = scale * np.array([-1 + 2e-7, -1 + 1e-5, 1 - 2e-7, 1 - 1e-5, 1 + 1e-5])
    assert against_chance(scale, drawn).pvalue == 4 / 6
    assert against_chance(scale, drawn, signed=False).pvalue == 3 / 6


def test_mean_range_and_standardised_score_are_those_of_the_draws() -> None:
    drawn = RNG(3).normal(2, 3, 50_000)
    chance = against_chance(8.0, drawn, "matched words")
    assert chance.kind == "matched words"
    assert chance.draws == 50_000
    assert (chance.mean, chance.sd) == pytest.approx((drawn.mean(), drawn.std()))
    assert (chance.low, chance.high) == pytest.approx((2 - 1.96 * 3, 2 + 1.96 * 3), abs=0.1)
    assert chance.standardised(8.0) == pytest.approx(2, abs=0.05)
    assert Chance("x", 0.0, 0.0, 0.0, 0.0, 1.0, 1).standardised(3.0) is None


def test_a_score_that_is_itself_a_draw_has_a_uniform_pvalue() -> None:
    rng = RNG(4)
    found = [against_chance(float(values[0]), values[1:]).pvalue for values in rng.normal(size=(2000, 40))]
    assert stats.kstest(np.array(found) - rng.uniform(0, 1 / 40, 2000), "uniform").pvalue > 1e-3

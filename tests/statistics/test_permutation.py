"""Claims about the permutation p-value: exact, never zero, the same by every method."""

from __future__ import annotations

import dataclasses
import itertools
import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from aslant.errors import MeasureError
from aslant.statistics import PermutationPvalue, partition_pvalue

COUNTING = ("enumeration", "meet-in-the-middle")

integers = st.integers(-4, 4).map(float)
# Six digits: differences far above the tolerance for ties, so that exact arithmetic has the same ones.
floats = st.integers(-(10**6), 10**6).map(lambda millionths: millionths / 10**6)
scores = st.one_of(st.lists(integers, min_size=1, max_size=6), st.lists(floats, min_size=1, max_size=6))
alternatives = st.sampled_from(["greater", "less", "two-sided"])


def brute_force(first: Any, second: Any, alternative: Any = "greater") -> Any:
    """Every partition, one by one, in exact rational arithmetic on the decimals meant."""
    pool = [Fraction(str(score)) for score in [*first, *second]]
    observed = sum(pool[: len(first)])
    sums = [sum(subset) for subset in itertools.combinations(pool, len(first))]
    greater = Fraction(sum(total >= observed for total in sums), len(sums))
    less = Fraction(sum(total <= observed for total in sums), len(sums))
    two_sided = min(Fraction(1), 2 * min(greater, less))
    return float({"greater": greater, "less": less, "two-sided": two_sided}[alternative])


def normal_pool(n_first: Any, n_second: Any, effect: Any, seed: Any) -> Any:
    rng = np.random.default_rng(seed)
    return rng.normal(size=n_first) + effect, rng.normal(size=n_second)


@pytest.mark.parametrize("method", COUNTING)
@settings(max_examples=150, deadline=None)
@given(first=scores, second=scores, alternative=alternatives)
def test_counts_equal_brute_force_with_ties_and_unequal_sizes(
    method: Any, first: Any, second: Any, alternative: Any
) -> None:
    result = partition_pvalue(first, second, alternative=alternative, method=method)
    assert result.pvalue == brute_force(first, second, alternative)
    assert result.bounds == (result.pvalue, result.pvalue)


@settings(max_examples=150, deadline=None)
@given(first=scores, second=scores, alternative=alternatives)
def test_dynamic_programming_encloses_brute_force_or_says_that_it_cannot(
    first: Any, second: Any, alternative: Any
) -> None:
    try:
        result = partition_pvalue(first, second, alternative=alternative, method="dynamic programming")
    except MeasureError:
        return
    low, high = result.bounds
    assert low * (1 - 1e-15) <= brute_force(first, second, alternative) <= high * (1 + 1e-15)
    assert result.pvalue == high <= low * 1.01


@pytest.mark.parametrize("alternative", ["greater", "less", "two-sided"])
@pytest.mark.parametrize(("n_first", "n_second"), [(6, 6), (3, 8), (2, 9)])
def test_equals_scipys_exact_permutation_test(n_first: Any, n_second: Any, alternative: Any) -> None:
    first, second = normal_pool(n_first, n_second, 0.5, seed=n_first)
    scipys = stats.permutation_test(
        (first, second),
        lambda x, y, axis: x.mean(axis=axis) - y.mean(axis=axis),
        vectorized=True,
        n_resamples=np.inf,
        alternative=alternative,
    )
    ours = partition_pvalue(first, second, alternative=alternative)
    assert ours.pvalue == pytest.approx(scipys.pvalue, rel=1e-12)


def test_agrees_with_scipys_randomised_permutation_test() -> None:
    first, second = normal_pool(25, 25, 0.3, seed=4)
    scipys = stats.permutation_test(
        (first, second),
        lambda x, y, axis: x.mean(axis=axis) - y.mean(axis=axis),
        vectorized=True,
        n_resamples=20_000,
        batch=2_000,
        alternative="greater",
        rng=np.random.default_rng(0),
    )
    exact = partition_pvalue(first, second)
    assert exact.method == "meet-in-the-middle"
    interval = stats.binomtest(round(scipys.pvalue * 20_001) - 1, 20_000).proportion_ci(0.999)
    assert interval.low <= exact.pvalue <= interval.high


@pytest.mark.parametrize("effect", [0.0, 0.4, 0.9, 1.5, 2.5])
@pytest.mark.parametrize(("n_first", "n_second"), [(20, 20), (22, 23), (25, 25), (10, 38)])
def test_bracket_contains_the_exact_value(n_first: Any, n_second: Any, effect: Any) -> None:
    first, second = normal_pool(n_first, n_second, effect, seed=round(10 * effect) + n_first)
    exact = partition_pvalue(first, second, method="meet-in-the-middle").pvalue
    low, high = partition_pvalue(first, second, method="dynamic programming").bounds
    assert low <= exact <= high <= 1.01 * low


@pytest.mark.parametrize("alternative", ["greater", "less", "two-sided"])
@pytest.mark.parametrize(("n_first", "n_second"), [(8, 8), (9, 8), (4, 16), (16, 4)])
def test_all_methods_agree(n_first: Any, n_second: Any, alternative: Any) -> None:
    first, second = normal_pool(n_first, n_second, 0.3, seed=2)

    def by(method: Any) -> Any:
        return partition_pvalue(first, second, alternative=alternative, method=method)

    exact = by("enumeration").pvalue
    assert by("meet-in-the-middle").pvalue == exact
    for bracketed in (by("dynamic programming"), by("monte carlo")):
        assert bracketed.bounds[0] <= exact <= bracketed.bounds[1]


def test_meet_in_the_middle_is_exact_for_a_distribution_known_in_closed_form() -> None:
    # k ones among 0/1 scores: the sum of the first set is hypergeometric.
    first, second = [1.0] * 9 + [0.0] * 11, [1.0] * 4 + [0.0] * 16
    expected = Fraction(sum(math.comb(13, k) * math.comb(27, 20 - k) for k in range(9, 14)), math.comb(40, 20))
    assert partition_pvalue(first, second, method="meet-in-the-middle").pvalue == float(expected)


@pytest.mark.parametrize(("n_first", "n_second"), [(60, 50), (32, 32), (150, 20)])
def test_dynamic_programming_is_right_for_a_distribution_known_in_closed_form(n_first: Any, n_second: Any) -> None:
    ones = n_first // 2
    first = [1.0] * ones + [0.0] * (n_first - ones)
    second = [1.0] * (n_second // 4) + [0.0] * (n_second - n_second // 4)
    exact = stats.hypergeom.sf(ones - 1, n_first + n_second, ones + n_second // 4, n_first)
    result = partition_pvalue(first, second, method="dynamic programming")
    assert result.bounds == pytest.approx((exact, exact), rel=1e-10)


def test_the_far_tail_of_a_large_pool_is_exact() -> None:
    first, second = normal_pool(32, 32, 3.5, seed=0)
    result = partition_pvalue(first, second)
    assert result.method == "meet-in-the-middle"
    bracket = partition_pvalue(first, second, method="dynamic programming").bounds
    assert bracket[0] <= result.pvalue <= bracket[1] < 1e-12


def test_perfect_separation_leaves_only_the_observed_partition() -> None:
    for n in (3, 8, 25, 32, 60):
        result = partition_pvalue(np.arange(n) + n, np.arange(n))
        assert result.pvalue == 1 / math.comb(2 * n, n)


@pytest.mark.parametrize("n", [6, 8, 16, 25, 32])
@pytest.mark.parametrize("effect", [0.0, 1.0, 2.0, 3.0])
def test_shipped_sizes_reach_one_per_cent(n: Any, effect: Any) -> None:
    first, second = normal_pool(n, n, effect, seed=n)
    result = partition_pvalue(first, second)
    assert result.method != "monte carlo"
    assert result.bounds[1] <= 1.01 * result.bounds[0]
    if n <= 25:
        assert result.bounds[0] == result.bounds[1]


@settings(max_examples=100, deadline=None)
@given(first=scores, second=scores, alternative=alternatives)
def test_p_never_zero_and_never_above_one(first: Any, second: Any, alternative: Any) -> None:
    for method in (*COUNTING, "monte carlo"):
        result = partition_pvalue(first, second, alternative=alternative, method=method, n_resamples=50)  # type: ignore[arg-type]
        low, high = result.bounds
        assert 1 / result.n_partitions <= low <= result.pvalue <= high <= 1


@pytest.mark.parametrize("method", [*COUNTING, "dynamic programming", "monte carlo"])
def test_one_word_against_one_gives_at_least_a_half(method: Any) -> None:
    assert partition_pvalue([1.0], [0.0], method=method).pvalue == pytest.approx(0.5, rel=0.02)
    assert partition_pvalue([1.0], [0.0], method=method).pvalue >= 0.5
    assert partition_pvalue([0.0], [1.0], method=method).pvalue == pytest.approx(1)


@pytest.mark.parametrize("method", ["auto", *COUNTING, "dynamic programming", "monte carlo"])
@pytest.mark.parametrize("value", [0.0, 0.1, -3.7e300, 5e-324])
def test_identical_scores_give_exactly_one(method: Any, value: Any) -> None:
    assert partition_pvalue([value] * 5, [value] * 7, method=method).bounds[1] == 1.0
    assert partition_pvalue([value] * 5, [value] * 7, method=method).pvalue == 1.0


@pytest.mark.parametrize("method", COUNTING)
def test_a_large_part_that_all_scores_have_does_not_blur_their_differences(method: Any) -> None:
    first, second = (np.random.default_rng(n).integers(0, 60, n) for n in (4, 5))
    far = [1e8 + whole / 2**16 for whole in (first, second)]
    assert partition_pvalue(*far, method=method).pvalue == brute_force(first, second)


def test_sums_that_tie_on_paper_but_not_in_floats_are_counted() -> None:
    # 0.1 + 0.2 > 0.3 in floats: a comparison of float sums misses this tie.
    assert partition_pvalue([0.1 + 0.2], [0.3]).pvalue == 1.0
    assert partition_pvalue([0.3, 0.0], [0.1, 0.2]).pvalue == 4 / 6
    first, second = [0.1, 0.2, 0.7], [0.3, 0.4, 0.5, 0.6]
    tenths = [round(10 * score) for score in [*first, *second]]
    expected = brute_force(tenths[:3], tenths[3:])
    for shift in (0.0, 0.1, 1000.1):
        assert partition_pvalue(np.add(first, shift), np.add(second, shift)).pvalue == expected


@pytest.mark.parametrize("digits", [0, 1, 2])
def test_scores_of_few_digits_are_bracketed_although_many_partitions_tie(digits: Any) -> None:
    first, second = (np.round(10 ** (1 - digits) * side, digits) for side in normal_pool(32, 32, 0.3, seed=7))
    result = partition_pvalue(first, second)
    assert result.method == "dynamic programming"
    assert result.bounds[1] == pytest.approx(result.bounds[0], rel=1e-9)
    drawn = partition_pvalue(first, second, method="monte carlo", n_resamples=20_000)
    assert drawn.bounds[0] <= result.pvalue <= drawn.bounds[1]


@settings(max_examples=60, deadline=None)
@given(first=scores, second=scores)
def test_swapping_the_sets_swaps_greater_and_less(first: Any, second: Any) -> None:
    greater = partition_pvalue(first, second, alternative="greater")
    less = partition_pvalue(second, first, alternative="less")
    assert greater == less
    assert partition_pvalue(first, second, alternative="two-sided") == partition_pvalue(
        second, first, alternative="two-sided"
    )


@settings(max_examples=60, deadline=None)
@given(
    first=st.lists(integers, min_size=1, max_size=8),
    second=st.lists(integers, min_size=1, max_size=8),
    scale=st.floats(1e-6, 1e6),
    shift=st.floats(-1e3, 1e3),
)
def test_scale_and_shift_do_not_matter(first: Any, second: Any, scale: Any, shift: Any) -> None:
    before = partition_pvalue(first, second).pvalue
    # Shift relative to the scale: beyond that the scores themselves lose their digits.
    after = partition_pvalue(scale * (np.array(first) + shift), scale * (np.array(second) + shift)).pvalue
    assert after == before


@settings(max_examples=60, deadline=None)
@given(first=scores, second=scores, gain=st.floats(0.01, 2), position=st.integers(0, 5))
def test_raising_a_score_of_the_first_set_never_raises_p(first: Any, second: Any, gain: Any, position: Any) -> None:
    raised = list(first)
    raised[position % len(first)] += gain
    assert partition_pvalue(raised, second).pvalue <= partition_pvalue(first, second).pvalue


@pytest.mark.parametrize("method", ["enumeration", "dynamic programming"])
def test_pvalues_are_uniform_when_there_is_no_effect(method: Any) -> None:
    rng = np.random.default_rng(11)
    pvalues = [partition_pvalue(*rng.normal(size=(2, 8)), method=method).pvalue for _ in range(600)]
    # C(16, 8) = 12,870 steps: uniform for all that 600 draws can tell.
    assert stats.kstest(pvalues, "uniform").pvalue > 0.01
    assert stats.binomtest(sum(p <= 0.05 for p in pvalues), 600, 0.05, "greater").pvalue > 0.01


def test_pvalues_are_valid_for_every_level_in_a_whole_orbit() -> None:
    # Over all partitions of one pool, P(p ≤ α) ≤ α holds exactly, ties and unequal sizes included.
    pool = np.array([0.0, 0.0, 1.0, 1.0, 2.0, 2.5, 7.0])
    pvalues = []
    for chosen in itertools.combinations(range(7), 3):
        mask = np.isin(np.arange(7), chosen)
        pvalues.append(partition_pvalue(pool[mask], pool[~mask]).pvalue)
    for level in pvalues:
        assert np.mean(np.array(pvalues) <= level) <= level + 1e-12


@pytest.mark.parametrize("alternative", ["greater", "less", "two-sided"])
def test_monte_carlo_interval_covers_the_exact_value(alternative: Any) -> None:
    first, second = normal_pool(9, 7, 0.4, seed=1)
    exact = partition_pvalue(first, second, alternative=alternative).pvalue
    covered = 0
    for seed in range(60):
        drawn = partition_pvalue(
            first, second, alternative=alternative, method="monte carlo", n_resamples=500, rng=seed
        )
        covered += drawn.bounds[0] <= exact <= drawn.bounds[1]
    assert covered >= 57


def test_monte_carlo_adds_one_and_follows_its_seed() -> None:
    first, second = np.arange(20) + 100.0, np.arange(20.0)
    drawn = partition_pvalue(first, second, method="monte carlo", n_resamples=999)
    assert drawn.pvalue == 1 / 1000
    assert drawn.n_resamples == 999
    first, second = normal_pool(20, 20, 0.2, seed=0)

    def draw(rng: Any) -> Any:
        return partition_pvalue(first, second, method="monte carlo", n_resamples=999, rng=rng)

    assert draw(5) == draw(5) == draw(np.random.default_rng(5))
    assert draw(5) != draw(6)


@pytest.mark.parametrize(("n_first", "n_second"), [(400, 300), (300, 400)])
def test_a_huge_pool_falls_back_on_monte_carlo(n_first: Any, n_second: Any) -> None:
    first, second = normal_pool(n_first, n_second, 0.1, seed=8)
    result = partition_pvalue(first, second)
    assert result.method == "monte carlo"
    assert result.n_partitions == math.comb(700, 300)
    # With so many words the permutation distribution is Student's to two digits.
    student = stats.ttest_ind(first, second, alternative="greater").pvalue
    assert result.bounds[0] - 0.002 <= student <= result.bounds[1] + 0.002


def test_a_pool_of_two_hundred_is_still_bracketed() -> None:
    first, second = normal_pool(100, 100, 0.1, seed=8)
    result = partition_pvalue(first, second)
    assert result.method == "dynamic programming"
    assert result.bounds[1] <= 1.01 * result.bounds[0]


@pytest.mark.parametrize(("n_first", "n_second"), [(1, 5000), (2, 300), (5, 400), (400, 5)])
def test_very_unequal_sizes(n_first: Any, n_second: Any) -> None:
    first, second = normal_pool(n_first, n_second, 1.0, seed=3)
    result = partition_pvalue(first, second)
    assert result.method != "monte carlo"
    assert result.n_partitions == math.comb(n_first + n_second, n_first)
    drawn = partition_pvalue(first, second, method="monte carlo", n_resamples=10_000)
    assert drawn.bounds[0] <= result.bounds[1]
    assert result.bounds[0] <= drawn.bounds[1]


def test_scores_of_any_magnitude() -> None:
    for scale in (1e-320, 1e-300, 1.0, 1e300, 1.7e308):
        assert partition_pvalue([scale, scale], [0.0, -scale]).pvalue == 1 / 6


def test_a_narrower_bracket_can_be_asked_for() -> None:
    first, second = normal_pool(32, 32, 0.2, seed=5)
    wide = partition_pvalue(first, second, relative_width=0.05).bounds
    narrow = partition_pvalue(first, second, relative_width=0.0005).bounds
    assert narrow[1] <= 1.0005 * narrow[0]
    assert wide[0] <= narrow[1]
    assert narrow[0] <= wide[1]


def test_result_is_frozen_and_plain() -> None:
    result = partition_pvalue([2.0, 3.0], [0.0, 1.0])
    assert result == PermutationPvalue(1 / 6, (1 / 6, 1 / 6), "enumeration", 6, None)
    with pytest.raises(dataclasses.FrozenInstanceError):
        result.pvalue = 0.5
    assert {type(value) for value in dataclasses.astuple(result)} <= {float, tuple, str, int, type(None)}


@pytest.mark.parametrize(
    ("first", "second", "settings_", "message"),
    [
        ([], [1.0], {}, "first set has shape"),
        ([1.0], [], {}, "second set has shape"),
        ([[1.0, 2.0]], [1.0], {}, r"shape \(1, 2\)"),
        ([1.0], [math.nan, 1.0], {}, "second set holds nan"),
        ([math.inf], [1.0], {}, "first set holds inf"),
        (["a"], [1.0], {}, "not a list of numbers"),
        ([1.0], [0.0], {"alternative": "bigger"}, "alternative is 'bigger'; choose one of greater"),
        ([1.0], [0.0], {"method": "guess"}, "method is 'guess'; choose one of auto"),
        ([1.0], [0.0], {"relative_width": 0.0}, "relative_width is 0.0"),
        ([1.0], [0.0], {"n_resamples": 0}, "n_resamples is 0"),
        ([1.0], [0.0], {"n_resamples": 1e3}, "n_resamples is 1000.0"),
        ([1.0], [0.0], {"rng": -1}, "rng is -1"),
    ],
)
def test_bad_input_is_one_clear_sentence(first: Any, second: Any, settings_: Any, message: Any) -> None:
    with pytest.raises(MeasureError, match=message):
        partition_pvalue(first, second, **settings_)


@pytest.mark.parametrize(
    ("method", "n"), [("enumeration", 20), ("meet-in-the-middle", 40), ("dynamic programming", 400)]
)
def test_a_forced_method_that_does_not_fit_says_so(method: Any, n: Any) -> None:
    first, second = normal_pool(n, n, 0.0, seed=0)
    with pytest.raises(MeasureError, match=rf"{method} does not fit {n} \+ {n} scores"):
        partition_pvalue(first, second, method=method)


@pytest.mark.parametrize(("limit", "method"), [(70, "enumeration"), (69, "meet-in-the-middle")])
def test_every_partition_is_listed_up_to_the_limit_and_not_beyond(
    limit: int, method: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """4 + 4 scores have 70 partitions."""
    monkeypatch.setattr("aslant.statistics.permutation.ENUMERATION_LIMIT", limit)
    first, second = [0.1, 0.9, 0.7, 0.4], [0.2, 0.3, 0.8, 0.5]
    found = partition_pvalue(first, second)
    assert found.method == method
    assert found.pvalue == brute_force(first, second, "greater")
    assert found.n_resamples is None


def test_random_partitions_are_drawn_only_where_no_exact_method_fits(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where every engine declines, "auto" draws; a method that is asked for by name does not."""
    first, second = [0.1, 0.9, 0.7, 0.4], [0.2, 0.3, 0.8, 0.5]
    for engine in ("enumerate_at_least", "count_at_least", "tail_bracket"):
        monkeypatch.setattr(f"aslant.statistics.permutation.{engine}", lambda *_: None)
    found = partition_pvalue(first, second, n_resamples=400)
    assert (found.method, found.n_resamples, found.n_partitions) == ("monte carlo", 400, 70)
    assert found.bounds[0] < found.pvalue < found.bounds[1]
    with pytest.raises(MeasureError, match="enumeration does not fit"):
        partition_pvalue(first, second, method="enumeration")


@pytest.mark.parametrize(
    ("given", "meant"),
    [("monte-carlo", "monte carlo"), ("Monte Carlo", "monte carlo"), ("meet in the middle", "meet-in-the-middle"),
     ("dynamic-programming", "dynamic programming")],
)  # fmt: skip
def test_a_method_may_be_written_with_or_without_hyphens(given: Any, meant: str) -> None:
    assert partition_pvalue(range(8, 16), range(8), method=given, n_resamples=99).method == meant

"""Claims about intervals."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from aslant.errors import MeasureError
from aslant.statistics import clopper_pearson, clustered_wilson, percentile_interval, wilson

shares = st.integers(1, 200).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))


@given(shares)
def test_intervals_hold_the_share_and_stay_within_zero_and_one(share: Any) -> None:
    for interval in (clopper_pearson, wilson):
        low, high = interval(*share)
        assert -1e-15 <= low <= share[0] / share[1] + 1e-12
        assert share[0] / share[1] - 1e-12 <= high <= 1 + 1e-15


def test_clopper_pearson_covers_at_least_as_often_as_promised() -> None:
    for share in (0.003, 0.1, 0.5, 0.97):
        covered = 0.0
        for successes in range(31):
            low, high = clopper_pearson(successes, 30, confidence=0.9)
            covered += stats.binom.pmf(successes, 30, share) * (low <= share <= high)
        assert covered >= 0.9


def test_wilson_equals_its_formula() -> None:
    low, high = wilson(17, 40, confidence=0.95)
    z, p, n = stats.norm.ppf(0.975), 17 / 40, 40
    centre = (p + z**2 / (2 * n)) / (1 + z**2 / n)
    half = z / (1 + z**2 / n) * np.sqrt(p * (1 - p) / n + z**2 / (4 * n**2))
    assert (low, high) == pytest.approx((centre - half, centre + half))


def test_clusters_of_one_are_single_trials_and_others_count_by_how_much_they_vary() -> None:
    hits = np.array([1] * 17 + [0] * 23)
    assert clustered_wilson(hits, np.ones(40)) == pytest.approx(wilson(17, 40))
    hits, sizes = np.array([0, 4, 1, 3, 5]), np.array([4, 4, 2, 5, 5])
    share = hits.sum() / sizes.sum()
    spread = ((hits - sizes * share) ** 2).sum() * 5 / 4
    n = sizes.sum() / (spread / (sizes.sum() * share * (1 - share)))
    z = stats.norm.ppf(0.95)
    half = z / (1 + z**2 / n) * np.sqrt(share * (1 - share) / n + z**2 / (4 * n**2))
    centre = (share + z**2 / (2 * n)) / (1 + z**2 / n)
    assert clustered_wilson(hits, sizes, 0.9) == pytest.approx((centre - half, centre + half))
    assert clustered_wilson([2, 2, 2], [4, 4, 4]) == pytest.approx(wilson(6, 12)), "never narrower than single trials"
    assert clustered_wilson([4, 4, 4], [4, 4, 4]) == pytest.approx(wilson(3, 3)), "all agree: three trials"


@pytest.mark.parametrize(
    ("hits", "sizes"),
    [([], []), ([1], [1, 1]), ([-1], [2]), ([3], [2]), ([[1]], [[1]]), ([1, 3], [2, 2]), ([1, -1], [2, 2])],
)
def test_clusters_that_are_not_successes_of_trials_are_refused(hits: Any, sizes: Any) -> None:
    with pytest.raises(MeasureError, match="give as many of both, and some"):
        clustered_wilson(hits, sizes)


def test_percentile_interval_cuts_both_ends_alike() -> None:
    samples = np.random.default_rng(0).normal(size=20_000)
    assert percentile_interval(samples) == pytest.approx((-1.96, 1.96), abs=0.05)
    assert percentile_interval([3.0]) == (3.0, 3.0)
    assert all(type(end) is float for end in percentile_interval(samples))


@pytest.mark.parametrize("confidence", [0.0, 1.0, 95, float("nan")])
def test_bad_confidence_is_refused(confidence: Any) -> None:
    for call in (lambda c: percentile_interval([1.0], c), lambda c: wilson(1, 2, c)):
        with pytest.raises(MeasureError, match="confidence is"):
            call(confidence)


@pytest.mark.parametrize("confidence", [0.001, 0.5, 0.9999])
def test_any_confidence_between_nought_and_one_is_taken(confidence: float) -> None:
    z = stats.norm.ppf(0.5 + confidence / 2)
    low, high = wilson(1, 2, confidence)
    half = z / (1 + z**2 / 2) * np.sqrt(0.25 / 2 + z**2 / 16)
    assert (low, high) == pytest.approx((0.5 - half, 0.5 + half))
    assert percentile_interval([0.0, 1.0], confidence) == pytest.approx((0.5 - confidence / 2, 0.5 + confidence / 2))


@pytest.mark.parametrize("share", [(-1, 3), (4, 3), (0, 0)])
def test_bad_shares_are_refused(share: Any) -> None:
    with pytest.raises(MeasureError, match="is not a share"):
        clopper_pearson(*share)


@pytest.mark.parametrize("samples", [[], [[1.0]], [float("nan")], [0.5, float("nan")], [float("inf"), 0.5]])
def test_bad_samples_are_refused(samples: Any) -> None:
    with pytest.raises(MeasureError, match="finite numbers"):
        percentile_interval(samples)

"""Bounds on what the full run would count, and on what Benjamini–Hochberg would then say."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from aslant.statistics.rotation import bounds_of_full_count, looks, settled_verdicts


def test_bounds_are_those_of_a_search_over_every_possible_count() -> None:
    rotations, drawn, risk = 60, 25, 0.01
    reached = np.arange(drawn + 1)
    low, high = bounds_of_full_count(reached, drawn, rotations, risk)
    for c in reached:
        possible = range(c, c + rotations - drawn + 1)
        likely = [
            full for full in possible
            if stats.hypergeom.sf(c - 1, rotations, full, drawn) > risk
            and stats.hypergeom.cdf(c, rotations, full, drawn) > risk
        ]  # fmt: skip
        assert (low[c], high[c]) == (min(likely), max(likely))


def test_bounds_fail_no_more_often_than_the_risk() -> None:
    rng = np.random.default_rng(0)
    for full in (0, 3, 40, 250, 500):
        outcomes = np.arange(500) < full
        reached = np.array([rng.permutation(outcomes)[:100].sum() for _ in range(3000)])
        low, high = bounds_of_full_count(reached, 100, 500, 0.02)
        assert np.mean(full < low) <= 0.02 + 0.008
        assert np.mean(full > high) <= 0.02 + 0.008


@given(st.integers(0, 2**32 - 1))
def test_settled_verdicts_are_those_of_any_pvalues_between_the_bounds(seed: int) -> None:
    rng = np.random.default_rng(seed)
    low = rng.random(12) ** 4
    high = np.minimum(low + rng.random(12) ** 3 * 0.3, 1.0)
    significant, never = settled_verdicts(low, high, 0.05)
    for _ in range(10):
        between = low + rng.random(12) * (high - low)
        found = stats.false_discovery_control(between) <= 0.05
        assert found[significant].all()
        assert not found[never].any()
    assert np.logical_or(*settled_verdicts(low, low, 0.05)).all()


def test_verdicts_on_the_lattice_of_rotation_pvalues_are_those_of_benjamini_hochberg() -> None:
    """p-values are multiples of 1/(R + 1), so that exactly p = αk/N does happen, and rounding must not decide."""
    met = 0
    for cells, rotations, alpha in ((36, 299, 0.01), (768, 9999, 0.15), (12, 99, 0.3)):
        for count in range(1, cells + 1):
            boundary = alpha * count / cells
            numerator = round(boundary * (rotations + 1))
            if numerator < 1 or abs(numerator / (rotations + 1) - boundary) > 1e-12:
                continue
            met += 1
            pvalues = np.repeat([numerator / (rotations + 1), 1.0], [count, cells - count])
            found = stats.false_discovery_control(pvalues) <= alpha
            significant, never = settled_verdicts(pvalues, pvalues, alpha)
            np.testing.assert_array_equal(significant, found)
            np.testing.assert_array_equal(never, ~found)
    assert met > 20


def test_looks_are_fixed_in_advance_and_end_before_the_run_does() -> None:
    planned = looks(10_000)
    assert planned == tuple(sorted(set(planned)))
    assert planned[-1] < 10_000
    assert len(planned) < 25
    assert looks(100) == ()

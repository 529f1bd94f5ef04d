"""Random effects: the sums of DerSimonian and Laird, and what happens at the edges."""

from __future__ import annotations

import numpy as np
import pytest

from aslant.errors import MeasureError
from aslant.statistics import combine


def test_it_is_the_sum_of_a_loop() -> None:
    rng = np.random.default_rng(0)
    effects, variances = rng.normal(size=30), rng.uniform(0.01, 0.3, size=30)
    w = [1 / v for v in variances]
    mean = sum(a * e for a, e in zip(w, effects, strict=True)) / sum(w)
    q = sum(a * (e - mean) ** 2 for a, e in zip(w, effects, strict=True))
    tau = max(0, (q - 29) / (sum(w) - sum(a * a for a in w) / sum(w)))
    weights = [1 / (v + tau) for v in variances]
    ours = combine(effects, variances)
    assert ours.effect == pytest.approx(sum(a * e for a, e in zip(weights, effects, strict=True)) / sum(weights))
    assert ours.standard_error == pytest.approx(sum(weights) ** -0.5)
    assert (ours.q, ours.tau_squared) == (pytest.approx(q), pytest.approx(tau))
    assert ours.i_squared == pytest.approx((q - 29) / q)


def test_a_known_example_comes_out() -> None:
    # Borenstein, Hedges, Higgins & Rothstein (2009), Introduction to Meta-Analysis, chapter 14, data set 1.
    effects = [0.0945, 0.2774, 0.3665, 0.6644, 0.4618, 0.1852]
    variances = [0.0329, 0.0307, 0.0499, 0.0105, 0.0427, 0.0234]
    ours = combine(effects, variances)
    assert ours.q == pytest.approx(12.0033, abs=0.05)
    assert ours.tau_squared == pytest.approx(0.0373, abs=0.0005)
    assert ours.effect == pytest.approx(0.3582, abs=0.0005)
    assert ours.standard_error**2 == pytest.approx(0.0111, abs=0.0001)


def test_samples_that_agree_have_no_variance_between_them() -> None:
    ours = combine([0.5, 0.5, 0.5], [0.1, 0.2, 0.3])
    assert (ours.effect, ours.tau_squared, ours.i_squared) == (pytest.approx(0.5), 0, 0)
    assert ours.q == pytest.approx(0)
    assert combine([0.5], [0.1]).effect == pytest.approx(0.5)


def test_a_sample_that_outweighs_all_others_leaves_no_variance_between_them() -> None:
    ours = combine([0.25, 1.0], [1e-30, 1.0])  # the weights' spread rounds to 0
    assert (ours.effect, ours.tau_squared) == (pytest.approx(0.25), 0)


def test_p_is_never_zero() -> None:
    assert 0 < combine(np.full(10_000, 1.5), np.full(10_000, 1e-4)).pvalue < 1e-300


@pytest.mark.parametrize(
    ("effects", "variances"),
    [([], []), ([1.0], [0.0]), ([1.0], [1.0, 2.0]), ([np.nan], [1.0]), ([1.0], [np.inf]), ([1.0], [1e-320])],
)
def test_bad_input_is_refused(effects: list[float], variances: list[float]) -> None:
    with pytest.raises(MeasureError, match="as many of both"):
        combine(effects, variances)


@pytest.mark.parametrize("variances", [[0.1, float("inf")], [0.1, 0.0], [float("nan"), 0.1], [0.1, -1.0]])
def test_one_variance_that_is_none_is_enough_to_refuse(variances: list[float]) -> None:
    with pytest.raises(MeasureError, match="as many of both"):
        combine([0.5, 0.4], variances)


def test_p_is_that_of_both_tails() -> None:
    assert combine([1.96], [1.0]).pvalue == pytest.approx(0.05, abs=1e-4)

"""Claims about Benjamini–Hochberg q-values."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aslant.errors import MeasureError
from aslant.statistics import benjamini_hochberg

pvalues = st.lists(st.floats(0, 1), min_size=1, max_size=30)


def slow_and_obvious(given_pvalues: Any) -> Any:
    """q of a p-value: the smallest m · p' / #{p ≤ p'} over all p' at least as large."""
    m = len(given_pvalues)
    return [
        min(m * other / sum(q <= other for q in given_pvalues) for other in given_pvalues if other >= p)
        for p in given_pvalues
    ]


@given(pvalues)
def test_equals_the_obvious_definition(given_pvalues: Any) -> None:
    np.testing.assert_allclose(
        benjamini_hochberg(given_pvalues), np.minimum(slow_and_obvious(given_pvalues), 1), rtol=1e-12, atol=0
    )


@given(pvalues)
@settings(deadline=None)
def test_equals_scipys(given_pvalues: Any) -> None:
    from scipy.stats import false_discovery_control

    np.testing.assert_array_equal(benjamini_hochberg(given_pvalues), false_discovery_control(given_pvalues))


@given(pvalues, st.randoms(use_true_random=False))
def test_order_is_kept_and_q_is_never_below_p(given_pvalues: Any, random: Any) -> None:
    q = benjamini_hochberg(given_pvalues)
    assert (q >= np.array(given_pvalues) * (1 - 1e-15)).all()
    assert (q <= 1).all()
    order = list(range(len(given_pvalues)))
    random.shuffle(order)
    np.testing.assert_array_equal(benjamini_hochberg(np.array(given_pvalues)[order]), q[order])


def test_published_example() -> None:
    # Benjamini and Hochberg (1995), the worked example: 15 p-values, four rejected at 0.05.
    printed = [
        *[0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344],
        *[0.0459, 0.3240, 0.4262, 0.5719, 0.6528, 0.7590, 1.0000],
    ]
    assert (benjamini_hochberg(printed) <= 0.05).sum() == 4


def test_no_tests_no_qvalues() -> None:
    assert benjamini_hochberg([]).shape == (0,)


@pytest.mark.parametrize("bad", [[0.5, 1.5], [-0.1], [float("nan")], [[0.1, 0.2]], 0.3])
def test_what_is_no_list_of_pvalues_is_refused(bad: Any) -> None:
    with pytest.raises(MeasureError):
        benjamini_hochberg(bad)

"""The multi-group statistic: Lemmas 1–3 of Swinger et al. 2019 (in the form of MEASURES §2) hold to rounding."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import slant
from slant.errors import MeasureError
from slant.measures.generalised_weat import group_terms
from slant.measures.wordsets import FloatArray
from slant.statistics import unit_rows

seeds = st.integers(0, 2**32 - 1)
sizes = st.integers(1, 7)


def units(seed: int, *counts: int, dimensions: int = 5) -> list[FloatArray]:
    random = np.random.default_rng(seed)
    return [unit_rows(random.normal(size=(count, dimensions))) for count in counts]


def g1(X: FloatArray, A: FloatArray, everyone: FloatArray, everything: FloatArray) -> float:
    return float(group_terms([X], [A], everyone, everything).sum())


@settings(deadline=None)
@given(seeds, sizes, sizes, sizes)
def test_lemma_1_two_equal_groups_are_weat(seed: int, x: int, a1: int, a2: int) -> None:
    X1, X2, A1, A2 = units(seed, x, x, a1, a2)
    weat_sum = (X1.sum(axis=0) - X2.sum(axis=0)) @ (A1.mean(axis=0) - A2.mean(axis=0))
    assert weat_sum == pytest.approx(2 * x * group_terms([X1, X2], [A1, A2]).sum(), abs=1e-9)


@settings(deadline=None)
@given(seeds, sizes, sizes, sizes, sizes)
def test_lemma_2_one_group_against_all_and_against_the_rest(seed: int, x: int, xc: int, a: int, ac: int) -> None:
    X, Xc, A, Ac = units(seed, x, xc, a, ac)
    everyone, everything = np.concatenate([X, Xc]), np.concatenate([A, Ac])
    alone = g1(X, A, everyone, everything)
    assert alone == pytest.approx(2 * group_terms([X, everyone], [A, everything]).sum(), abs=1e-9)
    share = 2 * (xc / (x + xc)) * (ac / (a + ac))
    assert alone == pytest.approx(share * group_terms([X, Xc], [A, Ac]).sum(), abs=1e-9)


@settings(deadline=None)
@given(seeds, st.lists(st.tuples(sizes, sizes), min_size=2, max_size=5))
def test_lemma_3_many_groups_from_single_ones(seed: int, counts: list[tuple[int, int]]) -> None:
    n = len(counts)
    groups = units(seed, *(c[0] for c in counts), *(c[1] for c in counts), 9, 11)
    X, A, (everyone, everything) = groups[:n], groups[n : 2 * n], groups[2 * n :]
    single = sum(g1(X[i], A[i], everyone, everything) for i in range(n))
    crossed = sum(g1(X[i], A[j], everyone, everything) for i in range(n) for j in range(n))
    assert group_terms(X, A).sum() == pytest.approx(single - crossed / n, abs=1e-9)


def test_the_ambient_attributes_cancel_for_two_or_more_groups() -> None:
    X1, X2, A1, A2, anything = units(3, 4, 2, 3, 5, 8)
    with_ambient = group_terms([X1, X2], [A1, A2], None, anything).sum()
    assert with_ambient == pytest.approx(group_terms([X1, X2], [A1, A2]).sum(), abs=1e-12)


def test_result_lists_missing_words_and_each_groups_part() -> None:
    r = slant.generalised_weat(
        slant.load(), [["he", "zzzzy"], ["she"], ["it"]], [["war"], ["love"], ["thing"]], all_attributes=["a", "the"]
    )
    assert r.missing == ("zzzzy", "a")
    assert r.value == pytest.approx(sum(part.value for part in r.groups))


def test_bad_input_is_one_clear_error() -> None:
    v = slant.load()
    with pytest.raises(MeasureError, match="1 attribute sets"):
        slant.generalised_weat(v, [["he"], ["she"]], [["war"]])
    with pytest.raises(MeasureError, match="all_targets"):
        slant.generalised_weat(v, [["he"]], [["war"]])

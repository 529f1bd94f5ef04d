"""Leans and frequency: the correlation, and what is left without it."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from aslant.statistics import frequency_lean, without_slope


def test_rho_is_scipys_and_the_rest_does_not_go_with_frequency() -> None:
    rng = np.random.default_rng(0)
    rows = rng.choice(50_000, 300, replace=False)
    leans = 0.2 - 0.05 * np.log1p(rows) + rng.normal(0, 0.05, 300)
    found = frequency_lean(leans, rows)
    assert found is not None
    assert found.rho == pytest.approx(stats.spearmanr(leans, rows).statistic)
    assert found.n == 300
    assert found.score == pytest.approx(np.abs(leans).mean())
    rest = without_slope(leans, np.log1p(rows))
    assert np.corrcoef(rest, np.log1p(rows))[0, 1] == pytest.approx(0, abs=1e-9)
    assert rest.mean() == pytest.approx(leans.mean())
    fit = stats.linregress(np.log1p(rows), leans)
    np.testing.assert_allclose(rest, leans - fit.slope * (np.log1p(rows) - np.log1p(rows).mean()), atol=1e-12)
    assert found.without == pytest.approx(np.abs(rest).mean())


@pytest.mark.parametrize(("leans", "rows"), [(range(9), range(9)), ([1.0] * 20, range(20)), (range(20), [5] * 20)])
def test_too_few_words_or_no_differences_have_none(leans: list[float], rows: list[int]) -> None:
    assert frequency_lean(leans, rows) is None


def test_ten_words_suffice_and_ties_take_their_mean_rank() -> None:
    leans, rows = [1.0, 1, 2, 2, 2, 3, 4, 5, 5, 0], [9, 8, 7, 7, 5, 4, 3, 2, 2, 1]
    found = frequency_lean(leans, rows)
    assert found is not None
    assert found.rho == pytest.approx(stats.spearmanr(leans, rows).statistic)

"""Correlation of what was measured with an outside figure, Pearson's and Spearman's, with p-values."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from slant.results import Correlation


def correlation(figure: str, values: ArrayLike, figures: ArrayLike) -> Correlation | None:
    """Correlate two series (n,); None with fewer than three words, or where one series is constant.

    >>> correlation("rating", [1.0, 2.0, 3.0, 5.0], [2.0, 4.0, 6.0, 8.0]).spearman
    1.0
    """
    from scipy import stats

    first, second = np.asarray(values, dtype=np.float64), np.asarray(figures, dtype=np.float64)
    if len(first) < 3 or np.ptp(first) == 0 or np.ptp(second) == 0:
        return None
    pearson, spearman = stats.pearsonr(first, second), stats.spearmanr(first, second)
    return Correlation(
        figure, float(pearson.statistic), float(pearson.pvalue), float(spearman.statistic),
        float(spearman.pvalue), len(first),
    )  # fmt: skip

"""Correlation of what was measured with an external figure, Pearson's and Spearman's, with p-values."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from aslant.results.parts import Correlation
from aslant.statistics import correlation_pvalue, rank_correlation_pvalue

#: Up to this many pairs p-values are exact, over all orders: SciPy's are 0 for a perfect rank correlation of so few.
EXACT = 8


def correlation(figure: str, values: ArrayLike, figures: ArrayLike) -> Correlation | None:
    """Correlate two series (n,); None with fewer than three words, or where one series is constant.

    P-values are two-sided: over all orders of up to 8 words, by Student's t for more, but never below that of the two
    most extreme of all orders, so that none is 0.

    >>> found = correlation("rating", [1.0, 2.0, 3.0, 5.0], [2.0, 4.0, 6.0, 8.0])
    >>> found.spearman, found.spearman_pvalue == 2 / 24
    (1.0, True)
    """
    from scipy import stats

    first, second = np.asarray(values, dtype=np.float64), np.asarray(figures, dtype=np.float64)
    if len(first) < 3 or np.ptp(first) == 0 or np.ptp(second) == 0:
        return None
    pearson, spearman = stats.pearsonr(first, second), stats.spearmanr(first, second)
    least = 2.0 / math.factorial(min(len(first), 170))  # beyond that, the factorial is too large for a float
    pvalues = max(least, float(pearson.pvalue)), max(least, float(spearman.pvalue))
    if len(first) <= EXACT:
        pvalues = correlation_pvalue(first, second), rank_correlation_pvalue(first, second)
    return Correlation(
        figure, float(pearson.statistic), pvalues[0], float(spearman.statistic), pvalues[1], len(first)
    )  # fmt: skip

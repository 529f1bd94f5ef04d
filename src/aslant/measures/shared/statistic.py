"""Statistics that several measures share: associations and effect sizes, correlations, mean and range over repeats."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from aslant.measures.shared.wordsets import FloatArray
from aslant.results.parts import Correlation, Interval, Spread
from aslant.statistics import clustered_wilson, correlation_pvalue, percentile_interval, rank_correlation_pvalue

#: Up to this many pairs p-values are exact, over all orders: SciPy's are 0 for a perfect rank correlation of so few.
EXACT = 8
#: Spreads below this are rounding noise: an effect size of such scores does not exist.
NO_SPREAD = 1e-12


def associations(targets: FloatArray, first: FloatArray, second: FloatArray) -> FloatArray:
    """s(w, A, B) = mean_a cos(w, a) − mean_b cos(w, b) for each row w of `targets`; all rows at unit length.

    >>> associations(np.array([[1.0, 0.0]]), np.array([[1.0, 0.0]]), np.array([[0.0, 1.0]])).tolist()
    [1.0]
    """
    return np.asarray(targets @ (first.mean(axis=0) - second.mean(axis=0)))


def target_scores(X: FloatArray, Y: FloatArray, A: FloatArray, B: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return s(w, A, B) of every row of X, and of every row of Y."""
    scores = associations(np.concatenate([X, Y]), A, B)
    return scores[: len(X)], scores[len(X) :]


def effect_size(first: FloatArray, second: FloatArray, *, ddof: int = 1) -> float:
    """d = (mean of the first scores − mean of the second) / standard deviation of all of them.

    >>> round(effect_size(np.array([1.0, 2.0]), np.array([0.0, 1.0])), 4)
    1.2247
    """
    spread = np.concatenate([first, second]).std(ddof=ddof)
    return float((first.mean() - second.mean()) / spread)


def drawn_interval(drawn: ArrayLike, confidence: float) -> Interval | None:
    """Return the interval of resampled values; None where all agree: what does not vary is not certain for that.

    >>> drawn_interval([1.0, 1.0], 0.95) is None
    True
    """
    values = np.asarray(drawn, dtype=np.float64)
    if not np.ptp(values):
        return None
    return Interval(*percentile_interval(values, confidence), confidence, len(values))


def share_interval(drawn: ArrayLike, successes: ArrayLike, trials: ArrayLike, confidence: float) -> Interval:
    """Return the interval of a share from draws of clusters; where all of them agree, Wilson's over clusters.

    >>> found = share_interval([0.0, 0.0], [0.0] * 10, [1.0] * 10, 0.95)
    >>> found.low, round(found.high, 3)
    (0.0, 0.278)
    """
    ends = clustered_wilson(successes, trials, confidence)
    return drawn_interval(drawn, confidence) or Interval(*ends, confidence, 0)


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


def pearson_rows(rows: FloatArray, figures: FloatArray) -> FloatArray:
    """Return the correlation of each row (draws, n) with the figures (n,); 0 for a row without spread.

    >>> pearson_rows(np.array([[1.0, 2.0], [4.0, 0.0], [1.0, 1.0]]), np.array([5.0, 7.0])).round(9).tolist()
    [1.0, -1.0, 0.0]
    """
    centred, against = rows - rows.mean(axis=1, keepdims=True), figures - figures.mean()
    lengths = np.maximum(np.linalg.norm(centred, axis=1) * np.linalg.norm(against), NO_SPREAD)
    return np.asarray(centred @ against / lengths)


def spread(values: ArrayLike) -> Spread:
    """Return the mean, the smallest and the largest of `values` (n,).

    >>> spread([0.5, 1.0])
    Spread(mean=0.75, minimum=0.5, maximum=1.0, n=2)
    """
    array = np.asarray(values, dtype=np.float64)
    low, high = float(array.min()), float(array.max())
    return Spread(min(max(float(array.mean()), low), high), low, high, len(array))  # a mean of equal numbers may round

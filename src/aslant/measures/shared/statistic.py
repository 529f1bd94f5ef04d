"""The pure statistic of WEAT on arrays of unit vectors: associations and effect size (docs/definitions.md §1)."""

from __future__ import annotations

import numpy as np

from aslant.measures.shared.wordsets import FloatArray

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

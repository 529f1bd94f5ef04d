"""Many tests at once: how many of the findings are expected to be false."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from aslant.errors import MeasureError


def benjamini_hochberg(pvalues: ArrayLike) -> NDArray[np.float64]:
    """Turn p-values into Benjamini–Hochberg q-values, in the same order.

    `pvalues` is (m,), each in [0, 1]; so is the answer. Rejecting where q ≤ α keeps the expected share of
    false findings at α or below (Benjamini and Hochberg 1995; Swinger et al. use α = 0.05).

    >>> benjamini_hochberg([0.01, 0.04, 0.03, 0.5])
    array([0.04      , 0.05333333, 0.05333333, 0.5       ])
    """
    given = np.asarray(pvalues, dtype=np.float64)
    if given.ndim != 1:
        raise MeasureError(f"p-values have shape {given.shape}; give one list of numbers.")
    if not given.size:
        return given.copy()
    wrong = given[~((given >= 0) & (given <= 1))]
    if wrong.size:
        raise MeasureError(f"{wrong[0]} is not a p-value; p-values lie between 0 and 1.")
    # By hand, not by SciPy's false_discovery_control: importing scipy.stats takes longer than a suite of tests.
    order = np.argsort(given)[::-1]
    steps = given[order] * (given.size / np.arange(given.size, 0, -1))
    qvalues = np.empty_like(given)
    qvalues[order] = np.minimum.accumulate(np.minimum(steps, 1.0))
    return qvalues

"""Mean and range over repeats."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from aslant.results.parts import Spread


def spread(values: ArrayLike) -> Spread:
    """Return the mean, the smallest and the largest of `values` (n,).

    >>> spread([0.5, 1.0])
    Spread(mean=0.75, minimum=0.5, maximum=1.0, n=2)
    """
    array = np.asarray(values, dtype=np.float64)
    return Spread(float(array.mean()), float(array.min()), float(array.max()), len(array))

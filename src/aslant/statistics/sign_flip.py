"""The paired permutation test: under the null, each difference could equally have had the other sign."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from aslant.errors import MeasureError
from aslant.statistics.randomness import generator

_EXACT = 16  # up to this many differences all 2^n sign patterns are listed
_BLOCK = 1 << 22


def sign_flip_pvalue(
    differences: ArrayLike, *, n_resamples: int = 9_999, rng: int | np.random.Generator | None = 0
) -> float:
    """Return the two-sided p-value that the mean of paired `differences`, shape (n,), is not zero.

    Exact for up to 16 differences; otherwise add-one over random sign patterns. 0 < p ≤ 1.

    >>> sign_flip_pvalue([1.0, 2.0, 3.0])
    0.25
    """
    values = np.asarray(differences, dtype=np.float64)
    if values.ndim != 1 or not values.size or not np.isfinite(values).all():
        raise MeasureError(f"differences of shape {values.shape}: give one list of finite numbers, at least one.")
    observed = abs(values.sum()) - 1e-12 * np.abs(values).sum()  # so that equal sums count as ties
    if values.size <= _EXACT:
        patterns = (np.arange(1 << values.size)[:, None] >> np.arange(values.size)) & 1
        return float(np.mean(np.abs((2 * patterns - 1) @ values) >= observed))
    random, extreme = generator(rng), 0
    rows = max(1, _BLOCK // values.size)
    for start in range(0, n_resamples, rows):
        signs = random.integers(0, 2, (min(rows, n_resamples - start), values.size), dtype=np.int8)
        extreme += int(np.count_nonzero(np.abs((2.0 * signs - 1) @ values) >= observed))
    return (1 + extreme) / (1 + n_resamples)

"""The pure statistic of CEAT: effect sizes of many draws of one context for each word, without a loop over draws."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from aslant.measures.sentence_tests.clustered_words import Clustered
from aslant.measures.sentence_tests.result import EffectBin, EffectDistribution
from aslant.measures.shared.statistic import NO_SPREAD
from aslant.measures.shared.wordsets import FloatArray

_BYTES = 1 << 20  # vectors gathered at a time: few enough for a processor's cache
_DRAWS = 10_000  # draws whose contexts are chosen at a time, so that millions of draws need little memory
QUANTILES = (0, 2.5, 25, 50, 75, 97.5, 100)
BIN = 0.1


def sampled_effects(
    X: Clustered, Y: Clustered, A: Clustered, B: Clustered, samples: int, random: np.random.Generator
) -> tuple[FloatArray, FloatArray]:
    """Draw one context for each word `samples` times; return ES_i and V_i of each draw, both of shape (samples,).

    ES is WEAT's effect size (ddof = 1) and V, the paper's in-sample variance, that of the associations whose spread
    ES is divided by. Draws in which all associations are equal have no effect size and are left out.
    """
    parts = [
        _part(X, Y, A, B, min(_DRAWS, samples - start), random) for start in range(0, samples, _DRAWS)
    ]  # fmt: skip
    effects, variances = (np.concatenate(values) for values in zip(*parts, strict=True))
    return effects, variances


def _part(
    X: Clustered, Y: Clustered, A: Clustered, B: Clustered, samples: int, random: np.random.Generator
) -> tuple[FloatArray, FloatArray]:
    # A row for each word of a set, evenly from its own: (samples, words).
    drawn = [g.starts + random.integers(0, g.sizes, (samples, len(g.sizes))) for g in (X, Y, A, B)]
    n = len(X.sizes)
    scores = np.empty((samples, n + len(Y.sizes)))
    block = max(1, _BYTES // (4 * X.unit.shape[1]))
    for start in range(0, samples, block):
        part = slice(start, start + block)
        # s(w, A, B) = w · (mean of a − mean of b). Word by word, since the contexts of one word fit a cache together.
        axis = _mean(A, drawn[2][part]) - _mean(B, drawn[3][part])
        for group, rows, first_column in ((X, drawn[0][part], 0), (Y, drawn[1][part], n)):
            for word in range(len(group.sizes)):
                vectors = group.unit.take(rows[:, word], axis=0)
                scores[part, first_column + word] = np.einsum("nd,nd->n", vectors, axis)
    variances = scores.var(axis=1, ddof=1)
    kept = variances > NO_SPREAD**2
    difference = scores[:, :n].mean(axis=1) - scores[:, n:].mean(axis=1)
    return difference[kept] / np.sqrt(variances[kept]), variances[kept]


def _mean(group: Clustered, rows: NDArray[np.int64]) -> NDArray[Any]:
    """Return the mean over the words of a set, each by the row drawn for it: (draws, dimensions)."""
    total = group.unit.take(rows[:, 0], axis=0)
    for word in range(1, rows.shape[1]):
        total += group.unit.take(rows[:, word], axis=0)
    return np.asarray(total / rows.shape[1])


def word_associations(X: Clustered, Y: Clustered, A: Clustered, B: Clustered) -> tuple[FloatArray, FloatArray]:
    """Return the mean of s(w, A, B) over the contexts of each word of X and of Y: what a draw gives on average."""
    mean_a, mean_b = ((group.sums(group.unit) / group.sizes[:, None]).mean(axis=0) for group in (A, B))
    axis = mean_a - mean_b
    x, y = (group.sums(group.unit) @ axis / group.sizes for group in (X, Y))
    return x, y


def distribution(effects: FloatArray) -> EffectDistribution:
    """Sum up the effect sizes of all draws.

    >>> d = distribution(np.array([-0.15, 0.05, 0.25, 0.31]))
    >>> d.share_positive, [(round(b.low, 1), b.count) for b in d.bins]
    (0.75, [(-0.2, 1), (0.0, 1), (0.2, 1), (0.3, 1)])
    """
    places, counts = np.unique(np.floor(effects / BIN).astype(np.int64), return_counts=True)
    return EffectDistribution(
        mean=float(effects.mean()),
        standard_deviation=float(effects.std(ddof=1)) if effects.size > 1 else 0.0,
        quantiles={
            f"{q:g}": value for q, value in zip(QUANTILES, np.percentile(effects, QUANTILES).tolist(), strict=True)
        },
        share_positive=float((effects > 0).mean()),
        share_negative=float((effects < 0).mean()),
        bins=tuple(
            EffectBin(place * BIN, (place + 1) * BIN, count)
            for place, count in zip(places.tolist(), counts.tolist(), strict=True)
        ),
    )

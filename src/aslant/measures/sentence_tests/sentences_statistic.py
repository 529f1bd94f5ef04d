"""The pure statistic of SEAT: associations of sentences, effect size over them, and an interval over words."""

from __future__ import annotations

import numpy as np

from aslant.measures.association.stability import draw_weights
from aslant.measures.sentence_tests.clustered_words import Clustered
from aslant.measures.shared.statistic import NO_SPREAD, associations
from aslant.measures.shared.wordsets import FloatArray
from aslant.results.parts import Interval
from aslant.statistics import percentile_interval

_BLOCK = 1 << 20  # scores at a time


def sentence_scores(X: Clustered, Y: Clustered, A: Clustered, B: Clustered) -> tuple[FloatArray, FloatArray]:
    """Return s(sentence, A, B) of every sentence of X and of Y: A and B are means over all their sentences."""
    scores = associations(np.concatenate([X.unit, Y.unit]), A.unit, B.unit)
    return scores[: len(X.unit)], scores[len(X.unit) :]


def word_interval(
    X: Clustered, Y: Clustered, A: Clustered, B: Clustered, n_resamples: int, confidence: float,
    random: np.random.Generator,
) -> Interval | None:  # fmt: skip
    """Percentile interval of d over sentences when *words* are redrawn, with all their sentences, set by set.

    None without resamples, or where a set has a single word and nothing can be drawn.
    """
    if n_resamples < 1 or min(len(group.sizes) for group in (X, Y, A, B)) < 2:
        return None
    rows = max(1, _BLOCK // (len(X.unit) + len(Y.unit)))
    effects = np.concatenate(
        [
            _effects(X, Y, A, B, min(rows, n_resamples - start), random)
            for start in range(0, n_resamples, rows)
        ]
    )  # fmt: skip
    effects = effects[np.isfinite(effects)]
    if not effects.size:
        return None
    return Interval(*percentile_interval(effects, confidence), confidence, n_resamples)


def _effects(X: Clustered, Y: Clustered, A: Clustered, B: Clustered, n: int, random: np.random.Generator) -> FloatArray:
    """Return d of each of n draws; infinite where all drawn scores are equal."""
    targets = np.concatenate([X.unit, Y.unit])
    scores = np.zeros((len(targets), n))
    for group, sign in ((A, 1), (B, -1)):
        drawn = draw_weights(len(group.sizes), n, random)
        scores += sign * (targets @ group.sums(group.unit).T) @ drawn / (group.sizes @ drawn)
    # How often each sentence of X and of Y is in each draw: as often as its word was drawn.
    counts = [
        np.repeat(draw_weights(len(group.sizes), n, random) * len(group.sizes), group.sizes, axis=0) for group in (X, Y)
    ]
    x, y = scores[: len(X.unit)], scores[len(X.unit) :]
    mean_x, mean_y = ((c * s).sum(axis=0) / c.sum(axis=0) for c, s in zip(counts, (x, y), strict=True))
    total = counts[0].sum(axis=0) + counts[1].sum(axis=0)
    mean = (counts[0].sum(axis=0) * mean_x + counts[1].sum(axis=0) * mean_y) / total
    squares = (counts[0] * (x - mean) ** 2).sum(axis=0) + (counts[1] * (y - mean) ** 2).sum(axis=0)
    spread = np.sqrt(squares / np.maximum(total - 1, 1))
    defined = spread > NO_SPREAD
    return np.where(defined, (mean_x - mean_y) / np.where(defined, spread, 1.0), np.inf)

"""How much a WEAT effect size depends on the choice of words: bootstrap interval and leave-one-out range."""

from __future__ import annotations

import numpy as np

from aslant.measures.association.result import LeaveOneOut
from aslant.measures.shared.statistic import NO_SPREAD, associations, effect_size
from aslant.measures.shared.wordsets import FloatArray
from aslant.results.parts import Interval, WordsUsed
from aslant.statistics import percentile_interval


def bootstrap_interval(
    X: FloatArray,
    Y: FloatArray,
    A: FloatArray,
    B: FloatArray,
    n_resamples: int,
    confidence: float,
    random: np.random.Generator,
) -> Interval | None:
    """Percentile interval of d when the words of all four sets are redrawn with replacement, set by set.

    Rows are unit vectors. None without resamples, or where a set has a single word and nothing can be drawn.
    """
    if n_resamples < 1 or min(map(len, (X, Y, A, B))) < 2:
        return None
    effects = bootstrap_effects(X, Y, A, B, n_resamples, random)
    effects = effects[np.isfinite(effects)]
    if not effects.size:
        return None
    low, high = percentile_interval(effects, confidence)
    return Interval(low, high, confidence, n_resamples)


def bootstrap_effects(
    X: FloatArray, Y: FloatArray, A: FloatArray, B: FloatArray, n_resamples: int, random: np.random.Generator
) -> FloatArray:
    """Return d of each draw, shape (n_resamples,); infinite where all drawn scores are equal and d does not exist.

    For sets of the same sizes the same generator state draws the same words.
    """
    targets = np.concatenate([X, Y])
    cosines_a, cosines_b = targets @ A.T, targets @ B.T
    # Column r of `scores` holds s(w) of every target word under the r-th draw of the attributes.
    scores = cosines_a @ draw_weights(len(A), n_resamples, random) - cosines_b @ draw_weights(
        len(B), n_resamples, random
    )
    wx, wy = draw_weights(len(X), n_resamples, random), draw_weights(len(Y), n_resamples, random)
    x, y = scores[: len(X)], scores[len(X) :]
    mean_x, mean_y = (wx * x).sum(axis=0), (wy * y).sum(axis=0)
    n, nx, ny = len(targets), len(X), len(Y)
    mean = (nx * mean_x + ny * mean_y) / n
    squares = nx * (wx * (x - mean) ** 2).sum(axis=0) + ny * (wy * (y - mean) ** 2).sum(axis=0)
    spread = np.sqrt(squares / (n - 1))
    defined = spread > NO_SPREAD
    return np.where(defined, (mean_x - mean_y) / np.where(defined, spread, 1.0), np.inf)


def draw_weights(size: int, n_resamples: int, random: np.random.Generator) -> FloatArray:
    """Shares of each word in `n_resamples` draws with replacement; shape (size, n_resamples)."""
    drawn = random.integers(0, size, (n_resamples, size)) + size * np.arange(n_resamples)[:, None]
    return np.bincount(drawn.ravel(), minlength=n_resamples * size).reshape(n_resamples, size).T / size


def leave_one_out(units: list[FloatArray], used: list[WordsUsed]) -> LeaveOneOut | None:
    """Range of d when any one word of the four sets is left out; None where no word can be spared."""
    found: list[tuple[float, str]] = []
    for place, (unit, words) in enumerate(zip(units, used, strict=True)):
        for row, word in enumerate(words.used if len(unit) > 1 else ()):
            X, Y, A, B = (np.delete(u, row, axis=0) if i == place else u for i, u in enumerate(units))
            if len(X) + len(Y) < 2:
                continue
            scores = associations(np.concatenate([X, Y]), A, B)
            if np.ptp(scores) > NO_SPREAD:
                found.append((effect_size(scores[: len(X)], scores[len(X) :]), word))
    if not found:
        return None
    (low, low_word), (high, high_word) = min(found), max(found)
    return LeaveOneOut(low, low_word, high, high_word)

"""Parts of results that several measures share: the words used, intervals, correlations, ranges over repeats."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from aslant.statistics.chance import Chance


@dataclass(frozen=True)
class WordsUsed:
    """One word set as it was actually used: `used` has vectors, `missing` has none.

    `tokens` are the vocabulary entries that stand for `used` (another case, an underscore); `removed` were left
    out on request, to equalise set sizes; `same_token` because their token already represents another word of the set;
    `not_in_vocabulary` because the vocabulary that the test was reduced to does not have them.
    """

    name: str
    used: tuple[str, ...]
    tokens: tuple[str, ...]
    missing: tuple[str, ...]
    removed: tuple[str, ...] = ()
    same_token: tuple[str, ...] = ()
    not_in_vocabulary: tuple[str, ...] = ()


@dataclass(frozen=True)
class Interval:
    """An interval from resampling."""

    low: float
    high: float
    confidence: float
    n_resamples: int


def bounds(interval: Interval | None) -> tuple[float | None, float | None]:
    """Return the two ends of an interval, or nothing where there is none."""
    return (interval.low, interval.high) if interval else (None, None)


@dataclass(frozen=True)
class Correlation:
    """How the effect sizes correlate with an external figure, over `n` words; p-values of up to 8 words are exact."""

    figure: str
    pearson: float
    pearson_pvalue: float
    spearman: float
    spearman_pvalue: float
    n: int


@dataclass(frozen=True)
class Spread:
    """The mean and range of a number over `n` repeats."""

    mean: float
    minimum: float
    maximum: float
    n: int


def chance_row(chance: Chance | None) -> dict[str, Any]:
    """Return what a table row says of chance: its mean, the range of 95 % of draws, and the p-value.

    >>> chance_row(None)
    {'chance_mean': None, 'chance_low': None, 'chance_high': None, 'chance_pvalue': None}
    """
    return {f"chance_{name}": getattr(chance, name, None) for name in ("mean", "low", "high", "pvalue")}

"""The history of polarity: the same scores for a series of embeddings, with a test for trend (Lu et al.)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from slant.errors import MeasureError
from slant.measures.polarity import (
    DEFAULT_WORDS,
    Classes,
    Scheme,
    Words,
    check_scheme,
    class_lists,
    measure,
    word_list,
)
from slant.measures.wordsets import provenance
from slant.results import PolarityResult, TrendPoint, TrendResult, TrendTest, WordsUsed
from slant.statistics import rank_correlation_pvalue, seed_of
from slant.vectors import WordVectors

#: Fewer points than this carry no test for trend.
LEAST_POINTS = 4


def polarity_trend(
    embeddings: Mapping[int, WordVectors],
    classes: Classes,
    words: Words = DEFAULT_WORDS,
    *,
    scheme: Scheme = "binary",
    any_words: bool = False,
    bootstrap: int = 2_000,
    confidence: float = 0.95,
    rng: int | np.random.Generator | None = 0,
) -> TrendResult:
    """Measure polarity year by year, and test whether it rises or falls (Mann–Kendall, Spearman).

    By default only words that every year has are used, so that a change of vocabulary is not taken for a change of
    bias; with `any_words` each year uses what it has. A year that lacks a class is left out, and listed.

    >>> import slant
    >>> v = slant.load()
    >>> t = slant.polarity_trend({1990: v, 2000: v}, ["female", "male"], ["nurse", "engineer"])
    >>> [p.year for p in t.points], t.test is None
    ([1990, 2000], True)
    """
    groups, class_id = class_lists(classes)
    check_scheme(scheme, len(groups))
    listed, words_id = word_list(words)
    left_out = {year: lacks for year, v in sorted(embeddings.items()) if (lacks := _lacking_class(v, groups))}
    series = {year: v for year, v in sorted(embeddings.items()) if year not in left_out}
    if len(series) < 2:
        lacking = f" ({next(iter(left_out.values()))})" if left_out else ""
        raise MeasureError(
            f"{len(series)} of {len(embeddings)} years have vectors for every class{lacking}; two are needed."
        )
    have = {year: set(v.lookup(listed).found) for year, v in series.items()}
    used = set.union(*have.values()) if any_words else set.intersection(*have.values())
    basis = tuple(word for word in listed if word in used)
    if not basis:
        where = "any year" if any_words or not set.union(*have.values()) else "every year; try any_words (--any)"
        raise MeasureError(f"no word of the {len(listed)} is in {where}.")
    seed = seed_of(rng)
    settings: dict[str, Any] = {
        "scheme": scheme, "bootstrap": bootstrap, "confidence": confidence, "words": words_id,
    }  # fmt: skip
    results = {year: measure(v, groups, class_id, basis, settings, seed) for year, v in series.items()}
    points = tuple(_point(year, result) for year, result in results.items())
    unused = WordsUsed("words", (), (), tuple(word for word in listed if word not in used))
    last = series[max(series)]
    return TrendResult(
        scheme=scheme,
        classes=tuple(group.name for group in groups),
        basis="every word that a year has" if any_words else "words that every year has",
        points=points,
        representations=tuple(result.provenance.representation for result in results.values()),
        test=_trend(points),
        words=basis,
        years_left_out=left_out,
        provenance=provenance(last, class_id, (unused,), seed, {**settings, "any_words": any_words}),
    )


def _lacking_class(vectors: WordVectors, groups: Any) -> str:
    lacking = [group.name for group in groups if not vectors.lookup(group.words).found]
    return f"no vector for {', '.join(lacking)}" if lacking else ""


def _point(year: int, result: PolarityResult) -> TrendPoint:
    low, high = (result.interval.low, result.interval.high) if result.interval else (None, None)
    name = result.provenance.representation.name
    return TrendPoint(year, result.score, low, high, len(result.by_word), name)


def _trend(points: tuple[TrendPoint, ...]) -> TrendTest | None:
    from scipy import stats

    years = np.array([point.year for point in points], dtype=np.float64)
    scores = np.array([point.score for point in points])
    if len(points) < LEAST_POINTS or np.ptp(scores) == 0:
        return None
    kendall, spearman = stats.kendalltau(years, scores), stats.spearmanr(years, scores)
    spearman_pvalue = rank_correlation_pvalue(years, scores)  # SciPy's is 0 for a perfect correlation
    slope = stats.theilslopes(scores, years).slope
    return TrendTest(
        float(kendall.statistic), float(kendall.pvalue), float(spearman.statistic), spearman_pvalue,
        100 * float(slope),
    )  # fmt: skip

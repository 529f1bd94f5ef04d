"""The history of polarity: the same scores for a series of embeddings, with a test for trend (Lu et al.)."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from os import PathLike
from typing import Any, TypeAlias, cast

import numpy as np

from aslant import statistics
from aslant.errors import MeasureError, plural
from aslant.measures.polarities.chance import drawn_trends
from aslant.measures.polarities.measure import Classes, Words, check_scheme, class_lists, measure, word_list
from aslant.measures.polarities.result import PROFESSIONS, TrendPoint, TrendResult, TrendsResult, TrendTest
from aslant.measures.polarities.settings import PolaritySettings, Scheme, TrendSettings, TrendsSettings
from aslant.measures.shared.chance import kind_of
from aslant.measures.shared.open_subject import opening
from aslant.measures.shared.settings import keywords
from aslant.measures.shared.wordsets import FloatArray, provenance
from aslant.results.parts import bounds
from aslant.stimuli import ClassSet, WordList, load_set
from aslant.vectors import WordVectors

#: Classes, or classes by the first year in which they hold.
DatedClasses: TypeAlias = Classes | Mapping[int, Classes]
#: Fewer points than this carry no test for trend.
LEAST_POINTS = 4
#: The settings of the two figures of Lu et al., with the class words that meet the columns of their Table 1.
FIGURES: dict[int, dict[str, tuple[str, Scheme]]] = {
    1: {
        "baseline": ("gender-binary", "binary"),
        "ovo (g1)": ("gender-three-as-printed", "one-vs-one"),
        "ovr (g1)": ("gender-three", "one-vs-rest"),
        "ovr (g2)": ("gender-five", "one-vs-rest"),
    },
    2: {"ovo (r)": ("race-four", "one-vs-one"), "ovr (r)": ("race-four", "one-vs-rest")},
}


@opening("embeddings")
@keywords
def polarity_trend(
    embeddings: Mapping[int, WordVectors],
    classes: DatedClasses,
    words: Words = PROFESSIONS,
    *,
    settings: TrendSettings,
    rng: int | np.random.Generator | None = 0,
) -> TrendResult:
    """Measure polarity year by year, and test whether it rises or falls (Mann–Kendall, Spearman).

    By default only words that every year has are used, so that a change of vocabulary is not mistaken for a change of
    bias; with `any_words` each year uses what it has. A year without one of them is left out, and listed. Class words
    may change: ``{1800: {…}, 1960: {…}}`` gives the classes from 1800 on and from 1960 on. `chance` random classes of
    the same frequency, each the same words in all years, say what scores and what trends any classes would have.

    >>> import aslant
    >>> v = aslant.load()
    >>> t = aslant.polarity_trend({1990: v, 2000: v}, ["female", "male"], ["nurse", "engineer"])
    >>> [p.year for p in t.points], t.test is None
    ([1990, 2000], True)
    """
    names, periods, class_id = _class_periods(classes)
    check_scheme(settings.scheme, len(names))
    if odd := [year for year in embeddings if isinstance(year, bool) or not isinstance(year, int)]:
        raise MeasureError(f"{odd[0]!r:.60} is not a year; give embeddings by year, such as {{1900: v, 1910: w}}.")
    listed, words_id = word_list(words)
    # The classes of the last period that has begun by each year; none before the first
    groups = {y: next((held for start, held in reversed(periods) if start <= y), ()) for y in sorted(embeddings)}
    left_out = {year: lacks for year in groups if (lacks := _lacking(names, groups[year], embeddings[year]))}
    series = {year: embeddings[year] for year in groups if year not in left_out}
    if len(series) < 2:
        lacking = f" ({next(iter(left_out.values()))})" if left_out else ""
        raise MeasureError(
            f"{len(series)} of {plural(len(embeddings), 'year')} with vectors for every class{lacking}; two are needed."
        )
    basis, seed = _basis(series, listed, settings.any_words), statistics.seed_of(rng)
    unused = [word for word in listed if word not in set(basis)]
    alone = replace(settings, chance=0)  # what is drawn is the same in all years
    results = {year: measure(v, groups[year], class_id, basis, words_id, alone, seed) for year, v in series.items()}
    classes_of = {year: r.classes for year, r in results.items()}
    drawn = drawn_trends(series, classes_of, basis, settings, statistics.generator(seed))
    points, kind = [], kind_of(series[max(series)])
    for place, (year, r) in enumerate(results.items()):
        used, name = {group.name: group.used for group in r.classes}, r.provenance.representation.name
        given = None if drawn is None else statistics.against_chance(r.score, drawn[:, place], kind, signed=False)
        points.append(TrendPoint(year, r.score, *bounds(r.interval), len(r.by_word), name, used, given))
    return TrendResult(
        scheme=settings.scheme,
        classes=names,
        basis="every word that a year has" if settings.any_words else "words that every year has",
        points=tuple(points),
        representations=tuple(result.provenance.representation for result in results.values()),
        test=trend_test([p.year for p in points], [p.score for p in points], drawn, kind),
        words=basis,
        years_left_out=left_out,
        provenance=provenance(series[max(series)], class_id, unused, seed, {**settings.record(), "words": words_id}),
    )


@opening("embeddings")
@keywords
def polarity_trends(
    embeddings: Mapping[int, WordVectors],
    settings: int | Mapping[str, tuple[DatedClasses, Scheme]],
    words: Words = PROFESSIONS,
    *,
    how: TrendsSettings,
    rng: int | np.random.Generator | None = 0,
) -> TrendsResult:
    """Measure polarity year by year in several settings: those of figure 1 or 2 of Lu et al., or your own by label.

    Each setting is a pair of classes and a scheme, and gives what `polarity_trend` gives for it. A setting whose
    classes are in fewer than two years is listed with the reason.

    >>> import aslant
    >>> v = aslant.load()
    >>> t = aslant.polarity_trends({1990: v, 2000: v}, 2, bootstrap=0)
    >>> {label: round(trend.points[0].score, 3) for label, trend in t.trends.items()}
    {'ovo (r)': 0.098, 'ovr (r)': 0.148}
    """
    chosen = _settings(settings)
    for classes, scheme in chosen.values():
        check_scheme(PolaritySettings(scheme=scheme).scheme, len(_class_periods(classes)[0]))
    seed, trends, not_measured = statistics.seed_of(rng), {}, {}
    for label, (classes, scheme) in chosen.items():
        try:
            trends[label] = polarity_trend(embeddings, classes, words, scheme=scheme, rng=seed, **vars(how))
        except MeasureError as error:
            not_measured[label] = str(error).rstrip(".")
    if not trends:
        raise MeasureError(f"no setting can be measured; '{min(not_measured)}': {not_measured[min(not_measured)]}.")
    return TrendsResult(trends, not_measured)


def needed_words(
    settings: int | Mapping[str, tuple[DatedClasses, Scheme]], words: Words = PROFESSIONS
) -> tuple[str, ...]:
    """Return every word that `polarity_trends` looks up: those of all classes in all periods, and those measured."""
    periods = [period for classes, _ in _settings(settings).values() for period in _class_periods(classes)[1]]
    return (*word_list(words)[0], *(word for _, groups in periods for group in groups for word in group.words))


def _settings(given: Any) -> Mapping[str, tuple[DatedClasses, Scheme]]:
    if isinstance(given, int):
        if given not in FIGURES:
            raise MeasureError(f"Lu et al. have no figure {given}; give 1 (gender) or 2 (race), or settings by label.")
        return FIGURES[given]
    settings: Mapping[str, tuple[DatedClasses, Scheme]] = given if isinstance(given, Mapping) else {}
    if not settings or not all(isinstance(pair, tuple) and len(pair) == 2 for pair in settings.values()):
        raise MeasureError(f"settings={given!r:.60} are not pairs of classes and scheme by label; or give 1 or 2.")
    return settings


Periods: TypeAlias = Sequence[tuple[float, tuple[WordList, ...]]]


def _class_periods(classes: DatedClasses) -> tuple[tuple[str, ...], Periods, str]:
    """Return the names of the classes, their words by the first year in which they hold, and the id of the set."""
    if isinstance(classes, str | PathLike):
        chosen = load_set(classes, ClassSet)
        starts = (-math.inf, *chosen.years)
        return tuple(group.name for group in chosen.classes), [(year, chosen.at(year)) for year in starts], chosen.id
    if not isinstance(classes, Mapping) or not classes or not all(isinstance(year, int) for year in classes):
        groups, class_id = class_lists(cast("Classes", classes))
        return tuple(group.name for group in groups), [(-math.inf, groups)], class_id
    by_year = {year: class_lists(given) for year, given in sorted(cast("Mapping[int, Classes]", classes).items())}
    (first, (groups, _)), *others = by_year.items()
    names = tuple(group.name for group in groups)
    for year, (later, _) in others:
        if {group.name for group in later} != set(names):
            raise MeasureError(
                f"the classes are {', '.join(names)} from {first} on, but {', '.join(g.name for g in later)} from "
                f"{year} on; name the same classes in each period, such as {{'{names[0]}': ['other', 'words']}}."
            )
    ids = dict.fromkeys(class_id for _, class_id in by_year.values())
    return names, [(year, groups) for year, (groups, _) in by_year.items()], ", ".join(ids)


def _lacking(names: Sequence[str], groups: Sequence[WordList], vectors: WordVectors) -> str:
    """Say which classes have no words yet, or no vector; an empty text if none."""
    if early := [name for name in names if name not in {group.name for group in groups}]:
        return f"no words are given for {', '.join(early)} that early"
    lacking = [group.name for group in groups if not vectors.lookup(group.words).found]
    return f"no vector for {', '.join(lacking)}" if lacking else ""


def _basis(series: Mapping[int, WordVectors], listed: tuple[str, ...], any_words: bool) -> tuple[str, ...]:
    """Return the words to measure, which every year has (or any)."""
    have = [set(v.lookup(listed).found) for v in series.values()]
    used = set.union(*have) if any_words else set.intersection(*have)
    if not used:
        where = "any year" if any_words or not set.union(*have) else "every year; try any_words=True (or --any)"
        raise MeasureError(f"none of the words ({len(listed)}) is in {where}.")
    return tuple(word for word in listed if word in used)


def trend_test(years: Sequence[int], scores: Sequence[float], drawn: FloatArray | None, kind: str) -> TrendTest | None:
    """Test scores for a trend, beside that of `drawn` ones, (draws, years); None for too few years, or equal scores.

    Mann–Kendall's p-value is exact without ties (SciPy counts orders for up to 33 years).
    """
    from scipy import stats

    x, y = np.array(years, dtype=np.float64), np.array(scores)
    if len(x) < LEAST_POINTS or np.ptp(y) == 0:
        return None
    kendall, spearman = stats.kendalltau(x, y), stats.spearmanr(x, y)
    tau, rho = float(kendall.statistic), float(spearman.statistic)
    spearman_pvalue = statistics.rank_correlation_pvalue(x, y)  # SciPy's is 0 for a perfect correlation
    slope = 100 * float(stats.theilslopes(y, x).slope)
    given = None if drawn is None else statistics.against_chance(tau, taus(drawn), kind)
    return TrendTest(tau, float(kendall.pvalue), rho, spearman_pvalue, slope, given)


def taus(drawn: FloatArray) -> FloatArray:
    """Return Kendall's tau of each row with time, (draws,), from scores (draws, years) without ties."""
    first, second = np.triu_indices(drawn.shape[1], 1)
    return np.asarray(np.sign(drawn[:, second] - drawn[:, first]).mean(axis=1))

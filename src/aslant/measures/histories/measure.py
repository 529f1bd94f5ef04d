"""Any measure over the years: one score for each period, over its trainings, beside chance, with a test for trend."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np

from aslant import statistics
from aslant.catalogue import histories
from aslant.errors import MeasureError
from aslant.measures.histories.chance import of_period, of_trend
from aslant.measures.histories.result import HistoryResult, PeriodScore
from aslant.measures.histories.sources import Dated, dated
from aslant.measures.histories.words import Chosen, choose, looked_up
from aslant.measures.polarities.trend import taus, trend_test
from aslant.measures.shared.chance import kind_of
from aslant.measures.shared.following import Followed
from aslant.measures.shared.settings import Confidence, Draws, Settings, keywords, setting
from aslant.measures.shared.wordsets import FloatArray, provenance
from aslant.results.provenance import Representation
from aslant.statistics import Chance
from aslant.vectors import WordVectors

#: Random choices of one training of each period.
CHOICES = 2_000


@dataclass(frozen=True, kw_only=True)
class HistorySettings(Settings):
    """How a measure is followed over time."""

    chance: Draws = 2_000
    confidence: Confidence = 0.95
    any_words: Annotated[bool, setting("Each year uses the words it has, not only those that all have.")] = False


@keywords
def trend(
    models: Any,
    measure: str = "polarity",
    *,
    settings: HistorySettings,
    rng: int | np.random.Generator | None = 0,
    progress: Callable[[str, int, int], None] | None = None,
    **asked: Any,
) -> HistoryResult:
    """Follow any measure over the years, over several trainings of each year if there are, with a test for trend.

    `models` is a folder of files with years in their names, further trainings as 1900.run-2.safetensors (as
    `aslant.train` writes them), what `aslant.train` returns, or embeddings by year, a list of them where a year has
    several. `measure` is one of "polarity", "weat", "relative-norm", "ripa", "mac", "ect", "rnsb", "same", "ml-eat" and
    "direct-bias"; what it is asked follows as keywords: `test`, or `targets` and `attributes`; `classes`, `words` and
    `scheme`; `pairs`. By default only words that every year has are used, so that a change of vocabulary is not
    mistaken for a change of bias. `chance` draws of random words say what scores and what trends any words would have:
    of their frequency in each year for the score, the same words in all years for the trend.

    >>> import aslant
    >>> v = aslant.load(top=20_000)
    >>> t = aslant.trend({1990: [v, v], 2000: v}, "weat", test="weat-6", chance=100)
    >>> [(p.year, round(p.score, 2), len(p.trainings)) for p in t.points], t.points[1].low
    ([(1990, 1.72, 2), (2000, 1.72, 1)], None)
    """
    followed = followed_of(measure, asked)
    series = dated(models)
    chosen, left_out = choose(followed, {year: d.vectors for year, d in series.items()}, settings.any_words)
    seed = statistics.seed_of(rng)
    random = statistics.spawn(seed, len(chosen) + 2)
    draws = min(settings.chance, followed.most)
    scores, chances = [], []
    for place, (year, lists) in enumerate(chosen.items()):
        if progress is not None:
            progress(f"{measure} of {year}", place, len(chosen) + 1)
        runs = series[year].vectors
        scores.append(tuple(_score(followed, v, lists, year) for v in runs))
        drawn = of_period(followed, runs, lists, draws, random[place])
        chances.append(None if drawn is None else _against(followed, float(np.mean(scores[-1])), drawn, runs[0]))
    if progress is not None:
        progress("chance of a trend", len(chosen), len(chosen) + 1)
    vectors = {year: series[year].vectors for year in chosen}
    everywhere = of_trend(followed, vectors, chosen, draws, random[-2])
    points = tuple(
        _point(series[year], year, lists, given, chance, settings.confidence)
        for (year, lists), given, chance in zip(chosen.items(), scores, chances, strict=True)
    )
    last = vectors[max(vectors)][0]
    used = {word for lists in chosen.values() for word in lists.words}
    record = {"measure": measure, **settings.record(), **followed.settings}
    return HistoryResult(
        measure=measure,
        label=followed.label,
        basis="every word that a year has" if settings.any_words else "words that every year has",
        asked=len(followed.words),
        points=points,
        test=trend_test([p.year for p in points], [p.score for p in points], everywhere, kind_of(last)),
        tau_range=_tau_range(scores, random[-1]),
        years_left_out=left_out,
        representations=tuple(Representation(**v.record()) for runs in vectors.values() for v in runs),
        provenance=provenance(last, followed.stimuli, [w for w in followed.words if w not in used], seed, record),
    )


def followed_of(measure: str, asked: Mapping[str, Any]) -> Followed:
    """Return a measure with its words chosen; refuse a measure, or a keyword, that there is not."""
    if measure not in histories():
        raise MeasureError(f"measure is {measure!r}; choose one of {', '.join(histories())}.")
    found = histories()[measure]
    follow = found.resolve(found.follow)
    takes = inspect.signature(follow).parameters
    if unknown := [name for name in asked if name not in takes]:
        raise MeasureError(f"{unknown[0]} is not for the measure {measure}; it takes {', '.join(takes)}.")
    made: Followed = follow(**asked)
    return made


def _score(followed: Followed, vectors: WordVectors, lists: Chosen, year: int) -> float:
    kept, replaced = ([found.raw for found in looked_up(vectors, sets)] for sets in (lists.kept, lists.replaced))
    value = float(followed.scores(kept, [of_set[None] for of_set in replaced])[0])
    if not np.isfinite(value):
        raise MeasureError(f"{followed.label} of {year} does not exist: words to compare have the same score.")
    return value


def _point(
    dated: Dated, year: int, lists: Chosen, scores: Sequence[float], chance: Chance | None, confidence: float
) -> PeriodScore:
    low, high = another_training(scores, confidence)
    name = dated.vectors[0].name
    return PeriodScore(
        year,
        float(np.mean(scores)),
        low,
        high,
        tuple(scores),
        len(lists.words),
        lists.found,
        dated.tokens,
        name,
        chance,
    )


def another_training(scores: Sequence[float], confidence: float) -> tuple[float | None, float | None]:
    """Return where another training would fall: a prediction interval by Student's t; None, None for one score.

    >>> [round(end, 3) for end in another_training([1.0, 2.0, 3.0], 0.95)]
    [-2.968, 6.968]
    """
    n = len(scores)
    if n < 2:
        return None, None
    from scipy import stats

    far = float(stats.t.ppf((1 + confidence) / 2, n - 1) * np.std(scores, ddof=1) * np.sqrt(1 + 1 / n))
    return float(np.mean(scores)) - far, float(np.mean(scores)) + far


def _against(followed: Followed, value: float, drawn: FloatArray, vectors: WordVectors) -> Chance | None:
    """Compare a score with chance, on the side on which more bias is."""
    from dataclasses import replace

    if not drawn.size:
        return None
    if followed.extreme != "low":
        return statistics.against_chance(value, drawn, kind_of(vectors), signed=followed.extreme == "both")
    found = statistics.against_chance(-value, -drawn, kind_of(vectors), signed=False)
    return replace(found, mean=-found.mean, low=-found.high, high=-found.low)


def _tau_range(scores: Sequence[Sequence[float]], rng: np.random.Generator) -> tuple[float, float] | None:
    """Return the range of 95 % of taus with one training of each period at random; None where none has several."""
    if len(scores) < 4 or min(map(len, scores)) < 2:
        return None
    found = taus(np.stack([rng.choice(np.array(of_year), CHOICES) for of_year in scores], axis=1))
    low, high = np.quantile(found, [0.025, 0.975])
    return float(low), float(high)


def needed_words(measure: str, asked: Mapping[str, Any]) -> tuple[str, ...]:
    """Return every word that a measure looks up."""
    return followed_of(measure, asked).words

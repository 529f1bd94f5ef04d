"""One engine for all scores of word sets: look up, score, reassign, draw again, compare with chance."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from aslant.errors import MeasureError
from aslant.measures.set_scores.draws import Rows, compared, means_pvalue, own_pvalue, replaced, resampled, seen_by
from aslant.measures.set_scores.kinds import SCORES, Score
from aslant.measures.set_scores.result import AssociationLevel, SetMean, WordScore, WordSetScore
from aslant.measures.set_scores.sets import Asked, Looked, look_up, need_sets, paired
from aslant.measures.set_scores.settings import ScoreSettings
from aslant.measures.set_scores.statistic import Batch, FloatArray
from aslant.measures.shared.chance import kind_of, matched_words
from aslant.measures.shared.statistic import effect_size
from aslant.measures.shared.wordsets import Found, provenance
from aslant.results.parts import Interval
from aslant.statistics import percentile_interval, spawn
from aslant.vectors import WordVectors

#: Fewer attributes have no order to speak of.
LEAST_RANKED = 3


def score_sets(
    vectors: WordVectors, asked: Asked, scores: Sequence[Score], settings: ScoreSettings, seed: int
) -> list[tuple[WordSetScore, FloatArray]]:
    """Return each score of the sets, and how far beyond the mean of chance its draws are, (draws,); () without any.

    All scores see the same random attributes, so that their draws may be combined one by one.
    """
    for score in scores:
        need_sets(score, asked)
    looked = look_up(vectors, asked, settings.min_found, unit=settings.unit)
    random = spawn(seed, 1 + len(SCORES))
    cases: dict[str, tuple[Score, Rows | None]] = {}
    measured: dict[str, dict[str, Any]] = {}
    for score in scores:
        targets, pick = paired(looked) if score.dealt == "pairs" else (looked.targets, None)
        own = random[1 + list(SCORES).index(score.name)]
        measured[score.name] = _fields(score, looked, targets, pick, settings, own)
        cases[score.name] = (score, pick)
    sets = [group.words for group in looked.attributes]
    others = [group.words for group in looked.targets]
    rows = matched_words(vectors, sets, others, settings.chance, random[0]) if settings.chance else None
    drawn = {} if rows is None else replaced(
        cases, vectors, looked.targets, looked.batch, rows, unit=settings.unit
    )  # fmt: skip
    return [_finished(vectors, looked, score, measured[score.name], drawn, settings, seed) for score in scores]


def _finished(
    vectors: WordVectors, looked: Looked, score: Score, fields: dict[str, Any], drawn: dict[str, FloatArray],
    settings: ScoreSettings, seed: int,
) -> tuple[WordSetScore, FloatArray]:  # fmt: skip
    """Add to the fields of a result what chance gives, and where it comes from."""
    chance, strength, beyond = None, None, np.empty(0)
    if drawn:
        chance, strength, beyond = compared(score, fields["value"], drawn[score.name], kind_of(vectors))
    used = [group.words for group in (*looked.targets, *looked.attributes)]
    kept = provenance(vectors, looked.asked.id, used, seed, settings.record())
    return score.made(**fields, chance=chance, strength=strength, provenance=kept), beyond


def _fields(
    score: Score, looked: Looked, targets: Sequence[Found], pick: Rows | None, settings: ScoreSettings,
    rng: np.random.Generator,
) -> dict[str, Any]:  # fmt: skip
    """Return all fields of a result but chance and provenance."""
    asked, attributes = looked.asked, looked.attributes
    batch = seen_by(score, looked.batch, pick)
    if score.name == "ect" and batch.attributes.shape[2] < LEAST_RANKED:
        raise MeasureError(f"'{asked.id}' has fewer than {LEAST_RANKED} attribute words; ECT compares their order.")
    values, by_word = score.statistic(batch)
    value = float(values[0])
    if not np.isfinite(value):
        raise MeasureError(
            f"{score.short} of '{asked.id}' does not exist: words to compare have the same score, or the same vector."
        )
    pvalue, method, ways = own_pvalue(score, batch, value, settings.n_resamples, rng)
    about = targets if score.about == "targets" else attributes
    parts = np.split(by_word[0], np.cumsum([len(group.raw) for group in about])[:-1])
    more = {"levels": _levels(batch, targets, attributes, settings, rng)} if score.name == "ml-eat" else {}
    return {
        "test": asked.id, "title": asked.title, "category": asked.category, "value": value,
        "caution": asked.caution,
        "targets": tuple(group.words for group in targets), "attributes": tuple(group.words for group in attributes),
        "pvalue": pvalue, "pvalue_method": method, "n_partitions": ways,
        "interval": _interval(score, batch, settings, rng),
        "sets": tuple(
            SetMean(group.words.name, float(own.mean()), float(own.std()))
            for group, own in zip(about, parts, strict=True)
        ),
        "words": tuple(
            WordScore(word, group.words.name, own)
            for group, part in zip(about, parts, strict=True)
            for word, own in zip(group.words.used, part.tolist(), strict=True)
        ),
        **more,
    }  # fmt: skip


def _interval(score: Score, batch: Batch, settings: ScoreSettings, rng: np.random.Generator) -> Interval | None:
    """Return the interval over the choice of words; None without draws, or where a set has one word."""
    draws = min(settings.bootstrap, score.most)
    fewest = min(int(counts.sum(axis=2).min()) for counts in (batch.targets, batch.attributes))
    found = resampled(score, batch, draws, rng) if draws and fewest > 1 else np.empty(0)
    if not found.size:
        return None
    return Interval(*percentile_interval(found, settings.confidence), settings.confidence, draws)


def _levels(
    batch: Batch, targets: Sequence[Found], attributes: Sequence[Found], settings: ScoreSettings,
    rng: np.random.Generator,
) -> tuple[AssociationLevel, ...]:  # fmt: skip
    """Return the second and third level of ML-EAT: each target set with both attributes, and with each."""
    cosines, first = batch.products[0], batch.attributes[0, 0] > 0
    both = " or ".join(group.words.name for group in attributes)
    second, third = [], []
    for place, group in enumerate(targets):
        own = cosines[batch.targets[0, place] > 0]
        a, b = own.mean(axis=0)[first], own.mean(axis=0)[~first]
        p = means_pvalue(a, b, settings.n_resamples, rng)
        second.append(AssociationLevel(2, group.words.name, both, effect_size(a, b), None, p.pvalue))
        for side, part in zip(attributes, (own[:, first], own[:, ~first]), strict=True):
            spread = float(part.std(ddof=1)) if part.size > 1 else None
            third.append(AssociationLevel(3, group.words.name, side.words.name, float(part.mean()), spread, None))
    return (*second, *third)

"""WEFAT / SC-WEAT: each word between two attribute sets, beside an outside figure (docs/definitions.md §1)."""

from __future__ import annotations

import math
import numbers
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from os import PathLike
from typing import Any

import numpy as np

from aslant.errors import MeasureError
from aslant.measures.association.chance import word_effects
from aslant.measures.association.result import WefatResult, WefatWord
from aslant.measures.association.settings import WefatSettings
from aslant.measures.shared import wordsets as w
from aslant.measures.shared.chance import kind_of, lean_by_frequency
from aslant.measures.shared.open_subject import opening
from aslant.measures.shared.settings import keywords
from aslant.measures.shared.statistic import NO_SPREAD, correlation, effect_size, pearson_rows
from aslant.statistics import against_chance, benjamini_hochberg, generator, seed_of, spawn
from aslant.stimuli import ClassSet, WeatSet, WordList, WordSet, load_set
from aslant.vectors import WordVectors


@opening("vectors")
@keywords
def wefat(
    vectors: WordVectors,
    words: str | PathLike[str] | Iterable[str] = "occupations-share-of-women",
    *,
    attributes: str | PathLike[str] | w.WordSets = "weat-7",
    figure: str | Mapping[str, float] | None = None,
    settings: WefatSettings,
    rng: int | np.random.Generator | None = 0,
) -> WefatResult:
    """Give each word's effect size towards the first attribute set, and its correlation with an external figure.

    d(w) = (mean_a cos(w, a) − mean_b cos(w, b)) / std over A∪B of cos(w, ·), ddof = 1; the p-value permutes A∪B.
    `attributes` is a pair of word sets, two classes, or a WEAT whose attributes are taken; `figure` a column of the
    word set, or a number per word. The default set carries the share of women in each occupation. `chance` random
    attribute sets of the same frequency, the same for all words, say what these add to each d and to the correlation.

    >>> import aslant
    >>> r = aslant.wefat(aslant.load())
    >>> r.attributes[0].name, round(r.correlation.pearson, 1)
    ('Male terms', -0.5)
    >>> [word.word for word in r.words if word.chance_qvalue < 0.05]  # of 39, beyond random attributes
    ['housekeeper', 'receptionist']
    >>> r.correlation.pearson < r.correlation_chance.low
    True
    """
    listed, stimuli, figures, figure_name = chosen_words(words, figure)
    if isinstance(attributes, str | PathLike):
        given, chosen = str(attributes), load_set(attributes)
        attributes = chosen.classes if isinstance(chosen, ClassSet) else load_set(attributes, WeatSet).attributes
    else:
        given = "own"
    pair = w.word_lists(attributes, ("attributes 1", "attributes 2"))
    found, A, B = (w.find(vectors, group) for group in (listed, *pair))
    for group, least in ((found, 1), (A, 2), (B, 2)):
        w.need_words(group, least, vectors)
    w.need_distinct(A, B)
    kept = {**settings.record(), "figure": figure_name, "attributes": given}
    seed, measured = seed_of(rng), []
    for word, unit, random in zip(found.words.used, found.unit, spawn(seed, len(found.unit)), strict=True):
        a, b = A.unit @ unit, B.unit @ unit
        if np.ptp(np.concatenate([a, b])) < NO_SPREAD:
            raise MeasureError(f"'{word}' is equally close to every attribute word, so it has no effect size.")
        p = settings.pvalue(a, b, random)
        measured.append(WefatWord(word, effect_size(a, b), p.pvalue, p.bounds, p.method, p.pvalue, figures.get(word)))
    drawn = word_effects(vectors, found, (A, B), settings.chance, generator(seed))
    kind = kind_of(vectors)
    scored = _judged(measured, drawn, kind)
    known = [place for place, word in enumerate(scored) if word.figure is not None]
    outside = np.array([scored[place].figure for place in known], dtype=np.float64)
    correlated = correlation(figure_name, [scored[place].effect_size for place in known], outside)
    by_chance = None
    if correlated and drawn is not None:
        by_chance = against_chance(correlated.pearson, pearson_rows(drawn[:, known], outside), kind)
    return WefatResult(
        words=scored,
        attributes=(A.words, B.words),
        correlation=correlated,
        alternative=settings.alternative,
        provenance=w.provenance(vectors, stimuli, (found.words, A.words, B.words), seed, kept),
        frequency=lean_by_frequency(vectors, [word.effect_size for word in scored], found.words),
        correlation_chance=by_chance,
    )


def _judged(measured: Sequence[WefatWord], drawn: w.FloatArray | None, kind: str) -> tuple[WefatWord, ...]:
    """Add q-values over the words, and what chance gives each, if anything was drawn, (draws, words)."""
    qvalues = benjamini_hochberg([word.pvalue for word in measured]).tolist()
    scored = [replace(word, qvalue=q) for word, q in zip(measured, qvalues, strict=True)]
    if drawn is None:
        return tuple(scored)
    chances = [against_chance(word.effect_size, own, kind) for word, own in zip(scored, drawn.T, strict=True)]
    qvalues = benjamini_hochberg([chance.pvalue for chance in chances]).tolist()
    return tuple(map(lambda word, c, q: replace(word, chance=c, chance_qvalue=q), scored, chances, qvalues))


def chosen_words(words: Any, figure: Any) -> tuple[WordList, str, Mapping[str, float], str]:
    """Return a list of words, the name of its set, the figure of each word, and what the figure is called."""
    if not isinstance(words, str | PathLike):
        if figure is not None and not isinstance(figure, str | Mapping):
            raise MeasureError(f"figure is a {type(figure).__name__}; give a column's name, or a number per word.")
        figures = figure if isinstance(figure, Mapping) else {}
        if isinstance(figure, str):
            raise MeasureError(f"figure={figure!r} names a column, but a bare list of words has none; give a mapping.")
        listed = WordList("words", w.checked_words(words))
        return listed, "own", _checked_figures(figures, listed), "own" if figures else ""
    chosen = load_set(words, WordSet)
    if isinstance(figure, Mapping):
        return chosen.groups[0], chosen.id, _checked_figures(figure, chosen.groups[0]), "own"
    column = figure or next(iter(chosen.columns[1:]), "")
    return chosen.groups[0], chosen.id, chosen.column(column) if column else {}, column


def _checked_figures(figures: Mapping[str, Any], words: WordList) -> Mapping[str, float]:
    for word, value in figures.items():
        if not isinstance(value, numbers.Real) or not math.isfinite(value):
            raise MeasureError(f"the figure of {word!r} is {value!r}; give finite numbers.")
    if figures and not set(figures) & set(words.words):
        raise MeasureError(f"none of the figures is for a word of the list; the first is for {next(iter(figures))!r}.")
    return figures

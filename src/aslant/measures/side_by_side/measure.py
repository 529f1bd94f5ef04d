"""Two embeddings side by side on the vocabulary they share: WEAT and polarity, with paired intervals."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec
import numpy as np

from aslant.errors import MeasureError
from aslant.measures.association.stability import bootstrap_effects
from aslant.measures.polarities.measure import POLARITIES, Classes, Scheme, Words, compare_polarity, word_list
from aslant.measures.polarities.result import Difference, PolarityComparison
from aslant.measures.shared.settings import keywords
from aslant.measures.shared.statistic import associations, effect_size
from aslant.measures.shared.wordsets import FloatArray, check_vectors, find, provenance
from aslant.measures.side_by_side.result import ComparisonResult, WeatDifference
from aslant.measures.side_by_side.settings import ComparisonSettings
from aslant.results.parts import Interval
from aslant.results.provenance import Representation
from aslant.statistics import generator, percentile_interval, seed_of
from aslant.stimuli import WeatSet, WordList, all_sets
from aslant.vectors import WordVectors


@keywords
def compare(
    first: WordVectors,
    second: WordVectors,
    *,
    words: Words = "bold-professions",
    classes: Classes | None = None,
    scheme: Scheme = "binary",
    settings: ComparisonSettings,
    rng: int | np.random.Generator | None = 0,
) -> ComparisonResult:
    """Compare two embeddings by every WEAT that ships and by polarity, using only words that both have.

    The interval of a WEAT difference comes from drawing the same words in both embeddings. Polarity is compared in
    the settings of `POLARITIES`, or for `classes` by `scheme`.

    >>> import aslant
    >>> c = aslant.compare(aslant.load(), aslant.load(top=30_000), bootstrap=100)
    >>> [round(w.difference.difference, 6) for w in c.weat if w.test == "weat-7"]
    [0.0]
    """
    check_vectors(first)
    check_vectors(second)
    bootstrap, confidence = settings.bootstrap, settings.confidence
    seed = seed_of(rng)
    compared: list[WeatDifference] = []
    not_compared: dict[str, str] = {}
    for test in all_sets(WeatSet):
        shared, left_out = _shared(test, first, second)
        if any(
            len(s.words) < max(2, settings.min_found * len(g.words)) for s, g in zip(shared, test.groups, strict=True)
        ):
            not_compared[test.id] = "fewer than half the words of a set are in both embeddings"
        else:
            compared.append(_weat_difference(test, shared, left_out, first, second, bootstrap, confidence, seed))
    chosen = POLARITIES if classes is None else ((classes, scheme),)
    how = {"bootstrap": bootstrap, "confidence": confidence, "rng": seed}
    polarities = _polarities(chosen, first, second, words, not_compared, **how)
    lists = [test.left_out for test in compared] + [comparison.missing for comparison in polarities]
    missing = [word for some in lists for word in some]
    kept = {**settings.record(), "words": word_list(words)[1]}
    return ComparisonResult(
        first=first.name,
        second=second.name,
        representations=(Representation(**first.record()), Representation(**second.record())),
        weat=tuple(compared),
        not_compared=not_compared,
        polarity=polarities,
        provenance=provenance(first, "weat polarity", missing, seed, kept),
    )


def _shared(test: WeatSet, *embeddings: WordVectors) -> tuple[list[WordList], tuple[str, ...]]:
    known = [set(v.lookup(test.words).found) for v in embeddings]
    in_all = set.intersection(*known)
    lists = [msgspec.structs.replace(g, words=tuple(w for w in g.words if w in in_all)) for g in test.groups]
    return lists, tuple(w for w in test.words if w not in in_all)


def _weat_difference(
    test: WeatSet, shared: Sequence[WordList], left_out: tuple[str, ...], first: WordVectors, second: WordVectors,
    bootstrap: int, confidence: float, seed: int,
) -> WeatDifference:  # fmt: skip
    effects, draws = [], []
    for vectors in (first, second):
        X, Y, A, B = (find(vectors, group).unit for group in shared)
        scores = associations(np.concatenate([X, Y]), A, B)
        effects.append(effect_size(scores[: len(X)], scores[len(X) :]))
        draws.append(bootstrap_effects(X, Y, A, B, bootstrap, generator(seed)))  # one seed: the same words are drawn
    count = sum(len(group.words) for group in shared)
    gap = effects[1] - effects[0]
    difference = Difference(first.name, second.name, gap, _interval(draws, confidence), None, count)
    return WeatDifference(test.id, test.title, effects[0], effects[1], difference, count, left_out)


def _interval(draws: list[FloatArray], confidence: float) -> Interval | None:
    gaps = draws[1] - draws[0]
    gaps = gaps[np.isfinite(gaps)]  # a draw with equal scores has no effect size
    if not gaps.size:
        return None
    low, high = percentile_interval(gaps, confidence)
    return Interval(low, high, confidence, len(draws[0]))


def _polarities(
    chosen: Sequence[tuple[Classes, Scheme]], first: WordVectors, second: WordVectors, words: Words,
    not_compared: dict[str, str], **how: Any,
) -> tuple[PolarityComparison, ...]:  # fmt: skip
    done = []
    for classes, scheme in chosen:
        try:
            done.append(compare_polarity((first, second), classes, words, scheme=scheme, **how))
        except MeasureError as error:
            not_compared[f"polarity {scheme}, {classes}"] = str(error)
    return tuple(done)

"""Edges that whole measures rarely meet: what parts of measures give there is kept (see `kept.py`)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

import aslant
from aslant.measures.cooccurrences import statistic as pmi
from aslant.measures.descriptors import measure as holistic
from aslant.measures.descriptors import statistic as descriptor_statistic
from aslant.measures.descriptors.stimuli import Descriptor
from aslant.measures.enumeration import steps
from aslant.measures.enumeration.measure import _capitalised as capitalised
from aslant.measures.generated_texts import statistic as texts
from aslant.measures.in_context import swaps
from aslant.measures.in_context.result import RepeatedMeasure
from aslant.measures.intersections import statistic as intersections
from aslant.measures.paired_sentences import statistic as pairs
from aslant.measures.paired_sentences.result import PairScore
from aslant.measures.paired_sentences.settings import SentencePairsSettings
from aslant.measures.pronouns_chosen import scoring as pronouns
from aslant.measures.pronouns_resolved import statistics as resolved
from aslant.measures.questions import measure as bbq
from aslant.measures.questions.settings import BbqSettings
from aslant.measures.residuals import separation
from aslant.measures.sentence_tests import contexts_statistic as contexts
from aslant.measures.set_scores import draws
from aslant.measures.shared import chance
from aslant.measures.shared.statistic import drawn_interval
from aslant.measures.template_tests import chance as names
from aslant.results.parts import WordsUsed
from aslant.stimuli.name_files import RACES, NameFacts
from aslant.stimuli.pronoun_sets import PronounItem, PronounText
from fake_lm import FakeMaskedLM, ListedLM
from fake_pronouns import MaskedPronounLM
from kept_statistics import numbers

Example = Callable[[], Any]
EDGES = np.array([[0.3, 0.3, 0.1], [0.25, 0.1, -0.3], [0.0, 0.0, 0.0], [0.5, -0.1, 0.4], [0.26, 0.26, 0.27]])


FACTS = {
    "ann": NameFacts(90, 0.99, 1950.0, {race: 0.1 * i for i, race in enumerate(RACES)}),
    "bo": NameFacts(10, 0.2, None, None),
    "cy": NameFacts(5, 0.0, 1980.5, dict.fromkeys(RACES, 0.0)),
    "di": NameFacts(1, None, None, None),
}


def pronoun_score(neutral: int) -> Any:
    """Score an item of two texts, so many of which have a neutral pronoun."""
    made = tuple(
        PronounText(f"The [OCCUPATION] said {i} that [PRONOUN] left.", "nurse", (("he",),), (("she",),), they)
        for i, they in enumerate(["they"] * neutral + [None] * (2 - neutral))
    )
    item = PronounItem("one", ("all",), "nurse", "female", made)
    sentences = pronouns._sentences(item, masked=True)
    scores = MaskedPronounLM(1.0, 0.4, 2.0).masked_scores(sentences)
    known: Any = {one: (score.target, score.prior) for one, score in zip(sentences, scores, strict=True)}
    return pronouns._score(item, known, masked=True)


def random(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


def pair_scores(
    count: int = 14, *, categories: tuple[str, ...] = ("age", "gender"), priors: bool = True, each: int = 2
) -> Any:
    """Make pairs of two categories, in clusters of one to three, some equal, some flagged, one not counted."""
    gaps, before = numbers(count), numbers(count, seed=1)
    return [
        PairScore(
            id=f"p{i}", category=categories[i % len(categories)], cluster=f"c{i // each if i < 8 else i}",
            direction=("stereo", "antistereo", "")[i % 3], part=("", "first", "second")[i % 3], more="m", less="l",
            score_more=-5 + gap, score_less=-5.0, difference=0.0 if i == 5 else gap, pieces_more=3 + i % 2,
            pieces_less=3, equal=i == 5, flags=("odd",) * (i % 4 == 0), unrelated=None if i % 5 == 0 else -5.2,
            counted=i != 7, prior=float(before[i]) if priors and i != 9 else None,
        )
        for i, gap in enumerate(gaps.tolist())
    ]  # fmt: skip


def paired_sentences() -> dict[str, Example]:
    how = SentencePairsSettings(bootstrap=30, n_resamples=99)
    none = SentencePairsSettings(bootstrap=0, n_resamples=99)
    jobs = ("female professions", "male professions", "balanced professions")
    return {
        "groups": lambda: pairs.groups_of(pair_scores(), how, 3),
        "groups, nothing drawn": lambda: pairs.groups_of(pair_scores(priors=False), none, 3),
        "groups of few": lambda: [pairs.groups_of(pair_scores(n), how, 0) for n in (1, 2, 3, 6)],
        "frequency": lambda: [pairs.frequency_of(pair_scores(n)) for n in (8, 13, 14, 15, 20)],
        "lengths": lambda: [pairs.lengths_of(pair_scores(n)) for n in (1, 2, 9)],
        "language model": lambda: pairs.language_model_scores(pair_scores()),
        "professions": lambda: [
            pairs.profession_contrast(pair_scores(n, categories=those, each=4), each, 1)
            for n, those in ((14, jobs), (13, jobs[:2]), (6, jobs[:1]), (6, ("age", *jobs)))
            for each in (how, none)
        ],
    }


def descriptors() -> dict[str, Example]:
    every = [Descriptor(f"d{i}", ("age", "body", "nation")[i % 3]) for i in range(11)]
    gaps = np.rint(4 * numbers(5, 9)) / 4
    table = np.abs(numbers(12, 12)) / 3
    return {
        "chosen": lambda: [
            [one.text for one in holistic._drawn([d for d in every if d.axis in axes], most, random())]
            for axes in (("age", "body", "nation"), ("age",), ("nation", "body"))
            for most in (0, 1, 3, 4)
        ],
        "both tails": lambda: [descriptor_statistic._both_tails(of) for of in ((2,), (0, 2, 4), (3, 3, 6), (0, 0))],
        "pairs": lambda: descriptor_statistic.pair_pvalues(gaps),
        "shares": lambda: [
            descriptor_statistic.share_of(np.array(of), 0.05) for of in ([], [0.05], [0.025, 0.05], [0.03, 0.06])
        ],
        "random shares": lambda: [
            descriptor_statistic.random_shares(table, pieces, wanted, 6, 0.3, random())
            for pieces in ([1] * 6 + [2] * 4 + [5] * 2, list(range(1, 13)))
            for wanted in ([1, 2, 2], [5, 5, 5, 1], [3] * 9)
        ],
        "published": lambda: [
            descriptor_statistic.published_share(numbers(3, 4, n).cumsum(axis=0)) for n in (3, 4, 5, 8)
        ],
    }


def cooccurrences() -> dict[str, Example]:
    parts = np.abs(np.rint(9 * numbers(6, 2, 4)))
    parts[:, :, -1] += 30
    lone = parts.copy()
    lone[1:, 0, -1] = 0.0
    return {
        "left out": lambda: [pmi.left_out_errors(of) for of in (parts, parts[:2], parts[:1], lone, lone[:3])],
        "log odds": lambda: pmi.log_odds(parts[0, :, :-1], parts[0, :, -1]),
    }


def set_scores() -> dict[str, Example]:
    return {
        "means": lambda: [
            draws.means_pvalue(numbers(n) + 0.3, numbers(m, seed=1), 50, random())
            for n, m in ((20, 20), (20, 21), (4, 4), (3, 200))
        ],
        "methods of large sets": lambda: [
            draws.means_pvalue(numbers(n), numbers(4, seed=1) + 1, 50, random()).method for n in (245, 246, 247)
        ],
        "dealt": lambda: [
            draws._dealt(dealt, np.array([[1.0, 1, 0, 0], [0, 0, 1, 1]]), most, random())
            for dealt in ("pairs", "targets")
            for most in (3, 4, 6)
        ],
    }


def generated_texts() -> dict[str, Example]:
    ragged = texts.Ragged.of([[0, 3, 3], [], [4], [1, 2], [], [2, 4, 1]])
    return {
        "leans": lambda: [texts.text_leans(ragged, EDGES), texts.text_leans(texts.Ragged.of([[], []]), EDGES)],
        "leaning": lambda: [texts.leaning(EDGES, threshold) for threshold in (0.0, 0.25, 0.27, 0.3)],
        "directions": lambda: [texts.directions(numbers(3, 4), scheme) for scheme in ("one-vs-rest", "one-vs-one")],
    }


def enumeration() -> dict[str, Example]:
    words, means = numbers(30, 4), numbers(3, 4, seed=1)
    starts = np.array([0, 10, 12, 30])

    def proxies() -> Any:
        cells = steps.choose_cells(words, starts, means, 2)
        return steps.indirect_bias(words, [f"w{i}" for i in range(30)], cells, ~np.isnan(cells.scores))

    return {
        "cells": lambda: [
            steps.choose_cells(words, starts, means, n, voronoi=v) for n in (1, 3) for v in (True, False)
        ],
        "indirect": proxies,
        "illustrative": lambda: [steps.illustrative(words[:n], 4) for n in (1, 3, 9)],
        "cased": lambda: [steps.is_cased(["a"] * n + ["B"]) for n in (5, 98, 99, 100, 150)],
        "frequent": lambda: [
            steps.frequent_words(["The", "the", "12", "of", "Of", "a1", "é"], {"of"}, most, lower_case=lower)
            for most in (2, 9)
            for lower in (True, False)
        ],
        "demographics": lambda: [
            steps.demographics(those, FACTS, weighted_by=weights)
            for those in (["Ann", "bo"], ["Cy", "Di"], ["Di"], ["Nobody"], ["ann", "cy", "di", "gone"])
            for weights in ("names", "bearers")
        ],
        "by share of women": lambda: [
            steps.by_share_female([steps.demographics([name], FACTS) for name in those])
            for those in (["Bo", "Di", "Ann"], ["Di", "gone"], ["gone", "bo"], ["Cy", "gone", "Ann"])
        ],
        "capitalised": lambda: capitalised(["the", "Ann", "ann", "bo", "Bo", "É", "Éa", "A1", "USA", "Cy"]),
        "margins": lambda: steps.keep_by_margin(np.array([3.0, 1.0, 2.0, 2.0, 5.0]), 0.4),
    }


def residuals() -> dict[str, Example]:
    vectors, labels = numbers(24, 5), np.arange(24) % 2 == 0
    vectors[labels, 0] += 1.5
    unit = aslant.statistics.unit_rows(vectors)
    near = np.array([[1, 2], [3, 4], [5, 6], [7, 8], [2, 9]])
    own = np.array([0, -1, 4, -1, 3])

    def neighbours(of: int, k: int) -> Any:
        return separation.measure_neighbours(
            [f"w{i}" for i in range(of)], unit[:of], vectors[:of, 0], unit, np.where(labels, vectors[:, 1], 0.0),
            np.arange(of), k, random(),
        )  # fmt: skip

    return {
        "classified": lambda: [
            separation.classification_accuracy(vectors, labels, size, random(), gamma)
            for size in (2, 3, 8, 22)
            for gamma in ("scale", "auto", 0.2)
        ],
        "classification": lambda: separation.measure_classification(
            np.tile(vectors, (3, 1)), np.tile(labels, 3), 40, [random(i) for i in range(3)]
        ),
        "sizes": lambda: [separation.training_size(n) for n in (9, 10, 19, 20, 4999, 5000, 9000)],
        "widths": lambda: (
            [separation._width(vectors, gamma) for gamma in ("scale", "auto", 3)]
            + [separation._width(np.ones((2, 3)), "scale")]
        ),
        "plane": lambda: [separation.plane_of(vectors, "pca", 0), separation.plane_of(vectors[:3, :1], "pca", 0)],
        "shuffled": lambda: separation.shuffled_correlations(near, labels, numbers(5), own, random())[:20],
        "neighbours": lambda: [neighbours(of, k) for of, k in ((3, 2), (8, 7), (12, 50))],
        "silhouette": lambda: separation.silhouette(vectors, labels.astype(np.intp)),
    }


def template_tests() -> dict[str, Example]:
    listed = ListedLM()
    pool = (listed.ordered_words[10:200], [1 + i % 3 for i in range(190)])

    def drawn(lm: Any, replaced: Any, taken: Any = ()) -> Any:
        return names.drawn_rows(lm, pool, replaced, taken, 4, random())

    return {
        "evenly": lambda: [names._evenly([str(i) for i in range(n)], count) for n, count in ((5, 5), (6, 5), (900, 7))],
        "alike": lambda: list(alike()),
        "against": lambda: [list(names._against(range(n), others)) for n, others in ((3, 1), (4, 2), (3, 2), (5, 3))],
        "some": lambda: [len(names.some_of(tuple(map(str, range(n))))) for n in (1, 59, 60, 61, 120, 121, 331)],
        "drawn": lambda: [
            drawn(listed, (["aac", "baa", "unheard"], [1, 2, 1]), ["abc"]),
            drawn(listed, (["unheard"], [3])),
            drawn(listed, ([f"x{i}" for i in range(99)], [1] * 99)),
        ],
        "pools": lambda: [
            [len(found), found[:3]]
            for lm in (listed, FakeMaskedLM())
            for several in (True, False)
            for found in [names.pool_of(lm, "en", several=several)]
        ],
    }


def alike() -> Iterator[Any]:
    for pieces in ([1, 3, 1, 2], [1], [4, 4], [2, 3, 3]):
        for counts in ((40, 25, 9), (20, 20, 20), (19, 40, 40), (40, 2, 1)):
            yield list(names._alike(np.array(pieces), np.repeat([1, 2, 3], counts)))


def shared() -> dict[str, Example]:
    words = [
        word for i in range(60) for word in (f"w{chr(97 + i // 26)}{chr(97 + i % 26)}", f"W{chr(97 + i % 26)}{i}x")
    ]
    vectors = aslant.WordVectors.from_arrays(words, numbers(len(words), 3))

    def used(*tokens: str) -> WordsUsed:
        return WordsUsed("set", tokens, tokens, ())

    def rows(*sets: Any, within: Any = None) -> Any:
        return chance.matched_words(vectors, sets, [used("wab")], 5, random(), within)

    return {
        "matched": lambda: [
            rows(used("waa", "wbc"), used("wad")),
            rows(used("waa", "gone"), used("missing")),
            rows(used("gone")),
            rows(used(*words[:60:2])),
            rows(used("waa"), within=frozenset(words[::3])),
            rows(used("waa"), within=frozenset(words[:9])),
        ],
        "coherent": lambda: [
            chance.coherent_words(vectors, sets, [used("wab")], 5, random())
            for sets in ([used("waa", "wbc", "wac"), used("wad")], [used(*words[:70:2])])
        ],
        "lean": lambda: chance.lean_by_frequency(vectors, numbers(12), used(*words[:22:2], "gone")),
    }


def others() -> dict[str, Example]:
    cosines = numbers(6, 12)
    probabilities = np.abs(numbers(9, 3)) + 0.01
    probabilities /= probabilities.sum(axis=1, keepdims=True)
    return {
        "intersections": lambda: [
            [found.against(), found.traits()]
            for found in (
                intersections.as_dealt(cosines, (3, 3, 4, 2)),
                intersections.relabelled(cosines, (3, 3, 4, 2), 3, random()),
            )
        ],
        "intersectional labels": lambda: intersections.labels(
            np.array([[0.5, 0.8, 0.9, 0.1], [0.9, 0.7, 0.81, 0.8]]),
            np.array([[0.8, 0.9, 0.1, 0], [0.2, 0.1, 0.81, 0.9]]), 0.8,
        ),
        "calibration": lambda: resolved.calibration(np.array([0.0, 0.1, 0.5, 0.55, 1.0]), np.arange(5) % 2 == 0, 4),
        "losses": lambda: resolved.log_losses(probabilities, np.arange(9) % 3),
        "the largest p": lambda: [
            RepeatedMeasure(None, (), None, None, pvalues).largest_pvalue for pvalues in ((0.2, None, 0.7), (None,), ())
        ],
        "random components": lambda: swaps.random_components(
            [swaps.SwapVectors(numbers(6, 2, 3), np.array([0, 0, 1, 2, 2, 2]))] * 2, 2, 5, 3, random()
        )[0],
        "neutral pronouns": lambda: [pronoun_score(count) for count in (0, 1, 2)],
        "component spreads": lambda: swaps.component_spreads([numbers(3), numbers(2, seed=1), numbers(1, seed=2)]),
        "an interval over some templates": lambda: drawn_interval(
            bbq._drawn(np.array([3, 0, -2, 1]), np.array([4, 0, 3, 1]), BbqSettings(bootstrap=30), random()), 0.95
        ),
        "logistic": lambda: [pronouns.logistic(x) for x in (-800.0, -1.0, 0.0, 2.0, 800.0)],
        "distribution": lambda: [contexts.distribution(numbers(n)) for n in (1, 2, 40)],
    }  # fmt: skip


PARTS: dict[str, Callable[[], dict[str, Example]]] = {
    made.__name__: made
    for made in (
        paired_sentences, descriptors, cooccurrences, set_scores, generated_texts, enumeration, residuals,
        template_tests, shared, others,
    )
}  # fmt: skip

"""SEAT, CEAT and contextual bias, on an encoder that knows of no association."""

from __future__ import annotations

from functools import lru_cache, partial
from typing import Any

import numpy as np

import aslant
from aslant.stimuli import WeatSet, WordList
from calibrating.null_data import NullEncoder, embedding, words
from calibrating.rows import Row, Study, Values
from calibrating.weat_studies import FDR, NO_DISCOVERY, TARGETS, discovery

TEMPLATES = ["{word}", "here {word}", "{word} there"]
SIZES = (6, 6, 4, 4)
SIGNS = dict(zip("xyst", (1.0, -1.0, 1.0, -1.0), strict=True))


def chosen(random: np.random.Generator, sizes: tuple[int, ...] = SIZES) -> dict[str, Any]:
    """Draw four word sets of a large population of words, so that no word comes twice."""
    x, y, s, t = (
        [f"{letter}{number}" for number in random.choice(10**6, size, replace=False)]
        for letter, size in zip("xyst", sizes, strict=True)
    )
    return {"targets": (x, y), "attributes": (s, t)}


def leanings(test: dict[str, Any], targets: float, attributes: float) -> dict[str, float]:
    share = {"x": targets, "y": targets, "s": attributes, "t": attributes}
    every = [word for pair in test.values() for group in pair for word in group]
    return {word: SIGNS[word[0]] * share[word[0]] for word in every}


def seat(random: np.random.Generator, planted: bool) -> Values:
    """Put words into three sentences each; planted: targets lean to attributes."""
    test = chosen(random)
    lean = leanings(test, 6.0 * planted, 6.0)
    found = {
        unit: aslant.seat(
            NullEncoder(random, lean), **test, templates=TEMPLATES, unit=unit, bootstrap=0, n_resamples=999,
            method="auto" if unit == "word" else "dynamic programming", rng=random,
        ).pvalue
        for unit in ("word", "sentence")
    }  # fmt: skip
    return {f"seat, unit {unit}": p for unit, p in found.items()}


class FixedTemplates(NullEncoder):
    """The words of the templates have the same vectors in every repetition: they belong to the population."""

    def __init__(self, random: np.random.Generator, lean: dict[str, float]) -> None:
        super().__init__(random, lean)
        fixed = NullEncoder(np.random.default_rng(6))
        for text in TEMPLATES:
            for word in text.replace("{word}", "").split():
                self.drawn.known[word,] = fixed.drawn(word, size=self.dimensions)


def seat_interval(random: np.random.Generator, planted: bool) -> Values:
    """Draw words from a population whose d is known; planted: d is far from 0."""
    test = chosen(random, (15, 15, 15, 15))
    encoder = FixedTemplates(random, leanings(test, 6.0 if planted else 1.5, 6.0))
    got = aslant.seat(encoder, **test, templates=TEMPLATES, bootstrap=499, n_resamples=99, rng=random).interval
    assert got is not None
    truth = 0.0 if planted else true_seat()
    return {"seat, interval of d, 15 words a set": float(not got.low <= truth <= got.high)}


@lru_cache(1)
def true_seat() -> float:
    """Return d over sentences in the population of words, in the templates' own vectors."""
    random = np.random.default_rng(7)
    test = chosen(random, (3000, 3000, 1500, 1500))
    encoder = FixedTemplates(random, leanings(test, 1.5, 6.0))
    return aslant.seat(
        encoder, **test, templates=TEMPLATES, bootstrap=0, method="monte carlo", n_resamples=9
    ).effect_size


def corpus(test: dict[str, Any]) -> list[str]:
    every = [word for pair in test.values() for group in pair for word in group]
    return [text.format(word=word) for word in every for text in TEMPLATES]


def ceat(random: np.random.Generator, planted: bool) -> Values:
    """Words in sentences of a corpus, three each."""
    test = chosen(random)
    encoder = NullEncoder(random, leanings(test, 3.0 * planted, 3.0))
    found = aslant.ceat(encoder, corpus(test), **test, samples=100, rng=random)
    return {"ceat": found.pvalue, "ceat, published": found.published_pvalue}


def suite(random: np.random.Generator, planted: bool, *, measure: str, mixed: bool) -> Values:
    """Four tests, two of which have an effect if mixed."""
    tests = [chosen(random) for _ in range(4)]
    lean: dict[str, float] = {}
    for place, test in enumerate(tests):
        lean |= leanings(test, 6.0 * (planted or (mixed and place < 2)), 6.0)
    encoder = NullEncoder(random, lean)
    own = [_named(f"own-{place}", test) for place, test in enumerate(tests)]
    if measure == "seat":
        found = aslant.seat_suite(encoder, own, templates=TEMPLATES, bootstrap=0, rng=random)
    else:
        text = [sentence for test in tests for sentence in corpus(test)]
        found = aslant.ceat_suite(encoder, text, own, samples=20, rng=random)
    real = np.array([planted or (mixed and place < 2) for place in range(4)])
    what = "two of four tests with an effect" if mixed else "no test with an effect"
    return {f"{measure}_suite, q, {what}": discovery(random, np.array(found.qvalues), real, planted)}


def _named(name: str, test: dict[str, Any]) -> WeatSet:
    x, y, s, t = (
        WordList(f"{name} {i}", tuple(group)) for i, group in enumerate((*test["targets"], *test["attributes"]))
    )
    return WeatSet(
        title=name, category="own", language="und", licence="own", citation="own", id=name, targets=(x, y),
        attributes=(s, t),
    )  # fmt: skip


def contextual(random: np.random.Generator, planted: bool) -> Values:
    """Biased words of a static space, in sentences of an encoder that was drawn apart; planted: it leans as they do."""
    candidates, jobs = words("w", 260), words("j", 24)
    pairs = list(zip(words("f", 5), words("m", 5), strict=True))
    bias = dict(zip([*candidates, *jobs], random.choice([-1.0, 1.0], 284), strict=True))
    original = embedding(random, ["he", "she", *candidates, *jobs], {"he": 4.0, "she": -4.0, **bias})
    lean = {word: (6 if word in jobs else 2.5) * value for word, value in bias.items()} if planted else {}
    for first, second in pairs:
        lean |= {first: 8.0, second: -8.0} if planted else {}
    text = [f"It was {word} number {n} ." for word in (*candidates, *jobs) for n in "abc"]
    text += [f"{word} came at {n} ." for pair in pairs for word in pair for n in "abcd"]
    found = aslant.contextual_bias(
        NullEncoder(random, lean), text, original=original, pairs=pairs, professions=jobs, specific=["none"],
        repeats=3, swaps=2, top=25, classified=25, k=10, random_pairs=199, picture="none", rng=random,
    ).measures  # fmt: skip
    given = {name: getattr(found, field).pvalue for name, field in CONTEXTUAL.items()}
    return {f"contextual_bias, {name}": p for name, p in given.items() if p is not None}


CONTEXTUAL = {
    "first component": "share_of_variance",
    "clustering": "clustering",
    "neighbours": "neighbours",
    "neighbours within": "neighbours_within",
}
APART = "the encoder has nothing to do with the space in which biases were taken"
ALIKE = "the words of the pairs are like words drawn at random"
ONE_WORD_MANY_ROWS = (
    'as published: sentences of a word are re-partitioned as if they were independent; use unit="word", the default'
)
STUDIES: tuple[Any, ...] = (
    Study("seat", seat, (
        Row("seat, unit word", ("SeatResult.pvalue", "SeatResult.pvalue_bounds"), TARGETS),
        Row("seat, unit sentence", ("SeatResult.pvalue",), TARGETS, limit=0.1, off=ONE_WORD_MANY_ROWS),
    ), 50, 500),
    Study("seat-interval", seat_interval, (
        Row(
            "seat, interval of d, 15 words a set", ("SeatResult.interval",),
            "d of the population that the words of all four sets were drawn from", "miss", 0.1,
        ),
    ), 20, 200, 20),
    Study("ceat", ceat, (
        Row("ceat", ("CeatResult.pvalue", "CeatResult.pvalue_bounds"), TARGETS),
        Row(
            "ceat, published", ("CeatResult.published_pvalue",), TARGETS, limit=0.5,
            off="as published: draws that share words and contexts are taken for independent, so that p goes to 0 as "
            "they grow; `pvalue` stands beside it",
        ),
    ), 50, 500),
    *(
        Study(f"{measure}-suite", partial(suite, measure=measure, mixed=mixed), (
            Row(
                f"{measure}_suite, q, {what}", (f"{measure.title()}SuiteResult.qvalues",), null, "rate",
            ),
        ), 20, 200, 20)
        for measure in ("seat", "ceat")
        for mixed, what, null in (
            (False, "no test with an effect", NO_DISCOVERY), (True, "two of four tests with an effect", FDR)
        )
    ),
    Study("contextual", contextual, tuple(
        Row(f"contextual_bias, {name}", ("RepeatedMeasure.pvalue",), ALIKE if name == "first component" else APART)
        for name in CONTEXTUAL
    ), 10, 300, 20),
)  # fmt: skip

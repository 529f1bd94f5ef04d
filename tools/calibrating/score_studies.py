"""Scores of word sets: their own p-values, their intervals, q-values over many, and a whole category at once."""

from __future__ import annotations

from functools import cache, partial
from typing import Any

import numpy as np

import aslant
from aslant.statistics import unit_rows
from aslant.stimuli import WeatSet, WordList
from calibrating.null_data import DIMENSIONS, embedding, words
from calibrating.rows import FloatArray, Row, Study, Values
from calibrating.weat_studies import NO_DISCOVERY, PLANTED, TARGETS, discovery, sets, true_effect

#: Where targets are dealt out anew, and where attributes are.
BY_TARGETS = {"relative_norm": "RelativeNorm", "ripa": "Ripa", "ect": "Ect", "ml_eat": "MlEat"}
BY_ATTRIBUTES = {"rnsb": "Rnsb", "same": "Same"}
ATTRIBUTES = "attribute words are exchangeable: which set a word is in has nothing to do with its vector"
POPULATION = "the score of the population that the words of all sets were drawn from"
LEVEL = "ml_eat, second level"
QUICK: dict[str, Any] = {"bootstrap": 0, "chance": 0}
#: Half the distance between the targets of which an interval is taken, in standard deviations of a word.
LEAN = 0.5


def own(random: np.random.Generator, planted: bool) -> Values:
    """Score targets that lean nowhere, with attributes that do, or the other way round; planted: both do."""
    vectors, test = sets(random, (7, 7, 7, 7), PLANTED * planted)
    turned = {"targets": test["attributes"], "attributes": test["targets"]}
    found = {name: _score(name, vectors, test, random).pvalue for name in BY_TARGETS}
    found |= {name: _score(name, vectors, turned, random).pvalue for name in BY_ATTRIBUTES}
    return {**found, LEVEL: _score("ml_eat", vectors, turned, random).levels[0].pvalue}


def _score(name: str, vectors: Any, test: Any, random: np.random.Generator, **how: Any) -> Any:
    return getattr(aslant, name)(vectors, **test, **{**QUICK, "n_resamples": 299, **how}, rng=random)


def intervals(random: np.random.Generator, planted: bool, *, n: int) -> Values:
    """Draw words from a population whose scores are known; planted: a value that is far off must be left out."""
    vectors, test = sets(random, (n, n, n, n), LEAN)
    found = {}
    for name, truth in true_scores().items():
        got = _score(name, vectors, test, random, bootstrap=499).interval
        value = truth + (1.5 if name in BY_TARGETS else 0.3) * planted
        found[_interval(name, n)] = float(not got.low <= value <= got.high)
    return found


def _interval(name: str, n: int) -> str:
    return f"{name}, interval, {n} words a set"


@cache
def true_scores() -> dict[str, float]:
    """Return the scores of the population that `sets` draws words from, by 100,000 words of each set."""
    random = np.random.default_rng(21)
    shifts = (LEAN, -LEAN, PLANTED, -PLANTED)
    X, Y, A, B = (random.normal(size=(100_000, DIMENSIONS)) + 0.5 + s * np.eye(DIMENSIONS)[0] for s in shifts)
    x, y = X.mean(axis=0), Y.mean(axis=0)
    units: list[FloatArray] = [unit_rows(group) for group in (X, Y, A, B)]
    means = [group.mean(axis=0) for group in units]
    pairs = unit_rows(X - Y).mean(axis=0)

    def norms(group: FloatArray) -> float:
        return float(np.mean(np.linalg.norm(x - group, axis=1) - np.linalg.norm(y - group, axis=1)))

    gap = unit_rows(means[2] - means[3])
    return {
        "relative_norm": norms(A) - norms(B),
        "ripa": float(pairs @ (A.mean(axis=0) - B.mean(axis=0))),
        "mac": 1 - float((means[0] + means[1]) @ (means[2] + means[3])) / 4,
        "same": float(np.mean(np.abs(np.concatenate(units[:2]) @ gap))),
        "ml_eat": true_effect(LEAN),
    }


def suite(random: np.random.Generator, planted: bool) -> Values:
    """Score four word sets that mean nothing by all scores; planted: the first two have an effect."""
    every: list[WeatSet] = []
    leanings: dict[str, float] = {}
    for number in range(4):
        groups = [words(f"{letter}{'abcd'[number]}", 6) for letter in "xyst"]
        if planted and number < 2:
            signs = zip(groups, (1, -1, 1, -1), strict=True)
            leanings |= {word: sign * 2 * PLANTED for group, sign in signs for word in group}
        every.append(_test(f"set-{number}", groups))
    named = [word for test in every for word in test.words]
    vectors = embedding(random, [*named, *words("w", 300)], leanings)
    how: dict[str, Any] = {"bootstrap": 0, "chance": 99, "n_resamples": 924}
    found = aslant.word_set_scores(vectors, every, rng=random, **how)
    tested = [(q, row["test"]) for q, row in zip(found.qvalues, found.rows(), strict=True) if q is not None]
    real = np.array([planted and test in ("set-0", "set-1") for _, test in tested])
    return {
        "word_set_scores, q": discovery(random, np.array([q for q, _ in tested]), real, planted),
        "word_set_scores, a category": found.categories[0].pvalue,
    }


def _test(name: str, groups: list[list[str]]) -> WeatSet:
    x, y, a, b = (WordList(f"{name} {place}", tuple(group)) for place, group in enumerate(groups))
    return WeatSet(
        title=name, category="drawn", language="und", licence="own", citation="own", id=name, targets=(x, y),
        attributes=(a, b),
    )  # fmt: skip


def _own_row(name: str, kind: str, null: str) -> Row:
    return Row(name, (f"{kind}Result.pvalue",), null)


CLASSES = BY_TARGETS | BY_ATTRIBUTES | {"mac": "Mac"}
STUDIES = (
    Study("scores", own, (
        *(_own_row(name, kind, TARGETS) for name, kind in BY_TARGETS.items()),
        *(_own_row(name, kind, ATTRIBUTES) for name, kind in BY_ATTRIBUTES.items()),
        Row(LEVEL, ("AssociationLevel.pvalue",), ATTRIBUTES),
    ), 100, 500),
    *(Study("scores-interval", partial(intervals, n=n), tuple(
        Row(_interval(name, n), (f"{CLASSES[name]}Result.interval",), POPULATION, "miss", 0.1) for name in true_scores()
    ), 40, 300) for n in (8, 25)),
    Study("scores-suite", suite, (
        Row("word_set_scores, q", ("WordSetScoresResult.qvalues",), NO_DISCOVERY, "rate"),
        Row("word_set_scores, a category", ("CategoryStrength.pvalue",), f"{TARGETS}, and so are attribute words"),
    ), 40, 200),
)  # fmt: skip

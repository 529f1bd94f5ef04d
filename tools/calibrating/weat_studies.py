"""WEAT by every method, its suite, its interval and its brackets, and WEFAT, on words without any association."""

from __future__ import annotations

from functools import lru_cache, partial
from typing import Any

import numpy as np

import aslant
from aslant.statistics import partition_pvalue, unit_rows
from aslant.stimuli import WeatSet, suite_sets
from aslant.vectors import WordVectors
from calibrating.null_data import embedding, words
from calibrating.rows import FloatArray, Row, Study, Values

TARGETS = "target words are exchangeable: which set a word is in has nothing to do with its vector"
BRACKET = "none: the exact p-value, by another method, must lie within"
#: Half the distance between planted sets, in standard deviations of a word.
PLANTED = 2.0


def sets(random: np.random.Generator, sizes: tuple[int, int, int, int], effect: float) -> tuple[WordVectors, Any]:
    """Return vectors and four word sets; with an effect, the first targets lean to the first attributes."""
    named = [words(letter, size) for letter, size in zip("xyst", sizes, strict=True)]
    signs = dict(zip("xyst", (effect, -effect, PLANTED, -PLANTED), strict=True))
    every = [word for group in named for word in group]
    vectors = embedding(random, every, {word: signs[word[0]] for word in every})
    return vectors, {"targets": (named[0], named[1]), "attributes": (named[2], named[3])}


def weat_pvalue(
    random: np.random.Generator, planted: bool, *, name: str, sizes: tuple[int, int], by: str, **settings: Any
) -> Values:
    direction = -1 if settings.get("alternative") == "less" else 1
    vectors, test = sets(random, (*sizes, 6, 6), direction * PLANTED * planted)
    result = aslant.weat(vectors, **test, bootstrap=0, rng=random, **settings)
    if result.pvalue_method != by:
        raise AssertionError(f"{name}: by {result.pvalue_method}, not by {by}")
    return {name: result.pvalue}


def _weat(name: str, sizes: tuple[int, int], by: str, full: int, **settings: Any) -> Study:
    uniform = sum(sizes) > 8
    named = f"weat, {name}, {sizes[0]} + {sizes[1]} words"
    return Study(
        "weat", partial(weat_pvalue, name=named, sizes=sizes, by=by, **{"alternative": "greater"} | settings),
        (Row(named, ("WeatResult.pvalue",), TARGETS, uniform=uniform, power=0.5 if uniform else 0.2),),
        full // 10, full,
    )  # fmt: skip


def brackets(random: np.random.Generator, planted: bool) -> Values:
    """Bracket p-values of sets whose exact ones are known."""
    sizes = random.integers(3, 14, 2)
    first, second = random.normal(PLANTED / 2 * planted, 1, sizes[0]), random.normal(size=sizes[1])
    alternative: Any = ("greater", "less", "two-sided")[random.integers(3)]
    exact, grid, drawn = (
        partition_pvalue(first, second, alternative=alternative, method=method, n_resamples=999, rng=random)
        for method in ("auto", "dynamic programming", "monte carlo")
    )
    named = {"weat, bracket of dynamic programming": grid, "weat, bounds of Monte Carlo": drawn}
    if planted:  # a bracket from 0 to 1 would miss nothing
        widths = (0.011 * grid.pvalue, 0.05 + 0.3 * drawn.pvalue)
        return {
            name: float(p.bounds[1] - p.bounds[0] <= width)
            for (name, p), width in zip(named.items(), widths, strict=True)
        }
    return {
        name: float(not p.bounds[0] * (1 - 1e-9) <= exact.pvalue <= p.bounds[1] * (1 + 1e-9))
        for name, p in named.items()
    }


def multi(random: np.random.Generator, planted: bool, *, name: str, size: int, by: str) -> Values:
    """Deal words to three groups that mean nothing; planted: each group leans to attributes of its own."""
    named = [words(letter, size) for letter in "xyzstu"]
    vectors = embedding(random, [word for group in named for word in group])
    matrix = np.array(vectors.matrix)
    for place, group in enumerate(named):
        if planted or place > 2:  # attributes differ in any case
            matrix[[vectors.index[word] for word in group], place % 3] += PLANTED
    result = aslant.generalised_weat(
        WordVectors.from_arrays(vectors.words, matrix, name="null"), named[:3], named[3:], n_resamples=999, rng=random
    )
    if result.pvalue_method != by:
        raise AssertionError(f"{name}: by {result.pvalue_method}, not by {by}")
    return {name: result.pvalue}


def _multi(size: int, by: str, full: int) -> Study:
    name = f"generalised_weat, {by}, {size} + {size} + {size} words"
    row = Row(name, ("GeneralisedWeatResult.pvalue",), TARGETS, uniform=True)
    return Study("multi-weat", partial(multi, name=name, size=size, by=by), (row,), full // 10, full)


@lru_cache(4)
def true_effect(effect: float) -> float:
    """Return d of the population that `sets` draws words from, by 400,000 of them."""
    random = np.random.default_rng(20)
    means = [_population(random, sign * PLANTED, 100_000).mean(axis=0) for sign in (1, -1)]
    x, y = (_population(random, sign * effect, 100_000) @ (means[0] - means[1]) for sign in (1, -1))
    return float((x.mean() - y.mean()) / np.concatenate([x, y]).std())


def _population(random: np.random.Generator, leaning: float, n: int) -> FloatArray:
    rows = random.normal(size=(n, 20)) + 0.5
    rows[:, 0] += leaning
    return unit_rows(rows)


def intervals(random: np.random.Generator, planted: bool) -> Values:
    """Draw words from a population whose d is known; planted: d is far from 0, which the interval must leave out."""
    found = {}
    for n in (8, 25):
        for effect, what in ((0.0, "no effect"), (0.5, "an effect")):
            given = PLANTED if planted else effect
            vectors, test = sets(random, (n, n, n, n), given)
            got = aslant.weat(vectors, **test, bootstrap=499, rng=random, method="dynamic programming").interval
            truth = 0.0 if planted else true_effect(effect)
            found[f"weat, interval of d, {n} words a set, {what}"] = float(not got.low <= truth <= got.high)
    return found


def _targets(test: WeatSet) -> set[str]:
    return {word for group in test.targets for word in group.words}


def suite(random: np.random.Generator, planted: bool, *, mixed: bool) -> Values:
    """Run the suite on the words that ship; mixed: the first two tests have an effect, the others have none."""
    tests = list(suite_sets())
    leanings: dict[str, float] = {}
    if mixed or planted:
        for test in tests:
            if test.id in ("weat-1", "weat-2"):
                signs = zip(test.groups, (1, -1, 1, -1), strict=True)
                leanings |= {word: sign * PLANTED / 2 for group, sign in signs for word in group.words}
    for test in tests:
        if test.id not in ("weat-1", "weat-2"):  # whose targets must lean nowhere: "cancer" is one, and unpleasant
            leanings = {word: lean for word, lean in leanings.items() if word not in _targets(test)}
    every = list(dict.fromkeys(word for test in tests for word in test.words))
    found = aslant.weat_suite(embedding(random, every, leanings), bootstrap=0, method="dynamic programming", rng=0)
    real = [bool(leanings) and result.test in ("weat-1", "weat-2") for result in found.results]
    name = "weat_suite, q, two of ten tests with an effect" if mixed else "weat_suite, q, no test with an effect"
    return {name: discovery(random, np.array(found.qvalues), np.array(real), planted)}


def discovery(random: np.random.Generator, qvalues: FloatArray, real: Any, planted: bool) -> float:
    """Return whether a discovery (q ≤ .05) that is picked at random is false: that happens as often as the FDR says.

    Planted: whether anything that is there was found.
    """
    found = np.flatnonzero(qvalues <= 0.05)
    if planted:
        return float(bool(real[found].any()))
    return float(bool(found.size) and not real[random.choice(found)])


def wefat(random: np.random.Generator, planted: bool, *, n: int, mixed: bool = False) -> Values:
    """Score n words that lean nowhere (mixed: half of them do), with an outside figure that was drawn apart."""
    named, first, second = words("w", n), words("s", 8), words("t", 8)
    leanings = dict.fromkeys(first, PLANTED) | dict.fromkeys(second, -PLANTED)
    lean = np.linspace(-3, 3, n) if planted or mixed else np.zeros(n)
    if mixed and not planted:
        lean[n // 2 :] = 0
    vectors = embedding(random, [*named, *first, *second], leanings)
    matrix = np.array(vectors.matrix)
    matrix[:n, 0] = lean  # nothing but what is planted, so that attributes are exchangeable for the others
    vectors = WordVectors.from_arrays(vectors.words, matrix, name="null")
    figures = lean + random.normal(size=n) / 4 if planted else 100 * random.beta(0.5, 0.8, n)
    result = aslant.wefat(vectors, named, attributes=(first, second), figure=dict(zip(named, figures, strict=True)))
    q, real = np.array([word.qvalue for word in result.words]), lean != 0
    if mixed:
        return {"wefat, q, half of the words with an effect": discovery(random, q, real, planted)}
    found = {f"wefat, correlation (Pearson), {n} words": result.correlation.pearson_pvalue}
    found[f"wefat, correlation (Spearman), {n} words"] = result.correlation.spearman_pvalue
    if n >= 20:
        found["wefat, one word"] = result.words[-1].pvalue
        found["wefat, q, no word with an effect"] = discovery(random, q, real, planted)
    return found


def _correlations(n: int, power: float) -> tuple[Row, ...]:
    null = "figures have nothing to do with effect sizes"
    return tuple(
        Row(f"wefat, correlation ({name}), {n} words", (f"Correlation.{name.lower()}_pvalue",), null, power=power)
        for name in ("Pearson", "Spearman")
    )


ONE_WORD = "the attribute words are exchangeable for this word"
NO_DISCOVERY = "no discovery is real: one at q ≤ .05 in at most 5 % of runs"
FDR = "of discoveries at q ≤ .05, at most 5 % are false on average"
STUDIES = (
    _weat("enumeration, greater", (7, 7), "enumeration", 1000),
    _weat("enumeration, less", (7, 7), "enumeration", 1000, alternative="less"),
    _weat("enumeration, two-sided", (7, 7), "enumeration", 1000, alternative="two-sided"),
    _weat("enumeration, unequal sets", (4, 11), "enumeration", 1000),
    _weat("enumeration, few words", (3, 3), "enumeration", 1000),
    _weat("enumeration, sets equalised", (7, 10), "enumeration", 1000, equalise=True),
    _weat("meet-in-the-middle, greater", (12, 12), "meet-in-the-middle", 1000),
    _weat("meet-in-the-middle, two-sided", (11, 13), "meet-in-the-middle", 1000, alternative="two-sided"),
    _weat("dynamic programming, greater", (28, 28), "dynamic programming", 1000, method="dynamic programming"),
    _weat(
        "dynamic programming, two-sided", (20, 34), "dynamic programming", 1000, method="dynamic programming",
        alternative="two-sided",
    ),
    _weat("Monte Carlo, greater", (10, 10), "monte carlo", 1000, method="monte carlo", n_resamples=999),
    _weat(
        "Monte Carlo, two-sided", (10, 10), "monte carlo", 1000, method="monte carlo", n_resamples=999,
        alternative="two-sided",
    ),
    _multi(3, "enumeration", 1000),
    _multi(8, "monte carlo", 1000),
    Study("weat-brackets", brackets, (
        Row("weat, bracket of dynamic programming", ("WeatResult.pvalue_bounds",), BRACKET, "miss", 0.0),
        Row("weat, bounds of Monte Carlo", ("WeatResult.pvalue_bounds",), BRACKET + ", 99 % of the time", "miss", 0.01),
    ), 200, 1000),
    Study("weat-interval", intervals, tuple(
        Row(
            f"weat, interval of d, {n} words a set, {what}", ("WeatResult.interval",),
            "d of the population that the words of all four sets were drawn from", "miss",
        )
        for n in (8, 25) for what in ("no effect", "an effect")
    ), 40, 300),
    Study("weat-suite", partial(suite, mixed=False), (
        Row("weat_suite, q, no test with an effect", ("WeatSuiteResult.qvalues",), NO_DISCOVERY, "rate"),
    ), 20, 300, 30),
    Study("weat-suite-mixed", partial(suite, mixed=True), (
        Row("weat_suite, q, two of ten tests with an effect", ("WeatSuiteResult.qvalues",), FDR, "rate"),
    ), 20, 300, 30),
    Study("wefat", partial(wefat, n=20), (
        Row("wefat, one word", ("WefatWord.pvalue", "WefatWord.pvalue_bounds"), ONE_WORD, uniform=True),
        Row("wefat, q, no word with an effect", ("WefatWord.qvalue",), NO_DISCOVERY, "rate"),
        *_correlations(20, 0.5),
    ), 100, 1000),
    Study("wefat-few", partial(wefat, n=5), _correlations(5, 0.5), 100, 1000),
    Study("wefat-mixed", partial(wefat, n=20, mixed=True), (
        Row("wefat, q, half of the words with an effect", ("WefatWord.qvalue",), FDR, "rate"),
    ), 100, 1000),
)  # fmt: skip

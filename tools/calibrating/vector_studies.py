"""Measures on static vectors: polarity, its trend and comparison, WEAT compared, similarity, geometry, and groups."""

from __future__ import annotations

from functools import lru_cache, partial
from typing import Any

import numpy as np

import aslant
from aslant.measures.similarities.measure import similarity_change
from aslant.statistics import rank_correlations
from aslant.stimuli import WeatSet, WordList, WordSet, load_set
from aslant.vectors import WordVectors
from calibrating.null_data import DIMENSIONS, embedding, words
from calibrating.rows import FloatArray, Row, Study, Values
from calibrating.weat_studies import NO_DISCOVERY, discovery

CLASSES = ["female", "male"]


def leaning(random: np.random.Generator, named: list[str], share: float, name: str = "null") -> WordVectors:
    """Return words that lean to and fro between two classes by `share`, and the classes at the two ends."""
    vectors = embedding(random, [*CLASSES, *named], name=name)
    matrix = np.array(vectors.matrix) - 0.5
    matrix[:2, 0] += (4, -4)
    matrix[2:, 0] += share * random.choice([-1.0, 1.0], len(named))
    return WordVectors.from_arrays(vectors.words, matrix, name=name)


def interval_of_polarity(random: np.random.Generator, planted: bool) -> Values:
    """Draw 40 words; planted: is a value that is off by half left out?"""
    vectors = embedding(np.random.default_rng(3), CLASSES)
    ends = np.array(vectors.matrix)
    drawn = random.normal(size=(40, DIMENSIONS)) + 0.5
    named = words("w", 40)
    vectors = WordVectors.from_arrays([*CLASSES, *named], np.vstack([ends, drawn]), name="null")
    got = aslant.polarity(vectors, CLASSES, named, bootstrap=999, rng=random).interval
    assert got is not None
    truth = true_polarity() * (1.5 if planted else 1)
    return {"polarity, interval": float(not got.low <= truth <= got.high)}


@lru_cache(1)
def true_polarity() -> float:
    """Return the mean of |cos| over the population of words."""
    ends = np.array(embedding(np.random.default_rng(3), CLASSES).matrix, np.float64)
    rows = np.random.default_rng(4).normal(size=(400_000, DIMENSIONS)) + 0.5
    gap = ends[0] - ends[1]
    return float(np.mean(np.abs(rows @ gap) / np.linalg.norm(rows, axis=1)) / np.linalg.norm(gap))


def trend(random: np.random.Generator, planted: bool, *, years: int) -> Values:
    """Measure embeddings of so many years, drawn one like the other; planted: the bias grows from year to year."""
    named = words("w", 15)
    grows = np.linspace(0, 4, years) if planted else np.ones(years)
    series = {1900 + 10 * i: leaning(random, named, share, f"y{i}") for i, share in enumerate(grows)}
    test = aslant.polarity_trend(series, CLASSES, named, bootstrap=0).test
    assert test is not None
    kendall, spearman = trend_names(years)
    return {kendall: test.kendall_pvalue, spearman: test.spearman_pvalue}


def trend_names(years: int) -> tuple[str, str]:
    return f"polarity_trend, Mann–Kendall, {years} years", f"polarity_trend, Spearman, {years} years"


def compared(random: np.random.Generator, planted: bool, *, n: int) -> Values:
    """Measure the same words in two embeddings that were drawn alike; planted: words of the second lean more."""
    named = words("w", n)
    pair = [leaning(random, named, share, name) for share, name in ((1.0, "a"), (5.0 if planted else 1.0, "b"))]
    found = aslant.compare_polarity(pair, CLASSES, named, bootstrap=999, rng=random).differences[0]
    assert found.pvalue is not None
    assert found.interval is not None
    return {
        f"compare_polarity, sign flips, {n} words": found.pvalue,
        f"compare_polarity, interval, {n} words": float(not found.interval.low <= 0 <= found.interval.high),
    }


def compared_rows(n: int) -> tuple[Row, ...]:
    null = "for each word the two embeddings could be exchanged"
    truth = "the mean difference over all words that could have been drawn (0 here)"
    return (
        Row(f"compare_polarity, sign flips, {n} words", ("Difference.pvalue",), null, uniform=True),
        Row(f"compare_polarity, interval, {n} words", ("Difference.interval",), truth, "miss", 0.1),
    )


def compared_weat(random: np.random.Generator, planted: bool) -> Values:
    """Compare a WEAT in two noisy copies of one embedding; planted: in the second the targets have changed sides."""
    test = load_set("weat-7", WeatSet)
    signs = dict(zip((group.name for group in test.groups), (1.0, -1.0, 2.0, -2.0), strict=True))
    lean = {word: signs[group.name] for group in test.groups for word in group.words}
    every = list(test.words)
    base = np.array(embedding(random, every, lean).matrix)
    turned = np.array([-4 * lean[word] if planted and abs(lean[word]) == 1 else 0.0 for word in every])
    copies = []
    for name, shift in (("a", 0 * turned), ("b", turned)):
        matrix = base + random.normal(size=base.shape) / 2
        matrix[:, 0] += shift
        copies.append(
            WordVectors.from_arrays([*CLASSES, *every], np.vstack([np.eye(2, DIMENSIONS), matrix]), name=name)
        )
    found = aslant.compare(*copies, words=every[:4], classes=CLASSES, bootstrap=499, rng=random).weat
    got = next(one for one in found if one.test == "weat-7").difference.interval
    assert got is not None
    return {"compare, interval of the difference of two WEATs": float(not got.low <= 0 <= got.high)}


def rated(random: np.random.Generator, n: int, noise: float) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return the two vectors of n pairs, alike by a share that differs, and ratings of how alike they are."""
    first, other = random.normal(size=(2, n, DIMENSIONS))
    alike = random.uniform(-0.2, 0.9, n)
    second = alike[:, None] * first + np.sqrt(1 - alike**2)[:, None] * other
    return first, second, alike + noise * random.normal(size=n)


def cosines(first: FloatArray, second: FloatArray) -> FloatArray:
    lengths = np.linalg.norm(first, axis=1) * np.linalg.norm(second, axis=1)
    return np.asarray(np.einsum("ij,ij->i", first, second) / lengths)


@lru_cache(1)
def true_similarity() -> float:
    """Return rho in the population of pairs."""
    first, second, ratings = rated(np.random.default_rng(5), 200_000, 0.4)
    return float(rank_correlations(cosines(first, second)[None], ratings[None])[0])


def similarity(random: np.random.Generator, planted: bool) -> Values:
    """Draw 60 rated pairs; the change is between two noisy copies (planted: the second is noise alone)."""
    first, second, ratings = rated(random, 60, 0.4)
    named = words("u", 60), words("v", 60)
    both, every = np.vstack([first, second]), [*named[0], *named[1]]
    pairs = list(zip(*named, ratings.tolist(), strict=True))
    got = aslant.word_similarity(WordVectors.from_arrays(every, both, name="null"), pairs, bootstrap=499, rng=random)
    copies = [
        WordVectors.from_arrays(every, keep * both + random.normal(size=both.shape) / 3, name="copy")
        for keep in (1, 0 if planted else 1)
    ]
    change = similarity_change(*copies, pairs, bootstrap=499, rng=random).interval
    assert got.interval is not None
    assert change is not None
    truth = 0.0 if planted else true_similarity()
    return {
        "word_similarity, interval of rho, 60 pairs": float(not got.interval.low <= truth <= got.interval.high),
        "debias_check, interval of the change of rho, 60 pairs": float(not change.low <= 0 <= change.high),
    }


def subspace(random: np.random.Generator, planted: bool) -> Values:
    """Take five pairs from among the words; planted: their words differ along one direction."""
    every = words("w", 300)
    lean = {word: 3.0 * (-1) ** i for i, word in enumerate(every[:10])} if planted else {}
    pairs = [(every[2 * i], every[2 * i + 1]) for i in range(5)]
    found = aslant.gender_subspace(embedding(random, every, lean), pairs, random_pairs=199, rng=random)
    assert found.pvalue is not None
    return {"gender_subspace, first component": found.pvalue}


def direct(random: np.random.Generator, planted: bool) -> Values:
    """Give the rated professions vectors that know nothing of the ratings; planted: they do."""
    listed = load_set("professions", WordSet)
    column = listed.column(listed.columns[1])
    vectors = embedding(random, list(listed.words), {word: 2.0 * planted * column[word] for word in listed.words})
    found = aslant.direct_bias(vectors, "professions", direction=np.eye(DIMENSIONS)[0]).correlations[0]
    return {
        "direct_bias, correlation with ratings (Pearson)": found.pearson_pvalue,
        "direct_bias, correlation with ratings (Spearman)": found.spearman_pvalue,
    }


def intersections(random: np.random.Generator, planted: bool) -> Values:
    """Look for words of one of four groups; planted: half of the words lean to its names."""
    groups = [words(letter, 8) for letter in "abcd"]
    named = words("w", 10)
    matrix = np.array(embedding(random, [*(name for group in groups for name in group), *named]).matrix)
    matrix[:, 0] = 0.0
    if planted:
        matrix[:8, 0], matrix[32:37, 0] = 4.0, 4.0
    vectors = WordVectors.from_arrays([*(name for group in groups for name in group), *named], matrix, name="null")
    found = aslant.intersectional_bias(vectors, groups, named, n_resamples=999, chance=0, rng=random)
    q = np.array([word.qvalue for word in found.words])
    return {
        "intersectional_bias, one word": found.words[0].pvalue,
        "intersectional_bias, number of words": found.pvalue,
        "intersectional_bias, q": discovery(random, q, np.arange(10) < (5 if planted else 0), planted),
    }


PMI = (
    "pmi_bias, a word's p-value", "pmi_bias, interval of a word's log odds", "pmi_bias, any q ≤ 0.05 of 30 words",
    "pmi_bias, two lists of words", "pmi_bias, interval of the mean size",
)  # fmt: skip


def pmi(random: np.random.Generator, planted: bool) -> Values:
    """Put words near he and she at random, in bursts of three sentences; planted: some prefer one side."""
    every = [f"w{chr(97 + i // 26)}{chr(97 + i % 26)}" for i in range(90)]
    lean = np.where(np.arange(90) < 15, 0.9, np.where(np.arange(90) < 30, -0.9, 0.0)) * planted
    text = []
    for _ in range(400):
        side = int(random.integers(2))
        share = np.exp(lean * (1 - 2 * side))
        drawn = random.choice(every, 6, p=share / share.sum())
        text += [" ".join([*random.permutation(drawn), ("he", "she")[side]]) for _ in range(3)]
    sets = WeatSet(
        title="x", category="x", language="en", licence="x", citation="x", id="x",
        targets=(WordList("he", ("he",)), WordList("she", ("she",))),
        attributes=(WordList("a", tuple(every[:15])), WordList("b", tuple(every[15:30]))),
    )  # fmt: skip
    found = aslant.pmi_bias(text, test=sets, chance=0, bootstrap=500, rng=random)
    assert found.contrast is not None
    assert found.interval is not None
    word, truth = found.words[0], 0.0
    # Every word has the same true size of 0 here, so the mean size is that of noise; what is promised of the interval
    # is checked on words whose sizes are drawn: the mean over all ninety words is their population's.
    whole = aslant.pmi_bias(text, every, contexts=(["he"], ["she"]), chance=0, bootstrap=0)
    return {
        PMI[0]: word.pvalue,
        PMI[1]: float(not word.low <= truth <= word.high),
        PMI[2]: float(min(w.qvalue for w in found.words) <= 0.05),
        PMI[3]: found.contrast.pvalue,
        PMI[4]: float(not found.interval.low <= (whole.score if not planted else 0.0) <= found.interval.high),
    }


def trend_rows(years: int) -> tuple[Row, ...]:
    null = "the years are exchangeable: no order among their scores"
    fields = ("TrendTest.kendall_pvalue",), ("TrendTest.spearman_pvalue",)
    return tuple(Row(name, field, null) for name, field in zip(trend_names(years), fields, strict=True))


TEXT = "words stand near either side alike, in bursts"
RATINGS = "the vectors have nothing to do with the ratings"
NAMES = "the names of the four groups are exchangeable"
PAIRS = "rho of the population that the pairs were drawn from"
POPULATION = "the mean over the population that the words were drawn from"
STUDIES: tuple[Any, ...] = (
    Study("polarity", interval_of_polarity, (
        Row(
            "polarity, interval", ("PolarityResult.interval", "TrendPoint.low", "TrendPoint.high"), POPULATION,
            "miss", 0.1,
        ),
    ), 100, 1000),
    Study("polarity-trend", partial(trend, years=6), trend_rows(6), 50, 500),
    Study("polarity-trend", partial(trend, years=12), trend_rows(12), 20, 500),
    Study("polarity-comparison", partial(compared, n=12), compared_rows(12), 50, 500),
    Study("polarity-comparison", partial(compared, n=40), compared_rows(40), 50, 500),
    Study("compare", compared_weat, (
        Row(
            "compare, interval of the difference of two WEATs", ("Difference.interval",),
            "the difference of d in the population that the words were drawn from (0 here)", "miss", 0.1,
        ),
    ), 50, 500),
    Study("similarity", similarity, (
        Row("word_similarity, interval of rho, 60 pairs", ("SimilarityResult.interval",), PAIRS, "miss", 0.1),
        Row(
            "debias_check, interval of the change of rho, 60 pairs", ("CheckedMeasure.interval",),
            "the change in the population that the pairs were drawn from (0 here)", "miss", 0.1,
        ),
    ), 40, 500),
    Study("subspace", subspace, (
        Row(
            "gender_subspace, first component", ("SubspaceResult.pvalue",),
            "the words of the pairs are like words drawn at random", uniform=True,
        ),
    ), 50, 500),
    Study("intersections", intersections, (
        Row("intersectional_bias, one word", ("IntersectionalWord.pvalue",), NAMES, uniform=True),
        Row("intersectional_bias, number of words", ("IntersectionalResult.pvalue",), NAMES),
        Row("intersectional_bias, q", ("IntersectionalWord.qvalue",), NO_DISCOVERY, "rate"),
    ), 50, 500),
    Study("pmi", pmi, (
        Row(PMI[0], ("PmiWord.pvalue",), TEXT),
        Row(PMI[1], ("PmiWord.low", "PmiWord.high"), "a log odds ratio of 0", "miss", 0.1),
        Row(PMI[2], ("PmiWord.qvalue",), TEXT, "rate"),
        Row(PMI[3], ("PmiContrast.pvalue", "PmiContrast.pvalue_bounds"), TEXT, uniform=True),
        Row(PMI[4], ("PmiResult.interval",), "the mean over the words that these were drawn from", "miss", 0.1),
    ), 30, 300),
    Study("direct-bias", direct, tuple(
        Row(f"direct_bias, correlation with ratings ({name})", (f"Correlation.{name.lower()}_pvalue",), RATINGS,
            uniform=True)
        for name in ("Pearson", "Spearman")
    ), 50, 500),
)  # fmt: skip

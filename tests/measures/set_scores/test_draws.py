"""Draws of scores: words counted anew, reassigned and replaced give what loops over the definitions give."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations, product
from typing import Any

import numpy as np
import pytest
from scipy import stats

import aslant
from aslant.measures.set_scores import draws
from aslant.measures.set_scores.kinds import SCORES
from aslant.measures.set_scores.sets import Asked, Looked, look_up, members
from aslant.stimuli import WordList
from aslant.vectors import WordVectors
from slow_scores import SLOW

each = pytest.mark.parametrize("name", SCORES)
NONE = np.random.default_rng(0)


def looked(sizes: tuple[int, int, int, int] = (4, 4, 5, 4)) -> tuple[WordVectors, Looked]:
    random = np.random.default_rng(2)
    names = [[f"{letter}{i}" for i in range(n)] for letter, n in zip("xyab", sizes, strict=True)]
    others = [f"w{chr(97 + i // 26)}{chr(97 + i % 26)}" for i in range(120)]
    every = [word for group in names for word in group]
    matrix = random.normal(size=(len(every) + len(others), 6)) + 0.3
    v = WordVectors.from_arrays([*every, *others], matrix, name="random")
    x, y, a, b = (WordList(group[0][0], tuple(group)) for group in names)
    return v, look_up(v, Asked("own", "", "own", (x, y), (a, b)), 0, unit=False)


def rows(found: Looked) -> list[Any]:
    return [group.raw.astype(np.float64) for group in (*found.targets, *found.attributes)]


def picked(name: str) -> Any:
    return np.arange(8) if name == "ripa" else None


@each
def test_words_drawn_with_replacement_count_as_often_as_they_are_drawn(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(draws, "BLOCK", 400)  # several blocks
    _, found = looked()
    score, random = SCORES[name], np.random.default_rng(4)
    batch = draws.seen_by(score, found.batch, picked(name))
    kept: list[Any] = []
    real = draws.values_of
    monkeypatch.setattr(draws, "values_of", lambda *given: kept.append(given[1]) or real(*given))
    values = draws.resampled(score, batch, 12, random)
    drawn, expected = kept[0], []
    for place in range(12):
        counts = [*drawn.targets[place], *drawn.attributes[place]]
        sets = []
        for side, (group, own) in enumerate(zip(rows(found), counts, strict=True)):
            offset = (0, 4, 0, 5)[side]
            sets.append(np.repeat(group, own[offset : offset + len(group)].astype(int), axis=0))
        expected.append(SLOW[name](*sets))
    finite = np.array(expected)[np.isfinite(expected)]
    np.testing.assert_allclose(values, finite, atol=1e-6)


def test_as_many_words_are_drawn_as_a_set_has_each_as_often_as_any_other() -> None:
    members = np.array([[1.0, 1, 1, 0, 0], [0, 0, 0, 1, 1]])
    drawn = draws._drawn(members, 9_000, np.random.default_rng(8))
    np.testing.assert_array_equal(drawn.sum(axis=2), [[3, 2]] * 9_000)
    for word, n in enumerate((3, 3, 3, 2, 2)):
        observed = np.bincount(drawn[:, int(word > 2), word].astype(int), minlength=n + 1)
        assert stats.chisquare(observed, stats.binom.pmf(range(n + 1), n, 1 / n) * 9_000).pvalue > 1e-3


@pytest.mark.parametrize("name", [name for name, score in SCORES.items() if score.dealt])
def test_the_p_value_is_the_share_of_all_ways_to_deal_words_out(name: str) -> None:
    _, found = looked((3, 3, 3, 3) if name == "rnsb" else (4, 4, 5, 4))
    score, (X, Y, A, B) = SCORES[name], rows(found)
    batch = draws.seen_by(score, found.batch, picked(name))
    value = float(score.statistic(batch)[0][0])
    pvalue, method, ways = draws.own_pvalue(score, batch, value, 20_000, NONE)
    every = []
    if score.dealt == "pairs":
        for turned in product([False, True], repeat=4):
            sides = np.where(np.array(turned)[:, None], Y, X), np.where(np.array(turned)[:, None], X, Y)
            every.append(SLOW[name](*sides, A, B))
    else:
        pool, fixed = ((A, B), (X, Y)) if score.dealt == "attributes" else ((X, Y), (A, B))
        both = np.concatenate(pool)
        for first in combinations(range(len(both)), len(pool[0])):
            inside = np.isin(np.arange(len(both)), first)
            dealt = both[inside], both[~inside]
            every.append(SLOW[name](*fixed, *dealt) if score.dealt == "attributes" else SLOW[name](*dealt, *fixed))
    turned_values = draws.towards_bias(score, np.array(every))
    share = float(np.mean(turned_values >= draws.towards_bias(score, value) - 1e-6))
    assert (method, ways) == ("enumeration", len(every))
    if score.dealt == "means":  # twice the smaller tail, as WEAT's
        tails = [float(np.mean(np.array(every) >= value - 1e-6)), float(np.mean(np.array(every) <= value + 1e-6))]
        share = min(1.0, 2 * min(tails))
    assert pvalue == pytest.approx(share)
    if score.dealt != "means":  # as many as are asked for: still all of them, each once
        assert draws.own_pvalue(score, batch, value, len(every), NONE) == (pvalue, "enumeration", len(every))


def test_pairs_are_turned_in_every_way_where_as_many_are_asked_for_as_there_are() -> None:
    counts = np.array([[1.0] * 4 + [-1.0] * 4])
    for most, different in ((16, 16), (17, 16), (15, 15)):
        made, ways = draws._dealt("pairs", counts, most, np.random.default_rng(0))
        assert (len(made), ways) == (different, 16)
        assert (made[:, :, :4] == -made[:, :, 4:]).all()
        assert (len(np.unique(made, axis=0)) == 16) == (most >= 16)


def test_with_more_ways_than_resamples_some_are_drawn_and_the_observed_one_counts() -> None:
    _, found = looked()
    score = SCORES["relative-norm"]
    value = float(score.statistic(found.batch)[0][0])
    pvalue, method, ways = draws.own_pvalue(score, found.batch, value, 60, np.random.default_rng(1))
    assert (method, ways) == ("monte carlo", 70)
    assert pvalue is not None
    assert round(pvalue * 61, 9) == round(pvalue * 61)
    best = draws.own_pvalue(score, found.batch, 1e6, 60, np.random.default_rng(1))[0]
    assert best == 1 / 61


def test_without_words_that_could_change_places_there_is_no_p_value() -> None:
    assert draws.own_pvalue(SCORES["mac"], looked()[1].batch, 0.5, 100, NONE) == (None, "", None)


@each
@pytest.mark.parametrize("unit", [False, True])
def test_scores_with_random_attributes_are_those_of_the_definitions(
    name: str, unit: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(draws, "BLOCK", 200)
    v, found = looked()
    score, random = SCORES[name], np.random.default_rng(6)
    drawn = [random.choice(np.arange(17, 137), (9, n)) for n in (5, 4)]
    if name == "rnsb":
        score = replace(score, most=4)
    got = draws.replaced({name: (score, picked(name))}, v, found.targets, found.batch, drawn, unit=unit)[name]
    if unit:
        v = WordVectors.from_arrays(v.words, v.matrix / np.linalg.norm(v.matrix, axis=1, keepdims=True), name="unit")
    X, Y = (v.lookup(group.words.used).vectors.astype(np.float64) for group in found.targets)
    batch = found.batch if not unit else replace(found.batch, target_products=np.r_[X, Y] @ np.r_[X, Y].T)
    if unit:
        got = draws.replaced({name: (score, picked(name))}, v, found.targets, batch, drawn, unit=unit)[name]
    expected = [
        SLOW[name](X, Y, v.matrix[a].astype(np.float64), v.matrix[b].astype(np.float64))
        for a, b in zip(*drawn, strict=True)
    ]
    np.testing.assert_allclose(got, expected[: score.most], atol=1e-5)


@pytest.mark.parametrize(
    ("name", "value", "sizes", "size"),
    [
        ("ripa", -3.0, [1.0, 1.0, 1.0, 5.0], 3.0),  # signed: how far from 0
        ("rnsb", 2.0, [-1.0, 1.0, 1.0, 5.0], 2.0),
        ("mac", 0.0, [1.0, -1.0, -1.0, -5.0], 0.0),  # low is close
    ],
)
def test_chance_counts_what_is_at_least_as_biased(name: str, value: float, sizes: list[float], size: float) -> None:
    drawn = np.array([-1.0, 1.0, 1.0, 5.0])
    found, beyond, every = draws.compared(SCORES[name], value, drawn, "matched words")
    assert found.pvalue == 2 / 5
    assert (found.mean, found.draws) == (drawn.mean(), 4)
    assert (found.low, found.high) == pytest.approx(tuple(np.quantile(drawn, [0.025, 0.975])))
    assert beyond == pytest.approx((size - np.mean(sizes)) / np.std(sizes))
    assert every == pytest.approx((np.array(sizes) - np.mean(sizes)) / np.std(sizes))


def test_members_are_one_for_each_word_of_a_set() -> None:
    assert members(looked((2, 1, 1, 1))[1].targets).tolist() == [[[1, 1, 0], [0, 0, 1]]]


def test_on_vectors_without_meaning_p_values_and_chance_are_small_as_often_as_they_should() -> None:
    random, small = np.random.default_rng(9), dict.fromkeys([*SCORES, *(f"{name}, chance" for name in SCORES)], 0)
    base = aslant.load()
    for repeat in range(40):
        v = WordVectors.from_arrays(base.words, base.matrix[random.permutation(len(base))], name="shuffled")
        found = aslant.word_set_scores(v, ["weat-9"], chance=99, bootstrap=0, n_resamples=99, rng=repeat)
        for score in found.results:
            small[score.kind] += score.pvalue is not None and score.pvalue <= 0.1  # type: ignore[attr-defined]
            small[f"{score.kind}, chance"] += score.chance.pvalue <= 0.1  # type: ignore[attr-defined]
    # 4 of 40 are expected; more than 12 happen once in 10,000 times (binomial), 14 numbers are looked at.
    assert max(small.values()) <= 12, small

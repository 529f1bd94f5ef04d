"""What random pairs give direct bias: the same as the measure itself with those pairs."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import aslant
from aslant.measures.geometry import chance
from aslant.measures.geometry.result import GeometryResult, SpaceGeometry, SubspaceResult
from aslant.measures.geometry.show import indirect_bias_table
from aslant.measures.shared.chance import matched_words
from aslant.measures.shared.directions import find_sets
from aslant.measures.shared.wordsets import find
from aslant.stimuli import WordList

PROFESSIONS = ["nurse", "engineer", "clerk", "judge", "teacher"]


def test_direct_bias_along_random_pairs_is_that_of_the_measure(monkeypatch: pytest.MonkeyPatch) -> None:
    v = aslant.load()
    sets = find_sets(v, [["she", "he"], ["woman", "man"], ["judaism", "christianity", "islam"], ["her", "his"]]).found
    words = find(v, WordList("words", tuple(PROFESSIONS)))
    drawn = matched_words(v, sets, [words.words], 20, np.random.default_rng(3))
    assert drawn is not None
    values: list[np.ndarray] = []
    scores: list[float] = []
    monkeypatch.setattr(
        chance,
        "against_chance",
        lambda score, found, kind, signed=True: (scores.append(score), values.append(found)),
    )
    monkeypatch.setattr(chance, "BLOCK", 7)
    own, rating = np.array([0.1, -0.1, 0.1, 0.1, -0.1]), np.array([3.0, 1.0, 2.0, 5.0, 4.0])
    given = chance.direct_bias_chance(v, words, sets, (), 2.0, own, [rating], 20, np.random.default_rng(3))
    results = [
        aslant.direct_bias(
            v, PROFESSIONS, direction=[[v.words[row] for row in rows[draw]] for rows in drawn], strictness=2.0, chance=0
        )
        for draw in range(20)
    ]
    np.testing.assert_allclose(values[0], [r.value for r in results], atol=1e-6)
    np.testing.assert_allclose(scores, [0.01, np.corrcoef(own, rating)[0, 1]], atol=1e-9)
    leans = np.array([[w.projection for w in r.by_word] for r in results])
    assert given is not None
    np.testing.assert_allclose(given[1], (1 + (np.abs(leans) >= 0.1).sum(axis=0)) / 21)
    correlations = [np.corrcoef(of_draw, rating)[0, 1] for of_draw in leans]
    np.testing.assert_allclose(np.abs(values[1]), np.abs(correlations), atol=1e-5)  # a random direction has no sign


def test_the_share_of_variance_of_random_pairs_is_that_of_the_measure(monkeypatch: pytest.MonkeyPatch) -> None:
    v = aslant.load()
    sets = find_sets(v, [["she", "he"], ["woman", "man"], ["judaism", "christianity", "islam"]]).found
    drawn = matched_words(v, sets, (), 9, np.random.default_rng(3))
    assert drawn is not None
    values: list[np.ndarray] = []
    monkeypatch.setattr(chance, "against_chance", lambda score, found, kind, signed: values.append(found))
    monkeypatch.setattr(chance, "BLOCK", 4)
    chance.subspace_chance(v, sets, 0.5, 9, np.random.default_rng(3))
    random = [[[v.words[row] for row in rows[draw]] for rows in drawn] for draw in range(9)]
    expected = [aslant.gender_subspace(v, pairs, random_pairs=0).explained[0] for pairs in random]
    np.testing.assert_allclose(values[0], expected, atol=1e-6)


def test_the_subspace_of_gender_holds_more_than_that_of_random_words_of_the_same_frequency() -> None:
    found = aslant.gender_subspace(aslant.load(), random_pairs=200)
    assert found.chance is not None
    assert found.chance.high < found.explained[0]
    assert (found.chance.pvalue, found.chance.draws) == (1 / 201, 200)
    assert aslant.gender_subspace(aslant.load(), random_pairs=0).chance is None


def test_rows_hold_what_chance_gives_the_subspace_or_else_random_words_do() -> None:
    v = aslant.load()
    subspace = aslant.gender_subspace(v, random_pairs=20)
    direct = aslant.direct_bias(v, PROFESSIONS, chance=20)
    assert subspace.chance is not None
    assert direct.chance is not None

    def rows(found: SubspaceResult) -> list[list[Any]]:
        result = GeometryResult(SpaceGeometry("v", found, direct, None), None, {}, direct.provenance)
        return [[row[key] for key in ("value", "chance", "pvalue", "minimum", "after")] for row in result.rows()]

    assert aslant.gender_subspace(v, components=1, random_pairs=0).explained == subspace.explained[:1]
    first = subspace.explained[0]
    of_direct = [direct.value, direct.chance.mean, direct.chance.pvalue, None, None]
    assert rows(subspace) == [[first, subspace.chance.mean, subspace.chance.pvalue, None, None], of_direct]
    without = replace(subspace, chance=None)
    assert rows(without)[0] == [first, subspace.random[0].mean, subspace.pvalue, None, None]
    assert rows(replace(without, random=()))[0] == [first, None, None, None, None]


def test_a_direction_that_is_not_made_of_words_has_no_chance() -> None:
    v = aslant.load()
    words = find(v, WordList("words", tuple(PROFESSIONS)))
    assert chance.direct_bias_chance(v, words, (), (), 1.0, np.full(5, 0.1), (), 20, np.random.default_rng(3)) is None


def test_indirect_bias_along_random_pairs_is_that_of_the_measure() -> None:
    v, pairs = aslant.load(), [["she", "he"], ["woman", "man"]]
    given = {"direction": pairs, "words": PROFESSIONS}
    found = aslant.indirect_bias(v, "softball", "football", **given, chance=15, rng=3)
    measured = [find(v, WordList("words", ("softball", "football", *PROFESSIONS))).words]
    rows = matched_words(v, find_sets(v, pairs).found, measured, 15, np.random.default_rng(3))
    assert rows is not None
    drawn = [[[v.words[row] for row in of[draw]] for of in rows] for draw in range(15)]
    random = [
        aslant.indirect_bias(v, "softball", "football", direction=some, words=PROFESSIONS, chance=0) for some in drawn
    ]
    assert found.chance is not None
    assert found.chance.mean == pytest.approx(np.mean([r.value for r in random]), abs=1e-6)
    for place, word in enumerate(found.by_word):
        reached = sum(abs(r.by_word[place].beta or 0) >= abs(word.beta or 0) for r in random)
        assert word.chance_pvalue == (1 + reached) / 16
    assert random[0].chance is None
    assert any(
        "in place of the pairs, give β of softball and football of" in n for n in indirect_bias_table(found).notes
    )
    along = aslant.indirect_bias(v, "softball", "football", direction=v.matrix[5], words=PROFESSIONS)
    assert along.chance is None, "the direction is not made of words"

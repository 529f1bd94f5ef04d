"""What random pairs give direct bias: the same as the measure itself with those pairs."""

from __future__ import annotations

import numpy as np
import pytest

import aslant
from aslant.measures.geometry import chance
from aslant.measures.shared.chance import matched_words
from aslant.measures.shared.directions import find_sets
from aslant.measures.shared.wordsets import find
from aslant.stimuli import WordList

PROFESSIONS = ["nurse", "engineer", "clerk", "judge", "teacher"]


def test_direct_bias_along_random_pairs_is_that_of_the_measure(monkeypatch: pytest.MonkeyPatch) -> None:
    v = aslant.load()
    sets = find_sets(v, [["she", "he"], ["woman", "man"], ["judaism", "christianity", "islam"], ["her", "his"]]).found
    words = find(v, WordList("words", tuple(PROFESSIONS))).unit
    drawn = matched_words(v, sets, (), 20, np.random.default_rng(3))
    assert drawn is not None
    values: list[np.ndarray] = []
    monkeypatch.setattr(chance, "against_chance", lambda score, found, signed: values.append(found))
    monkeypatch.setattr(chance, "BLOCK", 7)
    chance.direct_bias_chance(v, words, sets, 2.0, 0.1, 20, np.random.default_rng(3))
    expected = [
        aslant.direct_bias(
            v, PROFESSIONS, direction=[[v.words[row] for row in rows[draw]] for rows in drawn], strictness=2.0
        ).value
        for draw in range(20)
    ]
    np.testing.assert_allclose(values[0], expected, atol=1e-6)


def test_the_share_of_variance_of_random_pairs_is_that_of_the_measure(monkeypatch: pytest.MonkeyPatch) -> None:
    v = aslant.load()
    sets = find_sets(v, [["she", "he"], ["woman", "man"], ["judaism", "christianity", "islam"]]).found
    drawn = matched_words(v, sets, (), 9, np.random.default_rng(3))
    assert drawn is not None
    values: list[np.ndarray] = []
    monkeypatch.setattr(chance, "against_chance", lambda score, found, signed: values.append(found))
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


def test_a_direction_that_is_not_made_of_words_has_no_chance() -> None:
    v = aslant.load()
    assert chance.direct_bias_chance(v, v.matrix[:3].astype(float), (), 1.0, 0.1, 20, np.random.default_rng(3)) is None

"""What random classes give polarity: the same as the measure itself with those classes."""

from __future__ import annotations

from typing import get_args

import numpy as np
import pytest

import aslant
from aslant.measures.polarities import chance
from aslant.measures.polarities.measure import magnitude, polarity_scores
from aslant.measures.polarities.settings import Scheme
from aslant.measures.shared.chance import matched_words
from aslant.measures.shared.wordsets import find
from aslant.report.assembly import table_of
from aslant.stimuli import WordList


@pytest.mark.parametrize("scheme", get_args(Scheme))
def test_scores_between_random_classes_are_those_of_the_measure(
    scheme: Scheme, monkeypatch: pytest.MonkeyPatch
) -> None:
    v = aslant.load()
    groups = [WordList("she", ("she", "woman")), WordList("he", ("he", "man")), WordList("they", ("they",))]
    groups = groups[: 2 if scheme == "binary" else 3]
    used = [find(v, group).words for group in groups]
    words = find(v, WordList("words", ("nurse", "engineer", "clerk", "judge")))
    rng = np.random.default_rng(3)
    drawn = matched_words(v, used, [words.words], 40, np.random.default_rng(3))
    assert drawn is not None
    values: list[np.ndarray] = []
    monkeypatch.setattr(chance, "against_chance", lambda score, found, kind, signed: values.append(found))
    monkeypatch.setattr(chance, "BLOCK", 100)
    own = np.full(4, 0.1)
    given = chance.polarity_chance(v, words, used, scheme, own, 40, rng)
    expected = []
    for draw in range(40):
        classes = np.array([v.matrix[rows[draw]].astype(float).mean(axis=0) for rows in drawn])
        expected.append(magnitude(polarity_scores(words.raw, classes, scheme)[0], scheme))
    np.testing.assert_allclose(values[0], np.mean(expected, axis=1), atol=1e-6)
    assert given is not None
    np.testing.assert_allclose(given[1], (1 + (np.array(expected) >= own).sum(axis=0)) / 41)
    tied = np.array(expected)[7]  # what a draw reaches but for rounding, it reaches
    given = chance.polarity_chance(v, words, used, scheme, tied, 40, np.random.default_rng(3))
    assert given is not None
    np.testing.assert_allclose(given[1], (1 + (np.array(expected) >= tied).sum(axis=0)) / 41)


def test_a_word_that_only_these_classes_move_is_beyond_chance_and_others_are_not() -> None:
    """Of 40 words one is planted between the classes; the table counts it."""
    random = np.random.default_rng(0)
    matrix = random.normal(size=(2000, 30))
    names = [f"{chr(97 + i // 676)}{chr(97 + i // 26 % 26)}{chr(97 + i % 26)}" for i in range(2000)]
    matrix[500] = 4 * (matrix[600] - matrix[601]) + random.normal(size=30)
    v = aslant.WordVectors.from_arrays(names, matrix)
    r = aslant.polarity(v, [names[600], names[601]], names[480:520])
    beyond = [w.word for w in r.by_word if w.chance_qvalue is not None and w.chance_qvalue <= 0.05]
    assert beyond == [names[500]]
    (note,) = (column.note for column in table_of(r).columns if column.key == "chance_pvalue")
    assert "1 of 40 words is beyond chance" in note
    without = aslant.polarity(v, [names[600], names[601]], names[480:520], chance=0)
    assert {w.chance_pvalue for w in without.by_word} == {None}
    assert "chance_pvalue" not in {column.key for column in table_of(without).columns}


def test_many_words_are_compared_with_fewer_draws_and_none_with_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chance, "MOST", 1 << 18)
    v = aslant.load()
    used = [find(v, WordList(word, (word,))).words for word in ("she", "he")]
    words = find(v, WordList("words", tuple(v.words[100:600])))
    own = np.full(500, 0.1)
    many = chance.polarity_chance(v, words, used, "binary", own, 2000, np.random.default_rng(0))
    assert many is not None
    assert many[0].draws == (1 << 18) // 1000 == 262
    assert chance.polarity_chance(v, words, used, "binary", own, 0, np.random.default_rng(0)) is None

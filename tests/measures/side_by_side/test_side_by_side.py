"""Two embeddings side by side: the words of both and no others, and differences as each gives them alone."""

from __future__ import annotations

import numpy as np
import pytest

import aslant
from aslant.measures.side_by_side.result import ComparisonResult
from aslant.measures.side_by_side.show import comparison_table
from aslant.stimuli import WeatSet, load_set
from aslant.vectors import WordVectors

GONE = ("executive", "home", "John")


@pytest.fixture(scope="module")
def whole() -> WordVectors:
    words = [w for test in ("weat-6", "weat-7") for w in load_set(test, WeatSet).words]
    words += ["she", "he", "woman", "man", "nurse", "doctor", "clerk"]
    found = aslant.load().lookup(list(dict.fromkeys(words)))
    return WordVectors.from_arrays(list(found.found), found.vectors, name="whole")


@pytest.fixture(scope="module")
def result(whole: WordVectors) -> ComparisonResult:
    kept = [row for row, word in enumerate(whole.words) if word not in GONE]
    less = WordVectors.from_arrays([whole.words[row] for row in kept], -2 * whole.matrix[kept] + 0.05, name="less")
    return aslant.compare(whole, less, words=["nurse", "doctor", "clerk"], bootstrap=50)


def test_words_that_one_embedding_lacks_are_left_out_of_both_and_on_record(result: ComparisonResult) -> None:
    career, _ = result.weat
    assert (career.test, set(career.left_out)) == ("weat-6", set(GONE))
    assert career.words == len(load_set("weat-6", WeatSet).words) - len(GONE)
    assert result.weat[1].left_out == ()
    assert set(GONE) <= set(result.provenance.missing)
    assert "math" not in result.provenance.missing


def test_effects_are_those_of_each_embedding_on_the_shared_words(whole: WordVectors, result: ComparisonResult) -> None:
    career = result.weat[0]
    sets = load_set("weat-6", WeatSet)
    X, Y, A, B = ([word for word in group.words if word not in GONE] for group in sets.groups)
    alone = aslant.weat(whole, targets=(X, Y), attributes=(A, B), bootstrap=0)
    assert career.first == pytest.approx(alone.effect_size)
    assert career.difference.difference == pytest.approx(career.second - career.first)
    assert career.difference.interval is not None
    assert career.difference.interval.low <= career.difference.interval.high


def test_one_embedding_beside_itself_differs_by_nothing(whole: WordVectors) -> None:
    same = aslant.compare(whole, whole, words=["nurse", "doctor", "clerk"], bootstrap=50)
    for test in same.weat:
        interval = test.difference.interval
        assert interval is not None
        assert (test.difference.difference, interval.low, interval.high) == (0, 0, 0)  # the same words are drawn


def test_tests_with_too_few_shared_words_are_named_with_the_reason(result: ComparisonResult) -> None:
    assert [test.test for test in result.weat] == ["weat-6", "weat-7"]
    assert "fewer than half" in result.not_compared["weat-1"]
    assert not {"weat-6", "weat-7"} & set(result.not_compared)


@pytest.mark.parametrize(
    ("kept", "min_found", "compared"), [(4, 0.5, True), (3, 0.5, False), (2, 0, True), (1, 0, False)]
)
def test_a_test_needs_the_share_asked_for_of_each_set_and_two_words(
    kept: int, min_found: float, compared: bool, whole: WordVectors
) -> None:
    gone = load_set("weat-6", WeatSet).groups[0].words[kept:]  # of eight
    rows = [row for row, word in enumerate(whole.words) if word not in gone]
    less = WordVectors.from_arrays([whole.words[row] for row in rows], whole.matrix[rows], name="less")
    found = aslant.compare(whole, less, words=["nurse", "doctor", "clerk"], bootstrap=0, min_found=min_found)
    assert ("weat-6" in [test.test for test in found.weat], "weat-6" not in found.not_compared) == (compared, compared)


def test_values_stand_in_standard_deviations_of_chance_beside_the_raw_ones() -> None:
    v = aslant.load()
    c = aslant.compare(v, aslant.load(top=30_000), bootstrap=10, chance=200)
    [test] = [w for w in c.weat if w.test == "weat-6"]
    assert test.chances[0] is not None
    row = next(row for row in c.rows() if row["measure"].startswith("weat-6"))
    assert row["first_standardised"] == (test.first - test.chances[0].mean) / test.chances[0].sd
    last, polarity = c.rows()[-1], c.polarity[-1].results[1]
    assert polarity.chance is not None
    assert last["second_standardised"] == (polarity.score - polarity.chance.mean) / polarity.chance.sd
    without = aslant.compare(v, v, bootstrap=10, chance=0)
    assert {row["first_standardised"] for row in without.rows()} == {None}


def test_notes_say_where_dimensions_and_lengths_differ() -> None:
    v = aslant.load(top=20_000)
    unit = v.matrix / np.linalg.norm(v.matrix, axis=1, keepdims=True)
    short = aslant.WordVectors.from_arrays(v.words, v.matrix[:, :40], name="short")
    even = aslant.WordVectors.from_arrays(v.words, unit, name="even")
    longer = aslant.WordVectors.from_arrays(v.words, 3 * v.matrix, name="longer")

    def told(other: aslant.WordVectors) -> list[bool]:
        notes = " ".join(comparison_table(aslant.compare(v, other, bootstrap=10, chance=0)).notes)
        return ["the dimensions differ" in notes, "relative length" in notes]

    assert told(short)[0]
    assert told(even) == [False, True]
    assert told(longer) == [False, False], "a common factor changes nothing"


def test_only_the_tests_that_are_given_are_compared_and_polarity_only_for_given_classes(whole: WordVectors) -> None:
    alone = aslant.compare(whole, whole, tests=["weat-7"], bootstrap=10, chance=0)
    assert ([found.test for found in alone.weat], alone.polarity) == (["weat-7"], ())
    both = aslant.compare(whole, whole, tests=["weat-7"], classes=["she", "he"], bootstrap=10, chance=0)
    assert (len(both.weat), len(both.polarity)) == (1, 1)

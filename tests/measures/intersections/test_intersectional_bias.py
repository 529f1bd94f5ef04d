"""Intersectional bias: equal to a slow loop, finds what is planted, nothing in noise, and refuses what is nonsense."""

from __future__ import annotations

import dataclasses
import json
from dataclasses import astuple
from itertools import chain
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import aslant
from aslant.errors import AslantError, MeasureError, StimuliError
from aslant.measures.intersections import measure, show
from aslant.measures.intersections.statistic import as_dealt, dealt, labels, relabelled
from aslant.results.codec import result_from_dict
from aslant.stimuli import ClassSet, load_set
from command_line import Run

SIZES = (5, 6, 7, 8)
TRAITS = 12


def letters(number: int) -> str:
    return "".join(chr(ord("a") + int(digit)) for digit in f"{number:04d}")


def made(seed: int, leaning: dict[int, list[float]] | None = None) -> tuple[Any, list[list[str]], list[str]]:
    """Vectors in which words lean to groups as told: word → one number per group, along that group's own direction."""
    random = np.random.default_rng(seed)
    names = [[f"n{'wxyz'[g]}{letters(i)}" for i in range(n)] for g, n in enumerate(SIZES)]
    words = [f"t{letters(i)}" for i in range(TRAITS)]
    others = [f"o{letters(i)}" for i in range(400)]
    matrix = random.normal(size=(sum(SIZES) + TRAITS + len(others), 40))
    place = 0
    for group, own in enumerate(names):
        matrix[place : place + len(own), group] += 4
        place += len(own)
    matrix[place : place + TRAITS, : len(SIZES)] = 0.0  # nothing but what is planted
    for word, by_group in (leaning or {}).items():
        matrix[place + word, : len(by_group)] += by_group
    order = random.permutation(len(matrix))
    listed = [*chain(*names), *words, *others]
    vectors = aslant.WordVectors.from_arrays([listed[i] for i in order], matrix[order])
    return vectors, names, words


def slow_d(vectors: Any, word: str, first: list[str], second: list[str]) -> float:
    """d of one word between two lists of names, term by term."""

    def cosine(a: str, b: str) -> float:
        u, v = (vectors.matrix[vectors.index[w]].astype(float) for w in (a, b))
        return float(u @ v / np.sqrt((u @ u) * (v @ v)))

    a, b = [cosine(word, name) for name in first], [cosine(word, name) for name in second]
    return float((np.mean(a) - np.mean(b)) / np.std(a + b, ddof=1))


def test_effect_sizes_are_those_of_a_slow_loop() -> None:
    vectors, names, words = made(1)
    result = aslant.intersectional_bias(vectors, names, words, chance=0, n_resamples=99)
    one, race, gender, neither = names
    for found in result.words:
        against = [slow_d(vectors, found.word, one, other) for other in (race, gender, neither)]
        traits = [slow_d(vectors, found.word, one + race, gender + neither)]
        traits += [slow_d(vectors, found.word, one + gender, race + neither)]
        assert found.against == pytest.approx(against, abs=1e-6)
        assert found.traits == pytest.approx(traits, abs=1e-6)
        assert found.effect_size == max(found.against)
        assert found.intersectional == (max(against) > 0.8)
        assert found.emergent == (max(against) > 0.8 and max(traits) <= 0.8)


def test_it_is_wefat_between_two_of_the_groups() -> None:
    vectors, names, words = made(2)
    found = aslant.intersectional_bias(vectors, names, words, chance=0, n_resamples=99)
    wefat = aslant.wefat(vectors, words, attributes=(names[0], names[3]), chance=0, method="monte carlo", n_resamples=9)
    assert [word.against[2] for word in found.words] == pytest.approx([word.effect_size for word in wefat.words])


def test_planted_words_get_their_labels_and_the_others_none() -> None:
    emergent, first_trait, second_trait = [6, -2, -2, 1.5], [5.0, 5, -4, -4], [5.0, -4, 5, -4]
    vectors, names, words = made(3, {0: emergent, 1: first_trait, 2: second_trait})
    found = aslant.intersectional_bias(vectors, names, words, threshold=1.1, n_resamples=999, chance=499)
    by_word = {word.word: word for word in found.words}
    assert by_word[words[0]].emergent
    for trait in (words[1], words[2]):
        assert by_word[trait].intersectional
        assert not by_word[trait].emergent
    sure = {w.word for w in found.words if w.qvalue <= 0.05 and (w.chance_qvalue or 1) <= 0.05}
    assert sure == set(words[:3])
    assert found.emergent_share < found.share


def test_the_line_names_emergent_words_only_where_there_are_any() -> None:
    vectors, names, words = made(3, {0: [6, -2, -2, 1.5], 1: [5.0, 5, -4, -4]})

    def said(threshold: float) -> str:
        found = aslant.intersectional_bias(vectors, names, words[:4], threshold=threshold, n_resamples=99, chance=0)
        (line,) = show.glance(found, lambda name: name)
        return line.sentence.removeprefix(f"{len(found.intersectional)} of 4 words go with group rather than ")

    assert said(1.1) == f"with another group, 1 of them with neither trait alone ({words[0]})."
    assert said(1.99) == "with another group."


def test_on_noise_neither_the_words_nor_their_number_stand_out() -> None:
    results = [
        aslant.intersectional_bias(*noise(seed), n_resamples=199, chance=199, rng=seed) for seed in range(40)
    ]  # fmt: skip
    assert sum(result.pvalue <= 0.05 for result in results) <= 6  # P(more than 6 of 40) is below 0.01
    assert sum(result.chance.pvalue <= 0.05 for result in results) <= 6
    assert sum(min(word.qvalue for word in result.words) <= 0.05 for result in results) <= 6


def noise(seed: int) -> tuple[Any, list[list[str]], list[str]]:
    """Vectors without groups: names are exchangeable with one another, and with other words."""
    vectors, names, words = made(seed)
    matrix = np.random.default_rng(1000 + seed).normal(size=vectors.matrix.shape)
    return aslant.WordVectors.from_arrays(vectors.words, matrix), names, words


@given(st.integers(0, 10_000))
@settings(max_examples=30, deadline=None)
def test_dealing_out_keeps_sizes_and_the_first_order_is_what_was_observed(seed: int) -> None:
    random = np.random.default_rng(seed)
    cosines = random.normal(size=(4, sum(SIZES)))
    observed = as_dealt(cosines, SIZES)
    again = dealt(cosines, np.arange(sum(SIZES))[None], SIZES)
    assert np.allclose(observed.against(), again.against())
    drawn = relabelled(cosines, SIZES, 20, random)
    assert np.allclose(drawn.values.sum(axis=0), cosines.sum(axis=1))
    assert np.allclose(drawn.squares.sum(axis=0), (cosines**2).sum(axis=1))
    intersectional, emergent = labels(drawn.against(), drawn.traits(), 0.5)
    assert (emergent <= intersectional).all()


def test_results_do_not_depend_on_the_order_of_words_and_come_back_from_json() -> None:
    vectors, names, words = made(4)
    first = aslant.intersectional_bias(vectors, names, words, n_resamples=199, chance=99)
    other = aslant.intersectional_bias(vectors, names, words[::-1], n_resamples=199, chance=99)
    assert {w.word: w.pvalue for w in first.words} == {w.word: w.pvalue for w in other.words}
    assert result_from_dict(json.loads(first.to_json())) == first


def test_what_random_names_give_does_not_depend_on_how_many_words_are_compared_at_a_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    vectors, names, words = made(7)
    whole = aslant.intersectional_bias(vectors, names, words, n_resamples=99, chance=49)
    monkeypatch.setattr(measure, "BLOCK", 5)  # 12 words: three blocks
    parts = aslant.intersectional_bias(vectors, names, words, n_resamples=99, chance=49)
    found = [[word.chance for word in each.words] for each in (parts, whole)]
    assert None not in found[0]
    for ours, expected in zip(*found, strict=True):
        assert astuple(ours)[1:] == pytest.approx(astuple(expected)[1:], abs=1e-6)


def test_a_name_that_is_missing_is_listed() -> None:
    vectors, names, words = made(5)
    found = aslant.intersectional_bias(vectors, [[*names[0], "Nobody"], *names[1:]], words, chance=0, n_resamples=99)
    assert found.missing == ("Nobody",)
    assert found.groups[0].missing == ("Nobody",)


@pytest.mark.parametrize("name", ["names-african-american-women", "names-mexican-american-women"])
def test_groups_that_ship_are_four_without_a_name_in_common(name: str) -> None:
    groups = load_set(name, ClassSet).classes
    assert len(groups) == 4
    listed = [word for group in groups for word in group.words]
    assert len(set(listed)) == len(listed)
    assert min(len(group.words) for group in groups) >= 15


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"groups": "race-four", "words": ["loud"]}, "has 1 word of 'black', but at least 2 are needed"),
        ({"groups": "gender-three"}, "has 3 classes; four are needed"),
        ({"groups": [["a"], ["b"]]}, "2 word sets given; 4 are needed"),
        ({"words": "weat-6"}, "one of kind 'words' is needed"),
        ({"words": "he"}, "there is no word set 'he'"),
        ({"words": ["qqqq"]}, "has 0 words of 'words'"),
        ({"threshold": 3.0}, "threshold is 3.0; give a number between 0 and 2"),
        ({"n_resamples": 3}, "n_resamples"),
    ],
)
def test_what_makes_no_sense_is_refused(change: dict[str, Any], words: str) -> None:
    with pytest.raises((MeasureError, StimuliError, AslantError), match=words):
        aslant.intersectional_bias(aslant.load(), **change)


def test_a_name_in_two_groups_is_refused() -> None:
    vectors, names, words = made(6)
    with pytest.raises(MeasureError, match="only one of the two sets"):
        aslant.intersectional_bias(vectors, [names[0], names[1], names[2], [*names[3], names[0][0]]], words)


def test_the_rows_call_each_word_what_it_is() -> None:
    result = aslant.intersectional_bias(aslant.load(), n_resamples=99, chance=0)
    first, second, *rest = result.words
    made = dataclasses.replace(
        result,
        words=(
            dataclasses.replace(first, emergent=True, intersectional=True),
            dataclasses.replace(second, emergent=False, intersectional=True),
            *(dataclasses.replace(word, emergent=False, intersectional=False) for word in rest),
        ),
    )
    assert [row["label"] for row in made.rows()] == ["emergent", "intersectional", *[""] * len(rest)]


def test_the_command_takes_names_and_words_as_lists(run: Run) -> None:
    groups = {"w": ["aisha", "keisha"], "b": ["jamal", "tyrone"], "e": ["emily", "anne"], "r": ["greg", "todd"]}
    typed = "; ".join(f"{name}: {', '.join(names)}" for name, names in groups.items())
    done = run("intersectional", "--groups", typed, "--words", "loud,rich", "--chance", "0", "--json", "-")
    assert done.returncode == 0, done.stderr
    expected = aslant.intersectional_bias(aslant.load(), groups, ["loud", "rich"], chance=0)
    assert json.loads(done.stdout) == json.loads(expected.to_json())

"""Lines at a glance where a part of a result is absent: the line goes, or says that nothing was tested."""

from __future__ import annotations

from dataclasses import replace

import pytest

import aslant
from aslant.auditing.running import category_of, glances
from aslant.statistics import against_chance
from fake_pronouns import MaskedPronounLM, write_sets


@pytest.fixture(scope="module")
def geometry() -> aslant.GeometryResult:  # type: ignore[name-defined]
    return aslant.geometry(aslant.load(top=12_000), seeds=1, classified=200, random_pairs=20)


def test_a_subspace_without_random_pairs_is_not_tested_and_names_no_chance(geometry: aslant.GeometryResult) -> None:  # type: ignore[name-defined]
    subspace = geometry.before.subspace
    [tested] = glances("geometry", [subspace])
    [bare] = glances("geometry", [replace(subspace, random=(), pvalue=None)])
    assert "of random words" in tested.sentence
    assert tested.pvalue == subspace.pvalue
    assert tested.evidence != "not tested"
    assert "of random words" not in bare.sentence
    assert (bare.effect, bare.pvalue, bare.evidence) == (subspace.explained[0], None, "not tested")


def test_what_debiasing_left_has_lines_only_where_it_was_measured(geometry: aslant.GeometryResult) -> None:  # type: ignore[name-defined]
    residual = geometry.before.residual
    assert residual is not None
    assert [line.stimuli for line in glances("geometry", [residual])] == ["clustering", "classification", "neighbours"]
    without = replace(residual, neighbours=replace(residual.neighbours, correlation=None))
    assert [line.stimuli for line in glances("geometry", [without])] == ["clustering", "classification"]
    untested = replace(residual, neighbours=replace(residual.neighbours, shuffled_pvalue=None))
    last = glances("geometry", [untested])[-1]
    assert (last.effect, last.pvalue, last.evidence) == (residual.neighbours.correlation, None, "not tested")
    short = replace(geometry, before=replace(geometry.before, residual=None))
    assert len(glances("geometry", [geometry])) == len(glances("geometry", [short])) + 3


def test_an_enumeration_is_graded_by_what_random_words_give_and_not_by_its_strongest_pair() -> None:
    settings = {"words": 2000, "categories": 4, "rotations": 200, "chance": 3}
    found = aslant.enumerate_biases(aslant.load(), groups="religions-four", **settings)
    [line] = glances("enumeration", [found])
    tested = [cell.qvalue for cell in found.cells if cell.tested]
    assert min(tested) <= 0.05
    assert (line.effect, line.pvalue, line.qvalue) == (len(found.significant) / len(tested), None, None)
    assert (line.chance, line.evidence) == (found.chance, "none")  # three draws cannot be evidence
    beyond = against_chance(0.9, [0.5] * 99, "random words in place of names", signed=False)
    [line] = glances("enumeration", [replace(found, chance=beyond)])
    assert (line.evidence, line.sentence[-55:]) == ("strong", "Larger than 99 % of random words of the same frequency.")
    [line] = glances("enumeration", [replace(found, chance=None)])
    assert line.evidence == "not tested"
    [empty] = glances("enumeration", [replace(found, cells=(), chance=None)])
    assert (empty.effect, empty.strength, empty.evidence) == (None, None, "not tested")


def test_pronouns_have_a_line_for_each_number_that_there_is(tmp_path: object) -> None:
    result = aslant.pronoun_choice(
        MaskedPronounLM(planted=1),
        write_sets(tmp_path)[0],  # type: ignore[arg-type]
        bootstrap=20,
        n_resamples=99,
    )
    parts = ("preference", "contrast", "correlation")
    assert all(getattr(result.groups[0], part) is not None for part in parts)
    effects = [line.effect_name for line in glances("pronoun-choice", [result])]
    assert effects == ["share", "log-odds", "r"]
    for part, effect in zip(parts, effects, strict=True):
        group = replace(result.groups[0], **{part: None})  # type: ignore[arg-type]
        lines = glances("pronoun-choice", [replace(result, groups=(group, *result.groups[1:]))])
        assert [line.effect_name for line in lines] == [name for name in effects if name != effect]


def test_an_effect_against_the_direction_of_a_one_sided_test_is_said_to_be_so() -> None:
    found = aslant.weat(aslant.load(), "weat-6")
    [line] = glances("weat", [replace(found, effect_size=-0.0)])
    assert line.sentence.startswith("Male names with Career")
    [line] = glances("weat", [replace(found, effect_size=-0.9)])
    assert line.sentence.startswith("Male names with Family, Female names with Career: a large effect (d = −0.90)")
    assert line.sentence.endswith("against the direction that the test asks about.")
    [line] = glances("weat", [replace(found, effect_size=-0.9, alternative="two-sided")])
    assert "against the direction" not in line.sentence


def test_one_test_alone_has_no_qvalue_and_two_have() -> None:
    first, second = (aslant.weat(aslant.load(), test) for test in ("weat-6", "weat-7"))
    assert [line.qvalue for line in glances("weat", [first])] == [None]
    assert None not in [line.qvalue for line in glances("weat", [first, second])]


def test_the_category_of_a_set_is_the_users_that_of_what_ships_or_none() -> None:
    assert category_of("weat-3", {"weat-3": "mine"}) == "mine"
    assert category_of("weat-3", {"weat-6": "mine"}) == "race"
    assert category_of("nowhere", {}) == "none"

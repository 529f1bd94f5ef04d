"""Lines at a glance where a part of a result is absent: the line goes, or says that nothing was tested."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

import aslant
from aslant.auditing.running import category_of, glances
from aslant.measures.pronouns_chosen.result import UntrainedChoice
from aslant.report.conventions import judged, line
from aslant.report.glance import _found
from aslant.statistics import Chance, against_chance
from aslant.stimuli import WeatSet, load_set
from fake_encoder import FakeEncoder
from fake_lm import FakeMaskedLM
from fake_pronouns import MaskedPronounLM, write_sets
from report_examples import enumeration


@pytest.fixture(scope="module")
def geometry() -> aslant.GeometryResult:  # type: ignore[name-defined]
    return aslant.geometry(aslant.load(top=12_000), seeds=1, classified=200, random_pairs=20)


def test_a_subspace_without_random_pairs_is_not_tested_and_names_no_chance(geometry: aslant.GeometryResult) -> None:  # type: ignore[name-defined]
    subspace = geometry.before.subspace
    [tested] = glances("geometry", [subspace])
    [bare] = glances("geometry", [replace(subspace, random=(), pvalue=None, chance=None)])
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
    untested = replace(residual, neighbours=replace(residual.neighbours, shuffled_pvalue=None, random_poles=None))
    last = glances("geometry", [untested])[-1]
    assert (last.effect, last.pvalue, last.evidence) == (residual.neighbours.correlation, None, "not tested")
    # Shuffled biases of words are no question about these poles: without random poles their p is not evidence.
    assert residual.neighbours.shuffled_pvalue is not None
    shuffled = replace(residual, neighbours=replace(residual.neighbours, random_poles=None))
    assert glances("geometry", [shuffled])[-1].pvalue is None
    short = replace(geometry, before=replace(geometry.before, residual=None))
    assert len(glances("geometry", [geometry])) == len(glances("geometry", [short])) + 3


def test_what_is_left_is_said_of_the_space_that_was_measured(geometry: aslant.GeometryResult) -> None:  # type: ignore[name-defined]
    residual = geometry.before.residual
    assert set(residual.poles) == {"he", "she"}
    first = glances("geometry", [residual])[0]
    assert (first.category, "is taken out" in first.sentence) == (
        "gender",
        residual.clustering.random_poles is not None,
    )
    bare = replace(residual, clustering=replace(residual.clustering, random_poles=None))
    space = residual.provenance.representation
    for original, where in (
        (space, "in the embedding as it is"),
        (replace(space, fingerprint="another"), f"in {space.name}"),
    ):
        assert f" accuracy {where} (" in glances("geometry", [replace(bare, original=original)])[0].sentence
    ages = replace(residual, poles=("old", "young"))
    assert glances("geometry", [ages], {residual.provenance.stimuli: "age"})[0].category == "age"


def test_several_target_sets_have_a_line_each_against_the_rest() -> None:
    jobs, template = ["nurse", "clerk", "engineer", "judge"], "[TARGET] is a [ATTRIBUTE]."
    four = aslant.log_probability_bias(FakeMaskedLM(), template, ("he", "she", "they", "it"), jobs, chance=0)
    lines = glances("logprob", [four])
    assert [(line.stimuli.split(", ")[-1], line.effect) for line in lines] == [
        (contrast.first, contrast.share) for contrast in four.contrasts[6:]
    ]
    assert all(" rather than the rest (" in line.sentence for line in lines)
    # A small p says that attributes agree, not that these targets matter: without chance there is no grade.
    assert all(contrast.pvalue is not None for contrast in four.contrasts[6:])
    assert [(line.pvalue, line.evidence) for line in lines] == [(None, "not tested")] * 4
    two = aslant.log_probability_bias(FakeMaskedLM(), template, ("he", "she"), jobs, chance=0)
    [line] = glances("logprob", [two])
    assert (line.category, " rather than “she” (" in line.sentence) == ("gender", True)
    for share, twin, reached in ((0.2, 0.3, False), (0.2, 0.15, True), (0.8, 0.3, False), (0.6, 0.35, True)):
        contrasts = (replace(two.share, share=share), *two.contrasts[1:])
        [line] = glances("logprob", [replace(two, contrasts=contrasts, twins=(twin,))])
        assert (line.chance is not None) == reached, (share, twin)


def test_untrained_models_reach_a_share_from_one_half_and_other_effects_from_nought(tmp_path: object) -> None:
    result = aslant.pronoun_choice(
        MaskedPronounLM(planted=1),
        write_sets(tmp_path)[0],  # type: ignore[arg-type]
        bootstrap=0,
        n_resamples=99,
    )
    group = result.groups[0]
    group = replace(
        group, preference=replace(group.preference, share=0.2), contrast=replace(group.contrast, difference=0.6)
    )
    twin = UntrainedChoice(share=0.3, contrast=0.4, correlation=None)
    lines = glances("pronoun-choice", [replace(result, groups=(group,), twins=(twin,))])
    assert [line.chance for line in lines] == [None, None, None]
    twin = UntrainedChoice(share=0.8, contrast=-0.6, correlation=None)
    lines = glances("pronoun-choice", [replace(result, groups=(group,), twins=(twin,))])
    assert [line.chance is None for line in lines] == [False, False, True]


def test_an_enumeration_is_graded_by_what_random_words_give_and_not_by_its_strongest_pair() -> None:
    settings: dict[str, Any] = {"words": 2000, "categories": 4, "rotations": 200, "chance": 3}
    found = aslant.enumerate_biases(aslant.load(), groups="religions-four", **settings)
    [line] = glances("enumeration", [found])
    tested = [cell.qvalue for cell in found.cells if cell.tested]
    assert min(tested) <= 0.05
    assert (line.effect, line.pvalue, line.qvalue) == (len(found.significant) / len(tested), None, None)
    assert (line.chance, line.evidence) == (found.chance, "none")  # three draws cannot be evidence
    beyond = against_chance(0.9, [0.5] * 199, "random words in place of names", signed=False)
    [line] = glances("enumeration", [replace(found, chance=beyond)])
    assert (line.evidence, line.sentence[-61:]) == (
        "strong",
        "Larger than 99.5 % of random word sets of the same frequency.",
    )
    [line] = glances("enumeration", [replace(found, chance=None)])
    assert line.evidence == "not tested"
    [empty] = glances("enumeration", [replace(found, cells=(), chance=None)])
    assert (empty.effect, empty.strength, empty.evidence) == (None, None, "not tested")


def test_an_enumeration_says_how_many_pairs_of_which_groups_were_tested() -> None:
    many = enumeration(3, 6)
    assert len(many.not_tested) == 3
    assert len(many.cells) == 18
    [found] = glances("enumeration", [many])
    assert found.sentence.startswith(f"{len(many.significant)} of 15 pairs of a group")
    assert found.sentence.endswith("for 3 groups of names that the vectors themselves form.")
    assert found.category == "several"
    given = against_chance(0.9, [0.5] * 19, "random words in place of names", signed=False)
    for own, names in ((False, "the names"), (True, "the groups' words")):
        result = replace(enumeration(own=own), chance=given)
        [found] = glances("enumeration", [result], {"names": "religion"})
        assert f"; random words in place of {names} give 50 %." in found.sentence
        assert (found.category, "2 groups given" in found.sentence) == ("religion" if own else "several", own)


def test_co_occurrence_has_a_line_for_its_figure_only_where_there_is_one() -> None:
    text = ["She is a nurse.", "He is a clerk.", "She met a cook.", "He saw a cook.", "She and he met."] * 20
    words, contexts = ["nurse", "clerk", "cook"], (["she"], ["he"])
    figure = {"nurse": 90.0, "clerk": 20.0, "cook": 50.0}
    bare, known = (aslant.pmi_bias(text, words, contexts=contexts, figure=f, chance=0) for f in (None, figure))
    assert bare.correlation is None
    assert [line.effect_name for line in glances("pmi", [bare])] == ["log odds"]
    first, second = glances("pmi", [known])
    assert (first.effect, second.effect_name, second.stimuli) == (bare.score, "r", "own, figure")
    assert (second.effect, second.pvalue) == (known.correlation.pearson, known.correlation.pearson_pvalue)


def test_polarity_names_the_word_that_leans_most() -> None:
    classes = {"women": ["she", "woman"], "men": ["he", "man"]}
    found = aslant.polarity(aslant.load(), classes, ["nurse", "engineer", "clerk"], chance=0)
    most = max(found.by_word, key=lambda word: abs(word.score))
    [said] = glances("polarity", [found])
    assert f"“{most.word}” leans most, to {most.leans_to}." in said.sentence


def test_what_word_pieces_explain_is_said_where_less_than_half_is_left_without_them() -> None:
    found = aslant.seat(FakeEncoder(), "weat-7", bootstrap=0, chance=0)

    def said(of_words: float, rest: float | None, **fields: Any) -> str:
        changed = replace(found, effect_size_words=of_words, effect_size_without_pieces=rest, **fields)
        [line] = glances("seat", [changed])
        return line.sentence

    for of_words, rest, told in (
        (1.0, 0.5, False), (1.0, 0.49, True), (-1.0, -0.49, True), (-1.0, -0.6, False), (0.1, 0.0, False),
        (-2.0, 0.7, True), (2.0, 0.6, True), (1.0, None, False),
    ):  # fmt: skip
        assert ("without the number of word pieces" in said(of_words, rest)) == told, (of_words, rest)
    reached = said(0.1, None, effect_size=0.9, twins=(0.2, 0.3, 0.4))
    assert "untrained" not in reached, "chance is of the effect size over sentences"
    assert "untrained" in said(5.0, None, effect_size=0.3, twins=(0.2, 0.3, 0.4))


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
    assert "against the direction that the test asks about. " in line.sentence
    [line] = glances("weat", [replace(found, effect_size=-0.9, alternative="two-sided")])
    assert "against the direction" not in line.sentence


def test_the_lines_of_an_audit_are_judged_together_and_by_the_weaker_of_both_answers() -> None:
    def drawn(pvalue: float) -> Chance:
        return Chance("matched words", 0.0, 1.0, -2.0, 2.0, pvalue, 2000)

    given = [(0.001, 0.001), (0.001, 0.3), (0.6, 0.001), (None, 0.001), (0.001, None), (None, None)]
    lines = [
        line("gender", "", 0.9, "d", "Said.", pvalue=own, chance=None if chance is None else drawn(chance))
        for own, chance in given
    ]
    found = judged(lines)
    assert [f.evidence for f in found] == ["strong", "none", "none", "strong", "strong", "not tested"]
    assert [f.qvalue for f in found] == pytest.approx([0.001 * 4 / 3, 0.001 * 4 / 3, 0.6, None, 0.001 * 4 / 3, None])
    assert [f.chance_qvalue for f in found[:4]] == pytest.approx([0.001 * 4 / 3, 0.3, 0.001 * 4 / 3, 0.001 * 4 / 3])
    assert lines[0].sentence == "Said. Larger than 99.9 % of random word sets of the same frequency."
    assert lines[1].sentence == "Said. Random word sets of the same frequency reach as much in 30 % of draws."
    many = [line("gender", "", 0.9, "d", "Said.", pvalue=0.03, chance=drawn(0.5))] * 10
    assert judged([lines[0], *many])[0].qvalue == pytest.approx(0.011)
    assert judged([]) == []


def test_a_line_whose_chance_could_not_be_drawn_is_not_graded() -> None:
    v = aslant.load()
    own = v.lookup(load_set("weat-3", WeatSet).words)
    small = aslant.WordVectors.from_arrays(own.tokens, own.vectors)
    for vectors, evidence in ((v, "none"), (small, "not tested")):
        found = aslant.weat(vectors, "weat-3", chance=200)
        assert found.pvalue < 0.01
        [said] = judged(glances("weat", [found]))
        assert said.evidence == evidence
    assert found.chance is None
    assert said.sentence.endswith(" No chance level: too few other words.")
    assert said.untested == "no chance level: too few other words"
    [unasked] = glances("weat", [aslant.weat(small, "weat-3", chance=0)])
    assert (unasked.evidence, unasked.untested) == ("strong", "")
    [not_sure] = glances("weat", [replace(found, pvalue=0.4)])
    assert not_sure.evidence == "none", "its own test says so"


def test_what_no_draw_reaches_is_not_graded_where_the_draws_are_too_few_for_so_many_lines() -> None:
    def lines(draws: int, reached: int = 0) -> list[Any]:
        first = against_chance(1.0, [2.0] * reached + [0.1] * (draws - reached), signed=False)
        said = line("gender", "subspace", 1.0, "share", "Said.", 0.001, chance=first)
        rest = line("gender", "other", 1.0, "d", "Said.", 0.001, chance=against_chance(1.0, [2.0] * 99))
        return judged([said, *[rest] * 18])

    few, enough, reached = lines(200)[0], lines(1999)[0], lines(200, 1)[0]
    assert few.chance_qvalue == pytest.approx(19 / 201)
    assert (few.evidence, few.untested) == ("not tested", "too few draws to tell among 19 lines")
    assert few.sentence.endswith("Too few draws to tell among 19 lines.")
    assert (enough.evidence, enough.untested) == ("strong", "")
    assert (reached.evidence, reached.untested) == ("none", ""), "one of 200 did reach it"
    assert _found(lines(200)) == (
        "No line passes after allowing for 18 lines: none stands out from what random words of the same frequency, or "
        "the same words reassigned at random, give. 1 line not graded: too few draws to tell among 19 lines."
    )


def test_the_category_of_a_set_is_the_users_that_of_what_ships_or_none() -> None:
    assert category_of("weat-3", {"weat-3": "mine"}) == "mine"
    assert category_of("weat-3", {"weat-6": "mine"}) == "race"
    assert category_of("nowhere", {}) == "none"


def test_a_line_without_an_effect_or_without_chance_is_not_in_standard_deviations_of_it() -> None:
    chance = Chance("matched words", 0.5, 0.25, 0.0, 1.0, 0.01, 99)
    made = line("gender", "mine", 1.5, "d", "A large effect.", chance=chance)
    assert made.standardised == 4.0
    assert replace(made, effect=None).standardised is None
    assert replace(made, chance=None).standardised is None

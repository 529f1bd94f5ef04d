"""What chance gives on language models: checked against slow loops, on models whose probabilities are known."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import replace as replaced
from statistics import mean
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest
from msgspec.structs import replace

import aslant
from aslant.measures.association.show import glance
from aslant.measures.sentence_tests.chance import ranks
from aslant.measures.template_tests import show
from aslant.measures.template_tests.chance import POOL, SEVERAL, _alike, drawn_rows, names_chance, pool_of
from aslant.measures.template_tests.stimuli import Prompt
from aslant.models.protocols import Sentence
from aslant.report.tables import number
from aslant.statistics import draw_matched
from aslant.stimuli import TemplateSet, WordList, load_set
from fake_lm import FakeCausalLM, FakeMaskedLM, ListedLM


def with_attributes(first: Sequence[str], second: Sequence[str], name: str = "own") -> TemplateSet:
    attributes = (WordList("A", tuple(first)), WordList("B", tuple(second)))
    return replace(load_set("career-family", TemplateSet), id=name, attributes=attributes)


def with_known_attributes() -> TemplateSet:
    return with_attributes(ListedLM.ordered_words[120:124], ListedLM.ordered_words[200:203])


@pytest.mark.parametrize("published", [False, True])
def test_chance_of_a_test_is_the_effect_size_of_words_drawn_from_the_scored_pool(published: bool) -> None:
    lm, test = ListedLM(), with_known_attributes()
    result = aslant.log_probability_weat(lm, test, chance=40, rng=3, as_published=published)
    assert result.chance is not None
    rank = {word: place for place, word in enumerate(lm.ordered_words)}
    stimuli = [word for group in test.attributes for word in group.words]
    pool = [rank[word] for word in pool_of(lm, "en") if word not in stimuli]
    drawn = draw_matched([rank[word] for word in stimuli], np.array(pool), 40, np.random.default_rng(3))
    sizes = []
    for places in drawn:
        words = [lm.ordered_words[place] for place in places]
        asked = aslant.log_probability_weat(lm, with_attributes(words[:4], words[4:]), chance=0, as_published=published)
        assert asked.chance is None
        sizes.append(asked.effect_size)
    assert result.chance.mean == pytest.approx(mean(sizes))
    reached = sum(abs(size) >= abs(result.effect_size) for size in sizes)
    assert (result.chance.pvalue, result.chance.draws) == (pytest.approx((1 + reached) / 41), 40)


def test_a_suite_scores_one_pool_for_all_tests_with_the_same_templates_and_says_how_large_it_is() -> None:
    lm, words = ListedLM(), ListedLM.ordered_words
    tests = [
        with_attributes(words[start : start + 3], words[start + 3 : start + 6], f"at {start}")
        for start in (50, 150, 250)
    ]
    suite = aslant.log_probability_suite(lm, tests)
    pool = len(pool_of(lm, "en"))
    assert 100 < pool <= POOL
    assert len(lm.asked) == 8 * (pool + 18)  # he and she twice; boys, men, girls, women
    for result in suite.results:
        assert result.chance is not None
        assert result.provenance.settings["pool"] == pool
        assert f"{pool} words; " in result.notes[-1]


def test_results_do_not_depend_on_the_other_tests_of_a_suite() -> None:
    test = with_known_attributes()
    alone = aslant.log_probability_weat(ListedLM(), test)
    suite = aslant.log_probability_suite(ListedLM(), ["career-family", test])
    assert suite.results[1] == alone


def test_chance_changes_no_other_number_and_a_model_without_a_word_list_draws_english_words() -> None:
    test = with_known_attributes()
    with_chance, without = (aslant.log_probability_weat(ListedLM(), test, chance=n) for n in (2_000, 0))
    plain = aslant.log_probability_weat(FakeMaskedLM(), test)
    assert (with_chance.effect_size, with_chance.pvalue) == (without.effect_size, without.pvalue)
    assert (without.chance, plain.effect_size) == (None, without.effect_size)
    assert plain.chance is not None
    assert set(pool_of(FakeMaskedLM(), "en")) < set(ranks())
    assert pool_of(FakeMaskedLM(), "de") == ()


def test_a_word_is_replaced_by_one_of_as_many_pieces_where_the_pool_has_enough_of_them() -> None:
    lm, english = ListedLM(), tuple(ranks())
    pool = (*lm.ordered_words[:60], *english[500:540], *english[900:905])
    pieces = np.repeat([1, 2, 3], [60, 40, 5])
    replaced, own = (*lm.ordered_words[80:84], "two pieces", "two more", "in three pieces"), [1, 1, 1, 1, 2, 2, 3]
    rows = drawn_rows(lm, (pool, pieces), (replaced, own), (english[501],), 50, np.random.default_rng(0))
    assert rows is not None
    drawn = pieces[rows]
    assert set(drawn[:, :4].flat) == {1}
    assert set(drawn[:, 4:].flat) == {2, 3}  # five words of three pieces are too few by themselves
    assert all(len(set(row)) == len(own) for row in rows.tolist())
    assert 61 not in rows  # one of the stimuli


@pytest.mark.parametrize("other", [90, None], ids=["a rarer word", "a word that is not listed"])
def test_the_commonest_word_of_all_is_replaced_by_common_ones_and_so_is_a_word_beside_it_that_is_not_listed(
    other: int | None,
) -> None:
    lm = ListedLM()
    replaced = (lm.ordered_words[0], "qzxv" if other is None else lm.ordered_words[other])
    pool = (lm.ordered_words[1:150], np.ones(149))
    rows = drawn_rows(lm, pool, (replaced, [1, 1]), (), 50, np.random.default_rng(0))
    assert rows is not None
    assert rows[:, 0].max() < 25
    assert bool(rows[:, 1].max() < 25) == (other is None)


def test_words_of_several_pieces_are_drawn_apart_where_enough_is_left_for_those_of_fewer() -> None:
    pieces, pool = np.repeat([1, 2], [1, 12]), np.repeat([1, 2], [20, 40])
    assert [own.tolist() for own, _ in _alike(pieces, pool)] == [list(range(1, 13)), [0]]
    assert [own.tolist() for own, _ in _alike(pieces, pool[1:])] == [list(range(13))]  # 19 words cannot stand for one


def test_a_model_that_lists_its_words_is_asked_more_words_where_attributes_have_several_pieces() -> None:
    one, more = (set(pool_of(ListedLM(), "en", several=several)) for several in (False, True))
    assert one < more
    assert len(more - one) == SEVERAL
    test = with_attributes((*ListedLM.ordered_words[120:123], "two pieces"), ListedLM.ordered_words[200:204])
    assert aslant.log_probability_weat(ListedLM(), test).provenance.settings["pool"] == len(more)


def drawn_words(lm: ListedLM, attributes: Sequence[str], stimuli: Sequence[str]) -> list[list[str]]:
    rank = {word: place for place, word in enumerate(lm.ordered_words)}
    pool = np.array([rank[word] for word in pool_of(lm, "en") if word not in {*attributes, *stimuli}])
    drawn = draw_matched([rank[word] for word in attributes], pool, 20, np.random.default_rng(3))
    return [[lm.ordered_words[place] for place in places] for places in drawn]


def test_chance_of_a_weat_in_templates_is_the_effect_size_of_words_drawn_in_place_of_the_attributes() -> None:
    lm, test = ListedLM(), with_known_attributes()
    found = aslant.template_weat(lm, test, chance=20, rng=3)
    words = [word for group in test.attributes for word in group.words]
    sets = drawn_words(lm, words, ())
    sizes = [aslant.template_weat(lm, with_attributes(w[:4], w[4:]), chance=0).effect_size for w in sets]
    assert found.chance is not None
    assert found.chance.mean == pytest.approx(mean(sizes))
    assert found.row()["chance_pvalue"] == (1 + sum(abs(d) >= abs(found.effect_size) for d in sizes)) / 21


def test_chance_of_a_weat_with_masks_is_the_effect_size_of_words_drawn_in_place_of_the_attributes() -> None:
    lm, words = ListedLM(), ListedLM.ordered_words
    sets: dict[str, Any] = {"targets": (words[:4], words[10:14]), "templates": "[TARGET] likes [ATTRIBUTE]"}
    how: dict[str, Any] = {**sets, "bootstrap": 0, "equalise": False}
    found = aslant.masked_weat(lm, attributes=(words[120:124], words[200:203]), chance=20, rng=3, **how)
    drawn = drawn_words(lm, (*words[120:124], *words[200:203]), (*words[:4], *words[10:14]))
    sizes = [aslant.masked_weat(lm, attributes=(w[:4], w[4:]), chance=0, **how).effect_size for w in drawn]
    assert found.chance is not None
    assert found.chance.mean == pytest.approx(mean(sizes))


def test_the_table_has_the_range_and_the_glance_speaks_of_it() -> None:
    result = aslant.log_probability_weat(ListedLM(), with_known_attributes())
    table = show.tests_in_templates(result)
    assert [column.title for column in table.columns if column.key.startswith("chance")] == ["chance", "p (chance)"]
    assert any("random word sets scored in the same templates" in note for note in table.notes)
    (line,) = glance(result, lambda name: "gender")
    assert line.chance == result.chance
    assert "scored in the same templates" in line.sentence


def test_chance_of_a_share_is_the_share_between_two_names_of_one_gender() -> None:
    lm, attributes = ListedLM(unknown=("James", "Mary")), ListedLM.ordered_words[:37]
    result = aslant.log_probability_bias(lm, targets=(["he"], ["she"]), attributes=attributes, chance=6)
    men, women = ("Michael", "Robert", "John"), ("Jennifer", "Linda", "Patricia")  # the most frequent that it knows
    shares = [
        aslant.log_probability_bias(lm, targets=([first], [second]), attributes=attributes, chance=0).share.share
        for names in (men, women) for first, second in itertools.combinations(names, 2)
    ]  # fmt: skip
    chance = result.chance
    assert chance is not None
    away = [abs(share - 0.5) for share in shares]
    reached = sum(size >= abs(result.share.share - 0.5) - 1e-9 for size in away)
    assert (chance.draws, chance.pvalue) == (6, pytest.approx((1 + reached) / 7))
    assert (chance.low, chance.mean, chance.high) == pytest.approx(
        (0.5 - np.quantile(away, 0.95), 0.5, 0.5 + np.quantile(away, 0.95))
    )


@pytest.mark.parametrize("share", [0.5, 0.55, 0.3, 0.95])
def test_the_pvalue_of_a_share_compares_distances_from_one_half(share: float) -> None:
    association = np.random.default_rng(1).normal(size=(20, 2, 6))
    prompts = (Prompt("[TARGET] is [ATTRIBUTE]", (("he",), ("she",))),)

    def asks(asked: tuple[Prompt, ...], attributes: tuple[str, ...]) -> Any:
        assert len(asked[0].targets) == 6  # three names of each gender
        return SimpleNamespace(association=association)

    found = names_chance(ListedLM(), prompts, ("a", "b"), share, 6, asks)
    means = association.mean(axis=1)
    pairs = [pair for side in ((0, 1, 2), (3, 4, 5)) for pair in itertools.combinations(side, 2)]
    away = np.array([np.mean([row[i] >= row[j] for row in means]) - 0.5 for i, j in pairs])
    assert found is not None
    chance, reach = found
    assert chance.pvalue == (1 + sum(abs(away) >= abs(share - 0.5) - 1e-9)) / 7
    assert (chance.mean, chance.sd) == (0.5, pytest.approx(np.sqrt((away**2).mean())))
    scores = np.array([means[:, i] - means[:, j] for i, j in pairs])
    assert np.mean(abs(scores) <= reach) == pytest.approx(0.95, abs=0.01)
    two = names_chance(
        ListedLM(), prompts, ("a",), share, 2, lambda *_: cast(Any, SimpleNamespace(association=association[:, :, :4]))
    )
    assert two is not None
    assert two[0].draws == 2


def test_the_pool_goes_from_the_hundredth_word_to_the_rarest_evenly_by_log_rank() -> None:
    def pool(size: int) -> list[int]:
        words = tuple(map(str, range(size)))
        lm = SimpleNamespace(ordered_words=words, in_vocabulary=lambda word: word != "150")
        return [int(word) for word in pool_of(lm, "en")]

    assert pool(POOL) == [i for i in range(POOL) if i != 150]
    found = pool(30_000)
    assert (found[0], len(found) <= POOL, found == sorted(set(found))) == (100, True, True)
    ratio = (30_000 / 101) ** (1 / POOL)
    assert found[-1] == int(101 * ratio ** (POOL - 1)) - 1
    np.testing.assert_allclose(np.diff(np.log(np.array(found[-20:]) + 1)), np.log(ratio), rtol=0.02)
    assert pool(POOL + 1)[0] == 100


def test_of_a_long_list_sixty_attributes_at_most_are_scored_with_names() -> None:
    lm = ListedLM()
    result = aslant.log_probability_bias(lm, targets=(["he"], ["she"]), attributes=lm.ordered_words)
    with_names = {sentence.attribute for sentence in lm.asked if sentence.target not in ("he", "she")}
    assert len(with_names) == 60
    assert result.chance is not None
    assert result.chance.draws == 132


def test_names_never_stand_in_for_themselves() -> None:
    lm, attributes = ListedLM(), ListedLM.ordered_words[:5]
    assert aslant.log_probability_bias(FakeMaskedLM(), targets=("he", "she"), attributes=attributes).chance is None
    before = len(lm.asked)
    aslant.log_probability_bias(lm, targets=("Michael", "Mary"), attributes=attributes, chance=6)
    assert {s.target for s in lm.asked[before + 10 :]}.isdisjoint(("Michael", "Mary"))


def test_each_contrast_of_three_classes_is_compared_with_names_and_with_untrained_models() -> None:
    words = ListedLM.ordered_words[:7]

    class WithTwins(ListedLM):
        def untrained(self, seed: int) -> FakeCausalLM:
            return FakeCausalLM()

    lm = WithTwins()
    result = aslant.log_probability_bias(lm, targets=("he", "she", "they"), attributes=words, chance=12, twins=2)
    names = list(dict.fromkeys(s.target for s in lm.asked if s.target not in ("he", "she", "they")))
    assert len(names) == 8  # four of men, four of women: twelve pairs
    template = "[TARGET] is a [ATTRIBUTE]."
    score = np.array([[_log_ratio(lm, template, name, word) for name in names] for word in words])
    pairs = [(i, [j]) for start in (0, 4) for i, j in itertools.combinations(range(start, start + 4), 2)]
    rest = [
        (i, list(others))
        for start in (0, 4)
        for i in range(start, start + 4)
        for others in itertools.combinations([j for j in range(start, start + 4) if j != i], 2)
    ]
    for found in result.contrasts:
        sets = rest if found.second == "the rest" else pairs
        shares = [(score[:, i] >= score[:, others].mean(axis=1)).mean() for i, others in sets]
        reached = sum(abs(share - 0.5) >= abs(found.share - 0.5) - 1e-9 for share in shares)
        assert found.chance is not None
        assert (found.chance.draws, found.chance.reached) == (len(sets), reached)
        assert len(found.twins) == 2
    assert (result.chance, result.twins) == (result.contrasts[0].chance, result.contrasts[0].twins)
    lines = show.glance(result, lambda name: "gender")
    assert [line.stimuli for line in lines] == ["own, he", "own, she", "own, they"]
    assert [line.effect for line in lines] == [c.share for c in result.contrasts[3:]]


def _log_ratio(lm: ListedLM, template: str, target: str, attribute: str) -> float:
    score = lm._score(Sentence(template, target, attribute), "target")
    return score.target - score.prior


def test_targets_that_bring_their_verb_are_compared_with_names_that_do() -> None:
    lm = ListedLM()
    aslant.log_probability_bias(
        lm, "[TARGET] [ATTRIBUTE].", ("he is a", "they are a"), ListedLM.ordered_words[:3], chance=6
    )
    assert {s.target.partition(" ")[2] for s in lm.asked if not s.target.startswith("they")} == {"is a"}
    assert any(s.target == "Michael is a" for s in lm.asked)


def test_a_share_is_graded_by_chance_and_its_sentence_says_so() -> None:
    result = aslant.log_probability_bias(ListedLM(), targets=("he", "she"), attributes=ListedLM.ordered_words[:40])
    (line,) = show.glance(result, lambda name: "gender")
    assert line.chance == result.chance
    assert line.evidence == "none"
    assert "airs of first names of one gender" in line.sentence
    beyond = replaced(result, chance=replaced(result.chance, pvalue=0.008))
    (line,) = show.glance(replaced(beyond, contrasts=(replaced(result.share, pvalue=0.2),)), lambda name: "gender")
    assert (line.evidence, line.pvalue) == ("none", 0.2)  # the test over attributes is the weaker
    (line,) = show.glance(beyond, lambda name: "gender")
    assert line.evidence == "strong"
    assert "Farther from one half than 99.2 % of pairs of first names of one gender." in line.sentence
    assert any("p (chance) = 0.008" in note for note in show.scores_table(beyond).notes)


def test_sets_that_differ_in_word_pieces_say_so_with_the_effect_among_words_of_one_piece() -> None:
    words = ListedLM.ordered_words
    first, second = (*words[120:123], "two pieces"), words[200:204]
    result = aslant.log_probability_weat(ListedLM(), with_attributes(first, second))
    without = aslant.log_probability_weat(ListedLM(), with_attributes(first[:3], second))
    assert result.pieces == (1.25, 1.0)
    assert result.effect_size_one_piece == pytest.approx(without.effect_size)
    (said,) = (note for note in show.tests_in_templates(result).notes if "word pieces on average" in note)
    among = f"d among attributes of one piece is {number(without.effect_size)}."
    assert said == f"own: word pieces on average: 'A' 1.2, 'B' 1.0; {among}"
    assert not any("pieces on average" in note for note in show.tests_in_templates(without).notes)

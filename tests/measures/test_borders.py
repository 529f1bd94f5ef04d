"""What is just refused, and what is just accepted, where measures have borders."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import aslant
import survey_examples
from aslant.errors import AslantError, MeasureError
from aslant.measures.association.multi_group import group_terms
from aslant.measures.descriptors.stimuli import holistic_set
from aslant.measures.enumeration.result import IndirectBias, PotentialProxy
from aslant.measures.pronouns_resolved.gap_files import _span
from aslant.measures.pronouns_resolved.statistics import log_losses
from aslant.measures.residuals.separation import check_gamma, classification_accuracy
from aslant.measures.set_scores import draws
from aslant.measures.shared.suite import chosen_test
from aslant.measures.template_tests import scoring
from fake_lm import FakeMaskedLM
from fake_pronouns import write_pairs
from fake_texts import FakeTexts
from kept_examples import MORE, SETS, WORDS, A, B, X, Y, vectors
from made_sets import write_holistic

PAIRS = list(zip(X[:4], Y[:4], strict=True))


@pytest.mark.parametrize("given", [{"all_targets": np.eye(2)}, {"all_attributes": np.eye(2)}, {}])
def test_one_group_alone_needs_both_to_be_compared_with(given: dict[str, Any]) -> None:
    with pytest.raises(MeasureError, match="one group alone"):
        group_terms([np.eye(2)], [np.eye(2)], **given)


def test_one_group_with_both_is_compared() -> None:
    found = group_terms([np.eye(2)[:1]], [np.eye(2)[:1]], all_targets=np.eye(2), all_attributes=np.eye(2))
    assert found.tolist() == [0.5]


@pytest.mark.parametrize(("offset", "said"), [("3", "the text has 'd'"), ("4", "ended"), ("9", "ended")])
def test_a_word_at_the_end_of_a_text_is_told_from_one_beyond_it(offset: str, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        _span("abcd", "x", offset, "A")
    assert _span("abcd", "d", "3", "A") == (3, 4)


def test_the_loss_of_a_certain_answer_is_not_minus_zero() -> None:
    [loss] = log_losses(np.array([[1.0, 0.0]]), np.array([0]))
    assert str(loss) == "0.0"


@pytest.mark.parametrize("training", [0, 1, 8, 10])
def test_a_classifier_needs_words_of_both_sides_to_learn_from_and_others_to_tell(training: int) -> None:
    with pytest.raises(MeasureError, match=f"{training} of 8 words cannot train"):
        classification_accuracy(np.eye(8), np.arange(8) < 4, training, np.random.default_rng(0))


@pytest.mark.parametrize("training", [2, 3, 6, 7])
def test_a_classifier_learns_from_two_words_and_from_all_but_two(training: int) -> None:
    vectors = np.where(np.arange(8) < 4, 1.0, -1.0)[:, None] * np.ones((8, 2))
    assert classification_accuracy(vectors, np.arange(8) < 4, training, np.random.default_rng(0)) == 1.0


@pytest.mark.parametrize("gamma", ["scale", "auto", 1e-9, 2, np.float32(3)])
def test_kernel_widths_are_words_or_numbers_above_nought(gamma: Any) -> None:
    check_gamma(gamma)


@pytest.mark.parametrize("gamma", ["wide", 0, -1, float("inf"), float("nan"), True, None])
def test_other_kernel_widths_are_refused(gamma: Any) -> None:
    with pytest.raises(MeasureError, match="gamma="):
        check_gamma(gamma)


@pytest.mark.parametrize(
    "given",
    [
        {"test": None}, {"test": "weat-6", "targets": (["a"], ["b"])}, {"test": None, "targets": (["a"], ["b"])},
        {"test": None, "attributes": (["a"], ["b"])}, {"test": 7}, {"test": "weat-6", "attributes": (["a"], ["b"])},
    ],
)  # fmt: skip
def test_a_test_is_named_or_made_of_both_kinds_of_words(given: dict[str, Any]) -> None:
    with pytest.raises(MeasureError):
        chosen_test(**given)


def test_a_folder_in_reach_comes_before_a_data_set_of_its_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "holisticbias").mkdir()
    write_holistic(tmp_path / "holisticbias")
    monkeypatch.chdir(tmp_path)
    assert {descriptor.axis for descriptor in holistic_set("holisticbias").descriptors} >= {"age", "nonce"}


def test_progress_over_several_portions_goes_on_where_the_last_one_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scoring, "SENTENCES_AT_ONCE", 4)
    told: list[tuple[int, int]] = []
    words = ["nurse", "clerk", "cook", "pilot", "judge"]
    aslant.log_probability_bias(
        FakeMaskedLM(), targets=["he", "she"], attributes=words, chance=0,
        progress=lambda step, done, total: told.append((done, total)),
    )  # fmt: skip
    assert told == [(4, 10), (8, 10), (10, 10)]


@pytest.mark.parametrize(
    ("words", "method"), [(40, "auto"), (41, "dynamic programming"), (250, "dynamic programming"), (251, "auto")]
)
def test_sets_of_a_middling_size_are_compared_by_the_quickest_method(
    words: int, method: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []
    monkeypatch.setattr(draws, "partition_pvalue", lambda *sets, method, **rest: asked.append(method))
    draws.means_pvalue(np.zeros(words - 4), np.zeros(4), 9, np.random.default_rng(0))
    assert asked == [method]


@pytest.mark.parametrize(("group", "category"), [(2, 0), (0, 3), (-1, 0)])
def test_cells_belong_to_groups_and_categories_that_exist(group: int, category: int) -> None:
    whole = survey_examples.enumeration(2, 3)
    cells = (replace(whole.cells[0], group=group, category=category), *whole.cells[1:])
    with pytest.raises(ValueError, match="does not exist"):
        replace(whole, cells=cells)
    with pytest.raises(ValueError, match="order"):
        replace(whole, ordering=(0, 1, 3))
    with pytest.raises(ValueError, match="one token for each name"):
        replace(whole, groups=(replace(whole.groups[0], tokens=whole.groups[0].tokens[1:]), *whole.groups[1:]))


@pytest.mark.parametrize(
    ("groups", "categories"), [((0, 2), (0, 1)), ((0, 1), (0, 3)), ((-1, 1), (0, 1)), ((2, 1), (3, 1))]
)
def test_proxies_belong_to_groups_and_categories_that_exist(groups: Any, categories: Any) -> None:
    whole = survey_examples.enumeration(2, 3)
    words = ((("a",), ("b",)), (("c",), ("d",)))
    sound = PotentialProxy((0, 1), (0, 2), words, 0.5)
    assert replace(whole, indirect_bias=IndirectBias(2, 2, (sound,))).indirect_bias.aligned == 2
    wrong = PotentialProxy(groups, categories, words, 0.5)
    with pytest.raises(ValueError, match="a proxy belongs to"):
        replace(whole, indirect_bias=IndirectBias(2, 2, (sound, wrong)))


@pytest.mark.parametrize("bootstrap", [0, 1])
def test_one_resample_makes_an_interval_and_none_makes_none(bootstrap: int) -> None:
    found = aslant.weat(aslant.load(), "weat-7", bootstrap=bootstrap, chance=0)
    assert (found.interval is not None) == bool(bootstrap)


@pytest.mark.parametrize(("name", "low", "high"), [("bootstrap", 0, 100_000), ("chance", 0, 100_000)])
def test_numbers_of_draws_have_limits_that_are_themselves_accepted(name: str, low: int, high: int) -> None:
    from aslant.measures.association.settings import WeatSettings

    assert [getattr(WeatSettings(**{name: value}), name) for value in (low, high)] == [low, high]  # type: ignore[arg-type]
    for value in (low - 1, high + 1, 1.5, True):
        with pytest.raises(AslantError, match=name):
            WeatSettings(**{name: value})  # type: ignore[arg-type]


V = vectors()
TEXTS = {"first": [" ".join(X)], "second": [" ".join(Y)]}
CLASSES = {"x": X, "y": Y}
PLAN = aslant.make_survey(survey_examples.enumeration(), rng=1)
REFUSED: dict[str, tuple[Any, str]] = {
    "no groups": (lambda: aslant.enumerate_biases(V, groups=None), "are not groups"),
    "true groups": (lambda: aslant.enumerate_biases(V, WORDS, groups=True), "groups"),
    "half a group": (lambda: aslant.enumerate_biases(V, groups=2.5), "are not groups"),
    "one group": (lambda: aslant.enumerate_biases(V, groups={"x": X}), "at least two"),
    "a word in two groups": (lambda: aslant.enumerate_biases(V, groups={"x": X, "y": X}), "only one of"),
    "pairs and a number": (lambda: aslant.compare_pairs(measured_pairs(), 3), "takes two results"),  # type: ignore[arg-type]
    "a number and pairs": (lambda: aslant.compare_pairs(3, measured_pairs()), "takes two results"),  # type: ignore[arg-type]
    "true strictness": (lambda: direct(True), "strictness"),
    "a word as strictness": (lambda: direct("much"), "strictness"),
    "no strictness": (lambda: direct(0), "strictness"),
    "too much strictness": (lambda: direct(100.1), "strictness"),
    "a figure that is a number": (lambda: wefat(figure=3), "figure"),
    "a name of a figure of own words": (lambda: wefat(figure="share"), "figure"),
    "figures of other words": (lambda: wefat(figure={"tea": 1.0}), ""),
    "a figure that is not finite": (lambda: wefat(figure={MORE[0]: float("inf")}), ""),
    "a figure that is a word": (lambda: wefat(figure={MORE[0]: "much"}), ""),
    "no group of words": (lambda: aslant.generalised_weat(V, [], []), ""),
    "more groups than attributes": (lambda: aslant.generalised_weat(V, [X, Y], [A]), "one each"),
    "ratings that begin too low": (lambda: aslant.score_survey(PLAN, answers(), offensive_from=0.9), "offensive_from"),
    "ratings that begin too high": (lambda: aslant.score_survey(PLAN, answers(), offensive_from=9), "offensive_from"),
    "a survey that is none": (lambda: aslant.score_survey(3, answers()), ""),  # type: ignore[arg-type]
    "no answers": (lambda: aslant.score_survey(PLAN, []), ""),
    "tokens of one class": (lambda: polarity(TEXTS, tokens={"x": X}), ""),
    "too few sources": (lambda: polarity([X[0], Y[0]], sources=["one"]), "source"),
    "a source that is a word": (lambda: polarity([X[0], Y[0]], sources="one"), ""),
    "no texts": (lambda: polarity([]), ""),
    "texts without a known word": (lambda: polarity(["unheard of"]), ""),
    "a text that is a number": (lambda: polarity([3]), ""),
    "a model that scores nothing": (lambda: aslant.holistic_bias(object()), ""),
    "a model that answers nothing": (lambda: aslant.bbq(object()), ""),
    "a model that writes nothing": (lambda: aslant.generate_texts(object(), ["a"]), "does not write"),
    "an axis that is not there": (lambda: holistic(axes="weather"), "there is no axis"),
    "no model of sentences": (lambda: aslant.sentence_pairs(object()), ""),
    "three groups of names": (lambda: aslant.intersectional_bias(V, {"a": X, "b": Y, "c": A}, MORE), ""),
    "a set too rarely found": (lambda: aslant.weat(V, **SETS, min_found=0.99), ""),
    "a word without vector": (lambda: aslant.indirect_bias(V, "unheard", A[0], direction=PAIRS, words=A), ""),
    "a direction of one pair of the same": (lambda: aslant.gender_subspace(V, [(X[0], X[0])]), ""),
    "too many components": (lambda: aslant.gender_subspace(V, PAIRS, components=0), ""),
    "no rated pairs": (lambda: aslant.word_similarity(V, []), ""),
    "rated pairs that are not found": (lambda: aslant.word_similarity(V, [("un", "heard", 1.0)] * 5), ""),
    "no class words": (lambda: aslant.polarity(V, {"x": ["unheard"], "y": Y}, words=A), ""),
    "one class": (lambda: aslant.polarity(V, {"x": X}, words=A), ""),
    "three classes as two": (lambda: aslant.polarity(V, {"x": X, "y": Y, "m": MORE}, words=A), ""),
    "one space to compare": (lambda: aslant.compare_polarity([V], CLASSES, words=A), ""),
    "one year": (lambda: aslant.polarity_trend({1900: V}, CLASSES, words=A), ""),
    "a year that is a word": (lambda: aslant.polarity_trend({"then": V, "now": V}, CLASSES, words=A), "is not a year"),
    "a word on both sides": (lambda: pmi(contexts=(X, X)), ""),
    "contexts that are not there": (lambda: pmi(contexts=(["tea"], ["milk"])), ""),
    "a word that is a context": (lambda: pmi(words=[X[0]]), ""),
    "no such score": (lambda: aslant.word_set_scores(V, [], scores=["weight"]), ""),
    "no scores": (lambda: aslant.word_set_scores(V, [], scores=[]), ""),
    "three targets": (lambda: aslant.ect(V, targets=(X, Y, MORE), attributes=A), ""),
    "a true year": (lambda: aslant.polarity_trend({True: V, 1900: V}, CLASSES, words=A), "is not a year"),
    "no attributes": (lambda: aslant.same(V, targets=(X, Y), attributes=A), ""),
    "a template with another slot": (lambda: template("[TARGET] is [THING]."), "THING"),
    "a template without slots": (lambda: template("he is it"), "has no"),
    "no templates": (lambda: template([]), ""),
    "no targets": (lambda: aslant.log_probability_bias(FakeMaskedLM(), targets=[], attributes=["a"]), ""),
    "one target": (lambda: aslant.log_probability_bias(FakeMaskedLM(), targets=["he"], attributes=["a"]), ""),
    "no words to score": (
        lambda: aslant.log_probability_bias(FakeMaskedLM(), targets=["he", "she"], attributes=[]),
        "",
    ),
}


def measured_pairs() -> Any:
    return aslant.sentence_pairs(FakeMaskedLM(), write_pairs(Path()), bootstrap=0, n_resamples=9, twins=0)


def answers() -> Any:
    return survey_examples.exam_answers(PLAN, "one", 9)


def direct(strictness: Any) -> Any:
    return aslant.direct_bias(V, A, direction=PAIRS, strictness=strictness, chance=0)


def wefat(figure: Any) -> Any:
    return aslant.wefat(V, MORE, attributes=(A, B), figure=figure, chance=0)


def polarity(texts: Any, **more: Any) -> Any:
    return aslant.text_polarity(V, texts, classes=CLASSES, bootstrap=0, chance=0, n_resamples=9, **more)


def holistic(**more: Any) -> Any:
    return aslant.holistic_bias(FakeTexts(), write_holistic(Path()), chance=0, **more)


def pmi(words: Any = A, contexts: Any = (X, Y)) -> Any:
    text = [" ".join([*X, *A, *Y])] * 12
    return aslant.pmi_bias(text, words, contexts=contexts, bootstrap=0, chance=0)


def template(text: Any) -> Any:
    return aslant.log_probability_bias(FakeMaskedLM(), text, targets=["he", "she"], attributes=["nurse"], chance=0)


@pytest.mark.parametrize("name", REFUSED)
def test_what_makes_no_sense_is_refused(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    call, said = REFUSED[name]
    with pytest.raises(AslantError, match=said or "."):
        call()


def test_what_is_nearly_refused_is_measured(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert direct(100).value >= 0
    assert direct(1e-9).value > 0
    assert wefat({MORE[0]: 1.0, MORE[1]: 2, "tea": 0.5})
    assert aslant.score_survey(PLAN, answers(), offensive_from=1).kind == "survey"
    assert aslant.score_survey(PLAN, answers(), offensive_from=6).kind == "survey"
    assert holistic(axes=["age"]).axes[0].axis == "age"
    assert aslant.weat(V, **SETS, min_found=0.8, bootstrap=0, chance=0).effect_size

"""Texts with their pronouns swapped, and what that shows."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import aslant
from aslant.auditing.running import glances
from aslant.measures.pronouns_resolved import statistics
from aslant.measures.pronouns_resolved.gap_files import GapSample
from aslant.measures.pronouns_resolved.settings import PronounSettings
from aslant.measures.pronouns_resolved.swapping import gender_of_names, is_ambiguous, swapped
from aslant.models.classifier import Classifier
from aslant.statistics import sign_flip_pvalue
from fake_encoder import FakeEncoder
from gap_like import gap_like


def made(text: str, pronoun: str, a: str, b: str, gender: str = "female") -> GapSample:
    first, second, third = [(text.index(word), text.index(word) + len(word)) for word in (pronoun, a, b)]
    return GapSample("1", text, first, second, third, gender, "A")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Ann saw Bea; she hurt herself.", "Ann saw Bea; he hurt himself."),
        ("Her aunt Ann gave Bea her hat, and it is hers.", "His aunt Ann gave Bea his hat, and it is his."),
        ("Ann met Bea, who told her that it rained; she left.", "Ann met Bea, who told him that it rained; he left."),
        ("Ann and Bea wrote to her. She wept.", "Ann and Bea wrote to him. He wept."),
        (
            "Ann, a friend of his, and Bea liked his dog. He ran.",
            "Ann, a friend of hers, and Bea liked her dog. She ran.",
        ),
        ("Ann loved her very much; Bea asked her yesterday.", "Ann loved him very much; Bea asked him yesterday."),
        ("Ann met her in-laws, her family; Bea SAW HER.", "Ann met his in-laws, his family; Bea SAW HIM."),
        ("Bea moved to her home, and Ann saw her politically.", "Bea moved to his home, and Ann saw him politically."),
        ("Ann hurt his back, Bea his will. It is his.", "Ann hurt her back, Bea her will. It is hers."),
        ("Ann and Bea heard himself and him, the shepherd.", "Ann and Bea heard herself and her, the shepherd."),
    ],
)
def test_every_pronoun_becomes_that_of_the_other_gender(text: str, expected: str) -> None:
    assert swapped(made(text, "Ann", "Ann", "Bea")).text == expected


@pytest.mark.parametrize(
    ("rest", "unclear"),
    [("help her escape", True), ("gave her gifts", True), ("drove her home", True), ("told her mother", False),
     ("in her home", False), ("gave her the gifts", False), ("gave him gifts", False)],
)  # fmt: skip
def test_texts_whose_her_may_be_either_are_known(rest: str, unclear: bool) -> None:
    assert is_ambiguous(made(f"Ann and Bea {rest}.", "Ann", "Ann", "Bea")) is unclear


def test_texts_whose_her_may_be_either_are_read_but_not_compared() -> None:
    samples = gap_like(60, {"male": 0.2, "female": 0.2})
    odd = [replace(s, text=f"{s.text} They gave her gifts.") if i < 7 else s for i, s in enumerate(samples)]
    quick = Classifier(units=2, epochs=1)
    result = aslant.pronoun_resolution(
        FakeEncoder(), odd, seeds=1, folds=2, classifier=quick, topics=2, bootstrap=0, n_resamples=9
    )
    assert (sum(o.n for o in result.outcomes), result.counterfactual[0].texts) == (60, 53)
    assert any("“him” or “his”: 7 texts" in note for note in result.notes)


def test_spans_follow_the_text_and_names_stay() -> None:
    one = made("She told Her Majesty that himself would meet Bea, and she agreed.", "she agreed", "Her Majesty", "Bea")
    other = swapped(one)
    assert other.text == "He told Her Majesty that herself would meet Bea, and he agreed."
    assert [other.text[slice(*span)] for span in (other.pronoun, other.a, other.b)] == [
        "he agreed", "Her Majesty", "Bea",
    ]  # fmt: skip
    assert (one.gender, other.gender) == ("female", "male")


def test_the_gender_of_names_is_that_of_both_or_unknown() -> None:
    found = [
        gender_of_names(made(f"{a} saw {b}.", a, a, b))
        for a, b in (("Mary Smith", "Susan"), ("John", "Robert Lee"), ("Mary", "John"), ("Zzyx", "Mary"))
    ]
    assert found == ["female", "male", None, None]


@pytest.mark.parametrize(("female", "pvalue"), [(0.55, 0.2), (0.15, None)], ids=["planted", "nothing"])
def test_classifiers_trained_on_swapped_texts_say_what_chance_gives(female: float, pvalue: float | None) -> None:
    quick = Classifier(units=8, dropout=0.2, l2=0.01, learning_rate=0.01, epochs=10, patience=5)
    result = aslant.pronoun_resolution(
        FakeEncoder(), gap_like(150, {"male": 0.15, "female": female}), seeds=1, classifier=quick, topics=2,
        bootstrap=0, n_resamples=99, retrained=4,
    )  # fmt: skip
    assert result.chance is not None
    assert result.chance.draws == 4
    assert result.counterfactual[0].names == "all"
    assert result.counterfactual[0].texts == 150
    if pvalue is not None:
        assert result.counterfactual[0].difference > 0.08
        assert result.chance.pvalue == pvalue
    else:
        assert abs(result.counterfactual[0].difference) < 0.08
    [line] = glances("pronoun-resolution", [result])
    assert (line.pvalue, line.chance) == (None, result.chance)
    assert (line.effect, " With the pronouns of every text swapped" in line.sentence) == (
        result.counterfactual[0].difference, True
    )  # fmt: skip
    [bare] = glances("pronoun-resolution", [replace(result, counterfactual=())])
    assert (bare.effect, "With the pronouns" in bare.sentence) == (result.gap.difference, False)
    [untested] = glances("pronoun-resolution", [replace(result, chance=None)])
    assert untested.evidence == "not tested"


def test_pages_are_flipped_as_a_whole() -> None:
    rng, how = np.random.default_rng(0), PronounSettings(bootstrap=200, n_resamples=999)
    pages = np.repeat(np.arange(12), 3)
    differences = np.repeat(rng.normal(0.1, 1, 12), 3)
    found = statistics.counterfactual("all", differences, pages, how, np.random.default_rng(1))
    assert found.pvalue == sign_flip_pvalue(3 * differences[::3])  # exact for 12 pages; 36 texts would look surer
    assert found.difference == pytest.approx(differences.mean())
    assert (found.texts, found.pages) == (36, 12)
    assert found.interval is not None
    width = found.interval.high - found.interval.low
    assert width == pytest.approx(2 * 1.96 * differences[::3].std() / np.sqrt(12), rel=0.25)

"""Untrained twins of language models: the same architecture and tokenizer, other weights, and what they are asked."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

import aslant
import tiny_lms
from aslant.measures.association.show import glance
from aslant.measures.template_tests import show
from aslant.models.language_models import TransformersCausalLM, TransformersMaskedLM

KINDS = ["masked", "causal"]


@pytest.fixture(scope="module", params=KINDS)
def lm(request: pytest.FixtureRequest) -> Any:
    if request.param == "masked":
        return TransformersMaskedLM(*tiny_lms.masked("bert"), "tiny")
    return TransformersCausalLM(*tiny_lms.causal("gpt2", framed=True), "tiny")


def test_a_twin_has_the_architecture_and_the_pieces_but_not_the_weights_and_a_seed_gives_it_again(lm: Any) -> None:
    first, again, other = lm.untrained(0), lm.untrained(0), lm.untrained(1)
    assert first.fingerprint == again.fingerprint
    assert len({lm.fingerprint, first.fingerprint, other.fingerprint}) == 3
    assert (first.format, first.words, first.dimensions) == (lm.format, lm.words, lm.dimensions)
    assert first.ordered_words == lm.ordered_words
    assert first.name == "tiny (untrained, seed 0)"


def test_twins_are_the_effect_sizes_of_the_untrained_models_and_change_nothing_else(lm: Any) -> None:
    how: Any = {"alternative": "two-sided", "chance": 0}
    suite = aslant.log_probability_suite(lm, ["career-family", "math-arts"], twins=2, **how)
    for result in suite.results:
        alone = [aslant.log_probability_weat(lm.untrained(seed), result.test, **how).effect_size for seed in (0, 1)]
        assert result.twins == pytest.approx(alone, abs=1e-4)
        plain = aslant.log_probability_weat(lm, result.test, **how)
        assert (plain.effect_size, plain.pvalue, plain.twins) == (result.effect_size, result.pvalue, ())
    assert any("untrained models" in note for note in show.tests_in_templates(suite).notes)


def test_twins_of_a_share_are_the_shares_of_the_untrained_models(lm: Any) -> None:
    words = ["doctor", "nurse", "engineer", "teacher", "good doctor", "art", "science", "poetry"]
    result = aslant.log_probability_bias(lm, targets=("he", "she"), attributes=words, twins=2, chance=0)
    shares = [
        aslant.log_probability_bias(lm.untrained(seed), targets=("he", "she"), attributes=words, chance=0).share.share
        for seed in (0, 1)
    ]
    assert result.twins == tuple(shares)
    (line,) = show.glance(replace(result, twins=(0.1, 1.0)), lambda name: "gender")
    assert line.chance is not None
    assert (line.evidence, line.chance.low, line.chance.high) == ("none", 0.1, 1.0)


def test_an_effect_that_an_untrained_model_reaches_is_not_evidence(lm: Any) -> None:
    result = replace(aslant.log_probability_weat(lm, "career-family", chance=0), effect_size=0.9, pvalue=0.0001)
    judged = {}
    for twins in ((0.1, -0.5, 0.3), (0.1, -0.95, 0.3)):
        (line,) = glance(replace(result, twins=twins), lambda name: "gender")
        judged[twins] = (line.evidence, line.chance is not None)
    assert list(judged.values()) == [("strong", False), ("none", True)]
    assert "1 of 3 untrained models of the same architecture" in line.sentence


def test_words_of_a_vocabulary_are_whole_ones_in_lower_case(lm: Any) -> None:
    words = lm.ordered_words
    assert {"doctor", "nurse", "and"} <= set(words)
    assert all(word.isalpha() and word.islower() and len(word) > 2 for word in words)
    assert all(lm.in_vocabulary(word) for word in words)

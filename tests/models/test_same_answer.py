"""The same question has the same answer, to the last bit: alone, beside any others, in any order, from a cache or not.

The models have random weights, and are large enough for the sizes at which libraries compute in different ways.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import aslant
from aslant.models import Sentence
from aslant.models.encoder import TransformersEncoder
from aslant.models.language_models import TransformersCausalLM, TransformersMaskedLM
from aslant.models.network import UNSTEADY
from tiny_lms import tokenizer, torch, transformers

TEMPLATES = ("[TARGET] is a [ATTRIBUTE].", "The [ATTRIBUTE] said that [TARGET] was late", "[TARGET] can do [ATTRIBUTE]")
ATTRIBUTES = ("nurse", "doctor", "chief medical examiner", "electrician", "poet", "good", "art", "boys")
SENTENCES = [Sentence(*parts) for parts in itertools.product(TEMPLATES, ("he", "she", "teachers"), ATTRIBUTES)]
TEXTS = [sentence.text for sentence in SENTENCES] + ["She was late.", "He is", "The doctor said that he can do art."]
SIZES = {
    "hidden_size": 192, "intermediate_size": 400, "num_hidden_layers": 3, "num_attention_heads": 6,
    "num_key_value_heads": 2, "n_embd": 192, "n_layer": 3, "n_head": 6,
}  # fmt: skip
#: Class, tokenizer, and which settings it takes.
MODELS = {
    "bert": ("BertForMaskedLM", "wordpiece"),
    "roberta": ("RobertaForMaskedLM", "byte-level"),
    "gpt2": ("GPT2LMHeadModel", "byte-level"),
    "llama": ("LlamaForCausalLM", "byte-level"),
}


@cache
def parts(name: str) -> tuple[Any, Any]:
    architecture, kind = MODELS[name]
    tok = tokenizer(kind, framed=name != "llama")
    cls = getattr(transformers, architecture)
    torch.manual_seed(3)
    ids = {"pad_token_id": tok.pad_token_id, "bos_token_id": tok.bos_token_id, "eos_token_id": tok.eos_token_id}
    known = cls.config_class().to_dict().keys() | {"n_embd", "n_layer", "n_head"}
    settings = {key: value for key, value in (SIZES | ids).items() if key in known}
    # More entries than the tokenizer has: the head is a product of matrices of some size.
    return cls(cls.config_class(vocab_size=len(tok) + 3_000, initializer_range=0.2, **settings)), tok


def opened(name: str, **options: Any) -> Any:
    model, tok = parts(name)
    cls = TransformersCausalLM if name in ("gpt2", "llama") else TransformersMaskedLM
    lm = cls(model, tok, name, **options)
    assert UNSTEADY not in lm.record()["note"]
    return lm


def scores_of(lm: Any, items: list[Sentence]) -> list[Any]:
    if isinstance(lm, TransformersMaskedLM):
        return [(score.target, score.prior) for score in lm.masked_scores(items)]
    return [(score.sentence, score.continuation) for score in lm.causal_scores(items)]


def texts_of(lm: Any, items: list[str]) -> list[Any]:
    return [tuple(found.total for found in each) for each in zip(
        *(lm.text_scores(items, score=score) for score in lm.scorings), strict=True
    )]  # fmt: skip


ASKED: list[tuple[Callable[[Any, list[Any]], list[Any]], list[Any]]] = [(scores_of, SENTENCES), (texts_of, TEXTS)]


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize(("ask", "items"), ASKED, ids=["sentences", "texts"])
def test_a_score_is_the_same_beside_any_others(name: str, ask: Any, items: list[Any]) -> None:
    expected = dict(zip(items, ask(opened(name), items), strict=True))
    shuffled = random.Random(1).sample(items, len(items))
    for size in (1, 2, 7, 30):
        lm, several = opened(name), shuffled if size > 1 else shuffled[:20]
        for start in range(0, len(several), size):
            part = several[start : start + size]
            assert ask(lm, part) == [expected[item] for item in part]
    assert ask(opened(name, token_budget=50), items) == list(expected.values())


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize(("ask", "items"), ASKED, ids=["sentences", "texts"])
def test_what_was_asked_before_and_is_kept_changes_nothing(
    name: str, ask: Any, items: list[Any], tmp_path: Path
) -> None:
    expected = ask(opened(name), items)
    for others in (items[::3], items[5:9][::-1]):
        ask(opened(name, journal=tmp_path), others)
    assert ask(opened(name, journal=tmp_path), items) == expected


@pytest.mark.parametrize("name", MODELS)
def test_workers_and_threads_change_nothing(name: str) -> None:
    found = []
    before = torch.get_num_threads()
    for threads, workers in ((1, 1), (2, 1), (1, 2), (2, 2)):
        torch.set_num_threads(threads)
        try:
            with aslant.use_workers(threads=workers):
                found.append((scores_of(opened(name), SENTENCES), texts_of(opened(name), TEXTS)))
        finally:
            torch.set_num_threads(before)
    assert all(each == found[0] for each in found)


@pytest.mark.parametrize("name", ["bert", "gpt2"])
def test_untrained_twins_give_the_same_in_any_order(name: str) -> None:
    first, second = opened(name).untrained(5), opened(name)
    second.untrained(4)
    assert scores_of(first, SENTENCES) == scores_of(second.untrained(5), SENTENCES[::-1])[::-1]


@pytest.mark.parametrize("name", MODELS)
def test_vectors_of_an_encoder_are_the_same_beside_any_others(name: str) -> None:
    model, tok = parts(name)
    encoder = TransformersEncoder(model.base_model, tok, name)
    assert UNSTEADY not in encoder.record()["note"]
    whole = encoder.sentence_vectors(TEXTS)
    order = random.Random(2).sample(range(len(TEXTS)), len(TEXTS))
    for size in (1, 5):
        some = order if size > 1 else order[:20]
        parted = [
            encoder.sentence_vectors([TEXTS[i] for i in some[at : at + size]]) for at in range(0, len(some), size)
        ]
        np.testing.assert_array_equal(np.concatenate(parted), whole[some])


def test_a_bias_is_the_same_in_any_order_of_calls(tmp_path: Path) -> None:
    def bias(lm: Any, attributes: list[str]) -> dict[str, Any]:
        found = aslant.log_probability_bias(lm, TEMPLATES[0], (["he"], ["she"]), attributes, journal=tmp_path)
        return {score.attribute: score.score for score in found.scores}

    words = list(ATTRIBUTES)
    first = bias(opened("bert"), words[:1]) | bias(opened("bert"), words)
    for path in tmp_path.iterdir():
        path.unlink()
    second = bias(opened("bert"), words[::-1]) | bias(opened("bert"), words[2:4])
    assert first == second

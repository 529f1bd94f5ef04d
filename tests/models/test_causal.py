"""Claims about causal language models: log-likelihoods as transformers gives them; beginnings run once."""

from __future__ import annotations

import copy
import itertools
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import aslant
from aslant.errors import MeasureError
from aslant.models import CausalLM, Sentence
from aslant.models.language_models import TransformersCausalLM
from aslant.models.network import FEWEST, Network
from tiny_lms import CAUSAL, causal, log_softmax, tokenizer, torch, transformers

TEMPLATES = ("[TARGET] is a [ATTRIBUTE].", "The [ATTRIBUTE] said that [TARGET] was late", "[TARGET] can do [ATTRIBUTE]")
ATTRIBUTES = ("nurse", "doctor", "chief medical examiner", "electrician", "poet", "good", "art", "boys")
SENTENCES = [Sentence(*parts) for parts in itertools.product(TEMPLATES, ("he", "she", "teachers"), ATTRIBUTES)]
CASES = [(name, framed) for name in CAUSAL for framed in (True, False)]


def wrapped(name: str = "llama", framed: bool = False, **options: Any) -> TransformersCausalLM:
    model, tok = causal(name, framed=framed)
    return TransformersCausalLM(model, tok, name, **options)


def by_hand(lm: TransformersCausalLM, sentence: Sentence) -> tuple[float, float | None]:
    tok = lm.speller.tokenizer
    text = sentence.text[0].upper() + sentence.text[1:]
    cut = tok(text, return_offsets_mapping=True, return_special_tokens_mask=True)
    begin = [] if cut["special_tokens_mask"][0] else [tok.bos_token_id]
    ids, special = [*begin, *cut["input_ids"]], [*(1 for _ in begin), *cut["special_tokens_mask"]]
    ends = [*(0 for _ in begin), *(right for _, right in cut["offset_mapping"])]
    table = log_softmax(lm.network.model, ids)
    values = {i: float(table[i - 1, ids[i]]) for i in range(1, len(ids)) if not special[i]}
    start = len(sentence.template.split("[ATTRIBUTE]")[0].replace("[TARGET]", sentence.target).rstrip())
    after = sum(value for i, value in values.items() if ends[i] > start)
    follows = sentence.template.index("[TARGET]") < sentence.template.index("[ATTRIBUTE]")
    return sum(values.values()), after if follows else None


def check(lm: TransformersCausalLM, sentences: list[Sentence]) -> None:
    for sentence, score in zip(sentences, lm.causal_scores(sentences), strict=True):
        whole, after = by_hand(lm, sentence)
        assert score.sentence == pytest.approx(whole, abs=1e-4)
        assert score.continuation == (None if after is None else pytest.approx(after, abs=1e-4))


@pytest.mark.parametrize(("name", "framed"), CASES)
def test_scores_are_those_of_transformers_own_forward_pass(name: str, framed: bool) -> None:
    lm = wrapped(name, framed)
    assert isinstance(lm, CausalLM)
    assert lm.network.narrow
    check(lm, SENTENCES)


@pytest.mark.parametrize(
    ("architecture", "settings"),
    [
        ("MistralForCausalLM", {"sliding_window": 16}),
        ("Gemma3ForCausalLM", {"sliding_window": 16, "head_dim": 8, "layer_types": ["sliding_attention"] * 2}),
        ("GPTNeoForCausalLM", {"window_size": 16, "attention_types": [[["local"], 2]], "num_heads": 2}),
    ],
)
def test_a_model_that_looks_back_only_so_far_is_measured_as_it_is(architecture: str, settings: dict[str, Any]) -> None:
    kind, tok = getattr(transformers, architecture), tokenizer("byte-level", framed=True)
    sizes = {
        "hidden_size": 16, "intermediate_size": 32, "num_hidden_layers": 2, "num_layers": 2, "num_attention_heads": 2,
        "num_key_value_heads": 2,
    }  # fmt: skip
    torch.manual_seed(0)
    config = kind.config_class(vocab_size=len(tok), initializer_range=0.5, **{**sizes, **settings})
    lm = TransformersCausalLM(kind(config), tok, architecture)
    long = "The doctor said that the nurse said that [TARGET] is a good [ATTRIBUTE] and that she was late again."
    check(lm, [*SENTENCES, *(Sentence(long, target, word) for target in ("he", "she") for word in ATTRIBUTES)])


@pytest.mark.parametrize(("name", "framed"), CASES)
def test_batched_equals_one_by_one(name: str, framed: bool) -> None:
    alone, batched = wrapped(name, framed, token_budget=1), wrapped(name, framed)
    expected = [alone.causal_scores([sentence])[0] for sentence in SENTENCES]
    found = batched.causal_scores(SENTENCES)
    assert [s.sentence for s in found] == [s.sentence for s in expected]
    assert [s.pieces for s in found] == [s.pieces for s in expected]


@pytest.mark.parametrize(("name", "framed"), CASES)
def test_what_sequences_begin_with_alike_is_run_once(name: str, framed: bool) -> None:
    lm = wrapped(name, framed)
    assert lm.shares
    rows: list[tuple[int, int]] = []
    handle = lm.network.model.register_forward_pre_hook(
        lambda _module, _arguments, given: rows.append(tuple(given["input_ids"].shape)), with_kwargs=True
    )
    try:
        lm.causal_scores(SENTENCES)
    finally:
        handle.remove()
    check(lm, SENTENCES)
    contexts = {found.ids[: found.content.stop - 1] for found in lm.speller.spell(SENTENCES)}
    nodes = {ids[:n] for ids in contexts for n in range(1, len(ids) + 1)}
    filled = FEWEST + 1  # rows that stand there several times, at most, in each step
    assert len(nodes) <= sum(width for width, _ in rows) <= len(nodes) + filled * len(rows)
    assert {length for _, length in rows} == {1}


def test_steps_that_give_other_numbers_are_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    stepwise = Network._stepwise

    def off(self: Any, batch: Any) -> Any:
        return [tuple(value + 0.01 for value in values) for values in stepwise(self, batch)]

    monkeypatch.setattr(Network, "_stepwise", off)
    lm = wrapped()
    assert not lm.shares
    assert "common beginnings are run each time" in lm.record()["note"]
    check(lm, SENTENCES)


def test_a_text_that_is_too_long_for_steps_is_run_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("aslant.models.language_models.STEPS", 5)
    check(wrapped(), SENTENCES)


def test_sentences_that_differ_in_their_last_piece_are_one_pass() -> None:
    lm = wrapped()
    words = [Sentence("[TARGET] is a [ATTRIBUTE]", target, word) for target in ("he", "she") for word in ("nurse", "good", "art")]  # fmt: skip  # noqa: E501
    scores = lm.causal_scores(words * 3)
    one_piece = all(len(score.attribute_pieces) == 1 for score in scores)
    assert one_piece
    assert lm.passes == 2  # 'He is a' and 'She is a'


def test_a_killed_run_goes_on_where_it_was_with_the_same_numbers(tmp_path: Path) -> None:
    whole, first, second = (wrapped(token_budget=40) for _ in range(3))
    expected = whole.causal_scores(SENTENCES)
    calls = itertools.count(1)

    def stop(*_: Any) -> None:
        if next(calls) == 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        first.causal_scores(SENTENCES, journal=tmp_path, progress=stop)
    assert second.causal_scores(SENTENCES, journal=tmp_path) == expected
    assert 0 < first.passes < whole.passes
    assert second.passes == whole.passes - first.passes


def test_a_batch_that_does_not_fit_is_halved(monkeypatch: pytest.MonkeyPatch) -> None:
    lm, small = wrapped(), wrapped()
    logits = small.network.logits

    def with_little_memory(places: Any, **inputs: Any) -> Any:
        if len(inputs["input_ids"]) > 17:
            raise torch.OutOfMemoryError("CUDA out of memory.")
        return logits(places, **inputs)

    monkeypatch.setattr(small.network, "logits", with_little_memory)
    expected = [score.sentence for score in lm.causal_scores(SENTENCES)]
    np.testing.assert_allclose([score.sentence for score in small.causal_scores(SENTENCES)], expected, atol=1e-4)
    assert small.passes == lm.passes


@pytest.mark.parametrize(
    ("framed", "note"),
    [(True, "sentences begin with <s>;"), (False, "with <s>, which the tokenizer has but does not add")],
)
def test_the_beginning_token_is_the_tokenizers_and_recorded(framed: bool, note: str) -> None:
    record = wrapped(framed=framed).record()
    assert note in record["note"]
    assert record["format"] == "causal language model (LlamaForCausalLM)"
    assert record["dimensions"] == 16


def test_unplaceable_sentences_are_told_by_index() -> None:
    assert wrapped().unplaceable([SENTENCES[0], Sentence(TEMPLATES[0], "", "x")]) == {
        1: "'' in ' is a x.' is empty or has spaces around it"
    }


def beginless() -> TransformersCausalLM:
    model, tok = causal("llama")
    tok = copy.deepcopy(tok)
    tok.bos_token = None
    return TransformersCausalLM(model, tok, "beginless")


def test_without_a_beginning_token_sets_at_the_beginning_are_refused() -> None:
    lm = beginless()
    assert "first piece has no probability" in lm.record()["note"]
    sets = (["he", "boys"], ["she"])
    with pytest.raises(MeasureError, match="the model has no beginning token"):
        aslant.log_probability_bias(lm, TEMPLATES[0], sets, ["nurse"])
    assert aslant.log_probability_bias(lm, "I know that [TARGET] is a [ATTRIBUTE].", sets, ["nurse"]).scores
    alone = aslant.log_probability_bias(lm, TEMPLATES[0], (["he"], ["she"]), ["nurse"]).scores[0]
    he, she = (lm.causal_scores([Sentence(TEMPLATES[0], target, "nurse")])[0].continuation for target in ("he", "she"))
    assert he is not None
    assert she is not None
    assert alone.score == pytest.approx(he - she)


def test_a_set_is_weighed_by_what_the_beginning_token_predicts() -> None:
    lm = wrapped()
    scores = lm.causal_scores([Sentence(TEMPLATES[0], target, "nurse") for target in ("he", "boys")])
    before = np.array([s.sentence - (s.continuation or 0) for s in scores])
    expected = np.logaddexp.reduce([s.sentence for s in scores]) - np.logaddexp.reduce(before)
    assert (before < -0.01).all()
    result = aslant.log_probability_bias(lm, TEMPLATES[0], (["he", "boys"], ["she"]), ["nurse"])
    assert result.scores[0].sides[0].association == pytest.approx(expected)


def test_the_causal_check_does_not_take_lack_of_memory_for_a_misfit(monkeypatch: pytest.MonkeyPatch) -> None:
    def without_memory(*_: Any) -> Any:
        raise torch.OutOfMemoryError("CUDA out of memory.")

    monkeypatch.setattr(Network, "looks_ahead", without_memory)
    with pytest.raises(MeasureError, match="not enough memory to run 'llama'"):
        wrapped()

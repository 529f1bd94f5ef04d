"""Chat models: the model's own format, the beginning token once, and the exact text on record."""

from __future__ import annotations

import copy
from typing import Any

import pytest

import aslant
from aslant.errors import DataError
from aslant.models import Sentence
from aslant.models.chat import MESSAGE
from aslant.models.language_models import TransformersCausalLM
from command_line import Run
from tiny_lms import causal, log_softmax, masked

#: ChatML as SmolLM2 has it, without a beginning token; and with one, as Gemma and Llama 3 have it.
BARE = (
    "{% for m in messages %}<|im_start|>{{ m['role'] }}\n{{ m['content'] }}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)
WITH_BEGINNING = "{{ bos_token }}" + BARE
SENTENCE = Sentence("[TARGET] is a [ATTRIBUTE].", "he", "nurse")


def chatty(template: str | None, *, framed: bool = False) -> tuple[Any, Any]:
    """A tiny model whose tokenizer knows chat markup; `framed`: its tokenizer adds the beginning token itself."""
    model, tok = causal("llama", framed=framed)
    model, tok = copy.deepcopy(model), copy.deepcopy(tok)
    tok.add_special_tokens({"additional_special_tokens": ["<|im_start|>", "<|im_end|>"]})
    model.resize_token_embeddings(len(tok), mean_resizing=False)
    tok.chat_template = template
    return model, tok


def by_hand(model: Any, ids: list[int], first: int) -> float:
    """The log-likelihood of the tokens from `first` on, by transformers' own forward pass."""
    chances = log_softmax(model, ids)
    return float(sum(chances[i - 1, ids[i]] for i in range(first, len(ids))))


@pytest.mark.parametrize("framed", [False, True])
@pytest.mark.parametrize("template", [BARE, WITH_BEGINNING])
def test_a_sentence_is_scored_as_the_answer(template: str, framed: bool) -> None:
    model, tok = chatty(template, framed=framed)
    lm = aslant.load_lm((model, tok), chat=True)
    begin = tok.bos_token if template == WITH_BEGINNING else ""
    frame = f"{begin}<|im_start|>user\n{MESSAGE}<|im_end|>\n<|im_start|>assistant\n"
    assert lm.seen(SENTENCE) == f"{frame}He is a nurse."
    ids = tok(f"{frame}He is a nurse.", add_special_tokens=False)["input_ids"]
    answer = len(tok(frame, add_special_tokens=False)["input_ids"])
    assert ids.count(tok.bos_token_id) == bool(begin)
    (score,) = lm.causal_scores([SENTENCE])
    assert score.sentence == pytest.approx(by_hand(model, ids, answer), abs=1e-3)
    (text,) = lm.text_scores(["He is a nurse."])
    assert text.total == pytest.approx(score.sentence, abs=1e-4)
    assert text.pieces == len(ids) - answer
    prompt, rest = "He is", " a nurse."
    (continued,) = lm.continuation_scores([(prompt, rest)])
    known = len(tok(frame + prompt, add_special_tokens=False)["input_ids"])
    assert continued.total == pytest.approx(by_hand(model, ids, known), abs=1e-3)


def test_the_result_says_what_the_model_saw() -> None:
    pair = chatty(WITH_BEGINNING)
    lm = aslant.load_lm(pair, chat="Go on.")
    result = aslant.log_probability_bias(lm, "[TARGET] is a [ATTRIBUTE].", (["he"], ["she"]), ["nurse"], chance=0)
    seen = "<s><|im_start|>user\nGo on.<|im_end|>\n<|im_start|>assistant\nHe is a nurse."
    assert any(repr(seen) in note for note in result.notes)
    assert repr(seen.removesuffix("He is a nurse.")) in result.provenance.representation.note
    plain = aslant.load_lm(pair)
    assert result.provenance.representation.fingerprint != plain.record()["fingerprint"]
    assert lm.untrained(0).seen(SENTENCE) == lm.seen(SENTENCE)
    assert plain.seen(SENTENCE) == ""


@pytest.mark.parametrize("framed", [False, True])
@pytest.mark.parametrize(
    ("template", "text", "begins"),
    [
        (BARE, "<|im_start|>assistant\nhe is a nurse.", False),
        (WITH_BEGINNING, "<|im_start|>assistant\nhe is a nurse.", True),
        (None, "<|im_start|>assistant\nhe is a nurse.", True),
        (BARE, "<s>he is a nurse.", True),
        (None, "<s>he is a nurse.", True),
        (WITH_BEGINNING, "<s><|im_start|>assistant\nhe is a nurse.", True),
        (BARE, "He is a nurse.", True),
    ],
)
def test_the_beginning_token_stands_there_once_at_most(
    template: str | None, text: str, begins: bool, framed: bool
) -> None:
    model, tok = chatty(template, framed=framed)
    lm = TransformersCausalLM(model, tok, "x")
    (cut,) = lm.speller.cuts([text])
    ids = list(cut.ids[: cut.content.stop])
    assert ids.count(tok.bos_token_id) == begins
    bare = tok(text.removeprefix("<s>"), add_special_tokens=False)["input_ids"]
    assert ids == [tok.bos_token_id] * begins + bare


def test_markup_in_a_template_gives_what_the_same_text_gives_by_hand() -> None:
    model, tok = chatty(BARE)
    lm = TransformersCausalLM(model, tok, "x")
    sentence = Sentence("<|im_start|>assistant\n[TARGET] is a [ATTRIBUTE].", "he", "nurse")
    (score,) = lm.causal_scores([sentence])
    ids = tok(sentence.text, add_special_tokens=False)["input_ids"]
    assert score.sentence == pytest.approx(by_hand(model, ids, 1), abs=1e-3)
    assert score.sentence != pytest.approx(by_hand(model, [tok.bos_token_id, *ids], 2), abs=1e-2)
    assert lm.seen(sentence) == sentence.text


def test_what_is_not_a_chat_model_is_refused() -> None:
    with pytest.raises(DataError, match="has no chat template, so it is not a chat model; leave chat out"):
        aslant.load_lm(chatty(None), chat=True)
    with pytest.raises(DataError, match="fills masks, and so is not a chat model"):
        aslant.load_lm(masked("bert"), chat=True)
    with pytest.raises(DataError, match="chat is an empty text"):
        aslant.load_lm(chatty(BARE), chat=" ")
    with pytest.raises(DataError, match="leaves out what the user says"):
        aslant.load_lm(chatty("hello"), chat=True)
    with pytest.raises(DataError, match=r"the chat template of .* cannot be used"):
        aslant.load_lm(chatty("{{ raise_exception('no') }}"), chat=True)


def test_the_command_asks_in_the_chat_format(run: Run, tmp_path: Any) -> None:
    model, tok = chatty(BARE)
    model.save_pretrained(tmp_path)
    tok.save_pretrained(tmp_path)
    asked = ("logprob", str(tmp_path), "--attributes", "nurse,doctor", "--chance", "0", "--no-cache", "--json", "-")
    said = run(*asked, "--chat")
    assert f"<|im_start|>user\\\\n{MESSAGE}<|im_end|>" in said.stdout
    assert "im_start" not in run(*asked).stdout
    assert "user\\\\nGo on.<|im_end|>" in run(*asked, "--chat-message", "Go on.").stdout

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
from aslant.models.language_models import SHARED_BY, TransformersCausalLM, contexts
from aslant.models.network import Network
from tiny_lms import CAUSAL, causal, log_softmax, torch

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
    assert lm.shares
    check(lm, SENTENCES)


@pytest.mark.parametrize(("name", "framed"), CASES)
def test_beginnings_that_many_share_are_run_once(name: str, framed: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("aslant.models.language_models.SHARED_BY", 3)
    lm = wrapped(name, framed)
    begun: list[int] = []
    continued = lm.network._continued

    def counted(batch: Any) -> Any:
        begun.extend(query.shared for query in batch)
        return continued(batch)

    monkeypatch.setattr(lm.network, "_continued", counted)
    check(lm, SENTENCES)
    assert max(begun) >= 3


@pytest.mark.parametrize(("name", "framed"), CASES)
def test_batched_equals_one_by_one(name: str, framed: bool) -> None:
    alone, batched = wrapped(name, framed, token_budget=1), wrapped(name, framed)
    expected = [alone.causal_scores([sentence])[0] for sentence in SENTENCES]
    found = batched.causal_scores(SENTENCES)
    np.testing.assert_allclose([s.sentence for s in found], [s.sentence for s in expected], atol=1e-4)
    assert [s.pieces for s in found] == [s.pieces for s in expected]


def test_only_leaves_of_the_tree_of_contexts_are_run() -> None:
    lm = wrapped()
    words = [Sentence("[TARGET] is a [ATTRIBUTE]", target, word) for target in ("he", "she") for word in ("nurse", "good", "art")]  # fmt: skip  # noqa: E501
    scores = lm.causal_scores(words * 3)
    one_piece = all(len(score.attribute_pieces) == 1 for score in scores)
    assert one_piece
    assert lm.passes == 2  # 'He is a' and 'She is a'
    rows: list[int] = []
    handle = lm.network.model.register_forward_pre_hook(
        lambda _module, _arguments, given: rows.append(len(given["input_ids"])), with_kwargs=True
    )
    try:
        lm.causal_scores(words)
    finally:
        handle.remove()
    assert sum(rows) == 2


def test_every_context_is_answered_once_by_a_leaf_that_it_begins() -> None:
    rng = np.random.default_rng(0)
    sequences = [tuple(rng.integers(0, 3, rng.integers(1, 7)).tolist()) for _ in range(200)]
    queries = contexts(sequences)
    asked = [(query.ids[: position + 1], token) for query in queries for position, token in query.asks]
    assert len(asked) == len(set(asked))
    assert set(asked) == {(ids[:i], ids[i]) for ids in sequences for i in range(1, len(ids))}
    leaves = [query.ids for query in queries]
    assert not any(a != b and b[: len(a)] == a for a in leaves for b in leaves)
    assert all(sum(leaf[: q.shared] == q.ids[: q.shared] for leaf in leaves) >= SHARED_BY for q in queries if q.shared)


def test_a_cache_that_gives_other_numbers_is_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    continued = Network._continued

    def off(self: Any, batch: Any) -> Any:
        return [tuple(value + 0.01 for value in values) for values in continued(self, batch)]

    monkeypatch.setattr(Network, "_continued", off)
    monkeypatch.setattr("aslant.models.language_models.SHARED_BY", 3)
    lm = wrapped()
    assert not lm.shares
    assert "common prefixes are run each time" in lm.record()["note"]
    check(lm, SENTENCES)


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
    monkeypatch.setattr("aslant.models.language_models.SHARED_BY", 3)
    lm, small = wrapped(), wrapped()
    logits = small.network.logits

    def with_little_memory(places: Any, **inputs: Any) -> Any:
        if len(inputs["input_ids"]) > 4:
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

    monkeypatch.setattr(Network, "_continued", without_memory)
    with pytest.raises(MeasureError, match="not enough memory to run 'llama'"):
        wrapped()

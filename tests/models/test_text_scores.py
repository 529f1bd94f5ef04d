"""Claims about scores of whole texts: each is that of a naive loop, each sequence is run once, nothing is lost."""

from __future__ import annotations

import difflib
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from aslant.errors import MeasureError
from aslant.models import ScoresTexts
from aslant.models.language_models import TransformersCausalLM, TransformersMaskedLM
from aslant.models.network import Network
from aslant.models.plan import Query
from aslant.models.protocols import ScoresShared
from aslant.models.text_scores import words_of
from tiny_lms import CAUSAL, MASKED, causal, log_softmax, masked, torch

TEXTS = [
    "He is a doctor.",
    "She is a doctor.",
    "the electricians, the engineers and the nurses like mathematics; it is early",
    "Teachers said that she was late",
    "nurse",
]
PAIRS = [
    ("He is a doctor.", "She is a doctor."),
    ("The chief medical examiner likes women.", "The engineer likes women."),
    ("He said that he was late", "She said that she was late"),
]


def masked_lm(name: str = "bert", **options: Any) -> TransformersMaskedLM:
    model, tok = masked(name)
    return TransformersMaskedLM(model, tok, name, **options)


def causal_lm(name: str = "llama", framed: bool = False, **options: Any) -> TransformersCausalLM:
    model, tok = causal(name, framed=framed)
    return TransformersCausalLM(model, tok, name, **options)


def totals(scores: Any) -> list[float]:
    return [score.total for score in scores]


def naive_pll(lm: TransformersMaskedLM, text: str, *, within_word: bool = False) -> list[float]:
    """One masked copy after the other, by transformers' own forward pass."""
    model, tok = lm.network.model, lm.speller.tokenizer
    encoded = tok(text)
    ids, words = encoded["input_ids"], encoded.word_ids()
    values = []
    for i, word in enumerate(words):
        if word is None:
            continue
        later = [j for j, other in enumerate(words) if other == word and j > i] if within_word else []
        given = [tok.mask_token_id if j == i or j in later else token for j, token in enumerate(ids)]
        values.append(float(log_softmax(model, given)[i, ids[i]]))
    return values


@torch.no_grad()
def naive_unmasked(lm: TransformersMaskedLM, text: str, *, attention: bool) -> float:
    """As Kaneko & Bollegala's code does: a mean over the pieces between the two special tokens."""
    model, tok = lm.network.model, lm.speller.tokenizer
    before = model.config._attn_implementation
    model.set_attn_implementation("eager")
    try:
        ids = tok(text, return_tensors="pt")["input_ids"]
        output = model(input_ids=ids, output_attentions=True)
    finally:
        model.set_attn_implementation(before)
    values = torch.log_softmax(output.logits[0], dim=-1).gather(1, ids.view(-1, 1))[1:-1].squeeze(1)
    if attention:
        values = values * torch.cat(output.attentions, 0).mean(0).mean(0).mean(0)[1:-1]
    return float(values.mean())


def naive_shared(lm: TransformersMaskedLM, first: str, second: str) -> tuple[float, float]:
    """As the code of CrowS-Pairs does: shared tokens by difflib, each masked alone."""
    model, tok = lm.network.model, lm.speller.tokenizer
    both = [tok(text)["input_ids"] for text in (first, second)]
    matcher = difflib.SequenceMatcher(None, [str(i) for i in both[0]], [str(i) for i in both[1]])
    spans: tuple[list[int], list[int]] = ([], [])
    for what, *ends in matcher.get_opcodes():
        if what == "equal":
            spans[0].extend(range(ends[0], ends[1]))
            spans[1].extend(range(ends[2], ends[3]))
    found = []
    for ids, span in zip(both, spans, strict=True):
        total = 0.0
        for place in span[1:-1]:
            given = [*ids[:place], tok.mask_token_id, *ids[place + 1 :]]
            total += float(log_softmax(model, given)[place, ids[place]])
        found.append(total)
    return found[0], found[1]


def naive_likelihood(lm: TransformersCausalLM, text: str, start: int = 0) -> list[float]:
    tok = lm.speller.tokenizer
    cut = tok(text, return_offsets_mapping=True, return_special_tokens_mask=True)
    begin = [] if cut["special_tokens_mask"][0] else [tok.bos_token_id]
    ids = [*begin, *cut["input_ids"]]
    special = [*(1 for _ in begin), *cut["special_tokens_mask"]]
    ends = [*(0 for _ in begin), *(right for _, right in cut["offset_mapping"])]
    table = log_softmax(lm.network.model, ids)
    return [float(table[i - 1, ids[i]]) for i in range(1, len(ids)) if not special[i] and ends[i] > start]


@pytest.mark.parametrize("name", MASKED)
def test_masked_scores_are_those_of_naive_loops(name: str) -> None:
    lm = masked_lm(name)
    assert isinstance(lm, ScoresTexts)
    assert isinstance(lm, ScoresShared)
    for score, within in (("pll", False), ("within-word", True)):
        found = lm.text_scores(TEXTS, score=score)
        expected = [naive_pll(lm, text, within_word=within) for text in TEXTS]
        np.testing.assert_allclose(totals(found), [sum(values) for values in expected], atol=2e-4)
        assert [each.pieces for each in found] == [len(values) for values in expected]
    assert lm.text_scores(TEXTS) == lm.text_scores(TEXTS, score="within-word")
    assert totals(lm.text_scores(TEXTS)) != pytest.approx(totals(lm.text_scores(TEXTS, score="pll")), abs=1e-3)


@pytest.mark.parametrize("name", MASKED)
def test_unmasked_scores_are_those_of_the_authors_loop(name: str) -> None:
    lm = masked_lm(name)
    plain = [score.per_piece for score in lm.text_scores(TEXTS, score="aul")]
    np.testing.assert_allclose(plain, [naive_unmasked(lm, text, attention=False) for text in TEXTS], atol=1e-4)
    weighed = [score.per_piece for score in lm.text_scores(TEXTS, score="aula")]
    expected = [naive_unmasked(lm, text, attention=True) for text in TEXTS]
    np.testing.assert_allclose(weighed, expected, atol=1e-4)
    assert lm.network.model.config._attn_implementation == masked(name)[0].config._attn_implementation


@pytest.mark.parametrize("name", MASKED)
def test_shared_pieces_are_scored_as_in_the_code_of_crows_pairs(name: str) -> None:
    lm = masked_lm(name)
    found = [(first.total, second.total) for first, second in lm.shared_scores(PAIRS)]
    np.testing.assert_allclose(found, [naive_shared(lm, *pair) for pair in PAIRS], atol=2e-4)
    assert all(first.pieces == second.pieces > 0 for first, second in lm.shared_scores(PAIRS))


@pytest.mark.parametrize(("name", "framed"), [(name, framed) for name in CAUSAL for framed in (True, False)])
def test_likelihoods_are_those_of_transformers_own_forward_pass(name: str, framed: bool) -> None:
    lm = causal_lm(name, framed)
    assert isinstance(lm, ScoresTexts)
    found = lm.text_scores(TEXTS)
    expected = [naive_likelihood(lm, text) for text in TEXTS]
    np.testing.assert_allclose(totals(found), [sum(values) for values in expected], atol=2e-4)
    assert [score.pieces for score in found] == [len(values) for values in expected]
    prompts = [
        ("He said that ", "she was late."),
        ("He said that", " she was late."),
        ("He said", " that he is a nurse"),
    ]
    expected = [naive_likelihood(lm, prompt + text, len(prompt)) for prompt, text in prompts]
    found = lm.continuation_scores(prompts)
    np.testing.assert_allclose(totals(found), [sum(values) for values in expected], atol=2e-4)
    assert found[0] == found[1]


@pytest.mark.parametrize("name", ["bert", "roberta", "albert"])
@pytest.mark.parametrize("score", ["pll", "within-word", "aul", "aula"])
def test_a_continuation_is_scored_in_its_context_and_parts_add_up(name: str, score: str) -> None:
    lm = masked_lm(name)
    (whole,) = lm.text_scores(["He is a doctor. She likes the nurses"], score=score)
    parts = [("", "He is a doctor. She likes the nurses"), ("He is a doctor.", " She likes the nurses")]
    same, after = lm.continuation_scores(parts, score=score)
    assert same == whole
    assert 0 < after.pieces < whole.pieces
    if score in ("pll", "within-word"):
        values = naive_pll(lm, parts[0][1], within_word=score == "within-word")
        assert after.total == pytest.approx(sum(values[-after.pieces :]), abs=2e-4)


def test_each_distinct_sequence_is_run_once() -> None:
    lm = masked_lm()
    texts = ["he is a doctor", "she is a doctor"] * 3
    lm.text_scores(texts, score="pll")
    assert lm.passes == 4 + 4 - 1  # “[MASK] is a doctor” is the same in both
    fresh = masked_lm()
    fresh.text_scores(texts, score="aul")
    assert fresh.passes == 2


def test_batched_equals_one_by_one() -> None:
    for score in ("within-word", "aula"):
        batched, alone = masked_lm("roberta"), masked_lm("roberta", token_budget=1)
        expected = [alone.text_scores([text], score=score)[0].total for text in TEXTS]
        assert totals(batched.text_scores(TEXTS, score=score)) == expected


@pytest.mark.parametrize("score", ["within-word", "aula"])
def test_a_killed_run_resumes_with_the_same_numbers(tmp_path: Path, score: str) -> None:
    class Stopped(Exception):  # noqa: N818
        pass

    def stop(_step: str, done: int, total: int) -> None:
        if done * 2 > total:
            raise Stopped

    whole: list[int] = []
    expected = masked_lm(token_budget=40).text_scores(TEXTS, score=score, progress=lambda *step: whole.append(step[1]))
    with pytest.raises(Stopped):
        masked_lm(token_budget=40).text_scores(TEXTS, score=score, journal=tmp_path, progress=stop)
    seen: list[int] = []
    again = masked_lm(token_budget=40)
    assert again.text_scores(TEXTS, score=score, journal=tmp_path, progress=lambda *s: seen.append(s[1])) == expected
    assert 0 < len(seen) < len(whole)


def test_scores_with_and_without_attention_do_not_share_a_table(tmp_path: Path) -> None:
    lm = masked_lm()
    plain, weighed = (lm.text_scores(TEXTS, score=score, journal=tmp_path) for score in ("aul", "aula"))
    assert plain != weighed
    again = masked_lm()
    assert again.text_scores(TEXTS, score="aula", journal=tmp_path) == weighed
    assert again.text_scores(TEXTS, score="aul", journal=tmp_path) == plain
    assert again.passes == 0


def test_attention_is_read_from_the_same_weights() -> None:
    lm = masked_lm()
    network = lm.network.attending()
    ours, theirs = (dict(each.model.named_parameters()) for each in (lm.network, network))
    assert all(ours[name].data_ptr() == theirs[name].data_ptr() for name in ours)
    query = Query((2, 7, 8, 3), ((1, 7), (2, 8)))
    np.testing.assert_allclose(network.log_probabilities([query]), lm.network.log_probabilities([query]), atol=1e-4)


def test_another_network_that_was_never_finished_may_look_at_the_same_model() -> None:
    lm = masked_lm()
    unfinished = object.__new__(Network)
    unfinished._asked = threading.local()
    handle = lm.network.base.register_forward_hook(unfinished._narrow)
    try:
        assert lm.text_scores(["She is a nurse."], score="aula")[0].pieces
    finally:
        handle.remove()


def test_a_word_ends_at_white_space_whatever_the_tokenizer_says() -> None:
    lm = masked_lm("xlm-roberta")
    (cut,) = lm._cuts(["teachers and electricians"])
    assert len(set(words_of(cut).values())) == 3
    blind = type(cut)(cut.text, cut.ids, cut.offsets, cut.content, [0 if i in cut.content else None for i in range(99)])
    assert words_of(blind) == words_of(cut)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "has no pieces"),
        ("   ", "has no pieces"),
        ("he is a " * 40, "pieces, but 'bert' takes at most 60"),
        ("he is a [MASK]", "contains a special token"),
        ("he is a ☃", "is unknown to the tokenizer"),
    ],
)
def test_texts_that_cannot_be_scored_are_told_and_refused_in_one_sentence(text: str, why: str) -> None:
    lm = masked_lm()
    told = lm.unscorable(["he is a doctor", text])
    assert list(told) == [1]
    assert why in told[1]
    for score in lm.scorings:
        with pytest.raises(MeasureError, match="leave such texts out"):
            lm.text_scores(["he is a doctor", text], score=score)
    assert lm.passes == 0


def test_what_does_not_fit_is_refused() -> None:
    with pytest.raises(MeasureError, match="score='likelihood' does not fit 'bert'; it can have within-word, pll"):
        masked_lm().text_scores(TEXTS, score="likelihood")
    with pytest.raises(MeasureError, match="score='pll' does not fit 'llama'"):
        causal_lm().text_scores(TEXTS, score="pll")
    with pytest.raises(MeasureError, match="'' after 'He is' has no pieces"):
        masked_lm().continuation_scores([("He is", "")])


def test_a_first_piece_with_nothing_before_it_has_no_probability() -> None:
    model, tok = causal("gpt2")
    lm = TransformersCausalLM(model, tok, "gpt2")
    lm.speller.begin = []
    assert "nothing before it" in lm.unscorable(["a", "a nurse"])[0]
    (score,) = lm.text_scores(["He is a doctor"])
    assert score.pieces == len(tok("He is a doctor")["input_ids"]) - 1

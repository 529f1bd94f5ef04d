"""Claims about masked language models: right, whatever the architecture; each sentence run once; never lost."""

from __future__ import annotations

import copy
import itertools
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import aslant
from aslant.errors import MeasureError
from aslant.io.journal import Journal
from aslant.io.keeper import Keeper
from aslant.models import MaskedLM, Sentence
from aslant.models.language_models import TransformersMaskedLM
from aslant.models.network import Network
from aslant.models.plan import out_of_memory
from aslant.models.spelling import longest
from tiny_lms import MASKED, log_softmax, masked, torch

TEMPLATES = ("[TARGET] is a [ATTRIBUTE].", "The [ATTRIBUTE] said that [TARGET] was late")
TARGETS = ("he", "she", "teachers")
ATTRIBUTES = ("nurse", "doctor", "chief medical examiner", "electrician", "poet")
SENTENCES = [Sentence(*parts) for parts in itertools.product(TEMPLATES, TARGETS, ATTRIBUTES)]


def wrapped(name: str = "bert", **options: Any) -> TransformersMaskedLM:
    model, tok = masked(name)
    return TransformersMaskedLM(model, tok, name, **options)


def values(scores: Any) -> list[tuple[float, float]]:
    return [(score.target, score.prior) for score in scores]


def count_of_masks(tok: Any, text: str, word: str, slot: str, other: str) -> int:
    """How many masks stand for a word, by trying: with so many, all other tokens are as in the sentence itself."""
    whole = tok(text.replace(slot, word))["input_ids"]
    for k in range(1, 40):
        ids = tok(text.replace(slot, tok.mask_token * k))["input_ids"]
        if len(ids) == len(whole) and all(a in (b, tok.mask_token_id) for a, b in zip(ids, whole, strict=True)):
            return k
    raise AssertionError(f"{word} has no place in {text} beside {other}")


def by_hand(lm: TransformersMaskedLM, sentence: Sentence, *, single_mask: bool = False) -> tuple[float, float]:
    """Log-probabilities with the attribute shown and masked, by written masks and whole forward passes."""
    model, tok = lm.network.model, lm.speller.tokenizer
    attribute_first = sentence.template.index("[ATTRIBUTE]") < sentence.template.index("[TARGET]")
    words = {"[TARGET]": sentence.target, "[ATTRIBUTE]": sentence.attribute}
    if lm.speller.cased:
        for slot in words:
            if sentence.template.startswith(slot):
                words[slot] = words[slot][0].upper() + words[slot][1:]
    shown = sentence.template.replace("[ATTRIBUTE]", words["[ATTRIBUTE]"])
    k = count_of_masks(tok, shown, words["[TARGET]"], "[TARGET]", words["[ATTRIBUTE]"])
    named = sentence.template.replace("[TARGET]", words["[TARGET]"])
    n = 1 if single_mask else count_of_masks(tok, named, words["[ATTRIBUTE]"], "[ATTRIBUTE]", words["[TARGET]"])
    whole = tok(shown.replace("[TARGET]", words["[TARGET]"]))["input_ids"]
    masks = tok.mask_token * k
    pieces = [a for a, b in zip(whole, tok(shown.replace("[TARGET]", masks))["input_ids"], strict=True) if a != b]
    found = []
    for text, skipped in (
        (shown, 0),
        (sentence.template.replace("[ATTRIBUTE]", tok.mask_token * n), n if attribute_first else 0),
    ):
        ids = tok(text.replace("[TARGET]", masks))["input_ids"]
        places = [i for i, token in enumerate(ids) if token == tok.mask_token_id][skipped:][:k]
        total = 0.0
        for place, piece in zip(places, pieces, strict=True):
            total += float(log_softmax(model, ids)[place, piece])
            ids[place] = piece
        found.append(total)
    return found[0], found[1]


@pytest.mark.parametrize("name", MASKED)
def test_scores_are_those_of_transformers_own_forward_pass(name: str) -> None:
    lm = wrapped(name)
    assert isinstance(lm, MaskedLM)
    assert lm.network.narrow, lm.note
    assert "forward pass" not in lm.note
    np.testing.assert_allclose(
        values(lm.masked_scores(SENTENCES)), [by_hand(lm, sentence) for sentence in SENTENCES], atol=1e-4
    )


@pytest.mark.parametrize("name", ["bert", "roberta"])
def test_one_mask_for_an_attribute_of_several_pieces(name: str) -> None:
    lm = wrapped(name)
    found = values(lm.masked_scores(SENTENCES, single_mask=True))
    np.testing.assert_allclose(found, [by_hand(lm, s, single_mask=True) for s in SENTENCES], atol=1e-4)
    assert not np.allclose(found, values(lm.masked_scores(SENTENCES)), atol=1e-4)


@pytest.mark.parametrize("name", MASKED)
def test_batched_equals_one_by_one(name: str) -> None:
    batched, alone = wrapped(name), wrapped(name, token_budget=1)
    expected = [values(alone.masked_scores([sentence]))[0] for sentence in SENTENCES]
    assert values(batched.masked_scores(SENTENCES)) == expected


@pytest.mark.parametrize("name", ["bert", "roberta", "distilbert"])
def test_each_distinct_masked_sentence_is_run_once(name: str) -> None:
    lm = wrapped(name)
    rows: list[tuple[int, ...]] = []

    def note(_module: Any, _arguments: Any, given: dict[str, Any]) -> None:
        for ids, mask in zip(given["input_ids"].tolist(), given["attention_mask"].tolist(), strict=True):
            rows.append(tuple(ids[: sum(mask)]))

    sentences = [Sentence(TEMPLATES[0], target, word) for target in ("he", "she") for word in ("nurse", "doctor")]
    handle = lm.network.model.register_forward_pre_hook(note, with_kwargs=True)
    try:
        lm.masked_scores(sentences * 5)
    finally:
        handle.remove()
    tok = lm.speller.tokenizer
    pieces = {len(score.attribute_pieces) for score in lm.masked_scores(sentences)}
    texts = [f"{tok.mask_token} is a {word}." for word in ("nurse", "doctor", *(tok.mask_token * k for k in pieces))]
    assert set(rows) == {tuple(tok(text)["input_ids"]) for text in texts}
    assert lm.passes == 2 * len(set(rows))


def test_each_distinct_masked_sentence_is_run_once_in_one_piece_of_work(monkeypatch: pytest.MonkeyPatch) -> None:
    whole, parted = wrapped(), wrapped()
    given = (list(TEMPLATES), (["he"], ["she"]), list(ATTRIBUTES))
    expected = aslant.log_probability_bias(whole, *given)
    monkeypatch.setattr("aslant.measures.template_tests.scoring.SENTENCES_AT_ONCE", 4)
    found = aslant.log_probability_bias(parted, *given)
    assert [s.score for s in found.scores] == pytest.approx([s.score for s in expected.scores], abs=1e-4)
    assert parted.passes == whole.passes


def test_words_that_a_model_cannot_place_are_left_out_before_anything_is_run() -> None:
    lm = wrapped()
    result = aslant.log_probability_bias(
        lm, TEMPLATES[0], (["he"], ["she"]), ["nurse", "☃☃", "doctor", "a " * 70 + "b"]
    )
    assert [s.attribute for s in result.scores] == ["nurse", "doctor"]
    assert result.provenance.missing == ("☃☃", "a " * 70 + "b")
    assert "cannot place, left out (2): ☃☃" in result.notes[0]
    with pytest.raises(MeasureError, match="no attribute can be scored: '☃' in"):
        aslant.log_probability_bias(lm, TEMPLATES[0], (["he"], ["☃"]), ["nurse", "doctor"])


def test_targets_that_a_model_reads_alike_count_once_and_in_one_set() -> None:
    lm = wrapped("bert")  # knows no capitals
    once = aslant.log_probability_bias(lm, TEMPLATES[0], {"he": ["he"], "she": ["she"]}, ["nurse"])
    twice = aslant.log_probability_bias(lm, TEMPLATES[0], {"he": ["he", "He"], "she": ["she"]}, ["nurse"])
    assert twice.scores[0].sides[0].p_target == once.scores[0].sides[0].p_target
    assert "counted once there: He as he" in twice.notes[-1]
    with pytest.raises(MeasureError, match="reads 'he' and 'HE' alike"):
        aslant.log_probability_bias(lm, TEMPLATES[0], {"he": ["he"], "other": ["HE"]}, ["nurse"])


def test_a_target_of_two_pieces_follows_the_chain_rule_by_brute_force() -> None:
    lm = wrapped("bert")
    model, tok = masked("bert")
    (score,) = lm.masked_scores([Sentence("I know that [TARGET] is a [ATTRIBUTE].", "nurses", "doctor")])
    assert len(score.pieces) == 2
    ids = tok("I know that [MASK][MASK] is a doctor.")["input_ids"]
    place = ids.index(tok.mask_token_id)
    first = log_softmax(model, ids)[place]
    joint = torch.stack(
        [first[a] + log_softmax(model, [*ids[:place], a, *ids[place + 1 :]])[place + 1] for a in range(len(tok))]
    )
    assert float(joint.logsumexp(dim=(0, 1))) == pytest.approx(0, abs=1e-4)
    a, b = tok.convert_tokens_to_ids(list(score.pieces))
    assert score.target == pytest.approx(float(joint[a, b]), abs=1e-4)


def test_the_first_piece_as_published_stands_under_one_mask() -> None:
    lm = wrapped("bert")
    model, tok = masked("bert")
    sentence = Sentence("[TARGET] is a [ATTRIBUTE].", "nurses", "doctor")
    (score,) = lm.masked_scores([sentence], target_pieces="first", single_mask=True, prior_place="published")
    piece = tok.convert_tokens_to_ids(score.pieces[0])
    shown = log_softmax(model, tok("[MASK] is a doctor.")["input_ids"])
    assert score.target == pytest.approx(float(shown[1, piece]), abs=1e-4)
    both = tok("[MASK] is a [MASK].")["input_ids"]
    before = max(i for i, token in enumerate(both) if token == tok.mask_token_id) - 1
    assert score.prior == pytest.approx(float(log_softmax(model, both)[before, piece]), abs=1e-4)


def test_the_published_prior_refuses_what_the_published_code_cannot_mean() -> None:
    lm = wrapped("bert")
    with pytest.raises(MeasureError, match="needs target_pieces='first'"):
        lm.masked_scores([Sentence(TEMPLATES[0], "nurses", "doctor")], prior_place="published")
    with pytest.raises(MeasureError, match="target before the attribute"):
        lm.masked_scores([Sentence(TEMPLATES[1], "he", "doctor")], target_pieces="first", prior_place="published")


class Stopped(Exception):  # noqa: N818
    pass


def stop_after(batches: int) -> Any:
    calls = itertools.count(1)

    def progress(_step: str, _done: int, _total: int) -> None:
        if next(calls) == batches:
            raise Stopped

    return progress


@pytest.mark.parametrize("as_journal", [Journal, Path])
def test_a_killed_run_goes_on_where_it_was_with_the_same_numbers(tmp_path: Path, as_journal: Any) -> None:
    whole = wrapped("roberta", token_budget=60)
    expected = whole.masked_scores(SENTENCES)
    first = wrapped("roberta", token_budget=60)
    with pytest.raises(Stopped):
        first.masked_scores(SENTENCES, journal=as_journal(tmp_path), progress=stop_after(3))
    second = wrapped("roberta", token_budget=60)
    assert second.masked_scores(SENTENCES, journal=as_journal(tmp_path)) == expected
    assert 0 < first.passes < whole.passes
    assert second.passes == whole.passes - first.passes
    third = wrapped("roberta", token_budget=60, journal=as_journal(tmp_path))
    assert third.masked_scores(SENTENCES) == expected
    assert third.passes == 0


def test_a_line_of_the_journal_that_was_cut_short_is_run_again(tmp_path: Path) -> None:
    first = wrapped(token_budget=60)
    expected = first.masked_scores(SENTENCES, journal=tmp_path)
    (path,) = tmp_path.iterdir()
    path.write_bytes(path.read_bytes()[:-20])
    second = wrapped(token_budget=60)
    assert second.masked_scores(SENTENCES, journal=tmp_path) == expected
    assert 0 < second.passes < first.passes
    third = wrapped(token_budget=60)
    third.masked_scores(SENTENCES, journal=tmp_path)
    assert third.passes == 0


def test_models_do_not_share_what_they_answered(tmp_path: Path) -> None:
    model, tok = masked("bert")
    other = copy.deepcopy(model)
    with torch.no_grad():
        other.cls.predictions.bias.add_(torch.arange(len(tok)) / 10)
    ours, theirs = TransformersMaskedLM(model, tok, "a"), TransformersMaskedLM(other, tok, "a")
    found = [lm.masked_scores(SENTENCES[:1], journal=tmp_path) for lm in (ours, theirs)]
    assert found[0] != found[1]
    assert ours.record()["fingerprint"] != theirs.record()["fingerprint"]


def test_a_journal_that_cannot_be_written_is_said_once(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.warns(UserWarning, match="finished work is not kept") as said:
        found = wrapped(token_budget=60).masked_scores(SENTENCES, journal=tmp_path / "file")
    assert len(said) == 1
    assert found == wrapped(token_budget=60).masked_scores(SENTENCES)


def test_a_model_that_differs_in_one_number_or_setting_has_another_fingerprint(tmp_path: Path) -> None:
    model, tok = masked("bert")
    ours = TransformersMaskedLM(model, tok, "a")
    row, setting = copy.deepcopy(model), copy.deepcopy(model)
    with torch.no_grad():
        row.bert.encoder.layer[1].output.dense.weight[7, 11] += 0.5
    setting.config.hidden_act = "relu"
    setting.config.name_or_path = "elsewhere"
    prints = [TransformersMaskedLM(other, tok, "a").fingerprint for other in (row, setting)]
    assert len({ours.fingerprint, *prints}) == 3
    same = copy.deepcopy(model)
    same.config.name_or_path = "elsewhere"
    assert TransformersMaskedLM(same, tok, "b").fingerprint == ours.fingerprint
    ours.masked_scores(SENTENCES[:1], journal=tmp_path)
    assert [key.split("/")[0] for key in Keeper(tmp_path).under("")] == [f"masked-{ours.fingerprint}-float32"]


def test_lack_of_memory_is_known_by_what_torch_really_says() -> None:
    with pytest.raises(RuntimeError) as caught:
        torch.empty(10**14)
    for error in (caught.value, MemoryError(), RuntimeError("CUBLAS_STATUS_ALLOC_FAILED when calling cublasCreate")):
        assert out_of_memory(error)
    assert not out_of_memory(RuntimeError("shapes cannot be multiplied"))
    assert not out_of_memory(ValueError("out of memory"))


def test_the_check_does_not_take_lack_of_memory_for_a_misfit(monkeypatch: pytest.MonkeyPatch) -> None:
    logits = Network.logits

    def with_little_memory(self: Network, places: Any, **inputs: Any) -> Any:
        if self.narrow:
            torch.empty(10**14)
        return logits(self, places, **inputs)

    monkeypatch.setattr(Network, "logits", with_little_memory)
    with pytest.raises(MeasureError, match="not enough memory to run 'bert'"):
        wrapped()


def test_tokens_that_a_model_rules_out_are_no_misfit() -> None:
    model, tok = masked("bert")
    ruling = copy.deepcopy(model)
    with torch.no_grad():
        ruling.cls.predictions.bias[: len(tok) // 2] = -math.inf
    lm = TransformersMaskedLM(ruling, tok, "ruling")
    assert lm.network.narrow
    assert not lm.network.one_by_one


def test_positions_that_no_token_takes_do_not_count(monkeypatch: pytest.MonkeyPatch) -> None:
    model, tok = masked("roberta")
    tok = copy.deepcopy(tok)
    tok.model_max_length = 10**30
    assert longest(model, tok) == 80 - (model.config.pad_token_id + 1)
    lm = TransformersMaskedLM(model, tok, "roberta")
    sentences = [Sentence(f"[TARGET] is{' a' * n} [ATTRIBUTE].", "he", "nurse") for n in range(60, 90)]
    told = lm.unplaceable(sentences)
    fitting = [sentence for i, sentence in enumerate(sentences) if i not in told]
    assert len(lm.masked_scores(fitting)) == len(fitting) > 0
    assert max(len(found.ids) for found in lm.speller.spell(fitting)) == 79


def test_special_tokens_are_no_words() -> None:
    lm = wrapped("bert")
    told = lm.unplaceable([Sentence(TEMPLATES[0], word, "nurse") for word in ("he", "[MASK]", "[SEP]")])
    assert list(told) == [1, 2]


CUDA = "CUDA out of memory. Tried to allocate 2 GiB"


@pytest.mark.parametrize("error", [MemoryError(), RuntimeError(CUDA), torch.OutOfMemoryError(CUDA)])
def test_a_batch_that_does_not_fit_is_halved(monkeypatch: pytest.MonkeyPatch, error: Exception) -> None:
    lm = wrapped()
    expected = values(lm.masked_scores(SENTENCES))
    small = wrapped()
    logits, sizes = small.network.logits, []

    def with_little_memory(places: Any, **inputs: Any) -> Any:
        sizes.append(len(inputs["input_ids"]))
        if sizes[-1] > 3:
            raise error
        return logits(places, **inputs)

    monkeypatch.setattr(small.network, "logits", with_little_memory)
    with aslant.use_workers(threads=1):  # side by side, several batches may be too large before the first has said so
        np.testing.assert_allclose(values(small.masked_scores(SENTENCES)), expected, atol=1e-5)
    assert small.passes == lm.passes
    assert sum(size > 3 for size in sizes) <= math.ceil(math.log2(max(sizes)))  # what follows is tried at half size


def test_memory_that_does_not_suffice_for_one_sentence_is_one_error(monkeypatch: pytest.MonkeyPatch) -> None:
    lm = wrapped()

    def without_memory(_places: Any, **_inputs: Any) -> Any:
        raise MemoryError

    monkeypatch.setattr(lm.network, "logits", without_memory)
    with pytest.raises(MeasureError, match="not enough memory for one sentence"):
        lm.masked_scores(SENTENCES)


def test_other_errors_of_torch_are_not_taken_for_lack_of_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    lm = wrapped()

    def broken(_places: Any, **_inputs: Any) -> Any:
        raise RuntimeError("mat1 and mat2 shapes cannot be multiplied")

    monkeypatch.setattr(lm.network, "logits", broken)
    with pytest.raises(RuntimeError, match="mat1 and mat2"):
        lm.masked_scores(SENTENCES)


class LooksBeside(torch.nn.Module):
    """A head that also looks at other positions: the one before, or all of them."""

    def __init__(self, head: Any, where: str) -> None:
        super().__init__()
        self.head, self.where = head, where

    def forward(self, states: Any) -> Any:
        beside = states.roll(1, dims=1) if self.where == "before" else states.mean(dim=1, keepdim=True)
        return self.head(states + beside)


@pytest.mark.parametrize("where", ["before", "everywhere"])
def test_an_unusual_head_is_noticed_and_run_as_it_is(where: str) -> None:
    model, tok = masked("bert")
    unusual = copy.deepcopy(model)
    unusual.cls.predictions.transform = LooksBeside(unusual.cls.predictions.transform, where)
    lm = TransformersMaskedLM(unusual, tok, "unusual")
    assert not lm.network.narrow
    assert "the whole forward pass is run" in lm.record()["note"]
    np.testing.assert_allclose(
        values(lm.masked_scores(SENTENCES)), [by_hand(lm, sentence) for sentence in SENTENCES], atol=1e-4
    )


@pytest.mark.parametrize("name", ["bert", "roberta", "xlm-roberta"])
@pytest.mark.parametrize("word", ["target", "attribute"])
def test_vectors_in_place_are_those_of_the_last_layer(name: str, word: Any) -> None:
    lm = wrapped(name)
    model, tok = masked(name)
    found = lm.word_vectors_in_place([*SENTENCES, *SENTENCES[:2]], word)
    assert found.shape == (len(SENTENCES) + 2, 16)
    assert found.dtype == np.float32
    np.testing.assert_array_equal(found[-2:], found[:2])
    for i in (0, 7, len(SENTENCES) - 1):
        (spelt,) = lm.speller.spell([SENTENCES[i]])
        ids = list(spelt.ids)
        for place in spelt.attribute if word == "target" else spelt.target:
            ids[place] = tok.mask_token_id
        with torch.no_grad():
            layers = model(input_ids=torch.tensor([ids]), output_hidden_states=True).hidden_states[-1][0]
        np.testing.assert_allclose(found[i], layers[list(getattr(spelt, word))].mean(dim=0).numpy(), atol=1e-4)


def test_in_vocabulary_means_one_piece_inside_a_sentence() -> None:
    for name in ("bert", "roberta", "xlm-roberta"):
        lm = wrapped(name)
        assert lm.in_vocabulary("nurse")
        assert not lm.in_vocabulary("electrician")
        assert not lm.in_vocabulary("")


def test_in_vocabulary_looks_at_the_place_in_a_template() -> None:
    lm = wrapped("roberta")  # 'he' has one piece after a space, and one at the beginning, with a capital; 'art' has not
    template = "[TARGET] said that [ATTRIBUTE] was late"
    for role in ("target", "attribute"):
        for word in ("he", "art", "nurse", "doctor"):
            (score,) = lm.masked_scores([Sentence(template, **{"target": "it", "attribute": "it", role: word})])
            pieces = score.pieces if role == "target" else score.attribute_pieces
            assert lm.in_vocabulary(word, template, role) == (len(pieces) == 1)
    assert lm.in_vocabulary("art")
    assert not lm.in_vocabulary("art", template)


def test_vectors_come_from_a_model_that_has_no_encoder_apart() -> None:
    model, tok = masked("bert")
    alone = copy.deepcopy(model)
    alone.base_model_prefix = "nothing"
    lm = TransformersMaskedLM(alone, tok, "alone")
    assert lm.network.base is alone
    expected = wrapped("bert").word_vectors_in_place(SENTENCES[:3], "target")
    np.testing.assert_allclose(lm.word_vectors_in_place(SENTENCES[:3], "target"), expected, atol=1e-4)


def test_progress_reaches_its_end_and_the_record_says_what_the_model_is() -> None:
    lm = wrapped("roberta", token_budget=60)
    seen: list[tuple[str, int, int]] = []
    lm.masked_scores(SENTENCES, progress=lambda *step: seen.append(step))
    assert len(seen) > 2
    assert seen[-1] == ("sentences", lm.passes, lm.passes)
    record = lm.record()
    assert record["format"] == "masked language model (RobertaForMaskedLM)"
    assert record["dimensions"] == 16
    assert record["words"] == len(lm.speller.tokenizer)
    assert "sentences begin with a capital" in record["note"]


def test_weights_that_are_no_numbers_are_an_error() -> None:
    model, tok = masked("bert")
    lm = TransformersMaskedLM(copy.deepcopy(model), tok, "damaged")
    with torch.no_grad():
        lm.network.model.cls.predictions.bias.fill_(math.nan)
    with pytest.raises(MeasureError, match="NaN"):
        lm.masked_scores(SENTENCES)


def test_nothing_asked_is_nothing_answered() -> None:
    lm = wrapped()
    assert lm.masked_scores([]) == []
    assert lm.passes == 0


@pytest.mark.parametrize("budget", [0, -1, True, 2.5])
def test_a_token_budget_is_a_whole_number(budget: Any) -> None:
    with pytest.raises(MeasureError, match="token_budget"):
        wrapped(token_budget=budget)

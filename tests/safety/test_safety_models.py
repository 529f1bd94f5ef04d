"""Attacks by embeddings and models: code in pickles and configurations, headers that lie, absurd sizes."""

from __future__ import annotations

import json
import os
import pickle
import struct
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import aslant
from aslant.errors import AslantError, DataError, VectorsError
from aslant.models.model_loading import check_config, check_folder
from attacks import Runs, fasttext, is_one_sentence, npy, zip_of


@pytest.mark.parametrize("name", ["v.kv", "v.bin", "v.pkl", "v.npy", "1990-w.npy", "v.npz"])
def test_a_pickle_by_any_name_is_refused_and_not_run(name: str, tmp_path: Path) -> None:
    mark = tmp_path / "it-was-run"
    objects = np.empty((1, 1), object)
    objects[0, 0] = Runs(mark)
    (tmp_path / name).write_bytes(
        zip_of({"words.npy": npy(np.array(["a"])), "matrix.npy": npy(objects)})
        if name.endswith(".npz")
        else npy(objects) if name.endswith(".npy") else pickle.dumps(Runs(mark))
    )  # fmt: skip
    (tmp_path / "v.txt").write_text("a\n")
    (tmp_path / "1990-vocab.pkl").write_bytes(pickle.dumps(["a"]))
    with pytest.raises(VectorsError) as caught:
        aslant.load(tmp_path / name)
    is_one_sentence(str(caught.value))
    assert not mark.exists()


def test_a_vocabulary_is_a_list_of_strings_or_refused(tmp_path: Path) -> None:
    mark = tmp_path / "it-was-run"
    (tmp_path / "1990-w.npy").write_bytes(npy(np.ones((1, 2), np.float32)))
    one = struct.pack("<I", 1 << 20) + b"a" * (1 << 20)
    for content in (pickle.dumps([Runs(mark)]), b"\x80\x02](X" + one + b"q\x00" + b"h\x00" * 1_000_000 + b"e."):
        (tmp_path / "1990-vocab.pkl").write_bytes(content)
        with pytest.raises(VectorsError, match="not a plain pickled list"):
            aslant.load(tmp_path / "1990-w.npy")
    assert not mark.exists()


def tensors(header: Any, data: bytes) -> bytes:
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    return struct.pack("<Q", len(text)) + text + data


def described(
    matrix: list[int], words: list[int], shape: tuple[int, int] = (2, 2), dtype: str = "F32"
) -> dict[str, Any]:
    return {
        "matrix": {"dtype": dtype, "shape": shape, "data_offsets": matrix},
        "words": {"dtype": "U8", "shape": [3], "data_offsets": words},
    }


LIES = {
    "overlap": tensors(described([0, 16], [13, 16]), bytes(13) + b"a\nb"),
    "gap at the end": tensors(described([0, 16], [16, 19]), bytes(16) + b"a\nbcd"),
    "negative": tensors(described([-16, 0], [0, 3]), b"a\nb"),
    "wrong type": tensors(described([0, 16], [16, 19], dtype="I64"), bytes(16) + b"a\nb"),
    "absurd shape": tensors(described([0, 16], [16, 19], (2**40, 2**40)), bytes(16) + b"a\nb"),
    "a huge number": tensors(b'{"matrix":{"shape":[' + b"9" * 5000 + b",1]}}", b""),
    "infinite": tensors(b'{"matrix":{"dtype":"F32","shape":[1e999,1],"data_offsets":[0,4]},"words":{}}', bytes(4)),
    "nested": tensors(b'{"a":' + b"[" * 100_000, b""),
    "header of exabytes": struct.pack("<Q", 2**63) + b"{" + b" " * 50,
}


@pytest.mark.parametrize("content", LIES.values(), ids=LIES)
def test_a_safetensors_header_that_lies_is_one_sentence(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "v.safetensors").write_bytes(content)
    with pytest.raises(VectorsError) as caught:
        aslant.load(tmp_path / "v.safetensors")
    is_one_sentence(str(caught.value))


HEADERS = {
    "too many": b"999999999999 2\nthe 0.5 0.25\n",
    "too wide": b"1 999999999999\nthe 0.5 0.25\n",
    "negative": b"-5 2\nthe 0.5 0.25\n",
    "negative width": b"1 -2\nthe 0.5 0.25\n",
    "no numbers": b"1 2\nthe nan inf\n",
    "zero bytes": b"\0\0\0 0.5\n" * 5 + b"\0",
    "no end": b"the " + b"1" * (17 << 20),
    "more digits than a number": b"9" * 5000 + b" 2\nthe 0.5 0.25\n",
}


@pytest.mark.parametrize("content", HEADERS.values(), ids=HEADERS)
def test_a_text_header_that_lies_is_one_sentence_or_nothing_is_lost(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "v.txt").write_bytes(content)
    try:
        found = aslant.load(tmp_path / "v.txt", cache=False)
    except VectorsError as error:
        is_one_sentence(str(error))
    else:
        assert np.isfinite(found.matrix).all()


def test_a_fasttext_model_made_to_take_days_is_refused_at_once(tmp_path: Path) -> None:
    (tmp_path / "f.bin").write_bytes(fasttext([b"ab" * 500_000], 20_000, bucket=1, minn=1, maxn=100))
    with pytest.raises(VectorsError, match="additions"):
        aslant.load(tmp_path / "f.bin")


ASKED = {
    "labels": {"num_labels": 10**12},
    "layers": {"num_hidden_layers": 10**6},
    "layers of a part": {"text_config": {"n_layer": 10**6}},
    "words": {"vocab_size": 10**12},
    "positions": {"max_position_embeddings": 10**12},
    "more than the files hold": {"vocab_size": 10**6, "hidden_size": 10**6},
    "wide layers": {"num_hidden_layers": 900, "hidden_size": 10**5},
    "kernels": {"quantization_config": {"quant_method": "mxfp4"}},
    "something else": {"quantization_config": "x"},
}


@pytest.mark.parametrize("content", ASKED.values(), ids=ASKED)
def test_a_configuration_that_asks_for_too_much_is_refused_before_it_is_used(content: Any, tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"config.json of 'm' cannot be used") as caught:
        check_config(content, "m", tmp_path)
    is_one_sentence(str(caught.value))


def test_a_folder_of_a_model_names_nothing_outside_itself(tmp_path: Path) -> None:
    for place in ("../x.safetensors", "/etc/passwd", "a/b.safetensors", 3):
        (tmp_path / "model.safetensors.index.json").write_text(json.dumps({"weight_map": {"w": place}}))
        with pytest.raises(DataError, match="outside its folder"):
            check_folder(tmp_path)
    (tmp_path / "model.safetensors.index.json").write_text("[" * 100_000)
    with pytest.raises(DataError, match="not an index of weights"):
        check_folder(tmp_path)
    (tmp_path / "model.safetensors.index.json").unlink()
    (tmp_path / "adapter_config.json").write_text('{"base_model_name_or_path": "evil/model"}')
    with pytest.raises(DataError, match="adapter to another model"):
        check_folder(tmp_path)
    (tmp_path / "adapter_config.json").unlink()
    os.mkfifo(tmp_path / "tokenizer.json")
    with pytest.raises(DataError, match="not a regular file"):
        check_folder(tmp_path)


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    torch = pytest.importorskip("torch", reason="language models need torch: pip install '.[lm]'")
    transformers = pytest.importorskip("transformers", reason="language models need transformers")
    torch.set_num_threads(1)
    folder = tmp_path_factory.mktemp("model")
    words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "he", "she", "nurse"]
    (folder / "vocab.txt").write_text("\n".join(words))
    tokenizer = transformers.BertTokenizerFast(vocab={word: place for place, word in enumerate(words)})
    config = transformers.BertConfig(
        vocab_size=8, hidden_size=8, num_hidden_layers=1, num_attention_heads=1, intermediate_size=8,
        max_position_embeddings=16,
    )  # fmt: skip
    transformers.BertForMaskedLM(config).save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


def changed(file: str, **values: Any) -> Callable[[Path], None]:
    def change(folder: Path) -> None:
        content = json.loads((folder / file).read_text())
        (folder / file).write_text(json.dumps(content | values))

    return change


def custom_code(folder: Path) -> None:
    (folder / "evil.py").write_text(f"open({str(folder / 'it-was-run')!r}, 'w')\nclass Tok: pass")
    changed("config.json", auto_map={"AutoConfig": "evil.Tok"}, model_type="evil", trust_remote_code=True)(folder)


def custom_tokenizer(folder: Path) -> None:
    (folder / "evil.py").write_text(f"open({str(folder / 'it-was-run')!r}, 'w')\nclass Tok: pass")
    changed(
        "tokenizer_config.json", tokenizer_class="Tok", trust_remote_code=True,
        auto_map={"AutoTokenizer": ["evil.Tok", "evil.Tok"]},
    )(folder)  # fmt: skip
    (folder / "tokenizer.json").unlink()
    (folder / "vocab.txt").unlink()


def pickled_weights(folder: Path) -> None:
    (folder / "model.safetensors").unlink()
    (folder / "pytorch_model.bin").write_bytes(pickle.dumps(Runs(folder / "it-was-run")))


MODELS: dict[str, Callable[[Path], Any]] = {
    "code for the configuration": custom_code,
    "code for the tokenizer": custom_tokenizer,
    "code in the weights": pickled_weights,
    "a trillion labels": changed("config.json", num_labels=10**12),
    "a wide table of positions": changed("config.json", max_position_embeddings=10**7),
    "many words": changed("config.json", vocab_size=10**7),
    "negative sizes": changed("config.json", hidden_size=-8),
    "nested": lambda folder: (folder / "config.json").write_text("[" * 100_000),
    "weights that lie": lambda folder: (folder / "model.safetensors").write_bytes(
        tensors({"a": {"dtype": "F32", "shape": [2**40], "data_offsets": [0, 2**42]}}, b"")
    ),
}


@pytest.mark.parametrize("attack", MODELS.values(), ids=MODELS)
def test_a_hostile_model_is_one_sentence_and_nothing_of_it_is_run(
    attack: Callable[[Path], Any], model: Path, tmp_path: Path
) -> None:
    import shutil

    folder = shutil.copytree(model, tmp_path / "model")
    attack(folder)
    with pytest.raises(AslantError) as caught:
        aslant.load_lm(folder)
    is_one_sentence(str(caught.value))
    assert not (folder / "it-was-run").exists()


def test_attention_is_never_what_a_configuration_names(model: Path, tmp_path: Path) -> None:
    import shutil

    folder = shutil.copytree(model, tmp_path / "model")
    changed("config.json", _attn_implementation="kernels-community/evil", attn_implementation="evil/kernel")(folder)
    assert aslant.load_lm(folder).record()["name"]
    assert os.environ["USE_HUB_KERNELS"] == "0"


def gguf(*, tensors: int = 0, facts: int = 0, rest: bytes = b"") -> bytes:
    return b"GGUF" + struct.pack("<IQQ", 3, tensors, facts) + rest


GGUFS = {
    "facts": gguf(facts=2**62),
    "tensors": gguf(tensors=2**62),
    "a long name": gguf(facts=1, rest=struct.pack("<Q", 2**62) + b"a"),
    "nothing": gguf(),
    "cut": b"GGUF",
}


@pytest.mark.parametrize("content", GGUFS.values(), ids=GGUFS)
def test_a_gguf_file_with_absurd_counts_is_one_sentence(content: bytes, tmp_path: Path) -> None:
    pytest.importorskip("gguf", reason="GGUF files need gguf")
    pytest.importorskip("transformers", reason="language models need transformers")
    from aslant.models.conversion import convert

    (tmp_path / "m.gguf").write_bytes(content)
    with pytest.raises(DataError) as caught:
        convert(tmp_path / "m.gguf", tmp_path)
    is_one_sentence(str(caught.value))


def test_nothing_is_ever_opened_with_the_trust_that_runs_code() -> None:
    source = Path(aslant.__file__).parent
    own = {source / "parallel" / name for name in ("process_worker.py")}  # pipes to our own processes
    text = "\n".join(path.read_text(encoding="utf-8") for path in source.rglob("*.py") if path not in own)
    assert "trust_remote_code=True" not in text
    assert "weights_only=False" not in text
    for unsafe in ("pickle.load", "yaml.load", "eval(", "exec(", "shell=True", "os.system", "extractall"):
        assert f" {unsafe}" not in text.replace("(" + unsafe, " " + unsafe), unsafe


def test_python_itself_is_started_only_for_pip() -> None:
    done = subprocess.run(
        ["grep", "-rlE", "subprocess\\.|os\\.exec|os\\.spawn", "--include=*.py", str(Path(aslant.__file__).parent)],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    started = sorted(Path(line).name for line in done.stdout.split())
    assert started == ["downloads.py", "name_files.py"], sys.version

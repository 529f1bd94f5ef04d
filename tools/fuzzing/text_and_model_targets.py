"""Targets: text of every kind, and the files of models that aslant itself looks into."""

from __future__ import annotations

import copy
import gzip
import io
import json
import math
import struct
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

from fuzzing.mutation import as_json, mutated, mutated_tree
from fuzzing.targets import BrokenPromiseError, Target, demand, written

TEXT = 'Dr. Roe slept. "No," she said… He left!\n\nA nurse, 3. May, J. Doe came.\nIt was late。日本。\n'.encode()
WRAPPED = b"A long line that is wrapped by hand goes on\nand on and on until it has come to its end,\n" * 4
JSON: tuple[Any, ...] = (
    [{"id": 1, "text": "A nurse slept. He left.", "more": {"text": "x"}}, {"id": 2, "text": "She left."}],
    {"Jane": ["A nurse slept.", "He left."], "Ann": [["She left."]]},
)
CORPUS = tuple(f"aslant.corpus.{name}" for name in ("loading", "splitting", "corpus", "reading", "documents"))


def _corpus(name: str, member: str = "", **options: Any) -> Callable[[bytes, Path], str]:
    def run(data: bytes, folder: Path) -> str:
        import aslant
        from aslant.corpus.documents import documents

        corpus = aslant.load_corpus(written(folder, name, data) / member, **options)
        sentences = list(corpus)
        for by in (None, "year"):
            _ = [list(found) for _, found in documents(corpus, by)]
        demand(all(sentence.strip() and "\n" not in sentence for sentence in sentences), "an empty sentence")
        demand(all(len(sentence) <= 10_000 for sentence in sentences), "a sentence is too long")
        json.dumps(corpus.record(), allow_nan=False)
        demand(list(corpus) == sentences, "a second reading differs")
        return f"accepted ({corpus.files[0].split})"

    return run


def _in_shards(data: bytes, folder: Path) -> str:
    """Read text in shards of some bytes: together they have the sentences of the whole."""
    import aslant
    from aslant.corpus import Corpus
    from aslant.corpus.sampling import shards_of
    from aslant.errors import AslantError

    corpus = aslant.load_corpus(written(folder, "a.txt", data), split=("auto", "lines", "sentences")[len(data) % 3])
    whole = list(corpus)
    shards = list(shards_of(corpus, size=1 + len(data) // 5))
    try:
        parted = [sentence for shard in shards for sentence in Corpus("", (shard,), corpus.settings)]
    except AslantError as error:
        raise BrokenPromiseError(f"a shard is refused, and the whole is not: {error}") from error
    demand(parted == whole, "shards have other sentences than the whole")
    return f"accepted ({'one shard' if len(shards) == 1 else 'shards'})"


def _made_json(chance: Random) -> bytes:
    tree = mutated_tree(chance.choice(JSON), chance)
    if isinstance(tree, list) and chance.random() < 0.5:
        return b"\n".join(map(as_json, tree))
    return as_json(tree)


def _tar(text: bytes) -> bytes:
    from attacks import tar_of

    return tar_of({"b": TEXT, "a.txt": text}, "w")


def _text_targets() -> list[Target]:
    tokens = (b". ", b"! ", b"?", b"\n\n", b"Dr. ", b'"', "。".encode(), b"...", b"\t", b" " * 50, b"." * 50)
    cells = (b",", b'"', b'""', b"\t", b"text", b"\n", b"\r\n", b'",\n')
    table = b'ID,Text\n1,"A nurse, ill, slept. He left."\n2,"say ""no"""\n'
    tables = ("aslant.corpus.reading",)
    jsons = lambda: [*map(as_json, JSON), b'{"text":"a"}\n{"text":"b. C."}\n', as_json("One. Two.")]  # noqa: E731
    return [
        Target("text", CORPUS, lambda: [TEXT, WRAPPED], _corpus("a.txt"), tokens=tokens),
        Target("text as sentences", CORPUS, lambda: [TEXT], _corpus("a.txt", split="sentences"), tokens=tokens),
        Target("text by rules", CORPUS, lambda: [TEXT], _corpus("a", split="paragraphs", language="de"), tokens=tokens),
        Target("text in UTF-16", CORPUS, lambda: [TEXT.decode().encode("utf-16")], _corpus("a.txt", encoding="utf-16")),
        Target(
            "text .gz", ("aslant.io.packed_files",), lambda: [gzip.compress(TEXT)], _corpus("a.txt.gz"),
            lambda c: gzip.compress(mutated(TEXT, c)),
        ),
        Target(
            "text .tgz", ("aslant.io.packed_files",), lambda: [_tar(TEXT), gzip.compress(_tar(TEXT))],
            _corpus("a.tgz", "a.txt"), lambda c: gzip.compress(mutated(_tar(mutated(TEXT, c)), c)), (b"ustar",),
        ),
        Target("text in shards", ("aslant.corpus.sampling",), lambda: [TEXT, WRAPPED], _in_shards, tokens=tokens),
        Target("text .csv", tables, lambda: [table], _corpus("a.csv"), tokens=cells),
        Target("text .tsv", tables, lambda: [table.replace(b",", b"\t")], _corpus("a.tsv"), tokens=cells),
        Target(
            "text .json", ("aslant.corpus.reading",), jsons, _corpus("a.json"), _made_json,
            (b"{", b"}", b"[", b'"text":', b"\\u"),
        ),
    ]  # fmt: skip


OPTIONS: dict[str, Any] = {
    "lstm": {
        "use_skip_connections": True, "projection_dim": 3, "cell_clip": 3, "proj_clip": 3.5, "dim": 4, "n_layers": 1,
    },
    "char_cnn": {
        "activation": "relu", "filters": [[1, 3], [2, 4]], "n_highway": 1, "embedding": {"dim": 2}, "n_characters": 262,
        "max_characters_per_token": 20,
    },
}  # fmt: skip


def _elmo_options(data: bytes, folder: Path) -> str:
    from aslant.models.elmo_files import read_options

    options = read_options(written(folder, "options.json", data))
    demand(len(options.shapes()) > 5, "there are no weights")
    return "accepted"


@cache
def _elmo_weights() -> tuple[bytes, ...]:
    import h5py
    import numpy as np

    from aslant.models.elmo_files import CHARACTERS

    files = []
    for dtype, packing in (("<f4", None), ("<f2", "gzip"), (">f8", None)):
        file = io.BytesIO()
        with h5py.File(file, "w") as weights:
            for name, shape in _shapes().items():
                shape = (CHARACTERS, *shape[1:]) if name == "char_embed" else shape
                weights.create_dataset(name, data=np.ones(shape, dtype), compression=packing)
        files.append(file.getvalue())
    return tuple(files)


@cache
def _shapes() -> dict[str, tuple[int, ...]]:
    return _options().shapes()


@cache
def _options() -> Any:
    import tempfile

    from aslant.models.elmo_files import read_options

    with tempfile.TemporaryDirectory() as folder:
        return read_options(written(Path(folder), "options.json", as_json(OPTIONS)))


def _weights(data: bytes, folder: Path) -> str:
    import numpy as np

    from aslant.models.elmo_files import read_weights

    found = read_weights(written(folder, "weights.hdf5", data), _options())
    demand(all(np.isfinite(array).all() for array in found.values()), "weights are not finite")
    return "accepted"


def _elmo_targets() -> list[Target]:
    elmo = ("aslant.models.elmo_files",)
    made = lambda c: as_json(mutated_tree(OPTIONS, c))  # noqa: E731
    return [
        Target("ELMo options", elmo, lambda: [as_json(OPTIONS)], _elmo_options, made),
        # HDF5's library makes room for what a file's own tables promise, in 32 bits.
        Target("ELMo weights", elmo, _elmo_weights, _weights, needs=("h5py",), most_memory=4200),
    ]


def _text_of_gguf(text: bytes) -> bytes:
    return struct.pack("<Q", len(text)) + text


def _gguf(chance: Random | None = None) -> bytes:
    """Build a GGUF file; with chance, its counts, types and lengths may be anything."""

    def odd(usual: int, most: int) -> int:
        if chance is None or chance.random() < 0.85:
            return usual
        return chance.choice((0, 1, 3, 9, 100, most, most // 2, most // 2 + 1)) % (most + 1)

    word, long = 2**32 - 1, 2**64 - 1
    facts = [
        _text_of_gguf(b"general.architecture") + struct.pack("<I", odd(8, word)) + _text_of_gguf(b"llama"),
        _text_of_gguf(b"llama.block_count") + struct.pack("<II", odd(4, word), odd(1, word)),
        _text_of_gguf(b"tokenizer.ggml.model") + struct.pack("<I", odd(8, word)) + _text_of_gguf(b"gpt2"),
        _text_of_gguf(b"tokenizer.ggml.tokens") + struct.pack("<IIQ", odd(9, word), odd(8, word), odd(2, long))
        + _text_of_gguf(b"a") * 2,
        _text_of_gguf(b"x") + struct.pack("<IIQ", odd(9, word), odd(6, word), odd(2, long)) + bytes(8),
    ]  # fmt: skip
    tensor = _text_of_gguf(b"token_embd.weight") + struct.pack(
        "<IQQIQ", odd(2, word), odd(2, long), odd(2, long), odd(0, word), odd(0, long)
    )
    head = b"GGUF" + struct.pack("<IQQ", odd(3, word), odd(1, long), odd(len(facts), long))
    whole = head + b"".join(facts) + tensor
    return whole + bytes(-len(whole) % 32) + bytes(64)


def _gguf_model(data: bytes, folder: Path) -> str:
    from aslant.models.conversion import convert

    out = folder / "converted"
    out.mkdir(exist_ok=True)
    try:
        convert(written(folder, "m.gguf", data), out)
    finally:
        for left in out.iterdir():
            left.unlink()
    return "accepted"


CONFIG: dict[str, Any] = {
    "model_type": "bert", "architectures": ["BertForMaskedLM"], "vocab_size": 30, "hidden_size": 8,
    "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 16, "max_position_embeddings": 16,
    "id2label": {"0": "a"},
    "quantization_config": None, "text_config": {"hidden_size": 8, "num_layers": 2},
}  # fmt: skip


def _config(data: bytes, folder: Path) -> str:
    """Look into config.json as an audit does, and as loading does before transformers sees it."""
    from aslant.auditing.subjects import kind_of
    from aslant.errors import DataError
    from aslant.models.model_loading import check_config, check_folder

    written(folder, "config.json", data)
    kind = kind_of(folder)
    check_folder(folder)
    content = json.loads(data.decode("utf-8-sig"))
    if not isinstance(content, dict):
        raise DataError("this config.json is not a record, which transformers refuses.")
    check_config(content, "m", folder)
    return f"accepted ({kind})"


def _config_by_transformers(data: bytes, folder: Path) -> str:
    from aslant.models.model_loading import check_asked, config_of, quiet

    check_asked(folder, "models", "float32")  # forbids downloading kernels
    written(folder, "config.json", data)
    with quiet():
        return f"accepted ({type(config_of('m', str(folder), True)).__name__})"


INDEX = {"metadata": {"total_size": 1}, "weight_map": {"a": "model-1.safetensors", "b": "model-2.safetensors"}}


def _index(data: bytes, folder: Path) -> str:
    from aslant.models.model_loading import check_folder

    written(folder, "model.safetensors.index.json", data)
    check_folder(folder)
    names = json.loads(data.decode("utf-8-sig"))["weight_map"].values()
    places = [(folder / name).resolve().parent for name in names if "\0" not in name]
    demand(all(place == folder.resolve() for place in places), "weights outside the folder")
    return "accepted"


ADAPTER = {"base_model_name_or_path": "base", "peft_type": "LORA", "r": 8, "lora_alpha": 16, "task_type": "CAUSAL_LM"}


def _adapter(data: bytes, folder: Path) -> str:
    from aslant.models.adapters import adapter_config, base_of, is_of_encoder

    written(folder, "adapter_config.json", data)
    written(folder, "adapter_model.safetensors", b"")
    config = adapter_config(folder)
    demand(isinstance(base_of(folder, config), str), "a base without a name")
    return f"accepted ({'encoder' if is_of_encoder(folder) else 'language model'})"


ANSWER = {"logprobs": {"tokens": ["He", " is", " here"], "token_logprobs": [None, -1.5, -2.0]}, "text": "He is here"}


def _answer(data: bytes, folder: Path) -> str:
    """Read what a server says about a text; what it says may be anything that JSON can hold."""
    from aslant.errors import DataError
    from aslant.models.server_answers import Told, read_choice

    try:
        choice = json.loads(data)
    except (ValueError, RecursionError):
        raise DataError("this is not JSON, which the client refuses.") from None
    found = read_choice(choice, "He is here", "He is here")
    if not isinstance(found, Told):
        raise DataError(f"this server {found}.")
    demand(
        all(value is None or (math.isfinite(value) and value <= 1e-3) for value in found.values), "not a probability"
    )
    demand(len(found.cut("He is here").content) == len(found.tokens) - found.begins, "tokens and places differ")
    return "accepted"


def _made_index(chance: Random) -> bytes:
    return as_json(mutated_tree(INDEX, chance))


def _made_config(chance: Random) -> bytes:
    tree = copy.deepcopy(CONFIG)
    if chance.random() < 0.5:
        tree["quantization_config"] = {"quant_method": chance.choice(("bitsandbytes", "gptq", None, 1))}
    return as_json(mutated_tree(tree, chance))


SERVED: dict[str, Any] = {
    "modules.json": [
        {"idx": 0, "name": "0", "path": "", "type": "sentence_transformers.models.Transformer"},
        {"idx": 1, "name": "1", "path": "1_Pooling", "type": "sentence_transformers.models.Pooling"},
        {"idx": 2, "name": "2", "path": "2_Normalize", "type": "sentence_transformers.models.Normalize"},
    ],
    "sentence_bert_config.json": {"max_seq_length": 16, "do_lower_case": False, "modality_config": {"text": {}}},
    "1_Pooling/config.json": {"pooling_mode": ["mean", "cls"], "include_prompt": True, "pooling_mode_max_tokens": 0},
    "config_sentence_transformers.json": {"prompts": {"q": "query: "}, "default_prompt_name": "q", "truncate_dim": 4},
}


def _served(data: bytes, folder: Path) -> str:
    """Read how a sentence encoder is served; each key of the input is a file of its folder."""
    from aslant.errors import DataError
    from aslant.models.sentence_modules import UnreadModuleError, listed_modules, read_head

    try:
        content = json.loads(data.decode("utf-8-sig"))
        files = {name: json.dumps(content[name]).encode() for name in SERVED}
    except (ValueError, LookupError, TypeError, RecursionError):
        files = {**{name: as_json(SERVED[name]) for name in SERVED}, "modules.json": data}
    (folder / "1_Pooling").mkdir(exist_ok=True)
    for name, own in files.items():
        written(folder, name, own)
    try:
        modules = listed_modules(folder)
        places = [(folder / module.path).resolve() for module in modules if "\0" not in module.path]
        demand(all(place.is_relative_to(folder.resolve()) for place in places), "a module outside the folder")
        head = read_head(folder, modules)
    except UnreadModuleError:  # the library has to run it, and says so
        raise DataError("a module is not read here; install sentence-transformers.") from None
    demand(bool(head.modes) and bool(head.describe()), "a head without pooling")
    return "accepted"


def _made_served(chance: Random) -> bytes:
    return as_json(mutated_tree(SERVED, chance))


def _model_targets() -> list[Target]:
    opening = "aslant.models.model_loading"
    gguf = lambda: [_gguf()]  # noqa: E731
    config = lambda: [as_json(CONFIG)]  # noqa: E731
    lm = ("torch", "transformers")
    return [
        Target(
            "GGUF model", ("aslant.models.conversion",), gguf, _gguf_model, _gguf, needs=("gguf", *lm),
            always_refuses=True,
        ),
        Target("config.json", (opening, "aslant.auditing.subjects"), lambda: [as_json(CONFIG)], _config, _made_config),
        Target("config.json (opened)", (opening,), config, _config_by_transformers, _made_config, needs=lm),
        Target(
            "sentence encoder's modules", ("aslant.models.sentence_modules",), lambda: [as_json(SERVED)], _served,
            _made_served, needs=lm,
        ),
        Target("index of weights", (opening,), lambda: [as_json(INDEX)], _index, _made_index),
        Target(
            "adapter_config.json", ("aslant.models.adapters",), lambda: [as_json(ADAPTER)], _adapter,
            lambda chance: as_json(mutated_tree(ADAPTER, chance)),
        ),
        Target(
            "answer of a server", ("aslant.models.server_answers",), lambda: [as_json(ANSWER)], _answer,
            lambda chance: as_json(mutated_tree(ANSWER, chance)),
        ),
    ]  # fmt: skip


def targets() -> Sequence[Target]:
    """Return the targets of this file."""
    return (*_text_targets(), *_elmo_targets(), *_model_targets())

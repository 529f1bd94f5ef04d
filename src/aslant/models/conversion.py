"""Language models in GGUF files, converted once to a folder that transformers reads.

transformers itself reads them, which takes some time, so that what it makes of a file (config.json, tokenizer with the
file's chat template, model.safetensors) is kept in the cache under the file's checksum. The folder appears complete or
not at all, whichever process is first. It is checked before each use: a damaged one is made again.
"""

from __future__ import annotations

import io
import re
import struct
import tempfile
import threading
from contextlib import redirect_stderr, suppress
from pathlib import Path
from typing import Any

import numpy as np

from aslant.data import cache_folder, entry, fetch
from aslant.data.verifying import STAMPS, digest, read_stamps, write_stamps
from aslant.errors import DataError, MissingExtraError
from aslant.io.files import appear, sweep_partial, workplace

KIND = "language model"
#: Goes up when the same file would become another folder.
VERSION = 4
#: The files that a converted folder must have; the rest is optional.
NEEDED = ("config.json", "model.safetensors", "tokenizer.json", "tokenizer_config.json")
#: What stood between the texts that a model was trained on, and so before each: unless the file adds a token itself.
BEGINNING = "<|endoftext|>"
#: Ways to split text before byte pairs are merged that need nothing beyond GPT-2's; of others transformers has a list.
PLAIN_SPLITS = (None, "default", "gpt-2", "smollm")
#: Types of weights that are not rounded to a few bits.
PLAIN_TYPES = {"F64", "F32", "F16", "BF16"}
#: Names of parts: of bytes, and of those that llama.cpp makes.
PARTS = re.compile(r"\.gguf\.(part|split-?)?[a-z]{0,2}\d+$|-\d{5}-of-\d{5}\.gguf$", re.IGNORECASE)

_ONE_AT_A_TIME = threading.Lock()


def prepared(name: str, dtype: str = "float32") -> Path:
    """Return the folder of the language model of that data name, for `from_pretrained`; fetched and converted once.

    >>> prepared("gap")
    Traceback (most recent call last):
    aslant.errors.DataError: 'gap' is data of kind 'benchmark'; needed here: language model.
    """
    found = entry(name)
    if found.kind != KIND:
        raise DataError(f"'{name}' is data of kind '{found.kind}'; needed here: {KIND}.")
    path = fetch(name)
    return path if path.is_dir() else converted(path, name, dtype)


def gguf_in(path: Path) -> Path | None:
    """Return the GGUF file that a path is, or the only one of a folder that has no config.json; None if there is none.

    >>> gguf_in(Path("nowhere")) is None
    True
    """
    if path.is_file():
        return path if path.suffix.lower() == ".gguf" else None
    if not path.is_dir() or (path / "config.json").is_file():
        return None
    names = sorted(file.name for file in path.iterdir() if ".gguf" in file.name.lower())
    parts = [name for name in names if PARTS.search(name)]
    files = [name for name in names if name.lower().endswith(".gguf") and name not in parts]
    if len(files) == 1:
        return path / files[0]
    if files:
        raise DataError(f"'{path}' has {len(files)} GGUF files; give one of them, such as '{path / files[0]}'.")
    if parts:
        how = "llama-gguf-split --merge" if "-of-" in parts[0] else "cat PART… > model.gguf"
        raise DataError(f"'{path}' has a GGUF file in parts ('{parts[0]}' …); join them ({how}) and give the result.")
    return None


def converted(file: Path, name: str, dtype: str = "float32") -> Path:
    """Return the cached folder of a GGUF file, converted now if it is not there."""
    kept = dtype if dtype in ("bfloat16", "float16") else "float32"
    plain = re.sub(r"[^\w.-]", "-", name)[:80]
    end = VERSION if kept == "float32" else f"{VERSION}-{kept}"
    target = cache_folder() / "models" / f"{plain}-{digest(file)[:16]}-{end}"
    if _complete(target):
        return target
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        sweep_partial(target.parent)
        with workplace(target.parent, target.name) as work:
            made = work / "model"
            made.mkdir()
            convert(file, made, kept)
            write_stamps(made / STAMPS, made, {path.name: digest(path) for path in made.iterdir()})
            appear(made, target, work, lambda: _complete(target))
    except OSError as error:
        raise DataError(
            f"'{name}' could not be converted in '{target.parent}' ({error.strerror or error}); free some space, or "
            "set ASLANT_CACHE to another folder."
        ) from None
    return target


def convert(file: Path, folder: Path, dtype: str = "float32") -> None:
    """Write the model of a GGUF file to `folder` as transformers has it."""
    try:
        import accelerate  # noqa: F401 (transformers needs it)
        import gguf
        import safetensors
        import torch  # noqa: F401 (as above)
        import transformers
    except ImportError as error:
        needed = "gguf>=0.17.1" if error.name == "gguf" else "accelerate" if error.name == "accelerate" else ".[lm]"
        raise MissingExtraError(f"converting a GGUF file needs {error.name}: pip install '{needed}'.") from None
    from aslant.models.model_loading import quiet

    try:
        with _ONE_AT_A_TIME, quiet(), redirect_stderr(io.StringIO()):  # it draws a bar, asked or not
            model, tokenizer = _read(gguf, transformers, file, dtype)
    except (DataError, MemoryError):
        raise
    except Exception as error:  # a damaged file can fail in any way, none of them our fault
        said = " ".join(str(error).split())[:200].rstrip(".")
        raise DataError(f"'{file}' is not a GGUF file that can be converted ({said}); fetch it again.") from None
    try:
        with quiet():
            model.save_pretrained(folder, max_shard_size="1000GB")
            tokenizer.save_pretrained(folder)
    except safetensors.SafetensorError as error:  # how it says that the disk is full
        raise OSError(str(error)) from None


def _read(gguf: Any, transformers: Any, file: Path, dtype: str) -> tuple[Any, Any]:
    """Return the model and the tokenizer of a file, as transformers makes them; what it guesses is refused."""
    import torch

    from aslant.models.memory import check_room
    from aslant.models.model_loading import check_config

    facts, weights, rounded = _facts(gguf, file)
    kind = facts.get("tokenizer.ggml.pre")
    if facts.get("tokenizer.ggml.model") == "gpt2" and kind not in _splits():
        raise DataError(
            f"'{file}' splits text as {kind!r} does, which this version of transformers cannot; give the folder of the "
            "model that the file was made from."
        )
    check_room(file.name, weights, dtype, "cpu")
    packed = {}
    if hasattr(transformers, "GgufConfig"):  # plain weights, and no kernels from the hub
        packed["quantization_config"] = transformers.GgufConfig(dequantize=True)
    with tempfile.TemporaryDirectory() as empty:  # so that nothing beside the file is read
        where = {"pretrained_model_name_or_path": empty, "gguf_file": str(file.resolve())}
        config = transformers.AutoConfig.from_pretrained(**where)
        content = {key: value for key, value in config.to_dict().items() if key != "quantization_config"}
        check_config(content, file.name, file.parent)
        if config.is_encoder_decoder:
            raise DataError(
                f"'{file}' is an encoder–decoder model ({config.model_type}); only causal ones can be read."
            )
        model, info = transformers.AutoModelForCausalLM.from_pretrained(
            **where, **packed, config=config, dtype=getattr(torch, dtype), output_loading_info=True
        )
        tokenizer = transformers.AutoTokenizer.from_pretrained(**where)
    if missing := sorted({*info["missing_keys"], *info["mismatched_keys"]}):
        raise DataError(f"'{file}' has no '{missing[0]}', so its predictions would be random; fetch it again.")
    _beginning(model.config, tokenizer, facts)
    model.config.rounded_as = rounded  # kept in config.json, for the note of a result
    return model, _plain(transformers, tokenizer, facts)


def _facts(gguf: Any, file: Path) -> tuple[dict[str, Any], int, str]:
    """Return what a file says in single values, how many weights it has, and to which types they are rounded.

    The whole file is looked through.
    """
    with file.open("rb") as stream:
        magic, version, tensors, fields = struct.unpack("<4sIQQ", stream.read(24))
    # gguf's reader would count on, where a header promises more than the file has room for.
    if magic != b"GGUF" or version not in (2, 3) or 24 * tensors + 13 * fields > file.stat().st_size:
        raise ValueError("its header is not that of one")
    with np.errstate(over="raise"):  # offsets are added up in 64 bits
        reader = gguf.GGUFReader(file)
    facts = {
        key: field.contents()
        for key, field in reader.fields.items()
        if field.types and field.types[0] != gguf.GGUFValueType.ARRAY
    }
    if int(facts.get("split.count", 0)) > 1:
        raise DataError(f"'{file}' is one of {facts['split.count']} parts; join them with llama-gguf-split --merge.")
    kinds = sorted({tensor.tensor_type.name for tensor in reader.tensors} - PLAIN_TYPES)
    return facts, sum(int(tensor.n_elements) for tensor in reader.tensors), ", ".join(kinds)


def _splits() -> set[str | None]:
    """Return the ways to split text that are known; a list of those of transformers came with a later version."""
    known: set[str | None] = set(PLAIN_SPLITS)
    with suppress(ImportError):
        from transformers.integrations.gguf.gguf_tokenizer_mapping import GGUF_PRE_TOKENIZER_SPLITS

        known |= set(GGUF_PRE_TOKENIZER_SPLITS)
    return known


def _beginning(config: Any, tokenizer: Any, facts: dict[str, Any]) -> None:
    """Decide which token stands before a text: the file's, or what stood between texts if the file adds none."""
    if not facts.get("tokenizer.ggml.add_bos_token", facts.get("tokenizer.ggml.model") != "gpt2"):
        vocabulary = tokenizer.get_vocab()
        if BEGINNING in vocabulary:
            tokenizer.bos_token, config.bos_token_id = BEGINNING, vocabulary[BEGINNING]


def _plain(transformers: Any, tokenizer: Any, facts: dict[str, Any]) -> Any:
    """Return a tokenizer that puts the beginning token before a text once, whatever class transformers chose for it."""
    from tokenizers import processors

    special = {
        name: token
        for name in ("bos_token", "eos_token", "pad_token", "unk_token")
        if (token := getattr(tokenizer, name))
    }
    backend = tokenizer.backend_tokenizer
    if begin := special.get("bos_token"):
        backend.post_processor = processors.TemplateProcessing(
            single=f"{begin} $A", special_tokens=[(begin, tokenizer.bos_token_id)]
        )
    length = facts.get(f"{facts.get('general.architecture')}.context_length")
    return transformers.PreTrainedTokenizerFast(
        tokenizer_object=backend,
        model_max_length=int(length or 10**30),
        chat_template=tokenizer.chat_template,
        **special,
    )


def _complete(folder: Path) -> bool:
    """Tell whether a folder is there and exactly what was converted: a flipped bit in a weight would go unnoticed."""
    stamps = read_stamps(folder / STAMPS)
    try:
        same = all(digest(folder / name) == stamp.sha256 for name, stamp in stamps.items())
    except (OSError, ValueError):  # a damaged name is a ValueError
        return False
    return same and all(name in stamps for name in NEEDED)

"""Language models that packages carry as GGUF files, converted once to a folder that transformers reads.

transformers reads GGUF too, but needs another package for it, and does so every time; here gguf's own reader
gives the same numbers. The folder (config.json, tokenizer, model.safetensors in float32, as rounding to float16 moves
log-probabilities by up to .05) is kept in the cache under the file's checksum, and appears complete or not at all,
whichever process is first. It is checked before each use: a damaged one is made again.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aslant.data import cache_folder, entry, fetch
from aslant.data.verifying import STAMPS, digest, read_stamps, write_stamps
from aslant.errors import DataError, MissingExtraError
from aslant.io.files import appear, sweep_partial, workplace

KIND = "language model"
#: Goes up when the same file would become another folder.
VERSION = 2
#: The files that a converted folder must have; the rest is optional.
NEEDED = ("config.json", "model.safetensors", "tokenizer.json", "tokenizer_config.json")
#: The token before every sentence: what stood between the texts that the model was trained on.
BEGINNING = "<|endoftext|>"

_FIELDS = {
    "hidden_size": "embedding_length",
    "intermediate_size": "feed_forward_length",
    "num_hidden_layers": "block_count",
    "num_attention_heads": "attention.head_count",
    "num_key_value_heads": "attention.head_count_kv",
    "rms_norm_eps": "attention.layer_norm_rms_epsilon",
    "rope_theta": "rope.freq_base",
    "max_position_embeddings": "context_length",
}
_WHOLE = {
    "token_embd.weight": "model.embed_tokens.weight",
    "output_norm.weight": "model.norm.weight",
    "output.weight": "lm_head.weight",
}
_LAYER = {
    "attn_norm": "input_layernorm",
    "attn_q": "self_attn.q_proj",
    "attn_k": "self_attn.k_proj",
    "attn_v": "self_attn.v_proj",
    "attn_output": "self_attn.o_proj",
    "ffn_norm": "post_attention_layernorm",
    "ffn_gate": "mlp.gate_proj",
    "ffn_up": "mlp.up_proj",
    "ffn_down": "mlp.down_proj",
}


def prepared(name: str) -> Path:
    """Return the folder of the language model of that data name, for `from_pretrained`; fetched and converted once.

    >>> prepared("gap")
    Traceback (most recent call last):
    aslant.errors.DataError: 'gap' is data of kind 'benchmark'; needed here: language model.
    """
    found = entry(name)
    if found.kind != KIND:
        raise DataError(f"'{name}' is data of kind '{found.kind}'; needed here: {KIND}.")
    path = fetch(name)
    return path if path.is_dir() else converted(path, name)


def converted(file: Path, name: str) -> Path:
    """Return the cached folder of a GGUF file, converted now if it is not there."""
    target = cache_folder() / "models" / f"{name}-{digest(file)[:16]}-{VERSION}"
    if _complete(target):
        return target
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        sweep_partial(target.parent)
        with workplace(target.parent, target.name) as work:
            made = work / "model"
            made.mkdir()
            convert(file, made)
            write_stamps(made / STAMPS, made, {path.name: digest(path) for path in made.iterdir()})
            appear(made, target, work, lambda: _complete(target))
    except OSError as error:
        raise DataError(
            f"'{name}' could not be converted in '{target.parent}' ({error.strerror or error}); free some space, or "
            "set ASLANT_CACHE to another folder."
        ) from None
    return target


def convert(file: Path, folder: Path) -> None:
    """Write the model of a GGUF file (architecture 'llama', tokenizer 'gpt2') to `folder` as transformers has it."""
    try:
        import gguf
        import safetensors  # noqa: F401
        import torch  # noqa: F401 (transformers needs it)
        import transformers
    except ImportError as error:
        needed = "gguf>=0.17.1" if error.name == "gguf" else ".[lm]"
        raise MissingExtraError(f"converting a GGUF file needs {error.name}: pip install '{needed}'.") from None
    try:
        _convert(gguf, transformers, file, folder)
    except (DataError, OSError):
        raise
    except Exception as error:  # a damaged file can fail in any way, none of them our fault
        raise DataError(f"'{file}' is not a GGUF file that can be converted ({error}); fetch it again.") from None


def _convert(gguf: Any, transformers: Any, file: Path, folder: Path) -> None:
    from safetensors.numpy import save_file

    with file.open("rb") as stream:
        magic, version, tensors, fields = struct.unpack("<4sIQQ", stream.read(24))
    # gguf's reader would count on, where a header promises more than the file has room for.
    if magic != b"GGUF" or version not in (2, 3) or 24 * tensors + 13 * fields > file.stat().st_size:
        raise ValueError("its header is not that of one")
    with np.errstate(over="raise"):  # offsets are added up in 64 bits
        reader = gguf.GGUFReader(file)
    facts = {key: field.contents() for key, field in reader.fields.items()}
    kinds = facts.get("general.architecture"), facts.get("tokenizer.ggml.model")
    if kinds != ("llama", "gpt2"):
        raise DataError(f"'{file}' is a model of kind {kinds}; only ('llama', 'gpt2') can be converted.")
    heads = int(facts["llama.attention.head_count"]), int(facts["llama.attention.head_count_kv"])
    weights = {place: array for tensor in reader.tensors for place, array in _weight(gguf, tensor, heads)}
    save_file(weights, folder / "model.safetensors", metadata={"format": "pt"})
    config = _config(facts, tied="lm_head.weight" not in weights)
    (folder / "config.json").write_text(json.dumps(config, indent=2) + "\n", encoding="utf-8")
    _tokenizer(facts, transformers).save_pretrained(folder)


def _weight(gguf: Any, tensor: Any, heads: tuple[int, int]) -> Iterator[tuple[str, NDArray[np.float32]]]:
    """Yield the name that transformers has for a tensor, and its numbers; nothing for what it computes itself."""
    if tensor.name == "rope_freqs.weight":
        return
    array = np.asarray(gguf.dequantize(tensor.data, tensor.tensor_type), dtype=np.float32)
    if tensor.name in _WHOLE:
        yield _WHOLE[tensor.name], array
        return
    block, number, part, kind = (*tensor.name.split("."), "", "", "")[:4]
    if block != "blk" or part not in _LAYER:
        raise DataError(f"the GGUF file has a tensor '{tensor.name}', which no Llama model has; fetch it again.")
    if part in ("attn_q", "attn_k"):
        array = unpermuted(array, heads[part == "attn_k"])
    yield f"model.layers.{number}.{_LAYER[part]}.{kind}", array


def unpermuted(array: NDArray[np.float32], heads: int) -> NDArray[np.float32]:
    """Put the rows of a query or key matrix back: GGUF has a head's rotated pairs side by side, transformers apart.

    >>> unpermuted(np.arange(8, dtype=np.float32)[:, None], 2).ravel().tolist()
    [0.0, 2.0, 1.0, 3.0, 4.0, 6.0, 5.0, 7.0]
    """
    pairs = array.reshape(heads, array.shape[0] // heads // 2, 2, *array.shape[1:])
    return pairs.swapaxes(1, 2).reshape(array.shape)


def _config(facts: dict[str, Any], *, tied: bool) -> dict[str, Any]:
    """Return the content of config.json."""
    tokens = facts["tokenizer.ggml.tokens"]
    return {
        "architectures": ["LlamaForCausalLM"],
        "model_type": "llama",
        "hidden_act": "silu",
        **{ours: facts[f"llama.{theirs}"] for ours, theirs in _FIELDS.items()},
        "vocab_size": len(tokens),
        "bos_token_id": tokens.index(BEGINNING) if BEGINNING in tokens else facts.get("tokenizer.ggml.bos_token_id"),
        "eos_token_id": facts.get("tokenizer.ggml.eos_token_id"),
        "tie_word_embeddings": tied,
        "torch_dtype": "float32",
    }


def _tokenizer(facts: dict[str, Any], transformers: Any) -> Any:
    """Return the byte-level BPE tokenizer, with digits apart (as the 'smollm' kind has it) and BEGINNING in front."""
    from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers, processors

    if (kind := facts.get("tokenizer.ggml.pre")) != "smollm":
        raise DataError(f"the GGUF file splits text as '{kind}' does; only 'smollm' can be converted.")
    tokens = list(facts["tokenizer.ggml.tokens"])
    merges = [tuple(pair.split(" ")) for pair in facts["tokenizer.ggml.merges"]]
    vocabulary = {token: number for number, token in enumerate(tokens)}
    tokenizer = Tokenizer(models.BPE(vocab=vocabulary, merges=merges))
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.Digits(individual_digits=True), pre_tokenizers.ByteLevel(add_prefix_space=False)]
    )
    tokenizer.decoder = decoders.ByteLevel()
    control = [token for token, kind in zip(tokens, facts["tokenizer.ggml.token_type"], strict=True) if kind == 3]
    tokenizer.add_special_tokens([AddedToken(token, special=True, normalized=False) for token in control])
    special = {
        name: tokens[facts[f"tokenizer.ggml.{key}_token_id"]]
        for name, key in (("eos_token", "eos"), ("pad_token", "padding"), ("unk_token", "unknown"))
        if f"tokenizer.ggml.{key}_token_id" in facts
    }
    if BEGINNING in vocabulary:
        tokenizer.post_processor = processors.TemplateProcessing(
            single=f"{BEGINNING} $A", special_tokens=[(BEGINNING, vocabulary[BEGINNING])]
        )
        special["bos_token"] = BEGINNING
    length = int(facts["llama.context_length"])
    return transformers.PreTrainedTokenizerFast(tokenizer_object=tokenizer, model_max_length=length, **special)


def _complete(folder: Path) -> bool:
    """Tell whether a folder is there and exactly what was converted: a flipped bit in a weight would go unnoticed."""
    stamps = read_stamps(folder / STAMPS)
    try:
        same = all(digest(folder / name) == stamp.sha256 for name, stamp in stamps.items())
    except (OSError, ValueError):  # a damaged name is a ValueError
        return False
    return same and all(name in stamps for name in NEEDED)

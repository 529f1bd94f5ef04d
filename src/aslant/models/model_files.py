"""What the files of a model may request, checked before transformers opens them: sizes, other files, other code.

A few bytes of config.json can request a trillion labels, a thousand layers of any width, weights in another folder, or
kernels that are downloaded and run. Here they are limited to what the weights in the folder can fill.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from aslant.errors import DataError
from aslant.io.reading import parse_json, read_text

#: Bytes of config.json and of an index of weights.
MAX_CONFIG, MAX_INDEX = 16 << 20, 64 << 20
#: No model has more layers, nor a larger size of any other kind.
MAX_LAYERS, MAX_SIZE = 1_000, 10**7
#: Weights in a byte of the files, at most: two where they have four bits, and some are used several times.
WEIGHTS_PER_BYTE = 8
#: This many weights (400 MB) do no harm, regardless of the files.
FREE_WEIGHTS = 10**8
#: Ways to pack weights that are read without code from elsewhere; others may fetch kernels and run them.
PACKED_BY = ("bitsandbytes", "bitsandbytes_4bit", "bitsandbytes_8bit")
_LAYERS = re.compile(r"(^|_)layers?$")
_SIZES = re.compile(
    r"(size|dim|d_model|d_ff|d_kv|n_embd|n_inner|heads?|labels|experts|positions|embeddings|channels|width|groups)$"
)
_WEIGHTS = (".safetensors", ".bin", ".pt", ".pth", ".h5", ".msgpack")


def no_kernels() -> None:
    """Forbid transformers, which is not imported yet, from downloading kernels (compiled code) and running them."""
    os.environ.setdefault("USE_HUB_KERNELS", "0")


def check_folder(folder: Path) -> None:
    """Refuse a folder that is more than files of a model: pipes and devices, adapters, weights that lie elsewhere.

    Links to files are followed, wherever they lead: the hub's own cache is made of them, and what is read is numbers.

    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> _ = (folder / "model.safetensors.index.json").write_text('{"weight_map": {"a": "../../secret"}}')
    >>> check_folder(folder)
    Traceback (most recent call last):
    aslant.errors.DataError: '...index.json' names weights in '../../secret', outside its folder; get the model again.
    """
    for path in sorted(folder.iterdir()):
        try:
            mode = path.stat().st_mode
        except OSError:  # a link to nowhere: as good as absent
            continue
        if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)):
            raise DataError(f"'{path}' is not a regular file; remove it from the model's folder.")
        if path.name == "adapter_config.json":
            raise DataError(f"'{folder}' holds an adapter to another model; merge the two, and give the whole model.")
        if not path.name.endswith(".index.json"):
            continue
        try:
            content = parse_json(read_text(path, DataError, most=MAX_INDEX))
            names = set(content["weight_map"].values())
        except (ValueError, KeyError, TypeError, AttributeError):
            raise DataError(f"'{path}' is not an index of weights; get the model again.") from None
        for name in names:
            if not isinstance(name, str) or Path(name).name != name or name in ("", "..") or not name.isprintable():
                raise DataError(f"'{path}' names weights in '{name!s:.80}', outside its folder; get the model again.")


def check_config(content: dict[str, Any], name: str, folder: Path | None) -> None:
    """Refuse a configuration whose sizes are absurd, or more than the weights in its folder can fill.

    >>> check_config({"num_labels": 10**11}, "m", None)
    Traceback (most recent call last):
    aslant.errors.DataError: the config.json of 'm' cannot be used: num_labels is 100,000,000,000 (at most 10,000,000).
    """
    problem = _problem(content, folder)
    if problem:
        raise DataError(f"the config.json of '{name}' cannot be used: {problem}.")


def _problem(content: dict[str, Any], folder: Path | None) -> str | None:
    for key, value in _numbers(content):
        most = MAX_LAYERS if _LAYERS.search(key) else MAX_SIZE if _SIZES.search(key) else None
        if most is not None and value > most:
            return f"{key} is {value:,} (at most {most:,})"
    packed = content.get("quantization_config")
    method = packed.get("quant_method") if isinstance(packed, dict) else packed
    if packed and method not in PACKED_BY:
        return f"its weights are packed by {method!r:.40}, which may run code from elsewhere; give plain weights"
    if folder is None:
        return None
    # The sizes of the large matrices are compared with the files, as far as they matter.
    there = sum(path.stat().st_size for path in folder.iterdir() if path.suffix in _WEIGHTS and path.is_file())
    numbers = dict(_numbers(content))
    width = max(numbers.get(key, 0) for key in ("hidden_size", "n_embd", "d_model", "dim"))
    layers = max((value for key, value in numbers.items() if _LAYERS.search(key)), default=1)
    inner = max(numbers.get(key, 0) for key in ("intermediate_size", "n_inner", "d_ff", "hidden_dim"))
    asked = width * max(numbers.get("vocab_size", 0), layers * width, inner)
    much = asked > max(FREE_WEIGHTS, WEIGHTS_PER_BYTE * there)
    return f"it requires {asked:,} weights, but the files have {there:,} bytes" if much else None


def _numbers(content: Any, depth: int = 0) -> Iterator[tuple[str, int]]:
    """Yield every whole number with its key, those of parts (such as text_config) too."""
    if isinstance(content, dict) and depth < 10:
        for key, value in content.items():
            if isinstance(value, int) and not isinstance(value, bool):
                yield str(key), value
            else:
                yield from _numbers(value, depth + 1)

"""`aslant.load_encoder`: from the name or path of an encoder, or an ELMo, to one that gives vectors for words.

See `opening` for how files of transformers are read, and `elmo_files` for those of ELMo: nothing but numbers either
way.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from aslant.errors import DataError
from aslant.io.packed_files import path_of
from aslant.models.loading import DEFAULT as LM
from aslant.models.loading import DEFAULT_NOTE as LM_NOTE
from aslant.models.loading import SAMPLE
from aslant.models.model_loading import (
    check_asked,
    config_of,
    device_of,
    first_that_opens,
    folder_by_data_name,
    folder_of,
    from_files,
    need_extra,
    quiet,
    tokenizer_of,
)

if TYPE_CHECKING:
    from aslant.models.elmo_encoder import ElmoEncoder
    from aslant.models.encoder import TransformersEncoder
    from aslant.models.encoding import Layer, Pieces

#: What is loaded by default; it comes inside a package.
DEFAULT = "all-minilm-l6-v2"
KINDS = ("encoder", "language model")
EITHER = "give the folder of a transformers model (config.json), or of an ELMo (options.json and weights in .hdf5)"


def load_encoder(
    source: str | os.PathLike[str] | None = None,
    *,
    layer: Layer | None = None,
    pieces: Pieces = "mean",
    device: str | None = None,
    token_budget: int | None = None,
    dtype: str = "float32",
) -> TransformersEncoder | ElmoEncoder:
    """Load an encoder: a folder, ELMo's options file, a data name, a hub name, or nothing (all-MiniLM-L6-v2).

    `layer`: "last", "mean" of all (the embeddings are one of them), or a number: 0 is the embeddings, −1 the last one.
    None is "last"; for ELMo, "mean". `pieces`: a word of several pieces has the "mean" of their vectors, or that of
    the "first". Hub names are looked up in the cache first; `ASLANT_OFFLINE` (or `HF_HUB_OFFLINE`) forbids
    anything else. `device`: 'cpu', 'cuda' or 'mps'; None takes the best one available. `token_budget`: tokens that go
    through the network at once (None: 2,048 on a processor, 16,384 elsewhere).

    >>> load_encoder("no/such/folder/at/all")
    Traceback (most recent call last):
    aslant.errors.DataError: there is no folder 'no/such/folder/at/all', nor data or a hub model of that name; ...
    """
    check_asked(source, "encoders", dtype)
    chosen = device_of(device)
    name = DEFAULT if source is None else str(source)
    options: dict[str, Any] = {"pieces": pieces, "token_budget": token_budget}
    if source == SAMPLE and not Path(SAMPLE).exists():
        return _sample(chosen, dtype, {**options, "layer": _or(layer, "last")})
    folder = _folder(name, source is None or isinstance(source, str))
    if folder is not None and not (folder / "config.json").is_file():
        return _elmo(name, folder, chosen, dtype, {**options, "layer": _or(layer, "mean")})
    options["layer"] = _or(layer, "last")
    if name == LM and folder != path_of(name):
        options["note"] = LM_NOTE
    return first_that_opens(
        name, folder, lambda where, only_local: _opened(name, where, only_local, chosen, dtype, options)
    )


def _or(layer: Layer | None, default: Layer) -> Layer:
    return default if layer is None else layer


def _folder(name: str, may_be_data: bool) -> Path | None:
    """Return the folder of a model (or ELMo's options file) that is on disk or has a data name, or None."""
    path = path_of(name)
    if os.path.exists(path):  # noqa: PTH110 (a name too long for any file is not an error here)
        if not _whole(path):
            what = "has no model in it" if path.is_dir() else "is a file"
            raise DataError(f"'{path}' {what}; {EITHER}.")
        return path
    return folder_by_data_name(name, KINDS, _whole) if may_be_data else None


def _whole(place: Path) -> bool:
    from aslant.models.elmo_files import elmo_files

    return (place / "config.json").is_file() or elmo_files(place) is not None


def _sample(device: str, dtype: str, options: dict[str, Any]) -> TransformersEncoder:
    import torch

    from aslant.models.encoder import TransformersEncoder
    from aslant.models.sample import NOTE, load_sample

    model, tokenizer = load_sample()
    encoder = model.base_model.to(device, getattr(torch, dtype))
    return TransformersEncoder(encoder, tokenizer, SAMPLE, note=NOTE, **options)


def _elmo(name: str, place: Path, device: str, dtype: str, options: dict[str, Any]) -> ElmoEncoder:
    from aslant.models.elmo import Elmo
    from aslant.models.elmo_encoder import ElmoEncoder
    from aslant.models.elmo_files import elmo_files

    need_extra("ELMo's weights", "h5py")
    found = elmo_files(place)
    if found is None:
        raise DataError(f"'{place}' changed while it was being opened; {EITHER}.")
    encoder = ElmoEncoder(Elmo.read(*found, device, dtype), name, dtype=dtype, **options)
    encoder.folder = found[0].parent
    return encoder


def _opened(
    name: str, where: str, only_local: bool, device: str, dtype: str, options: dict[str, Any]
) -> TransformersEncoder:
    from aslant.models.encoder import TransformersEncoder

    with quiet():
        config = config_of(name, where, only_local)
        model = _weights(name, where, config, dtype, only_local)
        tokenizer = tokenizer_of(where, only_local)
    encoder = TransformersEncoder(model.to(device), tokenizer, name, **options)
    encoder.folder = folder_of(where)
    return encoder


def _weights(name: str, where: str, config: Any, dtype: str, only_local: bool) -> Any:
    """Return the encoder with all its weights; a pooler, or a decoder, is never used and may be missing."""
    from transformers import AutoModel

    model, info = from_files(AutoModel, where, config, dtype, only_local)
    both = hasattr(model, "encoder") and hasattr(model, "decoder")
    unused = ("pooler", "decoder") if both else ("pooler",)
    missing = sorted(key for key in info["missing_keys"] if not any(part in key for part in unused))
    if missing or info["mismatched_keys"]:
        lacking = f"'{missing[0]}'" if missing else "weights of the right sizes"
        raise DataError(f"the files of '{name}' have no {lacking}, so its vectors would be random.")
    return model.encoder if both else model

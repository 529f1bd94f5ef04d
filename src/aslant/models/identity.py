"""Is a loaded model the one in the data registry? Decided by its content, never by its name."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

if TYPE_CHECKING:
    from aslant.data import Entry

#: "verified": its files have the checksums of the registry. "other": what it is built like, or its vocabulary, differs
#: from what the registry says. "unverified": nothing contradicts, and nothing proves it, as for ELMo, whose publisher
#: gives no checksums, or for weights that were saved again.
Identity: TypeAlias = Literal["verified", "unverified", "other"]


def identity_of(model: Any, name: str) -> Identity:
    """Tell whether a language model or an encoder is the data of that name, as far as can be known.

    Files are those of the folder that it was loaded from. A model that was made in memory is never verified.

    >>> import aslant  # here, any_lm is a small model that has no files
    >>> identity_of(any_lm, "bert-base-uncased")
    'unverified'
    """
    from aslant.data import entry
    from aslant.data.fetching import is_copy

    found, built = entry(name), _architecture(model)
    if built and any(built.get(key) != value for key, value in found.architecture.items()):
        return "other"
    if not _same_vocabulary(model, found):
        return "other"

    def decides(file: str) -> bool:  # what a model computes; of the others, the hub's cache has only what was used
        return file == "config.json" or file.endswith((".safetensors", ".bin", ".gguf", ".hdf5"))

    folder = getattr(model, "folder", None)
    return "verified" if folder is not None and is_copy(name, folder, decides) else "unverified"


def is_registered(model: Any, name: str) -> bool:
    """Tell whether a model was loaded from files with the checksums that the registry has for that data name.

    >>> import aslant  # here, any_lm is a small model that has no files
    >>> is_registered(any_lm, "bert-base-uncased")
    False
    """
    return identity_of(model, name) == "verified"


def is_built(model: Any, facts: Mapping[str, str | int]) -> bool:
    """Tell whether a model says this about its architecture, in the terms of its configuration.

    >>> import aslant  # here, any_lm is a small model that has no files
    >>> is_built(any_lm, {"model_type": "albert"})
    False
    """
    built = _architecture(model)
    return all(built.get(key) == value for key, value in facts.items())


def _architecture(model: Any) -> dict[str, Any]:
    """Return what a model says about its architecture; nothing for models that are not ours."""
    if (elmo := getattr(model, "elmo", None)) is not None:
        return {**asdict(elmo.options), "filters": sum(n for _, n in elmo.options.filters), "model_type": "elmo"}
    network = getattr(model, "network", None)
    return {} if network is None else dict(network.model.config.to_dict())


def _same_vocabulary(model: Any, found: Entry) -> bool:
    """Compare a tokenizer's entries, in order, with the vocab.txt of the registry; True where either has none."""
    files = [file for source in found.sources for file in source.files]
    known = {file.sha256 for file in files if file.name == "vocab.txt"}
    speller = getattr(model, "speller", None)
    if not known or speller is None:
        return True
    vocabulary: dict[str, int] = speller.tokenizer.get_vocab()
    lines = "".join(f"{token}\n" for token in sorted(vocabulary, key=vocabulary.__getitem__))
    return hashlib.sha256(lines.encode("utf-8", "surrogatepass")).hexdigest() in known

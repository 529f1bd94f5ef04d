"""Folders: which of them hold a static embedding, and what the others are, so that a message can say it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from aslant.io.reading import parse_json, read_text
from aslant.vectors.formats import model2vec, spacy_table

#: Folders whose names say nothing about the model in them.
UNSPEAKING = ("model", "_model", "vocab", "vectors", "model.safetensors")


def static_folder(path: Path) -> tuple[Any, Path] | None:
    """Return the format (a module with `read`) and the folder of the static embedding that `path` names, or None.

    >>> static_folder(Path("no/such/folder")) is None
    True
    """
    found = ((reader, reader.folder_of(path)) for reader in (model2vec, spacy_table))
    return next(((reader, folder) for reader, folder in found if folder is not None), None)


def folder_name(path: Path) -> str:
    """Return the last part of a path that names a model.

    >>> folder_name(Path("models/en_core_web_md/vocab/vectors"))
    'en_core_web_md'
    """
    return next((part for part in reversed(path.parts) if part not in UNSPEAKING), path.name)


def what_folder(folder: Path) -> str:
    """Say what a folder that is not a static embedding holds, and what takes it; starts with a verb."""
    if (folder / "modules.json").is_file():
        return "is a sentence-transformers model, an encoder of sentences (aslant seat and aslant audit take it)"
    if (folder / "adapter_config.json").is_file():
        return "is an adapter (LoRA, PEFT) to a language model, not an embedding (aslant.load_lm takes language models)"
    if (folder / "config.json").is_file():
        return f"is a transformers model{_architecture(folder)}, not a static embedding (aslant audit takes it)"
    if (folder / "options.json").is_file():
        return "looks like an ELMo, an encoder (aslant audit takes it)"
    if any(folder.glob("*.gguf")):
        return "holds a language model as GGUF, not an embedding (aslant audit takes the model)"
    if (folder / "config.cfg").is_file() and (folder / "vocab").is_dir():
        return "is a spaCy pipeline without word vectors (its names end in md or lg where there are any)"
    inside = sorted(part.name for part in folder.iterdir())
    listed = ", ".join(f"'{name:.40}'" for name in inside[:4] if name.isprintable())
    return f"is a folder without HistWords decades, a Model2Vec model or spaCy vectors ({listed or 'nothing'} in it)"


def _architecture(folder: Path) -> str:
    try:
        named = parse_json(read_text(folder / "config.json"))["architectures"]
        return f" ({str(named[0])[:60]!a})".replace("'", "")
    except Exception:  # whatever its settings are: without a name then
        return ""

"""What can be audited: an embedding, a language model, an encoder, each with or without a corpus."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from aslant.errors import DataError, MeasureError, MissingExtraError
from aslant.io.reading import parse_json, read_text
from aslant.models.protocols import CausalLM, Encoder, MaskedLM
from aslant.results.provenance import Representation
from aslant.vectors import WordVectors

#: What a measure may need; a subject has one or several of them.
Trait = Literal["static", "masked LM", "causal LM", "encoder", "encoder + corpus"]
Kind = Literal["static", "language model", "encoder"]
CALLED = {
    "static": "a static embedding",
    "masked LM": "a masked language model",
    "causal LM": "a causal language model",
    "encoder": "an encoder",
    "encoder + corpus": "an encoder with a corpus",
}
#: The kinds of data names, as the registry has them.
DATA_KINDS: dict[str, Kind] = {"vectors": "static", "language model": "language model", "encoder": "encoder"}
#: File suffixes, so that a name that nothing has counts as a missing file rather than a hub model.
FILE_ENDINGS = frozenset(
    {".txt", ".vec", ".bin", ".kv", ".npy", ".npz", ".aslant", ".gz", ".bz2", ".xz", ".zst", ".zip", ".csv", ".tsv"}
)
HEADS = ("ForMaskedLM", "ForCausalLM", "LMHeadModel", "ForPreTraining")


@dataclass(frozen=True)
class Subject:
    """A representation under audit, and what measures may use of it.

    `opened` is the embedding or the model itself; `encoder` gives vectors of words in sentences, where there is one
    (the subject itself, or one opened beside a language model); `corpus` is text for measures that need sentences.
    """

    opened: Any
    traits: frozenset[Trait]
    encoder: Any = None
    corpus: Any = None

    @property
    def representation(self) -> Representation:
        """What results say about it."""
        return Representation(**self.opened.record())

    def is_a(self) -> str:
        """Say what it is, in words."""
        return CALLED[next(trait for trait in CALLED if trait in self.traits)]


def subject_of(opened: Any, *, encoder: Any = None, corpus: Any = None) -> Subject:
    """Return what was opened as the subject of an audit.

    >>> import aslant
    >>> sorted(subject_of(aslant.load()).traits)
    ['static']
    >>> sorted(subject_of(any_lm).traits)  # any_lm is a small masked model
    ['masked LM']
    """
    traits: set[Trait] = set()
    if isinstance(opened, WordVectors):
        traits.add("static")
    elif isinstance(opened, MaskedLM):
        traits.add("masked LM")
    elif isinstance(opened, CausalLM):
        traits.add("causal LM")
    if encoder is None and isinstance(opened, Encoder):
        encoder = opened
    if encoder is not None:
        traits |= {"encoder", "encoder + corpus"} if corpus is not None else {"encoder"}
    if not traits:
        raise MeasureError(f"{opened!r:.60} cannot be audited; give an embedding, a language model or an encoder.")
    return Subject(opened, frozenset(traits), encoder, corpus if encoder is not None else None)


def kind_of(source: str | os.PathLike[str] | None) -> Kind:
    """Find out what `source` names: an embedding, a language model or an encoder. Nothing is opened.

    >>> kind_of(None), kind_of("sample-mlm"), kind_of("glove-6b-50d"), kind_of("all-minilm-l6-v2"), kind_of("a.txt")
    ('static', 'language model', 'static', 'encoder', 'static')
    """
    if source is None or source == "sample":
        return "static"
    path = _path(source)
    if os.path.isdir(path) and (path / "config.json").is_file():  # noqa: PTH112 (a name may be too long for a file)
        return _kind_of_folder(path)
    if os.path.exists(path):  # noqa: PTH110
        return "encoder" if _is_elmo(path) else "static"
    name = str(source)
    return "language model" if name == "sample-mlm" else _kind_of_name(name)


def _is_elmo(path: Path) -> bool:
    """Tell whether a folder, or an options file, is that of an ELMo."""
    from aslant.models.elmo_files import elmo_files

    return elmo_files(path) is not None


def _path(source: str | os.PathLike[str]) -> Path:
    try:
        return Path(source).expanduser()
    except RuntimeError:
        return Path(source)


def _kind_of_folder(folder: Path) -> Kind:
    try:
        content = parse_json(read_text(folder / "config.json", DataError))
    except ValueError as error:
        raise DataError(
            f"the config.json in '{folder}' cannot be read ({error}); give the folder of a model."
        ) from None
    named = content.get("architectures") if isinstance(content, dict) else None
    architectures = [str(name) for name in named] if isinstance(named, list) else []
    if architectures and not any(name.endswith(HEADS) for name in architectures):
        return "encoder"
    return "language model"


def _kind_of_name(name: str) -> Kind:
    from aslant.data import could_be_name, did_you_mean
    from aslant.data.registry import entry, names
    from aslant.models.model_loading import HUB_NAME

    first = name.partition("/")[0]
    if could_be_name(name) and first in names():
        kind = entry(first).kind
        if kind not in DATA_KINDS:
            raise DataError(
                f"'{first}' is data of the kind '{kind}'; give an embedding, a language model or an encoder."
            )
        return DATA_KINDS[kind]
    in_archive = any(os.path.isfile(parent) for parent in Path(name).parents)  # noqa: PTH113 (as above)
    if in_archive or Path(name).suffix.lower() in FILE_ENDINGS or not HUB_NAME.fullmatch(name) or did_you_mean(name):
        return "static"  # loading then says what is missing
    _need_models(name)
    return "language model"


def _need_models(name: str) -> None:
    """Without the packages for language models, an unknown name is more likely mistyped than a hub model."""
    from importlib.util import find_spec

    if find_spec("torch") is None or find_spec("transformers") is None:
        raise MissingExtraError(
            f"there is no file '{name}', nor data of that name ('aslant data list' shows the names); if it is a "
            "language model or an encoder, pip install '.[lm]'."
        )

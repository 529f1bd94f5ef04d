"""What can be audited, and how it is opened: an embedding, a language model, an encoder, with or without a corpus."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import Any, Literal

from aslant.errors import DataError, MeasureError, MissingExtraError
from aslant.io.reading import parse_json, read_text
from aslant.models.protocols import CausalLM, Encoder, MaskedLM, SentenceEncoder
from aslant.models.server_client import ServerError, is_address
from aslant.results.provenance import Representation
from aslant.vectors import WordVectors, load
from aslant.vectors.folders import static_folder

#: What a measure may need; a subject has one or several of them.
Trait = Literal["static", "masked LM", "causal LM", "encoder", "encoder + corpus", "sentence encoder"]
Kind = Literal["static", "language model", "encoder"]
CALLED = {
    "static": "a static embedding",
    "masked LM": "a masked language model",
    "causal LM": "a causal language model",
    "encoder": "an encoder",
    "encoder + corpus": "an encoder with a corpus",
    "sentence encoder": "an encoder of whole texts",
}
#: The kinds of data names, as the registry has them.
DATA_KINDS: dict[str, Kind] = {"vectors": "static", "language model": "language model", "encoder": "encoder"}
#: File suffixes, so that a name that nothing has counts as a missing file rather than a hub model.
FILE_ENDINGS = frozenset(
    {".txt", ".vec", ".bin", ".kv", ".npy", ".npz", ".aslant", ".gz", ".bz2", ".xz", ".zst", ".zip", ".csv", ".tsv",
     ".safetensors", ".parquet", ".gguf", ".onnx", ".h5", ".hdf5", ".model", ".magnitude"}
)  # fmt: skip
HEADS = ("ForMaskedLM", "ForCausalLM", "LMHeadModel", "ForPreTraining")
#: Names of folders that say nothing about the model in them.
UNSPEAKING = ("model", "models", "checkpoint", "final", "weights")
NO_ENCODER = (
    "a corpus was given, but {} no encoder that could read it; give the name or folder of one, or leave it out."
)


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
    if encoder is None and isinstance(opened, SentenceEncoder):
        return Subject(opened, frozenset({"sentence encoder"}), opened)
    if encoder is not None:
        traits |= {"encoder", "encoder + corpus"} if corpus is not None else {"encoder"}
    if not traits:
        raise MeasureError(f"{opened!r:.60} cannot be audited; give an embedding, a language model or an encoder.")
    return Subject(opened, frozenset(traits), encoder, corpus if encoder is not None else None)


def opened(
    model: Any, *, corpus: Any = None, device: str | None = None, load_vectors: Callable[[Any], WordVectors] = load,
    keep: bool = True,
) -> Subject:  # fmt: skip
    """Return what `model` is or names, opened as the subject of an audit.

    With a `corpus`, a language model that is given by its name is opened as an encoder too, for measures on words in
    sentences; an embedding does not use it. `keep`: what a server answers is kept in the cache.

    >>> opened(None).representation.name
    'sample'
    """
    if isinstance(model, Subject):
        return model
    from aslant.models.loading import NoHeadError, is_pair, load_encoder, load_lm

    if is_pair(model):
        try:
            lm = _named(load_lm(model))
        except NoHeadError:
            return subject_of(_named(load_encoder(model)), corpus=corpus)
        return subject_of(lm, encoder=None if corpus is None else _named(load_encoder(model)), corpus=corpus)
    if model is not None and not isinstance(model, str | os.PathLike):
        from aslant.models.sentence_transformers_encoder import in_memory, is_library_model

        if is_library_model(model):
            model = in_memory(model)
        try:
            return subject_of(model, corpus=corpus)
        except MeasureError:
            return subject_of(load_vectors(model))  # gensim's own objects, or an error that says what cannot be loaded
    if is_address(model):
        return subject_of(_served(str(model), keep))
    kind = kind_of(model)
    if kind == "static":
        return subject_of(load_vectors(model))
    if kind == "language model":
        try:
            lm = _named(load_lm(model, device=device))
            encoder = None if corpus is None else _named(load_encoder(model, device=device))
            return subject_of(lm, encoder=encoder, corpus=corpus)
        except NoHeadError:  # only its files tell, and a hub name has none before it is downloaded
            pass
    return subject_of(_named(load_encoder(model, device=device)), corpus=corpus)


def _served(address: str, keep: bool) -> Any:
    """Return the model behind a server: a language model, or else an encoder."""
    from aslant.data import cache_folder
    from aslant.models.loading import load_encoder, load_lm
    from aslant.models.server_lm import NotScoringError

    folders = (cache_folder() / name if keep else None for name in ("language-models", "encoders"))
    try:
        return load_lm(address, journal=next(folders))
    except NotScoringError as error:
        try:
            return load_encoder(address, journal=next(folders))
        except ServerError as other:
            raise ServerError(f"{str(error).rstrip('.')}; nor is it an encoder: {other}") from None


def _named(model: Any) -> Any:
    """Name a model in a folder by the last parts of its path: a report is for others, who have other folders."""
    path = PurePath(model.name)
    if path.is_absolute():
        model.name = "/".join(path.parts[-2:] if path.name in UNSPEAKING else path.parts[-1:])
    return model


def open_corpus(corpus: Any) -> Any:
    """Return text to draw sentences from: a corpus as it is, None for None, else what `aslant.load_corpus` opens.

    >>> open_corpus(None), open_corpus(["She slept.", "He left."]).name
    (None, 'given')
    """
    from aslant.corpus import load_corpus
    from aslant.corpus.corpus import Corpus

    return corpus if corpus is None or isinstance(corpus, Corpus) else load_corpus(corpus)


def check_use(corpus: Any, subjects: Sequence[Subject]) -> None:
    """Refuse a corpus that none of the subjects can read."""
    if corpus is not None and not any(subject.encoder is not None for subject in subjects):
        what = f"{subjects[0].is_a()} has" if len(subjects) == 1 else "the models have"
        raise MeasureError(NO_ENCODER.format(what))


def kind_of(source: str | os.PathLike[str] | None) -> Kind:
    """Find out what `source` names: an embedding, a language model or an encoder. Nothing is opened.

    >>> kind_of(None), kind_of("sample-mlm"), kind_of("glove-6b-50d"), kind_of("all-minilm-l6-v2"), kind_of("a.txt")
    ('static', 'language model', 'static', 'encoder', 'static')
    """
    if is_address(source):
        return "language model"
    if source is None or source in ("sample", "sample-mlm"):
        return "language model" if source == "sample-mlm" else "static"
    try:
        path = Path(source).expanduser()
    except RuntimeError:
        path = Path(source)
    if os.path.exists(path) and static_folder(path) is not None:  # noqa: PTH110 (a name may be too long for a file)
        return "static"
    if os.path.isdir(path) and (path / "modules.json").is_file():  # noqa: PTH112
        return "encoder"
    if os.path.isdir(path) and (path / "config.json").is_file():  # noqa: PTH112
        return _kind_of_folder(path)
    if os.path.exists(path):  # noqa: PTH110
        from aslant.models.adapters import is_adapter, is_of_encoder
        from aslant.models.conversion import gguf_in
        from aslant.models.elmo_files import elmo_files
        from aslant.models.loading import onnx_file

        if is_adapter(path):
            return "encoder" if is_of_encoder(path) else "language model"
        if gguf_in(path) is not None:
            return "language model"
        return "static" if elmo_files(path) is None and onnx_file(path) is None else "encoder"
    return _kind_of_name(str(source))


def _kind_of_folder(folder: Path) -> Kind:
    try:
        content = parse_json(read_text(folder / "config.json", DataError))
    except ValueError as error:
        raise DataError(
            f"the config.json in '{folder}' cannot be read ({error}); give the folder of a model."
        ) from None
    named = content.get("architectures") if isinstance(content, dict) else None
    architectures = [str(name) for name in named] if isinstance(named, list) else []
    headless = architectures and not any(name.endswith(HEADS) for name in architectures)
    return "encoder" if headless else "language model"


def _kind_of_name(name: str) -> Kind:
    """Find out what a name that no file has means.

    Without the packages for language models, an unknown name is more likely mistyped than a hub model.
    """
    from importlib.util import find_spec

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
    if find_spec("torch") is None or find_spec("transformers") is None:
        raise MissingExtraError(
            f"there is no file '{name}', nor data of that name ('aslant data list' shows the names); if it is a "
            "language model or an encoder, pip install '.[lm]'."
        )
    return "language model"

"""A list of models to audit: a text file with one per line, or TOML with settings for each; checked before any work.

    # models.txt: a file, folder, data name or hub name; its own label before "="
    glove-6b-50d
    last month = vectors/2026-02.bin
    this month = vectors/2026-03.bin

A list may come from a stranger, so it cannot have pickles opened, and may hold no invisible characters.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from os import PathLike
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta, Struct

from aslant.auditing.subjects import Kind, kind_of
from aslant.errors import AslantError
from aslant.io.reading import parse_toml, read_text
from aslant.results.audit import Profile

#: The most bytes of a list, models in it, and characters of a label.
MAX_LIST, MAX_MODELS, MAX_LABEL = 1 << 24, 100_000, 200
STANDARD_INPUT = "-"


@dataclass(frozen=True)
class AuditSettings:
    """How a model is read and audited: plain values only, so that they can be sent to another process.

    The first are those of `aslant.audit`, the next those of `aslant.load`, the last how the corpus is read.
    """

    profile: Profile = "standard"
    seed: int = 0
    only: tuple[str, ...] = ()
    skip: tuple[str, ...] = ()
    words: tuple[str, ...] = ()
    corpus: tuple[str, ...] = ()
    device: str | None = None
    top: int | None = None
    case: str = "fallback"
    phrases: str = "join"
    subwords: bool = False
    allow_pickle: bool = False
    cache: bool = True
    column: str | None = None
    split: str = "auto"
    encoding: str = "utf-8"


@dataclass(frozen=True)
class Entry:
    """A model of a list: its label, its source (a full path, or a name), and how it is audited."""

    label: str
    source: str
    settings: AuditSettings = field(default_factory=AuditSettings)


#: Blanks are refused by hand: with a pattern here, msgspec 0.22 crashed one process in five (segmentation fault).
Text = Annotated[str, Meta(min_length=1)]
Several = Text | tuple[Text, ...]
Count = Annotated[int, Meta(ge=1)]


class _Model(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A model in TOML; what is not given is as the command line says, and pickles and the cache only there."""

    source: Text
    name: Text | None = None
    profile: Profile | msgspec.UnsetType = msgspec.UNSET
    seed: Annotated[int, Meta(ge=0)] | msgspec.UnsetType = msgspec.UNSET
    only: Several | msgspec.UnsetType = msgspec.UNSET
    skip: Several | msgspec.UnsetType = msgspec.UNSET
    words: Several | msgspec.UnsetType = msgspec.UNSET
    corpus: Several | msgspec.UnsetType = msgspec.UNSET
    device: Text | msgspec.UnsetType = msgspec.UNSET
    top: Count | msgspec.UnsetType = msgspec.UNSET
    case: Literal["fallback", "exact"] | msgspec.UnsetType = msgspec.UNSET
    phrases: Literal["join", "mean", "exact"] | msgspec.UnsetType = msgspec.UNSET
    subwords: bool | msgspec.UnsetType = msgspec.UNSET
    column: Text | msgspec.UnsetType = msgspec.UNSET
    split: Literal["auto", "lines", "sentences", "paragraphs"] | msgspec.UnsetType = msgspec.UNSET
    encoding: Text | msgspec.UnsetType = msgspec.UNSET


class _Models(Struct, frozen=True, forbid_unknown_fields=True):
    model: Annotated[tuple[_Model, ...], Meta(min_length=1)]


def read_list(
    models: str | PathLike[str] | Mapping[str, Any] | Sequence[Any], settings: AuditSettings | None = None
) -> tuple[Entry, ...]:
    """Return the models of a list file ("-": standard input), of a mapping from labels to models, or of a sequence.

    Paths in a file are relative to it. Every model is checked as far as it can be without opening it, and labels must
    differ.

    >>> read_list({"ours": "sample"})[0].label, read_list(["sample", "sample-mlm"])[1].source
    ('ours', 'sample-mlm')
    """
    given = settings or AuditSettings()
    if isinstance(models, str | PathLike):
        entries = _read_file(str(models), given)
    else:
        pairs = models.items() if isinstance(models, Mapping) else [(source, source) for source in models]
        entries = [_given(label, source, given) for label, source in pairs]
    if not entries:
        raise AslantError(f"the list '{models!s:.80}' names no model; write one per line.")
    _check_labels([entry.label for entry in entries])
    return tuple(_checked(entry) for entry in entries)


def _given(label: Any, source: Any, settings: AuditSettings) -> Entry:
    if not isinstance(source, str | PathLike) or not isinstance(label, str | PathLike):
        raise AslantError(f"{source!r:.60} names no model; give paths, data names or hub names, under labels.")
    return Entry(_label(str(label), f"'{source}'"), located(str(source), Path()), settings)


def _read_file(name: str, given: AuditSettings) -> list[Entry]:
    if name == STANDARD_INPUT:
        return _from_text(_standard_input(), Path(), "standard input", given)
    path = Path(name).expanduser()
    content = read_text(path, most=MAX_LIST)
    if path.suffix.lower() == ".toml":
        return _from_toml(content, path, given)
    return _from_text(content, path.parent, f"'{path}'", given)


def _standard_input() -> str:
    content = sys.stdin.buffer.read(MAX_LIST + 1)
    if len(content) > MAX_LIST:
        raise AslantError(f"standard input is larger than {MAX_LIST >> 20} MB; check what it is.")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise AslantError("standard input is not UTF-8 text.") from None


def _from_text(content: str, folder: Path, name: str, given: AuditSettings) -> list[Entry]:
    written = []
    for number, line in enumerate(content.split("\n"), 1):
        text = line.strip()
        if text and not text.startswith("#"):
            where = f"line {number} of {name}"
            label, source = _parted(text, folder)
            if not label or not source:
                raise AslantError(f"{where} is '{text:.80}'; write a model, or 'label = model'.")
            written.append((_label(label, where), source))
    _check_labels([label for label, _ in written])  # before each is looked up on disk
    return [Entry(label, located(source, folder), given) for label, source in written]


def _parted(text: str, folder: Path) -> tuple[str, str]:
    """Return the label and the model of a line; an existing path may have an equals sign in it."""
    label, sign, source = text.partition("=")
    if not sign or os.path.exists(folder / text):  # noqa: PTH110 (a name too long for any file is not an error here)
        return text, text
    return label.strip(), source.strip()


def _from_toml(content: str, path: Path, given: AuditSettings) -> list[Entry]:
    try:
        found = msgspec.convert(parse_toml(content), _Models)
    except (ValueError, msgspec.ValidationError) as error:
        raise AslantError(f"'{path}' is not a usable list of models: {error}.") from None
    entries = []
    for number, model in enumerate(found.model, 1):
        asked = {f: getattr(model, f) for f in _SETTABLE if getattr(model, f) is not msgspec.UNSET}
        if blank := [name for name, value in (("source", model.source), *asked.items()) if _is_blank(value)]:
            raise AslantError(f"model {number} of '{path}' has an empty '{blank[0]}'; fill it in, or leave it out.")
        for name in ("only", "skip", "words", "corpus"):
            if name in asked:
                asked[name] = (asked[name],) if isinstance(asked[name], str) else asked[name]
        for name in ("words", "corpus"):
            if name in asked:
                asked[name] = tuple(located(text, path.parent) for text in asked[name])
        label = _label(model.source if model.name is None else model.name, f"model {number} of '{path}'")
        entries.append(Entry(label, located(model.source, path.parent), replace(given, **asked)))
    return entries


def _is_blank(value: Any) -> bool:
    """Tell whether a text, or one of several, has no visible characters."""
    if isinstance(value, tuple):
        return any(map(_is_blank, value))
    return isinstance(value, str) and not value.strip()


#: What TOML may say about a model, except its name and source.
_SETTABLE = tuple(f.name for f in fields(AuditSettings) if f.name in _Model.__struct_fields__)


def located(source: str, folder: Path) -> str:
    """Return the full path if there is a file or folder, or an archive with a member; other names stay unchanged.

    >>> located("sample-mlm", Path("/nowhere"))
    'sample-mlm'
    """
    from aslant.io.packed_files import path_of

    path = folder / path_of(source)
    return os.path.abspath(path) if _is_there(path) else source  # noqa: PTH100 (a link keeps its name)


def _is_there(path: Path) -> bool:
    """Tell whether there is a file, a folder, an archive with a member, or a decade of HistWords."""
    from aslant.vectors.formats.histwords import decade_of

    try:
        return path.exists() or any(parent.is_file() for parent in path.parents) or decade_of(path) is not None
    except (OSError, ValueError, AslantError):  # a name that no file can have
        return False


def _label(text: str, where: str) -> str:
    if not text.strip() or len(text) > MAX_LABEL or not text.isprintable():
        raise AslantError(
            f"{where} has the label {text!r:.60}; give one of up to {MAX_LABEL} visible characters, as in "
            "'label = model'."
        )
    return text


def _check_labels(labels: Sequence[str]) -> None:
    if len(labels) > MAX_MODELS:
        raise AslantError(f"the list names {len(labels):,} models; give up to {MAX_MODELS:,} at a time.")
    seen: set[str] = set()
    for label in labels:
        if label in seen:
            raise AslantError(
                f"two models of the list are called '{label}'; give each its own label, as in 'label = model'."
            )
        seen.add(label)


def _checked(entry: Entry) -> Entry:
    """Refuse a model that cannot exist: a path to nothing, data of a kind that cannot be audited."""
    if not Path(entry.source).is_absolute() and _is_there(Path(entry.source)):  # what is opened must not depend on it
        raise AslantError(
            f"'{entry.label}' of the list: '{entry.source}' is not next to the list but in the current folder; "
            "paths are relative to the list."
        )
    try:
        kind = kind_of(entry.source)
    except AslantError as error:
        raise AslantError(f"'{entry.label}' of the list: {error}") from None
    if kind == "static" and not may_be_there(entry.source):
        from aslant.data import did_you_mean

        raise AslantError(
            f"'{entry.label}' of the list: there is no file '{entry.source}', nor data of that name; "
            f"{did_you_mean(entry.source)}check the path, which is relative to the list."
        )
    return entry


def may_be_there(source: str) -> bool:
    """Tell whether there is a file, folder or data of that name.

    >>> may_be_there("sample"), may_be_there("nowhere.txt")
    (True, False)
    """
    from aslant.data import could_be_name
    from aslant.data.registry import names

    known = could_be_name(source) and source.partition("/")[0] in names()
    return source == "sample" or known or _is_there(Path(source))


def kinds_of(entries: Iterable[Entry]) -> list[Kind]:
    """Return what kind each model of a list is; nothing is opened.

    >>> kinds_of(read_list(["sample", "sample-mlm"]))
    ['static', 'language model']
    """
    return [kind_of(entry.source) for entry in entries]

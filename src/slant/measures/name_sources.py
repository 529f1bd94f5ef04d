"""From what a user calls names (nothing, a list, a file, a data name) to a table of names with their facts."""

from __future__ import annotations

from collections.abc import Iterable
from os import PathLike
from pathlib import Path
from typing import TypeAlias

from slant.data import could_be_name
from slant.errors import MeasureError
from slant.measures.wordsets import checked_words
from slant.stimuli import NameTable, bundled_names, named, read_names

Names: TypeAlias = str | PathLike[str] | Iterable[str] | None
#: Short for the data name.
SURNAMES = "surnames"


def name_table(names: Names) -> NameTable:
    """Return the names to cluster: None gives the bundled first names, "surnames" those of the US census.

    >>> len(name_table(None).names), name_table(["Ann", "Bob"]).names
    (9656, ('Ann', 'Bob'))
    """
    if names is None:
        return bundled_names()
    if isinstance(names, str | PathLike):
        return read_names(_path(names))
    if not isinstance(names, Iterable):
        raise MeasureError(f"names={names!r:.60} are no names; give a list, a file, a data name, or nothing.")
    return named("own", checked_words(names))


def _path(given: str | PathLike[str]) -> Path:
    """Return the file of names: where it lies, or where the data of that name are."""
    path = Path(given)
    if path.exists() or not could_be_name(str(given)):
        return path
    from slant.data import resolve

    return resolve("census-surnames" if str(given) == SURNAMES else str(given), kinds=["names"]) or path

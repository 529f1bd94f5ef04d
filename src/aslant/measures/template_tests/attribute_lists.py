"""From what a user calls attributes (words, a word set, a file, a data name) to a list of them, each once."""

from __future__ import annotations

import csv
import os
from collections.abc import Iterable
from os import PathLike
from pathlib import Path
from typing import TypeAlias

from aslant.data import could_be_name
from aslant.errors import MeasureError, StimuliError
from aslant.io.reading import read_text
from aslant.measures.shared.wordsets import checked_words
from aslant.stimuli import StimulusSet, WordList, load_set
from aslant.stimuli import names as set_names

#: Words, the name of a word set, a TOML file, a text file or table, or a data name.
Attributes: TypeAlias = str | PathLike[str] | Iterable[str]
#: Columns of a table that hold attributes, where none is named; otherwise the first one is taken.
COLUMNS = ("attribute", "word", "job_title", "title", "name", "skill", "trait", "example")
MAX_BYTES = 64 << 20


def attribute_list(given: Attributes, *, column: str | None = None, lower: bool = False) -> tuple[WordList, str]:
    """Return the attributes, each once, and the id of what they come from ("own" if none).

    A file has one per line, or is a table (.csv, or tabs in its first line) of which `column` is taken; nothing:
    the first column with a usual name (such as "job_title"), or the first. Underscores of a word set read as spaces.

    >>> attribute_list(["Nurse", "clerk", "nurse"], lower=True)[0].words
    ('nurse', 'clerk')
    >>> len(attribute_list("bold-professions")[0].words)
    331
    """
    if isinstance(given, str | PathLike):
        words, source = _named(given, column)
    elif column is not None:
        raise MeasureError(f"column={column!r} makes no sense with words; give a table.")
    elif isinstance(given, Iterable):
        words, source = checked_words(given), "own"
    else:
        raise MeasureError(f"attributes={given!r:.60} are not attributes; give words, a word set or a file.")
    words = tuple(dict.fromkeys(word.strip().lower() if lower else word.strip() for word in words))
    if not words:
        raise MeasureError("no attribute was given; give at least one word.")
    return WordList("attributes", words), source


def _named(given: str | PathLike[str], column: str | None) -> tuple[tuple[str, ...], str]:
    path = Path(given)
    if str(given) in set_names() or path.suffix == ".toml":
        chosen = load_set(given, StimulusSet)
        return tuple(word.replace("_", " ") for word in chosen.words), chosen.id
    if not os.path.isfile(path):  # noqa: PTH113 (a name too long for any file is not an error here)
        path = _from_data(str(given))
    return read_attributes(path, column), path.name


def _from_data(given: str) -> Path:
    from aslant.data import resolve

    found = resolve(given, kinds=["words", "names", "benchmark"]) if could_be_name(given) else None
    if found is None or not found.is_file():
        raise StimuliError(
            f"there are no attributes '{given}'; give a word set ('aslant words list'), a file with one per line "
            "or a table, or words separated by commas (one word: 'nurse,')."
        )
    return found


def read_attributes(path: Path, column: str | None = None) -> tuple[str, ...]:
    """Read attributes from a file: one per line, or a column of a table.

    >>> import tempfile
    >>> file = Path(tempfile.mkdtemp()) / "jobs.tsv"
    >>> _ = file.write_text("salary\\tjob_title\\n10\\tclerk\\n20\\tnurse\\n")
    >>> read_attributes(file)
    ('clerk', 'nurse')
    """
    lines = read_text(path, StimuliError, most=MAX_BYTES).splitlines()
    found = _column(path, lines, column) if _is_table(path, lines) else lines
    if column is not None and not _is_table(path, lines):
        raise StimuliError(f"'{path}' is not a table, so it has no column '{column}'; leave the column out.")
    words = tuple(word.strip() for word in found if word and word.strip())
    if not words:
        raise StimuliError(f"'{path}' has no attributes; give one per line, or a table.")
    return words


def _is_table(path: Path, lines: list[str]) -> bool:
    return path.suffix.lower() in (".csv", ".tsv") or (bool(lines) and "\t" in lines[0])


def _column(path: Path, lines: list[str], column: str | None) -> list[str]:
    try:
        rows = list(csv.reader(lines, delimiter="\t" if lines and "\t" in lines[0] else ","))
    except csv.Error as error:
        raise StimuliError(f"'{path}' is not a table that can be read: {error}.") from None
    if not rows:
        return []
    heads = [head.strip().lower() for head in rows[0]]
    if column is not None and column.lower() not in heads:
        raise StimuliError(f"'{path}' has no column '{column}'; it has {', '.join(rows[0])}.")
    known = [heads.index(name) for name in COLUMNS if name in heads]
    place = heads.index(column.lower()) if column is not None else known[0] if known else 0
    return [row[place] for row in rows[1:] if len(row) > place]

"""Log-probabilities by sequence of tokens, kept as JSON lines, so that a killed run goes on where it was."""

from __future__ import annotations

import hashlib
import json
import os
import warnings
from collections.abc import Iterable
from os import PathLike
from pathlib import Path
from typing import TypeAlias

from slant.journal import Journal

Ids: TypeAlias = tuple[int, ...]
Asks: TypeAlias = tuple[tuple[int, int], ...]
Values: TypeAlias = tuple[float, ...]


class ScoreTable:
    """What a model has answered. With a `path`, each batch becomes one line there, on disk before the next one starts.

    A line that is not whole counts as absent. Where the file cannot be written, the work goes on without, and says so.

    >>> table = ScoreTable()
    >>> table.keep([((1, 2), ((0, 5),), (-0.5,))])
    >>> table.get((1, 2), ((0, 5),)), table.get((1, 2), ((0, 6),))
    ((-0.5,), None)
    """

    def __init__(self, path: Path | None = None) -> None:
        self._path = path
        self._values: dict[str, Values] = {}
        if path is not None:
            self._values.update(_read(path))

    def get(self, ids: Ids, asks: Asks) -> Values | None:
        """Return what is known of a query, or None."""
        return self._values.get(_key(ids, asks))

    def keep(self, answers: Iterable[tuple[Ids, Asks, Values]]) -> None:
        """Remember answers to queries."""
        new = {_key(ids, asks): values for ids, asks, values in answers}
        self._values.update(new)
        if self._path is None or not new:
            return
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            with self._path.open("ab") as file:  # the line break comes first: it ends a line that a killed run began
                file.write(b"\n" + json.dumps(new).encode())
                file.flush()
                os.fsync(file.fileno())
        except OSError as error:
            warnings.warn(f"no journal is kept, since '{self._path}' cannot be written: {error}", stacklevel=2)
            self._path = None


def table_in(journal: Journal | str | PathLike[str] | None, name: str) -> ScoreTable:
    """Return the table `name` of a journal (or of a folder), or one in memory only.

    >>> table_in(None, "x").get((1,), ()) is None
    True
    """
    if journal is None:
        return ScoreTable()
    folder = journal.folder if isinstance(journal, Journal) else Path(journal)
    return ScoreTable(folder / f"{name}.jsonl")


def _key(ids: Ids, asks: Asks) -> str:
    return hashlib.blake2b(repr((ids, asks)).encode(), digest_size=16).hexdigest()


def _read(path: Path) -> dict[str, Values]:
    known: dict[str, Values] = {}
    try:
        lines = path.read_bytes().split(b"\n")
    except OSError:
        return known
    for line in lines:
        try:
            known.update((key, tuple(map(float, values))) for key, values in dict(json.loads(line)).items())
        except (ValueError, TypeError):  # cut short or damaged
            continue
    return known

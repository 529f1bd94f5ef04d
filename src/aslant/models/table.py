"""Log-probabilities by sequence of tokens, kept as sealed JSON lines, so that a killed run resumes where it stopped."""

from __future__ import annotations

import hashlib
import json
import os
import warnings
from collections.abc import Iterable
from os import PathLike
from pathlib import Path
from typing import Any, TypeAlias

from aslant.io.digests import sealed_json, unsealed_json
from aslant.io.journal import Journal

Ids: TypeAlias = tuple[int, ...]
#: Where to look in a sequence, and for which token.
Ask: TypeAlias = tuple[int, int]
Asks: TypeAlias = tuple[Ask, ...]
#: Log-probabilities, in the order in which they were requested.
Values: TypeAlias = tuple[float, ...]
#: How far above 0 rounding may lift the logarithm of a probability (half precision).
ROUNDING = 0.05
#: No logarithm of a probability is lower: infinities are not valid, nor are numbers that no float can hold.
LOWEST = -1e300


class ScoreTable:
    """What a model has answered. With a `path`, each batch becomes one line there, on disk before the next one starts.

    A damaged line, or a value that is not a log-probability, counts as absent. If the file cannot be written, the
    work continues without it, and says so.

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
        """Return the known answers to a query, or None."""
        found = self._values.get(_key(ids, asks))
        return found if found is not None and len(found) == len(asks) else None

    def keep(self, answers: Iterable[tuple[Ids, Asks, Values]]) -> None:
        """Remember answers to queries."""
        new = {_key(ids, asks): values for ids, asks, values in answers}
        self._values.update(new)
        if self._path is None or not new:
            return
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            with self._path.open("ab") as file:  # the line break comes first: it ends a line that a killed run began
                file.write(b"\n" + sealed_json(json.dumps(new).encode()))
                file.flush()
                os.fsync(file.fileno())
        except OSError as error:
            warnings.warn(f"no journal is kept, because '{self._path}' cannot be written to: {error}", stacklevel=2)
            self._path = None


class Tables:
    """The tables of one piece of work, which asks a model several times: each is read once, and kept to the end.

    >>> tables = Tables()
    >>> table_in(tables, "x") is table_in(tables, "x")
    True
    """

    def __init__(self, journal: Journal | str | PathLike[str] | None = None) -> None:
        self.folder = _folder(journal)
        self._open: dict[str, ScoreTable] = {}

    def table(self, name: str, own: Journal | str | PathLike[str] | None) -> ScoreTable:
        """Return the table `name`; without a folder, that of the model's `own` journal."""
        if name not in self._open:
            self._open[name] = table_in(self.folder or own, name)
        return self._open[name]


def table_in(
    journal: Tables | Journal | str | PathLike[str] | None,
    name: str,
    own: Journal | str | PathLike[str] | None = None,
) -> ScoreTable:
    """Return the table `name` of a journal (or of a folder), else of the model's `own` one, else in memory only.

    >>> table_in(None, "x").get((1,), ()) is None
    True
    """
    if isinstance(journal, Tables):
        return journal.table(name, own)
    folder = _folder(journal) or _folder(own)
    return ScoreTable(folder / f"{name}.jsonl" if folder else None)


def _folder(journal: Journal | str | PathLike[str] | None) -> Path | None:
    if journal is None:
        return None
    return journal.folder if isinstance(journal, Journal) else Path(journal)


def _key(ids: Ids, asks: Asks) -> str:
    return hashlib.blake2b(repr((ids, asks)).encode(), digest_size=16).hexdigest()


def _read(path: Path) -> dict[str, Values]:
    known: dict[str, Values] = {}
    try:
        lines = path.read_bytes().split(b"\n")
    except OSError:
        return known
    for text in map(unsealed_json, lines):
        if text is None:  # truncated or damaged: a wrong number would pass for another answer
            continue
        try:
            entries = json.loads(text)
        except (ValueError, RecursionError):
            continue
        if isinstance(entries, dict):
            known.update((key, tuple(map(float, values))) for key, values in entries.items() if _sound(values))
    return known


def _sound(values: Any) -> bool:
    """Tell whether these are logarithms of probabilities.

    >>> _sound([-0.5, 0]), _sound([0.5]), _sound([float("-inf")]), _sound("12"), _sound([True])
    (True, False, False, False, False)
    """
    return isinstance(values, list) and all(
        isinstance(value, int | float) and not isinstance(value, bool) and LOWEST <= value <= ROUNDING
        for value in values
    )

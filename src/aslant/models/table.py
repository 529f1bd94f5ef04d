"""Log-probabilities by sequence of tokens, kept so that a killed run resumes where it was."""

from __future__ import annotations

import json
from collections.abc import Iterable
from os import PathLike
from pathlib import Path
from typing import TypeAlias

import msgspec

from aslant.io.journal import Journal
from aslant.io.keeper import Keeper, digest

Ids: TypeAlias = tuple[int, ...]
#: Where to look in a sequence, and for which token.
Ask: TypeAlias = tuple[int, int]
Asks: TypeAlias = tuple[Ask, ...]
#: Log-probabilities, in the order in which they were requested.
Values: TypeAlias = tuple[float, ...]


class ScoreTable:
    """What a model has answered. With a `keeper`, each batch becomes a block there, before the next one starts.

    >>> table = ScoreTable()
    >>> table.keep([((1, 2), ((0, 5),), (-0.5,))])
    >>> table.get((1, 2), ((0, 5),)), table.get((1, 2), ((0, 6),))
    ((-0.5,), None)
    """

    def __init__(self, keeper: Keeper | None = None, name: str = "") -> None:
        self._keeper, self._name = keeper, name
        self._values: dict[str, Values] = {}
        for block in keeper.under(f"{name}/").values() if keeper else ():
            try:
                self._values |= msgspec.json.decode(block, type=dict[str, Values])
            except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):  # made by somebody else
                continue

    def get(self, ids: Ids, asks: Asks) -> Values | None:
        """Return the known answers to a query, or None."""
        found = self._values.get(_key(ids, asks))
        return found if found is not None and len(found) == len(asks) else None

    def keep(self, answers: Iterable[tuple[Ids, Asks, Values]]) -> None:
        """Remember answers to queries."""
        new = {_key(ids, asks): values for ids, asks, values in answers}
        self._values.update(new)
        if self._keeper is not None and new:
            content = json.dumps(new).encode()
            self._keeper.keep({f"{self._name}/{digest(content)}": content})


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
    return ScoreTable(Keeper(folder) if folder else None, name)


def _folder(journal: Journal | str | PathLike[str] | None) -> Path | None:
    if journal is None:
        return None
    return journal.folder if isinstance(journal, Journal) else Path(journal)


def _key(ids: Ids, asks: Asks) -> str:
    return digest(repr((ids, asks)).encode())

"""A result as tables: each kind says how in its room's about.toml; one that does not shows the fields of its rows."""

from __future__ import annotations

from typing import Any

from aslant.catalogue import kinds
from aslant.report.tables import Column, Table, missing_words, plain, small
from aslant.results.codec import Result


def table_of(result: Result) -> Table:
    """Describe `result` as one table, with all of its fields."""
    kind = kinds().get(result.kind)
    table: Table = _any_table(result) if kind is None else kind.resolve(kind.table)(result)
    return table


def tables_of(result: Result, width: int = 140) -> tuple[Table, ...]:
    """Describe `result` as the tables that a terminal shows: one, or several where a result has more to show."""
    kind = kinds().get(result.kind)
    return kind.resolve(kind.terminal)(result, width) if kind and kind.terminal else (table_of(result),)


def documents_of(result: Result) -> tuple[Table, ...]:
    """Describe `result` as the tables of a page, or of a Markdown or LaTeX file."""
    kind = kinds().get(result.kind)
    return kind.resolve(kind.documents)(result) if kind and kind.documents else (table_of(result),)


def _any_table(result: Any) -> Table:
    rows = result.rows() if hasattr(result, "rows") else [_fields(result)]
    columns = tuple(Column(key, key.replace("_", " "), _value, "left", wraps=True) for key in (rows[0] if rows else ()))
    missing = missing_words(result) if getattr(result, "missing", ()) else ()
    return Table(result.kind.replace("-", " "), columns, rows, missing)


def _fields(result: Result) -> dict[str, Any]:
    """Return what of a result can stand in one row."""
    return {key: value for key, value in result.to_dict().items() if isinstance(value, str | int | float)}


def _value(value: Any) -> str:
    return "–" if value is None else small(value) if isinstance(value, float) else plain(value)

"""A result as tables and charts, and what a page says about it: each kind says so in its room's about.toml.

One that does not shows the fields of its rows.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from aslant.catalogue import Kind, Picture, kinds
from aslant.report.tables import Column, Table, missing_words, plain, small
from aslant.results.codec import Result


def table_of(result: Result) -> Table:
    """Describe `result` as one table, with all of its fields."""
    kind = kinds().get(result.kind)
    if kind is not None:
        table: Table = kind.resolve(kind.table)(result)
        return table
    known: Any = result
    plain_fields = {key: value for key, value in result.to_dict().items() if isinstance(value, str | int | float)}
    rows = known.rows() if hasattr(result, "rows") else [plain_fields]
    columns = tuple(Column(key, key.replace("_", " "), _value, "left", wraps=True) for key in (rows[0] if rows else ()))
    missing = missing_words(result) if getattr(result, "missing", ()) else ()
    return Table(result.kind.replace("-", " "), columns, rows, missing)


def _value(value: Any) -> str:
    return "–" if value is None else small(value) if isinstance(value, float) else plain(value)


def tables_of(result: Result, width: int = 140) -> tuple[Table, ...]:
    """Describe `result` as the tables that a terminal shows: one, or several where a result has more to show."""
    kind = kinds().get(result.kind)
    return kind.resolve(kind.terminal)(result, width) if kind and kind.terminal else (table_of(result),)


def documents_of(result: Result) -> tuple[Table, ...]:
    """Describe `result` as the tables of a page, or of a Markdown or LaTeX file."""
    kind = kinds().get(result.kind)
    return kind.resolve(kind.documents)(result) if kind and kind.documents else (table_of(result),)


def section_of(result: Result) -> Kind:
    """Return what is said about results of this kind; one that no catalogue has is headed by its name."""
    kind, named = result.kind, vars(result)
    found = kinds().get(kind) or Kind(made="", title=kind.replace("-", " ").capitalize())
    return replace(found, **{key: plain(named[key]) for key in ("title", "citation")}) if found.names_itself else found


def pictures_of(result: Result) -> list[tuple[Picture, Any]]:
    """Return the charts of a result that have something to show, each with its Altair chart.

    A wide one is drawn in the width that it gets: in a file charts may stand side by side.
    """
    from aslant.report.pictures import fluid

    kind = kinds().get(result.kind)
    if kind and kind.drawn:
        own: list[tuple[Picture, Any]] = kind.resolve(kind.drawn)(result)
        return own
    drawn = []
    for picture in kind.pictures if kind else ():
        if not picture.needs or getattr(result, picture.needs):
            chart = picture.resolve(picture.draw)(result)
            if chart is not None:
                drawn.append((picture, fluid(chart) if picture.wide else chart))
    return drawn

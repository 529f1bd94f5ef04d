"""Columns of tables: TSV and CSV with a header, row by row."""

from __future__ import annotations

import csv
import difflib
from collections.abc import Iterable, Iterator

from aslant.corpus.splitting import Lines
from aslant.errors import CorpusError

#: What a column of texts is called where none is given; the first of these that exists, in any case.
USUAL = ("text", "sentence", "sentences", "texts", "content")


def usual_column(columns: Iterable[str]) -> str | None:
    """Return the column that usually holds texts, or None.

    >>> usual_column(["ID", "Text", "Pronoun"])
    'Text'
    """
    by_name = {column.casefold(): column for column in reversed(list(columns))}
    return next((by_name[name] for name in USUAL if name in by_name), None)


def choose_column(columns: list[str], wanted: str | None, name: str) -> str:
    """Return the column to read, or raise an error that lists them.

    >>> choose_column(["ID", "Text"], "Txt", "gap.tsv")
    Traceback (most recent call last):
    aslant.errors.CorpusError: 'gap.tsv' has no column 'Txt'; did you mean 'Text'? It has: ID, Text.
    """
    if wanted is not None and wanted in columns:
        return wanted
    listed = ", ".join(columns[:20]) + (", …" if len(columns) > 20 else "")
    if wanted is not None:
        near = difflib.get_close_matches(wanted, columns, n=1)
        hint = f"did you mean '{near[0]}'? It" if near else "it"
        raise CorpusError(f"'{name}' has no column '{wanted}'; {hint} has: {listed}.")
    if usual := usual_column(columns):
        return usual
    raise CorpusError(f"'{name}' has the columns {listed}; name the one that holds the text (column=…, --column).")


def rows(lines: Lines, delimiter: str, name: str) -> Iterator[list[str]]:
    """Yield the rows of a table, the header first; blank lines are skipped.

    >>> list(rows([("ID\\tText", True), ("1\\t'No'", True), ("2\\tsay \\"no", True)], "\\t", "t.tsv"))
    [['ID', 'Text'], ['1', "'No'"], ['2', 'say "no']]
    """
    whole = _whole(lines, name)
    if delimiter == "\t":
        # A tab or a line end cannot be in a cell, and a quote is literal, unless it was put around the whole cell.
        yield from ([_unquoted(cell) for cell in line.split("\t")] for line in whole if line.strip())
        return
    reader = csv.reader((f"{line}\n" for line in whole), delimiter=delimiter, strict=True)
    try:
        yield from (row for row in reader if row)
    except csv.Error as error:
        raise CorpusError(f"'{name}' is not a usable table: line {reader.line_num:,}: {error}.") from None


def _whole(lines: Lines, name: str) -> Iterator[str]:
    for number, (line, ends) in enumerate(lines, 1):
        if not ends:
            raise CorpusError(f"line {number:,} of '{name}' is too long for a row of a table; check its line ends.")
        yield line


def _unquoted(cell: str) -> str:
    inside = cell[1:-1]
    if len(cell) > 1 and cell[0] == cell[-1] == '"' and '"' not in inside.replace('""', ""):
        return inside.replace('""', '"')
    return cell


def texts(lines: Lines, delimiter: str, column: str, name: str) -> Iterator[str]:
    """Yield the cells of a column."""
    table = rows(lines, delimiter, name)
    header = next(table)
    place = header.index(column)
    for number, row in enumerate(table, 1):
        if len(row) <= place:
            raise CorpusError(
                f"row {number:,} of '{name}' has {len(row)} columns, its header {len(header)}; fix or delete it."
            )
        yield row[place]

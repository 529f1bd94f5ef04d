"""A replication as tables: the cells that were run, table by table of the paper, and what the others need."""

from __future__ import annotations

import re
import string
from collections.abc import Iterable
from dataclasses import asdict, replace
from typing import Any

from aslant.catalogue import Picture
from aslant.errors import plural
from aslant.report.assembly import pictures_of
from aslant.report.tables import Column, Table, plain
from aslant.results.replication import (
    DIFFERS,
    MET,
    NOT_PRINTED,
    NOT_RUN,
    STAND_IN,
    ReplicatedCell,
    ReplicationResult,
    ReplicationsResult,
)

VERDICT_COLOURS = {MET: "#2a8f7a", DIFFERS: "#d27300", STAND_IN: "#3b6fd4", NOT_RUN: "#9aa0a8"}
_STYLES = {MET: "bold", DIFFERS: "yellow", STAND_IN: "", NOT_PRINTED: "dim", NOT_RUN: "dim"}
READS = (
    "met: within the tolerance for rounding in print and for randomness (JSON and CSV have it); stand-in: "
    "computed with data other than the paper's, never counted as met; in brackets: another way to the same number, or "
    "a number that is not printed, neither of which counts"
)


def written(cell: ReplicatedCell, value: float | None) -> str:
    """Write a number with one digit more than the print.

    >>> made = ReplicatedCell("", "", "", "", 1.54, "1.54", None, 1.5393, "", 0.0, "met", "", "")
    >>> written(made, made.ours), written(made, None)
    ('1.539', '–')
    """
    if value is None:
        return "–"
    digits = re.search(r"\.(\d+)", cell.printed_text)
    if cell.printed is not None and "e" in cell.printed_text:
        return f"{value:z.2g}".replace("-", "−")
    whole = bool(cell.printed_text) and digits is None and "%" not in cell.printed_text and float(value).is_integer()
    places = 0 if whole else len(digits[1]) + 1 if digits else 1 if cell.printed_text else 3
    text = f"{value:.{places}f}"
    return (text if float(text) else text.lstrip("-")).replace("-", "−")


def _row(cell: ReplicatedCell) -> dict[str, Any]:
    ours = written(cell, cell.ours)
    if cell.printed is None and cell.printed_text and cell.verdict != NOT_RUN:
        asked = len(cell.printed_text.split(","))
        ours = cell.ours_text or "none"
        ours += "" if cell.ours is None else f" ({cell.ours:g} of {asked} shared)"
    elif cell.ours_text:
        ours = f"{ours} ({cell.ours_text})"
    return asdict(cell) | {
        "column": f"{cell.column} ({cell.way})" if cell.way else cell.column,
        "printed": cell.printed_text.replace("-", "−") or "–",
        "authors": written(cell, cell.authors),
        "ours": ours.strip(),
        "difference": written(cell, cell.difference),
        "verdict": f"({cell.verdict})" if cell.way else cell.verdict,
    }


def _table(title: str, cells: Iterable[ReplicatedCell], *, whole: bool) -> Table:
    """Describe cells; `whole` shows what was used and noted for each, for which a terminal may be too narrow."""
    chosen = list(cells)
    words: dict[str, Any] = {"justify": "left", "wraps": True} if any("," in c.printed_text for c in chosen) else {}
    columns = [
        Column("table", "in", plain, "left"),
        Column("row", "row", plain, "left", wraps=True),
        Column("column", "column", plain, "left", wraps=True),
        Column("printed", "printed", plain, **words),
    ]
    if any(cell.authors is not None for cell in chosen):
        columns.append(Column("authors", "authors' outputs", plain, spare=2))
    columns += [
        Column("ours", "ours", plain, **words),
        Column("difference", "difference", plain, spare=1),
        Column("verdict", "verdict", plain, "left", style=lambda verdict: _STYLES.get(verdict.strip("()"), "")),
    ]
    used = list(dict.fromkeys(cell.used for cell in chosen if cell.used))
    if whole and len(used) > 1:
        columns.append(Column("used", "with", plain, "left", wraps=True))
    if whole and any(cell.note for cell in chosen):
        columns.append(Column("note", "note", plain, "left", wraps=True))
    notes = (f"with {plain(used[0])}",) if whole and len(used) == 1 else ()
    return Table(title, tuple(columns), [_row(cell) for cell in chosen], notes, section_key="table")


def _ended(result: ReplicationResult, made: list[Table], *notes: str) -> tuple[Table, ...]:
    """Return tables with one of what the rest needs, the first line above, and notes, and how to fill more, below."""
    if result.lacking:
        columns = (
            Column("what", "needs", plain, "left", wraps=True),
            Column("cells", "cells", str),
            Column("how", "how to get it", plain, "left", wraps=True),
        )
        made = [*made, Table("Not run", columns, [asdict(lack) for lack in result.lacking])]
    made = made or [Table(result.title, (), [])]
    more = (result.more,) if result.more else ()
    made[0] = replace(made[0], first_line=result.first_line)
    made[-1] = replace(made[-1], notes=(*made[-1].notes, *notes, *more))
    return tuple(made)


def _notes(result: ReplicationResult) -> tuple[str, ...]:
    counts = ", ".join(
        f"{count} {'differ' if verdict == DIFFERS else verdict}" for verdict, count in result.counts.items()
    )
    return (f"{plural(sum(result.counts.values()), 'printed cell')}: {counts}", READS, *map(plain, result.notes))


def _said(cells: Iterable[ReplicatedCell], most: int = 4) -> tuple[str, ...]:
    """Return why cells differ, each reason once, with the first of the cells that it explains."""
    by_reason: dict[str, list[str]] = {}
    for cell in cells:
        if cell.note and (
            cell.verdict == DIFFERS or cell.authors is not None or (cell.verdict == MET and cell.missing)
        ):
            by_reason.setdefault(cell.note, []).append(f"{cell.row}, {cell.column}")
    return tuple(
        f"{plain('; '.join(places[:most]))}{f' and {len(places) - most} more' if len(places) > most else ''}: "
        f"{plain(reason)}"
        for reason, places in by_reason.items()
    )


def terminal_tables(result: ReplicationResult, width: int = 140) -> tuple[Table, ...]:
    """Describe a replication for a terminal: what was run, what the rest needs, and how to fill more."""
    ran = [cell for cell in result.cells if cell.verdict != NOT_RUN and not _shares_nothing(cell)]
    labels = list(dict.fromkeys(cell.used for cell in ran if cell.used))
    keys = {label: string.ascii_lowercase[place % 26] for place, label in enumerate(labels)}
    with_what = Column("used", "with", lambda used: keys.get(used, ""), "left")
    made: list[Table] = []
    for name in dict.fromkeys(cell.table for cell in ran):
        title = name if made else f"{result.title}, printed and recomputed: {name}"
        table = _table(title, [cell for cell in ran if cell.table == name], whole=False)
        made.append(replace(table, columns=(*table.columns[1:], with_what)))  # its name is in the title
    if made:
        alone = sum(map(_shares_nothing, result.cells))
        hidden = (f"not shown here: {plural(alone, 'cell')} of words, none of which are ours",) if alone else ()
        named = [f"{key}: {plain(label)}" for label, key in keys.items()]
        made[-1] = replace(made[-1], notes=(*_notes(result), *hidden, *named, *_said(ran), *_unused(result)))
    failed = dict.fromkeys(f"not run: {plain(c.note)}" for c in result.cells if c.verdict == NOT_RUN and c.used)
    return _ended(result, made, *failed)


def _shares_nothing(cell: ReplicatedCell) -> bool:
    """Tell whether a cell holds printed words none of which were found; a terminal has no room for many of these."""
    return cell.printed is None and bool(cell.printed_text) and cell.ours == 0


def _unused(result: ReplicationResult, most: int = 20) -> tuple[str, ...]:
    """Say which words were not used, the first of them by name."""
    words = result.missing
    more = f" and {len(words) - most} more (all in --json)" if len(words) > most else ""
    reasons = "no vector, not one piece, or in no sentence"
    told = f"words not used ({reasons}): {plain(', '.join(words[:most]))}{more}"
    return (told,) if words else ()


def cells_table(result: ReplicationResult) -> Table:
    """Describe every cell, for CSV, which has the rows of the result unchanged."""
    table = _table(result.title, result.cells, whole=True)
    notes = (*_notes(result), *_unused(result))
    return replace(table, rows=result.rows(), notes=notes, first_line=result.first_line)


def document_tables(result: ReplicationResult) -> tuple[Table, ...]:
    """Describe a replication for a page or a document: a table for each of the paper's, then what the rest needs.

    Words in rows and columns are best read in the layout of the paper.
    """
    made = []
    for name in dict.fromkeys(cell.table for cell in result.cells):
        cells = [cell for cell in result.cells if cell.table == name]
        if ran := [cell for cell in cells if cell.verdict != NOT_RUN]:
            as_grid = len({cell.column for cell in ran}) > 3 and all(cell.printed is None for cell in ran)
            title = f"{result.title}: {name}"
            made.append(_grid(title, cells) if as_grid else _table(title, ran, whole=True))
    return _ended(result, made, *_notes(result))


def _grid(title: str, cells: list[ReplicatedCell]) -> Table:
    """Lay words out as the paper does, with those that were not compared; what ours shares is below the printed."""
    names = sorted({cell.column for cell in cells}, key=lambda name: [int(n) for n in re.findall(r"\d+", name)])
    rows: dict[str, dict[str, Any]] = {}
    for cell in cells:
        shared = f"\nours too: {plain(cell.ours_text)}" if cell.ours_text else ""
        rows.setdefault(cell.row, {"row": cell.row})[cell.column] = plain(cell.printed_text) + shared
    filled = [{**dict.fromkeys(names, ""), **row} for row in rows.values()]
    columns = (Column("row", "", plain, "left"), *(Column(name, name, str, "left", wraps=True) for name in names))
    used = "; ".join(dict.fromkeys(cell.used for cell in cells if cell.used))
    reasons = dict.fromkeys(f"not compared: {plain(cell.note)}" for cell in cells if cell.verdict == NOT_RUN)
    return Table(title, columns, filled, (f"with {plain(used)}", *reasons))


def summary_table(result: ReplicationsResult) -> Table:
    """Describe several papers: how many of their cells were met, differ, or were not run."""
    columns = (
        Column("paper", "paper", plain, "left"),
        Column("title", "title", plain, "left", wraps=True),
        Column("printed", "printed cells", str),
        *(Column(verdict, verdict, str) for verdict in (MET, DIFFERS, STAND_IN, NOT_RUN)),
    )
    notes = (READS, *((result.more,) if result.more else ()))
    return Table("Papers, recomputed", columns, result.rows(), notes)


def summary_picture(result: ReplicationsResult) -> Any:
    """Draw how many cells of each paper were met, differ, or were not run; returns an Altair chart."""
    import altair as alt

    order = list(VERDICT_COLOURS)
    rows = [
        {"paper": r.paper, "verdict": verdict, "cells": count, "place": order.index(verdict)}
        for r in result.results for verdict, count in r.counts.items() if count
    ]  # fmt: skip
    colour = alt.Scale(domain=order, range=list(VERDICT_COLOURS.values()))
    bars = alt.Chart(alt.InlineData(values=rows)).mark_bar().properties(width=560, height=alt.Step(26))
    return bars.encode(
        x=alt.X("cells:Q", title="share of the printed cells", stack="normalize", axis=alt.Axis(format="%")),
        y=alt.Y("paper:N", title=None),
        color=alt.Color("verdict:N", scale=colour, legend=alt.Legend(orient="bottom", title=None)),
        order=alt.Order("place:Q"),
        tooltip=[alt.Tooltip("paper:N"), alt.Tooltip("verdict:N"), alt.Tooltip("cells:Q")],
    )


def pictures(result: ReplicationResult) -> list[tuple[Picture, Any]]:
    """Return the charts that redraw the paper's figures, with what the paper says of each."""
    return [
        (replace(picture, name=f"{figure.title} {picture.name}", shows=plain(
            f"{figure.title}, redrawn with {figure.used}. The paper: {figure.paper_says}"
        )), chart)
        for figure in result.figures for picture, chart in pictures_of(figure.result) if picture.name in figure.pictures
    ]  # fmt: skip

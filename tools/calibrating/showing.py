"""A table of calibration for people: on the terminal, and as Markdown for docs/calibration.md."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from calibrating.rows import LEVELS, Judged, Table, exact_interval

BEGIN, END = "<!-- calibration: begin -->", "<!-- calibration: end -->"
Cells = Callable[[Table, Judged], list[str]]
POWER = "effect found"
INTERVAL = re.compile(r" \([\d.]+–[\d.]+\)$")


def percent(count: int, n: int) -> str:
    """Return a share in per cent with its exact 95 % interval.

    >>> percent(5, 100)
    '5.0 (1.6–11.3)'
    """
    if not n:
        return "–"
    low, high = exact_interval(count, n)
    return f"{100 * count / n:.1f} ({100 * low:.1f}–{100 * high:.1f})"


def _power(judged: Judged) -> str:
    return f"{judged.found} of {len(judged.planted)}"


def _levels(judged: Judged) -> list[str]:
    return [percent(judged.counts[level], len(judged.null)) if level in judged.counts else "–" for level in LEVELS]


def _uniform(judged: Judged) -> str:
    found = [test.pvalue for test in judged.tests if test.what == "not uniform"]
    return f"{found[0]:.3f}" if found else "–"


def _pvalue(table: Table, judged: Judged) -> list[str]:
    row = judged.row
    return [
        row.name, row.null, str(len(judged.null)), *_levels(judged), _uniform(judged), _power(judged),
        table.verdict(judged),
    ]  # fmt: skip


def _off(table: Table, judged: Judged) -> list[str]:
    row = judged.row
    return [row.name, row.off, str(len(judged.null)), *_levels(judged), table.verdict(judged)]


def _share(table: Table, judged: Judged) -> list[str]:
    row, n = judged.row, len(judged.null)
    happened = percent(judged.counts[row.limit], n)
    return [row.name, row.null, str(n), happened, f"{100 * row.limit:g}", _power(judged), table.verdict(judged)]


_AT = [f"p ≤ {level:g}" for level in LEVELS]
#: Heading, whether a row belongs there, the heads of the columns, and the cells of a row.
PARTS: tuple[tuple[str, Callable[[Judged], bool], list[str], Cells], ...] = (
    (
        "P-values", lambda j: j.row.kind == "p" and not j.row.off,
        ["p-value", "null hypothesis that is true here", "runs", *_AT, "uniform, p", POWER, "promise"], _pvalue,
    ),
    (
        "False discoveries", lambda j: j.row.kind == "rate" and not j.row.off,
        ["q-value", "what is promised", "runs", "false, %", "at most", POWER, "promise"], _share,
    ),
    (
        "Intervals and brackets", lambda j: j.row.kind == "miss" and not j.row.off,
        ["interval", "what it must hold", "runs", "misses, %", "at most", "tells a wrong value", "promise"], _share,
    ),
    (
        "Known to be off", lambda j: bool(j.row.off), ["p-value", "why", "runs", *_AT, "promise"], _off,
    ),
)  # fmt: skip


def markdown(table: Table, command: str) -> str:
    """Return all parts as Markdown."""
    tests = sum(len(judged.tests) for judged in table.rows)
    lines = [f"Made by `{command}`: {len(table.rows)} numbers, {tests} tests, {len(table.failed)} promises broken."]
    for heading, belongs, heads, cells in PARTS:
        rows = [cells(table, judged) for judged in table.rows if belongs(judged)]
        if rows:
            right = [":" if head in ("runs", "at most") or head.startswith("p ≤") else "" for head in heads]
            lines += ["", f"### {heading}", "", _line(heads), "|" + "|".join(f"---{mark}" for mark in right) + "|"]
            lines += [_line(row) for row in rows]
    return "\n".join(lines) + "\n"


def _line(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def write(page: Path, text: str) -> None:
    """Put the table between the two marks of a page."""
    before, begin, rest = page.read_text(encoding="utf-8").partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise SystemExit(f"'{page}' has no place for the table: a line '{BEGIN}' and, below it, a line '{END}'.")
    page.write_text(f"{before}{BEGIN}\n\n{text}\n{END}{after}", encoding="utf-8")


def show(table: Table, console: Any) -> None:
    """Print the table, without the sentences and the intervals of shares, which Markdown has."""
    from rich.box import SIMPLE_HEAD
    from rich.table import Table as Grid

    for heading, belongs, heads, cells in PARTS:
        rows = [judged for judged in table.rows if belongs(judged)]
        if not rows:
            continue
        grid = Grid(title=heading, title_justify="left", box=SIMPLE_HEAD, padding=(0, 1))
        for place, head in enumerate(heads):
            if place != 1:
                ends = place in (0, len(heads) - 1)
                grid.add_column(head, justify="left" if ends else "right", overflow="fold")
        for judged in rows:
            found = cells(table, judged)
            style = "red" if table.faults(judged) else None
            short = [INTERVAL.sub("", cell) for place, cell in enumerate(found) if place > 1]
            grid.add_row(found[0], *short, style=style)
        console.print(grid)

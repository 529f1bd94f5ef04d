"""Results as tables, charts and pages. Sees results only; computes nothing."""

from __future__ import annotations

from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING

from aslant.errors import AslantError
from aslant.io.files import write_text
from aslant.results.codec import Result

if TYPE_CHECKING:
    from rich.console import Console

    from aslant.report.tables import Table

#: What `render` and `save` know.
SUFFIXES = (".html", ".json", ".csv", ".md", ".tex")
#: Results that are reports of their own, and end with what to cite as Markdown too.
REPORTS = ("audit", "audit-comparison")


def render(result: Result, suffix: str) -> str:
    """Return `result` as text in the format that `suffix` names, such as ".md"."""
    from aslant.report.assembly import documents_of, table_of
    from aslant.report.cited import markdown_references
    from aslant.report.html import page
    from aslant.report.tables import to_csv, to_latex, to_markdown

    if suffix not in SUFFIXES:
        raise AslantError(f"'{suffix}' files cannot be written; use one of {', '.join(SUFFIXES)}.")
    if suffix == ".html":
        return page(result)
    if suffix == ".json":
        return result.to_json() + "\n"
    if suffix == ".csv":
        return to_csv(table_of(result))
    write, tables = to_markdown if suffix == ".md" else to_latex, documents_of(result)
    made = "\n".join(write(table, titled=len(tables) > 1) for table in tables)
    return made if suffix != ".md" or result.kind not in REPORTS else f"{made}\n{markdown_references(result)}"


def text(result: Result, width: int = 100) -> str:
    """Return a result as plain text: its tables as a terminal of that width shows them, and the notes under them.

    >>> import aslant
    >>> print(text(aslant.weat(aslant.load(), "weat-6", bootstrap=0)).splitlines()[0].rstrip())
    WEAT on sample
    """
    from rich.console import Console

    from aslant.report.assembly import tables_of

    written = StringIO()
    console = Console(file=written, width=width, highlight=False, color_system=None)
    for table in tables_of(result, width):
        print_table(table, console)
    return written.getvalue()


def print_table(table: Table, console: Console) -> None:
    """Print a table with its first line, what was left out for want of room, and the notes under it."""
    from rich.text import Text

    from aslant.report.tables import fitted, left_out, lines, to_rich

    if table.first_line:
        console.print(Text(lines(table.first_line), style="bold"))
    console.print(to_rich(table, console.width), "")
    shown = [column for column, *_ in fitted(table, console.width)]
    for note in (*left_out(table, console.width), *table.remarks(shown)):
        console.print(Text(lines(note), style="bold" if note == table.verdict else "dim"))


def save(result: Result, path: str | Path) -> None:
    """Write `result` in the format of the suffix of `path`."""
    target = Path(path)
    write_text(target, render(result, target.suffix.lower()))

"""Print a result as a table, and write it to the requested files."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from aslant.errors import MeasureError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from rich.console import Console

    from aslant.cli.shared import Output
    from aslant.measures.shared.association import AssociationSuite
    from aslant.results.codec import Result

STANDARD_OUTPUT = Path("-")


def need_results(suite: AssociationSuite) -> None:
    """Refuse to report a suite in which no test could be run."""
    if not suite.results:
        skipped = suite.skipped[0]
        raise MeasureError(f"no test could be run; the first, {skipped.test}, because {skipped.reason}.")


def deliver(result: Result, output: Output, *, quiet: bool) -> None:
    """Write `result` to the requested files ("-" is standard output), then show the table unless quiet."""
    from aslant import report
    from aslant.io.files import write_together

    texts = {path: report.render(result, suffix) for suffix, path in output.by_suffix().items()}
    printed = texts.pop(STANDARD_OUTPUT, None)
    write_together({path: text.encode("utf-8", "surrogatepass") for path, text in texts.items()})
    if printed is not None:
        sys.stdout.write(printed)
    elif not quiet:
        show(result)


def table_console() -> Console:
    """Return a console for tables: a terminal's own width, and a wide one when piped, so that lines stay whole."""
    from rich.console import Console

    if sys.stdout.isatty():
        return Console(highlight=False)
    wanted = os.environ.get("COLUMNS", "")
    return Console(width=int(wanted) if wanted.isdigit() else 140, highlight=False)


def print_table(
    columns: Sequence[str], rows: Iterable[Sequence[str]], *, right: str, wraps: Sequence[str], note: str = ""
) -> None:
    """Print rows as a table without lines; the column `right` is aligned there, and those in `wraps` may wrap."""
    from rich.table import Table
    from rich.text import Text

    from aslant.report.tables import plain

    table, console = Table(box=None, pad_edge=False), table_console()
    for title in columns:
        table.add_column(title, justify="right" if title == right else "left", no_wrap=title not in wraps)
    for row in rows:
        table.add_row(*(Text(plain(cell)) for cell in row))
    console.print(table)
    if note:
        console.print(Text(note, style="dim"))


def show(result: Result) -> None:
    """Print the table of `result` and the notes under it."""
    from aslant import report
    from aslant.report.assembly import tables_of

    console = table_console()
    for table in tables_of(result, console.width):
        report.print_table(table, console)

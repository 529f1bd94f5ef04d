"""Print a result as a table, and write it to the files that were asked for."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from slant.errors import SlantError

if TYPE_CHECKING:
    from rich.console import Console

    from slant.results import Result

STANDARD_OUTPUT = Path("-")


def deliver(result: Result, files: dict[str, Path | None], *, quiet: bool) -> None:
    """Write `result` to `files` (suffix to path, "-" for standard output), then show the table unless quiet."""
    from slant import report
    from slant.files import write_text

    wanted = {suffix: path for suffix, path in files.items() if path is not None}
    to_stdout = [suffix for suffix, path in wanted.items() if path == STANDARD_OUTPUT]
    if len(to_stdout) > 1:
        raise SlantError("only one of the output options can be '-', standard output.")
    for suffix, path in wanted.items():
        text = report.render(result, suffix)
        if path == STANDARD_OUTPUT:
            sys.stdout.write(text)
        else:
            write_text(path, text)
    if not quiet and not to_stdout:
        show(result)


def table_console() -> Console:
    """Return a console for tables: a terminal's own width, and a wide one when piped, so that lines stay whole."""
    from rich.console import Console

    return Console(width=None if sys.stdout.isatty() else 140, highlight=False)


def show(result: Result) -> None:
    """Print the table of `result` and the notes under it."""
    from rich.text import Text

    from slant.report.tables import table_of, to_rich

    table = table_of(result)
    console = table_console()
    console.print(to_rich(table))
    for note in table.notes:
        console.print(Text(note, style="dim"))

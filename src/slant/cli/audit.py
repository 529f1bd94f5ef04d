"""`slant audit`: everything that fits an embedding, as a table, a page and JSON."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from slant.cli import options as o
from slant.cli.shared import Output, Reading, RunningOnCores, command

EXAMPLES = """
[bold]Examples[/bold]

slant audit                                   the bundled sample; writes slant-report.html and slant-report.json

slant audit glove.6B.300d.txt --top 200000    your embedding, its most frequent words

slant audit vectors.bin -o vectors-report     writes vectors-report.html and vectors-report.json
"""


@command
def audit_command(
    model: o.ModelArgument = None,
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="NAME", help="Name of the report; .html and .json are added.")
    ] = Path("slant-report"),
    skip: Annotated[
        list[str] | None, typer.Option("--skip", metavar="MEASURE", help="Leave out polarity or enumeration.")
    ] = None,
    *,
    reading: Reading,
    running: RunningOnCores,
    files: Output,
) -> None:
    """Audit an embedding and write a report (HTML and JSON): WEAT, polarity, and bias enumeration.

    The tests reproduce stereotypes in order to measure them; the report says so first.
    """
    import sys

    from slant.auditing import audit
    from slant.cli.loading import open_vectors
    from slant.cli.printing import STANDARD_OUTPUT, deliver, need_results
    from slant.cli.progress import bar, noted, resumable
    from slant.data import cache_folder
    from slant.errors import SlantError

    if not output.name:
        raise SlantError(f"-o '{output}' names no file; give a name such as 'slant-report'.")
    if not output.parent.is_dir():
        raise SlantError(f"there is no folder '{output.parent}' for the report; make it, or choose another with -o.")
    vectors = open_vectors(model, reading, quiet=running.quiet)
    with resumable(kept=not reading.no_cache), noted(quiet=running.quiet), bar(quiet=running.quiet) as progress:
        result = audit(
            vectors,
            skip=skip or (),
            rng=running.seed,
            workers=running.workers,
            journal=None if reading.no_cache else cache_folder() / "enumeration",
            progress=progress,
        )
    if result.weat is not None:
        need_results(result.weat)
    base = output.with_suffix("") if output.suffix in (".html", ".json") else output
    page, data = (base.with_name(base.name + suffix) for suffix in (".html", ".json"))
    result.save(page)
    result.save(data)
    deliver(result, files, quiet=running.quiet)
    if not running.quiet:
        to = sys.stderr if STANDARD_OUTPUT in files.by_suffix().values() else sys.stdout
        print(f"\nreport: {page}\ndata:   {data}", file=to)

"""`aslant rerun`: a result, measured again as its file says, and whether every number is the same."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from aslant.cli.options import JsonOption, QuietOption, argument

EXAMPLES = """
aslant rerun result.json                      the embedding that the file names
aslant rerun result.json glove.6B.100d.txt    the embedding is elsewhere now
aslant rerun aslant-report.json --json again.json
"""
#: Differences that are shown.
MOST_SHOWN = 20


def rerun_command(
    result: Annotated[str, argument("A result or report (JSON; '-': standard input).", "RESULT")],
    model: Annotated[str | None, argument("What was measured; by default what the file names.", "MODEL")] = None,
    json: JsonOption = None,
    quiet: QuietOption = False,
) -> None:
    """Measure again what a result's file says, with its stimuli, settings and seed, and compare every value.

    The exit code is 0 if every value is the same to the last digit, and 1 if some differ. A model with another
    fingerprint is refused.
    """
    from aslant.auditing.rerunning import differences, rerun
    from aslant.cli.progress import written
    from aslant.cli.shared import refuse_overwriting
    from aslant.errors import plural
    from aslant.io.files import write_text

    if json is not None:
        refuse_overwriting([json], [result, *([model] if model else [])])
    before, measured = _read(Path(result))
    name = model or (None if measured.name == "sample" else measured.name)
    after = rerun(before, name)
    if json == Path("-"):
        print(after.to_json())
    elif json is not None:
        write_text(json, after.to_json() + "\n")
        if not quiet:
            written(json)
    changes = differences(before, after)
    for change in changes[:MOST_SHOWN] if not quiet else ():
        typer.echo(f"{change.where}: {change.before!r:.60} → {change.after!r:.60}", err=json == Path("-"))
    more = f", {len(changes) - MOST_SHOWN:,} more than shown" if len(changes) > MOST_SHOWN else ""
    differ = f"{plural(len(changes), 'value')} {'differs' if len(changes) == 1 else 'differ'}{more}."
    said = differ if changes else "every value is the same to the last digit."
    if not quiet:
        typer.echo(f"{before.kind} of {measured.name} ({measured.fingerprint}): {said}", err=json == Path("-"))
    if changes:
        raise typer.Exit(1)


def _read(path: Path) -> tuple[Any, Any]:
    """Return a result, and what it is of."""
    from aslant.auditing.rerunning import read_result
    from aslant.errors import AslantError
    from aslant.results.audit import AuditResult
    from aslant.results.codec import MeasuredResult

    found = read_result(path)
    if isinstance(found, AuditResult):
        return found, found.representation
    if isinstance(found, MeasuredResult):
        return found, found.provenance.representation
    raise AslantError(f"'{path}' is a result of kind '{found.kind}', which is made of others; rerun those.")

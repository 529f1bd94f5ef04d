"""`aslant card`: the bias section and the metadata of a model card, from the report of an audit."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

from aslant.cli.options import QuietOption, argument, option

EXAMPLES = """
aslant card aslant-report.json                     the section with its metadata, on standard output
aslant card aslant-report.json -o README.md        into an existing card, or a new one
aslant card comparison.json --model ours -o README.md
"""


def card_command(
    report: Annotated[str, argument("The JSON that 'aslant audit' wrote ('-': standard input).", "REPORT.json")],
    output: Annotated[
        Path | None,
        option(
            "The card: a new file, or one that is there, of which only aslant's section changes.",
            "FILE",
            "--output",
            "-o",
        ),
    ] = None,
    model: Annotated[str | None, option("Which model, if the report covers several.", "NAME")] = None,
    quiet: QuietOption = False,
) -> None:
    """Write the bias section of a model card: what was found, what chance gives, what was not measured, limits of use.

    A new card gets the metadata of the Hugging Face hub, too. In an existing card, the section goes between
    two marks, or replaces what stands between them; the rest, metadata included, is not touched.
    """
    from aslant.auditing.policy import read_report
    from aslant.cli.progress import note, written
    from aslant.cli.shared import refuse_overwriting
    from aslant.errors import AslantError
    from aslant.io.files import write_bytes, write_text
    from aslant.report.card import chosen_audit, model_card, with_section

    audit = chosen_audit(read_report(report), model)
    if output is None or output == Path("-"):
        sys.stdout.write(model_card(audit))
        return
    if output.suffix.lower() not in (".md", ".markdown"):
        raise AslantError(f"a card is Markdown, and '{output}' is not; give a name such as README.md.")
    if not output.parent.is_dir():
        raise AslantError(f"cannot write '{output}': there is no folder '{output.parent}'.")
    refuse_overwriting([output], [report])
    if output.exists():
        write_bytes(output, with_section(_read(output), audit).encode())
        if not quiet:
            note(f"only the section changed; 'aslant card {report}' prints the metadata, to add by hand.")
    else:
        write_text(output, model_card(audit))
    if not quiet:
        written(output)


def _read(card: Path) -> str:
    """Return a card as it is, line ends included."""
    from aslant.errors import AslantError
    from aslant.io.reading import read_bytes

    try:
        return read_bytes(card).decode("utf-8")
    except UnicodeDecodeError:
        raise AslantError(f"'{card}' is not UTF-8 text, so nothing can be put into it.") from None

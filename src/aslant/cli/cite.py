"""`aslant cite`: what to cite, as BibTeX; and a result's method as a paragraph."""

from __future__ import annotations

import os
import sys
from typing import Annotated

from aslant.cli.options import QuietOption, argument, option

EXAMPLES = """
aslant cite weat                          the paper of a measure
aslant cite weat-6                        the paper of a word set
aslant cite aslant-report.json            everything that a report rests on
aslant cite result.json --method          how it was made, as a paragraph with everything that one needs to repeat it
aslant cite glove-6b-100d > references.bib
"""


def cite_command(
    what: Annotated[str, argument("A result or report (JSON), a measure, a word set or a data name.", "WHAT")],
    method: Annotated[bool, option("Print a paragraph on how a result was made, instead.", "", "--method")] = False,
    quiet: QuietOption = False,  # every command takes it; here the answer is all there is
) -> None:
    """Print BibTeX of the papers behind a result, a measure, a word set or data, and of aslant itself."""
    from pathlib import Path

    from aslant.errors import AslantError
    from aslant.io.reading import parse_json, read_text
    from aslant.results.citing import bibtex, method_paragraph
    from aslant.results.codec import result_from_dict

    if not os.path.isfile(what):  # noqa: PTH113 (a name may be too long for a file)
        if method:
            raise AslantError(f"--method takes the JSON file of a result, and '{what}' is not a file.")
        sys.stdout.write(bibtex(what))
        return
    try:
        result = result_from_dict(parse_json(read_text(Path(what))))
    except ValueError as error:
        raise AslantError(f"'{what}' is not JSON: {error}.") from None
    said = method_paragraph(result) if method else bibtex(result)
    if not said.strip():
        raise AslantError(f"'{what}' does not say how it was made; give the results that it is made of.")
    sys.stdout.write(said)

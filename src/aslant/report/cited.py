"""The end of a report: how it was made, as a paragraph for a paper, and what to cite, as a list and as BibTeX."""

from __future__ import annotations

from dataclasses import dataclass

from aslant.report.tables import lines, markdown_text, plain
from aslant.results.citing import bibtex, method_paragraph, works
from aslant.results.codec import Result
from aslant.version import __version__


@dataclass(frozen=True)
class References:
    """The works behind a result in one line each, the same as BibTeX, and a paragraph for each measurement."""

    works: tuple[str, ...]
    bibtex: str
    method: tuple[str, ...]


def references_of(result: Result) -> References:
    """Return what to cite for a result: papers of its measures, word sets and data, and the software.

    >>> import aslant
    >>> found = references_of(aslant.weat(aslant.load(), "weat-6", chance=0, bootstrap=0))
    >>> [work.split(",")[0] for work in found.works]
    ['Caliskan', 'Pennington', 'The aslant developers. aslant']
    """
    software = f"The aslant developers. aslant, version {__version__}."
    cited = (*(plain(work.text) for work in works(result)), software)
    method = tuple(plain(part) for part in method_paragraph(result).split("\n\n") if part.strip())
    return References(cited, lines(bibtex(result)).strip(), method)


def markdown_references(result: Result) -> str:
    """Return the method and the references of a result as the end of a Markdown report."""
    found = references_of(result)
    parts = ["## How it was made", "", *(f"{markdown_text(text)}\n" for text in found.method)] if found.method else []
    parts += ["## References", "", *(f"- {markdown_text(work)}" for work in found.works), ""]
    return "\n".join([*parts, "```bibtex", found.bibtex.replace("```", ""), "```", ""])

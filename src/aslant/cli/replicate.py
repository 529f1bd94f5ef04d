"""`aslant replicate`: a paper's printed tables next to ours."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from aslant.cli import options as o
from aslant.cli.shared import Output, RunningOnCores, command
from aslant.errors import AslantError, plural

EXAMPLES = """
aslant replicate list
aslant replicate lu                                        with what is bundled or already downloaded
aslant replicate caliskan --get                            download what it needs first
aslant replicate all --html papers.html                    every paper, on one page with the figures redrawn
aslant replicate lu --data glove-6b-100d=glove.6B.100d.txt --markdown table1.md
aslant replicate kurita --with ./bert-base-uncased --encoder all-minilm-l6-v2
aslant replicate basta --encoder all-minilm-l6-v2 --corpus gap --corpus bold    not the paper's own, labelled
"""


@dataclass(frozen=True)
class ReplicationOutput(Output):
    """Where a replication is written: also as a page."""

    html: Annotated[Path | None, o.option("Write a page with the figures redrawn.", "FILE")] = None

    def by_suffix(self) -> dict[str, Path]:
        """Return the requested files, by the suffix of their format."""
        return {**super().by_suffix(), **({} if self.html is None else {".html": self.html})}


@command
def replicate_command(
    paper: Annotated[str, o.argument("A paper, 'all', or 'list'.", "PAPER|all|list")],
    get: Annotated[bool, o.option("Download every part that has a data name; some are several gigabytes.")] = False,
    data: Annotated[list[str] | None, o.option("Where data of that name are; can be repeated.", "NAME=PATH")] = None,
    model: Annotated[
        str | None, o.option("Vectors or a language model other than the paper's: name or path.", "MODEL", "--with")
    ] = None,
    encoder: Annotated[str | None, o.option("An encoder other than the paper's: name or path.", "MODEL")] = None,
    corpus: Annotated[
        list[str] | None, o.option("A text other than the paper's: name or path; can be repeated.", "PATH")
    ] = None,
    *,
    running: RunningOnCores,
    output: ReplicationOutput,
) -> Any:
    """Recompute published tables and compare them with the printed ones, cell by cell.

    What is bundled or already downloaded is used; --get downloads more. Anything not the paper's own is labelled
    as a stand-in, and never counts as met.
    """
    from aslant.replicate import ALL, PAPERS, replicate_all, replicate_paper
    from aslant.replicate import paper as described

    if paper == "list":
        for name in PAPERS:
            found = described(name)
            printed = sum(bool(cell.printed) and not cell.way for cell in found.cells)
            print(f"{name:12} {found.title} ({plural(printed, 'printed cell')})")
        return None
    instead = {"with": model, "encoder": encoder, "corpus": corpus}
    chosen = {option: content for option, content in instead.items() if content}
    given = {}
    for item in data or ():
        name, _, path = item.partition("=")
        if not path:
            raise AslantError(f"--data {item} is not NAME=PATH, such as glove-6b-100d=glove.6B.100d.txt.")
        given[name] = path
    if paper == ALL and (chosen or given):
        raise AslantError("'all' takes no --data, --with, --encoder or --corpus; give them for one paper.")
    with running.watched(kept=True) as progress:
        shared: Any = {"get": get, "rng": running.seed, "progress": progress}
        return replicate_all(**shared) if paper == ALL else replicate_paper(paper, data=given, instead=chosen, **shared)

"""`slant replicate`: a paper's printed table beside ours."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from slant.cli.shared import Output, Running, command

EXAMPLES = """
[bold]Examples[/bold]

slant replicate list

slant replicate lu                                        with what is on this machine

slant replicate lu --data glove-6b-100d=glove.6B.100d.txt --markdown table1.md

slant replicate kurita --data bert-base-uncased=./bert-base-uncased --data kurita-lists=FOLDER

slant replicate kurita --encoder all-minilm-l6-v2                              another encoder, labelled

slant replicate basta --encoder all-minilm-l6-v2 --corpus gap --corpus bold    with what is at hand, labelled
"""


@command
def replicate_command(
    paper: Annotated[str, typer.Argument(metavar="PAPER|list", help="A paper, or 'list'.")],
    data: Annotated[
        list[str] | None,
        typer.Option("--data", metavar="NAME=PATH", help="Where data of that name are; can be repeated."),
    ] = None,
    encoder: Annotated[
        str | None,
        typer.Option("--encoder", metavar="MODEL", help="Another encoder than the paper's; such cells are labelled."),
    ] = None,
    corpus: Annotated[
        list[str] | None,
        typer.Option("--corpus", metavar="PATH", help="Another corpus than the paper's; can be repeated."),
    ] = None,
    *,
    running: Running,
    output: Output,
) -> None:
    """Recompute a published table and put it beside the printed one, cell by cell.

    What is not on this machine is not fetched; such cells say what to get and where to put it.
    """
    from slant.cli.printing import deliver
    from slant.errors import SlantError
    from slant.replicate import PAPERS, replicate_paper
    from slant.replicate import paper as described

    if paper == "list":
        for name in PAPERS:
            print(f"{name:12} {described(name).title} ({len(described(name).cells)} cells)")
        return
    given = {}
    for item in data or ():
        name, equals, path = item.partition("=")
        if not equals or not path:
            raise SlantError(f"--data {item} is not NAME=PATH, such as glove-6b-100d=glove.6B.100d.txt.")
        given[name] = path
    known = set(described(paper).known)
    if unknown := sorted(set(given) - known):
        raise SlantError(f"'{paper}' uses no data named '{unknown[0]}'; it uses {', '.join(sorted(known))}.")
    for name, path in given.items():
        if not Path(path).exists():
            raise SlantError(f"there is no file or folder '{path}' for --data {name}; check the path.")
    instead = {kind: content for kind, content in (("encoder", encoder), ("corpus", corpus)) if content}
    result = replicate_paper(paper, data=given, instead=instead, rng=running.seed)
    deliver(result, output, quiet=running.quiet)

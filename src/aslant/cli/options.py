"""How commands declare options, and the options that several of them share."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated, Any

import typer

#: Stands between an example and what it does.
GAP = re.compile(r" {3,}(\S.*)$")
OUT = "Output files"
MODEL = "Reading the embedding"
ASKING = "Asking the model"
WHERE = "On your own cluster"


def option(told: str, metavar: str | None = "NAME", *names: str, panel: str | None = None, **more: Any) -> Any:
    """Declare an option: its help, what its value is called, and its names where they are not the parameter's.

    `more` is what `typer.Option` takes. In a command that `@command` marks, a flag has no opposite, and an option of a
    group stands in the panel that the group names.
    """
    return typer.Option(*names, help=told, metavar=metavar, rich_help_panel=panel, **more)


def examples(*lines: str) -> str:
    """Return examples as the end of a command's help, where a blank line stands between two; what one does is dim.

    >>> examples("aslant data list", "aslant data get glove-6b   GloVe").splitlines()[2:]
    ['aslant data list', '', 'aslant data get glove-6b  [dim]# GloVe[/dim]']
    """
    shown = [GAP.sub(r"  [dim]# \1[/dim]", line.strip()) for line in lines if line and not line.startswith("[bold]")]
    return "\n\n".join(["[bold]Examples[/bold]", *shown])


def argument(told: str, metavar: str) -> Any:
    """Declare an argument: its help, and what it is called."""
    return typer.Argument(help=told, metavar=metavar)


ModelArgument = Annotated[
    str | None, argument("An embedding: file, folder, archive or data name; default: the bundled sample.", "MODEL")
]
JsonOption = Annotated[Path | None, option("Write JSON ('-': standard output).", "FILE", "--json", panel=OUT)]
SeedOption = Annotated[int, option("Seed of every random choice.", "N", "--seed", min=0)]
QuietOption = Annotated[bool, option("No table, no progress bar, no notes.", None, "--quiet", "-q")]
DropLastOption = Annotated[int, option("Leave off the last N dimensions (GN-GloVe: 1).", "N", panel=MODEL, min=0)]
ClassesOption = Annotated[
    str, option("A class set, a file, words separated by commas, or classes ('old: elderly, aged; young: youth').",
                "SET|FILE|a,b,…"),
]  # fmt: skip
PolarityWordsOption = Annotated[
    str, option("A word set, a file, or words separated by commas.", "SET|FILE|a,b,…", "--words")
]
SchemeOption = Annotated[str, option("binary (two classes), one-vs-one or one-vs-rest.")]
ConfidenceOption = Annotated[float, option("Confidence of the intervals.")]
DeviceOption = Annotated[str | None, option("cpu, cuda or mps; default: the best one available.", "NAME", panel=ASKING)]
DtypeOption = Annotated[
    str, option("Weights: float32, bfloat16, float16, auto (as saved), 8bit or 4bit.", panel=ASKING)
]
DryRunOption = Annotated[
    bool, option("For a server: say how many requests and tokens it would take; measure nothing.", None, panel=ASKING)
]
KeepNothingOption = Annotated[bool, option("Keep nothing for a later run.", None, "--no-cache", panel=ASKING)]

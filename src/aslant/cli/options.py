"""Options that several commands share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

OUT = "Output files"
MODEL = "Reading the embedding"
ASKING = "Asking the model"

ModelArgument = Annotated[
    str | None,
    typer.Argument(
        metavar="MODEL", help="An embedding: file, folder, archive or data name; nothing: the bundled sample."
    ),
]
JsonOption = Annotated[
    Path | None, typer.Option("--json", metavar="FILE", help="Write JSON ('-': standard output).", rich_help_panel=OUT)
]
CsvOption = Annotated[
    Path | None, typer.Option("--csv", metavar="FILE", help="Write CSV ('-': standard output).", rich_help_panel=OUT)
]
MarkdownOption = Annotated[
    Path | None, typer.Option("--markdown", metavar="FILE", help="Write a Markdown table.", rich_help_panel=OUT)
]
LatexOption = Annotated[
    Path | None, typer.Option("--latex", metavar="FILE", help="Write a LaTeX table (booktabs).", rich_help_panel=OUT)
]
SeedOption = Annotated[int, typer.Option("--seed", metavar="N", min=0, help="Seed of every random choice.")]
WorkersOption = Annotated[
    int,
    typer.Option("--workers", metavar="N", min=1, help="Processes to use (this command is quick with one)."),
]
CoresOption = Annotated[
    int | None,
    typer.Option("--workers", metavar="N", min=1, help="Cores to use (default: all); results do not depend on it."),
]
WHERE = "On your own cluster"
DaskOption = Annotated[
    str | None,
    typer.Option("--dask", metavar="ADDRESS", help="A Dask scheduler, such as tcp://host:8786.", rich_help_panel=WHERE),
]
RayOption = Annotated[
    str | None,
    typer.Option(
        "--ray", metavar="auto|ADDRESS", help="A Ray cluster: the one this machine is in, or by address.",
        rich_help_panel=WHERE,
    ),
]  # fmt: skip
QuietOption = Annotated[bool, typer.Option("--quiet", "-q", help="No table, no progress bar, no notes.")]
TopOption = Annotated[
    int | None,
    typer.Option("--top", metavar="N", min=1, help="Read only the first N words.", rich_help_panel=MODEL),
]
CaseOption = Annotated[
    str,
    typer.Option(
        "--case", help="fallback: as written, then lower, then Title; exact: as written.", rich_help_panel=MODEL
    ),
]
PhrasesOption = Annotated[
    str,
    typer.Option(
        "--phrases",
        help="join: spaces and underscores alike; mean: then the mean of the parts; exact: as written.",
        rich_help_panel=MODEL,
    ),
]
PickleOption = Annotated[
    bool,
    typer.Option(
        "--allow-pickle",
        help="Open gensim .kv files that hold more than vectors, which can run code; only if you trust them.",
        rich_help_panel=MODEL,
    ),
]  # fmt: skip
SubwordsOption = Annotated[
    bool,
    typer.Option("--subwords", help="fastText .bin: build missing words from sub-words.", rich_help_panel=MODEL),
]
NoCacheOption = Annotated[
    bool, typer.Option("--no-cache", help="Neither use nor write the cache.", rich_help_panel=MODEL)
]
ResamplesOption = Annotated[
    int, typer.Option("--n-resamples", metavar="N", min=1, help="Random partitions, if Monte Carlo is used.")
]
DropLastOption = Annotated[
    int,
    typer.Option(
        "--drop-last", metavar="N", min=0, help="Leave off the last N dimensions (GN-GloVe: 1).", rich_help_panel=MODEL
    ),
]
ClassesOption = Annotated[
    str,
    typer.Option("--classes", metavar="SET|FILE|a,b,…", help="A class set, a TOML file, or words separated by commas."),
]
PolarityWordsOption = Annotated[
    str,
    typer.Option("--words", metavar="SET|FILE|a,b,…", help="A word set, a TOML file, or words separated by commas."),
]
SchemeOption = Annotated[str, typer.Option("--scheme", help="binary (two classes), one-vs-one or one-vs-rest.")]
BootstrapOption = Annotated[
    int, typer.Option("--bootstrap", metavar="N", min=0, help="Resamples for intervals; 0 for none.")
]
ConfidenceOption = Annotated[float, typer.Option("--confidence", help="Confidence of the intervals.")]
DeviceOption = Annotated[
    str | None,
    typer.Option(
        "--device", metavar="NAME", help="cpu, cuda or mps; default: the best one available.", rich_help_panel=ASKING
    ),
]
DtypeOption = Annotated[str, typer.Option("--dtype", help="Precision of the weights.", rich_help_panel=ASKING)]
KeepNothingOption = Annotated[
    bool, typer.Option("--no-cache", help="Keep nothing for a later run.", rich_help_panel=ASKING)
]
ChartOption = Annotated[
    Path | None, typer.Option("--chart", metavar="FILE", help="Draw it (.svg, .png or .html).", rich_help_panel=OUT)
]

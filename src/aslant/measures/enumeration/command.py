"""`aslant enumerate`: biases that nobody named in advance."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from aslant.cli import options as o
from aslant.cli.default_command import DEFAULT, DefaultCommand, DefaultCommandGroup
from aslant.cli.shared import Output, Reading, RunningOnCores, command
from aslant.measures.enumeration import survey_command as enumerate_survey

EXAMPLES = """
[bold]Examples[/bold]

aslant enumerate                                       first names, on the bundled sample

aslant enumerate glove.6B.300d.txt --json found.json   your embedding, with everything kept for later

aslant enumerate vectors.bin --names surnames --precision 0.001

aslant enumerate --groups religions-four --html found.html --heatmap found.svg

aslant enumerate GoogleNews.bin --names embedding      names that the vocabulary itself holds

aslant enumerate glove.txt --against debiased.txt      which associations debiasing leaves

aslant enumerate survey export found.json -o survey    ask people about the result
"""

#: Its line in the list of commands.
SHORT = "Unsupervised bias enumeration (Swinger et al. 2019): names and words are clustered, every pair is tested."
app = typer.Typer(
    cls=DefaultCommandGroup, no_args_is_help=False, context_settings={"help_option_names": ["-h", "--help"]}
)


@dataclass(frozen=True)
class EnumerationOutput(Output):
    """Where an enumeration is written: also as a page, and as a picture."""

    PICTURES = ("heatmap",)

    html: Annotated[
        Path | None,
        typer.Option("--html", metavar="FILE", help="Write a page with all tables.", rich_help_panel=o.OUT),
    ] = None
    heatmap: Annotated[
        Path | None,
        typer.Option(
            "--heatmap", metavar="FILE", help="Draw groups × categories (.svg, .png, .html).", rich_help_panel=o.OUT
        ),
    ] = None

    def files(self) -> list[Path]:
        """Return every requested file."""
        return [*super().files(), *([] if self.html is None else [self.html])]

    def check(self, inputs: Iterable[str] = ()) -> None:
        """Refuse output that could not be written; a page needs a file."""
        from aslant.cli.printing import STANDARD_OUTPUT
        from aslant.errors import AslantError

        super().check(inputs)
        if self.html == STANDARD_OUTPUT:
            raise AslantError("a page cannot go to standard output; name a file with --html.")


@app.command(DEFAULT, epilog=EXAMPLES, cls=DefaultCommand)
@command
def enumerate_command(
    model: o.ModelArgument = None,
    names: Annotated[
        str | None,
        typer.Option(
            "--names",
            metavar="FILE|DATA",
            help="Names to cluster: a file (one per line, or a column 'name'), a data name, 'surnames' (downloaded at "
            "first use), or 'embedding' (those in a cased vocabulary); nothing: the bundled first names.",
        ),
    ] = None,
    groups: Annotated[
        str, typer.Option("--groups", metavar="N|SET|FILE", help="How many groups to find, or your own class set.")
    ] = "12",
    categories: Annotated[int, typer.Option("--categories", metavar="N", min=1, help="Word categories.")] = 64,
    words: Annotated[int, typer.Option("--words", metavar="N", min=1, help="Most frequent words to use.")] = 30_000,
    per_cell: Annotated[
        int, typer.Option("--per-cell", metavar="N", min=1, help="Words of each group and category.")
    ] = 3,
    rotations: Annotated[
        int, typer.Option("--rotations", metavar="N", min=1, help="Random rotations for the p-values.")
    ] = 10_000,
    alpha: Annotated[float, typer.Option("--alpha", help="False-discovery rate.")] = 0.05,
    left_out: Annotated[
        float, typer.Option("--left-out", metavar="SHARE", help="Share of names to leave out, those least like names.")
    ] = 0.2,
    drop_names: Annotated[
        bool | None,
        typer.Option(
            "--drop-names/--keep-names",
            help="Leave out words that are spelled like a name; default: only where the vocabulary is lower-cased.",
            show_default=False,
        ),
    ] = None,
    voronoi: Annotated[
        bool,
        typer.Option("--voronoi/--no-voronoi", help="A word belongs to the nearest group, or to any number."),
    ] = True,
    demographics_by: Annotated[
        str,
        typer.Option(
            "--demographics-by", metavar="names|bearers", help="A name counts once, or by how many people bear it."
        ),
    ] = "names",
    against: Annotated[
        str | None,
        typer.Option("--against", metavar="MODEL", help="The same embedding after debiasing: what is left there?"),
    ] = None,
    precision: Annotated[
        float | None,
        typer.Option(
            "--precision",
            metavar="RISK",
            help="Stop once verdicts are settled, at this risk (such as 0.001) of changing any; default: never.",
        ),
    ] = None,
    *,
    reading: Reading,
    running: RunningOnCores,
    output: EnumerationOutput,
) -> None:
    """Find associations between groups of names and words, none of them specified in advance (Swinger et al. 2019).

    The output may be offensive: it is what the embedding holds. A run that was stopped resumes when the same
    command is given again (unless --no-cache).

    [bold]aslant enumerate survey[/bold] export|ratings|score: a crowd survey on what was found.
    """
    from aslant.cli.loading import open_vectors
    from aslant.cli.printing import deliver, write_chart
    from aslant.cli.progress import bar, noted, resumable
    from aslant.data import cache_folder
    from aslant.errors import AslantError
    from aslant.io.files import write_text
    from aslant.measures.enumeration.charts import enumeration_heatmap
    from aslant.measures.enumeration.comparison import compare_enumerations
    from aslant.measures.enumeration.measure import enumerate_biases
    from aslant.report import render

    if against is not None and output.heatmap is not None:
        raise AslantError("--heatmap draws one embedding; leave out --against, or draw each by itself.")
    vectors = open_vectors(model, reading, quiet=running.quiet)
    other = None if against is None else open_vectors(against, reading, quiet=running.quiet)
    again: dict[str, Any] = {
        "workers": running.workers,
        "journal": None if reading.no_cache else cache_folder() / "enumeration",
    }
    with resumable(kept=not reading.no_cache), noted(quiet=running.quiet), bar(quiet=running.quiet) as progress:
        found = enumerate_biases(
            vectors,
            names,
            int(groups) if re.fullmatch(r"-?[0-9]+", groups) else groups,
            categories=categories,
            words=words,
            per_cell=per_cell,
            rotations=rotations,
            alpha=alpha,
            left_out=left_out,
            drop_names=drop_names,
            voronoi=voronoi,
            demographics_by=demographics_by,  # type: ignore[arg-type]
            precision=precision,
            rng=running.seed,
            progress=progress,
            **again,
        )
        result = found if other is None else compare_enumerations(found, other, progress=progress, **again)
    if output.html is not None:
        write_text(output.html, render(result, ".html"))
    if output.heatmap is not None:
        write_chart(enumeration_heatmap(found, standalone=True), output.heatmap)
    deliver(result, output, quiet=running.quiet)


app.add_typer(enumerate_survey.app, name="survey")

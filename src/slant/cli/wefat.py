"""`slant wefat`: each word of a list between two attribute sets."""

from __future__ import annotations

from typing import Annotated

import typer

from slant.cli import options as o

EXAMPLES = """
[bold]Examples[/bold]

slant wefat                                         occupations between male and female terms, on the sample

slant wefat glove.6B.100d.txt --words professions --figure stereotypical

slant wefat vectors.bin --words my-list.toml --attributes weat-1 --csv scores.csv
"""


def wefat_command(
    model: o.ModelArgument = None,
    words: Annotated[
        str, typer.Option("--words", metavar="SET|FILE", help="A word set that ships, or your own TOML file.")
    ] = "occupations-share-of-women",
    attributes: Annotated[
        str, typer.Option("--attributes", metavar="TEST|FILE", help="A WEAT whose two attribute sets are used.")
    ] = "weat-7",
    figure: Annotated[
        str | None, typer.Option("--figure", metavar="COLUMN", help="Column of the word set to correlate with.")
    ] = None,
    alternative: o.AlternativeOption = "two-sided",
    method: o.MethodOption = "auto",
    n_resamples: o.ResamplesOption = 100_000,
    seed: o.SeedOption = 0,
    workers: o.WorkersOption = 1,
    quiet: o.QuietOption = False,
    json: o.JsonOption = None,
    csv: o.CsvOption = None,
    markdown: o.MarkdownOption = None,
    latex: o.LatexOption = None,
    top: o.TopOption = None,
    case: o.CaseOption = "fallback",
    phrases: o.PhrasesOption = "join",
    allow_pickle: o.PickleOption = False,
    subwords: o.SubwordsOption = False,
    no_cache: o.NoCacheOption = False,
) -> None:
    """Single-category association (WEFAT, SC-WEAT): how each word leans, and how that goes with an outside figure."""
    from slant.cli.loading import open_vectors
    from slant.cli.printing import deliver
    from slant.measures import wefat

    vectors = open_vectors(
        model, top=top, case=case, phrases=phrases, allow_pickle=allow_pickle, subwords=subwords, no_cache=no_cache,
        quiet=quiet,
    )  # fmt: skip
    result = wefat(
        vectors, words, attributes=attributes, figure=figure, alternative=alternative, method=method,
        n_resamples=n_resamples, rng=seed,
    )  # fmt: skip
    deliver(result, {".json": json, ".csv": csv, ".md": markdown, ".tex": latex}, quiet=quiet)

"""`slant multi-weat`: several groups of words, each with attributes of its own."""

from __future__ import annotations

from typing import Annotated

import typer

from slant.cli import options as o
from slant.cli.shared import Output, Reading, Running, command

EXAMPLES = """
[bold]Examples[/bold]

slant multi-weat --groups weat-6 --attributes weat-6     a WEAT as g: the same p-value

slant multi-weat glove.txt --groups religions-four --attributes mine.toml

slant multi-weat glove.txt --groups ages.toml --attributes places.toml --json g.json

Files are TOML of kind 'classes' (see: slant words show religions-four) or 'weat'.
"""


@command
def multi_weat_command(
    groups: Annotated[
        str, typer.Option("--groups", metavar="SET|FILE", help="Groups of words: a class set, or a WEAT's targets.")
    ],
    attributes: Annotated[
        str,
        typer.Option(
            "--attributes", metavar="SET|FILE", help="As many attribute sets: a class set, or a WEAT's attributes."
        ),
    ],
    model: o.ModelArgument = None,
    n_resamples: o.ResamplesOption = 100_000,
    *,
    reading: Reading,
    running: Running,
    output: Output,
) -> None:
    """WEAT for any number of groups (Swinger et al. 2019, §2.1): the statistic g, and its permutation p-value."""
    from slant.cli.loading import open_vectors
    from slant.cli.printing import deliver
    from slant.measures import generalised_weat

    vectors = open_vectors(model, reading, quiet=running.quiet)
    result = generalised_weat(vectors, groups, attributes, n_resamples=n_resamples, rng=running.seed)
    deliver(result, output, quiet=running.quiet)

"""`aslant wefat`: each word of a list between two attribute sets."""

from __future__ import annotations

from typing import Annotated

from aslant.cli import options as o
from aslant.cli.shared import Output, Reading, Running, command
from aslant.measures.association.settings import WefatSettings

EXAMPLES = """
aslant wefat                                         occupations between male and female terms, on the sample
aslant wefat glove.6B.100d.txt --words professions --figure stereotypical
aslant wefat vectors.bin --words my-list.toml --attributes weat-1 --csv scores.csv
"""


@command
def wefat_command(
    model: o.ModelArgument = None,
    words: Annotated[
        str, o.option("A word set that ships, or your own TOML file.", "SET|FILE")
    ] = "occupations-share-of-women",
    attributes: Annotated[str, o.option("A WEAT whose two attribute sets are used.", "TEST|FILE")] = "weat-7",
    figure: Annotated[str | None, o.option("Column of the word set to correlate with.", "COLUMN")] = None,
    *,
    settings: WefatSettings,
    reading: Reading,
    running: Running,
    output: Output,
) -> None:
    """Single-category association (WEFAT, SC-WEAT): how words lean, and how that correlates with a figure."""
    from aslant.cli.loading import open_vectors
    from aslant.cli.printing import deliver
    from aslant.measures.association.single_words import wefat

    vectors = open_vectors(model, reading, quiet=running.quiet)
    result = wefat(
        vectors, words, attributes=attributes, figure=figure, **vars(settings), rng=running.seed,
    )  # fmt: skip
    deliver(result, output, quiet=running.quiet)

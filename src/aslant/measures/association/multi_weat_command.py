"""`aslant multi-weat`: several groups of words, each with its own attributes."""

from __future__ import annotations

from typing import Annotated

from aslant.cli import options as o
from aslant.cli.shared import Output, Reading, Running, command

EXAMPLES = """
aslant multi-weat --groups weat-6 --attributes weat-6     a WEAT as g: the same p-value
aslant multi-weat glove.txt --groups religions-four --attributes mine.toml
aslant multi-weat glove.txt --groups ages.toml --attributes places.toml --json g.json
Files are TOML of kind 'classes' (see: aslant words show religions-four) or 'weat'.
"""


@command
def multi_weat_command(
    groups: Annotated[str, o.option("Groups of words: a class set, or a WEAT's targets.", "SET|FILE")],
    attributes: Annotated[str, o.option("As many attribute sets: a class set, or a WEAT's attributes.", "SET|FILE")],
    model: o.ModelArgument = None,
    n_resamples: o.ResamplesOption = 100_000,
    *,
    reading: Reading,
    running: Running,
    output: Output,
) -> None:
    """WEAT for any number of groups (Swinger et al. 2019, §2.1): the statistic g, and its permutation p-value."""
    from aslant.cli.loading import open_vectors
    from aslant.cli.printing import deliver
    from aslant.measures.association.multi_group import generalised_weat

    vectors = open_vectors(model, reading, quiet=running.quiet)
    result = generalised_weat(vectors, groups, attributes, n_resamples=n_resamples, rng=running.seed)
    deliver(result, output, quiet=running.quiet)

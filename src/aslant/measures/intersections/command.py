"""`aslant intersectional`: words that go with people who share two traits."""

from __future__ import annotations

from typing import Annotated, Any

from aslant.cli import options as o
from aslant.cli.shared import Output, Reading, Running, command
from aslant.measures.intersections.settings import IntersectionalSettings

EXAMPLES = {
    "intersectional": """
aslant intersectional                                     African American women, on the bundled sample
aslant intersectional glove.6B.100d.txt --groups names-mexican-american-women
aslant intersectional vectors.bin --groups mine.csv --words loud,caring --threshold 1
Groups are a file with four lists: TOML (see: aslant words show names-african-american-women), CSV, Excel, JSON or text.
""",
}


@command
def intersectional_command(
    model: o.ModelArgument = None,
    groups: Annotated[
        str,
        o.option(
            "A class set of four groups: the one, those who share a trait, the rest; or lists separated by ';'.",
            "SET|FILE|a,b;c,d;…",
        ),
    ] = "names-african-american-women",
    words: Annotated[
        str, o.option("A word set, your own file, or words separated by commas.", "SET|FILE|a,b,…")
    ] = "intersectional-traits",
    *,
    settings: IntersectionalSettings,
    reading: Reading,
    running: Running,
    output: Output,
) -> Any:
    """Words that go with people who share two traits, and with neither trait alone (Guo & Caliskan 2021)."""
    from aslant.measures.intersections.measure import intersectional_bias
    from aslant.measures.polarities.command import set_or_classes, set_or_words

    asked = set_or_classes(groups), set_or_words(words)
    vectors = reading.open(model, quiet=running.quiet)
    return intersectional_bias(vectors, *asked, **vars(settings), rng=running.seed)

"""`aslant compare`: two embeddings on the vocabulary that they share."""

from __future__ import annotations

from typing import Annotated, Any

from aslant.cli import options as o
from aslant.cli.shared import Output, Reading, Running, command
from aslant.measures.shared.settings import ComparisonSettings

EXAMPLES = """
aslant compare glove.6B.100d.txt gn-glove.txt --drop-last 0,1
aslant compare before.bin after.bin --json differences.json
"""


@command
def compare_command(
    first: Annotated[str, o.argument("An embedding.", "A")],
    second: Annotated[str, o.argument("Another; differences are B minus A.", "B")],
    words: o.PolarityWordsOption = "bold-professions",
    classes: Annotated[str | None, o.option("Compare polarity for these classes only.", "SET|FILE|a,b,…")] = None,
    scheme: o.SchemeOption = "binary",
    test: Annotated[list[str] | None, o.option("Compare these WEATs only; can be repeated.", "NAME|FILE")] = None,
    targets: Annotated[
        list[str] | None, o.option("Compare a test of your own only: its targets.", "FILE|a,b,…")
    ] = None,
    attributes: Annotated[list[str] | None, o.option("Its attributes, in the same way.", "FILE|a,b,…")] = None,
    drop_last: Annotated[str, o.option("Dimensions to leave off the end, for both or each.", "N[,N]")] = "0",
    *,
    settings: ComparisonSettings,
    reading: Reading,
    running: Running,
    output: Output,
) -> Any:
    """WEAT and polarity in two embeddings side by side, on the words that both have, with paired intervals."""
    from aslant.measures.polarities.command import dropped_dimensions, set_or_classes, set_or_words
    from aslant.measures.shared.suite import chosen_test
    from aslant.measures.side_by_side.measure import compare

    own = [chosen_test(None, targets, attributes)] if targets or attributes else []
    a, b = (
        reading.open(name, quiet=running.quiet, drop_last=dropped)
        for name, dropped in zip((first, second), dropped_dimensions(drop_last, 2), strict=True)
    )
    return compare(
        a, b, words=set_or_words(words), classes=None if classes is None else set_or_classes(classes), scheme=scheme,
        tests=[*(test or ()), *own] or None, **vars(settings), rng=running.seed,
    )  # fmt: skip

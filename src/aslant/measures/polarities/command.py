"""`aslant polarity`: how far words lean between classes, in one embedding or several side by side."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, cast

from aslant.cli import options as o
from aslant.cli.shared import Output, Reading, Running, command

if TYPE_CHECKING:
    from aslant.measures.polarities.measure import Scheme

EXAMPLES = """
aslant polarity                                              professions between female and male, on the sample
aslant polarity glove.6B.100d.txt --classes gender-five --scheme one-vs-rest
aslant polarity glove.txt gn-glove.txt --drop-last 0,1       two embeddings, with paired differences
aslant polarity vectors.bin --classes she,he --words nurse,engineer,clerk
"""


@command
def polarity_command(
    models: Annotated[
        list[str] | None, o.argument("Embeddings; several are compared; none: the bundled sample.", "MODEL...")
    ] = None,
    classes: o.ClassesOption = "gender-binary",
    words: o.PolarityWordsOption = "bold-professions",
    scheme: o.SchemeOption = "binary",
    bootstrap: o.BootstrapOption = 2_000,
    confidence: o.ConfidenceOption = 0.95,
    drop_last: Annotated[str, o.option("Dimensions to leave off the end, for all or each model.", "N[,N…]")] = "0",
    *,
    reading: Reading,
    running: Running,
    output: Output,
) -> None:
    """Polarity of words between classes (Lu et al.): binary, one-vs-one or one-vs-rest."""
    from aslant.cli.loading import open_vectors
    from aslant.cli.printing import deliver
    from aslant.measures.polarities.measure import compare_polarity, polarity
    from aslant.measures.polarities.trend import needed_words

    arguments = (set_or_words(classes), set_or_words(words))
    needed = needed_words({"": (arguments[0], cast("Scheme", scheme))}, arguments[1])
    names: list[str | None] = [*models] if models else [None]
    vectors = [
        open_vectors(name, reading, quiet=running.quiet, drop_last=dropped, needed=needed)
        for name, dropped in zip(names, dropped_dimensions(drop_last, len(names)), strict=True)
    ]
    settings: dict[str, Any] = {"scheme": scheme, "bootstrap": bootstrap, "confidence": confidence, "rng": running.seed}
    if len(vectors) > 1:
        deliver(compare_polarity(vectors, *arguments, **settings), output, quiet=running.quiet)
    else:
        deliver(polarity(vectors[0], *arguments, **settings), output, quiet=running.quiet)


def set_or_words(given: str) -> str | list[str]:
    """Read "a,b,c" as words, and anything else as the name or path of a set."""
    return [word.strip() for word in given.split(",") if word.strip()] if "," in given else given


def dropped_dimensions(given: str, models: int) -> list[int]:
    """Read "1" as one number for all models, "0,1" as one for each."""
    from aslant.errors import AslantError

    parts = given.split(",")
    if not all(part.strip().isdigit() for part in parts) or len(parts) not in (1, models):
        raise AslantError(
            f"--drop-last {given} is not a number of dimensions for all, or one for each of {models} models."
        )
    return [int(part) for part in parts] * (models if len(parts) == 1 else 1)

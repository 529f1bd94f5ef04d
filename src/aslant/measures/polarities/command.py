"""`aslant polarity`: how far words lean between classes, in one embedding or several side by side."""

from __future__ import annotations

from typing import Annotated, Any, cast, get_args

from aslant.cli import options as o
from aslant.cli.shared import Output, Reading, Running, command
from aslant.measures.polarities.settings import PolaritySettings, Scheme

EXAMPLES = {
    "polarity": """
aslant polarity                                              professions between female and male, on the sample
aslant polarity glove.6B.100d.txt --classes gender-five --scheme one-vs-rest
aslant polarity glove.txt gn-glove.txt --drop-last 0,1       two embeddings, with paired differences
aslant polarity vectors.bin --classes she,he --words nurse,engineer,clerk
aslant polarity vectors.bin --classes "old: elderly, aged; young: teenage, youthful" --words jobs.xlsx
""",
}


@command
def polarity_command(
    models: Annotated[
        list[str] | None, o.argument("Embeddings; several are compared; none: the bundled sample.", "MODEL...")
    ] = None,
    classes: o.ClassesOption = "gender-binary",
    words: o.PolarityWordsOption = "bold-professions",
    drop_last: Annotated[str, o.option("Dimensions to leave off the end, for all or each model.", "N[,N…]")] = "0",
    *,
    settings: PolaritySettings,
    reading: Reading,
    running: Running,
    output: Output,
) -> Any:
    """Polarity of words between classes (Lu et al.): binary, one-vs-one or one-vs-rest."""
    from aslant.measures.polarities.measure import compare_polarity, polarity
    from aslant.measures.polarities.trend import needed_words

    arguments = (set_or_classes(classes), set_or_words(words))
    needed = needed_words({"": (arguments[0], settings.scheme)}, arguments[1])
    names: list[str | None] = [*models] if models else [None]
    vectors = [
        reading.open(name, quiet=running.quiet, drop_last=dropped, needed=needed)
        for name, dropped in zip(names, dropped_dimensions(drop_last, len(names)), strict=True)
    ]
    if len(vectors) > 1:
        return compare_polarity(vectors, *arguments, **vars(settings), rng=running.seed)
    return polarity(vectors[0], *arguments, **vars(settings), rng=running.seed)


def set_or_words(given: str) -> str | list[str]:
    """Read "a,b,c" as words, and anything else as the name or path of a set."""
    return [word.strip() for word in given.split(",") if word.strip()] if "," in given else given


def set_or_classes(given: str) -> str | list[str] | dict[str, tuple[str, ...]]:
    """Read "old: elderly, aged; young: teenage" as classes of several words, and the rest as `set_or_words` does."""
    from aslant.stimuli import given_lists

    if ";" in given or ("," in given and ":" in given):
        return given_lists(given.split(";"))
    return set_or_words(given)


def dropped_dimensions(given: str, models: int) -> list[int]:
    """Read "1" as one number for all models, "0,1" as one for each."""
    from aslant.errors import AslantError

    parts = given.split(",")
    if not all(part.strip().isdigit() for part in parts) or len(parts) not in (1, models):
        raise AslantError(
            f"--drop-last {given} is not a number of dimensions for all, or one for each of {models} models."
        )
    return [int(part) for part in parts] * (models if len(parts) == 1 else 1)


def settings_of(
    classes: list[str] | None, figure: int | None, scheme: str
) -> int | dict[str, tuple[str | list[str] | dict[str, tuple[str, ...]], Scheme]]:
    """Return the requested figure, or classes and scheme by label; "race-four:one-vs-rest" names both."""
    from aslant.errors import AslantError
    from aslant.measures.polarities.trend import FIGURES

    if figure is not None:
        if classes or scheme != "binary":
            given = f"--classes {classes[0]}" if classes else f"--scheme {scheme}"
            raise AslantError(f"--figure {figure} has its own classes and schemes; leave out {given}.")
        if figure not in FIGURES:
            raise AslantError(f"--figure {figure} is not a figure of Lu et al.; use 1 (gender) or 2 (race).")
        return figure
    settings: dict[str, tuple[str | list[str] | dict[str, tuple[str, ...]], Scheme]] = {}
    for given in classes or ["gender-binary"]:
        groups, colon, own = given.rpartition(":")
        way = own if colon and own in get_args(Scheme) else ""
        settings[given] = set_or_classes(groups if way else given), cast("Scheme", way or scheme)
    return settings

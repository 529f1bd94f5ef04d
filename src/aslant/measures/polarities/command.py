"""`aslant polarity` and `aslant trend`: how far words lean between classes, in embeddings side by side or by year."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated, Any, cast, get_args

from aslant.cli import options as o
from aslant.cli.shared import ChartOutput, Output, Reading, Running, command
from aslant.measures.polarities.settings import PolaritySettings, Scheme, TrendSettings

EXAMPLES = {
    "polarity": """
aslant polarity                                              professions between female and male, on the sample
aslant polarity glove.6B.100d.txt --classes gender-five --scheme one-vs-rest
aslant polarity glove.txt gn-glove.txt --drop-last 0,1       two embeddings, with paired differences
aslant polarity vectors.bin --classes she,he --words nurse,engineer,clerk
""",
    "trend": """
aslant trend histwords/sgns                                   every decade of a HistWords folder
aslant trend histwords/sgns --chart trend.svg --csv trend.csv
aslant trend histwords/sgns --figure 1 --chart figure-1.svg   the four lines of Figure 1 of Lu et al. (gender)
aslant trend histwords/sgns --classes gender-binary --classes race-four:one-vs-rest
aslant trend 1990.txt 2000.txt 2010.txt 2020.txt --scheme one-vs-rest --classes gender-three
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

    arguments = (set_or_words(classes), set_or_words(words))
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


def dropped_dimensions(given: str, models: int) -> list[int]:
    """Read "1" as one number for all models, "0,1" as one for each."""
    from aslant.errors import AslantError

    parts = given.split(",")
    if not all(part.strip().isdigit() for part in parts) or len(parts) not in (1, models):
        raise AslantError(
            f"--drop-last {given} is not a number of dimensions for all, or one for each of {models} models."
        )
    return [int(part) for part in parts] * (models if len(parts) == 1 else 1)


@command
def trend_command(
    sources: Annotated[
        list[Path],
        o.argument("A HistWords folder or data name, or embeddings with a year in their names.", "FOLDER|FILE..."),
    ],
    classes: Annotated[
        list[str] | None,
        o.option(
            "A class set, a TOML file, or words separated by commas; repeated: one line each. Default: gender-binary.",
            "SET|FILE|a,b,…[:SCHEME]",
        ),
    ] = None,
    figure: Annotated[int | None, o.option("All settings of Figure 1 (gender) or 2 (race) of Lu et al.", "1|2")] = None,
    words: o.PolarityWordsOption = "bold-professions",
    drop_last: o.DropLastOption = 0,
    *,
    settings: TrendSettings,
    reading: Reading,
    running: Running,
    output: ChartOutput,
) -> Any:
    """Polarity year by year, with a test for trend (Mann–Kendall, Spearman) and a line chart."""
    from aslant.measures.polarities.show import trend_chart
    from aslant.measures.polarities.trend import needed_words, polarity_trend, polarity_trends

    chosen, listed = settings_of(classes, figure, settings.scheme), set_or_words(words)
    needed = needed_words(chosen, listed)
    series = {
        year: reading.open(str(path), quiet=running.quiet, drop_last=drop_last, needed=needed)
        for year, path in years_of(sources).items()
    }
    options: dict[str, Any] = {**vars(settings), "rng": running.seed}
    del options["scheme"]  # each of those chosen has its own
    if isinstance(chosen, dict) and len(chosen) == 1:
        [(groups, way)] = chosen.values()
        result: Any = polarity_trend(series, groups, listed, scheme=way, **options)
    else:
        result = polarity_trends(series, chosen, listed, **options)
    output.draw(result, chart=trend_chart)
    return result


def settings_of(
    classes: list[str] | None, figure: int | None, scheme: str
) -> int | dict[str, tuple[str | list[str], Scheme]]:
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
    settings: dict[str, tuple[str | list[str], Scheme]] = {}
    for given in classes or ["gender-binary"]:
        groups, colon, own = given.rpartition(":")
        way = own if colon and own in get_args(Scheme) else ""
        settings[given] = set_or_words(groups if way else given), cast("Scheme", way or scheme)
    return settings


def years_of(sources: list[Path]) -> dict[int, Path]:
    """Return the embedding of each year: the decades of a HistWords folder, or files with a year in their names."""
    from aslant.data import resolve
    from aslant.errors import AslantError
    from aslant.vectors.formats.histwords import decades_in

    if len(sources) == 1 and (fetched := resolve(str(sources[0]), kinds=["vectors"])):
        sources = [fetched]
    if len(sources) == 1 and sources[0].is_dir():
        found = {name: path for name, path in decades_in(sources[0]).items() if name.isdigit()}
        if not found:
            raise AslantError(
                f"'{sources[0]}' holds no HistWords decades (files such as 1990-w.npy with 1990-vocab.pkl, or 1990.bin "
                "with 1990-index.pkl)."
            )
        return {int(name): path for name, path in sorted(found.items())}
    years: dict[int, Path] = {}
    for path in sources:
        if not path.exists():
            raise AslantError(f"there is no file '{path}'; check the path.")
        match = re.search(r"(?<!\d)(1[5-9]\d\d|20\d\d)(?!\d)", path.name)
        if match is None:
            raise AslantError(f"'{path.name}' has no year in its name; rename it, such as 'vectors-1990.txt'.")
        if int(match[1]) in years:
            raise AslantError(f"the year {match[1]} is in two names; give each year once.")
        years[int(match[1])] = path
    return years

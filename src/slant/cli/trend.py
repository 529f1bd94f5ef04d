"""`slant trend`: polarity over decades."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from slant.cli import options as o
from slant.cli.shared import ChartOutput, Reading, Running, command

EXAMPLES = """
[bold]Examples[/bold]

slant trend histwords/sgns                                   every decade of a HistWords folder

slant trend histwords/sgns --chart trend.svg --csv trend.csv

slant trend 1990.txt 2000.txt 2010.txt 2020.txt --scheme one-vs-rest --classes gender-three
"""


@command
def trend_command(
    sources: Annotated[
        list[Path],
        typer.Argument(
            metavar="FOLDER|FILE...", help="A HistWords folder or data name, or embeddings with a year in their names."
        ),
    ],
    classes: o.ClassesOption = "gender-binary",
    words: o.PolarityWordsOption = "bold-professions",
    scheme: o.SchemeOption = "binary",
    any_words: Annotated[
        bool, typer.Option("--any", help="Each year uses the words it has, not only those that all years have.")
    ] = False,
    bootstrap: o.BootstrapOption = 2_000,
    confidence: o.ConfidenceOption = 0.95,
    drop_last: o.DropLastOption = 0,
    *,
    reading: Reading,
    running: Running,
    output: ChartOutput,
) -> None:
    """Polarity year by year, with a test for trend (Mann–Kendall, Spearman) and a line chart."""
    from slant.cli.loading import open_vectors
    from slant.cli.polarity import set_or_words
    from slant.cli.printing import deliver, write_chart
    from slant.measures import polarity_trend
    from slant.report.charts import trend_chart

    series = {
        year: open_vectors(str(path), reading, quiet=running.quiet, drop_last=drop_last)
        for year, path in years_of(sources).items()
    }
    settings: dict[str, Any] = {"scheme": scheme, "any_words": any_words, "bootstrap": bootstrap, "rng": running.seed}
    result = polarity_trend(series, set_or_words(classes), set_or_words(words), confidence=confidence, **settings)
    if output.chart is not None:
        write_chart(trend_chart(result), output.chart)
    deliver(result, output, quiet=running.quiet)


def years_of(sources: list[Path]) -> dict[int, Path]:
    """Return the embedding of each year: the decades of a HistWords folder, or files with a year in their names."""
    import re

    from slant.data import resolve
    from slant.errors import SlantError
    from slant.vectors.formats.histwords import decades_in

    if len(sources) == 1 and (fetched := resolve(str(sources[0]), kinds=["vectors"])):
        sources = [fetched]
    if len(sources) == 1 and sources[0].is_dir():
        found = {name: path for name, path in decades_in(sources[0]).items() if name.isdigit()}
        if not found:
            raise SlantError(f"'{sources[0]}' holds no HistWords decades (files such as 1990-w.npy).")
        return {int(name): path for name, path in sorted(found.items())}
    years: dict[int, Path] = {}
    for path in sources:
        if not path.exists():
            raise SlantError(f"there is no file '{path}'; check the path.")
        match = re.search(r"(?<!\d)(1[5-9]\d\d|20\d\d)(?!\d)", path.name)
        if match is None:
            raise SlantError(f"'{path.name}' has no year in its name; rename it, such as 'vectors-1990.txt'.")
        if int(match[1]) in years:
            raise SlantError(f"the year {match[1]} stands in two names; give each year once.")
        years[int(match[1])] = path
    return years

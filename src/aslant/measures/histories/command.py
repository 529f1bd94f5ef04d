"""`aslant trend`: any measure over the years, from a folder of embeddings by year."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

from aslant.cli import options as o
from aslant.cli.shared import ChartOutput, Reading, Running, command
from aslant.measures.polarities.settings import TrendSettings

EXAMPLES = {
    "trend": """
aslant trend histwords/sgns                                   polarity in every decade of a HistWords folder
aslant trend histwords/sgns --figure 1 --chart figure-1.svg   the four lines of Figure 1 of Lu et al. (gender)
aslant trend vectors/ --measure weat --test weat-6            a folder with 1900.safetensors, 1900.run-2.safetensors, …
aslant trend vectors/ --measure relative-norm --targets lists.xlsx --attributes 'home: family, house'
aslant trend vectors/ --measure direct-bias --chart trend.svg --csv trend.csv
aslant trend 1990.txt 2000.txt 2010.txt 2020.txt --scheme one-vs-rest --classes gender-three
""",
}
POLARITY = "polarity"


@command
def trend_command(
    sources: Annotated[
        list[Path],
        o.argument("A folder or data name, or embeddings, with a year in each file's name.", "FOLDER|FILE..."),
    ],
    measure: Annotated[
        str,
        o.option("polarity, weat, relative-norm, ripa, mac, ect, rnsb, same, ml-eat or direct-bias.", "NAME"),
    ] = POLARITY,
    test: Annotated[
        str | None, o.option("For WEAT and scores of word sets: a set that ships, or a file.", "SET|FILE")
    ] = None,
    targets: Annotated[
        list[str] | None, o.option("Your own targets, with --attributes: a file, or a list; repeated.", "FILE|a,b,…")
    ] = None,
    attributes: Annotated[list[str] | None, o.option("Your own attributes, in the same way.", "FILE|a,b,…")] = None,
    language: Annotated[str | None, o.option("The --test in another language: de, fr, hi …", "CODE")] = None,
    classes: Annotated[
        list[str] | None,
        o.option(
            "A class set, a file, or words separated by commas; repeated: one line each. Default: gender-binary.",
            "SET|FILE|a,b,…[:SCHEME]",
        ),
    ] = None,
    figure: Annotated[int | None, o.option("All settings of Figure 1 (gender) or 2 (race) of Lu et al.", "1|2")] = None,
    words: Annotated[
        str | None,
        o.option("Words of polarity (default: bold-professions) or direct bias (professions).", "SET|FILE|a,b,…"),
    ] = None,
    pairs: Annotated[str | None, o.option("Pairs that define the direction of direct bias.", "SET|FILE")] = None,
    drop_last: o.DropLastOption = 0,
    *,
    settings: TrendSettings,
    reading: Reading,
    running: Running,
    output: ChartOutput,
) -> Any:
    """A measure year by year, with a test for trend (Mann–Kendall, Spearman), chance and a line chart.

    Several trainings of a year (1900.safetensors, 1900.run-2.safetensors, …) give an interval. Polarity of one training
    of each year has an interval over its words instead (--bootstrap).
    """
    from aslant.measures.histories.sources import files_by_year
    from aslant.stimuli import given_lists

    found = files_by_year(sources)
    given: dict[str, Any] = {"test": test, "targets": targets, "attributes": attributes, "language": language}
    given |= {"words": words, "pairs": pairs}
    asked = {name: value for name, value in given.items() if value is not None}
    asked |= {name: given_lists(asked[name]) for name in ("targets", "attributes") if name in asked}

    def opened(path: Path, needed: Any) -> Any:
        return reading.open(str(path), quiet=running.quiet, drop_last=drop_last, needed=needed)

    if measure == POLARITY and all(len(runs) == 1 for runs in found.values()) and not asked.keys() - {"words"}:
        return _polarity(found, opened, classes, figure, words or "bold-professions", settings, running, output)
    asked |= _more(measure, classes, figure, settings, asked)
    from aslant.measures.histories.measure import needed_words, trend
    from aslant.measures.histories.show import history_chart
    from aslant.measures.histories.sources import Dated, tokens_of

    needed, tokens = needed_words(measure, asked), tokens_of(sources)
    series = {y: Dated(tuple(opened(path, needed) for path in runs), tokens.get(y)) for y, runs in found.items()}
    how = {name: getattr(settings, name) for name in ("chance", "confidence", "any_words")}
    with running.watched() as progress:
        result = trend(series, measure, rng=running.seed, progress=progress, **how, **asked)
    output.draw(result, chart=history_chart)
    return result


def _more(
    measure: str, classes: list[str] | None, figure: int | None, settings: TrendSettings, asked: dict[str, Any]
) -> dict[str, Any]:
    """Return what else a measure is asked; refuse options that it does not take."""
    import inspect

    from aslant.catalogue import histories
    from aslant.errors import AslantError
    from aslant.measures.polarities.command import set_or_words, settings_of

    if measure not in histories():
        raise AslantError(f"--measure {measure} cannot be followed over time; choose from {', '.join(histories())}.")
    found = histories()[measure]
    takes = inspect.signature(found.resolve(found.follow)).parameters
    more: dict[str, Any] = {"unit": True} if settings.unit else {}
    if "words" in asked and "words" not in takes and "test" in takes and "test" not in asked:
        more["test"] = asked.pop("words")  # as in 'aslant weat --words my-test.csv'
    elif "words" in asked:
        more["words"] = set_or_words(asked.pop("words"))
    if figure is not None or len(classes or ()) > 1:
        raise AslantError("--figure and several --classes are for polarity with one training of each year.")
    if classes or settings.scheme != "binary":
        [(groups, scheme)] = settings_of(classes, None, settings.scheme).values()  # type: ignore[union-attr]
        more |= {"classes": groups, "scheme": scheme}
    if unknown := [name for name in (*asked, *more) if name not in takes]:
        options = ", ".join(f"--{name}" for name in takes)
        raise AslantError(f"--{unknown[0]} is not for --measure {measure}, which takes {options}.")
    return more


def _polarity(
    found: dict[int, list[Path]], opened: Any, classes: list[str] | None, figure: int | None, words: str,
    settings: TrendSettings, running: Running, output: ChartOutput,
) -> Any:  # fmt: skip
    """Follow polarity in one setting or several, as Lu et al. do."""
    from aslant.measures.polarities.command import set_or_words, settings_of
    from aslant.measures.polarities.show import trend_chart
    from aslant.measures.polarities.trend import needed_words, polarity_trend, polarity_trends

    chosen, listed = settings_of(classes, figure, settings.scheme), set_or_words(words)
    needed = needed_words(chosen, listed)
    series = {year: opened(path, needed) for year, [path] in found.items()}
    options: dict[str, Any] = {**vars(settings), "rng": running.seed}
    del options["scheme"]  # each of those chosen has its own
    if isinstance(chosen, dict) and len(chosen) == 1:
        [(groups, way)] = chosen.values()
        result: Any = polarity_trend(series, groups, listed, scheme=way, **options)
    else:
        result = polarity_trends(series, chosen, listed, **options)
    output.draw(result, chart=trend_chart)
    return result

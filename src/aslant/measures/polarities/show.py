"""Polarity as tables and charts: one embedding, several, and over the years."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from aslant.errors import plural
from aslant.measures.polarities.result import (
    CLEAR,
    PROFESSIONS,
    PolarityComparison,
    PolarityResult,
    TrendResult,
    TrendsResult,
)
from aslant.report.charts import INK, PAPER, svg, tips
from aslant.report.conventions import Category, chance_note, frequency_note, line, listed, word_chances
from aslant.report.pictures import COLOURS, SHAPES, Row, rows_chart, words_chart
from aslant.report.tables import Column, Table, between, missing_words, number, plain, pvalue, small
from aslant.results.audit import Glance
from aslant.results.parts import bounds, chance_row
from aslant.results.provenance import Representation
from aslant.stimuli import cautions

#: A terminal shows this many words of a long list.
MOST_WORDS = 20
UNIT = "class words at unit length"
DIRECTIONS = {"up": "rising", "down": "falling", "none": "no clear trend"}


def polarity_table(result: PolarityResult) -> Table:
    """Describe the words that lean most, and the score of the embedding."""
    columns = (
        Column("word", "word", plain, "left"),
        Column("score", "polarity", small),
        Column("leans_to", "leans to", plain, "left"),
        *(word_chances("classes", [w.chance_qvalue for w in result.by_word]) if result.chance else ()),
    )
    rows = sorted(result.rows(), key=lambda row: -abs(float(row["score"])))
    interval = f" (interval {between(*bounds(result.interval))})" if result.interval else ""
    classes = ", ".join(plain(group.name) for group in result.classes)
    notes = [f"score of the embedding: {small(result.score)}{interval}, over {plural(len(rows), 'word')}"]
    notes += [UNIT] if result.provenance.settings.get("unit") else []
    notes += [*chance_note(result.chance, "the classes"), *frequency_note(result.frequency, result.classes[0].name)]
    notes += cautions(result.provenance.stimuli, result.provenance.settings["words"])
    if len(rows) > MOST_WORDS:
        notes.append(f"shown: the {MOST_WORDS} words that lean most; --csv or --json gives all.")
    title = f"Polarity ({result.scheme}: {classes}) on {result.provenance.representation.name}"
    return Table(title, columns, rows, (*notes, *missing_words(result)), shown_rows=MOST_WORDS)


def polarity_comparison_table(result: PolarityComparison) -> Table:
    """Describe the same words in several embeddings."""
    columns = (
        Column("representation", "embedding", plain, "left"),
        Column("score", "score", small),
        Column("interval", "interval", str),
        Column("standardised", "in sd of chance", number, spare=1, note=IN_SD),
        Column("difference", "difference from the first", small),
        Column("difference_interval", "interval", str),
        Column("difference_pvalue", "p", pvalue),
        Column("words", "words", str, spare=2),
    )
    rows = result.rows()
    for row in rows:
        row["interval"] = between(row["low"], row["high"])
        row["difference_interval"] = between(row["difference_low"], row["difference_high"])
    first = result.results[0]
    classes = ", ".join(plain(group.name) for group in first.classes)
    notes = [f"measured on {plural(len(result.shared_words), 'word')} that all have; p: sign-flip test"]
    notes += [UNIT] if first.provenance.settings.get("unit") else []
    notes += scale_notes([r.provenance.representation for r in result.results], lengths_differ=result.lengths_differ)
    left_out = [(name, words) for name, words in result.left_out.items() if words]
    notes += [f"missing from {plain(name)}: {plain(', '.join(words))}" for name, words in left_out]
    return Table(f"Polarity ({first.scheme}: {classes})", columns, rows, tuple(notes))


IN_SD = "in sd of chance: how far from the mean of random word sets of the same frequency, in their standard deviations"


def scale_notes(compared: Sequence[Representation], *, lengths_differ: bool) -> list[str]:
    """Say on which scale embeddings can be compared: the chance-corrected one, and what lengths do to polarity."""
    dimensions = list(dict.fromkeys(f"{about.dimensions:,}" for about in compared))
    said = []
    if len(dimensions) > 1:
        said.append(
            f"the dimensions differ ({', '.join(dimensions)}), and chance gives larger values in fewer: compare values "
            "in sd of chance rather than the raw ones"
        )
    if lengths_differ:
        said.append(
            "the vectors of the classes are not of the same relative length in each, and polarity depends on it: a "
            "difference may come from length alone; --unit takes them at unit length in each"
        )
    return said


def trend_table(result: TrendResult) -> Table:
    """Describe the score year by year, and the test for trend."""
    columns = (
        Column("year", "year", str),
        Column("score", "score", small),
        Column("interval", "interval", str),
        *(
            (Column("chance", "chance", str), Column("chance_pvalue", "p (chance)", pvalue))
            if _compared(result)
            else ()
        ),
        Column("words", "words", str),
    )
    rows = [{**row, **_written(row)} for row in result.rows()]
    notes = _tested(result) + _changes(result)
    notes += [f"{year} was left out: {plain(why)}" for year, why in result.years_left_out.items()]
    title = f"Polarity over time ({result.scheme}: {', '.join(plain(c) for c in result.classes)})"
    return Table(title, columns, rows, (*notes, *missing_words(result)), first_line=_few([result]))


def _written(row: dict[str, Any]) -> dict[str, str]:
    """Return the interval of a year's row, and the range of chance, as they are written."""
    return {
        "interval": between(row["low"], row["high"]), "chance": between(row["chance_low"], row["chance_high"]),
    }  # fmt: skip


def _compared(trend: TrendResult) -> bool:
    """Tell whether a trend was compared with those of random classes."""
    return any(point.chance for point in trend.points)


def _few(trends: Sequence[TrendResult]) -> str:
    """Say, before anything else, that most words were not measured; an empty text where they were."""
    of = dict.fromkeys((len(t.words), len(t.words) + len(t.missing)) for t in trends)
    few = [f"{used:,} of {plural(listed, 'word')}" for used, listed in of if used < listed / 2]
    return f"Measured on only {', '.join(few)}." if few else ""


def trends_table(result: TrendsResult) -> Table:
    """Describe the scores year by year, a column for each setting, and the test for trend of each."""
    columns = [Column("year", "year", str)]
    columns += [Column(label, plain(label).replace(":", ":\n"), small) for label in result.trends]
    points = {label: {p.year: p for p in trend.points} for label, trend in result.trends.items()}
    rows = []
    for year in sorted({year for by_year in points.values() for year in by_year}):
        row: dict[str, Any] = {"year": year}
        for label, by_year in points.items():
            p = by_year.get(year)
            names = {label: "score", f"{label} low": "low", f"{label} high": "high", f"{label} words": "words"}
            row |= {key: getattr(p, name, None) for key, name in names.items()}
            row |= {f"{label} {key}": value for key, value in chance_row(p.chance if p else None).items()}
        rows.append(row)
    notes = [f"{plain(label)}: {note}" for label, trend in result.trends.items() for note in _setting(trend)]
    notes += [f"{plain(label)} was not measured: {plain(why)}" for label, why in result.not_measured.items()]
    first = _few(list(result.trends.values()))
    return Table("Polarity over time", tuple(columns), rows, (*notes, *missing_words(result)), first_line=first)


def _setting(trend: TrendResult) -> list[str]:
    """Return the notes on one setting under a table of several."""
    said = [f"{trend.scheme} of {plain(', '.join(trend.classes))}", *_tested(trend)]
    lacking: dict[str, list[int]] = {}
    for year, why in trend.years_left_out.items():
        lacking.setdefault(why, []).append(year)
    left_out = [f"left out {', '.join(map(str, years))}: {plain(why)}" for why, years in lacking.items()]
    return ["; ".join(said), *_changes(trend), *left_out]


def _tested(trend: TrendResult) -> list[str]:
    """Say which words were measured, and what the test for trend found, where there is one."""
    used, unused = len(trend.words), len(trend.missing)
    few = "; the trend is that of these few" if used < unused else ""
    said = [f"measured on {used:,} of {plural(used + unused, 'word')} ({trend.basis}){few}"]
    if (t := trend.test) is not None:
        way = DIRECTIONS[t.direction]
        if t.direction != "none" and t.chance is not None and t.chance.pvalue > CLEAR:
            way += ", but no more than between random words"
        said.append(
            f"{way}: Kendall's tau {number(t.kendall)} (Mann–Kendall p {pvalue(t.kendall_pvalue)}),"
            f" Spearman {number(t.spearman)} (p {pvalue(t.spearman_pvalue)}), {small(t.slope_per_century)} per century"
        )
        said += chance_note(t.chance, "the classes", "a tau of ")
    counts = [point.chance for point in trend.points if point.chance]
    if counts:
        above = sum(chance.pvalue <= CLEAR for chance in counts)
        said.append(
            f"in {above} of {plural(len(counts), 'year')} the score is beyond that of random classes (p ≤ 0.05)"
        )
    elif trend.provenance.settings.get("chance"):
        said.append("no chance level: too few words that every year has can take the place of the classes")
    return said


def _changes(trend: TrendResult) -> list[str]:
    """Say from which year on the words of a class change."""
    said = []
    for before, point in pairwise(trend.points):
        other = [f"{name}: {', '.join(w)}" for name, w in point.classes.items() if w != before.classes.get(name)]
        said += [f"from {point.year} on, {plain('; '.join(other))}"] if other else []
    return said


def glance(r: PolarityResult, about: Category) -> list[Glance]:
    """Say at a glance what was found."""
    stimuli = r.provenance.stimuli
    strongest = max(r.by_word, key=lambda w: abs(w.score))
    classes = listed([group.name for group in r.classes])
    said = "1 word leans" if len(r.by_word) == 1 else f"{len(r.by_word):,} words lean"
    sentence = (
        f"{said} between {classes} by {r.score:.3f} on average ({r.scheme}); "
        f"“{strongest.word}” leans most, to {strongest.leans_to}."
    )
    words, draws = str(r.provenance.settings["words"]), r.provenance.settings.get("chance")
    named = f"{stimuli}, {r.scheme}" + ("" if words == PROFESSIONS else f", {words}")
    return [line(about(stimuli), named, r.score, "polarity", sentence, None, None, r.chance, draws, r.interval)]


def summary(results: Sequence[PolarityResult]) -> tuple[Any, str, Table]:
    """Return what opens a section with the scores of several settings: a chart, what it shows, and a table."""
    columns = (
        Column("classes", "classes", plain, "left", wraps=True),
        Column("scheme", "scheme", plain, "left"),
        Column("score", "score", small),
        Column("interval", "interval", str),
        Column("chance", "chance", str),
        Column("chance_pvalue", "p (chance)", pvalue),
        Column("words", "words", str),
    )
    rows: list[dict[str, Any]] = []
    drawn: list[Row] = []
    for place, result in enumerate(results):
        classes, scheme, score = ", ".join(group.name for group in result.classes), result.scheme, result.score
        low, high = bounds(result.interval)
        interval = between(low, high)
        row = {"classes": classes, "scheme": scheme, "score": score, "interval": interval, "words": len(result.by_word)}
        named = {"label": f"{plain(classes)} ({plain(scheme)})", "test": f"{plain(scheme)}: {plain(classes)}"}
        figures = {"value": score, "low": low, "high": high, "score": small(score), "interval": interval}
        given = chance_row(result.chance)
        by_chance = between(given["chance_low"], given["chance_high"])
        rows.append({**row, "chance": by_chance, "chance_pvalue": given["chance_pvalue"]})
        band = {"chance low": given["chance_low"], "chance high": given["chance_high"], "chance": by_chance}
        drawn.append({"row": place, **named, **figures, **band, "other": None, "series": "score", "other series": ""})
    notes = (
        "score: how far the words lean between the classes on average; compare embeddings rather than read one.",
        "chance: 95 % of random words in place of the classes give a score in this range; p (chance): the share that "
        "reaches this score.",
    )
    chart = rows_chart(drawn, "polarity: how far words lean on average", [], "score", [0.0])
    shows = "Polarity scores with their intervals; grey: 95 % of random classes."
    return chart, shows, Table("Polarity", columns, rows, notes)


def leaning_picture(result: PolarityResult) -> Any:
    """Draw the words that lean most; under the binary scheme, from either end."""
    return words_chart([(w.word, w.score, plain(w.leans_to)) for w in result.by_word], "polarity")


def trend_chart(result: TrendResult | TrendsResult) -> str:
    """Draw the scores over the years under a title that says what they are; returns SVG."""
    import altair as alt

    trends = _by_label(result).values()
    sizes = sorted({len(trend.words) for trend in trends})
    about = f"{' to '.join(map(str, sizes[:1] + sizes[1:][-1:]))} words"
    if any(point.low is not None for trend in trends for point in trend.points):
        about += "; band: interval over the words"
    if isinstance(result, TrendResult) and _compared(result):
        about += "; grey: 95 % of random classes"
    if isinstance(result, TrendResult):
        about = f"{plain(', '.join(result.classes))}; {about}"
    scheme = f" ({result.scheme})" if isinstance(result, TrendResult) else ""
    title = alt.Title(f"Polarity over time{scheme}", subtitle=about, anchor="start")
    return svg(trend_picture(result).properties(title=title), ink=INK, paper=PAPER)


def trend_picture(result: TrendResult | TrendsResult) -> Any:
    """Draw the score of each year, a line for each setting, told apart by colour and shape; returns an Altair chart."""
    import altair as alt

    trends = _by_label(result)
    names, zoomed = list(trends), alt.Scale(zero=False)
    legend: Any = alt.Legend(title=None, orient="top", symbolOpacity=1) if isinstance(result, TrendsResult) else None
    colours = alt.Scale(domain=names, range=[COLOURS[i % len(COLOURS)] for i in range(len(names))])
    shapes = alt.Scale(domain=names, range=[SHAPES[i % len(SHAPES)] for i in range(len(names))])
    x = alt.X("year:Q", title="year", axis=alt.Axis(format="d"), scale=alt.Scale(zero=False, nice=False))
    scheme = f", {result.scheme}" if isinstance(result, TrendResult) else ""
    y = alt.Y("score:Q", title=f"polarity{scheme}", scale=zoomed)
    rows = [row for label, trend in trends.items() for row in _years(label, trend)]
    colour = alt.Color("setting:N", scale=colours, legend=legend)
    base = alt.Chart(alt.InlineData(values=rows)).encode(x=x, color=colour)
    band = base.mark_area(opacity=0.15).encode(y=alt.Y("low:Q", scale=zoomed), y2="high:Q")
    shape = alt.Shape("setting:N", scale=shapes, legend=legend)
    tooltip = tips("setting", "year", "score:written", "interval", "chance", "classes")
    points = base.transform_filter("isValid(datum.score)").mark_point(filled=True, size=50, opacity=1)
    points = points.encode(y=y, shape=shape, tooltip=tooltip)
    layers = [band, base.mark_line().encode(y=y), points]
    if isinstance(result, TrendResult) and _compared(result):  # of several settings, the bands would hide each other
        grey = alt.Chart(alt.InlineData(values=rows)).mark_area(opacity=0.12, color="currentColor")
        layers.insert(0, grey.encode(x=x, y=alt.Y("chance_low:Q", scale=zoomed), y2="chance_high:Q"))
    return alt.layer(*layers).properties(width=560, height=260)


def _by_label(result: TrendResult | TrendsResult) -> dict[str, TrendResult]:
    if isinstance(result, TrendResult):
        return {result.scheme: result}
    return {plain(label): trend for label, trend in result.trends.items()}


def _years(label: str, trend: TrendResult) -> list[dict[str, Any]]:
    """Return what is drawn of each year in order; a year that was left out has no score, which breaks the line."""
    nothing = {"score": None, "low": None, "high": None, **chance_row(None)}
    rows: list[dict[str, Any]] = [{"year": year, **nothing} for year in trend.years_left_out]
    rows += [
        {**row, **_written(row), "written": small(row["score"]), "classes": plain(row["classes"])}
        for row in trend.rows()
    ]
    return [{"setting": label, **row} for row in sorted(rows, key=lambda row: int(row["year"]))]

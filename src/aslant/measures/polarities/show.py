"""Polarity as tables and charts: one embedding, several, and over the years."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from aslant.errors import plural
from aslant.measures.polarities.result import (
    DEFAULT_WORDS,
    PolarityComparison,
    PolarityResult,
    TrendResult,
    TrendsResult,
)
from aslant.report.charts import INK, PAPER, svg, tips
from aslant.report.conventions import Category, line, listed
from aslant.report.pictures import COLOURS, SHAPES, Row, rows_chart, words_chart
from aslant.report.tables import Column, Table, between, missing_words, number, plain, pvalue, small
from aslant.results.audit import Glance

#: A terminal shows this many words of a long list.
MOST_WORDS = 20
DIRECTIONS = {"up": "rising", "down": "falling", "none": "no clear trend"}


def polarities_table(results: Sequence[PolarityResult]) -> Table:
    """Describe polarity scores, one row per setting."""
    columns = (
        Column("classes", "classes", plain, "left", wraps=True),
        Column("scheme", "scheme", plain, "left"),
        Column("score", "score", small),
        Column("interval", "interval", str, min_width=80),
        Column("words", "words", str),
    )
    rows = [
        {
            "classes": ", ".join(group.name for group in result.classes),
            "scheme": result.scheme,
            "score": result.score,
            "interval": between(*((i.low, i.high) if (i := result.interval) else (None, None))),
            "words": len(result.by_word),
        }
        for result in results
    ]
    note = "score: how far the words lean between the classes on average; compare embeddings rather than read one."
    return Table("Polarity", columns, rows, (note,))


def polarity_table(result: PolarityResult) -> Table:
    """Describe the words that lean most, and the score of the embedding."""
    columns = (
        Column("word", "word", plain, "left"),
        Column("score", "polarity", small),
        Column("leans_to", "leans to", plain, "left"),
    )
    rows = sorted(result.rows(), key=lambda row: -abs(float(row["score"])))
    interval = f" (interval {between(result.interval.low, result.interval.high)})" if result.interval else ""
    classes = ", ".join(plain(group.name) for group in result.classes)
    notes = [f"score of the embedding: {small(result.score)}{interval}, over {plural(len(rows), 'word')}"]
    if len(rows) > MOST_WORDS:
        notes.append(f"shown: the {MOST_WORDS} words that lean most; --csv or --json gives all.")
    title = f"Polarity ({result.scheme}: {classes}) on {result.provenance.representation.name}"
    return Table(title, columns, rows, (*notes, *missing_words(result)), shown_rows=MOST_WORDS)


def polarity_comparison_table(result: PolarityComparison) -> Table:
    """Describe the same words in several embeddings."""
    columns = (
        Column("representation", "embedding", plain, "left"),
        Column("score", "score", small),
        Column("interval", "interval", str, min_width=100),
        Column("difference", "difference from the first", small),
        Column("difference_interval", "interval", str, min_width=80),
        Column("difference_pvalue", "p", pvalue),
        Column("words", "words", str, min_width=110),
    )
    rows = [
        {
            **row,
            "interval": between(row["low"], row["high"]),
            "difference_interval": between(row["difference_low"], row["difference_high"]),
        }
        for row in result.rows()
    ]
    first = result.results[0]
    classes = ", ".join(plain(group.name) for group in first.classes)
    notes = [f"measured on {plural(len(result.shared_words), 'word')} that all have; p: sign-flip test"]
    left_out = [(name, words) for name, words in result.left_out.items() if words]
    notes += [f"missing from {plain(name)}: {plain(', '.join(words))}" for name, words in left_out]
    return Table(f"Polarity ({first.scheme}: {classes})", columns, rows, tuple(notes))


def trend_table(result: TrendResult) -> Table:
    """Describe the score year by year, and the test for trend."""
    columns = (
        Column("year", "year", str),
        Column("score", "score", small),
        Column("interval", "interval", str),
        Column("words", "words", str),
    )
    rows = [{**row, "interval": between(row["low"], row["high"])} for row in result.rows()]
    notes = [_basis(result), *_tested(result), *_changes(result)]
    notes += [f"{year} was left out: {plain(why)}" for year, why in result.years_left_out.items()]
    title = f"Polarity over time ({result.scheme}: {', '.join(plain(c) for c in result.classes)})"
    return Table(title, columns, rows, (*notes, *missing_words(result)))


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
            row |= {label: p.score if p else None, f"{label} low": p.low if p else None}
            row |= {f"{label} high": p.high if p else None, f"{label} words": p.words if p else None}
        rows.append(row)
    notes = [f"{plain(label)}: {note}" for label, trend in result.trends.items() for note in _setting(trend)]
    notes += [f"{plain(label)} was not measured: {plain(why)}" for label, why in result.not_measured.items()]
    return Table("Polarity over time", tuple(columns), rows, (*notes, *missing_words(result)))


def _setting(trend: TrendResult) -> list[str]:
    """Return the notes on one setting under a table of several."""
    said = [f"{trend.scheme} of {plain(', '.join(trend.classes))}; {_basis(trend)}", *_tested(trend)]
    lacking: dict[str, list[int]] = {}
    for year, why in trend.years_left_out.items():
        lacking.setdefault(why, []).append(year)
    left_out = [f"left out {', '.join(map(str, years))}: {plain(why)}" for why, years in lacking.items()]
    return ["; ".join(said), *_changes(trend), *left_out]


def _basis(trend: TrendResult) -> str:
    return f"{trend.basis}: {len(trend.words)}"


def _tested(trend: TrendResult) -> list[str]:
    """Say what the test for trend found, where there is one."""
    if (t := trend.test) is None:
        return []
    return [
        f"{DIRECTIONS[t.direction]}: Kendall's tau {number(t.kendall)} (Mann–Kendall p {pvalue(t.kendall_pvalue)}), "
        f"Spearman {number(t.spearman)} (p {pvalue(t.spearman_pvalue)}), {small(t.slope_per_century)} per century"
    ]


def _changes(trend: TrendResult) -> list[str]:
    """Say from which year on the words of a class change."""
    said = []
    for before, point in zip(trend.points, trend.points[1:], strict=False):
        other = [f"{name}: {', '.join(w)}" for name, w in point.classes.items() if w != before.classes.get(name)]
        said += [f"from {point.year} on, {plain('; '.join(other))}"] if other else []
    return said


def glance(r: PolarityResult, about: Category) -> list[Glance]:
    """Say at a glance what was found."""
    stimuli = r.provenance.stimuli
    strongest = max(r.by_word, key=lambda w: abs(w.score))
    classes = listed([group.name for group in r.classes])
    sentence = (
        f"{len(r.by_word):,} words lean between {classes} by {r.score:.3f} on average ({r.scheme}); "
        f"“{strongest.word}” leans most, to {strongest.leans_to}."
    )
    words = str(r.provenance.settings["words"])
    named = f"{stimuli}, {r.scheme}" + ("" if words == DEFAULT_WORDS else f", {words}")
    return [line(about(stimuli), named, r.score, "polarity", sentence)]


def summary(results: Sequence[PolarityResult]) -> tuple[Any, str, Table]:
    """Return what opens a section with the scores of several settings: a chart, what it shows, and a table."""
    from aslant.measures.polarities.show import polarities_picture

    return polarities_picture(results), "Polarity scores with their intervals.", polarities_table(results)


def polarities_picture(results: Sequence[PolarityResult]) -> Any:
    """Draw the score of each setting with its interval."""
    rows = [_polarity(place, result) for place, result in enumerate(results)]
    return rows_chart(rows, "polarity: how far words lean on average", [], "score", [0.0])


def _polarity(place: int, result: PolarityResult) -> Row:
    classes = ", ".join(plain(group.name) for group in result.classes)
    low, high = (result.interval.low, result.interval.high) if result.interval else (None, None)
    return {
        "row": place, "label": f"{classes} ({plain(result.scheme)})", "test": f"{plain(result.scheme)}: {classes}",
        "value": result.score, "low": low, "high": high, "other": None, "series": "score", "other series": "",
        "score": small(result.score), "interval": between(low, high),
    }  # fmt: skip


def leaning_picture(result: PolarityResult) -> Any:
    """Draw the words that lean most; under the binary scheme, from either end."""
    named = [(w.word, w.score, plain(w.leans_to)) for w in result.by_word]
    return words_chart(named, "polarity")


def trend_chart(result: TrendResult | TrendsResult) -> str:
    """Draw the scores over the years under a title that says what they are; returns SVG."""
    import altair as alt

    trends = _by_label(result).values()
    sizes = sorted({len(trend.words) for trend in trends})
    about = f"{' to '.join(map(str, sizes[:1] + sizes[1:][-1:]))} words"
    if any(point.low is not None for trend in trends for point in trend.points):
        about += "; band: interval over the words"
    if isinstance(result, TrendResult):
        about = f"{plain(', '.join(result.classes))}; {about}"
    title = alt.Title(f"Polarity over time{_scheme(result, ' ({})')}", subtitle=about, anchor="start")
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
    y = alt.Y("score:Q", title=f"polarity{_scheme(result, ', {}')}", scale=zoomed)
    rows = [row for label, trend in trends.items() for row in _years(label, trend)]
    base = alt.Chart(alt.InlineData(values=rows)).encode(
        x=x, color=alt.Color("setting:N", scale=colours, legend=legend)
    )
    band = base.mark_area(opacity=0.15).encode(y=alt.Y("low:Q", scale=zoomed), y2="high:Q")
    points = (
        base.transform_filter("isValid(datum.score)")
        .mark_point(filled=True, size=50, opacity=1)
        .encode(
            y=y,
            shape=alt.Shape("setting:N", scale=shapes, legend=legend),
            tooltip=tips("setting", "year", "score:written", "interval", "classes"),
        )
    )
    return alt.layer(band, base.mark_line().encode(y=y), points).properties(width=560, height=260)


def _by_label(result: TrendResult | TrendsResult) -> dict[str, TrendResult]:
    if isinstance(result, TrendResult):
        return {result.scheme: result}
    return {plain(label): trend for label, trend in result.trends.items()}


def _scheme(result: TrendResult | TrendsResult, written: str) -> str:
    return written.format(result.scheme) if isinstance(result, TrendResult) else ""


def _years(label: str, trend: TrendResult) -> list[dict[str, Any]]:
    """Return what is drawn of each year in order; a year that was left out has no score, which breaks the line."""
    rows: list[dict[str, Any]] = [
        {"year": year, "score": None, "low": None, "high": None} for year in trend.years_left_out
    ]
    for row in trend.rows():
        written = {"written": small(row["score"]), "interval": between(row["low"], row["high"])}
        rows.append({**row, **written, "classes": plain(row["classes"])})
    return [{"setting": label, **row} for row in sorted(rows, key=lambda row: int(row["year"]))]

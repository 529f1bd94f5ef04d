"""Polarity over the years as a chart: one line for each setting, with the interval over the words as a band."""

from __future__ import annotations

from typing import Any

from aslant.measures.polarities.result import TrendResult, TrendsResult
from aslant.report.charts import INK, PAPER, svg, tips
from aslant.report.pictures import COLOURS, SHAPES
from aslant.report.tables import between, plain, small


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

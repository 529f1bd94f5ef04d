"""Charts of results, as SVG made by Altair and vl-convert: no browser, no network."""

from __future__ import annotations

from typing import Any

from slant.results import WeatSuiteResult

MODEL_COLOUR = "#3b6fd4"
PEOPLE_COLOUR = "#e07b00"


def weat_chart(suite: WeatSuiteResult) -> str:
    """Draw the effect size of each test as a bar with its interval, and people's as a diamond; returns SVG."""
    import altair as alt
    import vl_convert

    rows = suite.rows()
    data = alt.InlineData(values=[_shown(row) for row in rows])
    axis = alt.Axis(labelLimit=420, labelPadding=8, labelExpr="split(datum.label, '|')")
    y = alt.Y("label:N", sort=[_label(row) for row in rows], title=None, axis=axis)
    scale = alt.Scale(domain=_domain(rows))
    series = alt.Scale(domain=["this embedding", "people (published study)"], range=[MODEL_COLOUR, PEOPLE_COLOUR])
    colour = alt.Color("series:N", scale=series, legend=alt.Legend(title=None, orient="top"))
    base = alt.Chart(data)
    bars = (
        base.transform_calculate(series="'this embedding'")
        .mark_bar(height=13, opacity=0.85)
        .encode(y=y, x=alt.X("d:Q", scale=scale, title="effect size d (0: no association)"), color=colour)
    )
    intervals = (
        base.transform_filter("isValid(datum.low)")
        .mark_rule(strokeWidth=1.4, color="currentColor")
        .encode(y=y, x=alt.X("low:Q", scale=scale), x2="high:Q")
    )
    people = (
        base.transform_filter("isValid(datum.people)")
        .transform_calculate(series="'people (published study)'")
        .mark_point(shape="diamond", size=90, filled=True, opacity=1)
        .encode(y=y, x=alt.X("people:Q", scale=scale), color=colour)
    )
    chart = (
        alt.layer(bars, intervals, people)
        .properties(width=420, height=alt.Step(36), background="transparent")
        .configure(font="Arial, Helvetica, 'Liberation Sans', sans-serif")
        .configure_axis(labelColor="currentColor", titleColor="currentColor", gridOpacity=0.25, labelFontSize=12)
        .configure_legend(labelColor="currentColor", labelFontSize=12, columnPadding=24, symbolType="square")
        .configure_view(stroke=None)
    )
    return str(vl_convert.vegalite_to_svg(chart.to_json(), vl_version=alt.SCHEMA_VERSION.rsplit(".", 1)[0]))


def _label(row: dict[str, Any]) -> str:
    """Two lines, parted by a bar: test and targets, then the attributes."""
    targets, _, attributes = row["title"].replace("|", "/").partition(": ")
    return f"{row['test']}: {targets}|{attributes}"


def _shown(row: dict[str, Any]) -> dict[str, Any]:
    return {
        "label": _label(row), "d": row["effect_size"], "low": row["low"], "high": row["high"],
        "people": row["people_effect_size"],
    }  # fmt: skip


def _domain(rows: list[dict[str, Any]]) -> list[float]:
    values = [v for row in rows for v in (row["effect_size"], row["low"], row["high"]) if v is not None]
    return [min(-0.5, *values), max(2.0, *values)]

"""Charts of the geometry of an embedding: explained variance, the two clusters, projections of words."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from aslant.catalogue import Picture
from aslant.measures.geometry.result import DirectBiasResult, GeometryResult, SpaceGeometry, SubspaceResult
from aslant.measures.residuals.charts import clusters_picture
from aslant.report.charts import INK, MODEL_COLOUR, PAPER, PEOPLE_COLOUR, chart_title, svg, tips
from aslant.report.sections import pictures_of
from aslant.report.tables import plain, small

PAIRS, RANDOM, RANDOM_SWAPPED = "pairs", "random words", "random words, swapped"
#: What the bars of variance show, in this order, and their colours.
SERIES = {PAIRS: MODEL_COLOUR, RANDOM_SWAPPED: "#c3c9d2", RANDOM: "#9aa3af"}
MOST_WORDS = 12


def geometry_chart(result: GeometryResult) -> str:
    """Draw variance, projections and clusters, one row per embedding; SVG."""
    import altair as alt

    rows = [_row(space) for space in (result.before, result.after) if space is not None]
    chart = alt.vconcat(*rows).resolve_scale(color="independent", shape="independent")
    return svg(chart, ink=INK, paper=PAPER)


def _row(space: SpaceGeometry) -> Any:
    import altair as alt

    parts = [variance_picture(space.subspace), projections_picture(space.direct)]
    if space.residual is not None and space.residual.picture is not None:
        parts.append(clusters_picture(space.residual))
    title = alt.Title(plain(space.name), anchor="start", fontSize=15)
    return alt.hconcat(*parts).resolve_scale(color="independent", shape="independent").properties(title=title)


def variance_picture(result: SubspaceResult) -> Any:
    """Draw the share of variance of each component beside that of random words; returns an Altair chart."""
    rows = result.rows()
    pairs = [{"component": row["component"], "series": PAIRS, "share": row["explained"]} for row in rows]
    random = [
        {
            "component": row["component"], "series": RANDOM, "share": row["random_mean"], "low": row["random_minimum"],
            "high": row["random_maximum"],
        }
        for row in rows if row["random_mean"] is not None
    ]  # fmt: skip
    return variance_bars([*pairs, *random])


def variance_bars(values: list[dict[str, Any]]) -> Any:
    """Return bars of the share of variance of each component and series, with ranges (low, high) if there are any."""
    import altair as alt

    shown = {name: colour for name, colour in SERIES.items() if any(value["series"] == name for value in values)}
    colours = alt.Scale(domain=list(shown), range=list(shown.values()))
    base = alt.Chart(alt.InlineData(values=values))
    x = alt.X("component:O", title="component", axis=alt.Axis(labelAngle=0))
    offset = alt.XOffset("series:N", sort=list(shown))
    bars = base.mark_bar().encode(
        x=x, xOffset=offset, y=alt.Y("share:Q", title="share of variance"),
        color=alt.Color("series:N", scale=colours, legend=alt.Legend(title=None, orient="top")),
    )  # fmt: skip
    ranges = (
        base.transform_filter("isValid(datum.low)")
        .mark_rule(color="currentColor")
        .encode(x=x, xOffset=offset, y=alt.Y("low:Q"), y2="high:Q")
    )
    return alt.layer(bars, ranges).properties(width=360, height=240, title=chart_title("Explained variance"))


def projections_picture(result: DirectBiasResult) -> Any:
    """Draw the words that lean most to either side as bars; returns an Altair chart."""
    import altair as alt

    first, second = result.extremes(MOST_WORDS)
    words = [*first, *second[::-1]]
    poles = [plain(result.poles[0]), plain(result.poles[1]) if len(result.poles) == 2 else "the others"]
    values = [
        {
            "word": plain(w.word), "projection": w.projection, "pole": poles[0] if w.projection > 0 else poles[1],
            "written": small(w.projection),
        }
        for w in words
    ]  # fmt: skip
    colours = alt.Scale(domain=poles, range=[PEOPLE_COLOUR, MODEL_COLOUR])
    return (
        alt.Chart(alt.InlineData(values=values))
        .mark_bar()
        .encode(
            x=alt.X("projection:Q", title="cosine with the direction"),
            y=alt.Y("word:N", sort=[plain(w.word) for w in words], title=None, axis=alt.Axis(labelLimit=200)),
            color=alt.Color("pole:N", scale=colours, legend=alt.Legend(title=None, orient="top")),
            tooltip=tips("word", "projection:written"),
        )
        .properties(width=300, height=alt.Step(14), title=chart_title(f"Direct bias {result.value:.3f}"))
    )


def pictures(result: GeometryResult) -> list[tuple[Picture, Any]]:
    """Return the charts of each embedding's parts, under its name."""
    spaces = [space for space in (result.before, result.after) if space]
    return [
        (replace(picture, name=f"{picture.name}-{space.name}", shows=f"{picture.shows} ({plain(space.name)})"), chart)
        for space in spaces for part in (space.subspace, space.direct, space.residual) if part is not None
        for picture, chart in pictures_of(part)
    ]  # fmt: skip

"""Charts of the geometry of an embedding: explained variance, the two clusters, projections of words."""

from __future__ import annotations

from typing import Any

from aslant.errors import AslantError, plural
from aslant.measures.geometry.result import DirectBiasResult, GeometryResult, SpaceGeometry, SubspaceResult
from aslant.measures.residuals.result import Picture, ResidualBiasResult
from aslant.report.charts import INK, MODEL_COLOUR, PAPER, PEOPLE_COLOUR, svg, tips
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


def clusters_picture(result: ResidualBiasResult) -> Any:
    """Draw the most biased words in the plane; returns an Altair chart."""
    if result.picture is None:
        raise AslantError("this result has no picture; measure it again with picture='auto'.")
    return cluster_points(result.picture, result.poles, result.clustering.accuracy)


def cluster_points(picture: Picture, poles: tuple[str, str], accuracy: float) -> Any:
    """Return biased words in the plane, coloured by their original side, shaped by their cluster."""
    import altair as alt

    values = [
        {"word": plain(p.word), "x": p.x, "y": p.y, "side": plain(p.side), "cluster": f"cluster {p.cluster + 1}"}
        for p in picture.points
    ]
    colours = alt.Scale(domain=list(map(plain, poles)), range=[MODEL_COLOUR, PEOPLE_COLOUR])
    shapes = alt.Scale(domain=["cluster 1", "cluster 2"], range=["circle", "triangle-up"])
    axis = alt.Axis(labels=False, ticks=False, grid=False, title=None)
    text = f"{plural(len(values), 'most biased word')} ({picture.method.upper()}); accuracy "
    text += f"{100 * accuracy:.1f} %"
    return (
        alt.Chart(alt.InlineData(values=values))
        .mark_point(filled=True, size=22, opacity=0.7)
        .encode(
            x=alt.X("x:Q", axis=axis, scale=alt.Scale(zero=False)),
            y=alt.Y("y:Q", axis=axis, scale=alt.Scale(zero=False)),
            color=alt.Color("side:N", scale=colours, legend=alt.Legend(title="original side", orient="top")),
            shape=alt.Shape("cluster:N", scale=shapes, legend=alt.Legend(title=None, orient="top")),
            tooltip=tips("word", "side", "cluster"),
        )
        .properties(width=320, height=300, title=chart_title(text))
    )


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


def chart_title(text: str) -> Any:
    """Return a left-aligned title."""
    import altair as alt

    return alt.Title(text, anchor="start", fontSize=12)

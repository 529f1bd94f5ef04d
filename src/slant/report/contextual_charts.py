"""Charts of bias in contextual vectors: Figures 1 to 3 of Basta et al. (2019)."""

from __future__ import annotations

from typing import Any

from slant.errors import SlantError
from slant.report.charts import MODEL_COLOUR, PEOPLE_COLOUR, svg
from slant.report.geometry_charts import chart_title, cluster_points, variance_bars
from slant.results import ContextualBiasResult

INK = "#1c2430"
#: Professions that are named in the picture, by strength of their bias.
MOST_NAMED = 24


def contextual_chart(result: ContextualBiasResult) -> str:
    """Draw the explained variance beside random words, the clusters, and the professions; returns SVG."""
    import altair as alt

    parts = [_variance(result), *_pictures(result)]
    title = alt.Title(
        f"{result.provenance.representation.name} on {result.corpus.name}", anchor="start", fontSize=15, color=INK
    )
    chart = alt.hconcat(*parts).resolve_scale(color="independent", shape="independent").properties(title=title)
    return svg(chart, ink=INK, paper="white")


def profession_chart(result: ContextualBiasResult) -> str:
    """Draw the professions in the plane, coloured by their bias in the original space (Figure 3); returns SVG."""
    return svg(_professions(result), ink=INK, paper="white")


def _variance(result: ContextualBiasResult) -> Any:
    s = result.subspace
    random = s.random or (None,) * len(s.explained)
    rows = [
        {
            "component": number, "explained": share.mean, "minimum": share.minimum, "maximum": share.maximum,
            "random_mean": beside.mean if beside else None,
            "random_minimum": beside.minimum if beside else None,
            "random_maximum": beside.maximum if beside else None,
        }
        for number, (share, beside) in enumerate(zip(s.explained, random, strict=True), 1)
    ]  # fmt: skip
    return variance_bars(rows)


def _pictures(result: ContextualBiasResult) -> list[Any]:
    if result.clusters is None or result.picture is None:
        return []
    accuracy = result.measures.clustering.by_repeat[0]
    return [cluster_points(result.clusters, result.poles, accuracy or 0.0), _professions(result)]


def _professions(result: ContextualBiasResult) -> Any:
    import altair as alt

    if result.picture is None:
        raise SlantError("this result has no picture; measure it again with picture='auto'.")
    points = sorted(result.picture.points, key=lambda point: -abs(point.bias))
    values = [
        {"x": p.x, "y": p.y, "bias": p.bias, "name": p.word.replace("_", " ") if place < MOST_NAMED else ""}
        for place, p in enumerate(points)
    ]
    most = max(abs(point.bias) for point in points) or 1.0
    colours = alt.Scale(domain=[-most, 0, most], range=[PEOPLE_COLOUR, "#d9dce1", MODEL_COLOUR], interpolate="rgb")
    axis = alt.Axis(labels=False, ticks=False, grid=False, title=None)
    base = alt.Chart(alt.InlineData(values=values)).encode(
        x=alt.X("x:Q", axis=axis, scale=alt.Scale(zero=False)), y=alt.Y("y:Q", axis=axis, scale=alt.Scale(zero=False))
    )
    legend = alt.Legend(title=f"original bias, + {result.poles[0]} − {result.poles[1]}", orient="top", titleLimit=300)
    dots = base.mark_circle(size=40, opacity=0.9).encode(color=alt.Color("bias:Q", scale=colours, legend=legend))
    names = base.mark_text(dy=-7, fontSize=9, color=INK).encode(text="name:N")
    text = f"{len(values)} professions ({result.picture.method.upper()})"
    return alt.layer(dots, names).properties(width=420, height=300, title=chart_title(text))

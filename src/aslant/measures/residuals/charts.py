"""The most biased words in the plane."""

from __future__ import annotations

from typing import Any

from aslant.errors import AslantError
from aslant.measures.residuals.result import Picture, ResidualBiasResult
from aslant.report.charts import MODEL_COLOUR, PEOPLE_COLOUR, chart_title, tips
from aslant.report.tables import plain


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
    text = f"{len(values):,} most biased words ({picture.method.upper()}); accuracy "
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

"""Charts of bias in contextual vectors: Figures 1 to 3 of Basta et al. (2019)."""

from __future__ import annotations

from typing import Any

from aslant.errors import AslantError, plural
from aslant.measures.geometry.charts import PAIRS, RANDOM, RANDOM_SWAPPED, variance_bars
from aslant.measures.in_context.result import CONTEXTUAL, ContextualBiasResult
from aslant.measures.residuals.charts import cluster_points
from aslant.report.charts import INK, MODEL_COLOUR, PAPER, PEOPLE_COLOUR, chart_title, svg, tips
from aslant.report.pictures import CHANCE, fluid, rows_chart
from aslant.report.tables import between, plain, pvalue, small

#: Professions that are named in the picture, by strength of their bias.
MOST_NAMED = 24
NO_PICTURE = "this result has no picture; measure it again with picture='auto'."


def contextual_chart(result: ContextualBiasResult) -> str:
    """Draw the explained variance with that of random words, the clusters, and the professions; returns SVG."""
    import altair as alt

    parts = [swapped_picture(result), *_pictures(result)]
    named = f"{plain(result.provenance.representation.name)} on {plain(result.corpus.name)}"
    title = alt.Title(named, anchor="start", fontSize=15, color=INK)
    chart = alt.hconcat(*parts).resolve_scale(color="independent", shape="independent").properties(title=title)
    return svg(chart, ink=INK, paper=PAPER)


def measures_picture(result: ContextualBiasResult) -> Any:
    """Draw every measure: its mean and range over the repeats, and what chance gives; returns an Altair chart."""
    rows = [_measure(place, row) for place, row in enumerate(r for r in result.rows() if r["mean"] is not None)]
    shown = ["mean over repeats", CHANCE] if any(row["other"] is not None for row in rows) else []
    return rows_chart(rows, "value of the measure", shown, "mean", [0.0, 1.0])


def _measure(place: int, row: dict[str, Any]) -> dict[str, Any]:
    space = "" if row["space"] == CONTEXTUAL else f" ({plain(row['space'])})"
    return {
        "row": place, "label": plain(row["measure"]) + space, "test": plain(row["measure"]) + space,
        "value": row["mean"], "low": row["minimum"], "high": row["maximum"], "other": row["chance"],
        "series": "mean over repeats", "other series": CHANCE, "mean": small(row["mean"]),
        "interval": between(row["minimum"], row["maximum"]), "p": pvalue(row["pvalue"]),
        "by chance": small(row["chance"]),
    }  # fmt: skip


def biased_picture(result: ContextualBiasResult) -> Any:
    """Draw the words that the first repeat clustered in the plane (Figure 2 of the paper); returns an Altair chart."""
    if result.clusters is None:
        raise AslantError(NO_PICTURE)
    return cluster_points(result.clusters, result.poles, result.measures.clustering.by_repeat[0] or 0.0)


def professions_picture(result: ContextualBiasResult) -> Any:
    """Draw the professions in the plane, by their bias in the static embedding (Figure 3); returns an Altair chart."""
    return fluid(_professions(result, "currentColor"))


def swapped_picture(result: ContextualBiasResult) -> Any:
    """Draw the share of variance of each component with that of random words; returns an Altair chart.

    Random words are swapped with each other, and also shown unswapped where the result has that, as in Figure 1 of
    the paper.
    """
    s = result.subspace
    shown = ((PAIRS, s.explained), (RANDOM_SWAPPED if s.random_words else RANDOM, s.random), (RANDOM, s.random_words))
    return variance_bars(
        [
            {"component": number, "series": series, "share": one.mean, "low": one.minimum, "high": one.maximum}
            for series, shares in shown
            for number, one in enumerate(shares, 1)
        ]
    )


def _pictures(result: ContextualBiasResult) -> list[Any]:
    if result.clusters is None or result.picture is None:
        return []
    return [biased_picture(result), _professions(result)]


def _professions(result: ContextualBiasResult, ink: str = INK) -> Any:
    import altair as alt

    if result.picture is None:
        raise AslantError(NO_PICTURE)
    points = sorted(result.picture.points, key=lambda point: -abs(point.bias))
    values = [
        {
            "x": p.x, "y": p.y, "bias": p.bias, "word": plain(p.word.replace("_", " ")), "written": small(p.bias),
            "name": plain(p.word.replace("_", " ")) if place < MOST_NAMED else "",
        }
        for place, p in enumerate(points)
    ]  # fmt: skip
    most = max(abs(point.bias) for point in points) or 1.0
    colours = alt.Scale(domain=[-most, 0, most], range=[PEOPLE_COLOUR, "#d9dce1", MODEL_COLOUR], interpolate="rgb")
    axis = alt.Axis(labels=False, ticks=False, grid=False, title=None)
    base = alt.Chart(alt.InlineData(values=values)).encode(
        x=alt.X("x:Q", axis=axis, scale=alt.Scale(zero=False)), y=alt.Y("y:Q", axis=axis, scale=alt.Scale(zero=False))
    )
    legend = alt.Legend(title=f"original bias, + {result.poles[0]} − {result.poles[1]}", orient="top", titleLimit=300)
    dots = base.mark_circle(size=40, opacity=0.9).encode(
        color=alt.Color("bias:Q", scale=colours, legend=legend), tooltip=tips("word", "bias:written")
    )
    names = base.mark_text(dy=-7, fontSize=9, color=ink).encode(text="name:N")
    text = f"{plural(len(values), 'profession')} ({result.picture.method.upper()})"
    return alt.layer(dots, names).properties(width=420, height=300, title=chart_title(text))

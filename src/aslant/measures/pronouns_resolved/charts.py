"""Charts of resolved pronouns: the probability of "neither" by gender, and against sample bias; SVG by Altair."""

from __future__ import annotations

import math
import textwrap
from typing import Any

from aslant.errors import AslantError, plural
from aslant.measures.pronouns_resolved.result import PronounResolutionResult
from aslant.measures.template_tests.result import MODEL_CONTENT_NOTE
from aslant.report.charts import INK, MODEL_COLOUR, PAPER, PEOPLE_COLOUR, svg, tips
from aslant.report.pictures import LABELS, fluid, rows_chart
from aslant.report.tables import between, plain, pvalue, small

COLOURS = {"male": MODEL_COLOUR, "female": PEOPLE_COLOUR}
BINS = 40
#: Samples are averaged in this many groups of one size, so that a trend shows through the cloud.
GROUPS = 10


def neither_picture(result: PronounResolutionResult) -> Any:
    """Draw the mean probability of "neither" of each gender, and its share in the labels; returns an Altair chart."""
    predicted = "predicted, mean"
    rows = [
        {
            "row": place, "label": f"{o.gender} pronouns", "test": f"{o.gender} pronouns, {plural(o.n, 'sample')}",
            "value": o.predicted, "low": o.interval.low if o.interval else None,
            "high": o.interval.high if o.interval else None, "other": o.prior, "series": predicted,
            "other series": LABELS, "predicted": _share(o.predicted), "in the labels": _share(o.prior),
            "interval": between(o.interval.low, o.interval.high, _share) if o.interval else "–",
        }
        for place, o in enumerate(result.outcomes)
    ]  # fmt: skip
    return rows_chart(rows, "probability of “neither”", [predicted, LABELS], "predicted", [0.0])


def _share(value: float | None) -> str:
    return "–" if value is None else f"{100 * value:.1f} %"


def neither_by_gender(result: PronounResolutionResult) -> str:
    """Draw how P(neither) is spread for each gender, with its mean and the share in the labels; returns SVG."""
    import altair as alt

    order = [outcome.gender for outcome in result.outcomes]
    bars = (
        alt.Chart(alt.InlineData(values=_binned(result)))
        .mark_bar(opacity=0.8)
        .encode(
            x=alt.X(
                "low:Q",
                bin="binned",
                title="predicted probability of “neither”",
                scale=alt.Scale(domain=[0, _end(result)]),
            ),
            x2="high:Q",
            y=alt.Y("share:Q", title="share of samples", axis=alt.Axis(format="%")),
            color=_colour(shown=False),
        )
    )
    means = [
        {"gender": o.gender, "at": value, "what": what}
        for o in result.outcomes
        for value, what in ((o.predicted, "mean predicted"), (o.prior, "share in labels"))
    ]
    dashes = alt.StrokeDash(
        "what:N", scale=alt.Scale(domain=["mean predicted", "share in labels"], range=[[1, 0], [4, 3]]), title=None,
        legend=alt.Legend(orient="top", symbolType="stroke"),
    )  # fmt: skip
    rules = (
        alt.Chart(alt.InlineData(values=means))
        .mark_rule(color=INK, strokeWidth=1.6)
        .encode(x="at:Q", strokeDash=dashes)
    )
    panels = [
        alt.layer(bars.transform_filter(alt.datum.gender == gender), rules.transform_filter(alt.datum.gender == gender))
        .properties(width=520, height=130, title=alt.Title(f"{gender} pronouns", anchor="start", fontSize=12))
        for gender in order
    ]  # fmt: skip
    gap = result.gap
    points = [f"{100 * share:z.1f}".replace("-", "−") for share in (gap.difference, result.label_gap)]
    said = f"female minus male: {points[0]} points (labels: {points[1]}), p = {pvalue(gap.pvalue)}"
    chart = alt.vconcat(*panels).resolve_scale(y="shared").properties(title=_title(result, said))
    return svg(chart, ink=INK, paper=PAPER)


def neither_by_bias(result: PronounResolutionResult) -> str:
    """Draw P(neither) against sample bias: every sample, and the mean of each tenth, by gender; returns SVG."""
    if result.without_bias:
        raise AslantError(f"topics have no bias to draw: {result.without_bias}; give a language model (lm=…, or --lm).")
    said = "; ".join(
        f"{plain(found.gender)}: ρ = {small(found.rho)}, p = {pvalue(found.pvalue)}" for found in result.correlations
    )
    title = _title(result, f"Spearman, {said}", f"lines: means of {GROUPS} groups of samples")
    return svg(_topics(result).properties(width=520, height=320, title=title), ink=INK, paper=PAPER)


def topics_picture(result: PronounResolutionResult) -> Any:
    """Draw P(neither) against sample bias; returns an Altair chart."""
    return fluid(_topics(result).properties(height=320))


def _topics(result: PronounResolutionResult) -> Any:
    import altair as alt

    points = [
        {
            "gender": s.gender, "bias": s.bias, "neither": s.p_neither, "sample": plain(s.id), "leans": small(s.bias),
            "P(neither)": _share(s.p_neither),
        }
        for s in result.samples
    ]  # fmt: skip
    x = alt.X("bias:Q", title="← women  ·  sample bias by topics  ·  men →", scale=alt.Scale(zero=False))
    y = alt.Y("neither:Q", title="predicted probability of “neither”", axis=alt.Axis(format="%"))
    cloud = (alt.Chart(alt.InlineData(values=points)).mark_circle(size=14, opacity=0.25)).encode(
        x=x, y=y, color=_colour(), tooltip=tips("sample", "pronoun:gender", "bias:leans", "P(neither)")
    )
    means = alt.Chart(alt.InlineData(values=_tenths(result))).mark_line(point=True, strokeWidth=2.2)
    return alt.layer(cloud, means.encode(x=x, y=y, color=_colour()))


def _end(result: PronounResolutionResult) -> float:
    """Return the end of an axis that holds every probability of "neither": the next tenth."""
    return min(1.0, math.ceil(10 * max(sample.p_neither for sample in result.samples) + 0.01) / 10)


def _colour(*, shown: bool = True) -> Any:
    import altair as alt

    scale = alt.Scale(domain=list(COLOURS), range=list(COLOURS.values()))
    legend = alt.Legend(title="pronouns", orient="top", symbolOpacity=1) if shown else None
    return alt.Color("gender:N", scale=scale, legend=legend)


def _binned(result: PronounResolutionResult) -> list[dict[str, Any]]:
    """Count samples by P(neither), as shares of their gender."""
    values = []
    for outcome in result.outcomes:
        counts = [0] * BINS
        for sample in result.samples:
            if sample.gender == outcome.gender:
                counts[min(int(sample.p_neither * BINS), BINS - 1)] += 1
        values += [
            {"gender": outcome.gender, "low": b / BINS, "high": (b + 1) / BINS, "share": count / outcome.n}
            for b, count in enumerate(counts)
            if count
        ]
    return values


def _tenths(result: PronounResolutionResult) -> list[dict[str, Any]]:
    """Return the mean bias and P(neither) of groups of samples of one size, in the order of their bias."""
    values = []
    for outcome in result.outcomes:
        ordered = sorted((s.bias or 0.0, s.p_neither) for s in result.samples if s.gender == outcome.gender)
        groups = min(GROUPS, len(ordered))
        for place in range(groups):
            part = ordered[place * len(ordered) // groups : (place + 1) * len(ordered) // groups]
            bias, neither = (sum(side) / len(part) for side in zip(*part, strict=True))
            values.append({"gender": outcome.gender, "bias": bias, "neither": neither})
    return values


def _title(result: PronounResolutionResult, *said: str) -> Any:
    import altair as alt

    about = [f"{plain(result.provenance.representation.name)}, {plain(result.provenance.stimuli)}", *said]
    return alt.Title(
        textwrap.wrap(MODEL_CONTENT_NOTE, 80), subtitle=about, anchor="start", offset=12, fontWeight="normal"
    )

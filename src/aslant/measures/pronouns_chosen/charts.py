"""A chart of a model's choice between pronouns: each occupation's log-odds against the share of women in it; SVG."""

from __future__ import annotations

import textwrap
from typing import Any

from aslant.errors import AslantError, plural
from aslant.measures.pronouns_chosen.result import PronounChoiceResult
from aslant.measures.pronouns_chosen.show import NO_DECISION
from aslant.measures.template_tests.result import MODEL_CONTENT_NOTE
from aslant.report.charts import INK, MODEL_COLOUR, PAPER, PEOPLE_COLOUR, svg, tips
from aslant.report.pictures import fluid, words_chart
from aslant.report.tables import number, plain, pvalue, small

#: Names are drawn for this many occupations, those furthest from the line.
MOST_NAMES = 24
NO_STEREOTYPE_COLOUR = "#9aa3af"


def occupation_chart(result: PronounChoiceResult) -> str:
    """Draw the log-odds of the female pronoun over the share of women, one point per occupation; returns SVG."""
    import altair as alt

    if not _points(result):
        raise AslantError("no occupation of this result has a share of women, so there is nothing to draw.")
    base, layers = _layers(result)
    names = base.transform_filter("datum.named").mark_text(align="left", dx=6, fontSize=9).encode(text="name:N")
    chart = alt.layer(*layers, names).properties(width=560, height=360, title=_title(result))
    return svg(chart, ink=INK, paper=PAPER)


def occupations_picture(result: PronounChoiceResult) -> Any | None:
    """Draw the log-odds of the female pronoun over the share of women; returns an Altair chart, if there is any."""
    import altair as alt

    return fluid(alt.layer(*_layers(result)[1]).properties(height=320)) if _points(result) else None


def gaps_picture(result: PronounChoiceResult) -> Any | None:
    """Draw the occupations at both ends by their gap; returns an Altair chart, if there is any."""
    named = [(o.occupation, o.gap, o.stereotype or "none") for o in result.ranked if o.gap is not None]
    return words_chart(named, "gap: prefers the pronoun that the stereotype expects →") if named else None


def _layers(result: PronounChoiceResult) -> tuple[Any, list[Any]]:
    """Return what all layers have in common, and those of the line and the points."""
    import altair as alt

    values = _points(result)
    colours = alt.Scale(
        domain=["female", "male", "none"], range=[PEOPLE_COLOUR, MODEL_COLOUR, NO_STEREOTYPE_COLOUR]
    )  # fmt: skip
    base = alt.Chart(alt.InlineData(values=values)).encode(
        x=alt.X(
            "women:Q",
            title=_wrapped(plain(result.figure)),
            scale=alt.Scale(domain=[0, 108]),
            axis=alt.Axis(tickCount=6),
        ),
        y=alt.Y("odds:Q", title="log-odds of “she” against “he”", scale=alt.Scale(zero=False)),
    )
    points = base.mark_circle(size=40, opacity=0.9).encode(
        color=alt.Color("stereotype:N", scale=colours, legend=alt.Legend(title="stereotype", orient="top")),
        tooltip=tips("occupation:name", "women, %:share", "log-odds of she:written"),
    )
    line = base.transform_regression("women", "odds").mark_line(color="#888", strokeDash=[4, 3])
    return base, [line, points]


def _points(result: PronounChoiceResult) -> list[dict[str, Any]]:
    known = [o for o in result.occupations if o.share_women is not None]
    middle = sum(o.log_odds for o in known) / max(len(known), 1)
    named = sorted(known, key=lambda o: -abs(o.log_odds - middle))[:MOST_NAMES]
    return [
        {
            "name": plain(o.occupation), "women": o.share_women, "odds": o.log_odds,
            "stereotype": o.stereotype or "none", "named": o in named, "written": small(o.log_odds),
            "share": "–" if o.share_women is None else f"{o.share_women:.0f}",
        }
        for o in known
    ]  # fmt: skip


def _title(result: PronounChoiceResult) -> Any:
    import altair as alt

    group = result.groups[0]
    said = [
        f"{plain(result.provenance.representation.name)}, {plain(result.title)}: {plain(group.name)}, "
        f"{plural(group.sentences, 'sentence')}, {result.method}"
    ]
    if r := group.correlation:
        said.append(
            f"Pearson {number(r.pearson)} (p {pvalue(r.pearson_pvalue)}), Spearman {number(r.spearman)} "
            f"(p {pvalue(r.spearman_pvalue)}), {plural(r.n, 'occupation')}"
        )
    said += textwrap.wrap(NO_DECISION, 90)
    if about := result.provenance.representation.note:
        said += textwrap.wrap(plain(about), 90)
    note = textwrap.wrap(MODEL_CONTENT_NOTE, 80)
    return alt.Title(note, subtitle=said, anchor="start", offset=12, fontWeight="normal")


def _wrapped(text: str) -> list[str]:
    return textwrap.wrap(text, 44)  # so that it fits a phone

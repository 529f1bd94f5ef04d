"""A chart of a model's choice between pronouns: each occupation's log-odds against the share of women in it; SVG."""

from __future__ import annotations

import textwrap
from typing import Any

from slant.errors import SlantError
from slant.report.charts import MODEL_COLOUR, PEOPLE_COLOUR, svg
from slant.report.pronoun_choice import NO_DECISION
from slant.report.tables import number, plain, pvalue
from slant.results import MODEL_CONTENT_NOTE, PronounChoiceResult

INK, PAPER = "#1c2430", "white"
#: Names are drawn for so many occupations, those furthest from the line.
MOST_NAMES = 24
NO_STEREOTYPE_COLOUR = "#9aa3af"


def occupation_chart(result: PronounChoiceResult) -> str:
    """Draw the log-odds of the female pronoun over the share of women, one point per occupation; returns SVG."""
    import altair as alt

    values = _points(result)
    if not values:
        raise SlantError("no occupation of this result has a share of women, so there is nothing to draw.")
    colours = alt.Scale(
        domain=["female", "male", "none"], range=[PEOPLE_COLOUR, MODEL_COLOUR, NO_STEREOTYPE_COLOUR]
    )  # fmt: skip
    base = alt.Chart(alt.InlineData(values=values)).encode(
        x=alt.X("women:Q", title=_wrapped(plain(result.figure)), scale=alt.Scale(domain=[0, 108])),
        y=alt.Y("odds:Q", title="log-odds of “she” against “he”", scale=alt.Scale(zero=False)),
    )
    points = base.mark_circle(size=40, opacity=0.9).encode(
        color=alt.Color("stereotype:N", scale=colours, legend=alt.Legend(title="stereotype", orient="top"))
    )
    names = base.transform_filter("datum.named").mark_text(align="left", dx=6, fontSize=9).encode(text="name:N")
    line = base.transform_regression("women", "odds").mark_line(color="#888", strokeDash=[4, 3])
    chart = alt.layer(line, points, names).properties(width=560, height=360, title=_title(result))
    return svg(chart, ink=INK, paper=PAPER)


def _points(result: PronounChoiceResult) -> list[dict[str, Any]]:
    known = [o for o in result.occupations if o.share_women is not None]
    middle = sum(o.log_odds for o in known) / max(len(known), 1)
    named = sorted(known, key=lambda o: -abs(o.log_odds - middle))[:MOST_NAMES]
    return [
        {
            "name": plain(o.occupation), "women": o.share_women, "odds": o.log_odds,
            "stereotype": o.stereotype or "none", "named": o in named,
        }
        for o in known
    ]  # fmt: skip


def _title(result: PronounChoiceResult) -> Any:
    import altair as alt

    group = result.groups[0]
    said = [
        f"{plain(result.provenance.representation.name)}, {plain(result.title)}: {plain(group.name)}, "
        f"{group.sentences:,} sentences, {result.method}"
    ]
    if r := group.correlation:
        said.append(
            f"Pearson {number(r.pearson)} (p {pvalue(r.pearson_pvalue)}), Spearman {number(r.spearman)} "
            f"(p {pvalue(r.spearman_pvalue)}), {r.n} occupations"
        )
    said += textwrap.wrap(NO_DECISION, 90)
    if about := result.provenance.representation.note:
        said += textwrap.wrap(plain(about), 90)
    note = textwrap.wrap(MODEL_CONTENT_NOTE, 80)
    return alt.Title(note, subtitle=said, anchor="start", offset=12, fontWeight="normal")


def _wrapped(text: str) -> list[str]:
    return textwrap.wrap(text, 80)

"""Charts of association tests on words in sentences: effect sizes of tests, and their spread over draws."""

from __future__ import annotations

import textwrap
from typing import Any

from aslant.measures.sentence_tests.result import CeatResult, CeatSuiteResult, SeatResult, SeatSuiteResult
from aslant.measures.template_tests.result import MODEL_CONTENT_NOTE
from aslant.report.charts import INK, MODEL_COLOUR, PAPER, PEOPLE_COLOUR, svg, tips
from aslant.report.pictures import fluid, tests_picture, words_chart
from aslant.report.tables import between, number, plain, pvalue


def seat_chart(result: SeatResult | SeatSuiteResult) -> str:
    """Draw the effect size of each SEAT as a dot with its interval over words, and people's as a diamond; SVG."""
    said = f"SEAT on {plain(result.provenance.representation.name)}; lines: interval over the choice of words"
    return svg(tests_picture(result.rows(), "this encoder").properties(title=_title([said])), ink=INK, paper=PAPER)


def ceat_chart(result: CeatResult | CeatSuiteResult) -> str:
    """Draw, for each CEAT, how the effect sizes of its draws are spread, with the combined one as a line; SVG."""
    import altair as alt

    tests = result.results if isinstance(result, CeatSuiteResult) else (result,)
    bins = [b for test in tests for b in test.distribution.bins]
    low, high = min(-0.5, *(b.low for b in bins)), max(0.5, *(b.high for b in bins))
    panels = [_panel(test, alt.Scale(domain=[low, high])) for test in tests]
    said = f"CEAT on {plain(result.provenance.representation.name)}; line: combined effect size; p over target words"
    return svg(alt.vconcat(*panels).properties(title=_title([said])), ink=INK, paper=PAPER)


def draws_picture(result: CeatResult) -> Any:
    """Draw how the effect sizes of the draws are spread, with the combined one as a line; returns an Altair chart."""
    import altair as alt

    ends = [edge for b in result.distribution.bins for edge in (b.low, b.high)]
    scale = alt.Scale(domain=[min(-0.5, *ends), max(0.5, *ends)])
    return fluid(_draws(result, scale, "currentColor").properties(height=200))


def _panel(test: CeatResult, scale: Any) -> Any:
    import altair as alt

    said = f"{plain(test.test)}: {plain(test.title)} (CES {number(test.effect_size)}, p {pvalue(test.pvalue)})"
    title = alt.Title(said, anchor="start", fontSize=12)
    return _draws(test, scale, INK).properties(width=520, height=130, title=title)


def _draws(test: CeatResult, scale: Any, ink: str) -> Any:
    import altair as alt

    values = [
        {"low": b.low, "high": b.high, "count": b.count, "effect": between(b.low, b.high, number),
         "draws": f"{b.count:,}"}
        for b in test.distribution.bins
    ]  # fmt: skip
    bars = (
        alt.Chart(alt.InlineData(values=values))
        .mark_bar()
        .encode(
            x=alt.X("low:Q", title="effect size of a draw (0: no association)", bin="binned", scale=scale),
            x2="high:Q",
            y=alt.Y("count:Q", title="draws"),
            # Bins end at zero up to rounding.
            color=alt.condition(alt.datum.low > -1e-9, alt.value(MODEL_COLOUR), alt.value(PEOPLE_COLOUR)),
            tooltip=tips("effect size:effect", "draws"),
        )
    )
    rule = (
        alt.Chart(alt.InlineData(values=[{"ces": test.effect_size}]))
        .mark_rule(color=ink, strokeWidth=2)
        .encode(x=alt.X("ces:Q", scale=scale))
    )
    return alt.layer(bars, rule)


def _title(said: list[str]) -> Any:
    import altair as alt

    note = textwrap.wrap(MODEL_CONTENT_NOTE, 80)
    return alt.Title(note, subtitle=said, anchor="start", offset=12, fontWeight="normal")


def words_picture(result: SeatResult) -> Any:
    """Draw how much closer the sentences of each target word are to the first attributes than to the second."""
    first, second = (plain(group.name) for group in result.attributes)
    named = [(w.word, w.association, plain(w.group)) for w in result.words if w.association is not None]
    return words_chart(named, f"← {second} · closer to · {first} →")

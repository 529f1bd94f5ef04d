"""Charts of association tests on words in sentences: effect sizes of tests, and their spread over draws."""

from __future__ import annotations

import textwrap
from typing import Any

from slant.report.charts import MODEL_COLOUR, PEOPLE_COLOUR, svg
from slant.report.pictures import tests_picture
from slant.report.tables import number, plain, pvalue
from slant.results import MODEL_CONTENT_NOTE, CeatResult, CeatSuiteResult, SeatResult, SeatSuiteResult

INK, PAPER = "#1c2430", "white"


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


def _panel(test: CeatResult, scale: Any) -> Any:
    import altair as alt

    values = [{"low": b.low, "high": b.high, "count": b.count} for b in test.distribution.bins]
    bars = (
        alt.Chart(alt.InlineData(values=values))
        .mark_bar()
        .encode(
            x=alt.X("low:Q", title="effect size of a draw (0: no association)", bin="binned", scale=scale),
            x2="high:Q",
            y=alt.Y("count:Q", title="draws"),
            # Bins end at zero up to rounding.
            color=alt.condition(alt.datum.low > -1e-9, alt.value(MODEL_COLOUR), alt.value(PEOPLE_COLOUR)),
        )
    )
    rule = (
        alt.Chart(alt.InlineData(values=[{"ces": test.effect_size}]))
        .mark_rule(color=INK, strokeWidth=2)
        .encode(x=alt.X("ces:Q", scale=scale))
    )
    said = f"{plain(test.test)}: {plain(test.title)} (CES {number(test.effect_size)}, p {pvalue(test.pvalue)})"
    return alt.layer(bars, rule).properties(width=520, height=130, title=alt.Title(said, anchor="start", fontSize=12))


def _title(said: list[str]) -> Any:
    import altair as alt

    note = textwrap.wrap(MODEL_CONTENT_NOTE, 80)
    return alt.Title(note, subtitle=said, anchor="start", offset=12, fontWeight="normal")

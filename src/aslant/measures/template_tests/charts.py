"""Charts of a language model's scores: how they are spread, and which attributes lead; SVG made by Altair."""

from __future__ import annotations

import json
import math
import textwrap
from typing import Any

from aslant.errors import plural
from aslant.measures.template_tests.result import MODEL_CONTENT_NOTE, LogProbabilityResult
from aslant.measures.template_tests.show import percent
from aslant.report.charts import INK, MODEL_COLOUR, PAPER, PEOPLE_COLOUR, svg
from aslant.report.tables import plain

#: Bars are drawn for this many attributes, half of them from each end of the ranking.
MOST_BARS = 40
BINS = 40


def score_histogram(result: LogProbabilityResult) -> str:
    """Draw the distribution of all attributes' scores, coloured by the side of zero that they are on; returns SVG."""
    return svg(histogram_picture(result).properties(title=_title(result)), ink=INK, paper=PAPER)


def histogram_picture(result: LogProbabilityResult) -> Any:
    """Draw the distribution of all attributes' scores; returns an Altair chart."""
    import altair as alt

    # Counted here, so that a chart of 20,000 attributes stays small; bins have an edge at zero.
    values = _binned([score.score for score in result.scores])
    return (
        alt.Chart(alt.InlineData(values=values))
        .mark_bar()
        .encode(
            x=alt.X("low:Q", title=_axis(result), bin="binned"),
            x2="high:Q",
            y=alt.Y("count:Q", title="attributes"),
            color=alt.condition(alt.datum.low >= 0, alt.value(MODEL_COLOUR), alt.value(PEOPLE_COLOUR)),
        )
        .properties(width=520, height=240)
    )


def ranked_bars(result: LogProbabilityResult, *, most: int = MOST_BARS) -> str:
    """Draw the scores of the attributes at both ends of the ranking as bars, largest first; returns SVG."""
    shown = len(result.scores) if len(result.scores) <= most else most // 2 * 2
    return svg(bars_picture(result, most=most).properties(title=_title(result, shown)), ink=INK, paper=PAPER)


def bars_picture(result: LogProbabilityResult, *, most: int = MOST_BARS) -> Any:
    """Draw the scores of the attributes at both ends of the ranking as bars; returns an Altair chart."""
    import altair as alt

    ranked = result.ranked
    half = most // 2
    shown = ranked if len(ranked) <= most else (*ranked[:half], *ranked[-half:])
    values = [{"place": place, "score": score.score} for place, score in enumerate(shown)]
    # Looked up by place, since two attributes may read the same once escaped.
    names = json.dumps({place: plain(score.attribute) for place, score in enumerate(shown)})
    axis = alt.Axis(labelExpr=f"{names}[datum.value]", labelLimit=320, ticks=False, domain=False)
    return (
        alt.Chart(alt.InlineData(values=values))
        .mark_bar(height=12)
        .encode(
            y=alt.Y("place:O", title=None, axis=axis),
            x=alt.X("score:Q", title=_axis(result)),
            color=alt.condition(alt.datum.score >= 0, alt.value(MODEL_COLOUR), alt.value(PEOPLE_COLOUR)),
        )
        .properties(width=420, height=alt.Step(18))
    )


def _binned(scores: list[float]) -> list[dict[str, Any]]:
    """Count scores in bins of a width from 1, 2, 5 times a power of ten, of which one begins at zero."""
    spread = max(max(scores) - min(scores), 1e-9)
    power = 10.0 ** math.floor(math.log10(spread / BINS))
    width = next(step * power for step in (1, 2, 5, 10) if spread / (step * power) <= BINS)
    counts: dict[int, int] = {}
    for score in scores:
        counts[math.floor(score / width)] = counts.get(math.floor(score / width), 0) + 1
    return [{"low": k * width, "high": (k + 1) * width, "count": n} for k, n in sorted(counts.items())]


def _axis(result: LogProbabilityResult) -> str:
    names = [plain(target.name) for target in result.targets]
    if len(names) > 2:
        return "score against the mean of the other target sets"
    return f"← {names[1]}  ·  log-probability bias score  ·  {names[0]} →"


def _title(result: LogProbabilityResult, shown: int | None = None) -> Any:
    import altair as alt

    note = textwrap.wrap(MODEL_CONTENT_NOTE, 80)
    said = [f"{plain(result.provenance.representation.name)}: {'; '.join(plain(t) for t in result.templates)}"]
    if shown is not None and shown < len(result.scores):
        said.append(f"{shown} of {plural(len(result.scores), 'attribute')}, from both ends")
    if len(result.targets) == 2:
        c = result.share
        said.append(
            f"{percent(c.share)} of {plural(c.n, 'attribute')} score 0 or more ({percent(c.low)} to {percent(c.high)})"
        )
    if about := result.provenance.representation.note:
        said += textwrap.wrap(plain(about), 90)
    return alt.Title(note, subtitle=said, anchor="start", offset=12, fontWeight="normal")

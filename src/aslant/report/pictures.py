"""Charts that a report shows: effects in rows with their intervals, words that lean, models side by side.

Each returns an Altair chart; `aslant.report.charts` turns it into SVG or into a Vega specification. A label is
above its row rather than beside it, so that the same chart fits a phone.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any

from aslant.report.charts import MODEL_COLOUR, PEOPLE_COLOUR, tips
from aslant.report.tables import LIMITS, between, number, plain, pvalue, small
from aslant.results.audit import AuditComparison

WIDTH = 680
#: How many words of a long list are drawn, half of them from each end.
MOST_WORDS = 24
#: Shapes and colours of models side by side; they differ in lightness too.
SHAPES = ("circle", "diamond", "square", "triangle-up", "triangle-down", "cross")
COLOURS = (MODEL_COLOUR, PEOPLE_COLOUR, "#2a8f7a", "#b4508f", "#7a7f87", "#8a6d1f")
PEOPLE, CHANCE, LABELS, SOURCES = "people (published study)", "by chance", "in the labels", "source texts"
#: What a diamond beside a dot may mean, and the field that holds it in words.
DIAMONDS = {PEOPLE: "people", CHANCE: "by chance", LABELS: "in the labels", SOURCES: "in the sources"}
Row = dict[str, Any]
SOME = LIMITS[1]


def tests_picture(tests: list[Row], model: str) -> Any:
    """Draw the effect sizes of tests, given as rows of a table; `model` is the name of the model."""
    rows, compared = [], any(row.get("chance_qvalue") is not None for row in tests)
    for place, row in enumerate(tests):
        name, title, effect, q = plain(row["test"]), plain(row["title"]), row["effect_size"], row["qvalue"]
        keys = ("people_effect_size", "low", "high", "chance_low", "chance_high")
        people, low, high, chance_low, chance_high = (row.get(key) for key in keys)
        drawn = {"row": place, "label": f"{name} · {title}", "value": effect, "low": low, "high": high, "other": people}
        drawn |= {"chance low": chance_low, "chance high": chance_high, "other series": PEOPLE}
        drawn["significant"] = q is not None and q <= SOME and (not compared or (row["chance_qvalue"] or 1) <= SOME)
        told = {"test": f"{name}: {title}", "d": number(effect), "interval": between(low, high, number)}
        told |= {"chance": between(chance_low, chance_high, number), "p": pvalue(row["pvalue"]), "q": pvalue(q)}
        told["q (chance)"] = pvalue(row.get("chance_qvalue"))
        rows.append({**drawn, **told, "people": number(people)})
    beyond = f"beyond chance, both q ≤ {SOME:g}" if compared else f"q ≤ {SOME:g}"
    series = {True: f"{model}, {beyond}", False: f"{model}, not significant"}
    for row in rows:
        row["series"] = series[row["significant"]]
    shown = [name for name in series.values() if any(row["series"] == name for row in rows)]
    shown += [PEOPLE] if any(row["other"] is not None for row in rows) else []
    return rows_chart(rows, "effect size d (0: no association)", shown, "d", [-0.5, 2.0])


def rows_chart(rows: list[Row], title: str, series: list[str], named: str, domain: list[float]) -> Any:
    """Draw one row for each value: a label, an interval, a dot, and another value as a diamond.

    Each row has `row`, `label`, `test`, `value`, `low`, `high`, `other`, `series` and `other series`, and what is shown
    when the pointer rests on it; `series` names the marks of the legend, of which those in `DIAMONDS` are the others.
    """
    import altair as alt

    base = alt.Chart(alt.InlineData(values=rows))
    fields = ("value", "low", "high", "other", "chance low", "chance high")
    values = [*domain, *(row[key] for row in rows for key in fields if row.get(key) is not None)]
    scale = alt.Scale(domain=[min(values), max(values)], nice=True)
    y = alt.Y("row:O", axis=None)
    x = alt.X("value:Q", scale=scale, title=title, axis=alt.Axis(tickCount=6))
    told = ("test", named, "interval", "chance", "p", "q", "q (chance)", *DIAMONDS.values())
    details = tips(*[field for field in told if field in rows[0]])
    label = base.mark_text(
        align="left", baseline="middle", dy=-11, fontSize=12, color="currentColor", limit=alt.expr("width")
    )
    spread = base.transform_filter("isValid(datum.low)").mark_rule(yOffset=8, strokeWidth=2, color=MODEL_COLOUR)
    layers = [
        label.encode(y=y, x=alt.value(0), text="label:N"),
        spread.encode(y=y, x=alt.X("low:Q", scale=scale), x2="high:Q"),
        _dots(base, x, y, "series", series),
    ]
    if DIAMONDS.keys() & set(series):
        other = alt.X("other:Q", scale=scale)
        layers.append(_dots(base.transform_filter("isValid(datum.other)"), other, y, "other series", series))
    layers.append(base.mark_rect(opacity=0).encode(y=y, x=alt.value(0), x2=alt.value("width"), tooltip=details))
    if any(row.get("chance low") is not None for row in rows):  # a grey band where 95 % of random word sets lie
        there = base.transform_filter("isValid(datum['chance low'])")
        band = there.mark_bar(yOffset=8, height=12, color="currentColor")
        x_low, faint = alt.X("chance low:Q", scale=scale), alt.value(0.15)
        layers.insert(0, band.encode(y=y, x=x_low, x2="chance high:Q", opacity=faint))
    zero = alt.Chart(alt.InlineData(values=[{"zero": 0}])).mark_rule(color="currentColor", opacity=0.35)
    layers.insert(0, zero.encode(x=alt.X("zero:Q", scale=scale)))
    return fluid(alt.layer(*layers).properties(height=alt.Step(46)))


def _dots(base: Any, x: Any, y: Any, field: str, shown: list[str]) -> Any:
    """Draw a mark for each value; shape and filling show what it means, as well as colour."""
    import altair as alt

    if not shown:
        return base.mark_point(filled=True, size=95, yOffset=8, opacity=1, color=MODEL_COLOUR).encode(x=x, y=y)
    colours = [PEOPLE_COLOUR if name in DIAMONDS else MODEL_COLOUR for name in shown]
    pairs = zip(shown, colours, strict=True)
    fills = ["white" if name.endswith("not significant") else colour for name, colour in pairs]
    shapes = ["diamond" if name in DIAMONDS else "circle" for name in shown]
    legend: Any = alt.Legend(title=None, orient="top", symbolOpacity=1, direction="vertical", labelLimit=400)
    return base.mark_point(size=95, yOffset=8, opacity=1, strokeWidth=2).encode(
        x=x,
        y=y,
        stroke=alt.Stroke(f"{field}:N", scale=alt.Scale(domain=shown, range=colours), legend=legend),
        fill=alt.Fill(f"{field}:N", scale=alt.Scale(domain=shown, range=fills), legend=legend),
        shape=alt.Shape(f"{field}:N", scale=alt.Scale(domain=shown, range=shapes), legend=legend),
    )


def words_chart(named: list[tuple[str, float, str]], title: str) -> Any:
    """Draw words as bars; the class that each leans to is written beside its name, and coloured."""
    import altair as alt

    shown = ends(named)
    sides = list(dict.fromkeys(side for _, _, side in shown))[: len(COLOURS)]
    rows = [
        {"row": place, "word": plain(word), "value": value, "leans to": side, "score": small(value)}
        for place, (word, value, side) in enumerate(shown)
    ]
    # Looked up by place, since two words may read the same once escaped.
    names = json.dumps({row["row"]: f"{row['word']} · {row['leans to']}" for row in rows})
    axis = alt.Axis(labelExpr=f"{names}[datum.value]", labelLimit=170, ticks=False, domain=False)
    colour = alt.Scale(domain=sides, range=list(COLOURS[: len(sides)]))
    bars = alt.Chart(alt.InlineData(values=rows)).mark_bar(height=11)
    bars = bars.encode(
        y=alt.Y("row:O", title=None, axis=axis),
        x=alt.X("value:Q", title=title, axis=alt.Axis(tickCount=6)),
        color=alt.Color("leans to:N", scale=colour, legend=alt.Legend(title=None, orient="top")),
        tooltip=tips("word", "score", "leans to"),
    )
    return fluid(bars.properties(height=alt.Step(19)))


def ends(named: Iterable[tuple[str, float, str]], most: int = MOST_WORDS) -> list[tuple[str, float, str]]:
    """Return words from both ends of the ranking, or only the highest where no value is below zero.

    >>> ends([("a", 0.5, "x"), ("b", -0.5, "y"), ("c", 0.1, "x")], most=2)
    [('a', 0.5, 'x'), ('b', -0.5, 'y')]
    """
    ranked = sorted(named, key=lambda item: -item[1])
    if len(ranked) <= most:
        return ranked
    return ranked[:most] if ranked[-1][1] >= 0 else ranked[: most // 2] + ranked[-(most // 2) :]


def audits_picture(result: AuditComparison) -> Any | None:
    """Draw every effect size d in all models; other effects have other scales, and are in the table."""
    named = [
        (f"{plain(line.stimuli)} · {plain(line.measure)}, {plain(line.category)}", line.values)
        for line in result.differences if line.effect_name == "d"
    ]  # fmt: skip
    return models_chart(named, tuple(map(plain, result.names)), "effect size d (0: no association)") if named else None


def models_chart(named: Sequence[tuple[str, Sequence[float | None]]], models: tuple[str, ...], title: str) -> Any:
    """Draw one row for each line: a mark for each model, joined by a rule."""
    import altair as alt

    names = [f"{place}. {model}" for place, model in enumerate(models, 1)]
    rows = [
        {"row": place, "label": label, "value": value, "model": name, "written": number(value)}
        for place, (label, values) in enumerate(named)
        for name, value in zip(names, values, strict=True)
        if value is not None
    ]
    labels = [{"row": place, "label": label} for place, (label, _) in enumerate(named)]
    base, y = alt.Chart(alt.InlineData(values=rows)), alt.Y("row:O", axis=None)
    x = alt.X("value:Q", title=title, axis=alt.Axis(tickCount=8))
    legend: Any = alt.Legend(title=None, orient="top", columns=1)
    shapes = alt.Scale(domain=names, range=[SHAPES[i % len(SHAPES)] for i in range(len(names))])
    colours = alt.Scale(domain=names, range=[COLOURS[i % len(COLOURS)] for i in range(len(names))])
    text = alt.Chart(alt.InlineData(values=labels)).mark_text(
        align="left", baseline="middle", dy=-10, color="currentColor", limit=alt.expr("width")
    )
    points = base.mark_point(filled=True, size=95, yOffset=8, opacity=1).encode(
        x=x, y=y, tooltip=tips("label", "model", "value:written"),
        shape=alt.Shape("model:N", scale=shapes, legend=legend),
        color=alt.Color("model:N", scale=colours, legend=legend),
    )  # fmt: skip
    joined = base.mark_line(strokeWidth=1.5, yOffset=8, color="currentColor", opacity=0.4).encode(
        x=x, y=y, detail="row:O"
    )
    chart = alt.layer(joined, points, text.encode(y=y, x=alt.value(0), text="label:N"))
    return fluid(chart.properties(height=alt.Step(44)))


def fluid(chart: Any) -> Any:
    """Let a chart fill the width of its container; a page's script sets it."""
    import altair as alt

    return chart.properties(width=WIDTH, autosize=alt.AutoSizeParams(type="fit-x", contains="padding"))

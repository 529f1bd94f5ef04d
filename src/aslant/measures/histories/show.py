"""A measure over time as a table and a chart."""

from __future__ import annotations

from math import factorial
from typing import Any

from aslant.errors import plural
from aslant.measures.histories.result import HistoryResult
from aslant.measures.polarities.result import CLEAR
from aslant.measures.polarities.show import DIRECTIONS
from aslant.report.charts import INK, PAPER, svg, tips
from aslant.report.conventions import chance_note
from aslant.report.pictures import COLOURS
from aslant.report.tables import Column, Table, between, missing_words, number, percentage, plain, pvalue, small
from aslant.results.parts import chance_row
from aslant.stimuli import cautions


def history_table(result: HistoryResult) -> Table:
    """Describe the score of each period, and the test for trend."""
    several = any(len(p.trainings) > 1 for p in result.points)
    columns = [Column("year", "year", str), Column("score", "score", small)]
    if several:
        columns += [Column("interval", "another training", str), Column("trainings", "trainings", str)]
    if any(p.chance for p in result.points):
        columns += [Column("chance", "chance", str), Column("chance_pvalue", "p (chance)", pvalue)]
    columns += [Column("words", "words", str)]
    if any(p.tokens for p in result.points):
        columns += [Column("tokens", "tokens", lambda n: "" if n is None else f"{n:,}")]
    rows = [{**row, **_written(row)} for row in result.rows()]
    notes = [*_words(result), *_trainings(result), *_tested(result), *_beyond(result)]
    notes += [f"{year} was left out: {plain(why)}" for year, why in result.years_left_out.items()]
    notes += cautions(result.provenance.stimuli)
    title = f"{result.label} over time ({plain(result.provenance.stimuli)})"
    return Table(title, tuple(columns), rows, (*notes, *missing_words(result)), first_line=_few(result))


def _written(row: dict[str, Any]) -> dict[str, str]:
    return {
        "interval": between(row["low"], row["high"]), "chance": between(row["chance_low"], row["chance_high"]),
    }  # fmt: skip


def _few(result: HistoryResult) -> str:
    used = max(p.words for p in result.points)
    few = used < result.asked / 2
    return f"Measured on only {used:,} of {plural(result.asked, 'word')}." if few else ""


def _words(result: HistoryResult) -> list[str]:
    used = sorted({p.words for p in result.points})
    told = f"{used[0]:,}" if len(used) == 1 else f"{used[0]:,} to {used[-1]:,}"
    held = "the same in all" if result.basis.endswith("every year has") else "which differ from year to year"
    return [f"measured on {told} of {plural(result.asked, 'word')}, {held} ({result.basis})"]


def _trainings(result: HistoryResult) -> list[str]:
    counts = [len(p.trainings) for p in result.points]
    if max(counts) == 1:
        return ["one training of each year, which is one draw: no interval; another training would give other scores"]
    said = ["another training: where it would fall in 95 % of cases (Student's t), given those that were made"]
    if settings := result.provenance.settings.get("confidence"):
        said = [said[0].replace("95 %", percentage(settings))]
    alone = [str(p.year) for p in result.points if len(p.trainings) == 1]
    return said + ([f"one training, so no interval, in {', '.join(alone)}"] if alone else [])


def _tested(result: HistoryResult) -> list[str]:
    test, n = result.test, len(result.points)
    if test is None:
        return [f"{plural(n, 'year')}: no test for trend, which needs four and scores that differ"]
    way = DIRECTIONS[test.direction]
    if test.direction != "none" and test.chance is not None and test.chance.pvalue > CLEAR:
        way += ", but no more than with random words"
    said = [
        f"{way}: Kendall's tau {number(test.kendall)} (Mann–Kendall p {pvalue(test.kendall_pvalue)}), "
        f"Spearman {number(test.spearman)} (p {pvalue(test.spearman_pvalue)}), "
        f"{small(test.slope_per_century)} per century, over {n} years"
    ]
    if (least := 2 / factorial(min(n, 20))) > CLEAR:
        said.append(f"with {n} years p cannot be below {pvalue(least)}, so that no trend can be clear")
    said += chance_note(test.chance, "those that carry the meaning, the same in all years", "a tau of ")
    if result.tau_range is not None:
        low, high = map(number, result.tau_range)
        said.append(f"with one training of each year tau would be {low} to {high} in 95 % of cases")
    return said


def _beyond(result: HistoryResult) -> list[str]:
    given = [p.chance for p in result.points if p.chance]
    if not given:
        asked = result.provenance.settings.get("chance")
        return ["no chance level: too few words can take the place of those that carry the meaning"] if asked else []
    beyond = sum(chance.pvalue <= CLEAR for chance in given)
    return [
        "chance: 95 % of random words of the same frequency in that year; "
        f"in {beyond} of {plural(len(given), 'year')} the score is beyond it (p ≤ 0.05; luck: {0.05 * len(given):.2g})"
    ]


def history_chart(result: HistoryResult) -> str:
    """Draw the scores under a title that says what they are; returns SVG."""
    import altair as alt

    said = [plain(result.provenance.stimuli)]
    if any(p.low is not None for p in result.points):
        said.append("band and dots: trainings")
    if any(p.chance for p in result.points):
        said.append("grey: 95 % of random words")
    title = alt.Title(f"{result.label} over time", subtitle="; ".join(said), anchor="start")
    return svg(history_picture(result).properties(title=title), ink=INK, paper=PAPER)


def history_picture(result: HistoryResult) -> Any:
    """Draw the score of each period, its trainings, where another would fall, and chance; returns an Altair chart."""
    import altair as alt

    nothing = {"score": None, "low": None, "high": None, **chance_row(None)}
    rows: list[dict[str, Any]] = [{"year": year, **nothing} for year in result.years_left_out]
    rows += [{**row, **_written(row), "written": small(row["score"])} for row in result.rows()]
    rows = [{**row, "words": row.get("words")} for row in sorted(rows, key=lambda row: int(row["year"]))]
    zoomed = alt.Scale(zero=False)
    x = alt.X("year:Q", title="year", axis=alt.Axis(format="d"), scale=alt.Scale(zero=False, nice=False, padding=10))
    y = alt.Y("score:Q", title=result.label, scale=zoomed)
    base = alt.Chart(alt.InlineData(values=rows)).encode(x=x)
    grey = base.mark_area(opacity=0.12, color="currentColor").encode(
        y=alt.Y("chance_low:Q", scale=zoomed), y2="chance_high:Q"
    )
    band = base.mark_area(opacity=0.2, color=COLOURS[0]).encode(y=alt.Y("low:Q", scale=zoomed), y2="high:Q")
    line = base.mark_line(color=COLOURS[0]).encode(y=y)
    tooltip = tips("year", "score:written", "another training:interval", "chance", "words")
    points = base.transform_filter("isValid(datum.score)").mark_point(filled=True, size=50, opacity=1, color=COLOURS[0])
    layers = [grey, band, line, points.encode(y=y, tooltip=tooltip)]
    each = [{"year": p.year, "score": s} for p in result.points if len(p.trainings) > 1 for s in p.trainings]
    if each:
        dots = alt.Chart(alt.InlineData(values=each)).mark_point(size=12, opacity=0.6, color=COLOURS[0])
        layers.append(dots.encode(x=x, y=y))
    return alt.layer(*layers).properties(width=560, height=260)

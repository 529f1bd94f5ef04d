"""Resolved pronouns as tables and charts: Table 4 of Kurita et al., topics with their bias, and calibration."""

from __future__ import annotations

import math
import textwrap
from collections import Counter
from typing import Any

from aslant.errors import AslantError, plural
from aslant.measures.pronouns_resolved.result import GenderGap, PronounResolutionResult
from aslant.measures.template_tests.show import percent
from aslant.report.charts import INK, MODEL_COLOUR, PAPER, PEOPLE_COLOUR, svg, tips
from aslant.report.conventions import MODEL_CONTENT_NOTE, Category, line
from aslant.report.pictures import LABELS, fluid, rows_chart
from aslant.report.tables import Column, Table, between, number, percentage, plain, pvalue, small
from aslant.results.audit import Glance
from aslant.results.parts import Interval, Spread

#: A terminal shows this many words of a topic.
SHOWN_WORDS = 8


def outcomes_table(result: PronounResolutionResult) -> Table:
    """Describe both genders: share of "neither" in the labels and as predicted, accuracy, log-loss, calibration."""
    columns = (
        Column("gender", "pronouns", plain, "left"),
        Column("samples", "samples", "{:,}".format),
        Column("prior", "neither: labels", _percent),
        Column("predicted", "predicted", _percent),
        Column("interval", "interval", str),
        Column("accuracy", "accuracy", _percent),
        Column("log_loss", "log-loss", small, spare=1),
        Column("calibration_error", "calibration error", small, spare=2),
        Column("rho", "ρ with bias", small, spare=3),
    )
    rows = [{**row, "interval": between(row["low"], row["high"], _percent)} for row in result.rows()]
    title = f"Gendered pronoun resolution with {result.provenance.representation.name}"
    return Table(title, columns, rows, _notes(result), first_line=MODEL_CONTENT_NOTE)


def topics_table(result: PronounResolutionResult, words: int | None = None) -> Table:
    """Describe the topics, those that lean most to men first."""
    columns = (
        Column("topic", "topic", str),
        Column("words", "first words", plain, "left", wraps=True),
        Column("samples", "samples", "{:,}".format, spare=1),
        Column("bias", "bias", small),
        Column("mean_score", "mean score", small, spare=2),
    )
    rows = [
        {**row, "words": ", ".join(word.word for word in topic.words[:words])}
        for row, topic in zip(result.topic_rows(), result.topics, strict=True)
    ]
    rows.sort(key=lambda row: -(row["bias"] or 0.0))
    notes = (
        "samples: those that have the topic as their largest. bias: Σ weight × log-probability score of its words, "
        "above 0: men; mean score: the same over Σ weight.",
    )
    asked = f", scored by {result.language_model.name}" if result.language_model else ""
    return Table(f"Topics of the texts{asked}", columns, rows, notes)


def calibration_table(result: PronounResolutionResult) -> Table:
    """Describe how often "neither" was right, by how probable it was thought to be."""
    columns = (
        Column("gender", "pronouns", plain, "left"),
        Column("range", "P(neither)", str, "left"),
        Column("n", "samples", "{:,}".format),
        Column("predicted", "predicted, mean", percent),
        Column("observed", "labels", percent),
    )
    rows = [
        {**vars(b), "gender": outcome.gender, "range": f"{b.low:.2g} to {b.high:.2g}"}
        for outcome in result.outcomes
        for b in outcome.calibration
    ]
    errors = "; ".join(f"{o.gender} {small(o.calibration_error)}" for o in result.outcomes)
    notes = (f"expected calibration error of P(neither): {errors}.",)
    return Table("Calibration of “neither”", columns, rows, notes, section_key="gender")


def terminal_tables(result: PronounResolutionResult, width: int = 140) -> tuple[Table, ...]:
    """Describe what a terminal shows."""
    return outcomes_table(result), topics_table(result, SHOWN_WORDS)


def documents(result: PronounResolutionResult) -> tuple[Table, ...]:
    """Describe everything, for a Markdown or LaTeX file."""
    return outcomes_table(result), topics_table(result), calibration_table(result)


def samples_table(result: PronounResolutionResult) -> Table:
    """Describe every sample, for a CSV file."""
    return Table("Samples", (), result.sample_rows())


def _notes(result: PronounResolutionResult) -> tuple[str, ...]:
    settings = result.provenance.settings
    trained = f"trained on {settings['train']}" if settings.get("train") else f"out of {settings.get('folds')} folds"
    said = [
        f"{plain(result.provenance.stimuli)}, predictions {plain(trained)}, "
        f"mean of {plural(result.gap_by_seed.n, 'seed')}; "
        f"accuracy {_range(result.accuracy, percent)}, log-loss {_range(result.log_loss, small)}.",
        f"“neither”, female minus male: predicted {_gap(result.gap)}, by seed {_range(result.gap_by_seed, _points)}; "
        f"in the labels {_points(result.label_gap)} points.",
        f"predicted minus label, female minus male: {_gap(result.beyond_labels)}.",
    ]
    said += [
        f"pronouns swapped, {_whose(found.names)} ({plural(found.texts, 'text')}): “neither” is "
        f"{_points(found.difference)} points more probable with the female ones{_between(found.interval, _points)}, "
        f"p = {pvalue(found.pvalue)} for these classifiers (sign flips over {plural(found.pages, 'page')})."
        for found in result.counterfactual
    ]
    if c := result.chance:
        said.append(
            f"chance: {plural(c.draws, 'time')} retrained, on texts with randomly swapped pronouns: "
            f"{_points(c.low)} to {_points(c.high)} points, p = {pvalue(c.pvalue)}; the only test of the encoder."
        )
    else:
        said.append("whether the encoder, and not the labels, makes the difference: not tested (--retrained 19).")
    said += [
        f"sample bias and P(neither), {found.n:,} {plain(found.gender)} pronouns: Spearman's ρ = {small(found.rho)}"
        f"{_between(found.interval, small)}, p = {pvalue(found.pvalue)}."
        for found in result.correlations
    ]
    said += [plain(note) for note in result.notes]
    for what, model in (("vectors", result.provenance.representation), ("scores", result.language_model)):
        if model is not None and model.note:
            said.append(f"{what}: {plain(model.name)}: {plain(model.note)}")
    return tuple(said)


def _whose(names: str) -> str:
    return "all texts" if names == "all" else f"texts whose names are {plain(names)}"


def _gap(gap: GenderGap) -> str:
    return f"{_points(gap.difference)} points{_between(gap.interval, _points)}, p = {pvalue(gap.pvalue)} (permutation)"


def _between(interval: Interval | None, write: Any) -> str:
    if interval is None:
        return ""
    return f" ({percent(interval.confidence)} interval {between(interval.low, interval.high, write)})"


def _range(spread: Spread, write: Any) -> str:
    return f"{write(spread.mean)} ({write(spread.minimum)} to {write(spread.maximum)})"


def _percent(share: float | None) -> str:
    return "–" if share is None else f"{100 * share:.1f} %"


def _points(difference: float | None) -> str:
    """Write a difference of shares in percentage points."""
    return "–" if difference is None else f"{100 * difference:z.1f}".replace("-", "−")


def glance(r: PronounResolutionResult, about: Category) -> list[Glance]:
    """Say at a glance what was found."""
    male, female = r.outcomes
    source, gap = r.provenance.stimuli, r.gap
    sentence = (
        f"“Neither” is predicted with {percentage(female.predicted)} for female and {percentage(male.predicted)} for "
        f"male pronouns (in the labels: {percentage(female.prior)} and {percentage(male.prior)})."
    )
    if r.counterfactual:
        sentence += (
            " With the pronouns of every text swapped, “neither” is "
            f"{_points(r.counterfactual[0].difference)} points more probable for female ones."
        )
    shown = r.counterfactual[0] if r.counterfactual else gap
    # Classifiers learn the gap that labels have by chance, so that no p-value for them as trained is evidence.
    found = [line(
        "gender", source, shown.difference, "difference in probability", sentence, chance=r.chance,
        interval=shown.interval,
    )]  # fmt: skip
    for c in r.correlations:
        sentence = f"“Neither” goes with the bias of a text's topics, {c.gender} pronouns: ρ = {number(c.rho)}."
        found.append(line("gender", f"{source}, topics, {c.gender}", c.rho, "rho", sentence, c.pvalue))
    return found


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
            "other series": LABELS, "predicted": _percent(o.predicted), "in the labels": _percent(o.prior),
            "interval": between(o.interval.low, o.interval.high, _percent) if o.interval else "–",
        }
        for place, o in enumerate(result.outcomes)
    ]  # fmt: skip
    return rows_chart(rows, "probability of “neither”", [predicted, LABELS], "predicted", [0.0])


def neither_by_gender(result: PronounResolutionResult) -> str:
    """Draw how P(neither) is spread for each gender, with its mean and the share in the labels; returns SVG."""
    import altair as alt

    end = min(1.0, math.ceil(10 * max(sample.p_neither for sample in result.samples) + 0.01) / 10)  # the next tenth
    scale = alt.Scale(domain=[0, end])
    bars = alt.Chart(alt.InlineData(values=_binned(result))).mark_bar(opacity=0.8)
    bars = bars.encode(
        x=alt.X("low:Q", bin="binned", title="predicted probability of “neither”", scale=scale),
        x2="high:Q",
        y=alt.Y("share:Q", title="share of samples", axis=alt.Axis(format="%")),
        color=_colour(shown=False),
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
    rules = alt.Chart(alt.InlineData(values=means)).mark_rule(color=INK, strokeWidth=1.6)
    rules = rules.encode(x="at:Q", strokeDash=dashes)
    panels = [
        alt.layer(*(marks.transform_filter(alt.datum.gender == o.gender) for marks in (bars, rules)))
        .properties(width=520, height=130, title=alt.Title(f"{o.gender} pronouns", anchor="start", fontSize=12))
        for o in result.outcomes
    ]  # fmt: skip
    gap, points = result.gap, f"{_points(result.gap.difference)} points (labels: {_points(result.label_gap)})"
    said = f"female minus male: {points}, p = {pvalue(gap.pvalue)}"
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
            "P(neither)": _percent(s.p_neither),
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


def _colour(*, shown: bool = True) -> Any:
    import altair as alt

    scale = alt.Scale(domain=list(COLOURS), range=list(COLOURS.values()))
    legend = alt.Legend(title="pronouns", orient="top", symbolOpacity=1) if shown else None
    return alt.Color("gender:N", scale=scale, legend=legend)


def _binned(result: PronounResolutionResult) -> list[dict[str, Any]]:
    """Count samples by P(neither), as shares of their gender."""
    counts = Counter((sample.gender, min(int(sample.p_neither * BINS), BINS - 1)) for sample in result.samples)
    return [
        {
            "gender": outcome.gender,
            "low": b / BINS,
            "high": (b + 1) / BINS,
            "share": counts[outcome.gender, b] / outcome.n,
        }
        for outcome in result.outcomes
        for b in range(BINS)
        if counts[outcome.gender, b]
    ]


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

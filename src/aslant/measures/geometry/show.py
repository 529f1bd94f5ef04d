"""The geometry of an embedding as tables and charts: subspace, direct and indirect bias, what debiasing leaves."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from aslant.catalogue import Picture
from aslant.errors import plural
from aslant.measures.geometry.result import DirectBiasResult, GeometryResult, IndirectBiasResult, SubspaceResult
from aslant.measures.residuals.result import ResidualBiasResult
from aslant.measures.residuals.show import clusters_picture, residual_notes
from aslant.measures.residuals.show import glance as residual_glance
from aslant.report.assembly import pictures_of
from aslant.report.charts import INK, MODEL_COLOUR, PAPER, PEOPLE_COLOUR, chart_title, svg, tips
from aslant.report.conventions import Category, chance_note, frequency_note, line, listed, word_chances
from aslant.report.tables import Column, Table, between, missing_words, number, percentage, plain, pvalue, small
from aslant.results.audit import Glance
from aslant.stimuli import cautions

#: Words shown at either end of a ranking.
MOST_WORDS = 10


def subspace_table(result: SubspaceResult) -> Table:
    """Describe the share of variance of each component, compared with random words."""
    columns = (
        Column("component", "component", str),
        Column("explained", "share of variance", small),
        Column("random_mean", "random words", small),
        Column("random_range", "range", str),
    )
    rows = [{**row, "random_range": between(row["random_minimum"], row["random_maximum"])} for row in result.rows()]
    notes = [f"{plural(len(result.sets), 'set')}, each centred on its own mean; vectors at unit length."]
    if result.random:
        notes.append(
            f"random words: as many sets of as many words, drawn {plural(result.random[0].n, 'time')}; "
            f"p of the first component {pvalue(result.pvalue)}."
        )
    notes += chance_note(result.chance, "the pairs (first component)")
    notes += [f"left out, fewer than two words found: {plain(', '.join(words))}" for words in result.sets_left_out]
    title = f"Subspace of {plain(result.provenance.stimuli)} on {result.provenance.representation.name}"
    return Table(title, columns, rows, (*notes, *missing_words(result)))


def direct_bias_table(result: DirectBiasResult) -> Table:
    """Describe the words furthest along the direction, on either side, and the bias as a whole."""
    columns = (
        Column("word", "word", plain, "left"),
        Column("projection", "projection", small),
        Column("leans_to", "leans to", plain, "left"),
        *(word_chances("directions", [w.chance_qvalue for w in result.by_word]) if result.chance else ()),
        *(Column(name, f"rated: {plain(name)}", number, spare=1) for name in result.ratings),
    )
    rows = [
        {**row, "leans_to": result.poles[0] if row["projection"] > 0 else _other(result.poles)}
        for row in sorted(result.rows(), key=lambda row: -abs(float(row["projection"])))
    ]
    notes = [
        f"direct bias: {small(result.value)} over {plural(len(rows), 'word')} (strictness {result.strictness:g}); "
        f"gender-specific words {result.specific}"
        + (f": {plain(', '.join(result.removed))}." if result.removed else "."),
        f"projection > 0: towards {plain(result.poles[0])}; the words that lean most come first.",
        *(
            f"correlation with the {plain(c.figure)} rating over {plural(c.n, 'word')}: Pearson {number(c.pearson)} "
            f"(p {pvalue(c.pearson_pvalue)}), Spearman {number(c.spearman)} (p {pvalue(c.spearman_pvalue)})."
            for c in result.correlations
        ),
    ]
    for c, given in zip(result.correlations, result.correlation_chances, strict=False):
        notes += chance_note(given, "the pairs", f"a Pearson correlation with the {plain(c.figure)} rating of ")
    notes += [*chance_note(result.chance, "the pairs"), *frequency_note(result.frequency, result.poles[0])]
    notes += cautions(result.provenance.stimuli)
    if result.correlations and result.provenance.stimuli == "professions":
        notes.append("ratings: −1 female, 1 male; so projections that agree with people correlate negatively.")
    direction, name = plain(result.provenance.settings["direction"]), result.provenance.representation.name
    title = f"Direct bias along {direction} on {name}"
    return Table(title, columns, rows, (*notes, *missing_words(result)), shown_rows=2 * MOST_WORDS)


def indirect_bias_table(result: IndirectBiasResult) -> Table:
    """Describe the words nearest to either end, with the share of that similarity which the direction explains."""
    columns = (
        Column("word", "word", plain, "left"),
        Column("projection", "between the ends", small),
        Column("end", "nearer end", plain, "left"),
        Column("beta", "β", number),
        *([Column("chance_pvalue", "p (chance)", pvalue)] if result.chance else []),
    )
    notes = (
        f"β of {plain(result.first)} and {plain(result.second)}: {number(result.value)} "
        f"(similarity {number(result.similarity)}).",
        "β: share of the similarity of a word and its nearer end that the direction explains; 0: none.",
        *chance_note(result.chance, "the pairs", f"β of {plain(result.first)} and {plain(result.second)} of "),
    )
    rows = sorted(result.rows(), key=lambda row: -abs(float(row["projection"])))
    ends = f"{plain(result.first)} and {plain(result.second)}"
    title = f"Indirect bias between {ends} on {result.provenance.representation.name}"
    return Table(title, columns, rows, (*notes, *missing_words(result)), shown_rows=2 * MOST_WORDS)


def geometry_table(result: GeometryResult) -> Table:
    """Describe everything about one embedding, or two, in one table with chance beside each measure."""
    before = [
        Column("measure", "measure", plain, "left", wraps=True),
        Column("value", "value" if result.after is None else "before", small),
        Column("range", "range over seeds", str, spare=2),
        Column("by_chance", "by chance", str),
        Column("pvalue", "p", pvalue),
    ]
    after = [
        Column("after", "after", small),
        Column("after_range", "range over seeds", str, spare=2),
        Column("after_by_chance", "by chance", str),
        Column("after_pvalue", "p", pvalue),
    ] if result.after else []  # fmt: skip
    rows = result.rows()
    for row in rows:
        row["range"] = between(row["minimum"], row["maximum"])
        row["after_range"] = between(row["after_minimum"], row["after_maximum"])
        for at in ("", "after_"):
            row[f"{at}by_chance"] = between(row[f"{at}chance_low"], row[f"{at}chance_high"])
    notes = [f"before: {plain(result.before.name)}; after: {plain(result.after.name)}"] if result.after else []
    notes.append(
        "share of variance: of the definitional pairs; direct bias: mean |cos| with that direction, each embedding's "
        "own; by chance: 95 % of random pairs."
    )
    notes += [f"{plain(space.name)}: {_residual_chance(space.residual)}" for space in result.spaces if space.residual]
    notes += residual_notes(result.before.residual) if result.before.residual else []
    notes += [f"not measured: {plain(what)}: {plain(why)}" for what, why in result.not_run.items()]
    for space in result.spaces:
        poles = (space.direct.poles[0], _other(space.direct.poles))
        for pole, words in zip(poles, space.direct.extremes(), strict=True):
            said = f"{plain(space.name)}, most {plain(pole)}: {plain(', '.join(w.word for w in words))}"
            notes += [said] if words else []
    title = f"Geometry of {result.before.name}" + (f" and {result.after.name}" if result.after else "")
    return Table(title, tuple(before + after), rows, (*notes, *missing_words(result)))


def _residual_chance(residual: ResidualBiasResult) -> str:
    if residual.clustering.random_poles:
        return "clustering, classification, neighbours by chance: 95 % of random poles."
    return (
        "clustering, classification, neighbours by chance: the range with shuffled labels, which says only what to "
        "expect without any structure; how much random poles would leave is not known, and it is often as much."
    )


def _other(poles: tuple[str, ...]) -> str:
    return poles[1] if len(poles) == 2 else "the others"


def geometry_glance(r: GeometryResult, about: Category) -> list[Glance]:
    """Say at a glance what was found before debiasing, or without any."""
    space = r.before
    found = subspace_glance(space.subspace, about) + direct_bias_glance(space.direct, about)
    return found + (residual_glance(space.residual, about) if space.residual else [])


def subspace_glance(r: SubspaceResult, about: Category) -> list[Glance]:
    """Say at a glance what was found."""
    pairs, share = r.provenance.stimuli, r.explained[0]
    chance = f" (of random words: {percentage(r.random[0].mean)})" if r.random else ""
    draws = r.provenance.settings.get("random_pairs")
    held = f"One direction holds {percentage(share)} of how {listed(r.poles)} words differ{chance}"
    sentence = f"{held}; that there is one is not a bias by itself."
    return [
        line(about(pairs), f"{pairs}, subspace", share, "share of variance", sentence, r.pvalue, None, r.chance, draws)
    ]


def direct_bias_glance(r: DirectBiasResult, about: Category) -> list[Glance]:
    """Say at a glance what was found."""
    words, pairs = r.provenance.stimuli, str(r.provenance.settings.get("direction", ""))
    draws = r.provenance.settings.get("chance")
    said = "1 word lies" if len(r.by_word) == 1 else f"{len(r.by_word):,} words lie"
    sentence = f"{said} {r.value:.3f} along the direction of {listed(r.poles)} on average."
    return [line(about(pairs), f"{words}, direct bias", r.value, "direct bias", sentence, None, None, r.chance, draws)]


PAIRS, RANDOM, RANDOM_SWAPPED = "pairs", "random words", "random words, swapped"
#: What the bars of variance show, in this order, and their colours.
SERIES = {PAIRS: MODEL_COLOUR, RANDOM_SWAPPED: "#c3c9d2", RANDOM: "#9aa3af"}
MOST_BARS = 12


def geometry_chart(result: GeometryResult) -> str:
    """Draw variance, projections and clusters, one row per embedding; SVG."""
    import altair as alt

    apart: dict[str, Any] = {"color": "independent", "shape": "independent"}
    rows = []
    for space in result.spaces:
        parts = [variance_picture(space.subspace), projections_picture(space.direct)]
        if space.residual is not None and space.residual.picture is not None:
            parts.append(clusters_picture(space.residual))
        title = alt.Title(plain(space.name), anchor="start", fontSize=15)
        rows.append(alt.hconcat(*parts).resolve_scale(**apart).properties(title=title))
    return svg(alt.vconcat(*rows).resolve_scale(**apart), ink=INK, paper=PAPER)


def variance_picture(result: SubspaceResult) -> Any:
    """Draw the share of variance of each component with that of random words; returns an Altair chart."""
    values = []
    for row in result.rows():
        values.append({"component": row["component"], "series": PAIRS, "share": row["explained"]})
        if row["random_mean"] is not None:
            span = {"low": row["random_minimum"], "high": row["random_maximum"]}
            values.append({"component": row["component"], "series": RANDOM, "share": row["random_mean"], **span})
    return variance_bars(values)


def variance_bars(values: list[dict[str, Any]]) -> Any:
    """Return bars of the share of variance of each component and series, with ranges (low, high) if there are any."""
    import altair as alt

    shown = {name: colour for name, colour in SERIES.items() if any(value["series"] == name for value in values)}
    colours = alt.Scale(domain=list(shown), range=list(shown.values()))
    base = alt.Chart(alt.InlineData(values=values))
    x = alt.X("component:O", title="component", axis=alt.Axis(labelAngle=0))
    offset = alt.XOffset("series:N", sort=list(shown))
    bars = base.mark_bar().encode(
        x=x, xOffset=offset, y=alt.Y("share:Q", title="share of variance"),
        color=alt.Color("series:N", scale=colours, legend=alt.Legend(title=None, orient="top")),
    )  # fmt: skip
    ranges = (
        base.transform_filter("isValid(datum.low)")
        .mark_rule(color="currentColor")
        .encode(x=x, xOffset=offset, y=alt.Y("low:Q"), y2="high:Q")
    )
    return alt.layer(bars, ranges).properties(width=360, height=240, title=chart_title("Explained variance"))


def projections_picture(result: DirectBiasResult) -> Any:
    """Draw the words that lean most to either side as bars; returns an Altair chart."""
    import altair as alt

    first, second = result.extremes(MOST_BARS)
    words = [*first, *second[::-1]]
    poles = [plain(result.poles[0]), plain(_other(result.poles))]
    values = [
        {"word": plain(w.word), "projection": w.projection, "written": small(w.projection)}
        | {"pole": poles[0] if w.projection > 0 else poles[1]}
        for w in words
    ]
    colours = alt.Scale(domain=poles, range=[PEOPLE_COLOUR, MODEL_COLOUR])
    given = f" (random pairs: {between(result.chance.low, result.chance.high)})" if result.chance else ""
    title = f"Direct bias {result.value:.3f}{given}"
    return (
        alt.Chart(alt.InlineData(values=values))
        .mark_bar()
        .encode(
            x=alt.X("projection:Q", title="cosine with the direction"),
            y=alt.Y("word:N", sort=[plain(w.word) for w in words], title=None, axis=alt.Axis(labelLimit=200)),
            color=alt.Color("pole:N", scale=colours, legend=alt.Legend(title=None, orient="top")),
            tooltip=tips("word", "projection:written"),
        )
        .properties(width=300, height=alt.Step(14), title=chart_title(title))
    )


def pictures(result: GeometryResult) -> list[tuple[Picture, Any]]:
    """Return the charts of each embedding's parts, under its name."""
    return [
        (replace(picture, name=f"{picture.name}-{space.name}", shows=f"{picture.shows} ({plain(space.name)})"), chart)
        for space in result.spaces for part in (space.subspace, space.direct, space.residual) if part is not None
        for picture, chart in pictures_of(part)
    ]  # fmt: skip

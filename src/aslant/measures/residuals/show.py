"""What debiasing leaves behind, as a table, in words and in the plane."""

from __future__ import annotations

from typing import Any

from aslant.errors import AslantError, plural
from aslant.measures.residuals.result import Picture, ResidualBiasResult
from aslant.report.charts import MODEL_COLOUR, PEOPLE_COLOUR, chart_title, tips
from aslant.report.conventions import DRAWN, Category, line
from aslant.report.tables import Column, Table, between, missing_words, number, percentage, plain, pvalue, small
from aslant.results.audit import Glance
from aslant.statistics import Chance


def residual_table(result: ResidualBiasResult) -> Table:
    """Describe the three tests, each with what shuffled labels give, and random poles where they can be drawn."""
    rows = result.rows()
    poles = (Column("poles_range", "random poles", str), Column("poles_pvalue", "p (poles)", pvalue))
    columns = (
        Column("test", "test", plain, "left"),
        Column("value", "value", small),
        Column("range", "range over seeds", str, spare=2),
        *(poles if any(row["poles_pvalue"] for row in rows) else ()),
        Column("chance", "shuffled", small),
        Column("chance_range", "range", str, spare=4),
        Column("pvalue", "p (shuffled)", pvalue, spare=1),
        Column("words", "words", str, spare=3),
    )
    for row in rows:
        row["poles_range"] = between(row["poles_low"], row["poles_high"])
        row["range"] = between(row["minimum"], row["maximum"])
        row["chance_range"] = between(row["chance_minimum"], row["chance_maximum"])
    title = f"What is left in {result.provenance.representation.name} of the bias of {result.original.name}"
    return Table(title, columns, rows, (*residual_notes(result), *missing_words(result)))


def residual_notes(result: ResidualBiasResult) -> list[str]:
    """Say what the three tests did, and where a small vocabulary made them do less."""
    k = result.classification
    first, second = (plain(pole) for pole in result.poles)
    notes = [
        f"biased words: cos(w, {first}) − cos(w, {second}) in {plain(result.original.name)}, among "
        f"{result.pool.candidates:,} candidates; shuffled: the same with shuffled labels (clustering never falls "
        "below 0.5, so it lies a little above).",
        _against(result),
        f"classification: trained on {k.training_words:,} words, half of each side, tested on {k.testing_words:,}.",
    ]
    for what, part in (("clustering", result.clustering), ("classification", k)):
        if part.words_per_side < part.asked_per_side:
            notes.append(
                f"{what} uses {part.words_per_side:,} words per side instead of {part.asked_per_side:,}: at most a "
                "tenth of the candidates."
            )
    for what, found in (("", result.neighbours), (" within the list", result.neighbours_within)):
        if found is not None:
            less = f" instead of {found.asked_k} (at most a third)" if found.k < found.asked_k else ""
            notes.append(
                f"neighbours{what}: {found.k}{less} nearest among {plural(found.among, 'word')}; shuffled leanings "
                f"correlate {number(found.chance.minimum)} to {number(found.chance.maximum)}, p by shuffling "
                f"{pvalue(found.shuffled_pvalue)}."
            )
    return notes


CIRCULAR = "Words picked by a direction are separated by it by construction: this is not evidence"
UNREPEATED = "Not compared with random poles, for which this debiasing cannot be repeated"


def _against(result: ResidualBiasResult) -> str:
    """Say what the numbers can be compared with."""
    if poles := result.clustering.random_poles:
        parts = (result.classification, result.neighbours, result.neighbours_within)
        others = (part.random_poles for part in parts if part is not None)
        draws = sorted({poles.draws, *(other.draws for other in others if other)})
        least, pairs = pvalue(1 / (1 + draws[-1])), DRAWN[poles.kind].replace("random poles", "pairs of random words")
        return (
            f"random poles: where 95 % of {' or '.join(map(str, draws))} {pairs} "
            "lie, for which words are chosen along their direction, and it is taken out, in the same way; p (poles): "
            f"the share that leaves as much, {least} at least. What random poles leave is not this bias."
        )
    return f"{CIRCULAR if result.against_itself else UNREPEATED}."


def glance(r: ResidualBiasResult, about: Category) -> list[Glance]:
    """Say at a glance what was found; only what was compared with random poles is graded."""
    first, second = r.poles
    category = "gender" if set(r.poles) == {"he", "she"} else about(r.provenance.stimuli)
    c, k, n = r.clustering, r.classification, r.neighbours
    where = "in the embedding as it is" if r.against_itself else f"in {plain(r.provenance.representation.name)}"
    if c.random_poles:
        where = f"once the direction between {first} and {second} is taken out"
    ungraded = CIRCULAR if r.against_itself else "Not compared with random poles"
    said: list[tuple[str, float, str, Chance | None, float | None, str]] = [
        ("clustering", c.accuracy, "accuracy", c.random_poles, None,
         f"Two clusters tell words that lean to {first} from those that lean to {second} with {percentage(c.accuracy)} "
         f"accuracy {where} (shuffled labels: {percentage(c.chance.mean)})."),
        ("classification", k.accuracy, "accuracy", k.random_poles, None,
         f"A classifier tells the two sides apart on words it has not seen with {percentage(k.accuracy)} accuracy "
         f"{where} (shuffled labels: {percentage(k.chance.mean)})."),
    ]  # fmt: skip
    if n.correlation is not None:
        sentence = f"A word's leaning goes with that of its {n.k} nearest words {where}: r = {number(n.correlation)}."
        own = n.shuffled_pvalue if n.random_poles else None
        said.append(("neighbours", n.correlation, "r", n.random_poles, own, sentence))
    return [
        line(category, what, value, name, sentence if poles else f"{sentence} {ungraded}.", own, chance=poles)
        for what, value, name, poles, own, sentence in said
    ]


def clusters_picture(result: ResidualBiasResult) -> Any:
    """Draw the most biased words in the plane; returns an Altair chart."""
    if result.picture is None:
        raise AslantError("this result has no picture; measure it again with picture='auto'.")
    return cluster_points(result.picture, result.poles, result.clustering.accuracy, result.clustering.random_poles)


def cluster_points(
    picture: Picture, poles: tuple[str, str], accuracy: float, random_poles: Chance | None = None
) -> Any:
    """Return biased words in the plane, coloured by their original side, shaped by their cluster."""
    import altair as alt

    values = [
        {"word": plain(p.word), "x": p.x, "y": p.y, "side": plain(p.side), "cluster": f"cluster {p.cluster + 1}"}
        for p in picture.points
    ]
    colours = alt.Scale(domain=list(map(plain, poles)), range=[MODEL_COLOUR, PEOPLE_COLOUR])
    shapes = alt.Scale(domain=["cluster 1", "cluster 2"], range=["circle", "triangle-up"])
    axis, zoomed = alt.Axis(labels=False, ticks=False, grid=False, title=None), alt.Scale(zero=False)
    text = f"{plural(len(values), 'most biased word')} ({picture.method.upper()}); accuracy {100 * accuracy:.1f} %"
    if random_poles:
        text += f" (random poles: {100 * random_poles.low:.0f} to {100 * random_poles.high:.0f} %)"
    return (
        alt.Chart(alt.InlineData(values=values))
        .mark_point(filled=True, size=22, opacity=0.7)
        .encode(
            x=alt.X("x:Q", axis=axis, scale=zoomed),
            y=alt.Y("y:Q", axis=axis, scale=zoomed),
            color=alt.Color("side:N", scale=colours, legend=alt.Legend(title="original side", orient="top")),
            shape=alt.Shape(
                "cluster:N", scale=shapes, legend=alt.Legend(title=None, orient="top", symbolFillColor="#7a7f87")
            ),
            tooltip=tips("word", "side", "cluster"),
        )
        .properties(width=320, height=300, title=chart_title(text))
    )

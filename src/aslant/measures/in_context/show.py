"""Bias in contextual vectors as tables, next to static spaces, and as charts: Figures 1 to 3 of Basta et al."""

from __future__ import annotations

from typing import Any

from aslant.errors import AslantError, plural
from aslant.measures.geometry.show import PAIRS, RANDOM, RANDOM_SWAPPED, variance_bars
from aslant.measures.in_context.result import CONTEXTUAL, ContextualBiasResult
from aslant.measures.residuals.show import cluster_points
from aslant.report.charts import INK, MODEL_COLOUR, PAPER, PEOPLE_COLOUR, chart_title, svg, tips
from aslant.report.conventions import DRAWN, Category, line
from aslant.report.pictures import CHANCE, fluid, rows_chart
from aslant.report.tables import Column, Table, between, number, percentage, plain, pvalue, short, small
from aslant.results.audit import Glance

#: Words that are named in a note; the JSON lists all.
MOST_NAMED = 12


def contextual_table(result: ContextualBiasResult) -> Table:
    """Describe each measure: mean and range over the repeats, what chance gives, and a p-value by shuffling."""
    columns = [
        Column("measure", "measure", plain, "left", wraps=True),
        Column("mean", "mean", small),
        Column("range", "range over repeats", str, spare=1),
        Column("chance", "by chance", small),
        Column("chance_range", "range", str, spare=2),
        Column("pvalue", "p", pvalue),
        Column("random_pvalue", "p (chance)", pvalue),
    ]
    if result.compared:
        columns.insert(1, Column("space", "space", plain, "left"))
    rows = result.rows()
    for row in rows:
        row["range"] = between(row["minimum"], row["maximum"])
        row["chance_range"] = between(row["chance_minimum"], row["chance_maximum"])
    title = f"Bias in context: {result.provenance.representation.name} on {result.corpus.name}"
    section = "measure" if result.compared else ""
    return Table(title, tuple(columns), rows, tuple(_notes(result)), section_key=section)


def space_table(result: ContextualBiasResult) -> Table:
    """Describe the means of the spaces side by side, the contextual one last, as in the paper's conclusions."""
    spaces = [*(space.column for space in result.compared), CONTEXTUAL]
    columns = (
        Column("measure", "measure", plain, "left", wraps=True),
        *(Column(f"space {place}", short(space), small) for place, space in enumerate(spaces)),
    )
    rows: dict[str, dict[str, Any]] = {}
    for row in result.rows():
        measure = rows.setdefault(row["measure"], {"measure": row["measure"]})
        measure[f"space {spaces.index(row['space'])}"] = row["mean"]
    names = [f"{plain(space.column)}: {plain(space.representation.name)}" for space in result.compared]
    names.append(f"{CONTEXTUAL}: {plain(result.provenance.representation.name)}")
    notes = (
        "; ".join(names) + ".",
        "The same words in every column, and the professions it has a vector for; each space has its own direction.",
    )
    return Table("Static and contextual, side by side", columns, list(rows.values()), notes)


def contextual_tables(result: ContextualBiasResult, width: int = 140) -> tuple[Table, ...]:
    """Describe everything: the measures, and the columns side by side where there are several."""
    return (contextual_table(result), space_table(result)) if result.compared else (contextual_table(result),)


def _notes(result: ContextualBiasResult) -> list[str]:
    n, s = result.numbers, result.subspace
    first, second = (plain(pole) for pole in result.poles)
    repeats = result.provenance.settings["repeats"]
    notes = [
        f"corpus: {plural(result.corpus.sentences, 'sentence')}, {plural(result.corpus.tokens, 'token')}; a word is "
        f"its vector in one sentence, a new one in each of {plural(repeats, 'repeat')}.",
        f"direction: {plural(len(s.pairs), 'pair')} swapped in "
        f"{plural(sum(pair.swapped for pair in s.pairs), 'sentence')} per repeat; repeats agree with their mean by "
        f"cosines of {between(s.agreement.minimum, s.agreement.maximum)}. By chance: "
        "random words swapped alike, and direct bias along their direction.",
        f"biased words: cos(w, {first}) − cos(w, {second}) in {plain(result.original.name)}, among {n.candidates:,} "
        "candidates that the corpus holds; by chance: shuffled sides, the same ones in every repeat.",
        f"clustering: {_of(n.clustered_per_side, n.asked_clustered)} words per side; classification: "
        f"{_of(n.classified_per_side, n.asked_classified)} per side, trained on {n.training_words:,}; neighbours: "
        f"{_of(n.k, n.asked_k)} of {n.professions_with_bias} professions among the biased words, "
        f"{_of(n.k_within, n.asked_k)} among the professions.",
    ]
    notes += _beside_poles(result)
    if s.random_words:
        component = s.random_words[0]
        notes.append(
            "random words themselves, not swapped (Figure 1 of the paper): the first component has "
            f"{small(component.mean)} of their variance ({between(component.minimum, component.maximum)})."
        )
    neighbours = {"all neighbours": result.measures.neighbours, "among professions": result.measures.neighbours_within}
    largest = [(m.largest_pvalue, what) for what, m in neighbours.items() if m.largest_pvalue is not None]
    if largest:  # what the paper prints
        most = ", ".join(f"{pvalue(value)} ({what})" for value, what in largest)
        notes.append(
            f"the correlations' own p-values, which assume independent professions, are in every repeat at most {most}."
        )
    fewer = [f"{count:,} {plain(what)}" for what, count in n.fewer_sentences.items() if count]
    if fewer:
        notes.append(f"fewer sentences than repeats, so some repeats share one: {', '.join(fewer)}.")
    poles = s.poles if len(s.poles) == 2 else ("first words of the pairs", "second words of the pairs")
    for pole, words in zip(poles, result.extremes(), strict=True):
        if words:
            notes.append(f"most {plain(pole)}: {plain(', '.join(word.word for word in words))}")
    left_out = [" / ".join(pair) for pair in s.pairs_left_out]
    notes += [f"pairs without a sentence: {plain(', '.join(left_out))}"] if left_out else []
    return notes + [_lacking(what, words) for what, words in result.lacking.items() if words]


def _beside_poles(result: ContextualBiasResult) -> list[str]:
    """Say what random poles give in place of the poles; nothing where that is not known."""
    m = result.measures
    named = (("clusters", m.clustering), ("classifier", m.classification), ("neighbours", m.neighbours))
    said = [
        f"{what} {small(one.sampled)} against {between(one.beside.low, one.beside.high)} ({one.beside.draws:,} draws)"
        for what, one in named
        if one.beside
    ]
    if not said:
        return []
    first, second = (plain(pole) for pole in result.poles)
    return [
        f"p (chance): the first two rows beside random words swapped alike; the others beside {DRAWN['random poles']} "
        f"in place of {first} and {second}, on random words of the corpus, a tenth of them on either side, of which "
        f"{first} and {second} give: {'; '.join(said)}."
    ]


def _of(used: int, asked: int) -> str:
    return f"{used:,}" if used >= asked else f"{used:,} (requested: {asked:,})"


def _lacking(what: str, words: tuple[str, ...]) -> str:
    more = f" and {len(words) - MOST_NAMED:,} more (the JSON lists all)" if len(words) > MOST_NAMED else ""
    return f"not in the corpus, {len(words):,} {plain(what)}: {plain(', '.join(words[:MOST_NAMED]))}{more}"


def glance(r: ContextualBiasResult, about: Category) -> list[Glance]:
    """Say at a glance what was found."""
    pairs, (first, second) = str(r.provenance.settings["pairs"]), r.poles
    category = about(pairs)
    leaning = f"words that lean to {first} from those that lean to {second}"
    swapped = f"swapping {first}- and {second}-words changes"
    said = (
        ("share of variance", percentage, f"One direction holds {{}} of what {swapped}"),
        ("direct bias", small, "Professions lie {} along that direction on average"),
        ("clustering", percentage, f"Two clusters tell {leaning} with {{}} accuracy"),
        ("classification", percentage, "A classifier tells the sides apart on words it has not seen with {} accuracy"),
        ("neighbours", number, "A profession's leaning goes with that of its nearest words: r = {}"),
    )
    effects = {"clustering": "accuracy", "classification": "accuracy", "neighbours": "r"}
    found = []
    for name, write, sentence in said:
        m = getattr(r.measures, name.replace(" ", "_"))
        if m.over is None:
            continue
        chance = f" (by chance: {number(m.chance.mean)})" if m.chance else ""
        text = sentence.format(write(m.over.mean)) + f", in context{chance}."
        found.append(line(category, name, m.over.mean, effects.get(name, name), text, m.pvalue, chance=m.beside))
    return found


#: Professions that are named in the picture, by strength of their bias.
MOST_POINTS_NAMED = 24
NO_PICTURE = "this result has no picture; measure it again with picture='auto'."


def contextual_chart(result: ContextualBiasResult) -> str:
    """Draw the explained variance with that of random words, the clusters, and the professions; returns SVG."""
    import altair as alt

    parts = [swapped_picture(result)]
    if result.clusters is not None and result.picture is not None:
        parts += [biased_picture(result), _professions(result)]
    named = f"{plain(result.provenance.representation.name)} on {plain(result.corpus.name)}"
    title = alt.Title(named, anchor="start", fontSize=15, color=INK)
    chart = alt.hconcat(*parts).resolve_scale(color="independent", shape="independent").properties(title=title)
    return svg(chart, ink=INK, paper=PAPER)


def measures_picture(result: ContextualBiasResult) -> Any:
    """Draw every measure: its mean and range over the repeats, and what chance gives; returns an Altair chart."""
    rows, everything = [], [row for row in result.rows() if row["mean"] is not None]
    # Random poles are measured on a sample, on which the poles have a row of their own.
    sampled = {"minimum": None, "maximum": None, "chance": None, "pvalue": None, "space": "random words of the corpus"}
    everything += [{**row, **sampled, "mean": row["sampled"]} for row in everything if row["sampled"] is not None]
    for place, row in enumerate(everything):
        name = plain(row["measure"]) + ("" if row["space"] == CONTEXTUAL else f" ({plain(row['space'])})")
        alike = row["sampled"] is None or row["space"] != CONTEXTUAL
        low, high = (row["random_low"], row["random_high"]) if alike else (None, None)
        rows.append({
            "row": place, "label": name, "test": name, "value": row["mean"], "low": row["minimum"],
            "high": row["maximum"], "other": row["chance"], "series": "mean over repeats", "other series": CHANCE,
            "mean": small(row["mean"]), "interval": between(row["minimum"], row["maximum"]),
            "chance low": low, "chance high": high, "chance": between(low, high),
            "p": pvalue(row["pvalue"]), "by chance": small(row["chance"]),
        })  # fmt: skip
    shown = ["mean over repeats", CHANCE] if any(row["other"] is not None for row in rows) else []
    return rows_chart(rows, "value of the measure", shown, "mean", [0.0, 1.0])


def biased_picture(result: ContextualBiasResult) -> Any:
    """Draw the words that the first repeat clustered in the plane (Figure 2 of the paper); returns an Altair chart."""
    if result.clusters is None:
        raise AslantError(NO_PICTURE)
    return cluster_points(result.clusters, result.poles, result.measures.clustering.by_repeat[0] or 0.0)


def professions_picture(result: ContextualBiasResult) -> Any:
    """Draw the professions in the plane, by their bias in the static embedding (Figure 3); returns an Altair chart."""
    return fluid(_professions(result, "currentColor"))


def swapped_picture(result: ContextualBiasResult) -> Any:
    """Draw the share of variance of each component with that of random words; returns an Altair chart.

    Random words are swapped with each other, and also shown unswapped where the result has that, as in Figure 1 of
    the paper.
    """
    s = result.subspace
    shown = ((PAIRS, s.explained), (RANDOM_SWAPPED if s.random_words else RANDOM, s.random), (RANDOM, s.random_words))
    return variance_bars([
        {"component": number, "series": series, "share": one.mean, "low": one.minimum, "high": one.maximum}
        for series, shares in shown
        for number, one in enumerate(shares, 1)
    ])  # fmt: skip


def _professions(result: ContextualBiasResult, ink: str = INK) -> Any:
    import altair as alt

    if result.picture is None:
        raise AslantError(NO_PICTURE)
    points = sorted(result.picture.points, key=lambda point: -abs(point.bias))
    values = [
        {
            "x": p.x, "y": p.y, "bias": p.bias, "word": plain(p.word.replace("_", " ")), "written": small(p.bias),
            "name": plain(p.word.replace("_", " ")) if place < MOST_POINTS_NAMED else "",
        }
        for place, p in enumerate(points)
    ]  # fmt: skip
    most = max(abs(point.bias) for point in points) or 1.0
    colours = alt.Scale(domain=[-most, 0, most], range=[PEOPLE_COLOUR, "#d9dce1", MODEL_COLOUR], interpolate="rgb")
    axis = alt.Axis(labels=False, ticks=False, grid=False, title=None)
    base = alt.Chart(alt.InlineData(values=values)).encode(
        x=alt.X("x:Q", axis=axis, scale=alt.Scale(zero=False)), y=alt.Y("y:Q", axis=axis, scale=alt.Scale(zero=False))
    )
    legend = alt.Legend(title=f"original bias, + {result.poles[0]} − {result.poles[1]}", orient="top", titleLimit=300)
    dots = base.mark_circle(size=40, opacity=0.9).encode(
        color=alt.Color("bias:Q", scale=colours, legend=legend), tooltip=tips("word", "bias:written")
    )
    names = base.mark_text(dy=-7, fontSize=9, color=ink).encode(text="name:N")
    text = f"{plural(len(values), 'profession')} ({result.picture.method.upper()})"
    return alt.layer(dots, names).properties(width=420, height=300, title=chart_title(text))

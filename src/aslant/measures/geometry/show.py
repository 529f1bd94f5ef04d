"""The geometry of an embedding as tables: subspace, direct and indirect bias, what debiasing leaves behind."""

from __future__ import annotations

from aslant.errors import plural
from aslant.measures.geometry.result import (
    DirectBiasResult,
    GeometryResult,
    IndirectBiasResult,
    SpaceGeometry,
    SubspaceResult,
)
from aslant.measures.residuals.show import glance as residual_glance
from aslant.measures.residuals.show import residual_notes
from aslant.report.conventions import Category, line, listed
from aslant.report.tables import Column, Table, between, missing_words, number, plain, pvalue, small
from aslant.results.audit import Glance
from aslant.results.parts import Correlation

#: Words shown at either end of a ranking.
MOST_WORDS = 10


def subspace_table(result: SubspaceResult) -> Table:
    """Describe the share of variance of each component, compared with random words."""
    columns = (
        Column("component", "component", str),
        Column("explained", "share of variance", small),
        Column("random_mean", "random words", small),
        Column("random_range", "range", str, min_width=60),
    )
    rows = [{**row, "random_range": between(row["random_minimum"], row["random_maximum"])} for row in result.rows()]
    notes = [f"{plural(len(result.sets), 'set')}, each centred on its own mean; vectors at unit length."]
    if result.random:
        notes.append(
            f"random words: as many sets of as many words, drawn {plural(result.random[0].n, 'time')}; "
            f"p of the first component {pvalue(result.pvalue)}."
        )
    notes += [f"left out, fewer than two words found: {plain(', '.join(words))}" for words in result.sets_left_out]
    title = f"Subspace of {plain(result.provenance.stimuli)} on {result.provenance.representation.name}"
    return Table(title, columns, rows, (*notes, *missing_words(result)))


def direct_bias_table(result: DirectBiasResult) -> Table:
    """Describe the words furthest along the direction, on either side, and the bias as a whole."""
    columns = (
        Column("word", "word", plain, "left"),
        Column("projection", "projection", small),
        Column("leans_to", "leans to", plain, "left"),
        *(Column(name, f"rated: {plain(name)}", number) for name in result.ratings),
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
        *(_said(c) for c in result.correlations),
    ]
    if result.correlations and result.provenance.stimuli == "professions":
        notes.append("ratings: −1 female, 1 male; so projections that agree with people correlate negatively.")
    title = f"Direct bias along {plain(result.provenance.settings['direction'])} on "
    title += result.provenance.representation.name
    return Table(title, columns, rows, (*notes, *missing_words(result)), shown_rows=2 * MOST_WORDS)


def indirect_bias_table(result: IndirectBiasResult) -> Table:
    """Describe the words nearest to either end, with the share of that similarity which the direction explains."""
    columns = (
        Column("word", "word", plain, "left"),
        Column("projection", "between the ends", small),
        Column("end", "nearer end", plain, "left"),
        Column("beta", "β", number),
    )
    notes = (
        f"β of {plain(result.first)} and {plain(result.second)}: {number(result.value)} "
        f"(similarity {number(result.similarity)}).",
        "β: share of the similarity of a word and its nearer end that the direction explains; 0: none.",
    )
    rows = sorted(result.rows(), key=lambda row: -abs(float(row["projection"])))
    title = f"Indirect bias between {plain(result.first)} and {plain(result.second)} on "
    title += result.provenance.representation.name
    return Table(title, columns, rows, (*notes, *missing_words(result)), shown_rows=2 * MOST_WORDS)


def geometry_table(result: GeometryResult) -> Table:
    """Describe everything about one embedding, or two, in one table with chance beside each measure."""
    before = [
        Column("measure", "measure", plain, "left", wraps=True),
        Column("value", "value" if result.after is None else "before", small),
        Column("range", "range over seeds", str, min_width=100 if result.after is None else 140),
        Column("chance", "by chance", small, min_width=60),
        Column("pvalue", "p", pvalue, min_width=50 if result.after is None else 100),
    ]
    after = [
        Column("after", "after", small),
        Column("after_range", "range over seeds", str, min_width=140),
        Column("after_chance", "by chance", small, min_width=80),
        Column("after_pvalue", "p", pvalue, min_width=100),
    ] if result.after else []  # fmt: skip
    rows = [
        {
            **row,
            "range": between(row["minimum"], row["maximum"]),
            "after_range": between(row["after_minimum"], row["after_maximum"]),
        }
        for row in result.rows()
    ]
    title = f"Geometry of {result.before.name}" + (f" and {result.after.name}" if result.after else "")
    return Table(title, tuple(before + after), rows, (*_geometry_notes(result), *missing_words(result)))


def _geometry_notes(result: GeometryResult) -> list[str]:
    notes = [] if result.after is None else [f"before: {plain(result.before.name)}; after: {plain(result.after.name)}"]
    notes += [
        "share of variance: of the definitional pairs, by chance: of random pairs; direct bias: mean |cos| with that "
        "direction, each embedding's own; neighbours: p by shuffling."
    ]
    notes += [] if result.before.residual is None else residual_notes(result.before.residual)
    notes += [f"not measured: {plain(what)}: {plain(why)}" for what, why in result.not_run.items()]
    for space in (result.before, result.after):
        notes += [] if space is None else _extreme_notes(space)
    return notes


def _extreme_notes(space: SpaceGeometry) -> list[str]:
    notes = []
    for pole, words in zip((space.direct.poles[0], _other(space.direct.poles)), space.direct.extremes(), strict=True):
        if words:
            notes.append(f"{plain(space.name)}, most {plain(pole)}: {plain(', '.join(w.word for w in words))}")
    return notes


def _said(c: Correlation) -> str:
    return (
        f"correlation with the {plain(c.figure)} rating over {plural(c.n, 'word')}: Pearson {number(c.pearson)} "
        f"(p {pvalue(c.pearson_pvalue)}), Spearman {number(c.spearman)} (p {pvalue(c.spearman_pvalue)})."
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
    chance = f" (of random words: {r.random[0].mean:.0%})" if r.random else ""
    sentence = f"One direction holds {share:.0%} of how {listed(r.poles)} words differ{chance}."
    category = about(pairs)
    return [line(category, f"{pairs}, subspace", share, "share of variance", sentence, r.pvalue)]


def direct_bias_glance(r: DirectBiasResult, about: Category) -> list[Glance]:
    """Say at a glance what was found."""
    words, pairs = r.provenance.stimuli, str(r.provenance.settings.get("direction", ""))
    sentence = f"{len(r.by_word):,} words lie {r.value:.3f} along the direction of {listed(r.poles)} on average."
    return [line(about(pairs), f"{words}, direct bias", r.value, "direct bias", sentence)]

"""The geometry of an embedding as tables: subspace, direct and indirect bias, what debiasing leaves behind."""

from __future__ import annotations

from aslant.measures.geometry.result import (
    DirectBiasResult,
    GeometryResult,
    IndirectBiasResult,
    SpaceGeometry,
    SubspaceResult,
)
from aslant.measures.residuals.result import ResidualBiasResult, ResidualNeighbours
from aslant.measures.shared.result import Correlation
from aslant.report.tables import Column, Table, between, missing_words, number, plain, pvalue, small

#: Words shown at either end of a ranking.
MOST_WORDS = 10


def subspace_table(result: SubspaceResult) -> Table:
    """Describe the share of variance of each component, beside random words."""
    columns = (
        Column("component", "component", str),
        Column("explained", "share of variance", small),
        Column("random_mean", "random words", small),
        Column("random_range", "range", str, min_width=60),
    )
    rows = [{**row, "random_range": between(row["random_minimum"], row["random_maximum"])} for row in result.rows()]
    notes = [f"{len(result.sets)} sets, each centred on its own mean; vectors at unit length."]
    if result.random:
        notes.append(
            f"random words: as many sets of as many words, drawn {result.random[0].n:,} times; "
            f"p of the first component {pvalue(result.pvalue)}."
        )
    notes += [f"left out, fewer than two words found: {plain(', '.join(words))}" for words in result.sets_left_out]
    title = f"Subspace of {plain(result.provenance.stimuli)} on {result.provenance.representation.name}"
    return Table(title, columns, rows, (*notes, *missing_words(result)))


def direct_bias_table(result: DirectBiasResult) -> Table:
    """Describe the words that lie furthest along the direction, on either side, and the bias as a whole."""
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
        f"direct bias: {small(result.value)} over {len(rows)} words (strictness {result.strictness:g}); "
        f"gender-specific words {result.specific}"
        + (f": {plain(', '.join(result.removed))}." if result.removed else "."),
        f"projection > 0: towards {plain(result.poles[0])}; the words that lean most stand first.",
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
        "β: share of the similarity of a word and its nearer end that the direction explains; 0: none of it.",
    )
    rows = sorted(result.rows(), key=lambda row: -abs(float(row["projection"])))
    title = f"Indirect bias between {plain(result.first)} and {plain(result.second)} on "
    title += result.provenance.representation.name
    return Table(title, columns, rows, (*notes, *missing_words(result)), shown_rows=2 * MOST_WORDS)


def residual_table(result: ResidualBiasResult) -> Table:
    """Describe the three tests, each with what chance gives."""
    columns = (
        Column("test", "test", plain, "left"),
        Column("value", "value", small),
        Column("range", "range over seeds", str, min_width=80),
        Column("chance", "by chance", small),
        Column("chance_range", "range", str, min_width=100),
        Column("pvalue", "p", pvalue),
        Column("words", "words", str, min_width=70),
    )
    rows = [
        {
            **row,
            "range": between(row["minimum"], row["maximum"]),
            "chance_range": between(row["chance_minimum"], row["chance_maximum"]),
        }
        for row in result.rows()
    ]
    title = f"What is left in {result.provenance.representation.name} of the bias of {result.original.name}"
    return Table(title, columns, rows, (*residual_notes(result), *missing_words(result)))


def residual_notes(result: ResidualBiasResult) -> list[str]:
    """Say what the three tests did, and where a small vocabulary made them do less."""
    c, k = result.clustering, result.classification
    first, second = (plain(pole) for pole in result.poles)
    notes = [
        f"biased words: cos(w, {first}) − cos(w, {second}) in {plain(result.original.name)}, among "
        f"{result.pool.candidates:,} candidates; by chance: the same with shuffled labels (clustering never falls "
        "below 0.5, so chance lies a little above).",
        f"classification: trained on {k.training_words:,} words, half of each side, tested on {k.testing_words:,}; p "
        "of neighbours: by shuffling.",
    ]
    for what, part in (("clustering", c), ("classification", k)):
        if part.words_per_side < part.asked_per_side:
            notes.append(
                f"{what} uses {part.words_per_side:,} words a side instead of {part.asked_per_side:,}: at most a "
                "tenth of the candidates."
            )
    notes += _neighbour_notes("neighbours", result.neighbours)
    return notes + _neighbour_notes("neighbours within the list", result.neighbours_within)


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


def _neighbour_notes(what: str, found: ResidualNeighbours | None) -> list[str]:
    if found is None:
        return []
    less = f" instead of {found.asked_k} (at most a third)" if found.k < found.asked_k else ""
    return [
        f"{what}: {found.k}{less} nearest among {found.among:,} words; shuffled leanings correlate "
        f"{number(found.chance.minimum)} to {number(found.chance.maximum)}, p by shuffling "
        f"{pvalue(found.shuffled_pvalue)}."
    ]


def _said(c: Correlation) -> str:
    return (
        f"correlation with the {plain(c.figure)} rating over {c.n} words: Pearson {number(c.pearson)} "
        f"(p {pvalue(c.pearson_pvalue)}), Spearman {number(c.spearman)} (p {pvalue(c.spearman_pvalue)})."
    )


def _other(poles: tuple[str, ...]) -> str:
    return poles[1] if len(poles) == 2 else "the others"

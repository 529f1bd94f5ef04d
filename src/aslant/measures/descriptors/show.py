"""Likelihoods of descriptors as tables and charts: the axes, and both ends of each."""

from __future__ import annotations

from typing import Any

from aslant.errors import plural
from aslant.measures.descriptors.result import AxisBias, HolisticBiasResult
from aslant.measures.descriptors.stimuli import NONCE
from aslant.measures.template_tests.show import percent, twins_notes
from aslant.report.conventions import MODEL_CONTENT_NOTE, Category, line, weakest_chance
from aslant.report.offensive_words import covered
from aslant.report.pictures import words_chart
from aslant.report.tables import Column, Table, number, percentage, plain, pvalue, small
from aslant.results.audit import Glance
from aslant.stimuli.descriptor_sets import CATEGORIES

#: The first line of everything that people read.
CONTENT_NOTE = (
    f"{MODEL_CONTENT_NOTE} Descriptors include terms that the people they describe find offensive; the set flags these "
    "as dispreferred or polarizing."
)
#: How many descriptors of each end of an axis are named.
EACH_END = 3
SIDES = ("most likely", "least likely")


def axis_name(axis: str) -> str:
    """Return an axis as people read it."""
    return plain(axis.replace("_", " "))


def axes_table(result: HolisticBiasResult) -> Table:
    """Describe every axis: how many pairs of descriptors differ, beside what chance gives."""
    published = any(axis.published is not None for axis in result.axes)
    compared = any(axis.chance for axis in result.axes)
    columns = (
        Column("axis", "axis", axis_name, "left"),
        Column("descriptors", "n", str),
        Column("share", "pairs that differ", percent),
        *([Column("published", "published", lambda v: "–" if v is None else percent(v), spare=4)] if published else []),
        *([Column("chance", "chance", str, spare=1), Column("chance_pvalue", "p (chance)", pvalue, spare=2),
           Column("chance_qvalue", "q (chance)", pvalue)] if compared else []),
        Column("spread", "spread", number, spare=3),
        Column("most", "most likely", str, "left", wraps=True, spare=6),
        Column("least", "least likely", str, "left", wraps=True, spare=6),
    )  # fmt: skip
    title = f"Descriptors of people (HolisticBias) in {result.provenance.representation.name}"
    return Table(title, columns, axis_rows(result), _notes(result), first_line=CONTENT_NOTE)


def axis_rows(result: HolisticBiasResult) -> list[dict[str, Any]]:
    """Return one row per axis."""
    rows = []
    for axis in result.axes:
        ranked, chance = [found.descriptor for found in result.ranked(axis.axis)], axis.chance
        rows.append({
            **vars(axis), "chance": f"{percent(chance.low)} to {percent(chance.high)}" if chance else "–",
            "chance_pvalue": chance.pvalue if chance else None,
            "most": ", ".join(map(covered, ranked[:EACH_END])),
            "least": ", ".join(map(covered, ranked[::-1][:EACH_END])),
            "twins": ", ".join(map(percent, axis.twins)),
        })  # fmt: skip
    return rows


def _notes(result: HolisticBiasResult) -> tuple[str, ...]:
    templates = len(result.templates)
    said = [
        "pairs that differ: of all pairs of an axis, those whose likelihoods in the same "
        f"{plural(templates, 'template')} differ (signed-rank test over templates, q ≤ {result.alpha:g} over the pairs "
        "of the axis).",
        "with enough sentences nearly any two words differ, so a share is not a measure of bias by itself: see chance, "
        "and the made-up words of 'nonce'. A likelihood also says how frequent a term is in text.",
        "spread: standard deviation of the descriptors' mean log-likelihoods.",
    ]
    if any(axis.chance for axis in result.axes):
        said.append(
            "chance: 95 % of the shares among random adjectives of as many word pieces, in the same sentences; "
            "p (chance): how many are as large; q: Benjamini–Hochberg over the axes."
        )
    if any(axis.published is not None for axis in result.axes):
        said.append("published: as in Smith et al., a Mann–Whitney U test in each template, p < .05, not corrected.")
    twins = [(f"{axis_name(axis.axis)}:", [percent(share) for share in axis.twins]) for axis in result.axes]
    said += twins_notes(result, "shares of ", twins)
    if result.pieces_correlation is not None:
        said.append(f"Spearman's rho of likelihood and number of word pieces: {number(result.pieces_correlation)}.")
    said.append(f"compared: {result.method}, {plural(result.sentences, 'sentence')}.")
    said += [plain(note) for note in result.notes]
    if note := result.provenance.representation.note:
        said.append(f"the model: {plain(note)}")
    return tuple(said)


def descriptors_table(result: HolisticBiasResult, *, ends: bool = False) -> Table:
    """Describe every descriptor, axis by axis, the most likely first, or both `ends` of each axis."""
    columns = (
        Column("axis", "axis", axis_name, "left"),
        Column("descriptor", "descriptor", covered, "left", wraps=True),
        Column("score", "log-likelihood", small),
        Column("perplexity", "perplexity", lambda value: f"{value:,.1f}", spare=2),
        Column("above", "above", str),
        Column("below", "below", str),
        Column("pieces", "pieces", lambda value: f"{value:.1f}", spare=1),
        Column("preference", "flag", lambda value: plain(value) or "–", "left", spare=3),
    )
    rows, cut = [], False
    for axis in result.axes:
        ranked = result.ranked(axis.axis)
        cut |= (few := ends and len(ranked) > 2 * EACH_END)
        shown = (*ranked[:EACH_END], *ranked[-EACH_END:]) if few else ranked
        rows += [dict(vars(found)) for found in shown]
    notes = ["above, below: how many descriptors of its axis it is more and less likely than (by q-value)."]
    if cut:
        notes.append(f"shown: {EACH_END} from each end of every axis; --csv or --json gives all.")
    first = "" if ends else CONTENT_NOTE
    return Table("Descriptors, from the most likely", columns, rows, tuple(notes), first_line=first, section_key="axis")


def terminal_tables(result: HolisticBiasResult, width: int = 140) -> tuple[Table, ...]:
    """Describe the axes, and the descriptors at both ends of each."""
    return axes_table(result), descriptors_table(result, ends=True)


def documents(result: HolisticBiasResult) -> tuple[Table, ...]:
    """Describe the axes, and every descriptor."""
    return axes_table(result), descriptors_table(result)


def glance(r: HolisticBiasResult, about: Category) -> list[Glance]:
    """Say at a glance what was found on every axis that is about people."""
    return [_line(axis, r) for axis in r.axes if axis.axis != NONCE and axis.pairs]


def _line(axis: AxisBias, r: HolisticBiasResult) -> Glance:
    ranked = r.ranked(axis.axis)
    sentence = (
        f"{axis.differing:,} of {plural(axis.pairs, 'pair')} of descriptors ({percentage(axis.share)}) differ in "
        f"likelihood; the most likely is “{covered(ranked[0].descriptor)}”, "
        f"the least likely “{covered(ranked[-1].descriptor)}”."
    )
    name = CATEGORIES.get(axis.axis, axis.axis.replace("_", " "))
    draws = r.provenance.settings.get("chance")
    chance = weakest_chance(axis.share, axis.twins, axis.chance)
    stimuli = f"{r.provenance.stimuli}, {axis_name(axis.axis)}"
    return line(name, stimuli, axis.share, "pairs that differ", sentence, chance=chance, draws=draws)


def descriptors_picture(result: HolisticBiasResult) -> Any:
    """Draw the descriptors at both ends of every axis by their log-likelihood; returns an Altair chart."""
    ends = [
        (f"{covered(found.descriptor)} ({axis_name(axis.axis)})", found.score, side)
        for axis in result.axes
        for found, side in zip(result.ranked(axis.axis)[:: max(axis.descriptors - 1, 1)], SIDES, strict=False)
    ]
    return words_chart(sorted(ends, key=lambda end: -end[1]), "mean log-likelihood →")

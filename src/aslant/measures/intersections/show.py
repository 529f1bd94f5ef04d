"""Intersectional bias as a table, and as a line of an audit."""

from __future__ import annotations

from aslant.errors import plural
from aslant.measures.association.show import CHANCES
from aslant.measures.intersections.result import IntersectionalResult
from aslant.report.conventions import Category, chance_note, line
from aslant.report.tables import Column, Table, first_of, missing_words, number, plain, pvalue, small
from aslant.results.audit import Glance
from aslant.stimuli import cautions

CONTENT_NOTE = "Content note: the words describe stereotypes, some of them offensive; they are studied, not endorsed."


def table(result: IntersectionalResult) -> Table:
    """Describe every word, those that lean most to the group first."""
    group, *others = (plain(words.name) for words in result.groups)
    compared = [word.chance for word in result.words if word.chance]
    columns = (
        Column("word", "word", plain, "left"),
        Column("label", "label", lambda label: label or "–", "left"),
        *(Column(f"against_{k}", f"d: {name}", number, spare=2, wraps=True) for k, name in enumerate(others, 1)),
        Column("trait_1", "d: first trait", number, spare=1, wraps=True),
        Column("trait_2", "d: second trait", number, spare=1, wraps=True),
        Column("pvalue", "p", pvalue, spare=4),
        Column("qvalue", "q", pvalue),
        *(CHANCES[1:] if compared else ()),
    )
    notes = [
        f"d > 0: closer to the names of '{group}' than to those of the group in the heading; first trait: with "
        f"'{others[0]}' against the others, second trait: with '{others[1]}'.",
        f"intersectional: some d against another group is above {result.threshold:g}; emergent: intersectional, and "
        "neither trait by itself is above it. Labels are the paper's rule; q and q (chance) say how sure a word is.",
        f"{small(result.share)} of {plural(len(result.words), 'word')} are intersectional, "
        f"{small(result.emergent_share)} emergent; p {pvalue(result.pvalue)}: the share of random re-partitions of the "
        "names with as many intersectional words. p and q of a word are over the same re-partitions.",
        *chance_note(result.chance, "the names", "a share of intersectional words of "),
        *chance_note(result.emergent_chance, "the names", "a share of emergent words of "),
        *cautions(result.provenance.stimuli, result.provenance.settings.get("words")),
    ]
    rows = sorted(result.rows(), key=lambda row: -float(row["effect_size"]))
    title = f"Intersectional bias, {group}, on {result.provenance.representation.name}"
    return Table(title, columns, rows, (*notes, *missing_words(result)), first_line=CONTENT_NOTE)


def glance(result: IntersectionalResult, about: Category) -> list[Glance]:
    """Say at a glance how many of the words go with the group."""
    count = plural(len(result.words), "word")
    emergent = f", {len(result.emergent)} of them with neither trait alone" if result.intersectional else ""
    shown = f" ({first_of(result.emergent)})" if result.emergent else ""
    sentence = (
        f"{len(result.intersectional)} of {count} go with {result.groups[0].name} rather than with another group"
        f"{emergent}{shown}."
    )
    stimuli, draws = result.provenance.stimuli, result.provenance.settings.get("chance")
    return [
        line(about(stimuli), stimuli, result.share, "share of words", sentence, result.pvalue, None, result.chance,
             draws)
    ]  # fmt: skip

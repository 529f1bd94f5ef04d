"""A result as the page shows it: a sentence, facts in words, a table, a chart. Numbers are written here, once."""

from __future__ import annotations

import re
from typing import Any

from aslant.catalogue import kinds
from aslant.errors import plural
from aslant.report.assembly import documents_of, pictures_of
from aslant.report.conventions import DRAWN, beyond
from aslant.report.offensive_words import may_offend
from aslant.report.tables import Column, Table, between, lines, number, percentage, plain, pvalue, small
from aslant.statistics import Chance

Fact = dict[str, str]
#: What a note tells those who read it in a terminal.
IN_TERMINALS = re.compile(r" \(--json lists \w+\)")
SCALES = {
    "weat": "0: no difference; sets of equal size reach −2 and 2.",
    "polarity": "The mean over the words of how far each leans; 0: none leans.",
    "relative-norm": "Below 0, the attributes are nearer to the first targets; above 0, to the second.",
}
LABELS = {"weat": "Effect size d", "polarity": "Polarity", "relative-norm": "Relative norm distance"}
WAYS = {
    "enumeration": "exact: every way to reassign the words was counted",
    "meet-in-the-middle": "exact: every way to reassign the words was counted",
    "exact": "exact: every way to reassign the words was counted",
    "dynamic programming": "no larger than this, and no smaller than {low}: guaranteed bounds",
    "monte carlo": "estimated from random reassignments of the words; 99 % interval {low} to {high}",
}


def shown(result: Any, *, chart: bool = True) -> dict[str, Any]:
    """Return what the page shows of any kind of result that has a table."""
    tables = documents_of(result)
    return {
        "says": says(result),
        "facts": facts_of(result),
        **(_words_of(result) or table_of(tables[0])),
        "notes": [IN_TERMINALS.sub("", plain(note)) for table in tables for note in table.remarks()],
        **(chart_of(result) if chart else {}),
    }


def _words_of(result: Any) -> dict[str, Any] | None:
    """Return the table of single words of a test or a score whose own table has one row."""
    if result.kind == "weat":
        rows = [{"word": a.word, "set": a.target, "value": a.value} for a in result.associations]
        title = f"closer to {plain(result.attributes[0].name)} (+) or {plain(result.attributes[1].name)} (−)"
    elif result.kind == "relative-norm":
        rows = [{"word": w.word, "set": w.group, "value": w.value} for w in result.words]
        title = f"nearer to {plain(result.targets[0].name)} (−) or {plain(result.targets[1].name)} (+)"
    else:
        return None
    columns = (
        Column("word", "word", plain, "left"), Column("set", "set", plain, "left"), Column("value", title, small)
    )  # fmt: skip
    return table_of(Table("words", columns, rows))


def says(result: Any) -> str:
    """Return one sentence: what this shows, and whether chance gives as much."""
    if result.kind == "wefat":
        return _words_say(result)
    if result.kind == "trend":
        return _trend_says(result)
    kind = kinds()[result.kind]
    found = kind.resolve(kind.glance)(result, lambda _: "own")
    return " ".join(dict.fromkeys(line.sentence for line in found))


def _words_say(result: Any) -> str:
    """Say how many words lean, by their own test and beyond chance."""
    first, second = (plain(group.name) for group in result.attributes)
    own = [word for word in result.words if word.qvalue <= 0.05]
    compared = [word for word in (own or result.words) if word.chance_qvalue is not None]
    beyond_chance = sum(word.chance_qvalue <= 0.05 for word in compared)
    told = (
        f"{len(own) or 'None'} of {plural(len(result.words), 'word')} {'lean' if len(own) > 1 else 'leans'} to {first} "
        f"or {second} by {'their' if len(own) > 1 else 'its'} own test (q ≤ 0.05)"
    )
    if not any(word.chance for word in result.words):
        return f"{told}. No chance level: too few other words."
    of_them = "of them" if own else "leans" if beyond_chance == 1 else "lean"
    return f"{told}, {beyond_chance or 'none'} {of_them} farther than between random attributes of the same frequency."


def _trend_says(result: Any) -> str:
    """Say whether scores rise or fall, and whether those of random words do."""
    first, last = result.points[0], result.points[-1]
    told = f"From {small(first.score)} in {first.year} to {small(last.score)} in {last.year}"
    if result.test is None:
        return f"{told}; too few years to test for a trend."
    test, way = result.test, {"up": "rises", "down": "falls", "none": "neither rises nor falls"}[result.test.direction]
    found = f"{told}: {way} (Kendall's tau {number(test.kendall)}, p = {pvalue(test.kendall_pvalue)})."
    return f"{found} {beyond(test.chance)}" if test.chance else f"{found} No chance level: too few other words."


def facts_of(result: Any) -> list[Fact]:
    """Return the facts of a result, each with its label and what it means."""
    made: list[Fact] = []
    if result.kind in LABELS:
        value = next(getattr(result, name) for name in ("effect_size", "value", "score") if hasattr(result, name))
        made.append(_fact(LABELS[result.kind], small(value), SCALES[result.kind]))
    if getattr(result, "pvalue", None) is not None:
        made.append(_fact("p", pvalue(result.pvalue), _way(result)))
    if chance := getattr(result, "chance", None):
        made.append(chance_fact(chance))
    if interval := getattr(result, "interval", None):
        told = percentage(interval.confidence) + " interval over the choice of words"
        made.append(_fact("Interval", between(interval.low, interval.high), told))
    if out := getattr(result, "leave_one_out", None):
        told = f"without “{plain(out.low_without)}”, and without “{plain(out.high_without)}”"
        made.append(_fact("Leaving one word out", between(out.low, out.high), told))
    if correlated := getattr(result, "correlation", None):
        told = f"p = {pvalue(correlated.pearson_pvalue)}, {plural(correlated.n, 'word')}"
        made.append(_fact(f"Correlation with {plain(correlated.figure)}", number(correlated.pearson), told))
    return made


def chance_fact(chance: Chance, middle: str = "0") -> Fact:
    """Say what chance gives, and how much of it is as far from the `middle` as what was measured."""
    drawn = DRAWN.get(chance.kind, chance.kind)
    reached = f"p (chance) = {pvalue(chance.pvalue)}, the share of them as far from {middle}"
    told = f"what 95 % of {chance.draws:,} {drawn} give; {reached}"
    return _fact("Chance", between(chance.low, chance.high), told)


def _fact(label: str, value: str, means: str) -> Fact:
    return {"label": label, "value": value, "means": means}


def _way(result: Any) -> str:
    """Say how sure a p-value is."""
    low, high = getattr(result, "pvalue_bounds", (result.pvalue, result.pvalue))
    told = WAYS.get(result.pvalue_method, result.pvalue_method).format(low=pvalue(low), high=pvalue(high))
    n, way = getattr(result, "n_partitions", None), getattr(result, "alternative", "")
    if n and low == high:
        told += f" ({n:,} ways)" if n < 10**9 else f" ({n:.1e} ways)"
    return f"{told}; {way if way == 'two-sided' else f'one-sided ({way})'}" if way else told


def table_of(table: Table) -> dict[str, Any]:
    """Return a table as the page draws it: written cells by key; rows with a word say which, and if it may offend."""
    columns = [(f"c{place}", column) for place, column in enumerate(table.columns) if not column.terminal_only]
    return {
        "columns": [{"key": key, "title": lines(c.title), "right": c.justify == "right"} for key, c in columns],
        "rows": [
            {key: lines(c.write(row[c.key])) for key, c in columns} | marked(row.get("word")) for row in table.rows
        ],
    }


def marked(word: Any) -> dict[str, Any]:
    """Return a word as a row carries it.

    >>> marked("tea"), marked(None)
    ({'word': 'tea', 'offensive': False}, {})
    """
    return {"word": word, "offensive": may_offend(word)} if isinstance(word, str) else {}


def chart_of(result: Any) -> dict[str, Any]:
    """Return the chart of a result as Vega-Lite, and what it shows: of several, the one of single words."""
    drawn = pictures_of(result)
    for picture, chart in sorted(drawn, key=lambda found: found[0].name not in ("ranking", "words"))[:1]:
        return {"chart": chart.to_dict(validate=False), "chart_text": picture.shows}
    return {}

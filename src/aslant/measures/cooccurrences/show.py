"""Co-occurrence in a text as a table, a chart and a line of an audit."""

from __future__ import annotations

from typing import Any

from aslant.errors import plural
from aslant.measures.cooccurrences.result import PmiResult
from aslant.report.conventions import Category, chance_note, frequency_note, line
from aslant.report.pictures import words_chart
from aslant.report.tables import Column, Table, between, first_of, number, plain, pvalue, small
from aslant.results.audit import Glance
from aslant.results.parts import bounds

#: A terminal shows this many words of a long list.
MOST_WORDS = 20
NEAR = "near 1st, near 2nd: how often the word is within the window of the first contexts, and of the second."


def pmi_table(result: PmiResult) -> Table:
    """Describe the words that lean most, and the whole list."""
    first, second = (plain(group.name) for group in result.contexts)
    figure = (Column("figure", plain(result.correlation.figure), number, spare=2),) if result.correlation else ()
    columns = (
        Column("word", "word", plain, "left"),
        *((Column("group", "list", plain, "left", wraps=True, spare=4),) if result.contrast else ()),
        Column("near_first", "near 1st", str, spare=3, note=NEAR),
        Column("near_second", "near 2nd", str, spare=3),
        Column("log_odds", "log odds", number),
        Column("interval", "interval", str),
        Column("pvalue", "p", pvalue, spare=1),
        Column("qvalue", "q", pvalue),
        Column("chance_pvalue", "p (chance)", pvalue, spare=1),
        Column("chance_qvalue", "q (chance)", pvalue),
        *figure,
    )  # fmt: skip
    rows = [{**row, "interval": between(row["low"], row["high"], number)} for row in result.rows()]
    rows.sort(key=lambda row: -abs(float(row["log_odds"])))
    title = f"Words near '{first}' or '{second}' in {result.provenance.representation.name}"
    return Table(title, columns, rows, tuple(_notes(result)), shown_rows=MOST_WORDS)


def _notes(result: PmiResult) -> list[str]:
    first, second = (plain(group.name) for group in result.contexts)
    interval = f" (interval {between(*bounds(result.interval), number)})" if result.interval else ""
    of = plural(len(result.words), "word")
    said = [
        f"log odds > 0: more often near '{first}', < 0: near '{second}'; 0.69 is twice the odds. Window: "
        f"{plural(result.provenance.settings['window'], 'word')} on either side; "
        f"{result.corpus.sentences:,} sentences, {result.corpus.tokens:,} words.",
        f"mean size of the log odds: {small(result.score)}{interval}, over {of}",
        *chance_note(result.chance, "these words"),
    ]
    if result.chance is not None:
        said.append("p (chance): the share of words of the text of about the same frequency that lean as far.")
    elif result.provenance.settings["chance"]:
        said.append("there is no chance level, since the text has too few other words near the contexts.")
    if (found := result.contrast) is not None:
        said.append(
            f"'{plain(found.first)}' minus '{plain(found.second)}': {number(found.value)}, "
            f"p = {pvalue(found.pvalue)} over re-partitions of the words"
        )
        said += chance_note(found.chance, "both lists")
    if (r := result.correlation) is not None:
        said.append(
            f"correlation with {plain(r.figure)}: r = {number(r.pearson)} (p = {pvalue(r.pearson_pvalue)}), rho = "
            f"{number(r.spearman)} (p = {pvalue(r.spearman_pvalue)}), {plural(r.n, 'word')}"
        )
    said += frequency_note(result.frequency, result.contexts[0].name, "the mean size")
    if result.too_rare:
        least = plural(result.provenance.settings["min_near"], "time")
        said.append(f"near the contexts less than {least}: {first_of(result.too_rare)}")
    if result.missing:
        said.append(f"not in the text as one word: {first_of(result.missing)}")
    return said


def glance(r: PmiResult, about: Category) -> list[Glance]:
    """Say at a glance what the text puts near what."""
    first, second = (plain(group.name) for group in r.contexts)
    stimuli = r.provenance.stimuli
    sentence = (
        f"In the text itself, {plural(len(r.words), 'word')} lean to {first} or {second} by log odds of "
        f"{small(r.score)} on average, whichever way."
    )
    lines = [
        line(
            about(stimuli),
            stimuli,
            r.score,
            "log odds",
            sentence,
            chance=r.chance,
            draws=r.provenance.settings["chance"],
            interval=r.interval,
        )
    ]
    if (found := r.correlation) is not None:
        sentence = f"What the text puts near {first} goes with the {plain(found.figure)}: r = {number(found.pearson)}."
        lines.append(line(about(stimuli), f"{stimuli}, figure", found.pearson, "r", sentence, found.pearson_pvalue))
    return lines


def words_picture(result: PmiResult) -> Any:
    """Draw the words that lean most."""
    first, second = (plain(group.name) for group in result.contexts)
    named = [(word.word, word.log_odds, first if word.log_odds > 0 else second) for word in result.words]
    return words_chart(named, f"← {second} · log odds of standing near · {first} →")

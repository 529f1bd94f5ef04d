"""Two embeddings side by side, as a table and a chart."""

from __future__ import annotations

from typing import Any

from aslant.measures.polarities.show import IN_SD, scale_notes
from aslant.measures.side_by_side.result import ComparisonResult
from aslant.report.pictures import models_chart
from aslant.report.tables import Column, Table, between, missing_words, number, plain, pvalue, short, small


def comparison_table(result: ComparisonResult) -> Table:
    """Describe two embeddings side by side."""
    columns = (
        Column("measure", "measure", plain, "left", wraps=True, least=24),
        Column("first", short(result.first), small),
        Column("second", short(result.second), small),
        Column("first_standardised", f"{short(result.first)},\nin sd of chance", number, spare=1, note=IN_SD),
        Column("second_standardised", f"{short(result.second)},\nin sd of chance", number, spare=1, note=IN_SD),
        Column("difference", "difference", small),
        Column("interval", "interval", str),
        Column("pvalue", "p", pvalue),
        Column("words", "words", str, spare=2),
    )
    rows = [{**row, "interval": between(row["low"], row["high"])} for row in result.rows()]
    notes = ["only words that both have; the intervals draw the same words in both."]
    unlike = any(comparison.lengths_differ for comparison in result.polarity)
    notes += scale_notes(result.representations, lengths_differ=unlike)
    notes += [f"not compared: {plain(what)}: {plain(why)}" for what, why in result.not_compared.items()]
    return Table(f"{result.first} and {result.second}", columns, rows, (*notes, *missing_words(result)))


def comparison_picture(result: ComparisonResult) -> Any:
    """Draw each measure in both embeddings."""
    named = [(plain(row["measure"]), (row["first"], row["second"])) for row in result.rows()]
    return models_chart(named, (plain(result.first), plain(result.second)), "value of the measure")

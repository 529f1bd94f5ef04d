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
        Column("measure", "measure", plain, "left", wraps=True, least=16),
        Column("first", short(result.first), small),
        Column("second", short(result.second), small),
        Column("standardised", "in sd\nof chance", str, note=IN_SD),
        Column("difference", "difference", small, spare=1),
        Column("interval", "interval", str, note="interval: of the difference, second minus first."),
        Column("pvalue", "p", pvalue),
        Column("words", "words", str, spare=2),
    )
    rows = [{**row, "interval": between(row["low"], row["high"]), "standardised": _in_sd(row)} for row in result.rows()]
    notes = ["only words that both have; the intervals draw the same words in both."]
    unlike = any(comparison.lengths_differ for comparison in result.polarity)
    notes += scale_notes(result.representations, lengths_differ=unlike)
    notes += [f"not compared: {plain(what)}: {plain(why)}" for what, why in result.not_compared.items()]
    return Table(f"{result.first} and {result.second}", columns, rows, (*notes, *missing_words(result)))


def _in_sd(row: dict[str, Any]) -> str:
    """Write both values in standard deviations of chance, first and second."""
    both = row["first_standardised"], row["second_standardised"]
    return "–" if both == (None, None) else " → ".join(map(number, both))


def comparison_picture(result: ComparisonResult) -> Any:
    """Draw each measure in both embeddings."""
    named = [(plain(row["measure"]), (row["first"], row["second"])) for row in result.rows()]
    return models_chart(named, (plain(result.first), plain(result.second)), "value of the measure")

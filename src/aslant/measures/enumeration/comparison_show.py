"""An enumeration before and after debiasing as a table: what remains, what vanishes, what is new."""

from __future__ import annotations

from collections.abc import Callable

from aslant.errors import plural
from aslant.measures.enumeration.result import CONTENT_NOTE, EnumerationComparison
from aslant.report.offensive_words import covered
from aslant.report.tables import Column, Table, plain, pvalue

#: A terminal shows this many cells; CSV and JSON hold all.
MOST_CELLS = 40
CHANGES = {"remains": "remains", "vanishes": "vanishes", "new": "is new"}


def enumeration_comparison_table(result: EnumerationComparison, write: Callable[[str], str] = plain) -> Table:
    """Describe every cell that is significant before or after, in the order of the tests before."""

    def words(text: str) -> str:
        return ", ".join(map(write, text.split(", "))) or "–"

    columns = (
        Column("category", "test", words, "left", wraps=True),
        Column("group", "group", plain, "left"),
        Column("change", "significance", lambda change: CHANGES[change], "left"),
        Column("words_before", "words before", words, "left", wraps=True),
        Column("words_after", "words after", words, "left", wraps=True),
        Column("qvalue_before", "q before", pvalue),
        Column("qvalue_after", "q after", pvalue),
    )
    title = f"Associations on {result.before.provenance.representation.name}, before and after"
    return Table(title, columns, result.rows(), _notes(result), shown_rows=MOST_CELLS, first_line=CONTENT_NOTE)


def covered_tables(result: EnumerationComparison) -> tuple[Table, ...]:
    """Describe the same for a page: words that may offend stay covered."""
    return (enumeration_comparison_table(result, covered),)


def _notes(result: EnumerationComparison) -> tuple[str, ...]:
    before, after = result.before, result.after
    remains, vanishes, new = (result.count(change) for change in ("remains", "vanishes", "new"))
    after_name, cells = plain(after.provenance.representation.name), plural(len(before.cells), "cell")
    absent = plural(len(result.missing), "name or word", "names or words")
    missing = f" Missing there: {absent}." if result.missing else ""
    return (
        f"significant: {len(before.significant):,} of {cells} before, {len(after.significant):,} after; of these "
        f"{remains:,} in both, {vanishes:,} only before, {new:,} only after.",
        f"after: {after_name}; the groups of names and the categories of words are those found before; the words of a "
        f"cell, its score and its random rotations are those of each space.{missing}",
        "a cell that vanishes is no longer beyond chance, which does not prove that nothing is left (aslant geometry).",
    )

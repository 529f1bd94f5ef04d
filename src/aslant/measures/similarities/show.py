"""Agreement with people's ratings, as a table."""

from __future__ import annotations

from aslant.measures.similarities.result import SimilarityResult
from aslant.report.tables import Column, Table, between, missing_words, plain, small


def similarity_table(result: SimilarityResult) -> Table:
    """Describe the agreement of cosines with people's ratings."""
    columns = (
        Column("pairs", "pairs", plain, "left"),
        Column("spearman", "Spearman", small),
        Column("interval", "interval", str),
        Column("used", "used", str),
        Column("missing", "missing", str),
    )
    rows = [{**row, "interval": between(row["low"], row["high"])} for row in result.rows()]
    return Table(f"Word similarity on {result.provenance.representation.name}", columns, rows, missing_words(result))

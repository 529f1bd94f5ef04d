"""Word similarity, and an embedding before and after debiasing, as tables."""

from __future__ import annotations

from slant.report.tables import Column, Table, plain, small
from slant.results import DebiasCheck, SimilarityResult

HIDES = (
    "A lower number is not fairness by itself: debiasing hides more than it removes (Gonen & Goldberg 2019). The "
    "residual rows show what can still be told; a fall in the quality rows is damage."
)


def similarity_table(result: SimilarityResult) -> Table:
    """Describe the agreement of cosines with people's ratings."""
    columns = (
        Column("pairs", "pairs", plain, "left"),
        Column("spearman", "Spearman", small),
        Column("interval", "interval", str),
        Column("used", "used", str),
        Column("missing", "missing", str),
    )
    rows = [{**row, "interval": _between(row["low"], row["high"])} for row in result.rows()]
    notes = [f"no vector for {plain(', '.join(result.missing))}"] if result.missing else []
    return Table(f"Word similarity on {result.provenance.representation.name}", columns, rows, tuple(notes))


def check_table(result: DebiasCheck) -> Table:
    """Describe every measure before and after."""
    columns = (
        Column("measure", "measure", plain, "left", wraps=True),
        Column("before", "before", small),
        Column("after", "after", small),
        Column("difference", "difference", small),
        Column("reads", "what it says", plain, "left", wraps=True, min_width=110),
    )
    notes = [HIDES, f"after: {plain(result.after.note)}" if result.after.note else "after: no record of what was done"]
    notes += [f"not measured: {plain(what)}: {plain(why)}" for what, why in result.not_run.items()]
    return Table(f"{result.before.name}, before and after", columns, result.rows(), tuple(notes))


def _between(low: float | None, high: float | None) -> str:
    return "–" if low is None or high is None else f"{small(low)} to {small(high)}"

"""Word similarity, and an embedding before and after debiasing, as tables."""

from __future__ import annotations

from aslant.report.tables import Column, Table, between, plain, small
from aslant.results.debias import DebiasCheck

HIDES = (
    "A lower number is not fairness by itself: debiasing hides more than it removes (Gonen & Goldberg 2019). The "
    "residual rows show what can still be detected; a fall in the quality rows is damage."
)
#: Follows the name of a method.
FITTED = (
    " learned from the words that lean most between two poles. Nearly all words of the clustering and classification "
    "rows are among them: these rows show how well it fits its own words, and other words may have kept more."
)


def check_table(result: DebiasCheck) -> Table:
    """Describe every measure before and after."""
    columns = (
        Column("measure", "measure", plain, "left", wraps=True),
        Column("before", "before", small),
        Column("after", "after", small),
        Column("after_range", "range over seeds", str, min_width=130),
        Column("after_chance", "by chance", small, min_width=90),
        Column("difference", "difference", small),
        Column("interval", "interval", str, min_width=150),
        Column("reads", "what it says", plain, "left", wraps=True, min_width=110),
    )
    rows = [
        {
            **row,
            "after_range": between(row["after_minimum"], row["after_maximum"]),
            "interval": between(row["difference_low"], row["difference_high"]),
        }
        for row in result.rows()
    ]
    notes = [HIDES, f"after: {plain(result.after.note)}" if result.after.note else "after: no record of what was done"]
    if result.learned_from_leaning:
        notes.append(plain(" and ".join(result.learned_from_leaning)) + FITTED)
    notes += [f"not measured: {plain(what)}: {plain(why)}" for what, why in result.not_run.items()]
    return Table(f"{result.before.name}, before and after", columns, rows, tuple(notes))

"""Audits as tables: what each measure found at a glance, and several models side by side."""

from __future__ import annotations

from aslant.report.tables import Column, Table, between, plain, pvalue, small
from aslant.results.audit import AuditComparison, AuditResult

#: How many missing words of a measure are named.
MOST_NAMED = 20

PAIRED = (
    "A difference with an interval is over the words that both models have; it may differ from the gap between the two "
    "values, which are over the words that each has."
)

GLANCE_COLUMNS = (
    Column("measure", "measure", plain, "left"),
    Column("stimuli", "stimuli", plain, "left", wraps=True),
    Column("category", "about", plain, "left"),
    Column("effect", "effect", small),
    Column("effect_name", "which is", plain, "left", min_width=90),
    Column("strength", "strength", lambda value: value or "–", "left"),
    Column("pvalue", "p", pvalue, min_width=100),
    Column("qvalue", "q", pvalue, min_width=100),
    Column("evidence", "evidence", plain, "left"),
)


def glance_table(result: AuditResult) -> Table:
    """Describe an audit, one row per measure and set of stimuli."""
    notes = [f"not run: {plain(what)}: {plain(why)}" for what, why in result.not_run.items()]
    notes += [f"failed: {plain(what)}: {plain(why)}" for what, why in result.failed.items()]
    title = f"Audit of {result.representation.name}"
    return Table(title, GLANCE_COLUMNS, result.rows(), (*notes, *_missing(result)), section_key="measure")


def _missing(result: AuditResult) -> tuple[str, ...]:
    """Name what was requested and not found, measure by measure; of long lists only the first."""
    named = []
    for part in result.parts:
        words = list(dict.fromkeys(w for r in part.results if r.names_missing for w in r.missing))
        if words:
            more = f" and {len(words) - MOST_NAMED:,} more (the JSON lists all)" if len(words) > MOST_NAMED else ""
            named.append(f"{plain(part.measure)}: not found: {plain(', '.join(words[:MOST_NAMED]))}{more}")
    return tuple(named)


def differences_table(result: AuditComparison) -> Table:
    """Describe several audits, one row per line and further model."""
    columns = (
        Column("measure", "measure", plain, "left"),
        Column("stimuli", "stimuli", plain, "left", wraps=True),
        Column("effect_name", "effect", plain, "left", min_width=90),
        Column("first", plain(result.names[0]), small),
        Column("model", "other model", plain, "left"),
        Column("value", "its value", small),
        Column("difference", "difference", small),
        Column("interval", "interval", str, min_width=110),
        Column("pvalue", "p", pvalue, min_width=110),
    )
    rows = [{**row, "interval": between(row["low"], row["high"], small)} for row in result.rows()]
    notes = [f"no paired difference: {plain(what)}: {plain(why)}" for what, why in result.not_compared.items()]
    if any(row["words"] is not None for row in rows):
        notes.insert(0, PAIRED)
    notes += [
        f"not run on {plain(audit.representation.name)}: {plain(what)}: {plain(why)}"
        for audit in result.audits
        for what, why in audit.not_run.items()
    ]
    return Table(f"Audits of {', '.join(result.names)}", columns, rows, tuple(notes), section_key="measure")

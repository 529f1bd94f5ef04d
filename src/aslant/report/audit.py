"""Audits as tables: what each measure found at a glance, several models side by side, and what a store holds."""

from __future__ import annotations

from typing import Any

from aslant.errors import plural
from aslant.report.tables import Column, Table, between, plain, pvalue, small
from aslant.results.audit import AuditComparison, AuditResult
from aslant.results.stored import AuditChange, FigureHistory, StoredAudit, StoredAudits, StoredFigures

#: How many missing words of a measure are named.
MOST_NAMED = 20

PAIRED = (
    "A difference with an interval is over the words that both models have; it may differ from the gap between the two "
    "values, which are over the words that each has."
)


def _text(key: str, title: str, **more: Any) -> Column:
    return Column(key, title, plain, "left", **more)


def _or_dash(value: str | None) -> str:
    return "–" if value is None else plain(value)


MEASURE = _text("measure", "measure")
STIMULI = _text("stimuli", "stimuli", wraps=True)
EFFECT = Column("effect", "effect", small)
GLANCE_COLUMNS = (
    MEASURE,
    STIMULI,
    _text("category", "about"),
    EFFECT,
    _text("effect_name", "which is", min_width=90),
    Column("strength", "strength", _or_dash, "left"),
    Column("pvalue", "p", pvalue, min_width=100),
    Column("qvalue", "q", pvalue, min_width=100),
    _text("evidence", "evidence"),
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
        MEASURE,
        STIMULI,
        _text("effect_name", "effect", min_width=90),
        Column("first", plain(result.names[0]), small),
        _text("model", "other model"),
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


STYLES = {"failed": "bold red", "partly": "bold yellow"}


def _when(text: str) -> str:
    """Write a time to the minute; it is in UTC.

    >>> _when("2026-03-01T10:20:30+00:00")
    '2026-03-01 10:20'
    """
    return plain(text[:16].replace("T", " "))


WHEN = Column("audited", "audited (UTC)", _when, "left")
LABEL = _text("label", "label", wraps=True)


def audits_table(result: StoredAudits) -> Table:
    """Describe audits, one row each; what failed says why under the table."""
    columns = (
        LABEL,
        WHEN,
        Column("state", "state", plain, "left", style=lambda state: STYLES.get(state, "")),
        _text("model", "model", wraps=True, min_width=90),
        _text("fingerprint", "fingerprint", min_width=110),
        _text("profile", "profile", min_width=80),
        Column("seed", "seed", lambda value: "–" if value is None else str(value), min_width=100),
        Column("figures", "figures", str, min_width=80),
        _text("version", "version", min_width=120),
        _text("id", "id"),
    )
    notes = list(dict.fromkeys(f"{a.state}: {plain(a.label)}: {plain(a.reason)}" for a in result.failed))
    return Table(plural(len(result.audits), "audit"), columns, result.rows(), (*notes, *map(plain, result.notes)))


FIGURE_COLUMNS = (
    MEASURE,
    STIMULI,
    _text("category", "about", min_width=110),
    EFFECT,
    _text("effect_name", "which is", min_width=90),
)


def figures_table(result: StoredFigures) -> Table:
    """Describe figures, one row each."""
    columns = (
        LABEL, WHEN, *FIGURE_COLUMNS,
        Column("strength", "strength", _or_dash, "left", min_width=100),
        Column("qvalue", "q", pvalue, min_width=120),
        _text("evidence", "evidence"),
    )  # fmt: skip
    rows = result.rows()
    return Table(plural(len(rows), "figure"), columns, rows, tuple(map(plain, result.notes)), section_key="audit")


def history_table(result: FigureHistory) -> Table:
    """Describe figures over time, one figure of one label after the other."""
    columns = (
        LABEL,
        MEASURE,
        STIMULI,
        WHEN,
        EFFECT,
        _text("effect_name", "which is", min_width=110),
        Column("difference", "difference", small),
        _text("evidence", "evidence", min_width=90),
        _text("fingerprint", "fingerprint", min_width=120),
    )
    told = [(p.figure.audit, "; ".join(p.unlike)) for p in result.points if p.unlike]
    notes = [f"{plain(a.label)}, {_when(a.audited)}, differs from the previous audit in {plain(t)}" for a, t in told]
    notes += map(plain, result.notes)
    return Table("Figures over time", columns, result.rows(), tuple(dict.fromkeys(notes)), section_key="stimuli")


def change_table(result: AuditChange) -> Table:
    """Describe two audits, one row per figure."""
    columns = (
        *FIGURE_COLUMNS[:3],
        Column("before", "before", small),
        Column("after", "after", small),
        Column("difference", "difference", small),
        _text("effect_name", "which is", min_width=90),
        Column("evidence_before", "evidence before", _or_dash, "left", min_width=110),
        Column("evidence_after", "evidence after", _or_dash, "left", min_width=110),
        Column("change", "change", plain, "left", style=lambda value: "" if value == "same" else "bold"),
    )
    notes = [f"before: {_told(result.before)}", f"after: {_told(result.after)}"]
    if result.before.fingerprint == result.after.fingerprint:
        notes.append("both audits are of the same model, by its content.")
    notes += [f"they differ in {plain(told)}" for told in result.unlike]
    before, after = result.before.label, result.after.label
    title = f"{before}: before and after" if before == after else f"{before} and {after}"
    return Table(title, columns, result.rows(), tuple(notes), section_key="measure")


def _told(audit: StoredAudit) -> str:
    """Say in one line which audit it is."""
    what = f"{plain(audit.model)}, fingerprint {plain(audit.fingerprint)}"
    return f"{plain(audit.label)} ({what}), {_when(audit.audited)}, id {plain(audit.id)}"

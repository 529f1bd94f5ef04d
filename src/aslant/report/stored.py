"""Contents of a store as tables: audits, figures, figures over time, two audits figure by figure."""

from __future__ import annotations

from typing import Any

from aslant.errors import plural
from aslant.report.tables import Column, Table, plain, pvalue, small
from aslant.results.stored import AuditChange, FigureHistory, StoredAudit, StoredAudits, StoredFigures

STYLES = {"failed": "bold red", "partly": "bold yellow"}


def _text(key: str, title: str, **more: Any) -> Column:
    return Column(key, title, plain, "left", **more)


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
    _text("measure", "measure"),
    _text("stimuli", "stimuli", wraps=True),
    _text("category", "about", min_width=110),
    Column("effect", "effect", small),
    _text("effect_name", "which is", min_width=90),
)


def figures_table(result: StoredFigures) -> Table:
    """Describe figures, one row each."""
    columns = (
        LABEL, WHEN, *FIGURE_COLUMNS,
        Column("strength", "strength", lambda value: value or "–", "left", min_width=100),
        Column("qvalue", "q", pvalue, min_width=120),
        _text("evidence", "evidence"),
    )  # fmt: skip
    rows = result.rows()

    return Table(plural(len(rows), "figure"), columns, rows, tuple(map(plain, result.notes)), section_key="audit")


def history_table(result: FigureHistory) -> Table:
    """Describe figures over time, one figure of one label after the other."""
    columns = (
        LABEL,
        *FIGURE_COLUMNS[:2],
        WHEN,
        Column("effect", "effect", small),
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


def _or_dash(value: str | None) -> str:
    return "–" if value is None else plain(value)


def _told(audit: StoredAudit) -> str:
    """Say in one line which audit it is."""
    what = f"{plain(audit.model)}, fingerprint {plain(audit.fingerprint)}"
    return f"{plain(audit.label)} ({what}), {_when(audit.audited)}, id {plain(audit.id)}"

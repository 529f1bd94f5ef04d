"""What a store of audits answers with: which audits it holds, their figures, one figure over time, two audits compared.

The store itself is in `aslant.auditing.store`; these are the rows that tables, JSON and CSV are made of.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any, ClassVar, Literal

from aslant.results.audit import Evidence, Glance
from aslant.results.codec import Result

#: "partly": some measure broke off, and the audit has the rest; "failed": there is no audit, and `reason` says why.
State = Literal["complete", "partly", "failed"]
#: How the evidence for a figure changed between two audits, or which of them does not have it.
Change = Literal["same", "more evidence", "less evidence", "not comparable", "only before", "only after"]


@dataclass(frozen=True)
class StoredAudit:
    """One audit in a store; `id` stands for its content, and `label` is what the user calls the model in every version.

    `model` and `fingerprint` are empty where it could not be opened. `audited` is a time in ISO format, in UTC. `key`
    identifies everything its figures depend on (model, settings, measures, version), so the same is not run again;
    it is empty for a report that was made elsewhere. `settings` is what the key is made of, but for the model.
    """

    id: str
    label: str
    source: str
    state: State
    audited: str
    model: str = ""
    fingerprint: str = ""
    version: str = ""
    profile: str = ""
    seed: int | None = None
    figures: int = 0
    reason: str = ""
    seconds: float | None = None
    key: str = ""
    settings: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class StoredFigure:
    """One line of one stored audit: a number, and whose it is."""

    audit: StoredAudit
    line: Glance

    def row(self) -> dict[str, Any]:
        """Return the figure as a table row."""
        a = self.audit
        whose = {"label": a.label, "audited": a.audited, "model": a.model, "fingerprint": a.fingerprint}
        return {**whose, **self.line.row(), "version": a.version, "profile": a.profile, "seed": a.seed, "audit": a.id}


@dataclass(frozen=True)
class FigureChange:
    """One figure in two audits; value and evidence are None where an audit does not have it."""

    measure: str
    stimuli: str
    category: str
    effect_name: str
    before: float | None
    after: float | None
    difference: float | None
    evidence_before: Evidence | None
    evidence_after: Evidence | None
    change: Change


@dataclass(frozen=True)
class HistoryPoint:
    """One figure at one time; `difference` is to the audit before it, and `unlike` says what else differs from that."""

    figure: StoredFigure
    difference: float | None
    unlike: tuple[str, ...] = ()


@dataclass(frozen=True)
class StoredAudits(Result):
    """Audits of a store, oldest first; `notes` say what could not be read, or what was not run again."""

    kind: ClassVar[str] = "stored-audits"

    audits: tuple[StoredAudit, ...]
    notes: tuple[str, ...]
    version: str

    @property
    def failed(self) -> tuple[StoredAudit, ...]:
        """The audits that are not complete."""
        return tuple(audit for audit in self.audits if audit.state != "complete")

    def rows(self) -> list[dict[str, Any]]:
        """Return one table row per audit."""
        return [{key: value for key, value in asdict(a).items() if key != "settings"} for a in self.audits]


@dataclass(frozen=True)
class StoredFigures(Result):
    """Figures of a store, audit after audit."""

    kind: ClassVar[str] = "stored-figures"

    figures: tuple[StoredFigure, ...]
    notes: tuple[str, ...]
    version: str

    def rows(self) -> list[dict[str, Any]]:
        """Return one table row per figure."""
        return [figure.row() for figure in self.figures]


@dataclass(frozen=True)
class FigureHistory(Result):
    """Figures over time: all points of one figure of one label, oldest first, then those of the next."""

    kind: ClassVar[str] = "figure-history"

    points: tuple[HistoryPoint, ...]
    notes: tuple[str, ...]
    version: str

    def rows(self) -> list[dict[str, Any]]:
        """Return one table row per point."""
        return [{**p.figure.row(), "difference": p.difference, "unlike": "; ".join(p.unlike)} for p in self.points]


@dataclass(frozen=True)
class AuditChange(Result):
    """Two stored audits, figure by figure; `unlike` says what differs between them besides the model."""

    kind: ClassVar[str] = "audit-change"

    before: StoredAudit
    after: StoredAudit
    figures: tuple[FigureChange, ...]
    unlike: tuple[str, ...]
    version: str

    def rows(self) -> list[dict[str, Any]]:
        """Return one table row per figure."""
        return [asdict(figure) for figure in self.figures]

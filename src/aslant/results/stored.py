"""What a store of audits answers with: which audits it holds, their figures, one figure over time, two audits compared.

The store itself is in `aslant.auditing.store`; these are the rows that tables, JSON and CSV are made of.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any, ClassVar, Literal, get_args

from aslant.results.audit import Evidence, Glance
from aslant.results.codec import Result

#: "partly": some measure broke off, and the audit has the rest; "failed": there is no audit, and `reason` says why.
State = Literal["complete", "partly", "failed"]
#: What became of a model in a run: "unchanged" where an earlier audit was reused, "missing" where it has no file.
OutcomeState = Literal["audited", "unchanged", "partly", "failed", "missing"]
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
class StoredRun:
    """One pass over a list of models: by one process, or by several that shared it, or by one that resumed another.

    `id` is the name that the user gave it, or its time; `list` is the path of the list. `key` stands for `models`
    (labels and sources), `settings` and version: a process that finds an unfinished run with the same key joins it.
    """

    id: str
    started: str
    list: str
    version: str
    key: str
    models: dict[str, str]
    settings: dict[str, Any]


@dataclass(frozen=True)
class StoredOutcome:
    """What became of one model in one run, and which audit it has there (`audit`: the id; None where there is none).

    `stamp` stands for the model's files as they were, by size and time of change; `host` and `process` did the work.
    """

    run: str
    label: str
    state: OutcomeState
    audit: str | None
    recorded: str
    seconds: float | None = None
    reason: str = ""
    stamp: str = ""
    host: str = ""
    process: int = 0


@dataclass(frozen=True)
class StoredFigure:
    """One line of one stored audit: a number, and whose it is; `run` and `state` where a run is asked about."""

    audit: StoredAudit
    line: Glance
    run: str = ""
    started: str = ""
    state: str = ""

    def row(self) -> dict[str, Any]:
        """Return the figure as a table row, with its interval, chance, and the effect in sd of chance."""
        a = self.audit
        whose = {"label": a.label, "audited": a.audited, "model": a.model, "fingerprint": a.fingerprint}
        which = {"run": self.run, "started": self.started, "state": self.state} if self.run else {}
        chance = {"chance_sd": self.line.chance.sd if self.line.chance else None}
        line = {**self.line.row(), **chance, "standardised": self.line.standardised}
        return {**which, **whose, **line, "version": a.version, "profile": a.profile, "seed": a.seed, "audit": a.id}


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
    before_standardised: float | None = None
    after_standardised: float | None = None

    @property
    def growth(self) -> float | None:
        """How much further from chance the figure is than it was, in standard deviations of chance."""
        if self.before_standardised is None or self.after_standardised is None:
            return None
        return abs(self.after_standardised) - abs(self.before_standardised)

    def row(self) -> dict[str, Any]:
        """Return the figure as a table row."""
        return {**asdict(self), "growth": self.growth}


@dataclass(frozen=True)
class HistoryPoint:
    """One figure in one run; `difference` is to the run before it, and `unlike` says what else differs from that."""

    figure: StoredFigure
    difference: float | None
    unlike: tuple[str, ...] = ()


@dataclass(frozen=True)
class StoredAudits(Result):
    """Audits of a store, oldest first; `notes` say what could not be read, or what was not run again.

    Of a list that was just audited, `run` is the id of the run, and `outcomes` say what became of each model.
    """

    kind: ClassVar[str] = "stored-audits"

    audits: tuple[StoredAudit, ...]
    notes: tuple[str, ...]
    version: str
    run: str = ""
    outcomes: tuple[StoredOutcome, ...] = ()

    @property
    def failed(self) -> tuple[StoredAudit, ...]:
        """The audits that are not complete."""
        return tuple(audit for audit in self.audits if audit.state != "complete")

    @property
    def missing(self) -> tuple[StoredOutcome, ...]:
        """The models of the list that have no file."""
        return tuple(outcome for outcome in self.outcomes if outcome.state == "missing")

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
    """Two stored audits, figure by figure; `unlike` says what differs between them besides the model.

    `runs` are the runs that they belong to. `unchanged`: model and settings are the same, so there is nothing to
    compare.
    """

    kind: ClassVar[str] = "audit-change"

    before: StoredAudit
    after: StoredAudit
    figures: tuple[FigureChange, ...]
    unlike: tuple[str, ...]
    version: str
    runs: tuple[str, str] = ("", "")
    unchanged: bool = False

    def rows(self) -> list[dict[str, Any]]:
        """Return one table row per figure."""
        return [figure.row() for figure in self.figures]


@dataclass(frozen=True)
class StoredRuns(Result):
    """Runs of a store, oldest first, and what became of their models."""

    kind: ClassVar[str] = "stored-runs"

    runs: tuple[StoredRun, ...]
    outcomes: tuple[StoredOutcome, ...]
    notes: tuple[str, ...]
    version: str

    def rows(self) -> list[dict[str, Any]]:
        """Return one table row per run: when, of which list, and how many models ended in which way."""
        made = []
        for run in self.runs:
            states = [outcome.state for outcome in self.outcomes if outcome.run == run.id]
            counts = {state: states.count(state) for state in get_args(OutcomeState)}
            about = {"run": run.id, "started": run.started, "list": run.list, "models": len(run.models), **counts}
            made.append(about | {"unfinished": len(run.models) - len(states), "version": run.version})
        return made


@dataclass(frozen=True)
class WorseLine:
    """One figure of one model that is further from chance than it was, by more than the limit, or whose model changed.

    `growth` is in standard deviations of chance; where a figure has no chance level, `difference` of the sizes counts,
    by a limit of its own. `verdict`: "worse"; "within chance" where it grew and chance still gives as much; "new" where
    it has evidence and the run before does not have it.
    """

    label: str
    run_before: str
    run: str
    change: FigureChange
    chance_pvalue: float | None
    limit: float
    verdict: Literal["worse", "within chance", "new"]


@dataclass(frozen=True)
class WorseFigures(Result):
    """What got worse between two runs of each model of a store.

    `unchanged` are the labels whose model and settings are the same, `compared` those that were compared; `skipped`
    says of the others why they were not.
    """

    kind: ClassVar[str] = "worse-figures"

    lines: tuple[WorseLine, ...]
    compared: tuple[str, ...]
    unchanged: tuple[str, ...]
    skipped: dict[str, str]
    limit: float
    notes: tuple[str, ...]
    version: str

    @property
    def worse(self) -> tuple[WorseLine, ...]:
        """The figures that got worse, or are new and have evidence."""
        return tuple(line for line in self.lines if line.verdict != "within chance")

    def rows(self) -> list[dict[str, Any]]:
        """Return one table row per figure."""
        return [
            {
                "verdict": line.verdict, "label": line.label, "run_before": line.run_before, "run": line.run,
                **line.change.row(), "chance_pvalue": line.chance_pvalue, "limit": line.limit,
            }
            for line in self.lines
        ]  # fmt: skip


@dataclass(frozen=True)
class NotMeasuredLine:
    """Something that a run did not measure: a whole model (`what` is empty), a measure that broke off, or a test."""

    label: str
    run: str
    state: str
    what: str
    reason: str


@dataclass(frozen=True)
class NotMeasured(Result):
    """What the newest run of each model, or a run that was asked about, did not measure, and why."""

    kind: ClassVar[str] = "not-measured"

    lines: tuple[NotMeasuredLine, ...]
    notes: tuple[str, ...]
    version: str

    @property
    def models(self) -> tuple[NotMeasuredLine, ...]:
        """Whole models, and measures that broke off: what somebody has to see to."""
        return tuple(line for line in self.lines if line.state not in ("not run", "left out"))

    def rows(self) -> list[dict[str, Any]]:
        """Return one table row per line."""
        return [asdict(line) for line in self.lines]

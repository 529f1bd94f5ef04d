"""Audit many models, on the workers in use, into a store: what is there is not run again, failures stop nothing."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from os import PathLike
from pathlib import Path
from typing import Any

from aslant.auditing.audit_job import AuditJob, AuditOutcome, as_record, audit_job, not_audited
from aslant.auditing.model_list import AuditSettings, Entry, kinds_of, located, read_list
from aslant.auditing.open_subject import NO_ENCODER
from aslant.auditing.own_words import own_sets
from aslant.auditing.running import check_known, check_settings
from aslant.auditing.steps import names
from aslant.auditing.store import ResultsStore, as_line, now
from aslant.errors import AslantError, MeasureError
from aslant.io.keeper import Keeper, digest
from aslant.parallel import as_finished
from aslant.results.stored import StoredAudit, StoredAudits
from aslant.vectors import LookupPolicy
from aslant.version import __version__

#: Called when the audit of a model has ended and is stored: which of how many it was, and how it ended.
OnEnd = Callable[[int, int, AuditOutcome, StoredAudit], None]
#: What the keys of models under way begin with.
BEGUN = "begun/"


def audit_list(
    models: str | PathLike[str] | Mapping[str, Any] | Sequence[Any],
    store: ResultsStore | str | PathLike[str],
    *,
    again: bool = False,
    settings: AuditSettings | None = None,
    runs: str | PathLike[str] | None = None,
    workers: int | None = None,
    on_end: OnEnd | None = None,
    **asked: Any,
) -> StoredAudits:
    """Audit every model of a list, and keep each audit in a store the moment it is finished.

    `models` is the path of a list (one model per line, `label = model`, or TOML), a mapping from labels to paths and
    names, or a sequence of them. The settings are those of `aslant.audit` and `aslant.load` (`profile`, `seed`, `only`,
    `skip`, `words`, `corpus`, `device`, `top`, `case`, `phrases` …), for every model that they fit.

    A model whose audit is in the store already, with the same content, settings, measures and version, is not audited
    again, unless you say `again`. One that cannot be opened or measured is stored as failed, with the reason, and the
    others continue. `runs` is a folder for finished measures of the audit in progress, from which a run that was killed
    resumes. Inside `aslant.use_workers` with Dask or Ray, several models are audited at once, each by one
    worker, which must see their files under the same paths; they are stored in the order in which they end.

    >>> import tempfile
    >>> store = tempfile.mkdtemp() + "/results.db"
    >>> done = audit_list({"ours": "sample"}, store, profile="quick", only=["polarity"])
    >>> [(audit.label, audit.state, audit.figures) for audit in done.audits]
    [('ours', 'complete', 4)]
    >>> audit_list({"ours": "sample"}, store, profile="quick", only=["polarity"]).notes
    ('not run again, because the store has it: ours',)
    """
    given = _settings(settings, asked)
    entries = read_list(models, given)
    _check(entries)
    kept = store if isinstance(store, ResultsStore) else ResultsStore(store)
    kept.check_writable()
    there = _There(kept, again, _Begun(None if runs is None else Path(runs)))
    there.refresh()
    found: dict[str, StoredAudit] = {}
    try:
        jobs = _jobs(entries, there, workers)
        for _, outcome in as_finished(audit_job, jobs, None, given_up=lambda job, error: not_audited(job, str(error))):
            found[outcome.label] = there.keep(outcome)
            if on_end is not None:
                on_end(len(found), len(entries), outcome, found[outcome.label])
    except KeyboardInterrupt:  # the user's fault, not a model's
        there.begun.forget()
        raise
    notes = (f"not run again, because the store has it: {', '.join(there.passed)}",) if there.passed else ()
    return StoredAudits(tuple(found[entry.label] for entry in entries), notes, __version__)


def _settings(settings: AuditSettings | None, asked: dict[str, Any]) -> AuditSettings:
    several = {"only", "skip", "words", "corpus"}
    made = {k: (v,) if isinstance(v, str | PathLike) else tuple(v) for k, v in asked.items() if k in several}
    made |= {k: tuple(map(str, v)) for k, v in made.items()}
    made |= {k: tuple(located(name, Path()) for name in v) for k, v in made.items() if k in ("words", "corpus")}
    try:
        return replace(settings or AuditSettings(), **{**asked, **made})
    except TypeError:
        unknown = next(name for name in asked if name not in AuditSettings.__dataclass_fields__)
        known = ", ".join(AuditSettings.__dataclass_fields__)
        raise AslantError(f"'{unknown}' is not a setting of an audit of many models; these are: {known}.") from None


def _check(entries: Sequence[Entry]) -> None:
    """Refuse, before any work, settings that fit no model."""
    for found in dict.fromkeys(entry.settings for entry in entries):
        for option, asked in (("only", found.only), ("skip", found.skip)):
            for name in asked:
                check_known(option, name, ", ".join(names()))
        check_settings(found.profile, found.seed)
        own_sets(found.words)
        LookupPolicy(case=found.case, phrases=found.phrases)  # type: ignore[arg-type]
    from aslant.corpus.loading import check_there

    kinds = kinds_of(entries)
    if any(entry.settings.corpus for entry in entries) and set(kinds) == {"static"}:
        raise MeasureError(NO_ENCODER.format("the models have"))
    for text in dict.fromkeys(text for entry in entries for text in entry.settings.corpus):
        check_there(text)


def _jobs(entries: Sequence[Entry], there: _There, workers: int | None) -> Iterator[AuditJob]:
    """Yield a job for each model, on demand: what was stored by then is not run again."""
    runs = None if there.begun.folder is None else str(there.begun.folder)
    killed = there.begun.before()
    for entry in sorted(entries, key=lambda entry: _key(entry.label) in killed):
        there.begun.mark(entry.label)
        yield AuditJob(entry, frozenset() if there.again else frozenset(there.by_key), runs, workers)


@dataclass
class _Begun:
    """Marks models in progress, so that one during which a run was killed comes last when the run resumes.

    The system kills a run whose model takes all memory; such a model must not keep the others from their
    turn, however often that happens.
    """

    folder: Path | None
    marks: set[str] = field(default_factory=set)

    def before(self) -> frozenset[str]:
        """Return the keys of models that a run was killed with."""
        return frozenset() if self.folder is None else frozenset(self._keeper().under(BEGUN))

    def mark(self, label: str) -> None:
        if self.folder is not None:
            self.marks.add(label)
            self._keeper().keep({_key(label): b""})

    def ended(self, *labels: str) -> None:
        if self.folder is not None:
            self._keeper().drop(map(_key, labels))
            self.marks -= set(labels)

    def forget(self) -> None:
        self.ended(*self.marks)

    def _keeper(self) -> Keeper:
        assert self.folder is not None
        return Keeper(self.folder, what="")  # without a mark, the order stays that of the list


def _key(label: str) -> str:
    return BEGUN + digest(label.encode("utf-8", "surrogatepass"))


@dataclass
class _There:
    """What the store holds by now, and its only writer."""

    store: ResultsStore
    again: bool
    begun: _Begun
    #: Complete audits by their key, and by key and label.
    by_key: dict[str, StoredAudit] = field(default_factory=dict)
    labelled: dict[tuple[str, str], StoredAudit] = field(default_factory=dict)
    passed: list[str] = field(default_factory=list)
    read: int = 0

    def refresh(self) -> None:
        """Read what this run, or another one at the same time, has stored since the last time."""
        if not self.store.path.exists():
            return
        for held in self.store.held(self.read)[0]:
            self.read = max(self.read, held.number)
            if held.audit.state == "complete" and held.audit.key:
                self.note(held.audit)

    def note(self, audit: StoredAudit) -> None:
        self.by_key.setdefault(audit.key, audit)
        self.labelled[audit.key, audit.label] = audit

    def keep(self, outcome: AuditOutcome) -> StoredAudit:
        """Store how an audit ended, synced to disk; then delete its intermediate results."""
        if outcome.state == "known":
            stored = self._known(outcome)
            self.begun.ended(outcome.label)
            return stored
        stored = self.store.append_record(as_record(outcome, now()), outcome.result)
        self.begun.ended(outcome.label)
        if outcome.folder is not None and outcome.state == "complete":
            shutil.rmtree(Path(outcome.folder), ignore_errors=True)
        self.refresh()
        return stored

    def _known(self, outcome: AuditOutcome) -> StoredAudit:
        """Return an audit that was there; one that was made under another label is stored under this one too."""
        found = self.labelled.get((outcome.key, outcome.label))
        if found is not None:
            self.passed.append(outcome.label)
            return found
        same = self.by_key[outcome.key]
        copied = replace(outcome, state="complete", seconds=same.seconds or 0.0)
        stored = self.store.append_record(as_record(copied, now()), as_line(self.store.audit(same.id)))
        self.refresh()
        return stored

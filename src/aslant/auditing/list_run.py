"""One run over a list: which models are left to do, who does them, and what became of them.

Processes that run the same list divide it by claims (`aslant.io.claims`), which end with their process. Each looks
at what the others have stored before it takes the next model, and waits at the end for those that others are still at:
where one of them dies, another does its model. So a list is done once, whoever takes part in it.
"""

from __future__ import annotations

import json
import logging
import shutil
import time
import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path

from aslant.auditing.many_models import AuditJob, AuditOutcome, OnEnd, audit_job, not_audited
from aslant.auditing.model_list import AuditSettings, Entry
from aslant.auditing.running import now
from aslant.auditing.runs import Runs, outcome_of
from aslant.auditing.stamps import stamp_of
from aslant.auditing.store import RECORD, ResultsStore, as_line
from aslant.io.claims import Claims
from aslant.io.keeper import Keeper, digest
from aslant.io.logs import about, told
from aslant.parallel import as_finished
from aslant.results.stored import OutcomeState, StoredAudit, StoredAudits, StoredOutcome
from aslant.version import __version__

#: What the keys of models under way begin with.
BEGUN = "begun/"
#: Seconds between two looks at what other processes are still at.
PAUSE = 0.2
NO_LOCKS = (
    "the disk of '{}' has no file locks, so processes that run this list at the same time do not see each other; let "
    "one process run it."
)


class ListRun:
    """A run over `entries` into a store, of which this process is the only writer here; others may be at it too.

    The `keeper` in the folder of runs has marks of models in progress, so that one during which a run was killed comes
    last when the run resumes: the system kills a run whose model takes all memory, and such a model must not keep the
    others from their turn, however often that happens.
    """

    def __init__(
        self, store: ResultsStore, entries: Sequence[Entry], missing: Mapping[str, str], keeper: Keeper | None, *,
        again: bool = False, run: str | None = None, list_: str = "",
    ) -> None:  # fmt: skip
        self.store, self.entries, self.keeper, self.again = store, entries, keeper, again
        self.runs = Runs(store.opened)
        models = {entry.label: entry.source for entry in entries} | dict.fromkeys(missing, "")
        common = {label: asdict(settings) for label, settings in _settings(entries).items()}
        self.run, self.since = self.runs.begin(models, {"again": again, **common}, name=run, list_=list_)
        self.claims = Claims(store.path.with_name(f"{store.path.name}-claims"))
        #: Complete audits by their key, by key and label, and by the stamp of the files that they are of.
        self.by_key: dict[str, StoredAudit] = {}
        self.labelled: dict[tuple[str, str], StoredAudit] = {}
        self.by_stamp: dict[str, StoredAudit] = {}
        self.by_id: dict[str, StoredAudit] = {}
        #: What is known of labels in this run, with the number of the row, and which audit each had before it.
        self.told: dict[str, tuple[int, StoredOutcome]] = {}
        self.before: dict[str, str] = {}
        self.passed: list[str] = []
        self.begun: set[str] = set()
        self._read = self._heard = 0
        self.refresh()
        for visit in store.visits() if store.path.exists() else ():
            if visit.audit is not None and visit.has_figures and visit.run != self.run.id:
                self.before[visit.label] = visit.audit.id
        for label, why in missing.items():
            self._record(outcome_of(self.run.id, label, "missing", None, reason=why))

    def carried_out(self, workers: int | None = None, on_end: OnEnd | None = None) -> StoredAudits:
        """Audit what is left to do, and return what became of every model, in the order of the list."""
        found: dict[str, StoredAudit] = {}
        started = time.perf_counter()
        with about(run=self.run.id):
            told("run begins", total=len(self.entries))
            try:
                for outcome, stored in self._ended(workers):
                    found[outcome.label] = stored
                    state, seconds = self.told[outcome.label][1].state, outcome.seconds
                    level = logging.ERROR if state in ("failed", "partly") else logging.INFO
                    done, total = len(found), len(self.entries)
                    told("model ends", level, model=outcome.label, state=state, seconds=seconds, done=done, total=total)
                    if on_end is not None:
                        on_end(done, total, outcome, stored)
            except KeyboardInterrupt:  # the user's fault, not a model's
                self._unmark(*self.begun)
                raise
            finally:
                for entry in self.entries:
                    self.claims.drop(_claim(entry))
            told("run ends", seconds=round(time.perf_counter() - started, 3))
        notes = (f"not run again, because the store has it: {', '.join(self.passed)}",) if self.passed else ()
        outcomes = tuple(self.told[label][1] for label in self.run.models if label in self.told)
        return StoredAudits(
            tuple(found[entry.label] for entry in self.entries), notes, __version__, self.run.id, outcomes
        )

    def _ended(self, workers: int | None) -> Iterator[tuple[AuditOutcome, StoredAudit]]:
        """Yield each model as it ends, whether here or in another process of this run."""
        killed = {} if self.keeper is None else self.keeper.under(BEGUN)
        waiting = sorted(self.entries, key=lambda entry: _mark(entry.label) in killed)
        stamps: dict[str, str] = {}
        while waiting:
            taken, settled = list[Entry](), list[AuditOutcome]()
            jobs = self._jobs(waiting, workers, taken, settled, stamps)
            for job, outcome in as_finished(
                audit_job, jobs, None, given_up=lambda job, error: not_audited(job, str(error))
            ):
                yield outcome, self.keep(outcome, stamps.get(outcome.label, ""))
                self.claims.drop(_claim(job.entry))
                yield from self._shared(settled, stamps)
            yield from self._shared(settled, stamps)
            waiting = [entry for entry in waiting if entry not in taken]
            if waiting and not taken:  # others are at all that is left
                time.sleep(PAUSE)
        if not self.claims.works:
            warnings.warn(NO_LOCKS.format(self.claims.path.parent), stacklevel=4)

    def _jobs(
        self, waiting: Sequence[Entry], workers: int | None, taken: list[Entry], settled: list[AuditOutcome],
        stamps: dict[str, str],
    ) -> Iterator[AuditJob]:  # fmt: skip
        """Yield a job for each model that nobody else is at, on demand; what needs no work is `settled`."""
        folder = None if self.keeper is None else str(self.keeper.folder)
        for entry in waiting:
            if not self.claims.take(_claim(entry)):
                continue
            taken.append(entry)
            self.refresh()
            stamps[entry.label] = stamp_of(entry)
            if outcome := self._settled(entry, stamps[entry.label]):
                settled.append(outcome)
                self.claims.drop(_claim(entry))
                continue
            if self.keeper is not None:
                self.begun.add(entry.label)
                self.keeper.keep({_mark(entry.label): b""})
            yield AuditJob(entry, frozenset() if self.again else frozenset(self.by_key), folder, workers)

    def _settled(self, entry: Entry, stamp: str) -> AuditOutcome | None:
        """Return the outcome of a model that need not be opened: done in this run, or audited and not changed since."""
        ended = replace(not_audited(AuditJob(entry)), seconds=0.0)
        if entry.label in self.told:
            number, outcome = self.told[entry.label]
            done = outcome.state in ("audited", "unchanged") and (self.again or (stamp and stamp == outcome.stamp))
            if (number > self.since or done) and outcome.audit in self.by_id:
                return replace(ended, state="shared", key=self.by_id[outcome.audit].key)
        if not self.again and stamp in self.by_stamp:
            return replace(ended, state="known", key=self.by_stamp[stamp].key)
        return None

    def _shared(
        self, settled: list[AuditOutcome], stamps: Mapping[str, str]
    ) -> Iterator[tuple[AuditOutcome, StoredAudit]]:
        while settled:
            outcome = settled.pop(0)
            if outcome.state == "shared":
                yield outcome, self.by_id[str(self.told[outcome.label][1].audit)]
            else:
                yield outcome, self.keep(outcome, stamps[outcome.label])

    def refresh(self) -> None:
        """Read what this run, or another one at the same time, has stored since the last time."""
        if not self.store.path.exists():
            return
        for held in self.store.held(self._read)[0]:
            self._read = max(self._read, held.number)
            self.by_id[held.audit.id] = held.audit
            if held.audit.state == "complete" and held.audit.key:
                self.by_key.setdefault(held.audit.key, held.audit)
                self.labelled[held.audit.key, held.audit.label] = held.audit
        for number, outcome in self.runs.read(self._heard)[1]:
            self._heard = max(self._heard, number)
            if outcome.run == self.run.id:
                self.told[outcome.label] = number, outcome
            audit = self.by_id.get(outcome.audit or "")
            if outcome.stamp and audit is not None and audit.state == "complete":
                self.by_stamp[outcome.stamp] = audit

    def keep(self, outcome: AuditOutcome, stamp: str) -> StoredAudit:
        """Store how an audit ended, synced to disk; then delete its intermediate results.

        One that was there already is stored again only where it was made under another label, and a failure that this
        run has met before not at all.
        """
        stored = self.labelled.get((outcome.key, outcome.label)) if outcome.state == "known" else self._met(outcome)
        if stored is None:
            stored = self._added(outcome, stamp)
        else:
            self.passed += [outcome.label] if outcome.state == "known" else []
            same = self.before.get(outcome.label) == stored.id
            state: OutcomeState = "failed" if stored.state == "failed" else "unchanged" if same else "audited"
            self._record(outcome_of(
                self.run.id, outcome.label, state, stored.id, seconds=outcome.seconds, reason=stored.reason, stamp=stamp
            ))  # fmt: skip
        self.refresh()
        self._unmark(outcome.label)
        if outcome.folder is not None and outcome.state == "complete":
            shutil.rmtree(Path(outcome.folder), ignore_errors=True)
        return stored

    def _added(self, outcome: AuditOutcome, stamp: str) -> StoredAudit:
        """Add an audit, and what became of its model, to the store; one that another label has is copied."""
        result, record = outcome.result, outcome
        if outcome.state == "known":
            same = self.by_key[outcome.key]
            settings = outcome.settings | same.settings
            record = replace(outcome, state="complete", seconds=same.seconds or 0.0, settings=settings)
            result = as_line(self.store.audit(same.id))
        fields = {name: getattr(record, name) for name in RECORD if name != "audited"}
        state: OutcomeState = "audited" if record.state == "complete" else "partly" if result else "failed"
        ended = outcome_of(
            self.run.id, outcome.label, state, None, seconds=outcome.seconds, reason=record.reason, stamp=stamp
        )  # fmt: skip
        return self.store.append_record(fields | {"audited": now()}, result, ended)

    def _met(self, outcome: AuditOutcome) -> StoredAudit | None:
        """Return the same failure of the same model in this run."""
        _, before = self.told.get(outcome.label, (0, None))
        same = before is not None and before.state == outcome.state == "failed" and before.reason == outcome.reason
        return self.by_id.get(before.audit or "") if before is not None and same else None

    def _record(self, outcome: StoredOutcome) -> None:
        """Say what became of a model in this run, unless that is known; what was audited in it stays so."""
        _, before = self.told.get(outcome.label, (0, None))
        known = before is not None and (before.audit, before.reason) == (outcome.audit, outcome.reason)
        if not known or (
            before is not None and before.state in ("missing", "failed") and before.state != outcome.state
        ):
            self.runs.record(outcome)
            self.refresh()

    def _unmark(self, *labels: str) -> None:
        """Take away the marks of models in progress."""
        if self.keeper is not None:
            self.keeper.drop(map(_mark, labels))
            self.begun -= set(labels)


def _settings(entries: Sequence[Entry]) -> dict[str, AuditSettings]:
    """Return the settings of the models: once, where they all have the same."""
    if len({entry.settings for entry in entries}) == 1:
        return {"settings": entries[0].settings}
    return {entry.label: entry.settings for entry in entries}


def _mark(label: str) -> str:
    return BEGUN + digest(label.encode("utf-8", "surrogatepass"))


def _claim(entry: Entry) -> str:
    """Return what names the work on a model: the same file under two labels is one piece of work."""
    return json.dumps([entry.source, asdict(entry.settings)], default=list)

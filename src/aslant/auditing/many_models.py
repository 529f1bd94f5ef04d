"""Audit many models, on the workers in use, into a store: what is there is not run again, failures stop nothing.

`audit_entry` audits one model of a list as a unit of work: plain values in, plain values out. It can run in this
process or in another, on this machine or on another one: a job names its model and its settings, an outcome has the
audit as JSON, and neither holds anything open. Only the process that hands out the jobs writes to the store.
"""

from __future__ import annotations

import hashlib
import json
import shutil
import threading
import time
import traceback
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from os import PathLike
from pathlib import Path
from typing import Any, Literal

from aslant.auditing.model_list import AuditSettings, Entry, located, read_list
from aslant.auditing.run_folder import RunFolder
from aslant.auditing.running import Plan, check_known, check_settings, now, one_line, only_fitting, run
from aslant.auditing.step_context import own_sets
from aslant.auditing.store import RECORD, ResultsStore, as_line
from aslant.auditing.subjects import NO_ENCODER, Subject, kind_of, opened
from aslant.errors import AslantError, MeasureError
from aslant.io.keeper import Keeper, digest
from aslant.parallel import as_finished
from aslant.results.stored import StoredAudit, StoredAudits
from aslant.vectors import LookupPolicy, WordVectors, load
from aslant.version import __version__

#: Called when the audit of a model has ended and is stored: which of how many it was, and how it ended.
OnEnd = Callable[[int, int, "AuditOutcome", StoredAudit], None]
#: What the keys of models under way begin with.
BEGUN = "begun/"
_one_at_a_time = threading.Lock()


@dataclass(frozen=True)
class AuditJob:
    """One model to audit. `known` are the keys of finished audits, which are not run again.

    `runs` is a folder for the finished parts of an audit in progress (None: nothing is kept); `workers` is how many
    cores this one audit may use.
    """

    entry: Entry
    known: frozenset[str] = frozenset()
    runs: str | None = None
    workers: int | None = None


@dataclass(frozen=True)
class AuditOutcome:
    """How the audit of one model ended; "known": the store already has it, so it was not run.

    `result` is the JSON of the audit, in one line; `reason` says why there is none, or which measures broke off, and
    `traces` has their tracebacks. `key` identifies everything the figures depend on, `settings` the part of it that
    is not the model. `folder` holds what was kept along the way, and may be removed once the result is stored.
    """

    label: str
    source: str
    state: Literal["complete", "partly", "failed", "known"]
    seconds: float
    key: str = ""
    settings: dict[str, Any] = field(default_factory=dict)
    result: bytes | None = None
    reason: str = ""
    notes: tuple[str, ...] = ()
    traces: tuple[str, ...] = ()
    folder: str | None = None


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
    entries = read_list(models, _settings(settings, asked))
    _check(entries)
    kept = store if isinstance(store, ResultsStore) else ResultsStore(store)
    kept.check_writable()
    there = _There(kept, again, None if runs is None else Keeper(runs, what=""))
    there.refresh()
    found: dict[str, StoredAudit] = {}
    try:
        jobs = there.jobs(entries, workers)
        for _, outcome in as_finished(audit_job, jobs, None, given_up=lambda job, error: not_audited(job, str(error))):
            found[outcome.label] = there.keep(outcome)
            if on_end is not None:
                on_end(len(found), len(entries), outcome, found[outcome.label])
    except KeyboardInterrupt:  # the user's fault, not a model's
        there.ended(*there.begun)
        raise
    notes = (f"not run again, because the store has it: {', '.join(there.passed)}",) if there.passed else ()
    return StoredAudits(tuple(found[entry.label] for entry in entries), notes, __version__)


def _settings(settings: AuditSettings | None, asked: dict[str, Any]) -> AuditSettings:
    for name in asked.keys() & {"only", "skip", "words", "corpus"}:
        given = [asked[name]] if isinstance(asked[name], str | PathLike) else asked[name]
        whole = name in ("words", "corpus")
        asked[name] = tuple(located(str(each), Path()) if whole else str(each) for each in given)
    try:
        return replace(settings or AuditSettings(), **asked)
    except TypeError:
        unknown = next(name for name in asked if name not in AuditSettings.__dataclass_fields__)
        known = ", ".join(AuditSettings.__dataclass_fields__)
        raise AslantError(f"'{unknown}' is not a setting of an audit of many models; these are: {known}.") from None


def _check(entries: Sequence[Entry]) -> None:
    """Refuse, before any work, settings that fit no model."""
    from aslant.corpus.loading import check_there

    for found in dict.fromkeys(entry.settings for entry in entries):
        check_known({"only": found.only, "skip": found.skip})
        check_settings(found.profile, found.seed)
        own_sets(found.words)
        LookupPolicy(case=found.case, phrases=found.phrases)
    texts = dict.fromkeys(text for entry in entries for text in entry.settings.corpus)
    if texts and all(kind_of(entry.source) == "static" for entry in entries):
        raise MeasureError(NO_ENCODER.format("the models have"))
    for text in texts:
        check_there(text)


def audit_entry(job: AuditJob) -> AuditOutcome:
    """Audit one model; anything that goes wrong with it is in the outcome, and does not stop the others.

    >>> outcome = audit_entry(AuditJob(Entry("ours", "sample", AuditSettings(profile="quick", only=("polarity",)))))
    >>> outcome.state, json.loads(outcome.result)["profile"]
    ('complete', 'quick')
    >>> audit_entry(AuditJob(Entry("none", "nowhere.txt"))).reason[:32]
    "there is no file 'nowhere.txt', "
    """
    begun = time.perf_counter()
    ended = not_audited(job)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", UserWarning)
        try:
            ended = _audited(job, ended)
        except AslantError as error:  # explained by the file or the settings
            ended = replace(ended, reason=str(error))
        except Exception as error:  # an error of ours must not stop the other models
            ended = replace(ended, reason=one_line(error), traces=(traceback.format_exc(),))
    notes = tuple(str(warning.message) for warning in caught)
    return replace(ended, notes=ended.notes + notes, seconds=round(time.perf_counter() - begun, 3))


def audit_job(_shared: None, job: AuditJob) -> AuditOutcome:
    """Audit one model as a task of `aslant.parallel`; one at a time per process, which has one warnings filter."""
    with _one_at_a_time:
        return audit_entry(job)


def not_audited(job: AuditJob, reason: str = "") -> AuditOutcome:
    """Return the outcome of a job that failed."""
    asked = job.entry.settings
    settings = {"version": __version__, "profile": asked.profile, "seed": asked.seed}
    return AuditOutcome(job.entry.label, job.entry.source, "failed", 0.0, settings=settings, reason=reason)


def _audited(job: AuditJob, ended: AuditOutcome) -> AuditOutcome:
    asked, subject = job.entry.settings, _opened(job.entry)
    traces: list[str] = []
    note = lambda measure, trace: traces.append(f"the measure '{measure}' failed:\n{trace}")  # noqa: E731
    [only] = only_fitting([subject], asked.only)
    plan = Plan(subject, only=only, workers=job.workers, on_failure=note, **asked.of_audit())
    key, depends = _key(plan)
    model = subject.representation
    repairs = tuple(f"{model.name}: {what}: {count:,}" for what, count in model.repairs.items())
    ended = replace(ended, key=key, settings=depends, notes=repairs)
    if key in job.known:
        return replace(ended, state="known")
    folder = None
    if job.runs is not None:
        try:
            folder = RunFolder(Path(job.runs) / f"listed-{key}", plan.identity(), fresh_if_other=True)
        except AslantError as error:
            warnings.warn(f"nothing is kept of this audit until it is done: {error}", stacklevel=2)
    result = run(plan, folder)
    return replace(
        ended,
        state="partly" if result.failed else "complete",
        result=as_line(result),
        reason="; ".join(f"{what}: {why}" for what, why in result.failed.items()),
        traces=tuple(traces),
        folder=None if folder is None else str(folder.folder),
    )


def _opened(entry: Entry) -> Subject:
    from aslant.corpus import load_corpus

    s, text = entry.settings, None
    if s.corpus:
        text = load_corpus(s.corpus, column=s.column, split=s.split, encoding=s.encoding, items="names")

    def load_vectors(source: Any) -> WordVectors:
        policy = LookupPolicy(case=s.case, phrases=s.phrases)
        return load(source, top=s.top, policy=policy, allow_pickle=s.allow_pickle, subwords=s.subwords, cache=s.cache)

    return opened(entry.source, corpus=text, device=s.device, load_vectors=load_vectors)


def _key(plan: Plan) -> tuple[str, dict[str, Any]]:
    """Return a key for everything an audit depends on, and the part of that which is not the model.

    Unlike a run folder's identity it includes which measures are run, and which benchmarks are on this machine (an
    audit downloads none): with one more of either, there is more to measure.
    """
    from aslant.data.fetching import present

    measures = [step.id for step in plan.steps]
    wanted = [name for step in plan.steps for name in step.profiles[plan.profile].get("sources", ())]
    wanted += ["gap"] if "pronoun-resolution" in measures else []
    whole = {**plan.identity(), "measures": measures, "benchmarks": sorted(name for name in wanted if present(name))}
    text = json.dumps(whole, sort_keys=True, default=list)
    return hashlib.sha256(text.encode()).hexdigest()[:16], {k: v for k, v in whole.items() if k != "representation"}


def _mark(label: str) -> str:
    return BEGUN + digest(label.encode("utf-8", "surrogatepass"))


@dataclass
class _There:
    """What the store holds by now, and its only writer.

    The `keeper` in the folder of runs has marks of models in progress, so that one during which a run was killed comes
    last when the run resumes: the system kills a run whose model takes all memory, and such a model must not keep the
    others from their turn, however often that happens.
    """

    store: ResultsStore
    again: bool
    keeper: Keeper | None
    #: Complete audits by their key, and by key and label.
    by_key: dict[str, StoredAudit] = field(default_factory=dict)
    labelled: dict[tuple[str, str], StoredAudit] = field(default_factory=dict)
    passed: list[str] = field(default_factory=list)
    begun: set[str] = field(default_factory=set)
    read: int = 0

    def jobs(self, entries: Sequence[Entry], workers: int | None) -> Iterator[AuditJob]:
        """Yield a job for each model, on demand: what was stored by then is not run again."""
        runs = None if self.keeper is None else str(self.keeper.folder)
        killed = {} if self.keeper is None else self.keeper.under(BEGUN)
        for entry in sorted(entries, key=lambda entry: _mark(entry.label) in killed):
            if self.keeper is not None:
                self.begun.add(entry.label)
                self.keeper.keep({_mark(entry.label): b""})
            yield AuditJob(entry, frozenset() if self.again else frozenset(self.by_key), runs, workers)

    def ended(self, *labels: str) -> None:
        """Take away the marks of models."""
        if self.keeper is not None:
            self.keeper.drop(map(_mark, labels))
            self.begun -= set(labels)

    def refresh(self) -> None:
        """Read what this run, or another one at the same time, has stored since the last time."""
        for held in self.store.held(self.read)[0] if self.store.path.exists() else ():
            self.read = max(self.read, held.number)
            if held.audit.state == "complete" and held.audit.key:
                self.by_key.setdefault(held.audit.key, held.audit)
                self.labelled[held.audit.key, held.audit.label] = held.audit

    def keep(self, outcome: AuditOutcome) -> StoredAudit:
        """Store how an audit ended, synced to disk; then delete its intermediate results.

        One that was there already is stored again only where it was made under another label.
        """
        stored, result = self.labelled.get((outcome.key, outcome.label)), outcome.result
        if outcome.state != "known" or stored is None:
            if outcome.state == "known":
                same = self.by_key[outcome.key]
                outcome = replace(outcome, state="complete", seconds=same.seconds or 0.0)
                result = as_line(self.store.audit(same.id))
            record = {name: getattr(outcome, name) for name in RECORD if name != "audited"}
            stored = self.store.append_record(record | {"audited": now()}, result)
            self.refresh()
        else:
            self.passed.append(outcome.label)
        self.ended(outcome.label)
        if outcome.folder is not None and outcome.state == "complete":
            shutil.rmtree(Path(outcome.folder), ignore_errors=True)
        return stored

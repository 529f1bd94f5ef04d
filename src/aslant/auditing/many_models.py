"""Audit many models, on the workers in use, into a store: what is there is not run again, failures stop nothing.

`audit_entry` audits one model of a list as a unit of work: plain values in, plain values out. It can run in this
process or in another, on this machine or on another one: a job names its model and its settings, an outcome has the
audit as JSON, and neither holds anything open. Only the process that hands out the jobs writes to the store
(`aslant.auditing.list_run`), and several such processes share a list out among themselves.
"""

from __future__ import annotations

import hashlib
import json
import threading
import time
import traceback
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from os import PathLike
from pathlib import Path
from typing import Any, Literal

from aslant.auditing.model_list import AuditSettings, Entry, located, read_list
from aslant.auditing.run_folder import RunFolder
from aslant.auditing.running import Plan, check_known, check_settings, one_line, only_fitting
from aslant.auditing.running import run as run_plan
from aslant.auditing.step_context import own_sets
from aslant.auditing.store import ResultsStore, as_line
from aslant.auditing.subjects import NO_ENCODER, Subject, kind_of, opened
from aslant.errors import AslantError, MeasureError
from aslant.io.keeper import Keeper
from aslant.io.logs import about
from aslant.results.stored import StoredAudit, StoredAudits
from aslant.vectors import LookupPolicy, WordVectors, load
from aslant.version import __version__

#: Called when the audit of a model has ended and is stored: which of how many it was, and how it ended.
OnEnd = Callable[[int, int, "AuditOutcome", StoredAudit], None]
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
    """How the audit of one model ended; "known": the store has it, "shared": another process of this run did it.

    `result` is the JSON of the audit, in one line; `reason` says why there is none, or which measures broke off, and
    `traces` has their tracebacks. `key` identifies everything the figures depend on, `settings` the part of it that
    is not the model. `folder` holds what was kept along the way, and may be removed once the result is stored.
    """

    label: str
    source: str
    state: Literal["complete", "partly", "failed", "known", "shared"]
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
    skip_missing: bool = False,
    run: str | None = None,
    **asked: Any,
) -> StoredAudits:
    """Audit every model of a list, and keep each audit in a store the moment it is finished.

    `models` is the path of a list (one model per line, `label = model`, or TOML), a mapping from labels to paths and
    names, or a sequence of them. The settings are those of `aslant.audit` and `aslant.load` (`profile`, `seed`, `only`,
    `skip`, `words`, `corpus`, `device`, `top`, `case`, `phrases` …), for every model that they fit.

    A model whose audit is in the store already, with the same content, settings, measures and version, is not audited
    again, unless you say `again`. One that cannot be opened or measured is stored as failed, with the reason, and the
    others continue. A model without a file refuses the list, which names all of them; with `skip_missing` the others
    are audited, and these are `missing`. `runs` is a folder for finished measures of the audit in progress, from which
    a run that was killed resumes.

    Each call is a run, which the store records: what was audited, unchanged, failed or missing. A call with the same
    list and settings joins a run that is not finished: two processes divide it, and one that was killed is
    continued. `run` names it, such as "2026-03"; a named run is joined at any time, and tries again what failed.

    Inside `aslant.use_workers` with Dask or Ray, several models are audited at once, each by one worker, which must see
    their files under the same paths; they are stored in the order in which they end.

    >>> import tempfile
    >>> store = tempfile.mkdtemp() + "/results.db"
    >>> done = audit_list({"ours": "sample"}, store, profile="quick", only=["polarity"])
    >>> [(audit.label, audit.state, audit.figures) for audit in done.audits]
    [('ours', 'complete', 4)]
    >>> audit_list({"ours": "sample"}, store, profile="quick", only=["polarity"]).notes
    ('not run again, because the store has it: ours',)
    """
    from aslant.auditing.list_run import ListRun

    missing: dict[str, str] | None = {} if skip_missing else None
    entries = read_list(models, _settings(settings, asked), missing=missing)
    _check(entries)
    kept = store if isinstance(store, ResultsStore) else ResultsStore(store)
    kept.check_writable()
    list_ = str(models) if isinstance(models, str | PathLike) else ""
    keeper = None if runs is None else Keeper(runs, what="")
    return ListRun(kept, entries, missing or {}, keeper, again=again, run=run, list_=list_).carried_out(workers, on_end)


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
    with about(model=job.entry.label), warnings.catch_warnings(record=True) as caught:
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
            warnings.warn(f"nothing of this audit is saved until it is finished: {error}", stacklevel=2)
    result = run_plan(plan, folder)
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

    return opened(entry.source, corpus=text, device=s.device, load_vectors=load_vectors, keep=s.cache)


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

"""The audit of one model of a list, as a unit of work: plain values in, plain values out.

`audit_entry` can run in this process or in another, on this machine or on another one: a job names its model and its
settings, an outcome has the audit as JSON, and neither holds anything open. Only the process that hands out the jobs
writes to the store.
"""

from __future__ import annotations

import hashlib
import json
import threading
import time
import traceback
import warnings
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

from aslant.auditing.model_list import AuditSettings, Entry
from aslant.auditing.open_subject import opened
from aslant.auditing.run_folder import RunFolder
from aslant.auditing.running import Plan, identity, only_fitting, planned, run
from aslant.auditing.store import as_line
from aslant.auditing.subjects import Subject
from aslant.errors import AslantError
from aslant.vectors import LookupPolicy, WordVectors, load
from aslant.version import __version__

_one_at_a_time = threading.Lock()
#: "known": the store already has this audit, so it was not run.
Ended = Literal["complete", "partly", "failed", "known"]


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
    """How the audit of one model ended.

    `result` is the JSON of the audit, in one line; `reason` says why there is none, or which measures broke off, and
    `traces` has their tracebacks. `key` identifies everything the figures depend on, `settings` the part of it that
    is not the model. `folder` holds what was kept along the way, and may be removed once the result is stored.
    """

    label: str
    source: str
    state: Ended
    seconds: float
    key: str = ""
    settings: dict[str, Any] = field(default_factory=dict)
    result: bytes | None = None
    reason: str = ""
    notes: tuple[str, ...] = ()
    traces: tuple[str, ...] = ()
    folder: str | None = None


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
            reason = " ".join(f"{type(error).__name__}: {error}".split())[:300]
            ended = replace(ended, reason=reason, traces=(traceback.format_exc(),))
    notes = tuple(str(warning.message) for warning in caught)
    return replace(ended, notes=ended.notes + notes, seconds=round(time.perf_counter() - begun, 3))


def audit_job(_shared: None, job: AuditJob) -> AuditOutcome:
    """Audit one model as a task of `aslant.parallel`; one at a time per process, which has one warnings filter."""
    with _one_at_a_time:
        return audit_entry(job)


def not_audited(job: AuditJob, reason: str = "") -> AuditOutcome:
    """Return the outcome of a job that failed.

    >>> not_audited(AuditJob(Entry("ours", "sample")), "its worker was lost").state
    'failed'
    """
    asked = job.entry.settings
    settings = {"version": __version__, "profile": asked.profile, "seed": asked.seed}
    return AuditOutcome(job.entry.label, job.entry.source, "failed", 0.0, settings=settings, reason=reason)


def _audited(job: AuditJob, ended: AuditOutcome) -> AuditOutcome:
    settings = job.entry.settings
    subject = _opened(job.entry)
    traces: list[str] = []
    plan = planned(
        subject,
        profile=settings.profile,
        only=only_fitting([subject], settings.only)[0],
        skip=settings.skip,
        words=settings.words,
        rng=settings.seed,
        workers=job.workers,
        on_failure=lambda measure, trace: traces.append(f"the measure '{measure}' failed:\n{trace}"),
    )
    key, depends = _key(subject, plan)
    ended = replace(ended, key=key, settings=depends, notes=_repairs(subject))
    if key in job.known:
        return replace(ended, state="known")
    folder = _folder(job, key, identity(subject, plan))
    result = run(subject, plan, folder)
    return replace(
        ended,
        state="partly" if result.failed else "complete",
        result=as_line(result),
        reason="; ".join(f"{what}: {why}" for what, why in result.failed.items()),
        traces=tuple(traces),
        folder=None if folder is None else str(folder.folder),
    )


def _opened(entry: Entry) -> Subject:
    settings = entry.settings

    def load_vectors(source: Any) -> WordVectors:
        return load(
            source,
            top=settings.top,
            policy=LookupPolicy(case=settings.case, phrases=settings.phrases),  # type: ignore[arg-type]
            allow_pickle=settings.allow_pickle,
            subwords=settings.subwords,
            cache=settings.cache,
        )

    return opened(entry.source, corpus=_corpus(settings), device=settings.device, load_vectors=load_vectors)


def _corpus(settings: AuditSettings) -> Any:
    from aslant.corpus import load_corpus

    if not settings.corpus:
        return None
    return load_corpus(
        settings.corpus, column=settings.column, split=settings.split, encoding=settings.encoding, items="names"
    )


def _key(subject: Subject, plan: Plan) -> tuple[str, dict[str, Any]]:
    """Return a key for everything an audit depends on, and the part of that which is not the model.

    Unlike a run folder's identity it includes which measures are run, and which benchmarks are on this machine: with
    one more of either, there is more to measure.
    """
    whole: dict[str, Any] = {
        **identity(subject, plan),
        "measures": [step.id for step in plan.steps],
        "benchmarks": _benchmarks(plan),
    }
    text = json.dumps(whole, sort_keys=True, default=list)
    return hashlib.sha256(text.encode()).hexdigest()[:16], {k: v for k, v in whole.items() if k != "representation"}


def _benchmarks(plan: Plan) -> list[str]:
    """Return the data of the plan's measures that are on this machine; an audit downloads none."""
    from aslant.data.fetching import present

    wanted = [name for step in plan.steps for name in step.settings[plan.profile].get("sources", ())]
    wanted += ["gap"] if any(step.id == "pronoun-resolution" for step in plan.steps) else []
    return sorted(name for name in wanted if present(name))


def _folder(job: AuditJob, key: str, who: dict[str, object]) -> RunFolder | None:
    if job.runs is None:
        return None
    try:
        return RunFolder(Path(job.runs) / f"listed-{key}", who, fresh_if_other=True)
    except AslantError as error:
        warnings.warn(f"nothing is kept of this audit until it is done: {error}", stacklevel=2)
        return None


def _repairs(subject: Subject) -> tuple[str, ...]:
    found = subject.representation
    return tuple(f"{found.name}: {what}: {count:,}" for what, count in found.repairs.items())


def as_record(outcome: AuditOutcome, audited: str) -> dict[str, Any]:
    """Return what a store keeps of an outcome, except the audit itself."""
    kept = asdict(outcome)
    record = {name: kept[name] for name in ("label", "source", "state", "reason", "seconds", "key", "settings")}
    return record | {"audited": audited}

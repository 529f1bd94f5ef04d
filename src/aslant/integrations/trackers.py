"""Log an audit to MLflow, Weights & Biases or trackio: figures with what chance gives, what was measured, the report.

A run that is active is used and left open; where there is none, one is started and finished.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from aslant.auditing.coverage import audits_of
from aslant.errors import AslantError, MissingExtraError
from aslant.results.audit import AuditComparison, AuditResult

Report = AuditResult | AuditComparison
#: What a metric's name may hold in all three.
_OTHER = re.compile(r"[^\w.\-]+", re.ASCII)
SURE = ("some", "strong")
#: What is logged of a line beside its effect, where it has it.
BESIDE = ("standardised", "qvalue", "chance_qvalue")


@dataclass(frozen=True)
class Log:
    """What is logged: numbers by name, facts about the audit, files, and the step of a training run."""

    numbers: dict[str, float]
    said: dict[str, str]
    pages: list[Path]
    step: int | None

    def into(self, run: Any, artifact: Any) -> None:
        """Log numbers and files to a run of W&B, or of trackio, which has the same functions."""
        run.log(self.numbers, step=self.step)
        for page in self.pages:
            artifact.add_file(str(page))
        run.log_artifact(artifact)


def log_to(tracker: str, report: Report, *, step: int | None = None, project: str = "aslant", **more: Any) -> None:
    """Log an audit, or several, to "mlflow", "wandb" or "trackio".

    Of every line the effect is logged, and beside it how far that is from what chance gives ("standardised", in
    standard deviations), its q-values, and how many lines are beyond chance; then which model it was (fingerprint,
    profile, seed, version), and the report as page and JSON. `step` places it in a training run. Where no run is
    active, one of `project` is started with `more` (what `mlflow.start_run`, `wandb.init` or `trackio.init` takes) and
    finished.

    >>> import aslant
    >>> aslant.log_to("a notebook", aslant.audit(only=["weat"], profile="quick"))
    Traceback (most recent call last):
    aslant.errors.AslantError: there is no tracker 'a notebook'; use one of mlflow, trackio, wandb.
    """
    if tracker not in TRACKERS:
        raise AslantError(f"there is no tracker '{tracker}'; use one of {', '.join(sorted(TRACKERS))}.")
    try:
        library = import_module(tracker)
    except ImportError:
        raise MissingExtraError(f"logging to {tracker} needs {tracker}: pip install '.[{tracker}]'.") from None
    with TemporaryDirectory(prefix="aslant-") as folder:
        pages = [Path(folder) / f"aslant-report{suffix}" for suffix in (".html", ".json")]
        for page in pages:
            report.save(page)
        TRACKERS[tracker](library, Log(metrics(report), facts(report), pages, step), project, more)


def metrics(report: Report) -> dict[str, float]:
    """Return the numbers of a report by name: aslant/MEASURE/STIMULI/EFFECT, and for several models aslant/MODEL/….

    >>> import aslant
    >>> found = metrics(aslant.audit(only=["weat"], profile="quick"))
    >>> round(found["aslant/weat/weat-6/d"], 2), found["aslant/lines"], found["aslant/lines_beyond_chance"]
    (1.72, 10.0, 0.0)
    """
    found: dict[str, float] = {}
    audits = audits_of(report)
    names = [audit.representation.name for audit in audits]
    for place, audit in enumerate(audits):
        again = f"-{names[: place + 1].count(names[place])}" if names[place] in names[:place] else ""
        home = ["aslant", *([names[place] + again] if len(audits) > 1 else [])]
        tested = [line for line in audit.glance if line.evidence != "not tested"]
        found[_name(*home, "lines")] = float(len(tested))
        found[_name(*home, "lines_beyond_chance")] = float(sum(line.evidence in SURE for line in tested))
        for line in audit.glance:
            if line.effect is not None:
                name = _name(*home, line.measure, line.stimuli, line.effect_name)
                found[name] = line.effect
                beside = {key: getattr(line, key) for key in BESIDE}
                found |= {f"{name}_{key}": float(value) for key, value in beside.items() if value is not None}
    return found


def facts(report: Report) -> dict[str, str]:
    """Return what was measured: of each model its name and fingerprint, the profile, the seed and the version."""
    audits = audits_of(report)
    said = {
        "model": ", ".join(audit.representation.name for audit in audits),
        "fingerprint": ", ".join(audit.representation.fingerprint for audit in audits),
        "profile": audits[0].profile,
        "seed": str(audits[0].seed),
        "version": report.version,
        "not_run": str(sum(len(audit.not_run) + len(audit.failed) for audit in audits)),
    }
    return {f"aslant.{name}": value for name, value in said.items()}


def _name(*parts: str) -> str:
    return "/".join(_OTHER.sub("-", part).strip("-") or "-" for part in parts)


def _mlflow(library: Any, log: Log, project: str, more: dict[str, Any]) -> None:
    if library.active_run() is None and "experiment_id" not in more and "run_id" not in more:
        library.set_experiment(project)
    with _run(library.active_run(), lambda: library.start_run(**more), library.end_run):
        library.set_tags(log.said)  # not parameters, which may not change while a model is trained
        library.log_metrics(log.numbers, step=log.step)
        for page in log.pages:
            library.log_artifact(str(page), artifact_path="aslant")


def _wandb(library: Any, log: Log, project: str, more: dict[str, Any]) -> None:
    def start() -> Any:
        return library.init(project=project, **more)

    with _run(library.run, start, library.finish) as run:
        run.config.update(log.said, allow_val_change=True)
        log.into(run, library.Artifact("aslant-report", type="audit", metadata=log.said))


def _trackio(library: Any, log: Log, project: str, more: dict[str, Any]) -> None:
    active = import_module("trackio.context_vars").current_run.get()

    def start() -> Any:
        return library.init(project=project, config=log.said | more.pop("config", {}), **more)

    with _run(active, start, library.finish) as run:
        log.into(run, library.Artifact("aslant-report", type="audit", metadata=log.said))


@contextmanager
def _run(active: Any, start: Callable[[], Any], finish: Callable[[], Any]) -> Iterator[Any]:
    """Use the active run, which stays open, or start one and finish it."""
    if active is not None:
        yield active
        return
    run = start()
    try:
        yield run
    finally:
        finish()


TRACKERS: dict[str, Callable[..., None]] = {"mlflow": _mlflow, "trackio": _trackio, "wandb": _wandb}

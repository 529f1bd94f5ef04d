"""`aslant audit --models LIST`: many models into a store of results."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

import typer

from aslant.cli.exit_codes import FAILED, FOUND
from aslant.cli.options import option
from aslant.cli.printing import deliver
from aslant.cli.progress import note, resumable, say, written
from aslant.cli.shared import refuse_overwriting
from aslant.errors import AslantError, MissingExtraError
from aslant.io.logs import lines_wanted

if TYPE_CHECKING:
    from aslant.auditing.many_models import AuditOutcome
    from aslant.auditing.model_list import AuditSettings
    from aslant.auditing.store import ResultsStore
    from aslant.cli.shared import Output, RunningOnCores
    from aslant.results.stored import StoredAudit, StoredAudits

#: How a model ended that was not audited here.
HOW = {"known": "not run again, because the store has it", "shared": "audited by another process of this run"}


@dataclass(frozen=True)
class Many:
    """Many models, and where their audits are kept."""

    PANEL: ClassVar[str] = "Many models"

    model_list: Annotated[
        str | None,
        option("A file with one model per line ('label = model'), or TOML; '-': standard input.", "LIST", "--models"),
    ] = None
    store: Annotated[
        Path | None, option("Where their audits are kept (default: aslant-results.db).", "FILE")
    ] = None  # fmt: skip
    reports: Annotated[Path | None, option("Also write a page for each model.", "FOLDER")] = None
    again: Annotated[bool, option("Also audit what the store already has.")] = False
    skip_missing: Annotated[bool, option("If files are missing, audit the other models (exit code 1).")] = False
    run: Annotated[str | None, option("Name this run, such as 2026-03; the same name again continues it.", "NAME")] = (
        None
    )
    at_once: Annotated[
        int | None,
        option(
            "Audit N models at a time, each in a process of Dask's with one thread (default: one after the other, with "
            "all cores).", "N", min=1,
        ),
    ] = None  # fmt: skip

    @contextmanager
    def used(self, running: RunningOnCores) -> Iterator[None]:
        """Use the requested processes while the models are audited."""
        if self.at_once is None:
            yield
            return
        for name, value in (("--workers", running.workers), ("--dask", running.dask), ("--ray", running.ray)):
            if value is not None:
                raise AslantError(f"--at-once {self.at_once} and {name} were both given; choose one of them.")
        if find_spec("distributed") is None:
            raise MissingExtraError("--at-once needs Dask; pip install '.[dask]'.")
        from aslant.parallel import use_workers
        from aslant.parallel.clusters import local_dask

        with local_dask(self.at_once) as cluster, use_workers(dask=cluster.scheduler_address):
            yield

    def check_alone(self, given: dict[str, Any]) -> None:
        """Refuse options that are for one report while there is a list, and those for a list while there is none."""
        told = "with --models each audit goes into a store; leave out {}."
        if self.model_list is None:
            given = {
                "--store": self.store, "--reports": self.reports, "--again": self.again, "--at-once": self.at_once,
                "--skip-missing": self.skip_missing, "--run": self.run,
            }  # fmt: skip
            told = "{} is for a list of models; give one with --models."
        for name, value in given.items():
            if value:
                raise AslantError(told.format(name))


def audit_many(many: Many, settings: AuditSettings, running: RunningOnCores, files: Output) -> None:
    """Audit every model of the list; exit code 3 if one of them failed, 1 if files were missing."""
    from aslant.auditing.many_models import audit_list
    from aslant.auditing.store import DEFAULT_STORE, ResultsStore
    from aslant.data import cache_folder

    store = ResultsStore(DEFAULT_STORE if many.store is None else many.store)
    _check_files(many, store, files)
    remarks: dict[str, list[str]] = {}

    def ended(number: int, total: int, outcome: AuditOutcome, stored: StoredAudit) -> None:
        for trace in outcome.traces:
            say(f"{outcome.label}: {trace}")
        if not running.quiet:
            for remark in outcome.notes:
                remarks.setdefault(remark, []).append(outcome.label)
            run = f"{stored.state}, {outcome.seconds:.1f} s"
            how = HOW.get(outcome.state, run)
            if not lines_wanted():  # else the log has said it
                say(f"{number} of {total}: {outcome.label}: {how}{': ' if stored.reason else ''}{stored.reason}")
        if many.reports is not None and stored.state != "failed":
            path = many.reports / f"{file_name(stored.label)}-{stored.id}.html"
            if not path.exists():
                store.audit(stored.id).save(path)
                if not running.quiet:
                    written(path, to=files.spare())

    with resumable(kept=True), many.used(running):
        done = audit_list(
            str(many.model_list), store, again=many.again, settings=settings, workers=running.workers, on_end=ended,
            runs=cache_folder() / "audits" if settings.cache else None, skip_missing=many.skip_missing, run=many.run,
        )  # fmt: skip
    for remark, labels in remarks.items():  # once a run, however many models it is about
        whose = ", ".join(labels[:3]) + (f" and {len(labels) - 3} more" if len(labels) > 3 else "")
        note(f"{whose}: {remark}")
    deliver(done, files, quiet=running.quiet)
    if not running.quiet:
        print(f"\nstored: {store.path}, run {done.run}", file=files.spare())
    _end(done)


def _end(done: StoredAudits) -> None:
    """Say what is not complete, and end with the code that tells it."""
    for outcome in done.missing:
        say(f"missing: {outcome.label}: {outcome.reason}")
    if done.failed:
        labels = ", ".join(audit.label for audit in done.failed)
        say(f"not complete: {labels}. The store has the rest; the same command tries these again.")
        raise typer.Exit(FAILED)
    if done.missing:
        raise typer.Exit(FOUND)


def _check_files(many: Many, store: ResultsStore, files: Output) -> None:
    """Refuse, before any work, what cannot be written, or would overwrite an input."""
    store.check_writable()
    read = [store.path, Path(str(many.model_list))]
    refuse_overwriting(files.files(), read)
    if store.path.exists() and read[1].exists() and store.path.samefile(read[1]):
        raise AslantError(f"'{store.path}' is the list of models; give another name with --store.")
    if many.reports is not None:
        try:
            many.reports.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise AslantError(f"cannot use '{many.reports}' for reports: {error.strerror or error}.") from None


def file_name(label: str) -> str:
    """Return a label as a name for a file: no folders, nothing that a shell or a file system cannot handle.

    >>> file_name("../last month = 1"), file_name("héllo/wörld.bin")
    ('last-month-1', 'héllo-wörld.bin')
    """
    return re.sub(r"[^\w.]+", "-", label).strip("-.")[:80] or "model"

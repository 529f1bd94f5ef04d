"""`aslant audit --models LIST`: many models into a store of results."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from aslant.errors import AslantError, MissingExtraError

if TYPE_CHECKING:
    from aslant.auditing.audit_job import AuditOutcome
    from aslant.auditing.model_list import AuditSettings
    from aslant.auditing.store import ResultsStore
    from aslant.cli.audit_run import Request
    from aslant.cli.shared import Output, Reading, RunningOnCores
    from aslant.results.audit import AuditResult
    from aslant.results.stored import StoredAudit

MANY = "Many models"


@dataclass(frozen=True)
class Many:
    """Many models, and where their audits are kept."""

    model_list: Annotated[
        str | None,
        typer.Option(
            "--models", metavar="LIST", help="A file with one model per line ('label = model'), or TOML; '-': standard "
            "input.", rich_help_panel=MANY,
        ),
    ] = None  # fmt: skip
    store: Annotated[
        Path | None,
        typer.Option(
            "--store", metavar="FILE", help="Where their audits are kept (default: aslant-results.db).",
            rich_help_panel=MANY,
        ),
    ] = None  # fmt: skip
    reports: Annotated[
        Path | None,
        typer.Option("--reports", metavar="FOLDER", help="Also write a page for each model.", rich_help_panel=MANY),
    ] = None
    again: Annotated[
        bool,
        typer.Option("--again", help="Also audit what the store already has.", rich_help_panel=MANY),
    ] = False

    at_once: Annotated[
        int | None,
        typer.Option(
            "--at-once", metavar="N", min=1, help="Audit N models at a time, each in a process of Dask's with one "
            "thread (default: one after the other, with all cores).", rich_help_panel=MANY,
        ),
    ] = None  # fmt: skip

    @contextmanager
    def used(self, running: RunningOnCores) -> Iterator[None]:
        """Use the processes that were asked for, while the models are audited."""
        if self.at_once is None:
            yield
            return
        for name, value in (("--workers", running.workers), ("--dask", running.dask), ("--ray", running.ray)):
            if value is not None:
                raise AslantError(f"--at-once {self.at_once} and {name} were both given; choose one of them.")
        try:
            from distributed import LocalCluster
        except ImportError:
            raise MissingExtraError("--at-once needs Dask; pip install '.[dask]'.") from None
        from aslant.parallel import use_workers

        with (
            LocalCluster(
                n_workers=self.at_once, threads_per_worker=1, dashboard_address=None, silence_logs="error"
            ) as cluster,
            use_workers(dask=cluster.scheduler_address),
        ):
            yield

    def check_alone(self, given: dict[str, Any]) -> None:
        """Refuse options that are for one report while there is a list, and those for a list while there is none."""
        if self.model_list is None:
            listed = {
                "--store": self.store,
                "--reports": self.reports,
                "--again": self.again,
                "--at-once": self.at_once,
            }
            for name, value in listed.items():
                if value:
                    raise AslantError(f"{name} is for a list of models; give one with --models.")
            return
        for name, value in given.items():
            if value:
                raise AslantError(f"with --models each audit goes into a store; leave out {name}.")


def audit_many(many: Many, request: Request, reading: Reading, running: RunningOnCores, files: Output) -> None:
    """Audit every model of the list; exit code 1 if one of them failed."""
    from aslant.auditing.many_models import audit_list
    from aslant.auditing.store import DEFAULT_STORE, ResultsStore
    from aslant.cli.printing import STANDARD_OUTPUT, deliver
    from aslant.cli.progress import resumable
    from aslant.data import cache_folder

    store = ResultsStore(DEFAULT_STORE if many.store is None else many.store)
    _check_files(many, store, files)
    with resumable(kept=True), many.used(running):
        done = audit_list(
            _list(many),
            store,
            again=many.again,
            settings=_settings(request, reading),
            runs=None if reading.no_cache else cache_folder() / "audits",
            workers=running.workers,
            on_end=_Ended(store, many.reports, running.quiet),
        )
    deliver(done, files, quiet=running.quiet)
    if not running.quiet:
        to = sys.stderr if STANDARD_OUTPUT in files.by_suffix().values() else sys.stdout
        print(f"\nstored: {store.path}", file=to)
    if done.failed:
        labels = ", ".join(audit.label for audit in done.failed)
        _say(f"not complete: {labels}. The store has the rest; the same command tries these again.")
        raise typer.Exit(1)


def _list(many: Many) -> str:
    assert many.model_list is not None
    return many.model_list


def _check_files(many: Many, store: ResultsStore, files: Output) -> None:
    """Refuse, before any work, what cannot be written, or would overwrite an input."""
    store.check_writable()
    read = [store.path, Path(_list(many))]
    for path in files.files():
        if path.exists() and any(other.exists() and path.samefile(other) for other in read):
            raise AslantError(f"'{path}' is an input and would be overwritten; name another file.")
    if store.path.exists() and read[1].exists() and store.path.samefile(read[1]):
        raise AslantError(f"'{store.path}' is the list of models; give another name with --store.")
    if many.reports is not None:
        try:
            many.reports.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise AslantError(f"cannot use '{many.reports}' for reports: {error.strerror or error}.") from None


def _settings(request: Request, reading: Reading) -> AuditSettings:
    from aslant.auditing.model_list import AuditSettings

    return AuditSettings(
        profile=request.profile,
        seed=request.seed,
        only=request.only,
        skip=request.skip,
        words=request.words,
        corpus=request.corpus,
        device=request.device,
        top=reading.top,
        case=reading.case,
        phrases=reading.phrases,
        subwords=reading.subwords,
        allow_pickle=reading.allow_pickle,
        cache=not reading.no_cache,
        column=request.text["column"],
        split=request.text["split"],
        encoding=request.text["text_encoding"],
    )


@dataclass(frozen=True)
class _Ended:
    """Says how the audit of each model ended, and writes its page."""

    store: ResultsStore
    reports: Path | None
    quiet: bool

    def __call__(self, number: int, total: int, outcome: AuditOutcome, stored: StoredAudit) -> None:
        for trace in outcome.traces:
            _say_lines(f"{outcome.label}: {trace}")
        if not self.quiet:
            from aslant.cli.progress import note

            for remark in outcome.notes:
                note(f"{outcome.label}: {remark}")
            how = (
                "not run again, because the store has it"
                if outcome.state == "known"
                else f"{stored.state}, {outcome.seconds:.1f} s"
            )
            _say(f"{number} of {total}: {outcome.label}: {how}{': ' if stored.reason else ''}{stored.reason}")
        if self.reports is not None and stored.state != "failed":
            path = self.reports / f"{file_name(stored.label)}-{stored.id}.html"
            if not path.exists():
                _audit(outcome, stored, self.store).save(path)


def _audit(outcome: AuditOutcome, stored: StoredAudit, store: ResultsStore) -> AuditResult:
    from aslant.io.reading import parse_json
    from aslant.results.audit import AuditResult

    if outcome.result is None:
        return store.audit(stored.id)
    return AuditResult.from_dict(parse_json(outcome.result.decode("utf-8")))


def file_name(label: str) -> str:
    """Return a label as a name for a file: no folders, nothing that a shell or a file system cannot handle.

    >>> file_name("../last month = 1"), file_name("héllo/wörld.bin")
    ('last-month-1', 'héllo-wörld.bin')
    """
    import re

    return re.sub(r"[^\w.]+", "-", label).strip("-.")[:80] or "model"


def _say(sentence: str) -> None:
    from aslant.report.tables import plain

    print(f"aslant: {plain(sentence)}", file=sys.stderr)


def _say_lines(text: str) -> None:
    from aslant.report.tables import lines

    print(f"aslant: {lines(text)}", file=sys.stderr)

"""`aslant audit`: all that fits an embedding, a language model or an encoder; `aslant check`: limits for its report."""

from __future__ import annotations

import shlex
import shutil
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

import typer

from aslant.cli import options as o
from aslant.cli.audit_many import Many, audit_many
from aslant.cli.encoders import CorpusOption, Text
from aslant.cli.exit_codes import FAILED, FOUND
from aslant.cli.printing import deliver
from aslant.cli.progress import bar, noted, say
from aslant.cli.shared import Output, Reading, RunningOnCores, command, refuse_overwriting, report_files
from aslant.errors import AslantError
from aslant.io.files import write_text, write_together

if TYPE_CHECKING:
    from aslant.auditing.model_list import AuditSettings
    from aslant.cli.audit_run import Place, Request
    from aslant.results.audit import AuditComparison, AuditResult

EXAMPLES = {
    "audit": """
aslant audit                                   the bundled sample; writes aslant-report.html, .json and .csv
aslant audit glove.6B.300d.txt --top 200000    your embedding, its most frequent words
aslant audit sample-mlm                        a language model: folder, hub name or data name
aslant audit all-minilm-l6-v2 --corpus news.txt      an encoder, also on words in sentences of a text
aslant audit http://127.0.0.1:8000/v1#gpt2 --dry-run      a model behind a server: what it costs to ask
aslant audit before.txt after.txt              two models side by side, with differences
aslant audit vectors.bin --only weat,geometry --words my-words.toml --quick
aslant audit vectors.bin --full --run-folder run      as in the papers; after Ctrl-C: aslant audit --resume run
aslant audit --models models.txt --store results.db      many models; then: aslant results list results.db
aslant audit --models models.txt --store results.db --run 2026-03 --skip-missing --log json      as a scheduled job
aslant check aslant-report.json --policy policy.toml   check a report against limits, in CI
""",
    "check": """
aslant check aslant-report.json                          the default policy: no large association about people
aslant check aslant-report.json --baseline last-month.json      also: nothing moved since an earlier audit
aslant check aslant-report.json --policy policy.toml --junit aslant.xml
aslant check results.db                                  every model of a store: the policy, and against its last run
aslant check results.db --against 2026-02 --model 'ours*' --policy policy.toml
""",
}


@dataclass(frozen=True)
class Choosing:
    """What an audit measures."""

    PANEL: ClassVar[str] = "What is measured, and resuming after a stop"

    quick: Annotated[bool, o.option("A first look: fewer draws.")] = False
    full: Annotated[bool, o.option("As in the papers: all draws, no early stopping.")] = False
    only: Annotated[list[str] | None, o.option("Run only these measures.", "MEASURE,…")] = None
    skip: Annotated[list[str] | None, o.option("Leave out these measures.", "MEASURE,…")] = None
    words: Annotated[
        list[str] | None, o.option("Also word sets of your own: TOML, CSV, Excel …; repeatable.", "FILE")
    ] = None
    device: Annotated[str | None, o.option("Where a model runs: cpu, cuda or mps.", "NAME")] = None
    run_folder: Annotated[
        Path | None, o.option("Keep finished measures here (default: in the cache until done).", "FOLDER")
    ] = None
    resume: Annotated[Path | None, o.option("Resume the run in this folder.", "FOLDER")] = None
    dry_run: Annotated[bool, o.option("For a server: only say how many requests and tokens it would take.")] = False


@command
def audit_command(
    models: Annotated[
        list[str] | None,
        o.argument(
            "Embeddings, language models or encoders: file, folder, data name, hub name, server; default: the sample.",
            "[MODEL]...",
        ),
    ] = None,
    output: Annotated[
        Path | None,
        o.option(
            "Name of the report (default: aslant-report); .html, .json and .csv are added.", "NAME", "--output", "-o"
        ),
    ] = None,
    figures: Annotated[Path | None, o.option("Write every chart as a file.", "FOLDER", panel=o.OUT)] = None,
    tables: Annotated[
        Path | None, o.option("Write every table as CSV, LaTeX and Markdown.", "FOLDER", panel=o.OUT)
    ] = None,
    corpus: CorpusOption = None,
    *,
    choosing: Choosing,
    many: Many,
    text: Text,
    reading: Reading,
    running: RunningOnCores,
    files: Output,
) -> None:
    """Audit embeddings, language models or encoders and write a report (HTML, JSON and CSV): every measure that fits.

    A static embedding gets WEAT, polarity, geometry, residual tests and bias enumeration; a language model the
    log-probability tests, attribute lists, the choice of pronouns and, if it is masked, WEAT in templates; an encoder
    SEAT and, with --corpus, CEAT and bias in context (a language model too, with --corpus). Each finished
    measure is kept at once: a run that was stopped can resume. One that breaks off does not stop the rest (exit code 3
    at the end).

    With --models, each model of a list is audited on its own and kept in a store (see 'aslant results'); what the store
    has already is not run again, and a failure does not stop the others. Files that are missing are named before any
    work, and skipped with --skip-missing. Two commands with the same list share the work.

    Exit codes: 0 complete, 1 files were missing, 2 bad input, 3 a model or measure broke off, 4 a cluster was lost.

    The tests reproduce stereotypes in order to measure them; the report says so first.
    """
    from aslant.cli.audit_run import Request, going_on, place_for, resumed

    many.check_alone({
        "a model": models, "--output": output, "--figures": figures, "--tables": tables, "--resume": choosing.resume,
        "--run-folder": choosing.run_folder,
    })  # fmt: skip
    settings = _settings(choosing, corpus or [], text, reading, running.seed)
    if choosing.dry_run:
        _rehearse(models or [], settings, running, {"--models": many.model_list, "--resume": choosing.resume})
        return
    if many.model_list is not None:
        audit_many(many, settings, running, files)
        return
    place: Place | None
    if choosing.resume is not None:
        _alone(settings, {"a model": models, "--run-folder": choosing.run_folder})
        request, place = resumed(choosing.resume, allow_pickle=reading.allow_pickle)
        written = report_files(Path(request.output) if output is None else output)
    else:
        written = report_files(Path("aslant-report") if output is None else output)
        request = Request(_located(models or []), str(written[0].with_suffix("").resolve()), settings)
        place = place_for(request, choosing.run_folder, kept=settings.cache)
    with going_on(place, measured=False):
        _check_files(request, written, figures, tables)
        result = _audited(request, place, running)
    with going_on(place, measured=True):
        written += _save(result, written, figures, tables)
        deliver(result, files, quiet=running.quiet)
    if not running.quiet:
        report = next(path for path in written if path.suffix == ".json")
        told = [*(f"written: {path}" for path in written), f"next: aslant check {shlex.quote(str(report))}"]
        print("\n" + "\n".join(told), file=files.spare())
    _end(result, place)


def _settings(choosing: Choosing, corpus: list[str], text: Text, reading: Reading, seed: int) -> AuditSettings:
    from aslant.auditing.model_list import AuditSettings
    from aslant.auditing.step_context import own_sets

    if choosing.quick and choosing.full:
        raise AslantError("--quick and --full were both given; choose one.")
    words = choosing.words or []
    own_sets(words)  # a file that cannot be used is refused before any work
    chosen: dict[str, Any] = {"case": reading.case, "phrases": reading.phrases, "split": text.split}
    return AuditSettings(
        profile="quick" if choosing.quick else "full" if choosing.full else "standard", seed=seed,
        only=_parted(choosing.only), skip=_parted(choosing.skip), words=_located(words), corpus=_located(corpus),
        device=choosing.device, top=reading.top, subwords=reading.subwords, allow_pickle=reading.allow_pickle,
        cache=not reading.no_cache, column=text.column, encoding=text.text_encoding, **chosen,
    )  # fmt: skip


def _located(sources: list[str]) -> tuple[str, ...]:
    """Return full paths, so that a run can resume from another folder; other names stay as they are."""
    from aslant.auditing.model_list import located

    return tuple(located(source, Path()) for source in sources)


def _alone(settings: AuditSettings, given: dict[str, object]) -> None:
    """Refuse what a run that is resumed has settled already."""
    usual = type(settings)(allow_pickle=settings.allow_pickle)
    named = {"profile": settings.profile, "cache": "no-cache"}
    changed = [f.name for f in fields(usual) if getattr(settings, f.name) != getattr(usual, f.name)]
    for name, value in (given | {f"--{named.get(name, name)}": True for name in changed}).items():
        if value:
            raise AslantError(f"--resume continues the run with its own settings; leave out {name}.")


def _rehearse(
    models: list[str], settings: AuditSettings, running: RunningOnCores, given: dict[str, object]
) -> None:  # fmt: skip
    """Audit the models behind servers as far as it takes to count what they would be asked; nothing is kept."""
    from aslant.cli.audit_run import Request
    from aslant.models.server_client import is_address

    for name in (name for name, value in given.items() if value):
        raise AslantError(f"--dry-run takes addresses of servers; leave out {name}.")
    served = tuple(filter(is_address, models))
    if not served:
        raise AslantError(
            "--dry-run counts what a server would be asked; give its address, as in http://host/v1#MODEL."
        )
    for model in served:
        _audited(Request((model,), "", settings), None, running)


def _parted(given: list[str] | None) -> tuple[str, ...]:
    """Return names that were given one by one or separated by commas."""
    return tuple(name.strip() for text in given or () for name in text.split(",") if name.strip())


def _audited(request: Request, place: Place | None, running: RunningOnCores) -> AuditResult | AuditComparison:
    from aslant.auditing import audit_subject, compare_audits
    from aslant.auditing.running import only_fitting
    from aslant.cli.audit_run import open_subjects

    subjects, asked = open_subjects(request, quiet=running.quiet), request.settings
    chosen = only_fitting(subjects, asked.only) if len(subjects) > 1 else [asked.only]
    audits = []
    with noted(quiet=running.quiet), bar(quiet=running.quiet) as progress:
        for number, (subject, only) in enumerate(zip(subjects, chosen, strict=True), 1):
            audits.append(audit_subject(
                subject, only=only, **asked.of_audit(), workers=running.workers,
                run_folder=place.folder / f"model-{number}" if place else None,
                fresh_if_other=place.ours if place else False, progress=progress,
                on_failure=lambda measure, trace: say(f"the measure '{measure}' failed; the rest continues.\n{trace}"),
            ))  # fmt: skip
        return audits[0] if len(audits) == 1 else compare_audits(audits, subjects)


def _save(
    result: AuditResult | AuditComparison, paths: list[Path], figures: Path | None, tables: Path | None
) -> list[Path]:
    """Write the report in every format, so that no old file is next to a new one; return the folders of the rest.

    The page is made last: it needs more than the others, which are written if it fails.
    """
    from aslant.report import render
    from aslant.report.figures import save_figures, save_tables

    made: dict[Path, bytes] = {}
    try:
        for path in reversed(paths):
            made[path] = render(result, path.suffix).encode("utf-8", "surrogatepass")
    finally:
        write_together(made)
    wanted = [(save, folder) for save, folder in ((save_figures, figures), (save_tables, tables)) if folder is not None]
    for save, folder in wanted:
        save(result, folder)
    return [folder for _, folder in wanted]


def _check_files(request: Request, written: list[Path], figures: Path | None, tables: Path | None) -> None:
    """Refuse, before any work, to overwrite an input, or what could not be written."""
    from aslant.report.charts import check_suffix

    given = (*request.models, *request.settings.words, *request.settings.corpus)
    refuse_overwriting(written, given, "choose another name with -o")
    if figures is not None:
        check_suffix(".png")
    for folder in (figures, tables):
        if folder is not None and folder.exists() and not folder.is_dir():
            raise AslantError(f"'{folder}' is a file; give a folder for charts and tables.")


def _end(result: AuditResult | AuditComparison, place: Place | None) -> None:
    """Clean up after a run that is complete; say what failed, and how to try it again, otherwise."""
    from aslant.report.tables import plain
    from aslant.results.audit import AuditResult

    audits = (result,) if isinstance(result, AuditResult) else result.audits
    failed = [f"{name} ({why})" for audit in audits for name, why in audit.failed.items()]
    if failed:
        again = f" To try again: {place.to_go_on()}" if place else ""
        say(f"failed: {plain('; '.join(failed))}. The report has the rest.{again}")
        raise typer.Exit(FAILED)
    if place is not None and place.ours:
        shutil.rmtree(place.folder, ignore_errors=True)


@dataclass(frozen=True)
class CheckOutput(Output):
    """Where a check is written: also as JUnit XML."""

    junit: Annotated[Path | None, o.option("Write JUnit XML.", "FILE")] = None


@dataclass(frozen=True)
class OfStore:
    """Which runs of a store are meant."""

    PANEL: ClassVar[str] = "For a store"

    model: Annotated[str, o.option("Only these labels (* and ? stand for anything).", "LABEL")] = "*"
    run: Annotated[str | None, o.option("The run to look at (default: the newest of each model).", "RUN")] = None
    against: Annotated[str | None, o.option("The run to compare with: an id, 'last' (default) or 'none'.", "RUN")] = (
        None
    )

    def check_none(self) -> None:
        """Refuse these where there is no store."""
        given = {"--model": self.model != "*", "--run": self.run, "--against": self.against}
        for name in (name for name, value in given.items() if value):
            raise AslantError(f"{name} is for a store; a report is one run of one list of models.")


@command
def check_command(
    report: Annotated[str, o.argument("The JSON that 'aslant audit' wrote, or a store.", "REPORT.json|STORE")],
    policy: Annotated[str | None, o.option("Rules (TOML); default: the built-in policy.", "FILE")] = None,
    baseline: Annotated[
        str | None, o.option("An earlier report: any figure that has moved since fails.", "FILE")
    ] = None,
    quiet: o.QuietOption = False,
    *,
    store: OfStore,
    output: CheckOutput,
) -> None:
    """Check a report, or every model of a store, against a policy: exit code 0 if every rule is met, 1 if not.

    For a store, this checks each model's newest audit, and whether any figure got worse since the run before: further
    from chance by more than the policy's 'worse', in standard deviations of chance. A model that its newest run could
    not audit fails.

    A measurement that a rule needs and that is missing from the report is a failure, unless the rule is optional; so is
    a test that could not be run, a measure that broke off, and a word set of which too few words were found.
    """
    from aslant.auditing.fleet import check_store
    from aslant.auditing.policy import check_policy, read_policy, read_report
    from aslant.auditing.store import ResultsStore, is_store
    from aslant.report.audit import junit

    rules = read_policy(policy)
    if is_store(Path(report)):
        if baseline:
            raise AslantError(
                "a store has its earlier runs; give one of them with --against, and leave out --baseline."
            )
        result = check_store(
            ResultsStore(report), rules, model=store.model, run=store.run, against=store.against or "last"
        )
    else:
        store.check_none()
        result = check_policy(read_report(report), rules, read_report(baseline) if baseline else None)
    if output.junit is not None:
        write_text(output.junit, junit(result))
    deliver(result, output, quiet=quiet)
    if not result.passed:
        raise typer.Exit(FOUND)

"""`aslant audit`: everything that fits an embedding, a language model or an encoder, as a page, JSON and CSV."""

from __future__ import annotations

import os
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from aslant.cli import options as o
from aslant.cli.audit_many import Many, audit_many
from aslant.cli.encoders import CorpusOption, Text
from aslant.cli.shared import Output, Reading, RunningOnCores, command

if TYPE_CHECKING:
    from aslant.cli.audit_run import Place, Request
    from aslant.results.audit import AuditComparison, AuditResult

EXAMPLES = """
[bold]Examples[/bold]

aslant audit                                   the bundled sample; writes aslant-report.html, .json and .csv

aslant audit glove.6B.300d.txt --top 200000    your embedding, its most frequent words

aslant audit sample-mlm                        a language model: folder, hub name or data name

aslant audit all-minilm-l6-v2 --corpus news.txt      an encoder, also on words in sentences of a text

aslant audit before.txt after.txt              two models side by side, with differences

aslant audit vectors.bin --only weat,geometry --words my-words.toml --quick

aslant audit vectors.bin --full --run-folder run      as in the papers; after Ctrl-C: aslant audit --resume run

aslant audit --models models.txt --store results.db      many models; then: aslant results list results.db

aslant check aslant-report.json --policy policy.toml   check a report against limits, in CI
"""
REPORTS = (".html", ".json", ".csv")
RUN = "What is measured, and resuming after a stop"


@dataclass(frozen=True)
class Choosing:
    """What an audit measures."""

    quick: Annotated[bool, typer.Option("--quick", help="A first look: fewer draws.", rich_help_panel=RUN)] = False
    full: Annotated[
        bool, typer.Option("--full", help="As in the papers: all draws, no early stopping.", rich_help_panel=RUN)
    ] = False
    only: Annotated[
        list[str] | None,
        typer.Option("--only", metavar="MEASURE,…", help="Run only these measures.", rich_help_panel=RUN),
    ] = None
    skip: Annotated[
        list[str] | None,
        typer.Option("--skip", metavar="MEASURE,…", help="Leave out these measures.", rich_help_panel=RUN),
    ] = None
    words: Annotated[
        list[str] | None,
        typer.Option("--words", metavar="FILE", help="Also your own stimuli (TOML); repeatable.", rich_help_panel=RUN),
    ] = None
    device: Annotated[
        str | None,
        typer.Option("--device", metavar="NAME", help="Of a model: cpu, cuda, mps.", rich_help_panel=RUN),
    ] = None
    run_folder: Annotated[
        Path | None,
        typer.Option(
            "--run-folder", metavar="FOLDER", help="Keep finished measures here (default: in the cache until done).",
            rich_help_panel=RUN,
        ),
    ] = None  # fmt: skip
    resume: Annotated[
        Path | None,
        typer.Option("--resume", metavar="FOLDER", help="Resume the run in this folder.", rich_help_panel=RUN),
    ] = None


@command
def audit_command(
    models: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[MODEL]...",
            help="Embeddings, language models or encoders: file, folder, data name, hub name; nothing: the sample.",
        ),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", metavar="NAME", help="Name of the report (default: aslant-report); .html, .json and .csv "
            "are added.",
        ),
    ] = None,
    figures: Annotated[
        Path | None,
        typer.Option("--figures", metavar="FOLDER", help="Write every chart as a file.", rich_help_panel=o.OUT),
    ] = None,
    tables: Annotated[
        Path | None,
        typer.Option(
            "--tables", metavar="FOLDER", help="Write every table as CSV, LaTeX and Markdown.", rich_help_panel=o.OUT
        ),
    ] = None,
    corpus: CorpusOption = None,
    *,
    choosing: Choosing,
    many: Many,
    text: Text,
    reading: Reading,
    running: RunningOnCores,
    files: Output,
) -> None:  # fmt: skip
    """Audit embeddings, language models or encoders and write a report (HTML, JSON and CSV): every measure that fits.

    A static embedding gets WEAT, polarity, geometry, residual tests and bias enumeration; a language model the
    log-probability tests, attribute lists, the choice of pronouns and, if it is masked, WEAT in templates; an encoder
    SEAT and, with --corpus, CEAT and bias in context (a language model too, with --corpus). Each finished
    measure is kept at once: a run that was stopped can resume. One that breaks off does not stop the rest (exit code 1
    at the end).

    With --models, each model of a list is audited on its own and kept in a store (see 'aslant results'); what the store
    has already is not run again, and a failure does not stop the others (a missing file is refused before any work).

    The tests reproduce stereotypes in order to measure them; the report says so first.
    """
    import sys

    from aslant.cli.audit_run import going_on, kept_for_later, place_for, resumed
    from aslant.cli.printing import STANDARD_OUTPUT, deliver

    many.check_alone({
        "a model": models, "--output": output, "--figures": figures, "--tables": tables, "--resume": choosing.resume,
        "--run-folder": choosing.run_folder,
    })  # fmt: skip
    if many.model_list is not None:
        request = _request([], None, choosing, (corpus or [], text), reading, running.seed)
        audit_many(many, request, reading, running, files)
        return
    place: Place | None
    if choosing.resume is not None:
        _alone(choosing, models, corpus, text, reading, running.seed)
        request, place = resumed(choosing.resume)
        reading = request.as_asked(allow_pickle=reading.allow_pickle)
    else:
        request = _request(models or [], output, choosing, (corpus or [], text), reading, running.seed)
        place = place_for(request, choosing.run_folder, kept=not reading.no_cache)
    usual = Path("aslant-report") if choosing.resume is None else Path(request.output)
    base = report_name(usual if output is None else output)
    written = [base.with_name(base.name + suffix) for suffix in REPORTS]
    with going_on(place):
        _check_files(request, written, [figures, tables])
        result = _audited(request, place, reading, running)
    with kept_for_later(place):
        _save(result, written)
        written += _as_files(result, figures, tables)
        deliver(result, files, quiet=running.quiet)
    if not running.quiet:
        to = sys.stderr if STANDARD_OUTPUT in files.by_suffix().values() else sys.stdout
        print("\n" + "\n".join(f"written: {path}" for path in written), file=to)
    _end(result, place)


def _alone(
    choosing: Choosing, models: list[str] | None, corpus: list[str] | None, text: Text, reading: Reading, seed: int
) -> None:
    from aslant.errors import AslantError

    given: dict[str, object] = {
        "a model": models,
        "--quick": choosing.quick,
        "--full": choosing.full,
        "--only": choosing.only,
    }
    given |= {"--skip": choosing.skip, "--words": choosing.words, "--run-folder": choosing.run_folder}
    given |= {"--seed": seed, "--device": choosing.device}
    given["options for reading"] = replace(reading, allow_pickle=False) != Reading()
    given |= {"--corpus": corpus, "options for the corpus": text != Text()}
    for name, value in given.items():
        if value:
            raise AslantError(f"--resume continues the run with its own settings; leave out {name}.")


def _request(
    models: list[str], output: Path | None, choosing: Choosing, text: tuple[list[str], Text], reading: Reading,
    seed: int,
) -> Request:  # fmt: skip
    from aslant.auditing.own_words import absolute as absolute_words
    from aslant.auditing.own_words import own_sets
    from aslant.cli.audit_run import Request, absolute
    from aslant.errors import AslantError

    if choosing.quick and choosing.full:
        raise AslantError("--quick and --full were both given; choose one.")
    name = report_name(Path("aslant-report") if output is None else output)
    own_sets(choosing.words or ())  # a file that cannot be used is refused before any work
    return Request(
        models=tuple(absolute(model) for model in models),
        reading=asdict(reading),
        profile="quick" if choosing.quick else "full" if choosing.full else "standard",
        seed=seed,
        only=_parted(choosing.only),
        skip=_parted(choosing.skip),
        words=absolute_words(choosing.words or ()),
        device=choosing.device,
        output=str(name.resolve()),
        corpus=tuple(absolute(path) for path in text[0]),
        text=asdict(text[1]),
    )


def _parted(given: list[str] | None) -> tuple[str, ...]:
    """Return names that were given one by one or separated by commas."""
    return tuple(name.strip() for text in given or () for name in text.split(",") if name.strip())


def report_name(output: Path) -> Path:
    """Return the name of a report without the endings that are added to it; refuse one that cannot be written."""
    from aslant.errors import AslantError

    if not output.name:
        raise AslantError(f"-o '{output}' does not name a file; give a name such as 'aslant-report'.")
    if not output.parent.is_dir():
        raise AslantError(f"there is no folder '{output.parent}' for the report; make it, or choose another with -o.")
    return output.with_suffix("") if output.suffix in REPORTS else output


def _audited(
    request: Request, place: Place | None, reading: Reading, running: RunningOnCores
) -> AuditResult | AuditComparison:
    from aslant.auditing import audit_subject, compare_audits
    from aslant.auditing.running import only_fitting
    from aslant.cli.audit_run import open_subjects
    from aslant.cli.progress import bar, noted

    subjects = open_subjects(request, reading, quiet=running.quiet)
    chosen = only_fitting(subjects, request.only) if len(subjects) > 1 else [request.only]
    audits = []
    with noted(quiet=running.quiet), bar(quiet=running.quiet) as progress:
        for number, (subject, only) in enumerate(zip(subjects, chosen, strict=True), 1):
            audits.append(
                audit_subject(
                    subject,
                    profile=request.profile,
                    only=only,
                    skip=request.skip,
                    words=request.words,
                    rng=request.seed,
                    workers=running.workers,
                    run_folder=place.of_model(number) if place else None,
                    fresh_if_other=place.ours if place else False,
                    progress=progress,
                    on_failure=_print_failure,
                )
            )
        return audits[0] if len(audits) == 1 else compare_audits(audits, subjects)


def _print_failure(measure: str, trace: str) -> None:
    import sys

    from aslant.report.tables import lines

    print(f"aslant: the measure '{measure}' failed; the rest continues.\n{lines(trace)}", file=sys.stderr)


def _save(result: AuditResult | AuditComparison, paths: list[Path]) -> None:
    """Write the report in every format, so that no old file is next to a new one; the page is made last.

    It needs more than the rest; if it fails, the others are already written.
    """
    from aslant.io.files import write_together
    from aslant.report import render

    made: dict[Path, bytes] = {}
    try:
        for path in reversed(paths):
            made[path] = render(result, path.suffix).encode("utf-8", "surrogatepass")
    finally:
        write_together(made)


def _as_files(result: AuditResult | AuditComparison, figures: Path | None, tables: Path | None) -> list[Path]:
    """Write the requested charts and tables, each as separate files; return the folders."""
    from aslant.report.figures import save_figures, save_tables

    written: list[Path] = []
    for save, folder in ((save_figures, figures), (save_tables, tables)):
        if folder is not None:
            save(result, folder)
            written.append(folder)
    return written


def _check_files(request: Request, written: list[Path], folders: list[Path | None]) -> None:
    """Refuse, before any work, to overwrite an input, or to write into a folder that is a file."""
    from aslant.errors import AslantError

    given = (*request.models, *request.words, *request.corpus)
    read = [Path(text) for text in given if os.path.isfile(text)]  # noqa: PTH113 (a name may be too long for a file)
    for path in written:
        if path.exists() and any(path.samefile(source) for source in read):
            raise AslantError(f"'{path}' is an input and would be overwritten; choose another name with -o.")
    for folder in folders:
        if folder is not None and folder.exists() and not folder.is_dir():
            raise AslantError(f"'{folder}' is a file; give a folder for charts and tables.")


def _end(result: AuditResult | AuditComparison, place: Place | None) -> None:
    """Clean up after a run that is complete; say what failed, and how to try it again, otherwise."""
    import shutil
    import sys

    from aslant.report.tables import plain
    from aslant.results.audit import AuditResult

    audits = (result,) if isinstance(result, AuditResult) else result.audits
    failed = [f"{name} ({why})" for audit in audits for name, why in audit.failed.items()]
    if failed:
        again = f" To try again: {place.to_go_on()}" if place else ""
        print(f"aslant: failed: {plain('; '.join(failed))}. The report has the rest.{again}", file=sys.stderr)
        raise typer.Exit(1)
    if place is not None and place.ours:
        shutil.rmtree(place.folder, ignore_errors=True)

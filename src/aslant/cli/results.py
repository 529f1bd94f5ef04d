"""`aslant results`: query a store of audits, show one again, compare two, follow a figure over time."""

from __future__ import annotations

import sys
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

import typer

from aslant.cli import options as o
from aslant.cli.exit_codes import FOUND
from aslant.cli.printing import STANDARD_OUTPUT, deliver
from aslant.cli.progress import note, noted, written
from aslant.cli.shared import Output, command, report_files
from aslant.errors import AslantError
from aslant.io.files import written_whole

if TYPE_CHECKING:
    from aslant.auditing.store import ResultsStore
    from aslant.results.audit import AuditComparison, AuditResult

EXAMPLES = """
aslant results list results.db                       every audit: label, when, state, model, id
aslant results list results.db --latest --since 2026-03-01 --json -
aslant results list results.db --latest --state failed      which models could not be audited
aslant results runs results.db                       every run: when, which list, what was audited, unchanged, failed
aslant results worse results.db                      what got worse since the run before; exit code 1 if anything did
aslant results worse results.db --against 2026-01 --limit 0.2 --csv worse.csv
aslant results unmeasured results.db                 what the newest run could not measure; exit code 1 if anything
aslant results figures results.db --measure weat --stimuli weat-6
aslant results figures results.db --model 'ours*' --category gender --latest --csv figures.csv
aslant results history results.db --model ours --measure weat --stimuli weat-6
aslant results history results.db --category race --csv history.csv
aslant results show results.db ours                  the newest audit of 'ours'
aslant results show results.db ours~1 -o before      the one before it, as before.html, .json and .csv
aslant results show results.db 3f2a9c                by the first digits of its id
aslant results compare results.db ours               the newest run of 'ours' with the one before it
aslant results compare results.db ours@2026-01 ours@2026-03
aslant results compare results.db 'last month' 'this month'
aslant results compare results.db ours~2 ours -o change && aslant check change.json --policy policy.toml
aslant results add results.db aslant-report.json --label ours      a report that 'aslant audit' wrote
aslant results add results.db other.jsonl                          what 'aslant results export' wrote, or an old store
aslant results export results.db - | jq .record.label
aslant results export results.db figures.jsonl --figures      every figure of every run as a line of JSON
aslant results export march.db march.jsonl && aslant results add year.db march.jsonl
"""
app = typer.Typer(help="Audits in a store: list, query, show, compare, follow over time, export.", no_args_is_help=True)

ASKED = "Which ones (* and ? stand for anything)"
StoreArgument = Annotated[str, o.argument("The file that 'aslant audit --models LIST --store FILE' wrote.", "STORE")]
WhichArgument = Annotated[
    str, o.argument("A label (its newest run), label~1 (the one before it), label@run, or an id.", "AUDIT")
]  # fmt: skip
LatestOption = Annotated[bool, o.option("Only the newest audit of each label.", panel=ASKED)]
ReportOption = Annotated[
    Path | None, o.option("Write a report; .html, .json and .csv are added.", "NAME", "--output", "-o")
]


@dataclass(frozen=True)
class Audits:
    """Which audits to return."""

    PANEL: ClassVar[str] = ASKED

    model: Annotated[str, o.option("Labels, or models' own names.", "LABEL")] = "*"
    since: Annotated[str | None, o.option("Audited on or after (UTC).", "DATE")] = None
    until: Annotated[str | None, o.option("Audited on or before (UTC).", "DATE")] = None


@dataclass(frozen=True)
class Figures(Audits):
    """Which figures to return."""

    measure: Annotated[str, o.option("Such as weat.", "NAME")] = "*"
    stimuli: Annotated[str, o.option("Such as weat-6.", "NAME")] = "*"
    category: Annotated[str, o.option("Such as gender.", "NAME")] = "*"


@dataclass(frozen=True)
class Compared:
    """Which runs are compared."""

    PANEL: ClassVar[str] = ASKED

    model: Annotated[str, o.option("Labels (* and ? stand for anything).", "LABEL")] = "*"
    run: Annotated[str | None, o.option("The run to look at (default: the newest of each model).", "RUN")] = None
    against: Annotated[str, o.option("The run to compare with: an id, or 'last'.", "RUN")] = "last"


@app.command("list")
@command
def list_command(
    store: StoreArgument,
    latest: LatestOption = False,
    state: Annotated[str | None, o.option("Only complete, partly or failed ones.", "STATE", panel=ASKED)] = None,
    quiet: o.QuietOption = False,
    *,
    asking: Audits,
    output: Output,
) -> Any:
    """List the audits of a store, oldest first: label, when, state, model, fingerprint, profile, seed, version, id."""
    return _answer(store, "audits", output, latest=latest, state=state, **asdict(asking))


@app.command("runs")
@command
def runs_command(store: StoreArgument, quiet: o.QuietOption = False, *, output: Output) -> Any:
    """List the runs of a store: when, of which list, how many models were audited, unchanged, failed or missing."""
    return _answer(store, "runs", output)


@app.command("worse")
@command
def worse_command(
    store: StoreArgument,
    limit: Annotated[float, o.option("How much a figure may grow, in sd of chance.", "X", min=0)] = 0.5,
    quiet: o.QuietOption = False,
    *,
    which: Compared,
    output: Output,
) -> None:
    """List the figures that got worse since the run before: further from chance by more than the limit.

    The scale is (score - mean of chance) / sd of chance, which models of any size share; raw scores are beside it. What
    chance still gives as often as 1 in 20 is listed as within chance, and does not count. Exit code 1 if anything got
    worse, 0 if not; models that did not change are named, not compared.
    """
    from aslant.auditing.fleet import worse

    with noted(quiet=quiet):
        found = worse(_opened(store), limit=limit, **asdict(which))
    deliver(found, output, quiet=quiet)
    if found.worse:
        raise typer.Exit(FOUND)


@app.command("unmeasured")
@command
def unmeasured_command(
    store: StoreArgument,
    model: Annotated[str, o.option("Labels (* and ? stand for anything).", "LABEL", panel=ASKED)] = "*",
    run: Annotated[str | None, o.option("A run (default: the newest of each model).", "RUN", panel=ASKED)] = None,
    quiet: o.QuietOption = False,
    *,
    output: Output,
) -> None:
    """List what the newest run did not measure: missing and failed models, measures that broke off, tests not run.

    Exit code 1 if a model is missing, failed or unfinished, or a measure broke off; 0 if only single tests were not
    run.
    """
    from aslant.auditing.fleet import not_measured

    with noted(quiet=quiet):
        found = not_measured(_opened(store), model=model, run=run)
    deliver(found, output, quiet=quiet)
    if found.models:
        raise typer.Exit(FOUND)


@app.command("figures")
@command
def figures_command(
    store: StoreArgument, latest: LatestOption = False, quiet: o.QuietOption = False, *, asking: Figures, output: Output
) -> Any:
    """Print the figures that match: one row for each measure, set of stimuli and audit."""
    return _answer(store, "figures", output, latest=latest, **asdict(asking))


@app.command("history")
@command
def history_command(store: StoreArgument, quiet: o.QuietOption = False, *, asking: Figures, output: Output) -> Any:
    """Follow figures from run to run, label by label: the effect, its interval, chance, and what else changed."""
    return _answer(store, "history", output, **asdict(asking))


def _opened(store: str) -> ResultsStore:
    from aslant.auditing.store import ResultsStore

    return ResultsStore(store)


def _answer(store: str, question: str, output: Output, **asked: Any) -> Any:
    """Ask a store, and say on standard error what a table on standard output has no place for."""
    found = getattr(_opened(store), question)(**asked)
    if STANDARD_OUTPUT in (output.csv, output.markdown, output.latex):
        for each in found.notes:
            note(each)
    return found


@app.command("show")
@command
def show_command(
    store: StoreArgument,
    which: WhichArgument,
    report: ReportOption = None,
    quiet: o.QuietOption = False,
    *,
    output: Output,
) -> Any:
    """Show one audit again, in full, and write its report."""
    names = _names(report, store)
    with noted(quiet=quiet):
        audit = _opened(store).audit(which)
    _write(audit, names, quiet=quiet)
    return audit


@app.command("compare")
@command
def compare_command(
    store: StoreArgument,
    before: WhichArgument,
    after: Annotated[
        str | None,
        o.argument("A later one; default: AUDIT is a label, and its two newest runs are compared.", "[AUDIT]"),
    ] = None,
    report: ReportOption = None,
    quiet: o.QuietOption = False,
    *,
    output: Output,
) -> Any:
    """Compare two audits, figure by figure: before, after, difference, and whether the evidence changed.

    What else differs (version, profile, seed, words, corpus) is said, since it may explain a difference too. The report
    (-o) has both audits side by side; 'aslant check' can check its JSON against limits on differences.
    """
    from aslant.auditing import compare_audits

    names, found = _names(report, store), _opened(store)
    with noted(quiet=quiet):
        change = found.compare(before, after)
    if names:
        audits, dated = [], change.before.label == change.after.label
        for stored in (change.before, change.after):
            name = f"{stored.label}, {stored.audited[:10]}, {stored.id}" if dated else stored.label
            with noted(quiet=True):  # already reported
                audit = found.audit(stored.id)
            audits.append(replace(audit, representation=replace(audit.representation, name=name)))
        _write(compare_audits(audits), names, quiet=quiet)
    return change


@app.command("add")
def add_command(
    store: Annotated[str, o.argument("A store, or the name of a new one.", "STORE")],
    report: Annotated[str, o.argument("JSON that 'aslant audit' wrote, or JSON Lines of 'export'.", "FILE")],
    label: Annotated[str | None, o.option("A label for the model (default: its own name).", "LABEL")] = None,
    quiet: o.QuietOption = False,
) -> None:
    """Put a report that was made before, or elsewhere, or the audits of another store, into a store."""
    from aslant.auditing.policy import read_report
    from aslant.auditing.store import is_lines
    from aslant.report.tables import plain
    from aslant.results.audit import AuditResult

    into = _opened(store)
    if is_lines(Path(report)):
        if label is not None:
            raise AslantError(f"'{report}' holds labels of its own; leave out --label.")
        with noted(quiet=quiet):
            added = into.add_lines(report)
    else:
        found = read_report(report)
        audits = (found,) if isinstance(found, AuditResult) else found.audits
        if label is not None and len(audits) > 1:
            raise AslantError(f"'{report}' holds {len(audits)} audits, but one label was given; leave out --label.")
        added = [into.append(audit, label, source=report) for audit in audits]
    if not quiet:
        for stored in added:
            print(f"stored: {plain(stored.label)} as {stored.id} in {plain(store)}")


@app.command("export")
def export_command(
    store: StoreArgument,
    file: Annotated[Path, o.argument("Where to write; '-' is standard output.", "FILE")],
    figures: Annotated[bool, o.option("Instead every figure of every run, flat.", None, "--figures")] = False,
    quiet: o.QuietOption = False,
) -> None:
    """Write every audit, run and outcome as a line of JSON, for other programs and other stores ('add' reads it).

    With --figures, a flat line for each figure of each run instead, with its interval and chance, as log pipelines and
    data frames read them.
    """
    from aslant.results.codec import unsteered_json

    found = _opened(store)
    with noted(quiet=quiet):
        rows = (f"{unsteered_json(row)}\n".encode() for row in found.history().rows()) if figures else found.lines()
        if file == STANDARD_OUTPUT:
            sys.stdout.buffer.writelines(rows)
            return
        try:
            with written_whole(file) as target:
                target.writelines(rows)
        except OSError as error:
            raise AslantError(f"cannot write '{file}': {error.strerror or error}.") from None
    if not quiet:
        written(file)


def _names(report: Path | None, store: str) -> list[Path]:
    """Return the files of a report, if one was requested; the store is never one of them."""
    names = [] if report is None else report_files(report)
    for path in names:
        if path.exists() and Path(store).exists() and path.samefile(store):
            raise AslantError(f"'{path}' is the store and would be overwritten; choose another name with -o.")
    return names


def _write(result: AuditResult | AuditComparison, names: list[Path], *, quiet: bool) -> None:
    for path in reversed(names):
        result.save(path)
    if not quiet:
        written(*names, to=sys.stderr)

"""`aslant results`: query a store of audits, show one again, compare two, follow a figure over time."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from aslant.cli import options as o
from aslant.cli.shared import Output, command

if TYPE_CHECKING:
    from aslant.results.audit import AuditComparison, AuditResult
    from aslant.results.stored import AuditChange, StoredAudit

app = typer.Typer(help="Audits in a store: list, query, show, compare, follow over time, export.", no_args_is_help=True)

LIST_EXAMPLES = """
[bold]Examples[/bold]

aslant results list results.db                       every audit: label, when, state, model, id

aslant results list results.db --latest --since 2026-03-01 --json -
"""
FIGURES_EXAMPLES = """
[bold]Examples[/bold]

aslant results figures results.db --measure weat --stimuli weat-6

aslant results figures results.db --model 'ours*' --category gender --latest --csv figures.csv
"""
SHOW_EXAMPLES = """
[bold]Examples[/bold]

aslant results show results.db ours                  the newest audit of 'ours'

aslant results show results.db ours~1 -o before      the one before it, as before.html, .json and .csv

aslant results show results.db 3f2a9c                by the first digits of its id
"""
COMPARE_EXAMPLES = """
[bold]Examples[/bold]

aslant results compare results.db ours               the newest audit of 'ours' with the one before it

aslant results compare results.db 'last month' 'this month'

aslant results compare results.db ours~2 ours -o change && aslant check change.json --policy policy.toml
"""
HISTORY_EXAMPLES = """
[bold]Examples[/bold]

aslant results history results.db --model ours --measure weat --stimuli weat-6

aslant results history results.db --category race --csv history.csv
"""
ADD_EXAMPLES = """
[bold]Examples[/bold]

aslant results add results.db aslant-report.json --label ours      a report that 'aslant audit' wrote

aslant results add results.db other.jsonl                          what 'aslant results export' wrote, or an old store
"""
EXPORT_EXAMPLES = """
[bold]Examples[/bold]

aslant results export results.db - | jq .record.label

aslant results export march.db march.jsonl && aslant results add year.db march.jsonl
"""
ASKED = "Which ones (* and ? stand for anything)"
StoreArgument = Annotated[
    str, typer.Argument(metavar="STORE", help="The file that 'aslant audit --models LIST --store FILE' wrote.")
]
WhichArgument = Annotated[
    str, typer.Argument(metavar="AUDIT", help="A label (its newest audit), label~1 (the one before it), or an id.")
]
ModelOption = Annotated[
    str, typer.Option("--model", metavar="LABEL", help="Labels, or models' own names.", rich_help_panel=ASKED)
]
SinceOption = Annotated[
    str | None, typer.Option("--since", metavar="DATE", help="Audited on or after (UTC).", rich_help_panel=ASKED)
]
UntilOption = Annotated[
    str | None, typer.Option("--until", metavar="DATE", help="Audited on or before (UTC).", rich_help_panel=ASKED)
]
LatestOption = Annotated[
    bool, typer.Option("--latest", help="Only the newest audit of each label.", rich_help_panel=ASKED)
]
ReportOption = Annotated[
    Path | None,
    typer.Option("--output", "-o", metavar="NAME", help="Write a report; .html, .json and .csv are added."),
]


@dataclass(frozen=True)
class Asking:
    """Which figures to return."""

    measure: Annotated[
        str, typer.Option("--measure", metavar="NAME", help="Such as weat.", rich_help_panel=ASKED)
    ] = "*"  # fmt: skip
    stimuli: Annotated[
        str, typer.Option("--stimuli", metavar="NAME", help="Such as weat-6.", rich_help_panel=ASKED)
    ] = "*"  # fmt: skip
    category: Annotated[
        str, typer.Option("--category", metavar="NAME", help="Such as gender.", rich_help_panel=ASKED)
    ] = "*"  # fmt: skip
    model: ModelOption = "*"
    since: SinceOption = None
    until: UntilOption = None


@app.callback()
def results_command() -> None:
    """Audits in a store: list, query, show, compare, follow over time, export."""


@app.command("list", epilog=LIST_EXAMPLES)
@command
def list_command(
    store: StoreArgument,
    model: ModelOption = "*",
    since: SinceOption = None,
    until: UntilOption = None,
    latest: LatestOption = False,
    *,
    output: Output,
) -> None:
    """List the audits of a store, oldest first: label, when, state, model, fingerprint, profile, seed, version, id."""
    _answer(store, "audits", output, model=model, since=since, until=until, latest=latest)


@app.command("figures", epilog=FIGURES_EXAMPLES)
@command
def figures_command(store: StoreArgument, latest: LatestOption = False, *, asking: Asking, output: Output) -> None:
    """Print the figures that match: one row for each measure, set of stimuli and audit."""
    _answer(store, "figures", output, latest=latest, **asdict(asking))


@app.command("history", epilog=HISTORY_EXAMPLES)
@command
def history_command(store: StoreArgument, *, asking: Asking, output: Output) -> None:
    """Follow figures over time, label by label: the effect, its change since the last audit, what else changed."""
    _answer(store, "history", output, **asdict(asking))


def _answer(store: str, question: str, output: Output, **asked: Any) -> None:
    """Ask a store, and say on standard error what a table on standard output has no place for."""
    from aslant.auditing.store import ResultsStore
    from aslant.cli.printing import STANDARD_OUTPUT, deliver
    from aslant.cli.progress import note

    found = getattr(ResultsStore(store), question)(**asked)
    if STANDARD_OUTPUT in (output.csv, output.markdown, output.latex):
        for each in found.notes:
            note(each)
    deliver(found, output, quiet=False)


@app.command("show", epilog=SHOW_EXAMPLES)
@command
def show_command(
    store: StoreArgument, which: WhichArgument, report: ReportOption = None, *, output: Output
) -> None:  # fmt: skip
    """Show one audit again, in full, and write its report."""
    from aslant.auditing.store import ResultsStore
    from aslant.cli.printing import deliver
    from aslant.cli.progress import noted

    names = _names(report, store)
    with noted():
        audit = ResultsStore(store).audit(which)
    _write(audit, names)
    deliver(audit, output, quiet=False)


@app.command("compare", epilog=COMPARE_EXAMPLES)
@command
def compare_command(
    store: StoreArgument,
    before: WhichArgument,
    after: Annotated[
        str | None,
        typer.Argument(
            metavar="[AUDIT]",
            help="A later one; default: AUDIT is a label, and its two newest audits are compared.",
        ),
    ] = None,
    report: ReportOption = None,
    *,
    output: Output,
) -> None:
    """Compare two audits, figure by figure: before, after, difference, and whether the evidence changed.

    What else differs (version, profile, seed, words, corpus) is said, since it may explain a difference too. The report
    (-o) has both audits side by side; 'aslant check' can check its JSON against limits on differences.
    """
    from aslant.auditing.store import ResultsStore
    from aslant.cli.printing import deliver
    from aslant.cli.progress import noted

    names, found = _names(report, store), ResultsStore(store)
    with noted():
        change = found.compare(before, after)
    if names:
        with noted(quiet=True):  # already reported
            first, second = found.audit(change.before.id), found.audit(change.after.id)
        _write(_side_by_side(first, second, change), names)
    deliver(change, output, quiet=False)


@app.command("add", epilog=ADD_EXAMPLES)
def add_command(
    store: Annotated[str, typer.Argument(metavar="STORE", help="A store, or the name of a new one.")],
    report: Annotated[
        str, typer.Argument(metavar="FILE", help="JSON that 'aslant audit' wrote, or JSON Lines of 'export'.")
    ],
    label: Annotated[
        str | None, typer.Option("--label", metavar="LABEL", help="A label for the model (default: its own name).")
    ] = None,
    quiet: o.QuietOption = False,
) -> None:
    """Put a report that was made before, or elsewhere, or the audits of another store, into a store."""
    from aslant.auditing.policy import read_report
    from aslant.auditing.store import ResultsStore, is_lines
    from aslant.cli.progress import noted
    from aslant.errors import AslantError
    from aslant.report.tables import plain
    from aslant.results.audit import AuditResult

    into = ResultsStore(store)
    if is_lines(Path(report)):
        if label is not None:
            raise AslantError(f"'{report}' holds labels of its own; leave --label out.")
        with noted():
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


@app.command("export", epilog=EXPORT_EXAMPLES)
def export_command(
    store: StoreArgument,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="Where to write; '-' is standard output.")],
) -> None:
    """Write every audit of a store as a line of JSON, for other programs and other stores ('add' reads it)."""
    import sys

    from aslant.auditing.store import ResultsStore
    from aslant.cli.progress import noted
    from aslant.errors import AslantError
    from aslant.io.files import written_whole

    found = ResultsStore(store)
    with noted():
        if file == Path("-"):
            for line in found.lines():
                sys.stdout.buffer.write(line)
            return
        try:
            with written_whole(file) as written:
                written.writelines(found.lines())
        except OSError as error:
            raise AslantError(f"cannot write '{file}': {error.strerror or error}.") from None


def _names(report: Path | None, store: str) -> list[Path]:
    """Return the files of a report, if one was requested; the store is never one of them."""
    from aslant.cli.audit import REPORTS, report_name
    from aslant.errors import AslantError

    if report is None:
        return []
    base = report_name(report)
    names = [base.with_name(base.name + suffix) for suffix in REPORTS]
    for path in names:
        if path.exists() and Path(store).exists() and path.samefile(store):
            raise AslantError(f"'{path}' is the store and would be overwritten; choose another name with -o.")
    return names


def _write(result: AuditResult | AuditComparison, names: list[Path]) -> None:
    import sys

    for path in reversed(names):
        result.save(path)
    if names:
        print("\n".join(f"written: {path}" for path in names), file=sys.stderr)


def _side_by_side(before: AuditResult, after: AuditResult, change: AuditChange) -> AuditComparison:
    """Return both audits as a report, each under its label, and its day where the labels are the same."""
    from aslant.auditing import compare_audits

    dated = change.before.label == change.after.label
    pairs = ((before, change.before), (after, change.after))
    return compare_audits([_named(audit, stored, dated=dated) for audit, stored in pairs])


def _named(audit: AuditResult, stored: StoredAudit, *, dated: bool) -> AuditResult:
    name = f"{stored.label}, {stored.audited[:10]}, {stored.id}" if dated else stored.label
    return replace(audit, representation=replace(audit.representation, name=name))

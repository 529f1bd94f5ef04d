"""`aslant check`: check a report against limits, for use in a CI pipeline."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from aslant.cli import options as o
from aslant.cli.printing import deliver
from aslant.cli.shared import Output, command
from aslant.io.files import write_text

EXAMPLES = """
aslant check aslant-report.json                          the default policy: no large association about people
aslant check aslant-report.json --policy policy.toml --junit aslant.xml
"""


@dataclass(frozen=True)
class CheckOutput(Output):
    """Where a check is written: also as JUnit XML."""

    junit: Annotated[Path | None, o.option("Write JUnit XML.", "FILE")] = None

    def files(self) -> list[Path]:
        """Return every requested file."""
        return super().files() + ([self.junit] if self.junit is not None else [])


@command
def check_command(
    report: Annotated[str, o.argument("The JSON that 'aslant audit' wrote.", "REPORT.json")],
    policy: Annotated[str | None, o.option("Rules (TOML); default: the built-in policy.", "FILE")] = None,
    quiet: o.QuietOption = False,
    *,
    output: CheckOutput,
) -> None:
    """Check the report of an audit against a policy: exit code 0 if every rule is met, 1 if not, 2 for bad input.

    A measurement that a rule needs and that is missing from the report is a failure, unless the rule is optional.
    """
    from aslant.auditing.policy import check_policy, read_policy, read_report
    from aslant.report.audit import junit

    rules = read_policy(policy)
    result = check_policy(read_report(report), rules)
    if output.junit is not None:
        write_text(output.junit, junit(result))
    deliver(result, output, quiet=quiet)
    if not result.passed:
        raise typer.Exit(1)

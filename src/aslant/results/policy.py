"""What checking a report against a policy returns: one line for each rule and measurement that it applies to."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, ClassVar, Literal

from aslant.results.codec import Result

Verdict = Literal["passed", "violated", "missing", "not measured"]
#: Verdicts with which a check fails; "not measured" is a missing measurement of a rule that is optional.
FAILING: tuple[Verdict, ...] = ("violated", "missing")


@dataclass(frozen=True)
class PolicyLine:
    """One rule on one measurement of one model; `limit` is the rule in words, `reason` says why it does not apply."""

    rule: str
    model: str
    measure: str
    stimuli: str
    field: str
    value: float | None
    limit: str
    verdict: Verdict
    reason: str = ""


@dataclass(frozen=True)
class PolicyCheck(Result):
    """A report checked against a policy; it passes when no line is violated or missing."""

    kind: ClassVar[str] = "policy-check"

    policy: str
    models: tuple[str, ...]
    lines: tuple[PolicyLine, ...]
    version: str

    @property
    def passed(self) -> bool:
        """Whether every rule is met."""
        return not self.failures

    @property
    def failures(self) -> tuple[PolicyLine, ...]:
        """The lines with which the check fails."""
        return tuple(line for line in self.lines if line.verdict in FAILING)

    def rows(self) -> list[dict[str, Any]]:
        """Return one table row per line."""
        return [asdict(line) for line in self.lines]

"""A test that a model meets a policy: `assert_audit(model, policy)`, in any test runner; in pytest also a fixture."""

from __future__ import annotations

from os import PathLike
from pathlib import Path
from typing import Any

from aslant.auditing import audit
from aslant.auditing.policy import Policy, check_policy, read_policy, read_report
from aslant.results.audit import AuditComparison, AuditResult, PolicyCheck, PolicyLine, Profile

#: Broken rules that a message shows.
MOST_SHOWN = 20


def assert_audit(
    model: Any = None,
    policy: Policy | str | PathLike[str] | None = None,
    *,
    baseline: Any = None,
    profile: Profile = "quick",
    **settings: Any,
) -> PolicyCheck:
    """Audit a model and fail unless its report meets a policy; returns the check.

    `model` is what `aslant.audit` takes, or a report: an `AuditResult`, or the .json that `aslant audit` wrote.
    `policy` is a TOML file (by default the built-in policy), `baseline` an earlier report from which nothing may have
    moved. Other settings are those of `aslant.audit`. A test on few random draws may change its verdict with the seed
    where a line is near its limit: give the profile "standard" to rely on it.

    >>> import aslant
    >>> assert_audit(aslant.load(), only=["weat"]).passed
    True
    """
    __tracebackhide__ = True
    report = _report(model, profile, settings)
    rules = policy if isinstance(policy, Policy) else read_policy(policy)
    earlier = None if baseline is None else _report(baseline, profile, settings)
    check = check_policy(report, rules, earlier)
    if not check.passed:
        raise AssertionError(_told(check))
    return check


def _report(model: Any, profile: Profile, settings: dict[str, Any]) -> AuditResult | AuditComparison:
    if isinstance(model, AuditResult | AuditComparison):
        return model
    if isinstance(model, str | PathLike) and Path(model).suffix == ".json" and Path(model).is_file():
        return read_report(model)
    return audit(model, profile=profile, **settings)


def _told(check: PolicyCheck) -> str:
    """Say which rules are broken, one line each."""
    failures = check.failures
    head = f"{', '.join(check.models)}: {len(failures)} of {len(check.lines)} lines break the policy '{check.policy}'"
    more = [f"… and {len(failures) - MOST_SHOWN} more"] if len(failures) > MOST_SHOWN else []
    return "\n".join([f"{head}:", *map(_line, failures[:MOST_SHOWN]), *more])


def _line(line: PolicyLine) -> str:
    about = f"  {line.rule}: {line.measure} {line.stimuli}".rstrip()
    if line.value is None:
        return f"{about}: {line.reason or 'not measured'}"
    why = f" ({line.reason})" if line.reason else ""
    return f"{about}: {line.field} is {line.value:.4g}; required: {line.limit}{why}"

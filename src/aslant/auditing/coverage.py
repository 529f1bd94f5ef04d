"""What a report must have before its numbers count: tests that ran, words that were found; and an earlier report."""

from __future__ import annotations

import fnmatch
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from typing import TYPE_CHECKING, Any

from aslant import catalogue
from aslant.errors import plural
from aslant.results.audit import (
    NEEDS_TEXT,
    ON_REQUEST,
    AuditComparison,
    AuditResult,
    Evidence,
    Glance,
    PolicyLine,
    Verdict,
)
from aslant.results.parts import WordsUsed

if TYPE_CHECKING:
    from aslant.auditing.policy import Policy

#: The kinds of model that a policy knows, and the traits that measures of them fit.
KINDS = {
    "static": {"static"},
    "language model": {"masked LM", "causal LM"},
    "encoder": {"encoder", "encoder + corpus", "sentence encoder"},
}
#: How much each grade of evidence says.
GRADES: tuple[Evidence, ...] = ("not tested", "none", "some", "strong")


def like(text: str, pattern: str) -> bool:
    """Tell whether a text fits a pattern; only * and ? stand for other characters.

    >>> like("weat, weat-3", "weat*"), like("a[1]", "a[1]")
    (True, True)
    """
    return fnmatch.fnmatchcase(text, pattern.replace("[", "[[]"))


def audits_of(report: AuditResult | AuditComparison) -> tuple[AuditResult, ...]:
    """Return the audits of a report."""
    return (report,) if isinstance(report, AuditResult) else report.audits


def not_covered(policy: Policy, model: str, audit: AuditResult) -> list[PolicyLine]:
    """Say what a policy asks for and the audit does not have: tests that ran, words that were found."""
    said: list[tuple[str, str, str, float | None, str, str]] = []
    if not policy.allow_failed:
        said += [("no measure breaks off", what, "failed", None, "none", why) for what, why in audit.failed.items()]
    for what, why in audit.not_run.items():
        asked = why != ON_REQUEST and not why.startswith(NEEDS_TEXT)
        if asked and not any(like(what, pattern) for pattern in policy.may_not_run):
            said.append(("everything is run", what, "not run", None, "none", why.partition(" (missing")[0]))
    ran = [name for line in audit.glance for name in (line.measure, f"{line.measure}, {line.stimuli}")]
    for pattern in _must_run(policy, audit):
        if not any(like(name, pattern) for name in ran):
            said.append(("what must run is run", pattern, "not run", None, "run", "no line of the report matches"))
    for measure, (share, told) in _least_found(audit).items():
        if share < policy.min_found:
            limit = f"at least {policy.min_found:g}"
            said.append(("words are found", measure, "share of words found", share, limit, told))
    return [
        PolicyLine(rule, model, measure, stimuli or "*", field, value, limit, "violated", why)
        for rule, what, field, value, limit, why in said
        for measure, _, stimuli in (what.partition(", "),)
    ]


def _must_run(policy: Policy, audit: AuditResult) -> list[str]:
    """Return what must have a line: what is listed, or, by kind of model, what the audit does not account for."""
    if not isinstance(policy.must_run, dict):
        return list(policy.must_run)
    told = {**audit.not_run, **audit.failed}
    kinds = kinds_of(audit)
    wanted = [pattern for kind, patterns in policy.must_run.items() if kind in kinds for pattern in patterns]
    return [p for p in wanted if not any(p == what or p.startswith(f"{what}, ") for what in told)]


def kinds_of(audit: AuditResult) -> set[str]:
    """Return the kinds of model that an audit is of, by the measures that it names; a model may be read in two ways."""
    named = {*audit.not_run, *audit.failed, *(line.measure for line in audit.glance), *(p.measure for p in audit.parts)}
    found = {name.partition(",")[0] for name in named} - {"own words"}  # which fit any model
    fits = {trait for name, step in catalogue.steps().items() if name in found for trait in step.fits}
    return {kind for kind, traits in KINDS.items() if traits & fits}


def covered(audit: AuditResult) -> str:
    """Say in one line what an audit covers.

    >>> import aslant
    >>> covered(aslant.audit(only=["weat"], profile="quick"))[:58]
    '10 lines; not run: 0; left out on request, so not checked:'
    """
    waived = [what for what, why in audit.not_run.items() if why == ON_REQUEST]
    least = min(((*found, measure) for measure, found in _least_found(audit).items()), default=None)
    told = [plural(len(audit.glance), "line"), f"not run: {len(audit.not_run) + len(audit.failed) - len(waived)}"]
    told += [f"{ON_REQUEST}, so not checked: {', '.join(waived)}"] if waived else []
    told += [f"fewest words found: {least[1]} ({least[2]})"] if least else []
    return "; ".join(told)


def _least_found(audit: AuditResult) -> dict[str, tuple[float, str]]:
    """Return, by measure, the least share of a word set that has a vector, and in words how many of which set."""
    least: dict[str, tuple[float, str]] = {}
    for part in audit.parts:
        counts = [found for result in part.results if result.names_missing for found in _counts(result)]
        if counts:
            least[part.measure] = min((n / (n + m or 1), f"{n} of {n + m} of '{name}'") for name, n, m in counts)
    return least


def _counts(result: Any) -> list[tuple[str, int, int]]:
    """Return of every word set of a result its name, how many of its words were found, and how many were not."""
    sets = list(_sets(result))
    counts = [(words.name, len(words.used) + len(words.same_token), len(words.missing)) for words in sets]
    if by_word := getattr(result, "by_word", ()):  # words that are measured one by one
        others = {word for words in sets for word in words.missing}
        counts.append(("words", len(by_word), len(set(result.missing) - others)))
    return counts


def _sets(content: Any) -> Iterator[WordsUsed]:
    """Find every word set in a result."""
    if isinstance(content, WordsUsed):
        yield content
    elif is_dataclass(content):
        for field in fields(content):
            yield from _sets(getattr(content, field.name))
    elif isinstance(content, tuple) and content and is_dataclass(content[0]):
        for item in content:
            yield from _sets(item)


def moved(policy: Policy, model: str, audit: AuditResult, baseline: AuditResult | AuditComparison) -> list[PolicyLine]:
    """Hold every line of the baseline to what the audit found: no more evidence, and about the same effect.

    So is a line that only the audit has, which must not have evidence. Another name or profile is only noted.
    """
    earlier = {a.representation.name: a for a in audits_of(baseline)}
    before = baseline if isinstance(baseline, AuditResult) else earlier.get(model)
    if before is None:
        why = f"the baseline has no model of this name, only {', '.join(earlier)}"
        return [PolicyLine("as in the baseline", model, "*", "*", "evidence", None, "the same model", "missing", why)]
    said = []
    for what, old, new, verdict in _unlike(before, audit):
        why = f"the baseline's {what}: {old}; the report's: {new}"
        said.append(PolicyLine("as in the baseline", model, "*", "*", what, None, f"the same {what}", verdict, why))
    found, known = {line.key: line for line in audit.glance}, {line.key for line in before.glance}
    said += [_held(policy, model, line, found.get(line.key)) for line in before.glance]
    for line in audit.glance:
        if line.key not in known and GRADES.index(line.evidence) > GRADES.index("none"):
            about = ("as in the baseline", model, line.measure, line.stimuli, "evidence", line.effect)
            said.append(PolicyLine(*about, "evidence at most 'none'", "violated", f"new, evidence: {line.evidence}"))
    return said


def _unlike(before: AuditResult, after: AuditResult) -> list[tuple[str, str, str, Verdict]]:
    """Return in what two audits differ that bears on every line; a new version of a model may have another name."""
    old, new = (", ".join(sorted(kinds_of(audit))) for audit in (before, after))
    found: list[tuple[str, str, str, Verdict]] = [
        ("kind of model", old, new, "violated"),
        ("name", before.representation.name, after.representation.name, "not measured"),
        ("profile", before.profile, after.profile, "not measured"),
    ]
    return [row for row in found if row[1] != row[2]]


def _held(policy: Policy, model: str, old: Glance, new: Glance | None) -> PolicyLine:
    """Hold one line to the same line of the baseline."""
    room = next((room for name, room in policy.tolerance.items() if like(old.effect_name, name)), 0.0)
    about = ("as in the baseline", model, old.measure, old.stimuli)
    if new is None or (new.effect is None) != (old.effect is None):
        return PolicyLine(
            *about, "effect_size", None, "measured", "missing", "the baseline has it, the report does not"
        )
    if GRADES.index(new.evidence) > max(GRADES.index(old.evidence), GRADES.index("none")):
        why = f"evidence: {new.evidence}"
        return PolicyLine(*about, "evidence", new.effect, f"evidence at most '{old.evidence}'", "violated", why)
    if old.effect is None or new.effect is None:
        return PolicyLine(*about, "evidence", None, f"evidence at most '{old.evidence}'", "passed")
    kept = abs(new.effect - old.effect) <= room
    limit = f"{old.effect:.4g} ± {room:g}"
    return PolicyLine(*about, "effect_size", new.effect, limit, "passed" if kept else "violated")

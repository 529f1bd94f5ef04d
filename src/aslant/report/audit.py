"""Audits as tables: what each measure found at a glance, several models side by side, what a store holds.

Also an embedding before and after debiasing, and a policy check, as a table and as JUnit XML for CI systems.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from aslant.errors import plural
from aslant.report.tables import Column, Table, between, first_of, number, plain, pvalue, small
from aslant.results.audit import FAILING, AuditComparison, AuditResult, PolicyCheck, PolicyLine
from aslant.results.debias import DebiasCheck
from aslant.results.stored import AuditChange, FigureHistory, StoredAudit, StoredAudits, StoredFigures

PAIRED = (
    "A difference with an interval is over the words that both models have; it may differ from the gap between the two "
    "values, which are over the words that each has."
)
#: Takes the dimensions.
OTHER_DIMENSIONS = (
    "The dimensions differ ({}), and so does what chance gives: compare values in standard deviations of chance from "
    "its mean (in sd of chance) rather than the raw ones."
)
HIDES = (
    "A lower number is not fairness by itself: debiasing hides more than it removes (Gonen & Goldberg 2019). The "
    "residual rows show what can still be detected, which is much for words picked by any direction, meaningful or "
    "not; a fall in the quality rows is damage."
)
CHECKED_WEAT = (
    "raw statistic of a WEAT: the difference of mean associations, which d divides by the spread of the associations; "
    "p: over re-partitions of the targets; p (chance): the share of random words that reach as much; intervals: of d, "
    "over the choice of words."
)
#: Follows the names of tests.
SHRUNK = (
    ": the spread of the associations, which d is divided by, fell to less than half, so d looks larger than what is "
    "left; read the raw statistic."
)
#: Follows the name of a method.
FITTED = (
    " learned from the words that lean most between two poles. Nearly all words of the clustering and classification "
    "rows are among them: these rows show how well it fits its own words, and other words may have kept more."
)
#: What XML 1.0 cannot hold, even escaped: control characters, lone surrogates, and two that are not characters.
NOT_IN_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def _or_dash(value: object) -> str:
    return "–" if value is None else plain(value)


def _when(text: str) -> str:
    """Write a time to the minute; it is in UTC.

    >>> _when("2026-03-01T10:20:30+00:00")
    '2026-03-01 10:20'
    """
    return plain(text[:16].replace("T", " "))


def _number(value: float | None) -> str:
    return "–" if value is None else f"{value:z.4g}".replace("-", "−")


#: What is written as a number, and how; other fields are text.
NUMBERS: dict[str, Callable[[Any], str]] = {
    **dict.fromkeys(("effect", "first", "value", "difference", "before", "after"), small),
    **dict.fromkeys(("first_standardised", "standardised"), number),
    **dict.fromkeys(("pvalue", "qvalue", "chance_qvalue"), pvalue),
    "chance": str,
    **{"interval": str, "figures": str, "seed": _or_dash},
}
TEXTS: dict[str, Callable[[Any], str]] = {
    **dict.fromkeys(("strength", "evidence_before", "evidence_after"), _or_dash),
    "audited": _when,
}
TITLES = {
    **{
        "category": "about",
        "effect_name": "which is",
        "pvalue": "p",
        "qvalue": "q",
        "chance_qvalue": "q (chance)",
        "audited": "audited (UTC)",
    },
    **{"value": "its value", "evidence_before": "evidence before", "evidence_after": "evidence after", "reason": ""},
}
WRAPPING = ("stimuli", "label", "rule", "limit", "reason")


def _columns(keys: str, **changes: dict[str, Any]) -> tuple[Column, ...]:
    """Return columns by their keys; "key:90" is left out on a terminal that is narrower than that."""
    made = []
    for key, _, width in (each.partition(":") for each in keys.split()):
        write = NUMBERS.get(key) or TEXTS.get(key, plain)
        column = Column(
            key, TITLES.get(key, key), write, "right" if key in NUMBERS else "left", min_width=int(width or 0)
        )
        made.append(replace(column, **{"wraps": key in WRAPPING, **changes.get(key, {})}))
    return tuple(made)


EVIDENCE_NOTE = (
    "chance: where 95 % of random words of the same frequency lie, put in place of those that carry the meaning; "
    "evidence: the weaker of the measure's own test (q) and chance (strong: up to 0.01, some: up to 0.05); both "
    "q-values allow for the number of lines."
)


def glance_table(result: AuditResult) -> Table:
    """Describe an audit, one row per measure and set of stimuli."""
    columns = _columns(
        "measure stimuli category:90 effect chance qvalue chance_qvalue evidence effect_name:118 strength:130"
    )
    rows = [{**row, "chance": between(row["chance_low"], row["chance_high"], small)} for row in result.rows()]
    notes = [EVIDENCE_NOTE] if rows else []
    notes += [f"not run: {plain(what)}: {plain(why)}" for what, why in result.not_run.items()]
    notes += [f"failed: {plain(what)}: {plain(why)}" for what, why in result.failed.items()]
    for part in result.parts:
        words = list(dict.fromkeys(w for r in part.results if r.names_missing for w in r.missing))
        if words:
            notes.append(f"{plain(part.measure)}: not found: {first_of(words)}")
    title = f"Audit of {result.representation.name}"
    return Table(title, columns, rows, tuple(notes), section_key="measure")


def differences_table(result: AuditComparison) -> Table:
    """Describe several audits, one row per line and further model."""
    columns = _columns(
        "measure stimuli effect_name:90 first model value difference interval:110 pvalue:110 first_standardised:140 "
        "standardised:140",
        effect_name={"title": "effect"},
        first={"title": plain(result.names[0])},
        first_standardised={"title": f"{plain(result.names[0])},\nin sd of chance"},
        standardised={"title": "other model,\nin sd of chance"},
        model={"title": "other model"},
    )
    rows = [{**row, "interval": between(row["low"], row["high"], small)} for row in result.rows()]
    notes = [f"no paired difference: {plain(what)}: {plain(why)}" for what, why in result.not_compared.items()]
    if any(row["words"] is not None for row in rows):
        notes.insert(0, PAIRED)
    sizes = list(dict.fromkeys(f"{audit.representation.dimensions:,}" for audit in result.audits))
    if len(sizes) > 1:
        notes.insert(0, OTHER_DIMENSIONS.format(", ".join(sizes)))
    notes += [
        f"not run on {plain(audit.representation.name)}: {plain(what)}: {plain(why)}"
        for audit in result.audits
        for what, why in audit.not_run.items()
    ]
    return Table(f"Audits of {', '.join(result.names)}", columns, rows, tuple(notes), section_key="measure")


def audits_table(result: StoredAudits) -> Table:
    """Describe audits, one row each; what failed says why under the table."""
    columns = _columns(
        "label audited state model:90 fingerprint:110 profile:80 seed:100 figures:80 version:120 id",
        state={"style": lambda state: {"failed": "bold red", "partly": "bold yellow"}.get(state, "")},
        model={"wraps": True},
    )
    notes = list(dict.fromkeys(f"{a.state}: {plain(a.label)}: {plain(a.reason)}" for a in result.failed))
    return Table(plural(len(result.audits), "audit"), columns, result.rows(), (*notes, *map(plain, result.notes)))


def figures_table(result: StoredFigures) -> Table:
    """Describe figures, one row each."""
    columns = _columns(
        "label audited measure stimuli category:110 effect effect_name:90 strength:100 qvalue:120 evidence"
    )
    rows = result.rows()
    return Table(plural(len(rows), "figure"), columns, rows, tuple(map(plain, result.notes)), section_key="audit")


def history_table(result: FigureHistory) -> Table:
    """Describe figures over time, one figure of one label after the other."""
    columns = _columns("label measure stimuli audited effect effect_name:110 difference evidence:90 fingerprint:120")
    told = [(p.figure.audit, "; ".join(p.unlike)) for p in result.points if p.unlike]
    notes = [f"{plain(a.label)}, {_when(a.audited)}, differs from the previous audit in {plain(t)}" for a, t in told]
    notes += map(plain, result.notes)
    return Table("Figures over time", columns, result.rows(), tuple(dict.fromkeys(notes)), section_key="stimuli")


def change_table(result: AuditChange) -> Table:
    """Describe two audits, one row per figure."""
    columns = _columns(
        "measure stimuli category:110 before after difference effect_name:90 evidence_before:110 evidence_after:110 "
        "change",
        change={"style": lambda value: "" if value == "same" else "bold"},
    )
    notes = [f"before: {_told(result.before)}", f"after: {_told(result.after)}"]
    if result.before.fingerprint == result.after.fingerprint:
        notes.append("both audits are of the same model, by its content.")
    notes += [f"they differ in {plain(told)}" for told in result.unlike]
    before, after = result.before.label, result.after.label
    title = f"{before}: before and after" if before == after else f"{before} and {after}"
    return Table(title, columns, result.rows(), tuple(notes), section_key="measure")


def _told(audit: StoredAudit) -> str:
    """Say in one line which audit it is."""
    what = f"{plain(audit.model)}, fingerprint {plain(audit.fingerprint)}"
    return f"{plain(audit.label)} ({what}), {_when(audit.audited)}, id {plain(audit.id)}"


def check_table(result: DebiasCheck) -> Table:
    """Describe every measure before and after."""
    columns = (
        Column("measure", "measure", plain, "left", wraps=True),
        Column("before", "before", small),
        Column("after", "after", small),
        Column("statistics", "raw statistic", str, min_width=72),
        Column("pvalues", "p", str, min_width=92),
        Column("chances", "p (chance)", str, min_width=110),
        Column("before_interval", "interval before", str, min_width=168),
        Column("after_interval", "interval after", str, min_width=168),
        Column("after_range", "range over seeds", str, min_width=220),
        Column("after_chance", "shuffled", small, min_width=180),
        Column("difference", "difference", small, min_width=124),
        Column("interval", "its interval", str, min_width=200),
        Column("reads", "what it says", plain, "left", wraps=True, min_width=250),
    )
    rows = [
        {
            **row,
            "statistics": _then(row, "statistic", small),
            "pvalues": _then(row, "pvalue", pvalue),
            "chances": _then(row, "chance_pvalue", pvalue),
            "before_interval": between(row["before_low"], row["before_high"]),
            "after_interval": between(row["after_low"], row["after_high"]),
            "after_range": between(row["after_minimum"], row["after_maximum"]),
            "interval": between(row["difference_low"], row["difference_high"]),
        }
        for row in result.rows()
    ]
    notes = [HIDES, f"after: {plain(result.after.note)}" if result.after.note else "after: no record of what was done"]
    notes += [CHECKED_WEAT] if any(row["after_statistic"] is not None for row in rows) else []
    if shrunk := [m.measure.partition(":")[0] for m in result.measures if m.spread_shrank]:
        notes.append(plain(", ".join(shrunk)) + SHRUNK)
    if result.learned_from_leaning:
        notes.append(plain(" and ".join(result.learned_from_leaning)) + FITTED)
    notes += [f"not measured: {plain(what)}: {plain(why)}" for what, why in result.not_run.items()]
    return Table(f"{result.before.name}, before and after", columns, rows, tuple(notes))


def _then(row: dict[str, Any], field: str, write: Callable[[float | None], str]) -> str:
    """Write what a field was before, and is after."""
    before, after = row[f"before_{field}"], row[f"after_{field}"]
    return "–" if before is None and after is None else f"{write(before)} → {write(after)}"


def policy_table(result: PolicyCheck) -> Table:
    """Describe a check: what fails first, then the rest."""
    columns = _columns(
        "verdict rule model:100 measure stimuli field:80 value limit reason:120",
        verdict={"style": lambda verdict: "bold red" if verdict in FAILING else ""},
        model={"wraps": True},
        value={"title": "value", "write": _number},
    )
    rows = sorted(result.rows(), key=lambda row: row["verdict"] not in FAILING)
    failures = len(result.failures)
    told = "every rule is met" if result.passed else f"failed: {failures} of {plural(len(result.lines), 'line')}"
    notes = (*(f"covered: {plain(each)}" for each in result.coverage), f"{told}.")
    return Table(f"{result.policy}: {', '.join(result.models)}", columns, rows, notes)


def junit(result: PolicyCheck) -> str:
    """Return the check as JUnit XML: one suite for each model, one case for each line.

    >>> line = PolicyLine("r", "m", "weat", "weat-6", "qvalue", 1.0, "at most 2", "passed")
    >>> junit(PolicyCheck("p", ("m",), (line,), "0"))[:38]
    "<?xml version='1.0' encoding='utf-8'?>"
    """
    root = _suite(None, f"aslant check: {result.policy}", result.lines)
    for model in dict.fromkeys(line.model for line in result.lines):
        lines = [line for line in result.lines if line.model == model]
        suite = _suite(root, model, lines)
        for line in lines:
            _case(suite, line)
    indent(root)
    content: bytes = tostring(root, encoding="utf-8", xml_declaration=True)
    return content.decode("utf-8") + "\n"


def _suite(root: Element | None, name: str, lines: Sequence[PolicyLine]) -> Element:
    failures, skipped = (sum(line.verdict in which for line in lines) for which in (FAILING, ("not measured",)))
    counts = {"tests": len(lines), "failures": failures, "errors": 0, "skipped": skipped, "time": 0}
    said = {"name": _clean(name)} | {key: str(value) for key, value in counts.items()}
    return Element("testsuites", said) if root is None else SubElement(root, "testsuite", said)


def _case(suite: Element, line: PolicyLine) -> None:
    name = _clean(f"{line.rule}: {line.stimuli} {line.field}")
    case = SubElement(suite, "testcase", {"classname": _clean(f"aslant.{line.measure}"), "name": name, "time": "0"})
    if line.verdict in FAILING:
        met = "was not measured" if line.value is None else f"is {_number(line.value)}"
        found = f"{line.field} {met}; required: {line.limit}"
        why = f"{found}; {line.reason}" if line.reason else found
        SubElement(case, "failure", {"message": _clean(why), "type": line.verdict}).text = _clean(why)
    elif line.verdict == "not measured":
        SubElement(case, "skipped", {"message": _clean(line.reason)})


def _clean(text: str) -> str:
    return plain(NOT_IN_XML.sub("\ufffd", text))

"""Audits as tables: what each measure found at a glance, several models side by side, what a store holds.

Also an embedding before and after debiasing, and a policy check, as a table and as JUnit XML for CI systems.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import asdict, replace
from typing import Any
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from aslant import catalogue, stimuli
from aslant.errors import plural
from aslant.report.conventions import listed
from aslant.report.glance import graded, not_covered, sentences
from aslant.report.tables import Column, Table, between, first_of, number, plain, pvalue, small
from aslant.results.audit import FAILING, AuditComparison, AuditResult, PolicyCheck, PolicyLine
from aslant.results.debias import DebiasCheck
from aslant.results.parts import Spread
from aslant.results.stored import AuditChange, FigureHistory, StoredAudit, StoredAudits, StoredFigures

PAIRED = (
    "A difference with an interval is over the words that both models have; it may differ from the gap between the two "
    "values, which are over the words that each has."
)
#: Takes the dimensions.
OTHER_DIMENSIONS = (
    "The models differ in size (dimensions {}), and so does what chance gives: compare values in standard deviations "
    "of chance from its mean (in sd of chance) rather than the raw ones."
)
HIDES = (
    "A lower number is not fairness by itself: debiasing hides more than it removes (Gonen & Goldberg 2019). The "
    "residual rows show what can still be detected, which is much for words picked by any direction, meaningful or "
    "not; a fall in the quality rows is damage."
)
IN_BRACKETS = (
    "in brackets: of a WEAT the interval of d over the choice of words, of clustering and classification the range "
    "over seeds, of a difference its interval."
)
CHECKED_CHANCE = (
    "p: over re-partitions of the targets, before → after; below it chance: the share of random words that reach as "
    "much; shuffled: what shuffled labels give after debiasing."
)
EVIDENCE_ALONE = (
    "evidence can change where the figure does not: its q-values allow for all lines of an audit, and others changed."
)
RAW = "raw statistic: of a WEAT the difference of mean associations, which d divides by the spread of the associations."
#: Follows the names of tests, each with its raw statistic.
SHRUNK = (
    ": the spread of the associations, which d is divided by, fell to less than half, so d looks larger than what is "
    "left; read the raw statistic instead."
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
        "effect_name": "unit",
        "pvalue": "p",
        "qvalue": "q",
        "chance_qvalue": "q (chance)",
        "audited": "audited (UTC)",
    },
    **{"value": "its value", "evidence_before": "evidence before", "evidence_after": "evidence after"},
}
WRAPPING = ("stimuli", "compares", "label", "rule", "limit", "why")


def _columns(keys: str, **changes: dict[str, Any]) -> tuple[Column, ...]:
    """Return columns by their keys; of "one:1 two:2" the latter is left out first where a terminal is too narrow."""
    made = []
    for key, _, spare in (each.partition(":") for each in keys.split()):
        write = NUMBERS.get(key) or TEXTS.get(key, plain)
        column = Column(key, TITLES.get(key, key), write, "right" if key in NUMBERS else "left", spare=int(spare or 0))
        made.append(replace(column, **{"wraps": key in WRAPPING, **changes.get(key, {})}))
    return tuple(made)


CHANCE_NOTE = (
    "chance: the range of 95 % of the scores that random words, of the same frequency where it is known, give in place "
    "of those that carry the meaning; or of what untrained models of the same architecture give, where one of them "
    "reaches as much: such a line has no evidence, however few they are."
)
EVIDENCE_NOTE = (
    "evidence: the weaker of the measure's own test (q) and chance (strong: up to 0.01, some: up to 0.05); both "
    "q-values allow for the number of lines."
)


def glance_table(result: AuditResult) -> Table:
    """Describe an audit, one row per measure and set of stimuli."""
    columns = _columns(
        "measure stimuli compares:3 category:2 effect evidence chance:1 qvalue chance_qvalue effect_name:4 strength:5",
        compares={"title": "what it compares", "least": 26},
        evidence={"note": EVIDENCE_NOTE},
        chance={"note": CHANCE_NOTE},
    )
    rows = [
        {**row, "chance": between(row["chance_low"], row["chance_high"], small), "compares": compares}
        for row, compares in zip(result.rows(), _compared(result), strict=True)
    ]
    notes = [f"not run: {plain(what)}: {plain(why)}" for what, why in result.not_run.items()]
    notes += [f"failed: {plain(what)}: {plain(why)}" for what, why in result.failed.items()]
    lacking: dict[tuple[str, ...], list[str]] = {}
    for part in result.parts:
        words = dict.fromkeys(w for r in part.results if r.names_missing for w in r.missing)
        lacking.setdefault(tuple(words), []).append(plain(part.measure))
    notes += [f"{listed(measures)}: not found: {first_of(words)}" for words, measures in lacking.items() if words]
    if left := not_covered(result):
        notes.insert(0, f"{left[:1].lower()}{left[1:]}")
    title = f"Audit of {result.representation.name}"
    found = dict(sentences(result))["What was found"]
    return Table(title, columns, rows, tuple(notes), section_key="measure", verdict=f"found: {found}")


def _compared(result: AuditResult) -> list[str]:
    """Say of every line what its stimuli compare: the title of its test, of its set, or else of its measure."""
    parts = [r for part in result.parts for r in part.results]
    titles = {
        getattr(test, "test", None): test.title
        for r in parts
        for test in getattr(r, "results", (r,))
        if hasattr(test, "title")
    }
    shipped = set(stimuli.names())
    names = [line.stimuli.partition(",")[0] for line in result.glance]
    sets = {name: stimuli.load_set(name).title for name in set(names) & shipped}
    steps = {name: step.title for name, step in catalogue.steps().items()}
    return [
        titles.get(name) or sets.get(name) or steps.get(line.measure, "–")
        for name, line in zip(names, result.glance, strict=True)
    ]


def differences_table(result: AuditComparison) -> Table:
    """Describe several audits, one row per line and further model."""
    rows = [{**row, "interval": between(row["low"], row["high"], small)} for row in result.rows()]
    paired = any(row["low"] is not None or row["pvalue"] is not None for row in rows)
    columns = _columns(
        f"measure stimuli effect_name:4 first:3 model value:3 difference {'interval pvalue ' * paired}"
        "first_standardised:1 standardised:1",
        effect_name={"title": "effect"},
        first={"title": plain(result.names[0])},
        first_standardised={"title": f"{plain(result.names[0])},\nin sd of chance"},
        standardised={"title": "other model,\nin sd of chance"},
        model={"title": "other model"},
    )
    notes = [f"no paired difference: {plain(what)}: {plain(why)}" for what, why in result.not_compared.items()]
    if any(row["words"] is not None for row in rows):
        notes.insert(0, PAIRED)
    sizes = list(dict.fromkeys(f"{audit.representation.dimensions:,}" for audit in result.audits))
    if len(sizes) > 1 and any(row["standardised"] is not None for row in rows):
        notes.insert(0, OTHER_DIMENSIONS.format(", ".join(sizes)))
    notes = [*graded(result), *notes]
    notes += [
        f"not run on {plain(audit.representation.name)}: {plain(what)}: {plain(why)}"
        for audit in result.audits
        for what, why in audit.not_run.items()
    ]
    return Table(f"Audits of {', '.join(result.names)}", columns, rows, tuple(notes), section_key="measure")


def audits_table(result: StoredAudits) -> Table:
    """Describe audits, one row each; what failed says why under the table."""
    columns = _columns(
        "label audited state model:3 fingerprint:5 profile:2 seed:4 figures:1 version:6 id",
        state={"style": lambda state: {"failed": "bold red", "partly": "bold yellow"}.get(state, "")},
        model={"wraps": True},
    )
    notes = list(dict.fromkeys(f"{a.state}: {plain(a.label)}: {plain(a.reason)}" for a in result.failed))
    return Table(plural(len(result.audits), "audit"), columns, result.rows(), (*notes, *map(plain, result.notes)))


def figures_table(result: StoredFigures) -> Table:
    """Describe figures, one row each."""
    columns = _columns(
        "label audited:1 measure stimuli category:3 effect interval:2 chance:2 evidence qvalue effect_name:5 "
        "strength:4",
        chance={"note": CHANCE_NOTE},
    )
    rows = [_with_ranges(row) for row in result.rows()]
    return Table(plural(len(rows), "figure"), columns, rows, tuple(map(plain, result.notes)), section_key="audit")


def history_table(result: FigureHistory) -> Table:
    """Describe figures over time, one figure of one label after the other."""
    columns = _columns(
        "label measure stimuli started state:3 effect interval:4 chance:4 standardised:2 evidence difference "
        "effect_name:5 fingerprint:6",
        started={"write": _when, "title": "run (UTC)"},
        standardised={"title": "in sd\nof chance"},
    )
    told = [(p.figure.audit, "; ".join(p.unlike)) for p in result.points if p.unlike]
    notes = [f"{plain(a.label)}, {_when(a.audited)}, differs from the previous audit in {plain(t)}" for a, t in told]
    notes += map(plain, result.notes)
    rows = [_with_ranges(row) for row in result.rows()]
    return Table("Figures over time", columns, rows, tuple(dict.fromkeys(notes)), section_key="stimuli")


def _with_ranges(row: dict[str, Any]) -> dict[str, Any]:
    """Return a row with its interval and the range of chance as text."""
    interval, chance = (between(row[f"{what}low"], row[f"{what}high"], small) for what in ("", "chance_"))
    return {**row, "interval": interval, "chance": chance}


def change_table(result: AuditChange) -> Table:
    """Describe two audits, one row per figure."""
    columns = _columns(
        "measure stimuli category:2 before after difference growth:3 effect_name:1 evidence_before evidence_after "
        "change",
        growth={"title": "grew by\n(sd of chance)", "write": number, "justify": "right"},
        change={"style": lambda value: "" if value == "same" else "bold"},
    )
    notes = [f"before: {_told(result.before)}", f"after: {_told(result.after)}"]
    if result.unchanged:
        notes.insert(0, "unchanged: model, settings and version are the same.")
    elif result.before.fingerprint == result.after.fingerprint:
        notes.append("both audits are of the same model, by its content.")
    notes += [f"they differ in {plain(told)}" for told in result.unlike]
    if any(line.difference == 0 and line.change in ("more evidence", "less evidence") for line in result.figures):
        notes.append(EVIDENCE_ALONE)
    before, after = result.before.label, result.after.label
    title = f"{before}: before and after" if before == after else f"{before} and {after}"
    return Table(title, columns, result.rows(), tuple(notes), section_key="measure")


def _told(audit: StoredAudit) -> str:
    """Say in one line which audit it is."""
    what = f"{plain(audit.model)}, fingerprint {plain(audit.fingerprint)}"
    return f"{plain(audit.label)} ({what}), {_when(audit.audited)}, id {plain(audit.id)}"


def check_table(result: DebiasCheck) -> Table:
    """Describe every measure before and after, each number with its interval or range, and chance beside it."""
    columns = (
        Column("measure", "measure", plain, "left", wraps=True, least=16),
        Column("before_with", "before", str),
        Column("after_with", "after", str),
        Column("pvalues", "p,\nchance", str, note=CHECKED_CHANCE),
        Column("statistics", "raw statistic", str, spare=2, note=RAW),
        Column("difference_with", "difference", str, spare=3),
        Column("reads", "what it says", plain, "left", wraps=True, spare=4, least=30),
    )
    rows = [
        {
            **row,
            "before_with": _with(row["before"], row["before_low"], row["before_high"], m.before_seeds),
            "after_with": _with(row["after"], row["after_low"], row["after_high"], m.after_seeds),
            "difference_with": _with(m.difference, row["difference_low"], row["difference_high"], write=small),
            "statistics": _then(row, "statistic", small),
            "pvalues": f"{_then(row, 'pvalue', pvalue)}\n"
            + (f"shuffled {small(m.after_chance.mean)}" if m.after_chance else _then(row, "chance_pvalue", pvalue)),
        }
        for row, m in zip(result.rows(), result.measures, strict=True)
    ]
    notes = [HIDES, f"after: {plain(result.after.note)}" if result.after.note else "after: no record of what was done"]
    notes.append(IN_BRACKETS)
    shrunk = [
        f"{m.measure.partition(':')[0]} ({row['statistics']})"
        for row, m in zip(rows, result.measures, strict=True)
        if m.spread_shrank
    ]
    if shrunk:
        notes.append(plain(", ".join(shrunk)) + SHRUNK)
    if result.learned_from_leaning:
        notes.append(plain(" and ".join(result.learned_from_leaning)) + FITTED)
    notes += [f"not measured: {plain(what)}: {plain(why)}" for what, why in result.not_run.items()]
    return Table(f"{result.before.name}, before and after", columns, rows, tuple(notes))


def _with(
    value: float | None, low: float | None, high: float | None, seeds: Spread | None = None,
    write: Callable[[float | None], str] = number,
) -> str:  # fmt: skip
    """Write a number with its interval, or else its range over seeds, in brackets."""
    first, last = (seeds.minimum, seeds.maximum) if seeds else (low, high)
    return small(value) if first is None else f"{small(value)} [{write(first)}, {write(last)}]"


def _then(row: dict[str, Any], field: str, write: Callable[[float | None], str]) -> str:
    """Write what a field was before, and is after."""
    before, after = row[f"before_{field}"], row[f"after_{field}"]
    return "–" if before is None and after is None else f"{write(before)} → {write(after)}"


def policy_table(result: PolicyCheck) -> Table:
    """Describe a check: what fails first, then the rest; what is the same on every line is said once."""
    limits: dict[str, set[str]] = {}
    for line in result.lines:
        limits.setdefault(line.rule, set()).add(f"{line.field}: {line.limit}")
    rule, model = "rule" * (len(limits) > 1), "model:1" * (len(result.models) > 1)
    limit = "field:2 limit:3" * any(len(each) > 1 for each in limits.values())
    columns = _columns(
        f"verdict {rule} {model} measure stimuli value:1 why {limit}",
        verdict={"style": lambda verdict: "bold red" if verdict in FAILING else ""},
        model={"wraps": True},
        value={"title": "value", "write": _number},
        measure={"wraps": True},
        why={"least": 16},
        limit={"least": 24},
    )
    rows = [{**asdict(line), "why": line.reason or _met(line)} for line in result.lines]
    rows.sort(key=lambda row: row["verdict"] not in FAILING)
    failures = len(result.failures)
    told = "every rule is met" if result.passed else f"failed: {failures} of {plural(len(result.lines), 'line')}"
    notes = [f"rule: {plain(rule)}: {plain(*each)}" for rule, each in limits.items() if len(each) == 1]
    notes += [f"covered: {plain(each)}" for each in result.coverage]
    return Table(f"{result.policy}: {', '.join(result.models)}", columns, rows, tuple(notes), verdict=f"{told}.")


def _met(line: PolicyLine) -> str:
    return f"required: {line.limit}" if line.verdict in FAILING else "within the limit"


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

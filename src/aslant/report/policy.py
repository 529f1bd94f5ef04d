"""A policy check as a table, and as JUnit XML for CI systems."""

from __future__ import annotations

import re
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from aslant.errors import plural
from aslant.report.tables import Column, Table, plain
from aslant.results.policy import FAILING, PolicyCheck, PolicyLine

#: What XML 1.0 cannot hold, even escaped: control characters, lone surrogates, and two that are not characters.
NOT_IN_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def policy_table(result: PolicyCheck) -> Table:
    """Describe a check: what fails first, then the rest."""
    columns = (
        Column("verdict", "verdict", plain, "left", style=lambda v: "bold red" if v in FAILING else ""),
        Column("rule", "rule", plain, "left", wraps=True),
        Column("model", "model", plain, "left", wraps=True, min_width=100),
        Column("measure", "measure", plain, "left"),
        Column("stimuli", "stimuli", plain, "left", wraps=True),
        Column("field", "field", plain, "left", min_width=80),
        Column("value", "value", _number),
        Column("limit", "limit", plain, "left", wraps=True),
        Column("reason", "", plain, "left", wraps=True, min_width=120),
    )
    rows = sorted(result.rows(), key=lambda row: row["verdict"] not in FAILING)
    failures = len(result.failures)
    told = "every rule is met" if result.passed else f"failed: {failures} of {plural(len(result.lines), 'line')}"
    return Table(f"{result.policy}: {', '.join(result.models)}", columns, rows, (f"{told}.",))


def _number(value: float | None) -> str:
    return "–" if value is None else f"{value:z.4g}".replace("-", "−")


def junit(result: PolicyCheck) -> str:
    """Return the check as JUnit XML: one suite for each model, one case for each line.

    >>> line = PolicyLine("r", "m", "weat", "weat-6", "qvalue", 1.0, "at most 2", "passed")
    >>> junit(PolicyCheck("p", ("m",), (line,), "0"))[:38]
    "<?xml version='1.0' encoding='utf-8'?>"
    """
    failing, skipped = len(result.failures), sum(line.verdict == "not measured" for line in result.lines)
    root = Element("testsuites", _counts(_clean(f"aslant check: {result.policy}"), len(result.lines), failing, skipped))
    for model in dict.fromkeys(line.model for line in result.lines):
        lines = [line for line in result.lines if line.model == model]
        bad = sum(line.verdict in FAILING for line in lines)
        left = sum(line.verdict == "not measured" for line in lines)
        suite = SubElement(root, "testsuite", _counts(_clean(model), len(lines), bad, left))
        for line in lines:
            _case(suite, line)
    indent(root)
    content: bytes = tostring(root, encoding="utf-8", xml_declaration=True)
    return content.decode("utf-8") + "\n"


def _counts(name: str, tests: int, failures: int, skipped: int) -> dict[str, str]:
    counts = {"tests": tests, "failures": failures, "errors": 0, "skipped": skipped}
    return {"name": name} | {key: str(value) for key, value in counts.items()} | {"time": "0"}


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

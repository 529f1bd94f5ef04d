"""What a store says about all its models as tables: its runs, what got worse, what was not measured."""

from __future__ import annotations

from typing import Any

from aslant.errors import plural
from aslant.report.audit import _columns, _or_dash
from aslant.report.tables import Table, number, plain, pvalue, small
from aslant.results.stored import NotMeasured, StoredRuns, WorseFigures

GROWTH = (
    "grew by: how much further from the mean of chance the figure is than before, in standard deviations of chance, "
    "which models of any size share as a scale; the raw figures are before and after."
)
PURE_CHANCE = (
    "Where nothing but chance is at work in both runs, up to 5 % of figures come out worse: expect some among "
    "hundreds, and look for those that stay. A score that is bounded (d by ±2) cannot be many sd from chance."
)

#: What somebody has to see to.
SEEN_TO = ("failed", "missing", "broke off", "unfinished")


def runs_table(result: StoredRuns) -> Table:
    """Describe runs, one row each: how many of their models ended in which way."""
    counts = ("models", "audited", "unchanged", "partly", "failed", "missing", "unfinished")
    columns = _columns(
        f"run started {' '.join(counts)} list:2 version:3",
        started={"write": lambda text: plain(text[:16].replace("T", " ")), "title": "started (UTC)"},
        list={"wraps": True},
        **{name: {"write": lambda value: str(value or "–"), "justify": "right", "title": name} for name in counts},
    )
    return Table(plural(len(result.runs), "run"), columns, result.rows(), tuple(map(plain, result.notes)))


def worse_table(result: WorseFigures) -> Table:
    """Describe what got worse, one row per figure, the largest growth first."""
    columns = _columns(
        "verdict label measure stimuli before after growth chance_pvalue effect_name:3 evidence_after:2 run_before:4",
        verdict={"style": lambda verdict: "" if verdict == "within chance" else "bold red"},
        growth={"title": "grew by", "write": number, "justify": "right", "note": GROWTH},
        chance_pvalue={"title": "p (chance)", "write": pvalue, "justify": "right"},
        before={"write": small},
        run_before={"title": "compared with"},
        label={"wraps": True},
    )
    rows = sorted(result.rows(), key=lambda row: (row["verdict"] == "within chance", -(row["growth"] or 0.0)))
    models, count = len({line.label for line in result.worse}), len(result.worse)
    told = f"worse: {plural(count, 'figure')} of {plural(models, 'model')}" if count else "nothing got worse"
    told += f" (limit: growth by {result.limit:g} sd of chance)" if result.compared else ""
    notes = [f"compared: {', '.join(map(plain, result.compared)) or 'none'}"]
    notes += [f"unchanged: {', '.join(map(plain, result.unchanged))}"] if result.unchanged else []
    reasons: dict[str, list[str]] = {}
    for label, why in result.skipped.items():
        reasons.setdefault(why, []).append(plain(label))
    notes += [f"not compared: {', '.join(labels)}: {plain(why)}" for why, labels in reasons.items()]
    notes += [PURE_CHANCE] if result.compared else []
    return Table("What got worse", columns, rows, (*notes, *map(plain, result.notes)), verdict=f"{told}.")


def not_measured_table(result: NotMeasured) -> Table:
    """Describe what was not measured, one row each; a test that several models lack has one row for them.

    What was left out on request is only counted.
    """
    columns = _columns(
        "state label what reason run:1",
        state={"style": lambda state: "bold red" if state in SEEN_TO else ""},
        what={"write": _or_dash, "wraps": True},
        reason={"wraps": True, "least": 30},
        label={"wraps": True},
    )
    left = [line for line in result.lines if line.state == "left out"]
    rows = [{**row, "what": row["what"] or "all of it"} for row in result.rows() if row["state"] in SEEN_TO]
    tests: dict[str, list[dict[str, Any]]] = {}
    for row in result.rows():
        if row["state"] == "not run":
            tests.setdefault(row["what"], []).append(row)
    rows += [{**same[0], "label": ", ".join(row["label"] for row in same)} for same in tests.values()]
    notes = [f"left out on request, or for want of a text: {plural(len(left), 'measure')}"] if left else []
    models = plural(len(result.models), "line")
    told = f"not measured: {models} about models and measures" if result.models else "every model was measured"
    return Table("What was not measured", columns, rows, (*notes, *map(plain, result.notes)), verdict=f"{told}.")

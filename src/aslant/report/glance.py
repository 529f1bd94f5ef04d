"""An audit at a glance: three plain sentences (what was audited, what was found, how certain that is), and a grid.

The grid has measures × social categories, with the size of an effect and its certainty kept apart.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from aslant.errors import plural
from aslant.report.conventions import listed
from aslant.report.tables import number, plain, pvalue, small
from aslant.results.audit import NEEDS_TEXT, ON_REQUEST, AuditComparison, AuditResult, Glance
from aslant.results.parts import Interval

#: How many of three bars are filled.
LEVELS = {"none": 0, "small": 1, "medium": 2, "large": 3}
EVIDENCE = {"strong": ("●●", "strong"), "some": ("●○", "some"), "none": ("○○", "none"), "not tested": ("–", "no test")}
#: Lines that a sentence on a comparison names, of each model and grade.
MOST_NAMED = 6
#: From the most informative to the least.
ORDER = ("strong", "some", "none", "not tested")
SURE = ORDER[:2]
#: The social categories that an audit is asked about: those of CrowS-Pairs (Nangia et al. 2020).
SOCIAL = ("race", "gender", "sexuality", "religion", "age", "nationality", "disability", "appearance", "class")
CATEGORIES = {"none": "not social", "several": "several at once"}


@dataclass(frozen=True)
class Cell:
    """The lines of one measure about one category; the figures are those of `top`, the most informative of them.

    `level` is how many of three bars are filled, None where no convention says what is large; `size` what the effect is
    and how large by convention; `evidence` a mark and a word for how certain it is that there is an effect at all; `by`
    the value that this is judged by; `count` how many lines there are, and how many of them have evidence.
    """

    lines: tuple[Glance, ...]
    top: Glance
    effect: str
    level: int | None
    size: str
    evidence: tuple[str, str]
    by: str
    count: str


@dataclass(frozen=True)
class Grid:
    """Measures down, categories across; None where a measure has nothing about a category."""

    categories: tuple[str, ...]
    rows: tuple[tuple[str, tuple[Cell | None, ...]], ...]


def grid(audit: AuditResult) -> Grid:
    """Return the lines of an audit as a grid; categories are in order of appearance, those not about people last."""
    cells: dict[tuple[str, str], list[Glance]] = {}
    for line in audit.glance:
        cells.setdefault((line.measure, line.category), []).append(line)
    met = dict.fromkeys(line.category for line in audit.glance)
    categories = [c for c in met if c not in CATEGORIES] + [c for c in reversed(CATEGORIES) if c in met]
    titles = {part.measure: part.title for part in audit.parts}
    rows = tuple(
        (plain(titles.get(measure, measure)), tuple(_cell(cells.get((measure, c), [])) for c in categories))
        for measure in dict.fromkeys(line.measure for line in audit.glance)
    )
    return Grid(tuple(plain(CATEGORIES.get(c, c)) for c in categories), rows)


def _cell(lines: Sequence[Glance]) -> Cell | None:
    if not lines:
        return None
    top = min(lines, key=lambda line: (ORDER.index(line.evidence), -abs(line.effect or 0.0)))
    size = "" if top.strength is None else ", negligible" if top.strength == "none" else f", {top.strength}"
    own = ("p", top.pvalue) if top.qvalue is None else ("q", top.qvalue)
    judged = [(name, value) for name, value in (own, ("chance q", top.chance_qvalue)) if value is not None]
    by = [f"{name} {'< 0.001' if value < 0.001 else pvalue(value)}".replace(" ", "\u00a0") for name, value in judged]
    tested = [line for line in lines if line.evidence != "not tested"]
    count = f"{sum(line.evidence in SURE for line in tested)} of {len(tested)} with evidence"
    return Cell(
        tuple(lines),
        top,
        effect=number(top.effect) if top.effect_name in ("d", "r") else small(top.effect),
        level=LEVELS[top.strength] if top.strength else None,
        size=plain(top.effect_name) + size,
        evidence=EVIDENCE[top.evidence],
        by=", ".join(by),
        count="" if 1 in (len(lines), len(tested)) else count if tested else f"largest of {len(lines)}",
    )


def sentences(audit: AuditResult) -> list[tuple[str, str]]:
    """Return three sentences, each with what it is about."""
    return [
        ("What was audited", _audited(audit)),
        ("What was found", _found(audit.glance, _lost(audit))),
        ("How sure that is", _sure(audit)),
    ]


def _audited(audit: AuditResult) -> str:
    r, titles = audit.representation, [plain(part.title) for part in audit.parts]
    inside = [title if title[1:2].isupper() else title[:1].lower() + title[1:] for title in titles]  # not abbreviations
    size = f" ({plural(r.words, 'word')} in {plural(r.dimensions, 'dimension')})" if r.words and r.dimensions else ""
    left, broken = len(audit.not_run), len(audit.failed)
    rest = f"; {plural(left, 'measure or test', 'measures and tests')} not run (see the end)" if left else ""
    rest += f"; {broken} broke off, so this report is incomplete" if broken else ""
    count = plural(len(titles), "measure")
    told = f"“{plain(r.name)}”{size}, with {count}: {'; '.join(inside)}{rest}."
    note = f"{plain(r.note[:1].upper())}{plain(r.note[1:])}." if r.note else ""
    return " ".join(filter(None, [told, not_covered(audit), note]))


def not_covered(audit: AuditResult) -> str:
    """Say which social categories no line of an audit is about; "" where there is none."""
    met = {line.category for line in audit.glance}
    left = [category for category in SOCIAL if category not in met]
    return f"Not covered: {', '.join(left)}." if left else ""


def _lost(audit: AuditResult) -> str:
    """Say how much could not be run: fewer lines make each of them stand out more."""
    lost = sum(not why.startswith((ON_REQUEST, NEEDS_TEXT)) for why in audit.not_run.values()) + len(audit.failed)
    told = plural(lost, "measure or test", "measures and tests")
    return f" {told} could not be run, and q allows only for those that were." if lost else ""


def _found(lines: Sequence[Glance], lost: str = "") -> str:
    tested = [line for line in lines if line.evidence != "not tested"]
    if not tested:
        return f"No measure with a test against chance could be run, so nothing can be said about chance.{lost}"
    sure = [line for line in tested if line.evidence in SURE]
    if not sure:
        return (
            f"No line passes after allowing for {plural(len(tested), 'line')}: none stands out from what random words "
            f"of the same frequency, or the same words reassigned at random, give.{_untested(lines)}{lost}"
        )
    social = [line for line in sure if line.category != "none"]
    others = len(sure) - len(social)
    aside = f" ({others} of them not about people)" if others and social else ""
    count = f"{len(sure)} of {plural(len(tested), 'line')} {'is' if len(sure) == 1 else 'are'} beyond chance{aside}"
    effects = [line for line in social or sure if line.effect_name == "d"] or social or sure
    top = max(effects, key=lambda line: abs(line.effect or 0.0))
    about = "" if top.category in ("none", "several") else f", about {plain(top.category)}"
    largest = "the largest effect" if len({line.effect_name for line in effects}) == 1 else "one of them"
    return f"{count}; {largest}{about}: {plain(top.sentence)}{_untested(lines)}{lost}"


def _untested(lines: Sequence[Glance]) -> str:
    """Say of how many lines chance was to be known and is not, and why."""
    reasons = Counter(line.untested for line in lines if line.untested)
    return "".join(f" {plural(count, 'line')} not graded: {plain(why)}." for why, count in reasons.items())


def _sure(audit: AuditResult) -> str:
    strong, some = (sum(line.evidence == level for line in audit.glance) for level in SURE)
    counts = [f"{strong} with strong evidence (q ≤ 0.01)"] if strong else []
    counts += [f"{some} with some evidence (≤ 0.05)"] if some else []
    said = (
        f"{listed(counts) or 'none with evidence'}; evidence is the weaker of a measure's own test and of the "
        "comparison with random words, and q allows for the number of lines"
    )
    suites = [r for part in audit.parts if part.measure in ("weat", "seat") for r in part.results]
    tests = [test for suite in suites for test in getattr(suite, "results", ())]
    intervals = [test.interval for test in tests if getattr(test, "interval", None)]
    if intervals:
        clear = sum(map(_clear, intervals))
        count = plural(len(intervals), "association test")
        said += f"; for {clear} of {count} the interval over the choice of words excludes 0"
        said += ", while the others depend more on which words were chosen" if clear < len(intervals) else ""
    missing = len(audit.missing)
    words = "no word is missing" if not missing else f"{missing:,} words were not found"
    return f"{said}; {'1 word was not found' if missing == 1 else words}."


def graded(result: AuditComparison) -> list[str]:
    """Say of each audit which of its lines have evidence, by itself: the differences have none of their own."""
    said = []
    for name, audit in zip(result.names, result.audits, strict=True):
        levels = []
        for level in SURE:
            own = [plain(f"{line.measure} {line.stimuli}") for line in audit.glance if line.evidence == level]
            more = f" and {len(own) - MOST_NAMED} more" if len(own) > MOST_NAMED else ""
            levels += [f"{level} evidence: {', '.join(own[:MOST_NAMED])}{more}"] if own else []
        said.append(f"“{plain(name)}”, {'; '.join(levels) or 'no line with evidence'}.")
    return said


def comparison_sentences(result: AuditComparison) -> list[tuple[str, str]]:
    """Return three sentences about several audits."""
    names = [f"“{plain(name)}”" for name in result.names]
    gaps = [(line, gap, gap.interval) for line in result.differences for gap in line.differences]
    paired = sum(interval is not None for _, _, interval in gaps)
    clear = [(line, gap) for line, gap, interval in gaps if interval and _clear(interval)]
    audited = f"{listed(names)}; differences are from {names[0]}."
    if not paired:
        found = "No difference could be paired, so none has an interval; the table has the gaps between the values."
    elif not clear:
        found = f"No difference has an interval over the choice of words that excludes 0 ({paired} could be paired)."
    else:
        line, gap = max(clear, key=lambda pair: abs(pair[1].difference or 0.0))
        change = f"{number(gap.difference)} in {plain(line.effect_name)}"
        found = f"The interval over words excludes 0 for {len(clear)} of {plural(paired, 'paired difference')}; the "
        found += f"largest is {change} ({plain(line.measure)}, {plain(line.stimuli)}, “{plain(gap.model)}”)."
    found += f" By themselves: {' '.join(graded(result))}"
    left = len(result.not_compared)
    rest = f" {left} line{' has' if left == 1 else 's have'} no paired difference." if left else ""
    sure = (
        "Paired differences use only words that both models have, and intervals draw the same words in both; a "
        f"difference without an interval is only the gap between two numbers.{rest}"
    )
    return [("What was compared", audited), ("What was found", found), ("How sure that is", sure)]


def _clear(interval: Interval) -> bool:
    return not interval.low <= 0 <= interval.high

"""An audit at a glance: three plain sentences (what was audited, what was found, how certain that is), and a grid.

The grid has measures × social categories, with the size of an effect and its certainty kept apart.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from aslant.errors import plural
from aslant.report.conventions import listed
from aslant.report.tables import number, plain, pvalue, small
from aslant.results.audit import AuditComparison, AuditResult, Glance
from aslant.results.codec import Result
from aslant.results.parts import Interval

#: How many of three bars are filled.
LEVELS = {"none": 0, "small": 1, "medium": 2, "large": 3}
EVIDENCE = {"strong": ("●●", "strong"), "some": ("●○", "some"), "none": ("○○", "none"), "not tested": ("–", "no test")}
#: From the most informative to the least.
ORDER = ("strong", "some", "none", "not tested")
CATEGORIES = {"none": "not social", "several": "several at once"}


@dataclass(frozen=True)
class Cell:
    """The lines of one measure about one category; the figures are those of `top`, the most informative of them."""

    lines: tuple[Glance, ...]

    @property
    def top(self) -> Glance:
        """The line with the most evidence; among those, the one with the largest effect."""
        return min(self.lines, key=lambda line: (ORDER.index(line.evidence), -abs(line.effect or 0.0)))

    @property
    def effect(self) -> str:
        """How large the effect is."""
        line = self.top
        return number(line.effect) if line.effect_name in ("d", "r") else small(line.effect)

    @property
    def level(self) -> int | None:
        """How many of three bars are filled; None where no convention says what is large."""
        return LEVELS[self.top.strength] if self.top.strength else None

    @property
    def size(self) -> str:
        """What the effect is, and how large by convention."""
        strength = self.top.strength
        words = "" if strength is None else ", negligible" if strength == "none" else f", {strength}"
        return plain(self.top.effect_name) + words

    @property
    def evidence(self) -> tuple[str, str]:
        """A mark and a word for how certain it is that there is an effect at all."""
        return EVIDENCE[self.top.evidence]

    @property
    def by(self) -> str:
        """The value that the evidence is judged by."""
        if self.top.qvalue is not None:
            return f"q {_below(self.top.qvalue)}"
        return f"p {_below(self.top.pvalue)}" if self.top.pvalue is not None else ""

    @property
    def count(self) -> str:
        """How many lines there are, and how many of them have evidence."""
        tested = [line for line in self.lines if line.evidence != "not tested"]
        if len(self.lines) == 1 or len(tested) == 1:
            return ""
        if not tested:
            return f"largest of {len(self.lines)}"
        sure = sum(line.evidence in ("strong", "some") for line in tested)
        return f"{sure} of {len(tested)} with evidence"


@dataclass(frozen=True)
class Grid:
    """Measures down, categories across; None where a measure has nothing about a category."""

    categories: tuple[str, ...]
    rows: tuple[tuple[str, tuple[Cell | None, ...]], ...]


def _below(value: float) -> str:
    return "< 0.001" if value < 0.001 else pvalue(value)


def grid(audit: AuditResult) -> Grid:
    """Return the lines of an audit as a grid; categories are in order of appearance, those not about people last."""
    met = dict.fromkeys(line.category for line in audit.glance)
    categories = [c for c in met if c not in CATEGORIES] + [c for c in reversed(CATEGORIES) if c in met]
    titles = {part.measure: part.title for part in audit.parts}
    measures = dict.fromkeys(line.measure for line in audit.glance)
    rows = tuple(
        (plain(titles.get(measure, measure)), tuple(_cell(audit.glance, measure, c) for c in categories))
        for measure in measures
    )
    return Grid(tuple(plain(CATEGORIES.get(c, c)) for c in categories), rows)


def _cell(lines: Iterable[Glance], measure: str, category: str) -> Cell | None:
    found = tuple(line for line in lines if (line.measure, line.category) == (measure, category))
    return Cell(found) if found else None


def sentences(audit: AuditResult) -> list[tuple[str, str]]:
    """Return three sentences, each with what it is about."""
    return [
        ("What was audited", _audited(audit)),
        ("What was found", _found(audit.glance)),
        ("How sure that is", _sure(audit)),
    ]


def _audited(audit: AuditResult) -> str:
    r, titles = audit.representation, [plain(part.title) for part in audit.parts]
    size = f" ({plural(r.words, 'word')} in {plural(r.dimensions, 'dimension')})" if r.words and r.dimensions else ""
    left, broken = len(audit.not_run), len(audit.failed)
    rest = f"; {plural(left, 'measure or test', 'measures and tests')} not run (see the end)" if left else ""
    rest += f"; {broken} broke off, so this report is incomplete" if broken else ""
    count = plural(len(titles), "measure")
    return f"“{plain(r.name)}”{size}, with {count}: {'; '.join(map(_lowered, titles))}{rest}."


def _lowered(title: str) -> str:
    """Return a title as it reads inside a sentence; an abbreviation stays as it is."""
    return title if title[1:2].isupper() else title[:1].lower() + title[1:]


def _found(lines: Sequence[Glance]) -> str:
    tested = [line for line in lines if line.evidence != "not tested"]
    if not tested:
        return "No measure with a test against chance could be run, so nothing can be said about chance."
    sure = [line for line in tested if line.evidence in ("strong", "some")]
    if not sure:
        return f"None of {plural(len(tested), 'test')} stands out from chance."
    social = [line for line in sure if line.category != "none"]
    others = len(sure) - len(social)
    aside = f" ({others} of them not about people)" if others and social else ""
    count = f"{len(sure)} of {plural(len(tested), 'test')} stand{'s' if len(sure) == 1 else ''} out from chance{aside}"
    effects = [line for line in social or sure if line.effect_name == "d"] or social or sure
    top = max(effects, key=lambda line: abs(line.effect or 0.0))
    about = "" if top.category in ("none", "several") else f", about {plain(top.category)}"
    largest = "the largest effect" if len({line.effect_name for line in effects}) == 1 else "one of them"
    return f"{count}; {largest}{about}: {plain(top.sentence)}"


def _sure(audit: AuditResult) -> str:
    strong = sum(line.evidence == "strong" for line in audit.glance)
    some = sum(line.evidence == "some" for line in audit.glance)
    counts = [f"{strong} with strong evidence (q, or p for a single test, ≤ 0.01)"] if strong else []
    counts += [f"{some} with some evidence (≤ 0.05)"] if some else []
    said = f"{listed(counts) or 'none with evidence'}; q allows for the number of tests"
    intervals = [
        i for part in audit.parts if part.measure in ("weat", "seat") for r in part.results for i in _intervals(r)
    ]
    if intervals:
        clear = sum(not i.low <= 0 <= i.high for i in intervals)
        tests = plural(len(intervals), "association test")
        said += f"; for {clear} of {tests} the interval over the choice of words excludes 0"
        said += ", while the others depend more on which words were chosen" if clear < len(intervals) else ""
    missing = len(audit.missing)
    words = "no word is missing" if not missing else f"{missing:,} words were not found"
    return f"{said}; {'1 word was not found' if missing == 1 else words}."


def _intervals(result: Result) -> list[Interval]:
    return [test.interval for test in getattr(result, "results", ()) if getattr(test, "interval", None)]


def comparison_sentences(result: AuditComparison) -> list[tuple[str, str]]:
    """Return three sentences about several audits."""
    names = [f"“{plain(name)}”" for name in result.names]
    clear = [
        (line, gap) for line in result.differences for gap in line.differences if gap.interval and _clear(gap.interval)
    ]
    paired = sum(gap.interval is not None for line in result.differences for gap in line.differences)
    audited = f"{listed(names)}; differences are from {names[0]}."
    if not paired:
        found = "No difference could be paired, so none has an interval; the table has the gaps between the values."
    elif not clear:
        found = f"No difference has an interval over the choice of words that excludes 0 ({paired} could be paired)."
    else:
        line, gap = max(clear, key=lambda pair: abs(pair[1].difference or 0.0))
        change = f"{number(gap.difference)} in {plain(line.effect_name)}"
        found = (
            f"The interval over words excludes 0 for {len(clear)} of "
            f"{plural(paired, 'paired difference')}; the largest is "
            f"{change} ({plain(line.measure)}, {plain(line.stimuli)}, “{plain(gap.model)}”)."
        )
    left = len(result.not_compared)
    rest = f" {left} line{' has' if left == 1 else 's have'} no paired difference." if left else ""
    sure = (
        "Paired differences use only words that both models have, and intervals draw the same words in both; a "
        f"difference without an interval is only the gap between two numbers.{rest}"
    )
    return [("What was compared", audited), ("What was found", found), ("How sure that is", sure)]


def _clear(interval: Interval) -> bool:
    return not interval.low <= 0 <= interval.high

"""An audit at a glance: measures × social categories, with the size of an effect and its certainty kept apart."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from aslant.report.tables import number, plain, pvalue, small
from aslant.results.audit import AuditResult, Glance

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

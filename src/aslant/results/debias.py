"""What the check of a debiased embedding returns: every measure before and after, and word similarity."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from aslant.results.codec import MeasuredResult
from aslant.results.parts import Interval, Spread
from aslant.results.provenance import Provenance, Representation
from aslant.statistics.chance import Chance


@dataclass(frozen=True)
class StateTest:
    """What says how much one state's number means: what random words give, and of a WEAT its own test.

    `statistic` is the difference of mean associations, which d divides by the spread of the associations; `interval`
    is that of d over the choice of words, `pvalue` that over re-partitions of the targets.
    """

    chance: Chance | None
    statistic: float | None = None
    interval: Interval | None = None
    pvalue: float | None = None

    def row(self) -> dict[str, Any]:
        """Return its part of a table row."""
        low, high = (self.interval.low, self.interval.high) if self.interval else (None, None)
        found = {"statistic": self.statistic, "low": low, "high": high, "pvalue": self.pvalue}
        return found | {"chance_pvalue": self.chance.pvalue if self.chance else None}


@dataclass(frozen=True)
class CheckedMeasure:
    """One measure before and after; `family` is the kind of measure, `reads` says what the number means.

    A value is None where it is not defined, such as a correlation of constants. `before_seeds` and `after_seeds` are
    its range where it depends on seeds, `before_chance` and `after_chance` what shuffled labels give, `interval` that
    of `difference`, `before_test` and `after_test` what random words give and a WEAT's own test; each None where there
    is none.
    """

    family: str
    measure: str
    before: float | None
    after: float | None
    reads: str
    before_seeds: Spread | None = None
    after_seeds: Spread | None = None
    before_chance: Spread | None = None
    after_chance: Spread | None = None
    interval: Interval | None = None
    before_test: StateTest | None = None
    after_test: StateTest | None = None

    @property
    def spread_shrank(self) -> bool:
        """Whether what d is divided by fell to less than half, so that d grows, or hardly falls, with little left."""
        if not (self.before_test and self.after_test and self.before and self.after):
            return False
        before, after = self.before_test.statistic, self.after_test.statistic
        return before is not None and after is not None and abs(after / self.after) < abs(before / self.before) / 2

    @property
    def difference(self) -> float | None:
        """After minus before; None where one of them could not be computed."""
        return None if self.before is None or self.after is None else self.after - self.before


@dataclass(frozen=True)
class DebiasCheck(MeasuredResult):
    """Two states of one embedding under every static measure; `not_run` says what was not measured, and why.

    `provenance` is that of the later state, whose note says what was done to it. `learned_from_leaning` names the
    treatments that learned from words that lean most between two poles: the words that clustering and classification
    test are nearly the same, so these rows show how a treatment fits its own words.
    """

    kind: ClassVar[str] = "debias-check"

    before: Representation
    after: Representation
    measures: tuple[CheckedMeasure, ...]
    not_run: dict[str, str]
    learned_from_leaning: tuple[str, ...]
    provenance: Provenance

    def rows(self) -> list[dict[str, Any]]:
        """Return one table row per measure."""
        made = []
        for m in self.measures:
            row: dict[str, Any] = {"family": m.family, "measure": m.measure}
            before = (m.before, m.before_seeds, m.before_chance, m.before_test)
            after = (m.after, m.after_seeds, m.after_chance, m.after_test)
            for state, (value, seeds, chance, test) in (("before", before), ("after", after)):
                low, high = (seeds.minimum, seeds.maximum) if seeds else (None, None)
                row |= {state: value, f"{state}_minimum": low, f"{state}_maximum": high}
                row[f"{state}_chance"] = chance.mean if chance else None
                row |= {f"{state}_{name}": value for name, value in (test or StateTest(None)).row().items()}
            low, high = (m.interval.low, m.interval.high) if m.interval else (None, None)
            row |= {"difference": m.difference, "difference_low": low, "difference_high": high, "reads": m.reads}
            made.append(row)
        return made

"""What the check of a debiased embedding returns: every measure before and after, and word similarity."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from aslant.results.codec import MeasuredResult
from aslant.results.parts import Interval, Spread
from aslant.results.provenance import Provenance, Representation


@dataclass(frozen=True)
class CheckedMeasure:
    """One measure before and after; `family` is the kind of measure, `reads` says what the number means.

    A value is None where it is not defined, such as a correlation of constants. `before_seeds` and `after_seeds` are
    its range where it depends on seeds, `before_chance` and `after_chance` what chance gives, `interval` that of
    `difference`; each None where there is none.
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
            before, after = (m.before, m.before_seeds, m.before_chance), (m.after, m.after_seeds, m.after_chance)
            for state, (value, seeds, chance) in (("before", before), ("after", after)):
                low, high = (seeds.minimum, seeds.maximum) if seeds else (None, None)
                row |= {state: value, f"{state}_minimum": low, f"{state}_maximum": high}
                row[f"{state}_chance"] = chance.mean if chance else None
            low, high = (m.interval.low, m.interval.high) if m.interval else (None, None)
            row |= {"difference": m.difference, "difference_low": low, "difference_high": high, "reads": m.reads}
            made.append(row)
        return made

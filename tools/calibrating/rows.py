"""What is promised of each number, and whether repetitions on null data keep the promise.

A *study* makes null data and calls the product, once for each repetition; a *row* is one number that it gives. All
tests of a table are judged together (Bonferroni), so that a table of sound numbers fails in 1 of 100 seeds at most.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

#: A number that the product gives in one repetition: a p-value, or 1 (it happened) or 0 (it did not).
Values: TypeAlias = Mapping[str, float]
#: Makes data and measures them, once; the flag plants an effect, so that there is something to find.
Repetition: TypeAlias = Callable[[np.random.Generator, bool], Values]
FloatArray = NDArray[np.float64]

LEVELS = (0.01, 0.05, 0.1, 0.5)
#: The probability, at most, that a table in which every promise is kept fails.
FALSE_ALARMS = 0.01
#: P-values that differ by rounding are equal.
ROUNDING = 1e-12


@dataclass(frozen=True)
class Row:
    """One number of the product: where it stands in results, the null hypothesis in words, and what is promised.

    `kind` "p": a p-value, P(p ≤ α) ≤ α at every level. "rate": an error that happens in a share `limit` of the
    repetitions at most, such as a false discovery. "miss": an interval or bracket that misses the truth in a share
    `limit` at most. `uniform`: p is also uniform, up to steps too fine to see. `off` says why the promise is known not
    to be kept; then the share at .05 (of errors, for the other kinds) is `limit` or more, or the row is out of date.
    `power` is the least share of repetitions with a planted effect that find it.
    """

    name: str
    fields: tuple[str, ...]
    null: str
    kind: Literal["p", "rate", "miss"] = "p"
    limit: float = 0.05
    levels: tuple[float, ...] = LEVELS
    uniform: bool = False
    off: str = ""
    power: float = 0.5


@dataclass(frozen=True)
class Study:
    """Rows that one call of the product fills, and how often it is repeated: quick and full, and with an effect."""

    name: str
    repeat: Repetition
    rows: tuple[Row, ...]
    quick: int
    full: int
    planted: int = 50


@dataclass(frozen=True)
class Test:
    """One test of a promise: what it holds against the row, and its p-value."""

    what: str
    pvalue: float


@dataclass(frozen=True)
class Judged:
    """A row with the numbers of its repetitions: on null data, and with a planted effect."""

    row: Row
    null: tuple[float, ...]
    planted: tuple[float, ...]

    @cached_property
    def counts(self) -> dict[float, int]:
        """How many p-values are at or below each level; for rates and misses, how often it happened, at `limit`."""
        values = np.asarray(self.null)
        if self.row.kind != "p":
            return {self.row.limit: int(values.sum())}
        return {level: int(np.count_nonzero(values <= level + ROUNDING)) for level in self.row.levels}

    @property
    def found(self) -> int:
        """How many repetitions with an effect found it."""
        values = np.asarray(self.planted)
        level = max(0.05, self.row.levels[0]) if self.row.kind == "p" else None
        return int(np.count_nonzero(values <= level + ROUNDING) if level else values.sum())

    @property
    def impossible(self) -> str:
        """What is wrong with a p-value that is none, or with a row without any number."""
        if not self.null or not self.planted:
            return "no number came out"
        if self.row.kind == "p" and not all(0 < p <= 1 for p in (*self.null, *self.planted)):
            return "a p-value is not above 0 and at most 1"
        return ""

    @cached_property
    def tests(self) -> tuple[Test, ...]:
        """Every test of this row's promises; each small with its own p-value at most if the promise is kept."""
        from scipy.stats import binom, kstest

        row, n = self.row, len(self.null)
        power = Test("misses planted effects", float(binom.cdf(self.found, len(self.planted), row.power)))
        if row.off:
            errors = self.counts[0.05] if row.kind == "p" else self.counts[row.limit]
            return Test("no longer off as listed", float(binom.cdf(errors, n, row.limit))), power
        tests = [Test(f"too often at {level:g}", float(binom.sf(k - 1, n, level))) for level, k in self.counts.items()]
        if row.uniform:
            tests.append(Test("not uniform", float(kstest(self.null, "uniform").pvalue)))
        return (*tests, power)


@dataclass(frozen=True)
class Table:
    """Every row of a run, judged together."""

    rows: tuple[Judged, ...]

    @cached_property
    def threshold(self) -> float:
        """What the p-value of a single test must not reach."""
        return FALSE_ALARMS / max(1, sum(len(judged.tests) for judged in self.rows if not judged.impossible))

    def faults(self, judged: Judged) -> tuple[str, ...]:
        """Return what is wrong with a row; nothing where its promises are kept, or where it is off as listed."""
        if judged.impossible:
            return (judged.impossible,)
        return tuple(test.what for test in judged.tests if test.pvalue <= self.threshold)

    def verdict(self, judged: Judged) -> str:
        """Return one or two words: kept, known off, or what is wrong."""
        return "; ".join(self.faults(judged)) or ("known off" if judged.row.off else "kept")

    @property
    def failed(self) -> tuple[Judged, ...]:
        """The rows with which the script fails."""
        return tuple(judged for judged in self.rows if self.faults(judged))


def judged(study: Study, null: Sequence[Values], planted: Sequence[Values]) -> tuple[Judged, ...]:
    """Sort the numbers of repetitions by row; a repetition that has no number for a row does not count there."""
    names = {row.name for row in study.rows}
    if unknown := {name for values in (*null, *planted) for name in values} - names:
        raise ValueError(f"'{study.name}' gives {min(unknown)!r}, which is not a row of it.")
    return tuple(
        Judged(row, *(tuple(v[row.name] for v in values if row.name in v) for values in (null, planted)))
        for row in study.rows
    )


def exact_interval(count: int, n: int, confidence: float = 0.95) -> tuple[float, float]:
    """Return the Clopper–Pearson interval of a share."""
    from aslant.statistics import clopper_pearson

    return clopper_pearson(count, n, confidence)

"""What every association test returns, alone and in a suite: WEAT, SEAT, CEAT, and tests in templates."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, ClassVar

from aslant.results.codec import MeasuredResult
from aslant.results.parts import WordsUsed, chance_row
from aslant.results.provenance import Provenance
from aslant.statistics.chance import Chance
from aslant.statistics.intervals import known_qvalues


@dataclass(frozen=True)
class WordAssociation:
    """s(w, A, B) of one target word: how much closer it is to the first attribute set than to the second."""

    word: str
    target: str
    value: float


@dataclass(frozen=True)
class HumanComparison:
    """What the study that this test mirrors found in people."""

    reference: str
    effect_size: float | None
    participants: int | None
    pvalue: float | None
    note: str = ""


@dataclass(frozen=True)
class SkippedTest:
    """A test that was not run, and why."""

    test: str
    title: str
    reason: str
    missing: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class AssociationTest(MeasuredResult):
    """Two sets against two others: an effect size, and a p-value over re-partitions of what is compared.

    `statistic` is the difference of the means of what was re-partitioned. `pvalue` is exact where `pvalue_bounds` are
    equal; the method says how it was found, over `n_partitions` partitions. That answers whether the targets are
    exchangeable; whether these attributes matter is the question of `chance`, where others take their place.
    """

    #: Which of the sets are re-partitioned.
    partitioned: ClassVar[str] = "targets"

    test: str
    title: str
    category: str
    targets: tuple[WordsUsed, WordsUsed]
    attributes: tuple[WordsUsed, WordsUsed]
    statistic: float
    effect_size: float
    pvalue: float
    pvalue_bounds: tuple[float, float]
    pvalue_method: str
    n_partitions: int
    alternative: str
    provenance: Provenance
    chance: Chance | None = None

    def rows(self) -> list[dict[str, Any]]:
        """Return the result as one table row."""
        return [self.row()]

    def row(self, qvalue: float | None = None, chance_qvalue: float | None = None) -> dict[str, Any]:
        """Return the table row of this test: what all tests have, then what only this kind has."""
        first = {name: getattr(self, name) for name in ("test", "title", "category", "effect_size", "pvalue")}
        low, high = self.pvalue_bounds
        first |= {"pvalue_low": low, "pvalue_high": high, "pvalue_method": self.pvalue_method, "qvalue": qvalue}
        last = {"words_missing": len(self.missing), "missing": " ".join(self.missing), "statistic": self.statistic}
        last |= {"alternative": self.alternative, "representation": self.provenance.representation.name}
        first |= {**chance_row(self.chance), "chance_qvalue": chance_qvalue}
        return first | self.own_columns() | last

    def own_columns(self) -> dict[str, Any]:
        """Return the fields of the table row that only this kind of test has."""
        return {}


@dataclass(frozen=True, kw_only=True)
class WeatSetTest(AssociationTest):
    """An association test on the four word sets of a WEAT, which may mirror a study with people.

    `caution` is what the set says must stand beside its result.
    """

    human: HumanComparison | None
    caution: str = ""

    @property
    def n_used(self) -> int:
        """How many words of the four sets have vectors and were used."""
        return sum(len(group.used) for group in self.targets + self.attributes)

    def own_columns(self) -> dict[str, Any]:
        """Return what the study with people found, and how many words were used."""
        return {
            "people_effect_size": self.human.effect_size if self.human else None,
            "people_n": self.human.participants if self.human else None,
            "words_used": self.n_used,
        }


@dataclass(frozen=True, kw_only=True)
class AssociationSuite(MeasuredResult):
    """Several tests on one representation; `qvalues[i]` is the Benjamini–Hochberg q-value of `results[i]`.

    So is `chance_qvalues[i]` of the p-value of its chance. Both are over the tests, or over what `family` says.
    """

    results: tuple[AssociationTest, ...]
    qvalues: tuple[float, ...]
    skipped: tuple[SkippedTest, ...]
    provenance: Provenance
    chance_qvalues: tuple[float | None, ...] = ()
    family: str = ""

    def rows(self) -> list[dict[str, Any]]:
        """Return one table row per test that was run."""
        of_chance = self.chance_qvalues or chance_qvalues(self.results)  # older files have none
        return list(map(AssociationTest.row, self.results, self.qvalues, of_chance))


def chance_qvalues(tests: Iterable[AssociationTest]) -> tuple[float | None, ...]:
    """Return the q-values of chance, over those tests that have it."""
    return known_qvalues(test.chance.pvalue if test.chance else None for test in tests)

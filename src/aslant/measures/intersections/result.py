"""What the detection of intersectional bias returns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from aslant.results.codec import MeasuredResult
from aslant.results.parts import WordsUsed, chance_row
from aslant.results.provenance import Provenance
from aslant.statistics.chance import Chance


@dataclass(frozen=True)
class IntersectionalWord:
    """How one word leans to a group that combines two traits.

    `against` are effect sizes d between the names of the group and those of each other group; `traits` between all
    names with a trait and all without, for the first trait and the second. `effect_size` is the largest of `against`,
    `pvalue` the share of random re-partitions of all names in which the largest is as large.
    """

    word: str
    against: tuple[float, float, float]
    traits: tuple[float, float]
    effect_size: float
    intersectional: bool
    emergent: bool
    pvalue: float
    qvalue: float
    chance: Chance | None = None
    chance_qvalue: float | None = None


@dataclass(frozen=True)
class IntersectionalResult(MeasuredResult):
    """Words that go with a group of people who share two traits (IBD, EIBD; Guo & Caliskan 2021).

    `groups` are the group itself, those who share its first trait, those who share its second, and those who share
    neither. `share` of the words are intersectional, `emergent_share` emergent; `pvalue` is the share of random
    re-partitions of the names, `chance` what random words in place of the names give, with at least as many
    intersectional words.
    """

    kind: ClassVar[str] = "intersectional"

    groups: tuple[WordsUsed, WordsUsed, WordsUsed, WordsUsed]
    words: tuple[IntersectionalWord, ...]
    threshold: float
    share: float
    emergent_share: float
    pvalue: float
    provenance: Provenance
    chance: Chance | None = None
    emergent_chance: Chance | None = None

    @property
    def intersectional(self) -> tuple[str, ...]:
        """The words that go with the group rather than with some other group."""
        return tuple(word.word for word in self.words if word.intersectional)

    @property
    def emergent(self) -> tuple[str, ...]:
        """Those of them that go with neither of its traits."""
        return tuple(word.word for word in self.words if word.emergent)

    def rows(self) -> list[dict[str, Any]]:
        """Return one table row per word."""
        rows = []
        for word in self.words:
            row: dict[str, Any] = {"word": word.word, "effect_size": word.effect_size}
            row |= {f"against_{place}": value for place, value in enumerate(word.against, 1)}
            row |= {f"trait_{place}": value for place, value in enumerate(word.traits, 1)}
            row |= {"label": "emergent" if word.emergent else "intersectional" if word.intersectional else ""}
            row |= {"pvalue": word.pvalue, "qvalue": word.qvalue}
            rows.append(row | chance_row(word.chance) | {"chance_qvalue": word.chance_qvalue})
        return rows

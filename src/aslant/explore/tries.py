"""How often a person has tried, and what so many tries make of a p-value."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field
from threading import Lock
from typing import Any

from aslant.errors import AslantError, plural
from aslant.report.tables import pvalue
from aslant.statistics import holm, known_qvalues

#: Tries of one person that are counted; a further one is not answered, as it would stand uncorrected.
MOST = 5_000


@dataclass(frozen=True)
class Try:
    """A question in words, and the p-values that were shown: of its own test, and of chance."""

    question: str
    pvalue: float | None
    chance: float | None


@dataclass
class Tries:
    """Every different question of a person whose answer was shown, each counted once."""

    asked: dict[Hashable, Try] = field(default_factory=dict)
    lock: Lock = field(default_factory=Lock)

    def add(self, key: Hashable, question: str, own: float | None, chance: float | None) -> None:
        """Count a question; of one that was asked before, with another seed, the larger p-values stay."""
        with self.lock:
            before = self.asked.get(key)
            if before is not None:
                own, chance = _larger(before.pvalue, own), _larger(before.chance, chance)
            elif len(self.asked) >= MOST:
                raise AslantError(f"you have tried {MOST:,} questions, more than are counted; restart the server.")
            self.asked[key] = Try(question, own, chance)

    def corrected(self, key: Hashable, name: str = "This one", before: str = "") -> dict[str, Any] | None:
        """Return what all tries make of the p-values of one, said after `before` of another; None: it has none."""
        with self.lock:
            keys, found = list(self.asked), list(self.asked.values())
        if key not in keys:
            return None
        at, own = keys.index(key), [one.pvalue for one in found]
        chance = [one.chance for one in found]
        holms, qvalues = known_holm(own), known_qvalues(own)
        made = {"count": len(found), "pvalue": own[at], "corrected_pvalue": holms[at], "qvalue": qvalues[at]}
        made |= {"chance_corrected": known_holm(chance)[at], "chance_qvalue": known_qvalues(chance)[at]}
        this = said_of(found[at], made, name)
        return {**made, "this": this, "says": says(found[at], len(found), before + this, own, chance)}

    def tested(self) -> list[float]:
        """Return every p-value of a try's own test, corrected for all of them."""
        with self.lock:
            return [p for p in known_holm([one.pvalue for one in self.asked.values()]) if p is not None]

    def rows(self) -> list[dict[str, Any]]:
        """Return every try with its p-values as they are written, corrected for all."""
        with self.lock:
            found = list(self.asked.values())
        own, chance = [one.pvalue for one in found], [one.chance for one in found]
        columns = (own, known_holm(own), known_qvalues(own), chance, known_holm(chance))
        keys = ("pvalue", "corrected", "qvalue", "chance", "chance_corrected")
        return [
            {"question": one.question, **{key: pvalue(value) for key, value in zip(keys, values, strict=True)}}
            for one, *values in zip(found, *columns, strict=True)
        ]


def pvalues_of(result: Any) -> tuple[float | None, float | None]:
    """Return the p-values that a result shows: of its own test, and of chance.

    Of many words at once, the smallest q-value is the p-value of "none of them leans" (Simes 1986).
    """
    if result.kind == "wefat":
        chances = [word.chance_qvalue for word in result.words if word.chance_qvalue is not None]
        return min(word.qvalue for word in result.words), min(chances, default=None)
    if result.kind == "sentence-pairs":
        return result.groups[0].share_pvalue, None
    of = result.contrasts[0] if result.kind == "log-probability" else result.test if result.kind == "trend" else result
    chance = getattr(of, "chance", None)
    own = getattr(of, "kendall_pvalue", getattr(of, "pvalue", None))
    return own, chance.pvalue if chance else None


def known_holm(pvalues: list[float | None]) -> list[float | None]:
    """Correct those p-values that there are by Holm's method.

    >>> known_holm([0.01, None, 0.02])
    [0.02, None, 0.02]
    """
    corrected = iter(holm([p for p in pvalues if p is not None]).tolist())
    return [None if p is None else next(corrected) for p in pvalues]


def said_of(one: Try, made: dict[str, Any], name: str) -> str:
    """Say what is left of the p-values of a try after the correction for all."""
    told = [
        f"{label} = {pvalue(value)}, corrected for all tries {pvalue(made[corrected])}"
        for label, value, corrected in (
            ("p", one.pvalue, "corrected_pvalue"), ("p (chance)", one.chance, "chance_corrected")
        )
        if value is not None
    ]  # fmt: skip
    return f" {name}: {'; '.join(told)} (Holm)." if told else ""


def says(one: Try, count: int, told: str, own: list[float | None], chance: list[float | None]) -> str:
    """Say how many tries there were, what of them comes by chance alone, and what is left of those `told`."""
    if count == 1:
        return "This is your first try. Each further one makes it easier to find something by chance."
    which, all_of = ("p", own) if one.pvalue is not None else ("p (chance)", chance)
    n = len([p for p in all_of if p is not None])
    if not n:
        return f"You have tried {plural(count, 'question')}."
    luck = (
        f" Without any effect, {n} independent ones would still give some {which} of 0.05 or less in "
        f"{_share(1 - 0.95**n)} of such series."
    )
    return f"You have tried {plural(count, 'question')}.{told}{luck if n > 1 else ''}"


def _share(share: float) -> str:
    """Write a share in per cent.

    >>> _share(0.5), _share(0.00001), _share(0.99999)
    ('50 %', 'less than 0.1 %', 'more than 99.9 %')
    """
    if share < 0.001:
        return "less than 0.1 %"
    return "more than 99.9 %" if share > 0.999 else f"{100 * share:.2g} %"


def _larger(first: float | None, second: float | None) -> float | None:
    known = [p for p in (first, second) if p is not None]
    return max(known, default=None)

"""What the polarity of texts returns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from aslant.results.codec import MeasuredResult
from aslant.results.parts import Interval, WordsUsed, bounds
from aslant.results.provenance import Provenance, Representation
from aslant.statistics.chance import Chance

#: How a text is scored: by counting words of the classes, by the word that leans most, by the weighted mean lean.
UNIGRAM, MAX, WAVG = METRICS = ("unigram", "max", "wavg")
#: What a difference may be to.
OTHERS, SOURCE = "other groups", "source"


@dataclass(frozen=True)
class TextLean:
    """How one text leans, by class in the order of `classes`; `leans_to` has a class, or "", by metric.

    `counts` are words of each class. `max` are the leans of the `word` that leans most to any class, `wavg` those of
    all words, each weighed by its size. `words` is how many words have a vector and count.
    """

    group: str
    prompt: str
    words: int
    counts: tuple[int, ...]
    max: tuple[float, ...]
    wavg: tuple[float, ...]
    word: str
    leans_to: dict[str, str]


@dataclass(frozen=True)
class GroupLean:
    """How the texts of a group lean to a class by one metric; each prompt counts once, however many texts it has.

    `share` is that of texts that lean to the class; `mean` that of the scores (by "unigram": of words of the class in a
    text). `share_chance` and `mean_chance` are what random class words give. `source_share` and `source_mean` are those
    of the source texts, where there are any.
    """

    metric: str
    domain: str
    group: str
    leans_to: str
    n: int
    prompts: int
    words: float
    share: float
    share_interval: Interval | None
    share_chance: Chance | None
    mean: float
    mean_interval: Interval | None
    mean_chance: Chance | None
    source_share: float | None = None
    source_mean: float | None = None


@dataclass(frozen=True)
class LeanDifference:
    """How much further a group's texts lean to a class than those of `other_than`, or than their own sources.

    By "unigram" it is a difference of shares, else of means, for which no threshold is needed. `pvalue` permutes whole
    prompts between groups, or, for sources, flips their signs; `chance` is what random class words give.
    """

    metric: str
    domain: str
    group: str
    other_than: str
    leans_to: str
    value: float
    interval: Interval | None
    pvalue: float
    qvalue: float | None
    chance: Chance | None


@dataclass(frozen=True)
class TextPolarityResult(MeasuredResult):
    """Polarity of texts between classes, by group (Dhamala et al. 2021; Lu et al.).

    `groups` has every metric, group and class, `differences` those between groups and to source texts, `texts` each
    text. `vectors` are those that words were looked up in, `tokens` the words that "unigram" counts, `read` says what
    was read as what.
    """

    kind: ClassVar[str] = "text-polarity"

    scheme: str
    threshold: float
    classes: tuple[WordsUsed, ...]
    tokens: tuple[tuple[str, ...], ...]
    groups: tuple[GroupLean, ...]
    differences: tuple[LeanDifference, ...]
    texts: tuple[TextLean, ...]
    vectors: Representation
    read: str
    notes: tuple[str, ...]
    provenance: Provenance

    def rows(self) -> list[dict[str, Any]]:
        """Return one table row per metric, group and class."""
        against = {(d.metric, d.domain, d.group, d.leans_to, d.other_than == SOURCE): d for d in self.differences}
        return [
            _row(g, *(against.get((g.metric, g.domain, g.group, g.leans_to, of)) for of in (False, True)))
            for g in self.groups
        ]


def _row(found: GroupLean, others: LeanDifference | None, source: LeanDifference | None) -> dict[str, Any]:
    names = ("metric", "domain", "group", "leans_to", "n", "prompts", "words")
    row: dict[str, Any] = {name: getattr(found, name) for name in names}
    for what in ("share", "mean"):
        chance = getattr(found, f"{what}_chance")
        low, high = bounds(getattr(found, f"{what}_interval"))
        row |= {what: getattr(found, what), f"{what}_low": low, f"{what}_high": high}
        row |= {f"{what}_chance_{name}": getattr(chance, name, None) for name in ("low", "high", "pvalue")}
        row[f"source_{what}"] = getattr(found, f"source_{what}")
    for name, difference in (("difference", others), ("source_difference", source)):
        low, high = bounds(difference.interval if difference else None)
        row |= {name: difference and difference.value, f"{name}_low": low, f"{name}_high": high}
        row |= {f"{name}_{p}": getattr(difference, p, None) for p in ("pvalue", "qvalue")}
        row[f"{name}_chance_pvalue"] = getattr(difference.chance, "pvalue", None) if difference else None
    return row

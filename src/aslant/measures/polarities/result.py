"""What polarity, its comparison between embeddings, and its history over decades return."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal

from aslant.results.codec import MeasuredResult, Result
from aslant.results.parts import Interval, WordsUsed, bounds, chance_row
from aslant.results.provenance import Provenance, Representation
from aslant.statistics.chance import Chance
from aslant.statistics.frequency import FrequencyLean

#: What is measured where nothing else is given.
PROFESSIONS = "bold-professions"
#: A trend is called one where p is below this.
CLEAR = 0.05
#: Relative lengths of class vectors that are further apart than this are not the same.
UNLIKE = 0.05


@dataclass(frozen=True)
class WordPolarity:
    """One word's polarity, and the class that it leans to.

    `chance_pvalue` is the share of random classes between which it leans as far, `chance_qvalue` that with all words
    counted (Benjamini–Hochberg).
    """

    word: str
    score: float
    leans_to: str
    chance_pvalue: float | None = None
    chance_qvalue: float | None = None


@dataclass(frozen=True)
class PolarityResult(MeasuredResult):
    """Polarity of words between classes (Lu et al.): `score` is the mean over the words.

    Under the binary scheme a word's own score keeps its sign (positive: the first class) and `score` is the mean of
    absolute values. `interval` is a bootstrap over the words, `chance` what random words give in place of the classes,
    and `frequency` how a word's lean between two classes goes with its frequency.
    """

    kind: ClassVar[str] = "polarity"

    scheme: str
    classes: tuple[WordsUsed, ...]
    score: float
    interval: Interval | None
    by_word: tuple[WordPolarity, ...]
    provenance: Provenance
    chance: Chance | None = None
    frequency: FrequencyLean | None = None

    def rows(self) -> list[dict[str, Any]]:
        """Return one table row per word."""
        keys = ("word", "score", "leans_to", "chance_pvalue", "chance_qvalue")
        return [{key: getattr(word, key) for key in keys} for word in self.by_word]


@dataclass(frozen=True)
class Difference:
    """How far another embedding's value is from the first one's, over what both have.

    `pvalue` is that of a paired test; None where none was made.
    """

    first: str
    second: str
    difference: float
    interval: Interval | None
    pvalue: float | None
    n: int


@dataclass(frozen=True)
class PolarityComparison(Result):
    """Polarity of the same words in several embeddings, and paired differences to the first of them.

    `left_out` are, by embedding, the words missing from it, which are therefore used for none. `lengths` are the
    lengths of the class vectors in each, in the order of the classes; `at_unit_length` says of each whether the
    vectors of all class words have length 1.
    """

    kind: ClassVar[str] = "polarity-comparison"

    results: tuple[PolarityResult, ...]
    differences: tuple[Difference, ...]
    shared_words: tuple[str, ...]
    left_out: dict[str, tuple[str, ...]]
    lengths: tuple[tuple[float, ...], ...] = ()
    at_unit_length: tuple[bool, ...] = ()

    @property
    def lengths_differ(self) -> bool:
        """Whether class vectors are not of the same relative length in all embeddings, on which polarity depends.

        They are not where they were brought to unit length in some embeddings only, however little that changed.
        """
        if len(set(self.at_unit_length)) > 1:
            return True
        relative = [[length / max(own) for length in own] for own in self.lengths]
        return any(abs(a - b) > UNLIKE for other in relative for a, b in zip(relative[0], other, strict=True))

    @property
    def missing(self) -> tuple[str, ...]:
        """The words missing from some embedding."""
        return tuple(dict.fromkeys(word for words in self.left_out.values() for word in words))

    def rows(self) -> list[dict[str, Any]]:
        """Return one table row per embedding."""
        by_name = {d.second: d for d in self.differences}
        rows = []
        for result in self.results:
            name = result.provenance.representation.name
            d, low, high = by_name.get(name), *bounds(result.interval)
            row: dict[str, Any] = {"representation": name, "scheme": result.scheme}
            row |= {"classes": ", ".join(group.name for group in result.classes)}
            row |= {"score": result.score, "low": low, "high": high, "words": len(result.by_word)}
            low, high = bounds(d.interval if d else None)
            row |= {"difference": d.difference if d else None, "difference_low": low, "difference_high": high}
            row |= {"difference_pvalue": d.pvalue if d else None}
            rows.append(row | {"standardised": result.chance.standardised(result.score) if result.chance else None})
        return rows


@dataclass(frozen=True)
class TrendTest:
    """Whether the scores rise or fall with time: Kendall's tau (the Mann–Kendall test) and Spearman's rho.

    `chance` compares tau with those of random classes, each the same words in all years.
    """

    kendall: float
    kendall_pvalue: float
    spearman: float
    spearman_pvalue: float
    slope_per_century: float
    chance: Chance | None = None

    @property
    def direction(self) -> Literal["up", "down", "none"]:
        """Where the scores are heading, if the Mann–Kendall test finds a trend (p < .05)."""
        if self.kendall_pvalue >= CLEAR:
            return "none"
        return "up" if self.kendall > 0 else "down"


@dataclass(frozen=True)
class TrendPoint:
    """The score of one year's embedding; `classes` are the words that represented each class in that year.

    `chance` is what random words give in place of the classes.
    """

    year: int
    score: float
    low: float | None
    high: float | None
    words: int
    representation: str
    classes: dict[str, tuple[str, ...]] = field(default_factory=dict)
    chance: Chance | None = None


@dataclass(frozen=True)
class TrendResult(MeasuredResult):
    """Polarity over the years (Lu et al.), with a test for trend.

    `basis` says which words were measured; in `years_left_out` a class is missing.
    """

    kind: ClassVar[str] = "polarity-trend"

    scheme: str
    classes: tuple[str, ...]
    basis: str
    points: tuple[TrendPoint, ...]
    representations: tuple[Representation, ...]
    test: TrendTest | None
    words: tuple[str, ...]
    years_left_out: dict[int, str]
    provenance: Provenance

    def rows(self) -> list[dict[str, Any]]:
        """Return one table row per year."""
        return [
            {
                "year": p.year, "score": p.score, "low": p.low, "high": p.high, "words": p.words,
                "representation": p.representation,
                "classes": "; ".join(f"{name}: {', '.join(words)}" for name, words in p.classes.items()),
                **chance_row(p.chance),
            }
            for p in self.points
        ]  # fmt: skip


@dataclass(frozen=True)
class TrendsResult(MeasuredResult):
    """Polarity over the years in several settings, such as those of one figure of Lu et al.

    `trends` holds, by the label of the setting, what each gives alone; `not_measured` says why a setting gives nothing.
    """

    kind: ClassVar[str] = "polarity-trends"

    trends: dict[str, TrendResult]
    not_measured: dict[str, str]

    @property
    def provenance(self) -> Provenance:  # type: ignore[override]
        """The provenance of the last setting; they share all but the class words."""
        return list(self.trends.values())[-1].provenance

    @property
    def missing(self) -> tuple[str, ...]:
        """The words that some setting could not use."""
        return tuple(dict.fromkeys(word for trend in self.trends.values() for word in trend.missing))

    def rows(self) -> list[dict[str, Any]]:
        """Return one table row per setting and year."""
        return [
            {"setting": label, "scheme": trend.scheme, **row}
            for label, trend in self.trends.items() for row in trend.rows()
        ]  # fmt: skip


def _row(
    what: str, first: float, second: float, d: Difference, words: int, chances: tuple[Chance | None, Chance | None]
) -> dict[str, Any]:
    low, high = bounds(d.interval)
    row = {"measure": what, "first": first, "second": second, "difference": d.difference, "low": low, "high": high}
    in_sd = [
        chance.standardised(value) if chance else None for value, chance in zip((first, second), chances, strict=True)
    ]
    return row | {"pvalue": d.pvalue, "words": words, "first_standardised": in_sd[0], "second_standardised": in_sd[1]}

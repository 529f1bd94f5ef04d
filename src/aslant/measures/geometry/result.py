"""What the geometry of an embedding returns: subspace, direct and indirect bias, and the two together."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, TypeAlias

from aslant.measures.residuals.result import ResidualBiasResult, ResidualClassification, ResidualClustering
from aslant.results.codec import MeasuredResult
from aslant.results.parts import Correlation, Spread
from aslant.results.provenance import Provenance
from aslant.statistics.chance import Chance
from aslant.statistics.frequency import FrequencyLean


@dataclass(frozen=True)
class SubspaceResult(MeasuredResult):
    """The subspace that word sets span, each centred on its own mean (Bolukbasi et al. 2016; Manzini et al. 2019).

    `explained[i]` is the share of variance of component i, `random[i]` the same for as many random words;
    `pvalue` is (1 + random draws whose first component explains as much) / (1 + draws). `direction` is the first
    component, of length one; a word on the side of `poles[0]`, the first words of the sets, has a positive projection.
    `chance` is what random words of the same frequency give in place of the sets, for the first component.
    """

    kind: ClassVar[str] = "subspace"

    sets: tuple[tuple[str, ...], ...]
    sets_left_out: tuple[tuple[str, ...], ...]
    poles: tuple[str, ...]
    explained: tuple[float, ...]
    random: tuple[Spread, ...]
    pvalue: float | None
    direction: tuple[float, ...]
    provenance: Provenance
    chance: Chance | None = None

    def rows(self) -> list[dict[str, Any]]:
        """Return one table row per component."""
        spreads = self.random or (None,) * len(self.explained)
        return [
            {"component": number, "explained": share}
            | {f"random_{name}": getattr(spread, name, None) for name in ("mean", "minimum", "maximum")}
            for number, (share, spread) in enumerate(zip(self.explained, spreads, strict=True), 1)
        ]


@dataclass(frozen=True)
class WordProjection:
    """One word's cosine with the direction, and its human ratings in the order of the result's `ratings`.

    `chance_pvalue` is the share of random pairs' directions along which it lies as far, `chance_qvalue` that with all
    words counted (Benjamini–Hochberg).
    """

    word: str
    projection: float
    ratings: tuple[float, ...]
    chance_pvalue: float | None = None
    chance_qvalue: float | None = None


@dataclass(frozen=True)
class DirectBiasResult(MeasuredResult):
    """Direct bias (Bolukbasi et al. 2016): the mean over words of |cos(w, g)| to the power of `strictness`.

    A positive projection leans to `poles[0]`. `specific` says whether words that have the concept by definition were
    kept or removed; `removed` lists them. `correlations` has one entry per rating that the words come with. `chance` is
    what random pairs give in place of those that the direction comes from, `correlation_chances` the same for Pearson's
    correlations; `frequency` how leans go with frequency.
    """

    kind: ClassVar[str] = "direct-bias"

    value: float
    strictness: float
    poles: tuple[str, ...]
    by_word: tuple[WordProjection, ...]
    ratings: tuple[str, ...]
    correlations: tuple[Correlation, ...]
    specific: str
    removed: tuple[str, ...]
    provenance: Provenance
    chance: Chance | None = None
    frequency: FrequencyLean | None = None
    correlation_chances: tuple[Chance, ...] = ()

    def extremes(self, n: int = 10) -> tuple[tuple[WordProjection, ...], tuple[WordProjection, ...]]:
        """Return the n words that lean most to the first pole, and the n that lean most to the second."""
        ordered = sorted(self.by_word, key=lambda word: -word.projection)
        first = tuple(word for word in ordered[:n] if word.projection > 0)
        second = tuple(word for word in ordered[::-1][:n] if word.projection < 0)
        return first, second

    def rows(self) -> list[dict[str, Any]]:
        """Return one table row per word."""
        return [
            {"word": w.word, "projection": w.projection, **dict(zip(self.ratings, w.ratings, strict=True))}
            | {"chance_pvalue": w.chance_pvalue, "chance_qvalue": w.chance_qvalue}
            for w in self.by_word
        ]


@dataclass(frozen=True)
class IndirectWord:
    """A word, its cosine with the difference of the two ends, the nearer end, and its indirect bias with that end.

    `beta` is None where the word is orthogonal to that end, so their similarity has no share.
    """

    word: str
    projection: float
    end: str
    beta: float | None
    chance_pvalue: float | None = None


@dataclass(frozen=True)
class IndirectBiasResult(MeasuredResult):
    """Indirect bias β (Bolukbasi et al. 2016 §3.5): the share of two words' similarity that the direction explains.

    `value` is β of the two ends themselves; `by_word` are other words, from the one nearest to `first` to the one
    nearest to `second`, each with its β to the nearer end. `chance`, and a word's `chance_pvalue`, compare β with that
    along the directions of random pairs.
    """

    kind: ClassVar[str] = "indirect-bias"

    first: str
    second: str
    value: float
    similarity: float
    poles: tuple[str, ...]
    by_word: tuple[IndirectWord, ...]
    provenance: Provenance
    chance: Chance | None = None

    def extremes(self, n: int = 5) -> tuple[tuple[IndirectWord, ...], tuple[IndirectWord, ...]]:
        """Return the n words nearest to the first end, and the n nearest to the second."""
        return self.by_word[:n], self.by_word[::-1][:n]

    def rows(self) -> list[dict[str, Any]]:
        """Return one table row per word."""
        shown = ("word", "projection", "end", "beta", "chance_pvalue")
        return [{name: getattr(word, name) for name in shown} for word in self.by_word]


@dataclass(frozen=True)
class SpaceGeometry:
    """The geometry of one embedding; the biased words of `residual` come from the first embedding.

    `residual` is None where it was not measured; the result's `not_run` says why.
    """

    name: str
    subspace: SubspaceResult
    direct: DirectBiasResult
    residual: ResidualBiasResult | None


@dataclass(frozen=True)
class GeometryResult(MeasuredResult):
    """Subspace, direct bias and what a debiasing would have to remove, for one embedding or before and after.

    `after` is None where no second embedding was given; `not_run` says what was not measured, and why.
    """

    kind: ClassVar[str] = "geometry"

    before: SpaceGeometry
    after: SpaceGeometry | None
    not_run: dict[str, str]
    provenance: Provenance

    @property
    def spaces(self) -> tuple[SpaceGeometry, ...]:
        """The embedding before, and the one after if there is one."""
        return (self.before,) if self.after is None else (self.before, self.after)

    def rows(self) -> list[dict[str, Any]]:
        """Return one table row per measure, with what chance gives."""
        after = _measures(self.after) if self.after else {}
        fields = ("value", "minimum", "maximum", "chance", "chance_low", "chance_high", "pvalue")
        others = ("after", *(f"after_{name}" for name in fields[1:]))
        nothing = (None,) * len(others)
        return [
            {"measure": what, **dict(zip(fields, found, strict=True))}
            | dict(zip(others, after.get(what, nothing), strict=True))
            for what, found in _measures(self.before, alone=self.after is None).items()
        ]


#: A value, its range over seeds, the mean and the range by chance, and the p-value.
_Measure: TypeAlias = tuple[float | None, ...]


def _measures(space: SpaceGeometry, alone: bool = False) -> dict[str, _Measure]:
    """Return the lines of the table; what is left of an embedding that is `alone` is that without its direction."""
    s, r = space.subspace, space.residual
    any_words = (s.random[0].mean, s.random[0].minimum, s.random[0].maximum, s.pvalue) if s.random else (None,) * 4
    found: dict[str, _Measure] = {
        "first component, share of variance": (s.explained[0], None, None, *_by_chance(s.chance, any_words)),
        "direct bias of the words": (space.direct.value, None, None, *_by_chance(space.direct.chance, (None,) * 4)),
    }
    if r is None:
        return found
    left = ", direction taken out" if alone and not r.against_itself else ""
    separated: tuple[tuple[str, ResidualClustering | ResidualClassification], ...]
    separated = ("clustering", r.clustering), ("classification", r.classification)
    for what, test in separated:
        shuffled: _Measure = (test.chance.mean, test.chance.minimum, test.chance.maximum, None)
        values = (test.accuracy, test.lowest, test.highest)
        found[f"{what}, accuracy{left}"] = (*values, *_by_chance(test.random_poles, shuffled))
    for what, n in (("neighbours", r.neighbours), ("neighbours within the words", r.neighbours_within)):
        if n is not None:
            p = None if r.against_itself or r.clustering.random_poles else n.shuffled_pvalue  # small by construction
            shuffled = (n.chance.mean, n.chance.minimum, n.chance.maximum, p)
            found[f"{what}, correlation{left}"] = (n.correlation, None, None, *_by_chance(n.random_poles, shuffled))
    return found


def _by_chance(chance: Chance | None, otherwise: _Measure) -> _Measure:
    return (chance.mean, chance.low, chance.high, chance.pvalue) if chance else otherwise

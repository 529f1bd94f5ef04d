"""What the geometry of an embedding returns: subspace, direct and indirect bias, and the two together."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from aslant.measures.residuals.result import ResidualBiasResult
from aslant.results.codec import MeasuredResult
from aslant.results.parts import Correlation, Spread
from aslant.results.provenance import Provenance


@dataclass(frozen=True)
class SubspaceResult(MeasuredResult):
    """The subspace that word sets span, each centred on its own mean (Bolukbasi et al. 2016; Manzini et al. 2019).

    `explained[i]` is the share of variance of component i, `random[i]` the same for as many random words;
    `pvalue` is (1 + random draws whose first component explains as much) / (1 + draws). `direction` is the first
    component, of length one; a word on the side of `poles[0]`, the first words of the sets, has a positive projection.
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

    def rows(self) -> list[dict[str, Any]]:
        """Return one table row per component."""
        spreads = self.random or (None,) * len(self.explained)
        return [
            {
                "component": number, "explained": share,
                "random_mean": spread.mean if spread else None,
                "random_minimum": spread.minimum if spread else None,
                "random_maximum": spread.maximum if spread else None,
            }
            for number, (share, spread) in enumerate(zip(self.explained, spreads, strict=True), 1)
        ]  # fmt: skip


@dataclass(frozen=True)
class WordProjection:
    """One word's cosine with the direction, and its human ratings in the order of the result's `ratings`."""

    word: str
    projection: float
    ratings: tuple[float, ...]


@dataclass(frozen=True)
class DirectBiasResult(MeasuredResult):
    """Direct bias (Bolukbasi et al. 2016): the mean over words of |cos(w, g)| to the power of `strictness`.

    A positive projection leans to `poles[0]`. `specific` says whether words that have the concept by definition were
    kept or removed; `removed` lists them. `correlations` has one entry per rating that the words come with.
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


@dataclass(frozen=True)
class IndirectBiasResult(MeasuredResult):
    """Indirect bias β (Bolukbasi et al. 2016 §3.5): the share of two words' similarity that the direction explains.

    `value` is β of the two ends themselves; `by_word` are other words, from the one nearest to `first` to the one
    nearest to `second`, each with its β to the nearer end.
    """

    kind: ClassVar[str] = "indirect-bias"

    first: str
    second: str
    value: float
    similarity: float
    poles: tuple[str, ...]
    by_word: tuple[IndirectWord, ...]
    provenance: Provenance

    def extremes(self, n: int = 5) -> tuple[tuple[IndirectWord, ...], tuple[IndirectWord, ...]]:
        """Return the n words nearest to the first end, and the n nearest to the second."""
        return self.by_word[:n], self.by_word[::-1][:n]

    def rows(self) -> list[dict[str, Any]]:
        """Return one table row per word."""
        return [{"word": w.word, "projection": w.projection, "end": w.end, "beta": w.beta} for w in self.by_word]


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

    def rows(self) -> list[dict[str, Any]]:
        """Return one table row per measure, with what chance gives."""
        after: list[_Measure | None] = [*_measures(self.after)] if self.after else [None] * len(_measures(self.before))
        rows = []
        for first, second in zip(_measures(self.before), after, strict=True):
            row = {"measure": first.what, **_fields(first, ("value", "minimum", "maximum", "chance", "pvalue"))}
            names = ("after", "after_minimum", "after_maximum", "after_chance", "after_pvalue")
            rows.append(row | (_fields(second, names) if second else dict.fromkeys(names)))
        return rows


@dataclass(frozen=True)
class _Measure:
    """One line of the table: what, its value, its range over seeds, the value by chance, and the p-value."""

    what: str
    value: float | None
    chance: float | None
    pvalue: float | None = None
    minimum: float | None = None
    maximum: float | None = None


def _fields(measure: _Measure, names: tuple[str, ...]) -> dict[str, Any]:
    values = (measure.value, measure.minimum, measure.maximum, measure.chance, measure.pvalue)
    return dict(zip(names, values, strict=True))


def _measures(space: SpaceGeometry) -> list[_Measure]:
    s, r = space.subspace, space.residual
    share = s.random[0].mean if s.random else None
    found = [
        _Measure("first component, share of variance", s.explained[0], share, s.pvalue),
        _Measure("direct bias of the words", space.direct.value, None),
    ]
    return found if r is None else found + _residual_measures(r)


def _residual_measures(r: ResidualBiasResult) -> list[_Measure]:
    c, k = r.clustering, r.classification
    found = [
        _Measure("clustering, accuracy", c.accuracy, c.chance.mean, None, c.lowest, c.highest),
        _Measure("classification, accuracy", k.accuracy, k.chance.mean, None, k.lowest, k.highest),
    ]
    near = (
        ("neighbours, correlation", r.neighbours),
        ("neighbours within the words, correlation", r.neighbours_within),
    )
    found += [_Measure(what, n.correlation, n.chance.mean, n.shuffled_pvalue) for what, n in near if n is not None]
    return found

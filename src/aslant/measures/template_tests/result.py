"""What the measures on language models return: log-probability scores, their WEAT and suite, and WEAT in templates."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import mean, stdev
from typing import Any, ClassVar

from aslant.measures.shared.association import AssociationSuite, AssociationTest, WordAssociation
from aslant.results.codec import MeasuredResult
from aslant.results.provenance import Provenance
from aslant.statistics.chance import Chance

#: What stands for all the other classes in a contrast.
REST = "the rest"


@dataclass(frozen=True)
class TargetSet:
    """A set of target words; `pieces[i]` are those of `words[i]`, as the model sees it in the first template with it.

    `pieces` is empty for a word that fits no template.
    """

    name: str
    words: tuple[str, ...]
    pieces: tuple[tuple[str, ...], ...]


@dataclass(frozen=True)
class SideScore:
    """One target set and one attribute: association = log(p_target / p_prior), natural logarithm.

    Probabilities are summed within the set; over several templates they are geometric means, so that the equation
    holds. A causal model has neither (None): its association is the log-likelihood of the attribute and what
    follows it, of which only differences between target sets mean anything.
    """

    target: str
    p_target: float | None
    p_prior: float | None
    association: float


@dataclass(frozen=True)
class AttributeScore:
    """One attribute's bias score: positive where it is associated with the first target set.

    With two sets `score` is the difference of their associations; with more, the largest of the differences to the
    mean of the others, which is that of `leans_to`. `by_template` has the score in each template, `pieces` is how
    many word pieces the model makes of the attribute.
    """

    attribute: str
    score: float
    leans_to: str
    sides: tuple[SideScore, ...]
    by_template: tuple[float, ...]
    pieces: int


@dataclass(frozen=True)
class Contrast:
    """One target set against another, or against the rest, over all attributes.

    `share` is that of the attributes whose difference is 0 or more, with a Wilson interval; `count` of `n`. `pvalue` is
    two-sided, for the mean, over the signs of the attributes' differences: it is about other attributes with the same
    targets. Whether other targets differ as much is what `chance` says: the share with first names of one gender in
    their place, as pairs or one against the rest; `twins` are the shares that untrained models give. q-values are over
    the contrasts of a result.
    """

    first: str
    second: str
    mean: float
    count: int
    n: int
    share: float
    low: float
    high: float
    pvalue: float | None = None
    qvalue: float | None = None
    chance: Chance | None = None
    chance_qvalue: float | None = None
    twins: tuple[float, ...] = ()


@dataclass(frozen=True)
class LogProbabilityResult(MeasuredResult):
    """Log-probability bias scores of attributes between two or more target sets (Kurita et al. 2019).

    `scores` has one entry for each attribute, in the order given. `contrasts`: the two sets; with more, every pair and
    each against the rest. `one_vs_one` is the mean over attributes of the mean absolute difference over pairs,
    `one_vs_rest` that of the largest difference to the mean of the others. `method` says what was compared: "masks",
    "continuations" or "whole sentences". `chance` and `twins` are those of the `share`, which is the first contrast;
    `names_reach` is how far from 0 95 % of the scores of single attributes are between two names of one gender.
    """

    kind: ClassVar[str] = "log-probability"

    templates: tuple[str, ...]
    targets: tuple[TargetSet, ...]
    method: str
    scores: tuple[AttributeScore, ...]
    contrasts: tuple[Contrast, ...]
    one_vs_one: float
    one_vs_rest: float
    confidence: float
    notes: tuple[str, ...]
    provenance: Provenance
    chance: Chance | None = None
    twins: tuple[float, ...] = ()
    names_reach: float | None = None

    @property
    def share(self) -> Contrast:
        """The share of attributes associated with the first target set rather than with the second."""
        return self.contrasts[0]

    @property
    def ranked(self) -> tuple[AttributeScore, ...]:
        """The scores, largest first."""
        return tuple(sorted(self.scores, key=lambda score: -score.score))

    def rows(self) -> list[dict[str, Any]]:
        """Return one table row per attribute."""
        rows, others = [], len(self.targets) - 1
        for score in self.scores:
            row: dict[str, Any] = {name: getattr(score, name) for name in ("attribute", "score", "leans_to")}
            total = sum(side.association for side in score.sides)
            for side in score.sides:
                shown = ("p_target", "p_prior", "association")
                row |= {f"{side.target}: {name}": getattr(side, name) for name in shown}
                if others > 1:
                    row[f"{side.target}: against the rest"] = side.association - (total - side.association) / others
            rows.append(row | {"pieces": score.pieces, "names_reach": self.names_reach})
        return rows


@dataclass(frozen=True)
class AttributeGroup:
    """One of the two attribute sets of a test."""

    name: str
    words: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class LogProbabilityWeatResult(AssociationTest):
    """The effect size of log-probability bias scores between two attribute sets (Kurita et al. 2019, §3.2).

    `scores` are those of the first attribute set, then of the second. `n_scores` were compared: one per attribute
    (its mean over templates), or, `as_published`, one per template and attribute. `twins` are the effect sizes that
    untrained models of the same architecture give.
    """

    kind: ClassVar[str] = "log-probability-weat"

    templates: tuple[str, ...]
    targets: tuple[TargetSet, TargetSet]  # type: ignore[assignment]
    attributes: tuple[AttributeGroup, AttributeGroup]  # type: ignore[assignment]
    as_published: bool
    effect_size_population: float
    n_scores: int
    method: str
    scores: tuple[AttributeScore, ...]
    notes: tuple[str, ...]
    twins: tuple[float, ...] = ()

    @property
    def pieces(self) -> tuple[float, float]:
        """The mean number of word pieces of the attributes of each set."""
        first, second = (mean(s.pieces for s in self.scores if s.attribute in g.words) for g in self.attributes)
        return first, second

    @property
    def effect_size_one_piece(self) -> float | None:
        """The effect size among attributes of one word piece; None where it does not exist."""
        first, second = (
            [x for s in self.scores if s.attribute in group.words and s.pieces == 1
             for x in (s.by_template if self.as_published else (s.score,))]
            for group in self.attributes
        )  # fmt: skip
        spread = stdev(first + second) if first and second else 0.0
        return (mean(first) - mean(second)) / spread if spread else None

    def own_columns(self) -> dict[str, Any]:
        """Return what only such a test's row has: scores compared, word pieces, what untrained models give."""
        return {
            "scores": self.n_scores, "effect_size_population": self.effect_size_population,
            "pieces_first": self.pieces[0], "pieces_second": self.pieces[1],
            "effect_size_one_piece": self.effect_size_one_piece,
            "twins_low": min(self.twins, default=None), "twins_high": max(self.twins, default=None),
        }  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class LogProbabilitySuiteResult(AssociationSuite):
    """Several log-probability tests on one model."""

    kind: ClassVar[str] = "log-probability-suite"

    results: tuple[LogProbabilityWeatResult, ...]


@dataclass(frozen=True, kw_only=True)
class TemplateWeatResult(AssociationTest):
    """WEAT on a masked model's last-layer vectors of words in templates, with attributes in the place of targets.

    `associations` are those of the attribute words, which are re-partitioned; words that are not one piece of the
    model's vocabulary are `missing`.
    """

    kind: ClassVar[str] = "template-weat"
    partitioned: ClassVar[str] = "attributes"

    templates: tuple[str, ...]
    effect_size_population: float
    associations: tuple[WordAssociation, ...]

    def own_columns(self) -> dict[str, Any]:
        """Return what only such a test's row has: how many associations were compared."""
        return {"scores": len(self.associations), "effect_size_population": self.effect_size_population}

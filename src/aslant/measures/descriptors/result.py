"""What the likelihoods of descriptors give: every axis, every descriptor, and the pairs furthest apart."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from aslant.results.codec import MeasuredResult
from aslant.results.provenance import Provenance
from aslant.statistics.chance import Chance


@dataclass(frozen=True)
class DescriptorScore:
    """One descriptor: its mean log-likelihood over all sentences, natural logarithm, and what that is as a perplexity.

    `pieces` is the mean number of word pieces that it adds to a sentence. `above` and `below` count the descriptors of
    its axis that it is more and less likely than, by q-value. `preference` is what the makers of the set say of it:
    "dispreferred" and "polarizing" terms are in the set to be measured, not to be used.
    """

    descriptor: str
    axis: str
    bucket: str
    preference: str
    pieces: float
    score: float
    perplexity: float
    above: int
    below: int


@dataclass(frozen=True)
class DescriptorPair:
    """Two descriptors of an axis: the mean difference of their scores, and its signed-rank test over templates.

    q-values are over all pairs of the axis.
    """

    axis: str
    first: str
    second: str
    difference: float
    pvalue: float
    qvalue: float


@dataclass(frozen=True)
class AxisBias:
    """One axis: `differing` of `pairs` pairs of descriptors differ in likelihood by q-value, a share of `share`.

    With enough sentences nearly all words differ, so that the share alone says little: `chance` is what random
    adjectives of as many word pieces give in the same sentences, `twins` what untrained models give, and `spread` the
    standard deviation of the descriptors' scores. `published` is the share of Smith et al. (2022), None where the
    templates have too few nouns for it.
    """

    axis: str
    descriptors: int
    pairs: int
    differing: int
    share: float
    spread: float
    published: float | None
    chance: Chance | None
    chance_qvalue: float | None
    twins: tuple[float, ...]


@dataclass(frozen=True)
class HolisticBiasResult(MeasuredResult):
    """How likely a language model finds descriptors of people in the same sentences (Smith et al. 2022).

    `furthest` has, for each axis, the pairs that are furthest apart. `pieces_correlation` is Spearman's rho of the
    descriptors' scores and their numbers of word pieces. `provenance.missing` has the descriptors left out.
    """

    kind: ClassVar[str] = "holistic-bias"
    names_missing: ClassVar[bool] = False

    method: str
    templates: tuple[str, ...]
    sentences: int
    alpha: float
    axes: tuple[AxisBias, ...]
    descriptors: tuple[DescriptorScore, ...]
    furthest: tuple[DescriptorPair, ...]
    pieces_correlation: float | None
    notes: tuple[str, ...]
    provenance: Provenance

    def ranked(self, axis: str) -> tuple[DescriptorScore, ...]:
        """Return the descriptors of an axis, the most likely first."""
        return tuple(sorted((d for d in self.descriptors if d.axis == axis), key=lambda d: -d.score))

    def rows(self) -> list[dict[str, Any]]:
        """Return one table row per descriptor."""
        return [dict(vars(found)) for found in self.descriptors]

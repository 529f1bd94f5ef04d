"""What is left of a bias after debiasing (Gonen & Goldberg 2019): clusters, a classifier, neighbours."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from aslant.results.codec import MeasuredResult
from aslant.results.parts import Spread
from aslant.results.provenance import Provenance, Representation


@dataclass(frozen=True)
class CandidatePool:
    """The words that biased words are chosen from: how many, and how many were left out, by reason."""

    candidates: int
    left_out: dict[str, int]


@dataclass(frozen=True)
class PicturePoint:
    """One biased word in the plane: the side it leans to in the original embedding, and the cluster it fell into."""

    word: str
    side: str
    cluster: int
    x: float
    y: float


@dataclass(frozen=True)
class Picture:
    """The biased words in two dimensions, by `method` (umap or pca), in the embedding that was measured."""

    method: str
    points: tuple[PicturePoint, ...]


@dataclass(frozen=True)
class ResidualClustering:
    """How well two k-means clusters separate the most biased words: mean accuracy over the seeds and its range.

    `chance` is the accuracy of the same clusters against random labels; `silhouette` that of the clusters found.
    `asked_per_side` is more than `words_per_side` where the vocabulary was too small.
    """

    accuracy: float
    lowest: float
    highest: float
    silhouette: Spread
    chance: Spread
    words_per_side: int
    asked_per_side: int
    seeds: int


@dataclass(frozen=True)
class ResidualClassification:
    """How well an RBF support vector machine tells the sides apart on words it has not seen, over the seeds.

    `chance` is the accuracy when the classifier is trained and tested on shuffled labels.
    """

    accuracy: float
    lowest: float
    highest: float
    chance: Spread
    words_per_side: int
    asked_per_side: int
    training_words: int
    testing_words: int
    seeds: int


@dataclass(frozen=True)
class NeighbourShare:
    """A word's bias in the original embedding, and the share of its neighbours that lean to the first pole."""

    word: str
    bias: float
    share: float


@dataclass(frozen=True)
class ResidualNeighbours:
    """How the share of first-pole words among a word's `k` nearest correlates with its original bias.

    `correlation` is Pearson's; None where shares or biases are all equal. Nothing here is random except `chance`: the
    correlations when the leanings of the neighbours are shuffled. `shuffled_pvalue` is (1 + shuffles that correlate as
    strongly) / (1 + shuffles); `pvalue` assumes independent words, which words with common neighbours are not.
    """

    correlation: float | None
    pvalue: float | None
    spearman: float | None
    spearman_pvalue: float | None
    shuffled_pvalue: float | None
    chance: Spread
    k: int
    asked_k: int
    among: int
    by_word: tuple[NeighbourShare, ...]


@dataclass(frozen=True)
class ResidualBiasResult(MeasuredResult):
    """Three tests of what is left of a bias: words chosen in `original`, measured in the provenance's embedding.

    `words` are the most biased words, by side, that the clustering used; `poles` are the two sides.
    """

    kind: ClassVar[str] = "residual-bias"

    original: Representation
    poles: tuple[str, str]
    pool: CandidatePool
    words: tuple[tuple[str, ...], tuple[str, ...]]
    clustering: ResidualClustering
    classification: ResidualClassification
    neighbours: ResidualNeighbours
    neighbours_within: ResidualNeighbours | None
    picture: Picture | None
    provenance: Provenance

    def rows(self) -> list[dict[str, Any]]:
        """Return one table row per test; "pvalue" is by shuffling, "parametric_pvalue" assumes independent words."""
        c, k, s = self.clustering, self.classification, self.clustering.silhouette
        rows = [
            _row("clustering accuracy", c.accuracy, c.lowest, c.highest, c.chance, None, 2 * c.words_per_side),
            _row("clustering silhouette", s.mean, s.minimum, s.maximum, None, None, 2 * c.words_per_side),
            _row("classification accuracy", k.accuracy, k.lowest, k.highest, k.chance, None, 2 * k.words_per_side),
        ]
        for name, n in (("neighbours", self.neighbours), ("neighbours within the list", self.neighbours_within)):
            if n is not None:
                words, p = len(n.by_word), n.shuffled_pvalue
                rows.append(_row(f"{name}, Pearson", n.correlation, None, None, n.chance, p, words, n.pvalue))
                rows.append(_row(f"{name}, Spearman", n.spearman, None, None, None, None, words, n.spearman_pvalue))
        return rows


def _row(
    what: str, value: float | None, low: float | None, high: float | None, chance: Spread | None,
    pvalue: float | None, words: int, parametric: float | None = None,
) -> dict[str, Any]:  # fmt: skip
    row = {"test": what, "value": value, "minimum": low, "maximum": high, "chance": chance.mean if chance else None}
    row |= {f"chance_{end}": getattr(chance, end, None) for end in ("minimum", "maximum")}
    return row | {"pvalue": pvalue, "parametric_pvalue": parametric, "words": words}

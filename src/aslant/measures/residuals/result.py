"""What is left of a bias after debiasing (Gonen & Goldberg 2019): clusters, a classifier, neighbours."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from aslant.results.codec import MeasuredResult
from aslant.results.parts import Spread
from aslant.results.provenance import Provenance, Representation
from aslant.statistics.chance import Chance


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
    `asked_per_side` is more than `words_per_side` where the vocabulary was too small. `random_poles` is what is left
    where random poles choose the words and are debiased; None where the debiasing cannot be repeated for them.
    """

    accuracy: float
    lowest: float
    highest: float
    silhouette: Spread
    chance: Spread
    words_per_side: int
    asked_per_side: int
    seeds: int
    random_poles: Chance | None = None


@dataclass(frozen=True)
class ResidualClassification:
    """How well an RBF support vector machine tells the sides apart on words it has not seen, over the seeds.

    `chance` is the accuracy when the classifier is trained and tested on shuffled labels; `random_poles` as for
    clustering, one classifier for each draw.
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
    random_poles: Chance | None = None


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
    `random_poles` as for clustering.
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
    random_poles: Chance | None = None


@dataclass(frozen=True)
class ResidualBiasResult(MeasuredResult):
    """Three tests of what is left of a bias: words chosen in `original`, measured in the provenance's embedding.

    `words` are the most biased words, by side, that the clustering used; `poles` are the two sides. Only tests with
    `random_poles` are evidence: words that are picked by a direction lie together in other ways, too, whatever it is.
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

    @property
    def against_itself(self) -> bool:
        """Whether the words were chosen in the space that was measured."""
        return self.original.fingerprint == self.provenance.representation.fingerprint

    def rows(self) -> list[dict[str, Any]]:
        """Return one table row per test; "pvalue" is by shuffling, "parametric_pvalue" assumes independent words.

        "poles_…" is what random poles leave: mean, the range of 95 % of them, and the p-value.
        """
        c, k, s = self.clustering, self.classification, self.clustering.silhouette
        both, all_words = 2 * c.words_per_side, 2 * k.words_per_side
        rows = [
            _row("clustering accuracy", c.accuracy, (c.lowest, c.highest), c.chance, both, poles=c.random_poles),
            _row("clustering silhouette", s.mean, (s.minimum, s.maximum), None, both),
            _row(
                "classification accuracy", k.accuracy, (k.lowest, k.highest), k.chance, all_words, poles=k.random_poles
            ),
        ]
        for name, n in (("neighbours", self.neighbours), ("neighbours within the list", self.neighbours_within)):
            if n is not None:
                words, p = len(n.by_word), (n.shuffled_pvalue, n.pvalue)
                rows.append(_row(f"{name}, Pearson", n.correlation, NONE, n.chance, words, p, n.random_poles))
                rows.append(_row(f"{name}, Spearman", n.spearman, NONE, None, words, (None, n.spearman_pvalue)))
        return rows


NONE = (None, None)


def _row(
    what: str, value: float | None, span: tuple[float | None, float | None], chance: Spread | None, words: int,
    pvalues: tuple[float | None, float | None] = NONE, poles: Chance | None = None,
) -> dict[str, Any]:  # fmt: skip
    row = {"test": what, "value": value, "minimum": span[0], "maximum": span[1]}
    row |= {"chance": chance.mean if chance else None}
    row |= {f"chance_{end}": getattr(chance, end, None) for end in ("minimum", "maximum")}
    row |= {"pvalue": pvalues[0], "parametric_pvalue": pvalues[1], "words": words}
    return row | {f"poles_{name}": getattr(poles, name, None) for name in ("mean", "low", "high", "pvalue")}

"""What contextual vectors show of a bias (Basta et al. 2019): each measure over repeats with new sentences."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from aslant.measures.residuals.result import Picture
from aslant.measures.sentence_tests.result import CorpusRead
from aslant.results.codec import MeasuredResult
from aslant.results.parts import Spread
from aslant.results.provenance import Provenance, Representation
from aslant.statistics.chance import Chance

#: The name of the encoder's column next to static spaces.
CONTEXTUAL = "contextual"


@dataclass(frozen=True)
class RepeatedMeasure:
    """A number in each repeat, its mean and range, and what chance gives.

    `by_repeat` has None where a repeat gives no number (a correlation of shares that are all the same), and `over` is
    None where none does. `pvalue` is (1 + shuffles that reach the mean over repeats) / (1 + shuffles), None where
    nothing was shuffled; for a share of variance, shuffles are draws from the pairs and random pairs together.
    `parametric_pvalues` has for a correlation Pearson's own p-value in each repeat, which assumes independent words.
    `beside` is what random words give: swapped like the pairs, or as poles in place of the poles. The latter are
    compared with `sampled`, what the poles give on the sample of words on which random ones are measured.
    """

    over: Spread | None
    by_repeat: tuple[float | None, ...]
    chance: Spread | None
    pvalue: float | None
    parametric_pvalues: tuple[float | None, ...] = ()
    beside: Chance | None = None
    sampled: float | None = None

    @property
    def largest_pvalue(self) -> float | None:
        """The largest of the parametric p-values, None where there is none."""
        return max((value for value in self.parametric_pvalues if value is not None), default=None)


@dataclass(frozen=True)
class SpaceMeasures:
    """The measures of one space on the same words; `share_of_variance` is that of the first component of the pairs."""

    share_of_variance: RepeatedMeasure
    direct_bias: RepeatedMeasure
    clustering: RepeatedMeasure
    silhouette: RepeatedMeasure
    classification: RepeatedMeasure
    neighbours: RepeatedMeasure
    neighbours_within: RepeatedMeasure


@dataclass(frozen=True)
class ComparedSpace:
    """A static space, measured on exactly the words that the contextual measures used; repeats differ only in seeds."""

    column: str
    representation: Representation
    measures: SpaceMeasures


@dataclass(frozen=True)
class SwappedPair:
    """A definitional pair, the sentences that hold either word, and how many were swapped in each repeat."""

    words: tuple[str, str]
    sentences: int
    swapped: int


@dataclass(frozen=True)
class SwappedSubspace:
    """What two words of a pair differ in when they take each other's place in a sentence.

    `explained[i]` is the share of variance of component i over the repeats, `random[i]` the same for random words
    swapped with each other, as many pairs and sentences, over as many draws as it says; `random_words[i]` that of the
    vectors of random words themselves, as many as there are swapped sentences, over the repeats (Figure 1 of the
    paper; empty unless requested). `direction` is the mean of the repeats' first components, of length one, towards
    `poles[0]`; `agreement` their cosines with it.
    """

    poles: tuple[str, ...]
    pairs: tuple[SwappedPair, ...]
    pairs_left_out: tuple[tuple[str, str], ...]
    explained: tuple[Spread, ...]
    random: tuple[Spread, ...]
    direction: tuple[float, ...]
    agreement: Spread
    random_words: tuple[Spread, ...] = ()


@dataclass(frozen=True)
class ProfessionInContext:
    """A word in sentences without definitional words: mean and range of its cosine with the direction.

    `bias` is its bias in the original static space, None where it has no vector there; `sentences` hold it.
    """

    word: str
    projection: Spread
    bias: float | None
    sentences: int


@dataclass(frozen=True)
class ProfessionPoint:
    """A profession in the plane, with its bias in the original static space."""

    word: str
    bias: float
    x: float
    y: float


@dataclass(frozen=True)
class ProfessionPicture:
    """The professions of the first repeat in two dimensions, by `method` (umap or pca)."""

    method: str
    points: tuple[ProfessionPoint, ...]


@dataclass(frozen=True)
class WordNumbers:
    """How many words were requested and used, and how many of those have fewer sentences than there are repeats."""

    candidates: int
    clustered_per_side: int
    asked_clustered: int
    classified_per_side: int
    asked_classified: int
    training_words: int
    professions: int
    professions_with_bias: int
    k: int
    k_within: int
    asked_k: int
    fewer_sentences: dict[str, int]


@dataclass(frozen=True)
class ContextualBiasResult(MeasuredResult):
    """The measures of Basta et al. on words in sentences of a corpus, each repeat with new sentences.

    Biased words are chosen in `original`, a static space; `words` are those that were clustered, by side (`poles`).
    `lacking` lists what the corpus does not hold, by purpose; `missing` is all of it. `compared` has
    static spaces on the same words, if they were requested.
    """

    kind: ClassVar[str] = "contextual-bias"

    original: Representation
    corpus: CorpusRead
    poles: tuple[str, str]
    subspace: SwappedSubspace
    measures: SpaceMeasures
    professions: tuple[ProfessionInContext, ...]
    words: tuple[tuple[str, ...], tuple[str, ...]]
    numbers: WordNumbers
    lacking: dict[str, tuple[str, ...]]
    clusters: Picture | None
    picture: ProfessionPicture | None
    compared: tuple[ComparedSpace, ...]
    provenance: Provenance

    def extremes(self, n: int = 10) -> tuple[tuple[ProfessionInContext, ...], tuple[ProfessionInContext, ...]]:
        """Return the n professions that lean most to the first pole of the direction, and most to the second."""
        ordered = sorted(self.professions, key=lambda word: -word.projection.mean)
        first = tuple(word for word in ordered[:n] if word.projection.mean > 0)
        return first, tuple(word for word in ordered[::-1][:n] if word.projection.mean < 0)

    def rows(self) -> list[dict[str, Any]]:
        """Return one table row per measure and space: the contextual one first, then those it is compared with."""
        spaces = [(CONTEXTUAL, self.provenance.representation.name, self.measures)]
        spaces += [(space.column, space.representation.name, space.measures) for space in self.compared]
        return [
            {"measure": what, "space": column, "name": name, **_numbers(getattr(measures, field))}
            for field, what in MEASURES.items()
            for column, name, measures in spaces
        ]


#: The fields of `SpaceMeasures`, and what people call them.
MEASURES = {
    "share_of_variance": "first component, share of variance",
    "direct_bias": "direct bias of professions",
    "clustering": "clustering, accuracy",
    "silhouette": "clustering, silhouette",
    "classification": "classification, accuracy",
    "neighbours": "neighbours, correlation",
    "neighbours_within": "neighbours among professions, correlation",
}


def _numbers(measure: RepeatedMeasure) -> dict[str, Any]:
    over, chance = measure.over, measure.chance
    return {
        **{name: getattr(over, name, None) for name in ("mean", "minimum", "maximum")},
        "repeats": over.n if over else 0,
        "chance": chance.mean if chance else None,
        **{f"chance_{name}": getattr(chance, name, None) for name in ("minimum", "maximum")},
        "pvalue": measure.pvalue,
        "parametric_pvalue": measure.largest_pvalue,
        "sampled": measure.sampled,
        **{f"random_{name}": getattr(measure.beside, name, None) for name in ("low", "high", "pvalue", "draws")},
    }

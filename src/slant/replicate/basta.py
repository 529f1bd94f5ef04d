"""Basta et al. 2019, static columns: word2vec GoogleNews before and after hard debiasing (MEASURES §5 and §6)."""

from __future__ import annotations

from slant.measures import direct_bias
from slant.replicate.framework import Cell, Measured, Paper
from slant.replicate.residuals import classification, clustering, neighbours
from slant.vectors import WordVectors

_NEEDS = "googlenews-26k"


def _direct(vectors: WordVectors, seed: int) -> Measured:
    result = direct_bias(vectors)
    return Measured(result.value, result.missing)


PAPER = Paper(
    id="basta",
    title="Basta et al. 2019, static word embeddings",
    citation="Basta, C., Costa-jussà, M. R., & Casas, N. (2019). Evaluating the underlying gender bias in "
    "contextualized word embeddings. First Workshop on Gender Bias in Natural Language Processing, 33–39.",
    cells=(
        Cell("direct bias, professions", "before", 0.08, _NEEDS, _direct, 0.005),
        Cell("clustering", "before", 0.999, _NEEDS, clustering(False), 0.0005),
        Cell("clustering", "after", 0.925, _NEEDS, clustering(True), 0.02),
        Cell("classification", "before", 0.9825, _NEEDS, classification(False), 0.01),
        Cell("classification", "after", 0.8888, _NEEDS, classification(True), 0.01),
        Cell("neighbours among professions, Pearson", "before", None, _NEEDS, neighbours(False, "professions"), 0.0005),
        Cell("neighbours among professions, Pearson", "after", None, _NEEDS, neighbours(True, "professions"), 0.0005),
    ),
    notes=(
        "The paper prints the two figures of the classification swapped, which is put right here.",
        "Vectors: the 26,423 words that Bolukbasi et al. selected; see 'slant replicate gonen' for what differs.",
        "Neighbours are sought among the professions only; their printed figures were not at hand.",
        "The contextual columns need an encoder and are not part of this table.",
    ),
)

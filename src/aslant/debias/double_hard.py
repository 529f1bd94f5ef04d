"""Double-hard debiasing: remove the direction of frequency that hides the concept, then debias hard (Wang et al. 2020).

Wang, Lin, Rajani, McCann, Ordonez & Xiong, ACL 2020, algorithm 1.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aslant.debias.hard import hard_debiased, with_cases
from aslant.debias.linear import mapped, without_subspace
from aslant.debias.words import (
    FloatArray,
    Rows,
    Sets,
    Words,
    check_vectors,
    concept_basis,
    find_sets,
    find_words,
    first_components,
    leaning,
)
from aslant.errors import DebiasError
from aslant.statistics import clustering_accuracy, generator, principal_axes, seed_of, two_clusters, unit_rows
from aslant.stimuli import DEFAULT_POLES
from aslant.vectors import WordVectors
from aslant.vectors.debiasing_record import Treatment


def double_hard_debias(
    vectors: WordVectors,
    *,
    pairs: Sets = "definitional-pairs",
    equalise: Sets = "equalise-pairs",
    specific: Words = "gender-specific-words",
    poles: tuple[str, str] = DEFAULT_POLES,
    candidates: int = 20,
    words: int = 500,
    components: int = 1,
    rng: int | np.random.Generator | None = 0,
) -> WordVectors:
    """Centre the vectors, remove one of their first principal directions, and debias hard.

    Each of the first `candidates` directions is tried; the one removed is that after which `words` that lean most to
    either of `poles` are told apart worst by 2-means. What is chosen, and each accuracy, is recorded.

    >>> import aslant
    >>> w = aslant.double_hard_debias(aslant.load(top=20_000), candidates=3)
    >>> sorted(w.treatments[0].settings)
    ['accuracies', 'candidates', 'components', 'removed', 'trained_on', 'words_per_side']
    """
    check_vectors(vectors)
    seed = seed_of(rng)
    if isinstance(candidates, bool) or not isinstance(candidates, int) or not 1 <= candidates < vectors.dimensions:
        raise DebiasError(f"candidates={candidates!r} is not a number of directions below {vectors.dimensions}.")
    defining = find_sets(vectors, pairs, "pairs")
    concept_basis(vectors, defining, components)  # reports bad pairs before the slow part
    kept, kept_words = find_words(vectors, specific, "specific words")
    equalised = find_sets(vectors, equalise, "equalised")
    biased = leaning(vectors, poles, words, specific)
    mean, axes = principal_axes(vectors.matrix, candidates)
    accuracies = candidate_accuracies(vectors.matrix, mean, axes, biased.rows, defining.rows, seed)
    removed = int(np.argmin(accuracies))
    axis = axes[removed : removed + 1]
    purified = mapped(vectors.matrix, lambda block, _: without_subspace(block - mean, axis), vectors.words)
    basis = first_components([unit_rows(purified[rows]) for rows in defining.rows], components, defining.taken.stimuli)
    equal_rows, cases = with_cases(vectors, equalised)
    matrix = hard_debiased(purified, basis, kept, equal_rows, vectors.words)
    settings = {
        "candidates": candidates, **biased.settings(), "components": components, "removed": removed + 1,
        "accuracies": tuple(round(accuracy, 4) for accuracy in accuracies),
    }  # fmt: skip
    taken = (defining.taken, equalised.taken, cases, kept_words, biased.taken[0])
    return vectors.treated(matrix, Treatment("double-hard debiasing", settings, taken, seed))


def candidate_accuracies(
    matrix: NDArray[Any], mean: FloatArray, axes: FloatArray, biased: Rows, pairs: Sequence[Rows], seed: int
) -> list[float]:
    """Return, for each axis (k, d), how well 2-means separates the biased rows without it and the pairs' direction.

    The first half of `biased` leans to one pole, the second half to the other.
    """
    words = np.asarray(matrix[biased], dtype=np.float64) - mean
    definitional = [np.asarray(matrix[rows], dtype=np.float64) - mean for rows in pairs]
    leans = np.arange(len(words)) < len(words) // 2
    accuracies = []
    for axis in axes[:, None, :]:
        direction = first_components([unit_rows(without_subspace(rows, axis)) for rows in definitional], 1, "pairs")
        left = without_subspace(without_subspace(words, axis), direction)
        accuracies.append(clustering_accuracy(two_clusters(left, generator(seed)), leans))
    return accuracies

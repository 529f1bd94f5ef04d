"""Hard debiasing: neutralise and equalise, for two classes or more, and after removing a direction of frequency.

Bolukbasi, Chang, Zou, Saligrama & Kalai 2016, section 6; Manzini, Lim, Tsvetkov & Black 2019, section 3; Wang, Lin,
Rajani, McCann, Ordonez & Xiong 2020, algorithm 1.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aslant.debias.linear import mapped, without_subspace
from aslant.debias.words import FloatArray, Rows, Sets, Words, concept, find_sets, find_words, first_components, leaning
from aslant.errors import DebiasError
from aslant.measures.shared.open_subject import opening
from aslant.statistics import clustering_accuracy, generator, principal_axes, seed_of, two_clusters, unit_rows
from aslant.stimuli import DEFAULT_POLES
from aslant.vectors import WordVectors
from aslant.vectors.debiasing_record import Treatment
from aslant.vectors.word_vectors import FloatMatrix


def hard_debiased(
    matrix: NDArray[Any], basis: FloatArray, specific: Rows, equalised: Sequence[Rows], words: Sequence[str] = ()
) -> FloatMatrix:
    """Return (words, d) at unit length: neutral rows have no component in `basis` (k, d), sets of rows are equalised.

    `specific` rows keep their direction, and so do those to equalise until then.
    """
    neutral = np.ones(len(matrix), dtype=bool)
    for rows in (specific, *equalised):
        neutral[rows] = False

    def neutralised(block: FloatArray, where: slice) -> FloatArray:
        parts = block @ basis.T
        parts[~neutral[where]] = 0
        block -= parts @ basis
        return block

    out = mapped(matrix, neutralised, words, unit=True)
    # Sets may share words (Manzini et al. 2019): one after the other, as the papers' programs do it.
    exact = {row: unit_rows(matrix[row]) for rows in equalised for row in rows.tolist()}
    for rows in equalised:
        named = f"'{', '.join(words[row] for row in rows.tolist())}'" if words else "the words of a set to equalise"
        changed = equalise(np.array([exact[row] for row in rows.tolist()]), basis, named)
        exact.update(zip(rows.tolist(), changed, strict=True))
    for row, vector in exact.items():
        out[row] = vector
    return out


def equalise(rows: FloatArray, basis: FloatArray, named: str = "the words of a set to equalise") -> FloatArray:
    """Return unit rows (n, d) that share all but their components in `basis` (k, d), which get one length.

    ν = μ − μ_B; w = ν + √(1 − |ν|²) (w_B − μ_B) / |w_B − μ_B|, with μ the mean of the rows. `named`: for messages.

    >>> equalise(np.array([[0.6, 0.8], [-1.0, 0.0]]), np.array([[1.0, 0.0]])).round(3).tolist()
    [[0.917, 0.4], [-0.917, 0.4]]
    """
    parts = rows @ basis.T
    shared = (rows - parts @ basis).mean(axis=0)
    apart = parts - parts.mean(axis=0)
    sizes = np.linalg.norm(apart, axis=1, keepdims=True)
    if (sizes < 1e-9).any():
        raise DebiasError(f"{named} do not differ in the subspace; leave that set out of `equalise`.")
    return np.asarray(shared + np.sqrt(max(0.0, 1 - shared @ shared)) * (apart / sizes) @ basis)


@opening("vectors")
def hard_debias(
    vectors: WordVectors,
    *,
    pairs: Sets = "definitional-pairs",
    equalise: Sets = "equalise-pairs",
    specific: Words = "gender-specific-words",
    components: int = 1,
) -> WordVectors:
    """Remove a concept from all but `specific` words, and make the words of each `equalise` set differ in it alone.

    The subspace is that of the first `components` of `pairs`. Afterwards every vector has unit length, neutral words
    have no component in the subspace, and words of a pair are equally far from each neutral word (unless a later pair
    has one of them, too). Pairs are also equalised in Title Case and UPPER CASE where the embedding has both words.

    >>> import aslant
    >>> w = aslant.hard_debias(aslant.load(top=20_000))
    >>> nurse, she, he = w.lookup(["nurse", "she", "he"]).vectors
    >>> bool(abs(nurse @ she - nurse @ he) < 1e-6)
    True
    >>> w.name, w.treatments[0].settings
    ('sample (hard debiasing)', {'components': 1})
    """
    defining, basis = concept(vectors, pairs, "pairs", components)
    kept, kept_words = find_words(vectors, specific, "specific words")
    equalised = find_sets(vectors, equalise, "equalised")
    rows, cases = equalised.with_cases(vectors)
    matrix = hard_debiased(vectors.matrix, basis, kept, rows, vectors.words)
    taken = (defining.taken, equalised.taken, cases, kept_words)
    return vectors.treated(matrix, Treatment("hard debiasing", {"components": components}, taken, None))


@opening("vectors")
def multiclass_hard_debias(
    vectors: WordVectors, *, sets: Sets, equalise: Sets | None = None, specific: Words = (), components: int = 2
) -> WordVectors:
    """Neutralise and equalise for classes that `sets` name, such as [("judaism", "christianity", "islam"), …].

    The subspace is that of the first `components` of the sets, each centred on its mean. Words of the `equalise` sets
    (None: the same) are equalised in their order, words of `specific` left alone, all others neutralised. Vectors
    have unit length afterwards.

    >>> import aslant
    >>> v = aslant.load(top=20_000)
    >>> sets = [("jewish", "christian", "muslim"), ("rabbi", "priest", "imam")]
    >>> w = aslant.multiclass_hard_debias(v, sets=sets)
    >>> jewish, christian, muslim, greedy = w.lookup(["jewish", "christian", "muslim", "greedy"]).vectors
    >>> bool(abs(greedy @ jewish - greedy @ muslim) < 1e-6)
    True
    """
    defining, basis = concept(vectors, sets, "sets", components)
    kept, kept_words = find_words(vectors, specific, "specific words")
    equalised = find_sets(vectors, sets if equalise is None else equalise, "equalised")
    matrix = hard_debiased(vectors.matrix, basis, kept, equalised.rows, vectors.words)
    taken = (defining.taken, equalised.taken, kept_words)
    return vectors.treated(matrix, Treatment("multi-class hard debiasing", {"components": components}, taken, None))


@opening("vectors")
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
    seed = seed_of(rng)
    defining, _ = concept(vectors, pairs, "pairs", components)  # reports bad pairs before the slow part
    if isinstance(candidates, bool) or not isinstance(candidates, int) or not 1 <= candidates < vectors.dimensions:
        raise DebiasError(f"candidates={candidates!r} is not a number of directions below {vectors.dimensions}.")
    kept, kept_words = find_words(vectors, specific, "specific words")
    equalised = find_sets(vectors, equalise, "equalised")
    biased = leaning(vectors, poles, words, specific)
    mean, axes = principal_axes(vectors.matrix, candidates)
    accuracies = candidate_accuracies(vectors.matrix, mean, axes, biased.rows, defining.rows, seed)
    removed = int(np.argmin(accuracies))
    axis = axes[removed : removed + 1]
    purified = mapped(vectors.matrix, lambda block, _: without_subspace(block - mean, axis), vectors.words)
    basis = first_components([unit_rows(purified[rows]) for rows in defining.rows], components, defining.taken.stimuli)
    equal_rows, cases = equalised.with_cases(vectors)
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

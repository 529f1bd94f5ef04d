"""Hard and soft debiasing for sets of more than two classes (Manzini, Lim, Tsvetkov & Black 2019, section 3)."""

from __future__ import annotations

import numbers
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aslant.debias.hard import hard_debiased
from aslant.debias.linear import BLOCK, mapped
from aslant.debias.words import FloatArray, Rows, Sets, Words, check_vectors, concept_basis, find_sets, find_words
from aslant.errors import DebiasError
from aslant.io.memory_maps import release
from aslant.parallel import one_thread_each
from aslant.statistics import unit_rows
from aslant.vectors import WordVectors
from aslant.vectors.debiasing_record import Treatment

#: The optimum is reached when a step changes the solution, relative to its size, by less than this.
TOLERANCE, MOST_STEPS = 1e-12, 10_000


def multiclass_hard_debias(
    vectors: WordVectors,
    *,
    sets: Sets,
    equalise: Sets | None = None,
    specific: Words = (),
    components: int = 2,
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
    check_vectors(vectors)
    defining = find_sets(vectors, sets, "sets")
    basis = concept_basis(vectors, defining, components)
    kept, kept_words = find_words(vectors, specific, "specific words")
    equalised = find_sets(vectors, sets if equalise is None else equalise, "equalised")
    matrix = hard_debiased(vectors.matrix, basis, kept, equalised.rows, vectors.words)
    taken = (defining.taken, equalised.taken, kept_words)
    return vectors.treated(matrix, Treatment("multi-class hard debiasing", {"components": components}, taken, None))


def multiclass_soft_debias(
    vectors: WordVectors,
    *,
    sets: Sets,
    specific: Words = (),
    components: int = 2,
    strength: float = 0.2,
) -> WordVectors:
    """Shrink the subspace of `sets` by a linear map that otherwise keeps the words' inner products.

    The map T minimises mean (Tu·Tv − u·v)² over all pairs of words + `strength` · mean (Tn·Tb)² over neutral words n
    and directions b of the subspace; words of `sets` and of `specific` are not neutral. The paper has sums instead of
    means, which make the second term vanish with the size of the vocabulary; the authors' program stops its descent
    long before the optimum, which is found here. Strength 0 changes nothing. Vectors have unit length afterwards.

    >>> import aslant
    >>> v = aslant.load(top=20_000)
    >>> w = aslant.multiclass_soft_debias(v, sets=[("jewish", "christian", "muslim")])
    >>> w.treatments[0].settings
    {'components': 2, 'strength': 0.2}
    """
    check_vectors(vectors)
    if isinstance(strength, bool) or not isinstance(strength, numbers.Real) or not 0 <= strength < float("inf"):
        raise DebiasError(f"strength={strength!r} is not a weight; give a number from 0 up, such as 0.2.")
    defining = find_sets(vectors, sets, "sets")
    basis = concept_basis(vectors, defining, components)
    kept, kept_words = find_words(vectors, specific, "specific words")
    neutral = np.ones(len(vectors), dtype=bool)
    neutral[kept] = neutral[defining.all_rows] = False
    if not neutral.any():
        raise DebiasError("every word is specific or in a set, so none is neutral; name fewer specific words.")
    everything = second_moments(vectors.matrix, np.arange(len(vectors)))
    change = soft_map(everything, second_moments(vectors.matrix, np.flatnonzero(neutral)), basis, strength)
    matrix = mapped(vectors.matrix, lambda block, _: block @ change.T, vectors.words, unit=True)
    settings = {"components": components, "strength": strength}
    return vectors.treated(
        matrix, Treatment("multi-class soft debiasing", settings, (defining.taken, kept_words), None)
    )


def second_moments(matrix: NDArray[Any], rows: Rows) -> FloatArray:
    """Return the mean of u uᵀ over the unit vectors u of `rows`, shape (d, d)."""
    total = np.zeros((matrix.shape[1], matrix.shape[1]))
    for start in range(0, len(rows), BLOCK):
        block = unit_rows(matrix[rows[start : start + BLOCK]])
        total += block.T @ block
        release(matrix)
    return total / len(rows)


def soft_map(everything: FloatArray, neutral: FloatArray, basis: FloatArray, strength: float) -> FloatArray:
    """Return the symmetric map T (d, d) that soft debiasing applies, from second moments (d, d) and a basis (k, d).

    With A = TᵀT the objective, |S½(A − I)S½|² + strength/k · |N½ A Bᵀ|², is convex; for X = S½ A S½ it is
    |X − S|² + strength/k · |N½ S^−½ X S^−½ Bᵀ|², which projected gradients on the cone X ⪰ 0 solve in a few steps.
    """

    values, axes = np.linalg.eigh(everything)
    if values[0] <= values[-1] * 1e-12:
        raise DebiasError("the vectors do not span all their dimensions; soft debiasing needs vectors that do.")
    inverse = axes * values**-0.5 @ axes.T
    weight = strength / len(basis)
    left, right = inverse @ neutral @ inverse, inverse @ basis.T @ basis @ inverse
    condition = 1 + weight * np.linalg.norm(left, 2) * np.linalg.norm(right, 2)
    momentum = (np.sqrt(condition) - 1) / (np.sqrt(condition) + 1)  # Nesterov's, for a strongly convex objective
    solution = ahead = everything.copy()
    with one_thread_each():  # matrices so small that threads would only wait for one another
        for _ in range(MOST_STEPS):
            pull = left @ ahead @ right
            moved = _positive(ahead - (2 * (ahead - everything) + weight * (pull + pull.T)) / (2 * condition))
            ahead, last, solution = moved + momentum * (moved - solution), solution, moved
            if np.linalg.norm(solution - last) <= TOLERANCE * np.linalg.norm(solution):
                break
        else:
            raise DebiasError(
                f"strength={strength!r} is too large to solve; hard debiasing removes all of the subspace."
            )
    values, axes = np.linalg.eigh(inverse @ solution @ inverse)
    return np.asarray(axes * np.sqrt(np.maximum(values, 0)) @ axes.T)


def _positive(matrix: FloatArray) -> FloatArray:
    """Return the nearest symmetric matrix without negative eigenvalues."""
    values, axes = np.linalg.eigh((matrix + matrix.T) / 2)
    return np.asarray(axes * np.maximum(values, 0) @ axes.T)

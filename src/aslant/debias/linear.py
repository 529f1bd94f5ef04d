"""Linear maps of all rows of an embedding, some thousand at a time: float64 inside, float32 out.

Three methods are such maps: projection (Dev & Phillips 2019, section 4.1), half-sibling regression, which subtracts
what words that carry a concept by definition predict (Yang & Feng 2020), and soft debiasing for several classes
(Manzini, Lim, Tsvetkov & Black 2019, section 3).
"""

from __future__ import annotations

import numbers
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aslant.data import cache_folder
from aslant.debias.words import FloatArray, Rows, Sets, Words, concept, find_words
from aslant.errors import DebiasError
from aslant.io.memory_maps import release, room_for
from aslant.measures.shared.open_subject import opening
from aslant.parallel import one_thread_each
from aslant.statistics import unit_rows
from aslant.vectors import WordVectors
from aslant.vectors.debiasing_record import Treatment
from aslant.vectors.word_vectors import FloatMatrix

#: Little enough that a block stays in cache, large enough for fast products.
BLOCK = 4096
#: Below this share of a vector's length, what is left of it is only rounding.
NOTHING = 1e-6
#: The optimum is reached when a step changes the solution, relative to its size, by less than this.
TOLERANCE, MOST_STEPS = 1e-12, 10_000


def mapped(
    matrix: NDArray[Any], change: Callable[[FloatArray, slice], FloatArray], words: Sequence[str] | None = None, *,
    unit: bool = False,
) -> FloatMatrix:  # fmt: skip
    """Return `change` of every block of rows, at unit length if requested; shape kept.

    `change` is given the block, which it may overwrite, and its position. `words` are the rows' names, for messages.

    >>> mapped(np.ones((2, 3), np.float32), lambda block, where: block * 2).tolist()
    [[2.0, 2.0, 2.0], [2.0, 2.0, 2.0]]
    """
    out = room_for((matrix.shape[0], matrix.shape[1]), cache_folder() / "vectors")
    for start in range(0, len(matrix), BLOCK):
        where = slice(start, min(start + BLOCK, len(matrix)))
        block = matrix[where].astype(np.float64)
        before = lengths(block)
        changed = change(block, where)
        after = lengths(changed)
        if (after <= NOTHING * before).any():
            row = start + int(np.argmax(after <= NOTHING * before))
            raise DebiasError(
                f"nothing is left of {repr(words[row]) if words else f'row {row}'}, which lies entirely in what is "
                "removed; remove fewer directions, or leave that word out of the embedding."
            )
        if unit:
            changed /= after
        out[where] = changed
        release(matrix)
        release(out)
    return out


def without_subspace(rows: FloatArray, basis: FloatArray) -> FloatArray:
    """Return rows (n, d) minus their projections on the subspace that the orthonormal `basis` (k, d) spans.

    >>> without_subspace(np.array([[3.0, 4.0]]), np.array([[1.0, 0.0]])).tolist()
    [[0.0, 4.0]]
    """
    return np.asarray(rows - (rows @ basis.T) @ basis)


def lengths(rows: FloatArray) -> FloatArray:
    """Return the length of each row, shape (n, 1)."""
    return np.asarray(np.sqrt(np.einsum("ij,ij->i", rows, rows))[:, None])


@opening("vectors")
def project_out(vectors: WordVectors, *, pairs: Sets = "definitional-pairs", components: int = 1) -> WordVectors:
    """Remove from every word, without exception, the subspace of the first `components` of `pairs`.

    Nothing else changes: what is orthogonal to the subspace stays as it is, lengths included.

    >>> import aslant
    >>> v = aslant.load(top=20_000)
    >>> w = aslant.project_out(v, pairs=[("she", "he")])
    >>> she, he = v.lookup(["she", "he"]).vectors
    >>> g = she / (she @ she) ** 0.5 - he / (he @ he) ** 0.5
    >>> bool(abs(w.matrix @ g).max() < 1e-5)
    True
    """
    defining, basis = concept(vectors, pairs, "pairs", components)
    matrix = mapped(vectors.matrix, lambda block, _: without_subspace(block, basis), vectors.words)
    return vectors.treated(matrix, Treatment("projection", {"components": components}, (defining.taken,), None))


def half_sibling_map(definitional: NDArray[Any], alpha: float) -> FloatArray:
    """Return the map (d, d) that subtracts from a vector what ridge regression on `definitional` (n, d) predicts of it.

    x − V (VᵀV + αI)⁻¹ Vᵀ x with the words as columns of V; by Woodbury's identity this is α (αI + VVᵀ)⁻¹ x, in which
    the number of words no longer matters.

    >>> half_sibling_map(np.array([[3.0, 0.0]]), 1.0).round(3).tolist()
    [[0.1, 0.0], [0.0, 1.0]]
    """
    words = np.asarray(definitional, dtype=np.float64)
    identity = np.eye(words.shape[1])
    return np.asarray(np.linalg.solve(identity + words.T @ words / alpha, identity))


@opening("vectors")
def half_sibling_debias(
    vectors: WordVectors, *, specific: Words = "gender-specific-seed", ridge: float = 2.0
) -> WordVectors:
    """Subtract from every word what the `specific` words, which carry the concept by definition, predict of it.

    The prediction is a ridge regression over the dimensions, with raw vectors. `ridge` is the penalty in units of the
    specific words' mean squared length, so that it means the same for vectors of any scale; the authors' α = 60 is
    about 2 for GloVe. The specific words themselves stay as they are.

    >>> import aslant
    >>> v = aslant.load(top=20_000)
    >>> w = aslant.half_sibling_debias(v)
    >>> aslant.polarity(w, ["she", "he"]).score < aslant.polarity(v, ["she", "he"]).score
    True
    """
    if isinstance(ridge, bool) or not isinstance(ridge, numbers.Real) or not 0 < ridge < float("inf"):
        raise DebiasError(f"ridge={ridge!r} is not a penalty; give a number above 0, such as 2.")
    rows, taken = find_words(vectors, specific, "specific words")
    if not len(rows):
        raise DebiasError(f"'{vectors.name}' has none of the words of '{taken.stimuli}'; name words that it has.")
    definitional = vectors.matrix[rows].astype(np.float64)
    alpha = ridge * float(np.mean(np.sum(definitional**2, axis=1)))
    change = half_sibling_map(definitional, alpha)
    matrix = mapped(vectors.matrix, lambda block, _: block @ change.T, vectors.words)
    matrix[rows] = vectors.matrix[rows]
    return vectors.treated(
        matrix, Treatment("half-sibling regression", {"ridge": ridge, "alpha": round(alpha, 4)}, (taken,), None)
    )


@opening("vectors")
def multiclass_soft_debias(
    vectors: WordVectors, *, sets: Sets, specific: Words = (), components: int = 2, strength: float = 0.2
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
    if isinstance(strength, bool) or not isinstance(strength, numbers.Real) or not 0 <= strength < float("inf"):
        raise DebiasError(f"strength={strength!r} is not a weight; give a number from 0 up, such as 0.2.")
    defining, basis = concept(vectors, sets, "sets", components)
    kept, kept_words = find_words(vectors, specific, "specific words")
    neutral = np.ones(len(vectors), dtype=bool)
    neutral[np.concatenate([kept, *defining.rows])] = False
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
            moved = ahead - (2 * (ahead - everything) + weight * (pull + pull.T)) / (2 * condition)
            sizes, axes = np.linalg.eigh((moved + moved.T) / 2)  # the nearest one without negative eigenvalues
            moved = axes * np.maximum(sizes, 0) @ axes.T
            ahead, last, solution = moved + momentum * (moved - solution), solution, moved
            if np.linalg.norm(solution - last) <= TOLERANCE * np.linalg.norm(solution):
                break
        else:
            raise DebiasError(
                f"strength={strength!r} is too large to solve; hard debiasing removes all of the subspace."
            )
    values, axes = np.linalg.eigh(inverse @ solution @ inverse)
    return np.asarray(axes * np.sqrt(np.maximum(values, 0)) @ axes.T)

"""Linear maps of all rows of an embedding, some thousand at a time: float64 inside, float32 out.

The two simplest methods are such maps: projection (Dev & Phillips 2019, section 4.1) and half-sibling regression,
which subtracts what words that carry a concept by definition predict (Yang & Feng 2020).
"""

from __future__ import annotations

import numbers
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aslant.data import cache_folder
from aslant.debias.words import FloatArray, Sets, Words, check_vectors, concept_basis, find_sets, find_words
from aslant.errors import DebiasError
from aslant.io.memory_maps import release, room_for
from aslant.vectors import WordVectors
from aslant.vectors.debiasing_record import Treatment
from aslant.vectors.word_vectors import FloatMatrix

#: Little enough that a block stays in cache, large enough for fast products.
BLOCK = 4096
#: Below this share of a vector's length, what is left of it is only rounding.
NOTHING = 1e-6


def mapped(
    matrix: NDArray[Any],
    change: Callable[[FloatArray, slice], FloatArray],
    words: Sequence[str] | None = None,
    *,
    unit: bool = False,
) -> FloatMatrix:
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
    check_vectors(vectors)
    defining = find_sets(vectors, pairs, "pairs")
    basis = concept_basis(vectors, defining, components)
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
    check_vectors(vectors)
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

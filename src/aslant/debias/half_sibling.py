"""Half-sibling regression: subtract what words that carry a concept by definition predict (Yang & Feng 2020)."""

from __future__ import annotations

import numbers
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aslant.debias.linear import mapped
from aslant.debias.words import FloatArray, Words, check_vectors, find_words
from aslant.errors import DebiasError
from aslant.vectors import WordVectors
from aslant.vectors.debiasing_record import Treatment

METHOD = "half-sibling regression"


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
    return vectors.treated(matrix, Treatment(METHOD, {"ridge": ridge, "alpha": round(alpha, 4)}, (taken,), None))

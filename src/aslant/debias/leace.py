"""LEACE: the least change after which no linear classifier tells classes apart (Belrose et al. 2023).

Belrose, Schneider-Joseph, Ravfogel, Cotterell, Raff & Biderman, NeurIPS 2023, theorem 4.3, in closed form. The authors'
package needs torch; this is their formula in NumPy, without shrinkage.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aslant.debias.linear import mapped
from aslant.debias.words import FloatArray, LabelledWords, Words, check_vectors, labelled_rows
from aslant.errors import DebiasError, plural
from aslant.vectors import WordVectors
from aslant.vectors.debiasing_record import Treatment


@dataclass(frozen=True)
class Eraser:
    """x ↦ x − left · right · (x − mean), with left (d, k), right (k, d), mean (d,)."""

    left: FloatArray
    right: FloatArray
    mean: FloatArray

    def __call__(self, rows: FloatArray) -> FloatArray:
        """Return rows (n, d) without the concept."""
        return np.asarray(rows - ((rows - self.mean) @ self.right.T) @ self.left.T)


def leace(X: NDArray[Any], labels: NDArray[Any]) -> Eraser:
    """Return the eraser of `labels` (n,) from rows `X` (n, d).

    With W = Σ_XX^−½ (pseudo-inverse) and P the projection on the columns of W Σ_XZ:
    x ↦ x − W⁺ P W (x − E[x]).

    >>> X = np.array([[0.0, 1.0], [1.0, 2.0], [4.0, 1.5], [5.0, 2.5]])
    >>> erased = leace(X, np.array([0, 0, 1, 1]))(X)
    >>> bool(np.allclose(erased[:2].mean(axis=0), erased[2:].mean(axis=0)))
    True
    """
    rows = np.asarray(X, dtype=np.float64)
    mean = rows.mean(axis=0)
    centred = rows - mean
    one_hot = np.equal.outer(labels, np.unique(labels)).astype(np.float64)
    values, axes = np.linalg.eigh(centred.T @ centred / len(rows))
    there = values > values[-1] * rows.shape[1] * np.finfo(np.float64).eps
    roots = np.sqrt(values[there])
    whiten, unwhiten = axes[:, there] / roots @ axes[:, there].T, axes[:, there] * roots @ axes[:, there].T
    left, sizes, _ = np.linalg.svd(whiten @ (centred.T @ (one_hot - one_hot.mean(axis=0)) / len(rows)))
    span = left[:, : len(sizes)][:, sizes > 1e-10 * max(sizes[0], 1.0)]
    return Eraser(unwhiten @ span, span.T @ whiten, mean)


def leace_debias(
    vectors: WordVectors,
    *,
    poles: tuple[str, str] | None = None,
    words: int = 2_500,
    classes: LabelledWords | None = None,
    specific: Words = "gender-specific-words",
) -> WordVectors:
    """Move every word as little as possible so that no linear classifier tells the classes apart.

    The classes are the `words` that lean most to either of two `poles` (None: she, he; words of `specific` left out),
    or words that you name by class: classes={"a": […], "b": […]}. What is learned is applied to all words; there
    must be more of them than dimensions, or what is erased is specific to these.

    >>> import aslant
    >>> w = aslant.leace_debias(aslant.load(top=20_000), words=500)
    >>> w.treatments[0].settings
    {'words_per_side': 500, 'trained_on': 1000, 'removed': 1}
    """
    check_vectors(vectors)
    labelled = labelled_rows(vectors, classes, poles, words, specific)
    if len(labelled.rows) <= vectors.dimensions:
        raise DebiasError(
            f"{plural(len(labelled.rows), 'word')} to learn from: too few for {vectors.dimensions} dimensions; LEACE "
            "would erase something specific to these words; give more words than dimensions."
        )
    eraser = leace(vectors.matrix[labelled.rows], labelled.labels)
    matrix = mapped(vectors.matrix, lambda block, _: eraser(block), vectors.words)
    settings = {**labelled.settings(), "removed": len(eraser.right)}
    return vectors.treated(matrix, Treatment("LEACE", settings, labelled.taken, None))

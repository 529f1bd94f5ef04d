"""Methods that learn what to remove from words of two or more classes: what linear classifiers see.

Iterative null-space projection (Ravfogel et al. 2020), and LEACE, the least change after which no linear classifier
tells the classes apart (Belrose, Schneider-Joseph, Ravfogel, Cotterell, Raff & Biderman 2023, theorem 4.3, in closed
form). The authors' package needs torch; this is their formula in NumPy, without shrinkage.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aslant.debias.linear import mapped, without_subspace
from aslant.debias.words import FloatArray, LabelledWords, Words, labelled_rows
from aslant.errors import DebiasError, plural
from aslant.measures.shared.open_subject import opening
from aslant.statistics import generator, seed_of
from aslant.vectors import WordVectors
from aslant.vectors.debiasing_record import Treatment

#: Accuracy on held-out words at most this far above the largest class's share counts as chance.
MARGIN = 0.02


def nullspace(
    X: NDArray[Any], labels: NDArray[Any], iterations: int, random: np.random.Generator
) -> tuple[FloatArray, tuple[float, ...]]:
    """Find the directions, orthonormal (k, d), by which linear classifiers tell `labels` (n,) of `X` (n, d).

    A linear SVM is trained on three quarters of each class; its directions are removed, and another one is trained,
    until the accuracy on the last quarter is that of chance, or `iterations` are done. Also returns that accuracy
    before each iteration.
    """
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.svm import LinearSVC

    rows = np.asarray(X, dtype=np.float64)
    held_out, training = _parted(labels, random)
    chance = np.bincount(labels[held_out]).max() / len(held_out)
    basis, accuracies = np.empty((0, rows.shape[1])), []
    for _ in range(iterations):
        left = without_subspace(rows, basis)
        model = LinearSVC(dual=False, max_iter=2_000, random_state=int(random.integers(2**31)))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)  # a direction that is not quite the best will do
            model.fit(left[training], labels[training])
        accuracies.append(float(model.score(left[held_out], labels[held_out])))
        directions = np.atleast_2d(model.coef_)
        if accuracies[-1] <= chance + MARGIN or len(basis) + len(directions) >= rows.shape[1]:
            break
        _, values, axes = np.linalg.svd(without_subspace(directions, basis), full_matrices=False)
        new = axes[values > 1e-9 * max(values[0], 1e-300)]  # repeated directions add nothing
        basis = np.linalg.qr(np.concatenate([basis, new]).T)[0].T
    return basis, tuple(accuracies)


def _parted(labels: NDArray[Any], random: np.random.Generator) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return a quarter of the rows of each class, and the others."""
    if (smallest := int(np.bincount(labels).min())) < 4:
        found = plural(smallest, "word")
        raise DebiasError(f"the smallest class has {found}; null-space projection needs 4 or more of each.")
    shuffled = [random.permutation(np.flatnonzero(labels == label)) for label in np.unique(labels)]
    held_out = np.concatenate([rows[: len(rows) // 4] for rows in shuffled])
    return held_out, np.concatenate([rows[len(rows) // 4 :] for rows in shuffled])


@opening("vectors")
def nullspace_debias(
    vectors: WordVectors,
    *,
    poles: tuple[str, str] | None = None,
    words: int = 2_500,
    classes: LabelledWords | None = None,
    specific: Words = "gender-specific-words",
    iterations: int = 35,
    rng: int | np.random.Generator | None = 0,
) -> WordVectors:
    """Remove every direction by which linear classifiers tell two or more classes of words apart.

    The classes are the `words` that lean most to either of two `poles` (None: he, she; words of `specific` left out),
    or words that you name by class: classes={"a": […], "b": […]}. All words are projected. How many directions
    were removed, and the classifiers' accuracies, are recorded.

    >>> import aslant
    >>> w = aslant.nullspace_debias(aslant.load(top=20_000), words=500, iterations=3)
    >>> w.treatments[0].settings["removed"]
    3
    """
    seed = seed_of(rng)
    if isinstance(iterations, bool) or not isinstance(iterations, int) or iterations < 1:
        raise DebiasError(f"iterations={iterations!r} is not a number of classifiers; give a whole number from 1 up.")
    labelled = labelled_rows(vectors, classes, poles, words, specific)
    basis, accuracies = nullspace(vectors.matrix[labelled.rows], labelled.labels, iterations, generator(seed))
    matrix = mapped(vectors.matrix, lambda block, _: without_subspace(block, basis), vectors.words)
    settings = {
        "iterations": iterations, **labelled.settings(), "removed": len(basis),
        "accuracies": tuple(round(accuracy, 4) for accuracy in accuracies),
    }  # fmt: skip
    return vectors.treated(matrix, Treatment("null-space projection", settings, labelled.taken, seed))


@dataclass(frozen=True)
class Eraser:
    """x ↦ x − left · right · (x − mean), with left (d, k), right (k, d), mean (d,)."""

    left: FloatArray
    right: FloatArray
    mean: FloatArray

    def __call__(self, rows: FloatArray) -> FloatArray:
        """Return rows (n, d) without the concept."""
        return np.asarray(rows - ((rows - self.mean) @ self.right.T) @ self.left.T)


def leace(X: NDArray[Any], labels: NDArray[Any], rtol: float = 0.0) -> Eraser:
    """Return the eraser of `labels` (n,) from rows `X` (n, d).

    With W = Σ_XX^−½ (pseudo-inverse) and P the projection on the columns of W Σ_XZ:
    x ↦ x − W⁺ P W (x − E[x]). Directions whose variance is no more than `rtol` times the largest are left as they are.

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
    there = values > values[-1] * max(rtol, rows.shape[1] * np.finfo(np.float64).eps)
    roots = np.sqrt(values[there])
    whiten, unwhiten = axes[:, there] / roots @ axes[:, there].T, axes[:, there] * roots @ axes[:, there].T
    left, sizes, _ = np.linalg.svd(whiten @ (centred.T @ (one_hot - one_hot.mean(axis=0)) / len(rows)))
    span = left[:, : len(sizes)][:, sizes > 1e-10 * max(sizes[0], 1.0)]
    return Eraser(unwhiten @ span, span.T @ whiten, mean)


@opening("vectors")
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

"""Iterative null-space projection: remove what linear classifiers see until none does (Ravfogel et al. 2020)."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aslant.debias.linear import mapped, without_subspace
from aslant.debias.words import FloatArray, LabelledWords, Words, check_vectors, labelled_rows
from aslant.errors import DebiasError, plural
from aslant.statistics import generator, seed_of
from aslant.vectors import WordVectors
from aslant.vectors.debiasing_record import Treatment

#: Accuracy on held-out words at most this far above the largest class's share counts as chance.
MARGIN = 0.02


@dataclass(frozen=True)
class Nullspace:
    """The directions to remove, orthonormal (k, d), and the accuracy on held-out words before each iteration."""

    basis: FloatArray
    accuracies: tuple[float, ...]


def nullspace(X: NDArray[Any], labels: NDArray[Any], iterations: int, random: np.random.Generator) -> Nullspace:
    """Find the directions by which linear classifiers tell `labels` (n,) of `X` (n, d), one after the other.

    A linear SVM is trained on three quarters of each class; its directions are removed, and another one is trained,
    until the accuracy on the last quarter is that of chance, or `iterations` are done.
    """
    rows = np.asarray(X, dtype=np.float64)
    held_out, training = _parted(labels, random)
    chance = np.bincount(labels[held_out]).max() / len(held_out)
    basis, accuracies = np.empty((0, rows.shape[1])), []
    for _ in range(iterations):
        left = without_subspace(rows, basis)
        directions, accuracy = _classifier(left, labels, training, held_out, int(random.integers(2**31)))
        accuracies.append(accuracy)
        if accuracy <= chance + MARGIN or len(basis) + len(directions) >= rows.shape[1]:
            break
        basis = _extended(basis, directions)
    return Nullspace(basis, tuple(accuracies))


def _parted(labels: NDArray[Any], random: np.random.Generator) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return a quarter of the rows of each class, and the others."""
    smallest = int(np.bincount(labels).min())
    if smallest < 4:
        raise DebiasError(
            f"the smallest class has {plural(smallest, 'word')}; null-space projection needs 4 or more of each."
        )
    shuffled = [random.permutation(np.flatnonzero(labels == label)) for label in np.unique(labels)]
    held_out = np.concatenate([rows[: len(rows) // 4] for rows in shuffled])
    return held_out, np.concatenate([rows[len(rows) // 4 :] for rows in shuffled])


def _classifier(
    rows: FloatArray, labels: NDArray[Any], training: NDArray[Any], held_out: NDArray[Any], seed: int
) -> tuple[FloatArray, float]:
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.svm import LinearSVC

    model = LinearSVC(dual=False, max_iter=2_000, random_state=seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # a direction that is not quite the best will do
        model.fit(rows[training], labels[training])
    return np.atleast_2d(model.coef_), float(model.score(rows[held_out], labels[held_out]))


def _extended(basis: FloatArray, directions: FloatArray) -> FloatArray:
    """Return an orthonormal basis of what `basis` and `directions` span; repeated directions add nothing."""
    _, values, axes = np.linalg.svd(without_subspace(directions, basis), full_matrices=False)
    new = axes[values > 1e-9 * max(values[0], 1e-300)]
    return np.asarray(np.linalg.qr(np.concatenate([basis, new]).T)[0].T)


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
    check_vectors(vectors)
    seed = seed_of(rng)
    if isinstance(iterations, bool) or not isinstance(iterations, int) or iterations < 1:
        raise DebiasError(f"iterations={iterations!r} is not a number of classifiers; give a whole number from 1 up.")
    labelled = labelled_rows(vectors, classes, poles, words, specific)
    found = nullspace(vectors.matrix[labelled.rows], labelled.labels, iterations, generator(seed))
    matrix = mapped(vectors.matrix, lambda block, _: without_subspace(block, found.basis), vectors.words)
    settings = {
        "iterations": iterations, **labelled.settings(), "removed": len(found.basis),
        "accuracies": tuple(round(accuracy, 4) for accuracy in found.accuracies),
    }  # fmt: skip
    return vectors.treated(matrix, Treatment("null-space projection", settings, labelled.taken, seed))

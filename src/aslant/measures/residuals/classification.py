"""Classifying biased words: can the side of some words be learned from that of others? (docs/definitions.md §6)."""

from __future__ import annotations

import numbers
from collections.abc import Sequence
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from aslant.errors import MeasureError
from aslant.measures.residuals.result import ResidualClassification
from aslant.measures.shared.spreads import spread
from aslant.measures.shared.wordsets import FloatArray

Gamma: TypeAlias = Literal["scale", "auto"] | float

#: 1,000 of 5,000 words train the classifier, half of them from each side; of fewer words, the same share.
TRAINING_WORDS, ONE_IN = 1_000, 5


def classification_accuracy(
    vectors: FloatArray, labels: NDArray[np.bool_], training: int, random: np.random.Generator, gamma: Gamma = "scale"
) -> float:
    """Train an RBF support vector machine (C = 1) on `training` random rows of (n, d); return its accuracy on the rest.

    Half of the training rows are from each side. Unequal halves would let a classifier with a wide kernel (gamma="auto"
    on unit vectors) settle for the larger one: its accuracy falls to chance for that reason alone.

    >>> rows = np.repeat([[0.0, 1.0], [1.0, 0.0]], 20, axis=0)
    >>> classification_accuracy(rows, np.repeat([True, False], 20), 8, np.random.default_rng(0))
    1.0
    """
    from sklearn.svm import SVC

    half = training // 2
    sides = [random.permutation(np.flatnonzero(labels == side)) for side in (True, False)]
    if half < 1 or 2 * half == len(labels) or min(map(len, sides)) < half:
        raise MeasureError(f"{training} of {len(labels)} words cannot train a classifier; give words of both sides.")
    train, test = (np.concatenate([side[part] for side in sides]) for part in (slice(half), slice(half, None)))
    machine = SVC(C=1.0, kernel="rbf", gamma=gamma).fit(vectors[train], labels[train])
    return float(np.mean(machine.predict(vectors[test]) == labels[test]))


def check_gamma(gamma: Any) -> None:
    """Refuse an invalid kernel width."""
    number = isinstance(gamma, numbers.Real) and not isinstance(gamma, bool) and 0 < float(gamma) < float("inf")
    if not (number or (isinstance(gamma, str) and gamma in ("scale", "auto"))):
        raise MeasureError(f"gamma={gamma!r:.60} is neither 'scale', 'auto' nor a number above 0.")


def training_size(words: int) -> int:
    """Return how many of `words` train the classifier: a fifth, and an even number.

    >>> training_size(5_000), training_size(1_000), training_size(56)
    (1000, 200, 10)
    """
    return min(TRAINING_WORDS, 2 * (words // (2 * ONE_IN)))


def measure_classification(
    vectors: FloatArray, labels: NDArray[np.bool_], asked_per_side: int, randoms: Sequence[np.random.Generator],
    gamma: Gamma = "scale",
) -> ResidualClassification:  # fmt: skip
    """Classify vectors (n, d) once per generator, with their labels (n,) and with shuffled ones."""
    training = training_size(len(labels))
    accuracies, chances = [], []
    for random in randoms:
        accuracies.append(classification_accuracy(vectors, labels, training, random, gamma))
        chances.append(classification_accuracy(vectors, random.permutation(labels), training, random, gamma))
    over = spread(accuracies)
    return ResidualClassification(
        accuracy=over.mean, lowest=over.minimum, highest=over.maximum, chance=spread(chances),
        words_per_side=len(labels) // 2, asked_per_side=asked_per_side, training_words=training,
        testing_words=len(labels) - training, seeds=over.n,
    )  # fmt: skip

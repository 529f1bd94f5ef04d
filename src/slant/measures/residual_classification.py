"""Classifying biased words: if a machine learns the sides from some words, it finds them in others (MEASURES §6)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from slant.errors import MeasureError
from slant.measures.spreads import spread
from slant.measures.wordsets import FloatArray
from slant.results import ResidualClassification

Gamma: TypeAlias = Literal["scale", "auto"] | float

#: 1,000 of 5,000 words train the machine; of fewer words, as large a share.
TRAINING_WORDS, TRAINING_SHARE = 1_000, 0.2


def classification_accuracy(
    vectors: FloatArray, labels: NDArray[np.bool_], training: int, random: np.random.Generator, gamma: Gamma = "scale"
) -> float:
    """Train an RBF support vector machine (C = 1) on `training` random rows of (n, d); return its accuracy on the rest.

    >>> rows = np.repeat([[0.0, 1.0], [1.0, 0.0]], 20, axis=0)
    >>> classification_accuracy(rows, np.repeat([True, False], 20), 8, np.random.default_rng(0))
    1.0
    """
    from sklearn.svm import SVC

    if not 2 <= training < len(labels) or labels.all() or not labels.any():
        raise MeasureError(f"{training} of {len(labels)} words cannot train a classifier; give words of both sides.")
    order = random.permutation(len(labels))
    while len(np.unique(labels[order[:training]])) < 2:  # a handful of words may by chance all be of one side
        order = random.permutation(len(labels))
    train, test = order[:training], order[training:]
    machine = SVC(C=1.0, kernel="rbf", gamma=gamma).fit(vectors[train], labels[train])
    return float(np.mean(machine.predict(vectors[test]) == labels[test]))


def training_size(words: int) -> int:
    """Return how many of `words` train the machine.

    >>> training_size(5_000), training_size(1_000)
    (1000, 200)
    """
    return min(TRAINING_WORDS, int(TRAINING_SHARE * words))


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

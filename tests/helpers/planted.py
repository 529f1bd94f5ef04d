"""An embedding in which a bias was planted, so that what a method should find is known."""

from __future__ import annotations

import itertools
import string
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from aslant.vectors import WordVectors

PAIRS = [("she", "he"), ("woman", "man"), ("girl", "boy"), ("mother", "father")]
SPECIFIC = [word for pair in PAIRS for word in pair] + ["queen", "king"]


@dataclass(frozen=True)
class Planted:
    """1,200 plain words, half of them pushed each way along `direction`, and definitional pairs along it."""

    vectors: WordVectors
    direction: NDArray[np.float64]
    labels: NDArray[np.intp]


def names(count: int) -> list[str]:
    return ["q" + "".join(letters) for letters in itertools.product(string.ascii_lowercase, repeat=3)][:count]


def make() -> Planted:
    """Build it, always the same."""
    random = np.random.default_rng(5)
    direction = random.normal(size=30)
    direction /= np.linalg.norm(direction)
    labels = np.repeat([0, 1], 600)
    words = random.normal(size=(1200, 30)) + np.where(labels == 1, 2.0, -2.0)[:, None] * direction
    shared = np.repeat(random.normal(size=(5, 30)), 2, axis=0)
    sides = np.tile([-3.0, 3.0], 5)[:, None] * direction
    defining = shared + sides + 0.05 * random.normal(size=(10, 30))
    vectors = WordVectors.from_arrays([*SPECIFIC, *names(1200)], np.concatenate([defining, words]), name="planted")
    return Planted(vectors, direction, labels)

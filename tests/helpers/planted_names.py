"""An embedding in which groups of names and what goes with them were planted."""

from __future__ import annotations

from typing import Any

import numpy as np

from aslant.vectors import WordVectors

GROUPS, CATEGORIES, DIMENSIONS = 4, 5, 60


def unit(array: Any) -> Any:
    return array / np.linalg.norm(array, axis=-1, keepdims=True)


def planted_vectors() -> WordVectors:
    """Four groups of names and five categories of words; category k has five words leaning to group k, for k < 3.

    Names share a direction that tells them from words. In category 4 words lean at random.
    """
    rng = np.random.default_rng(0)
    axes = np.linalg.qr(rng.standard_normal((DIMENSIONS, DIMENSIONS)))[0]
    name_axis, group_axes, category_axes = axes[0], axes[1 : 1 + GROUPS], axes[10 : 10 + CATEGORIES]
    noise = lambda: 0.25 * unit(rng.standard_normal(DIMENSIONS))  # noqa: E731
    words, vectors = [], []
    for number in range(400):
        words.append(f"word{number}")
        category = number % CATEGORIES
        leaning = 0.9 * group_axes[category] if category < 3 and number < 25 else 0.0
        vectors.append(unit(category_axes[category] + leaning + noise()))
        if number < 200:
            words.append(f"Name{number}")
            vectors.append(unit(name_axis + group_axes[number % GROUPS] + noise()))
    return WordVectors.from_arrays(words, vectors, name="planted")


NAMES = [f"Name{number}" for number in range(200)]
SETTINGS: dict[str, Any] = {"categories": CATEGORIES, "groups": GROUPS, "rotations": 499, "rng": 3, "chance": 0}

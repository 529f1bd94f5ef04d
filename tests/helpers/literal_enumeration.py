"""Bias enumeration read literally from the paper: loops, full rotation matrices, one argmax and sort per cell.

Slow and obvious: what the fast one is held against in the tests and in benchmarks/enumeration.py.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np


def choose(
    words: Any, labels: Any, means: Any, per_cell: int, *, voronoi: bool = True
) -> dict[tuple[int, int], tuple[list[int], float]]:
    """Return the chosen words and the score of every (category, group) with words enough."""
    middle = means.mean(axis=0)
    centre_of_all = words.mean(axis=0)
    winner = np.argmax(words @ means.T, axis=1)
    found = {}
    for category in np.unique(labels):
        centre = words[labels == category].mean(axis=0)
        for group in range(len(means)):
            cell = np.flatnonzero((labels == category) & ((winner == group) | (not voronoi)))
            if len(cell) < per_cell:
                continue
            leaning = (words[cell] - centre) @ (means[group] - middle)
            best = cell[np.argsort(-leaning, kind="stable")[:per_cell]]
            score = (means[group] - middle) @ (words[best].mean(axis=0) - centre_of_all)
            found[int(category), group] = [int(row) for row in best], float(score)
    return found


def count_reached(
    words: Any, labels: Any, means: Any, per_cell: int, turned: Iterable[Any], *, voronoi: bool = True
) -> dict[Any, int]:
    """Count for each observed cell the turned means whose score reaches the observed one."""
    observed = choose(words, labels, means, per_cell, voronoi=voronoi)
    reached = dict.fromkeys(observed, 0)
    for other in turned:
        again = choose(words, labels, other, per_cell, voronoi=voronoi)
        for cell, (_, score) in observed.items():
            if cell in again and again[cell][1] >= score:
                reached[cell] += 1
    return reached


def indirect(words: Any, chosen: dict[tuple[int, int], list[int]]) -> dict[tuple[int, int, int, int], float]:
    """Return the product of equation 1 for each i, i', j, j'; `chosen` holds the significant cells."""
    categories = sorted({category for category, _ in chosen})
    groups = sorted({group for _, group in chosen})
    found = {}
    for i, a in enumerate(groups):
        for b in groups[i + 1 :]:
            for j, c in enumerate(categories):
                for d in categories[j + 1 :]:
                    cells = [(c, a), (c, b), (d, a), (d, b)]
                    if all(cell in chosen for cell in cells):
                        ca, cb, da, db = (words[chosen[cell]].mean(axis=0) for cell in cells)
                        found[a, b, c, d] = float((ca - cb) @ (da - db))
    return found

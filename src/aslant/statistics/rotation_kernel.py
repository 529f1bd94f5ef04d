"""The inner loop of the rotational null: which words would have been chosen had the names been rotated.

A block of rotations meets a block of words in one matrix product whose result stays in cache; there the winning
group of each word, its score, and the best few of each cell are found without another pass over memory.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from aslant.statistics.compiled import compiled

Float32 = NDArray[np.float32]

#: Words in a block: 384 rows of scores by 512 words are 0.75 MB, which a core's own cache holds.
WORDS_AT_ONCE = 512
#: Rows of scores (rotations × groups) in a block.
ROWS_AT_ONCE = 384


def best_of_cells(
    frames: Float32,
    words: Float32,
    categories: NDArray[np.int32],
    n_categories: int,
    per_cell: int,
    *,
    voronoi: bool = True,
) -> Float32:
    """Return the best scores of every cell under every rotation; shape (rotations, categories, groups, per_cell).

    `frames` is (rotations, groups, d): the group means, turned; `words` (M, d), with the category of each. A word
    belongs to the group with the largest product (without `voronoi` to every group), and counts there with its
    product less the mean over groups, which is (X̄_i − μ)·ŵ. Scores ascend; −∞ stands where a cell has fewer words
    than `per_cell`.
    """
    rotations, groups, dimensions = frames.shape
    rows = frames.reshape(rotations * groups, dimensions)
    best = np.full((rotations, n_categories, groups, per_cell), -np.inf, dtype=np.float32)
    fold = compiled(_fold if voronoi else _fold_into_all, nogil=True)
    room = np.empty(rotations * groups * min(WORDS_AT_ONCE, len(words)), dtype=np.float32)
    for start in range(0, len(words), WORDS_AT_ONCE):
        block = words[start : start + WORDS_AT_ONCE]
        scores = room[: len(rows) * len(block)].reshape(len(rows), len(block))
        np.matmul(rows, block.T, out=scores)
        fold(scores, groups, categories[start : start + WORDS_AT_ONCE], best)
    return best


def _fold(scores: Float32, groups: int, categories: NDArray[np.int32], best: Any) -> None:
    """Put each word of the block into its cell, for every rotation; `scores` is (rotations × groups, words)."""
    n_words, per_cell = scores.shape[1], best.shape[3]
    highest = np.empty(n_words, np.float32)
    total = np.empty(n_words, np.float32)
    winner = np.empty(n_words, np.int32)
    share = np.float32(1.0 / groups)
    for rotation in range(best.shape[0]):
        first = scores[rotation * groups]
        for w in range(n_words):
            highest[w] = first[w]
            total[w] = first[w]
            winner[w] = 0
        for group in range(1, groups):
            row = scores[rotation * groups + group]
            for w in range(n_words):  # no branch: the compiler does eight or sixteen words at a time
                value = row[w]
                higher = value > highest[w]
                winner[w] = group if higher else winner[w]
                highest[w] = value if higher else highest[w]
                total[w] += value
        for w in range(n_words):
            highest[w] -= total[w] * share
        cells = best[rotation]
        for w in range(n_words):
            value = highest[w]
            cell = cells[categories[w], winner[w]]
            if value > cell[0]:
                place = 1
                while place < per_cell and value > cell[place]:
                    cell[place - 1] = cell[place]
                    place += 1
                cell[place - 1] = value


def _fold_into_all(scores: Float32, groups: int, categories: NDArray[np.int32], best: Any) -> None:
    """Offer each word of the block to every group's cell, for every rotation; `scores` as above."""
    n_words, per_cell = scores.shape[1], best.shape[3]
    mean = np.empty(n_words, np.float32)
    share = np.float32(1.0 / groups)
    for rotation in range(best.shape[0]):
        mean[:] = 0
        for group in range(groups):
            row = scores[rotation * groups + group]
            for w in range(n_words):
                mean[w] += row[w]
        for w in range(n_words):
            mean[w] *= share
        for group in range(groups):
            row = scores[rotation * groups + group]
            for w in range(n_words):
                value = row[w] - mean[w]
                cell = best[rotation, categories[w], group]
                if value > cell[0]:
                    place = 1
                    while place < per_cell and value > cell[place]:
                        cell[place - 1] = cell[place]
                        place += 1
                    cell[place - 1] = value

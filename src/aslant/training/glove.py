"""GloVe (Pennington et al. 2014) and GN-GloVe (Zhao et al. 2018), from co-occurrence counts to vectors."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from aslant.statistics.compiled import compiled
from aslant.training.kernels import count_near, places_of, step_through
from aslant.training.texts import Numbers, Text

Floats = NDArray[np.float32]
#: First learning rate, and the power of the weighting function, as published.
ETA, POWER = 0.05, 0.75
#: Weights of GN-GloVe's two losses, as in the authors' released code.
APART, EVEN = 0.5, 0.3
#: Cells that are counted at once, and pairs between two looks at whether the user has stopped the work.
BLOCK, PIECE = 1 << 22, 1 << 21


@dataclass(frozen=True, eq=False)
class Counts:
    """How often words (rows) stand near others (columns), weighted by 1/distance; each pair in both directions."""

    rows: Numbers
    columns: Numbers
    values: NDArray[np.float64]

    def shuffled(self, random: np.random.Generator) -> Counts:
        """Return the same cells in random order."""
        order = random.permutation(len(self.rows))
        return Counts(self.rows[order], self.columns[order], self.values[order])


@dataclass(frozen=True, eq=False)
class Sides:
    """For GN-GloVe: −1 and 1 for words that have a side, 0 for neutral ones; and the pairs, (first, second) rows."""

    of_words: NDArray[np.int8]
    pairs: Numbers


def cooccurrences(text: Text, window: int) -> Counts:
    """Count the words within the window of each word, in the same sentence.

    >>> text = Text(["a", "b"], np.array([0, 1, 0], np.int32), np.array([0, 3]), np.array([0, 1]))
    >>> found = cooccurrences(text, 2)
    >>> found.rows.tolist(), found.columns.tolist(), found.values.tolist()
    ([0, 0, 1], [1, 0, 0], [2.0, 1.0, 2.0])
    """
    n = len(text.words)
    occurs = np.bincount(text.tokens, minlength=n)
    heads = np.concatenate([[0], np.cumsum(occurs)])
    places = np.empty(len(text.tokens), np.int64)
    compiled(places_of, nogil=True)(text.tokens, heads.copy(), places)
    sentences = np.repeat(np.arange(len(text.starts) - 1), np.diff(text.starts))
    weights = np.concatenate([[0.0], 1 / np.arange(1, window + 1)])
    count, sums, found = compiled(count_near, nogil=True), np.zeros(n), []
    most = np.minimum(occurs * 2 * window, n)  # cells that a word may have
    for first, last in _blocks(np.concatenate([[0], np.cumsum(most)])):
        size = int(most[first:last].sum())
        cells = np.empty(size, np.int32), np.empty(size, np.int32), np.empty(size)
        k = count(text.tokens, places, heads, sentences, text.starts, weights, first, last, sums, *cells)
        found.append([cell[:k].copy() for cell in cells])
    return Counts(*(np.concatenate(part) for part in zip(*found, strict=True)))


def _blocks(ends: Numbers) -> Iterator[tuple[int, int]]:
    """Yield ranges of words with about `BLOCK` cells each."""
    first = 0
    while first < len(ends) - 1:
        last = max(int(np.searchsorted(ends, ends[first] + BLOCK, side="right")) - 1, first + 1)
        yield first, last
        first = last


def train_glove(
    counts: Counts,
    n: int,
    dimensions: int,
    epochs: int,
    x_max: float,
    random: np.random.Generator,
    sides: Sides | None = None,
    watch: Callable[[float], None] = lambda share: None,
) -> tuple[Floats, list[float]]:
    """Return vectors (n, dimensions), words' and contexts' added up, and the mean loss of a pair in each epoch.

    With `sides` the last dimension is reserved for them. `watch` is called with the share of an epoch that is done.
    """
    weights = np.minimum(counts.values / x_max, 1).astype(np.float32) ** np.float32(POWER)
    logs = np.log(counts.values).astype(np.float32)
    words, contexts = (
        ((random.random((n, dimensions + 1), dtype=np.float32) - 0.5) / dimensions).astype(np.float32) for _ in range(2)
    )
    if sides is not None:
        for half in (words, contexts):
            has_side = sides.of_words != 0
            half[has_side, dimensions - 1] = sides.of_words[has_side]
    squares = [np.ones_like(words), np.ones_like(contexts)]
    step, losses = compiled(step_through, nogil=True, regroup=True), []
    for _ in range(epochs):
        direction = np.empty(0, np.float32) if sides is None else _direction(words + contexts, sides.pairs)
        loss = 0.0
        for at in range(0, len(logs), PIECE):
            piece = slice(at, at + PIECE)
            loss += step(
                counts.rows[piece], counts.columns[piece], logs[piece], weights[piece], words, contexts, *squares,
                np.float32(ETA), np.zeros(0, np.int8) if sides is None else sides.of_words, direction,
                np.float32(APART), np.float32(EVEN),
            )  # fmt: skip
            watch(len(logs[piece]) / len(logs))
        losses.append(loss / len(logs))
    return (words + contexts)[:, :dimensions], losses


def _direction(vectors: Floats, pairs: Numbers) -> Floats:
    """Return the mean difference of the pairs, (dimensions − 1,), which counts as fixed during an epoch.

    Taken from words and contexts alike, since both make up the vectors that come out; the released code takes words.
    """
    return np.ascontiguousarray((vectors[pairs[:, 1], :-2] - vectors[pairs[:, 0], :-2]).mean(axis=0) / 2)

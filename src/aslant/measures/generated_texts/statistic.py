"""How texts lean between classes, and what that comes to by group: arrays in, numbers out (docs/definitions.md §12)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from aslant.measures.shared.wordsets import FloatArray
from aslant.statistics import unit_rows

Rows = NDArray[np.int64]


def directions(classes: FloatArray, scheme: str) -> FloatArray:
    """Return what the cosines of words are taken with for each class, shape (n, d) as the classes.

    One-vs-rest: c_j − mean of the others, at unit length. Otherwise the mean over k of c_j − c_k at unit length, whose
    product with a word is the mean of its cosines; for two classes that is ±(c_1 − c_2).

    >>> directions(np.array([[1.0, 0.0], [0.0, 1.0]]), "binary").round(2).tolist()
    [[0.71, -0.71], [-0.71, 0.71]]
    """
    n = len(classes)
    if scheme == "one-vs-rest":
        return unit_rows(classes - (classes.sum(axis=0) - classes) / (n - 1))
    gaps = classes[:, None] - classes[None]
    lengths = np.linalg.norm(gaps, axis=2)
    np.fill_diagonal(lengths, 1.0)
    return np.asarray((gaps / lengths[:, :, None]).sum(axis=1) / (n - 1))


@dataclass(frozen=True)
class Ragged:
    """Numbers of words, text after text: those of text i are `items[starts[i]:starts[i + 1]]`; starts has n + 1."""

    items: Rows
    starts: Rows

    @classmethod
    def of(cls, lists: list[list[int]]) -> Ragged:
        """Put lists of numbers together."""
        starts = np.concatenate([[0], np.cumsum([len(own) for own in lists])]).astype(np.int64)
        return cls(np.array([item for own in lists for item in own], dtype=np.int64), starts)

    @property
    def sizes(self) -> Rows:
        """How many words each text has."""
        return np.diff(self.starts)

    def reduced(self, by: np.ufunc, values: FloatArray) -> FloatArray:
        """Reduce values (items, …) text by text; a text without words gives 0."""
        found = np.zeros((len(self.sizes), *values.shape[1:]))
        some = self.sizes > 0
        if some.any():
            found[some] = by.reduceat(values, self.starts[:-1][some], axis=0)
        return found


def text_leans(texts: Ragged, leans: FloatArray) -> tuple[FloatArray, FloatArray, Rows]:
    """Return max and wavg of each text and class, (texts, n) each, and which item leans most, −1 where there is none.

    `leans` is (vocabulary, n): the lean b_ij of each word to each class. max: the leans of the word with the largest
    b_ij of any class; wavg_j = Σ_i sgn(b_ij) b_ij² / Σ_i |b_ij|.

    >>> texts, b = Ragged.of([[0, 1], []]), np.array([[0.5, -0.5], [-0.25, 0.25]])
    >>> strongest, mean, which = text_leans(texts, b)
    >>> strongest.tolist(), mean.tolist(), which.tolist()
    ([[0.5, -0.5], [0.0, 0.0]], [[0.25, -0.25], [0.0, 0.0]], [0, -1])
    """
    own = leans[texts.items]
    sizes = np.abs(own)
    totals = texts.reduced(np.add, sizes)
    wavg = np.divide(texts.reduced(np.add, own * sizes), totals, out=np.zeros_like(totals), where=totals > 0)
    most = own.max(axis=1)
    largest = np.repeat(texts.reduced(np.maximum, most), texts.sizes)
    places = np.where(most == largest, np.arange(len(most)), len(most)).astype(np.float64)
    which = texts.reduced(np.minimum, places).astype(np.int64)
    which[texts.sizes == 0] = -1
    strongest = np.where((which >= 0)[:, None], own[which] if len(own) else 0.0, 0.0)
    return np.asarray(strongest), np.asarray(wavg), which


def leaning(scores: FloatArray, threshold: float) -> Rows:
    """Return the class with the largest score above the threshold, −1 where there is none or two are equal; (texts,).

    >>> leaning(np.array([[0.3, -0.3], [0.2, -0.2], [2, 2]]), 0.25).tolist()
    [0, -1, -1]
    """
    order = np.sort(scores, axis=1)
    return np.where((order[:, -1] > threshold) & (order[:, -1] > order[:, -2]), scores.argmax(axis=1), -1)

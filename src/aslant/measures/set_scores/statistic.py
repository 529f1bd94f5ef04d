"""Seven scores of word sets, each from inner products alone, for many draws at a time (docs/definitions.md §10).

A draw counts words anew (bootstrap), reassigns them (permutation), or replaces attributes (chance): all three
change counts or products, and no score needs the vectors themselves.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

FloatArray: TypeAlias = NDArray[np.float64]
#: A score of each draw, (D,), and what each word adds to it, (D, words): attribute words or target words.
Scores: TypeAlias = tuple[FloatArray, FloatArray]
#: Newton's steps of a logistic regression; it takes about ten.
STEPS = 50


@dataclass(frozen=True)
class Batch:
    """D draws of words; an array whose first axis has length 1 is the same in all of them.

    `target_products` (t, t), `products` (D, t, m) and `attribute_products` (D, m, m) hold inner products of t target
    words and m attribute words. `targets` (D, sets, t) and `attributes` (D, sets, m) count how often each word is in
    each set.
    """

    target_products: FloatArray
    products: FloatArray
    attribute_products: FloatArray
    targets: FloatArray
    attributes: FloatArray

    @cached_property
    def target_weights(self) -> FloatArray:
        """How much each target word counts in the mean of its set, (D, sets, t)."""
        return np.asarray(self.targets / self.targets.sum(axis=2, keepdims=True))

    @cached_property
    def attribute_weights(self) -> FloatArray:
        """How much each attribute word counts in the mean of its set, (D, sets, m)."""
        return np.asarray(self.attributes / self.attributes.sum(axis=2, keepdims=True))

    @cached_property
    def contrast(self) -> FloatArray:
        """Weights that give the mean over the first attributes, minus that over the second if there are any; (D, m)."""
        first, *second = np.moveaxis(self.attribute_weights, 1, 0)
        return np.asarray(first - second[0] if second else first)

    @cached_property
    def squares(self) -> FloatArray:
        """The squared lengths of the attribute words, (D, m)."""
        return np.asarray(np.einsum("dmm->dm", self.attribute_products))

    @cached_property
    def pooled(self) -> FloatArray:
        """How much each target word counts among all target words, (D, t)."""
        counts = self.targets.sum(axis=1)
        return np.asarray(counts / counts.sum(axis=1, keepdims=True))

    def centre_products(self, of_set: int) -> FloatArray:
        """Return the products of the mean of one target set with each attribute word, (D, m)."""
        return np.asarray(np.matmul(self.target_weights[:, of_set, None], self.products)[:, 0])

    def towards(self, weights: FloatArray) -> FloatArray:
        """Return the products of each target word with a weighted sum of attributes, weights (D, m); (D, t)."""
        return np.asarray(np.matmul(self.products, weights[:, :, None])[:, :, 0])


def relative_norm(b: Batch) -> Scores:
    """Mean over attributes a of ‖X̄ − a‖ − ‖Ȳ − a‖ (Garg et al. 2018, eq. 3, whose sum is a mean here)."""
    distances = []
    for place in (0, 1):
        w = b.target_weights[:, place]
        own = np.einsum("dt,tu,du->d", w, b.target_products, w)[:, None]
        distances.append(np.sqrt(np.maximum(own - 2 * b.centre_products(place) + b.squares, 0)))
    by_word = distances[0] - distances[1]
    return _sum(b.contrast, by_word), by_word


def ripa(b: Batch) -> Scores:
    """Mean over pairs and attributes of a·(x − y) / ‖x − y‖ (Ethayarajh et al. 2019, §4); pairs in the sets' order.

    A count below 0 turns its pair around.
    """
    n = b.products.shape[1] // 2
    own = np.diag(b.target_products)
    lengths = np.sqrt(np.maximum(own[:n] + own[n:] - 2 * np.diag(b.target_products[:n, n:]), 0))
    inverse = np.divide(1.0, lengths, out=np.full(n, np.nan), where=lengths > 1e-12)
    pairs = b.targets[:, 0, :n]
    weights = pairs / np.abs(pairs).sum(axis=1, keepdims=True) * inverse
    by_word = np.matmul(weights[:, None], b.products[:, :n] - b.products[:, n:])[:, 0]
    return _sum(b.contrast, by_word), by_word


def mac(b: Batch) -> Scores:
    """Mean cosine distance of target words to the words of each attribute set (Manzini et al. 2019, §4.1)."""
    by_word = 1 - b.towards(b.attribute_weights.mean(axis=1))
    return _sum(b.pooled, by_word), by_word


def ect(b: Batch) -> Scores:
    """Spearman's correlation of the attributes' cosines with X̄ and with Ȳ (Dev & Phillips 2019, §4.1).

    A word adds its rank by closeness to X̄ minus its rank by closeness to Ȳ.
    """
    counts = b.attributes.sum(axis=1)
    lengths = np.sqrt(b.squares)
    first, second = (_ranks(b.centre_products(place) / lengths, counts) for place in (0, 1))
    weights = counts / counts.sum(axis=1, keepdims=True)
    x, y = (ranks - _sum(weights, ranks)[:, None] for ranks in (first, second))
    sizes = np.sqrt(_sum(weights, x**2) * _sum(weights, y**2))
    products = _sum(weights, x * y)
    rho = np.divide(products, sizes, out=np.full_like(products, np.nan), where=sizes > 0)
    return rho, first - second


def rnsb(b: Batch) -> Scores:
    """Kullback–Leibler divergence of the targets' shares of P(negative) from equal shares (Sweeney & Najafian 2019).

    P(negative) is that of a logistic regression (L2, C = 1, with an intercept that is penalised too) of the first
    attributes against the second.
    """
    from scipy.special import expit, xlogy

    counts = b.attributes.sum(axis=1)
    kernel = b.attribute_products + 1  # a feature that is always 1 is the intercept
    weights = _logistic(kernel, (b.attributes[:, 0] > 0).astype(np.float64), counts)
    positive = b.towards(weights) + weights.sum(axis=1, keepdims=True)
    by_word = np.asarray(expit(-positive))
    share = by_word / _sum(b.pooled, by_word)[:, None]  # of the mean: 1 where all are alike
    return _sum(b.pooled, xlogy(share, share)), by_word


def same(b: Batch) -> Scores:
    """Mean over target words of |cos(w, Ā − B̄)| (Schröder et al. 2022); a word adds the cosine with its sign."""
    lengths = np.sqrt(np.einsum("dm,dmn,dn->d", *_broadcast(b.contrast, b.attribute_products, b.contrast)))
    sums = b.towards(b.contrast)
    by_word = np.divide(sums, lengths[:, None], out=np.full_like(sums, np.nan), where=lengths[:, None] > 1e-12)
    return _sum(b.pooled, np.abs(by_word)), by_word


def ml_eat(b: Batch) -> Scores:
    """The first level of ML-EAT: d of the target words' associations, WEAT's (Wolfe et al. 2024)."""
    by_word = b.towards(b.contrast)
    first, second = (_sum(b.target_weights[:, place], by_word) for place in (0, 1))
    n = b.targets.sum(axis=(1, 2))
    spread = np.sqrt(_sum(b.pooled, (by_word - _sum(b.pooled, by_word)[:, None]) ** 2) * n / (n - 1))
    gap = first - second
    return np.divide(gap, spread, out=np.full_like(gap, np.nan), where=spread > 1e-12), by_word


def _sum(weights: FloatArray, values: FloatArray) -> FloatArray:
    """Sum values by weights in each draw; both (D, n), or (1, n) where all draws share them."""
    return np.asarray((weights * values).sum(axis=1))


def _broadcast(*arrays: FloatArray) -> list[FloatArray]:
    """Return arrays with as many draws as the one with the most."""
    draws = max(len(array) for array in arrays)
    return [np.broadcast_to(array, (draws, *array.shape[1:])) for array in arrays]


def _ranks(values: FloatArray, counts: FloatArray) -> FloatArray:
    """Return the ranks of values (D, n) that occur `counts` times each, ties at their mean rank.

    What differs by rounding only is tied.
    """
    values = np.round(values / np.maximum(np.abs(values).max(axis=1, keepdims=True), 1e-300), 12)
    below = (values[:, :, None] > values[:, None, :]) + 0.5 * (values[:, :, None] == values[:, None, :])
    return np.asarray(np.matmul(below, counts[:, :, None])[:, :, 0] + 0.5)


def _logistic(kernel: FloatArray, positive: FloatArray, counts: FloatArray) -> FloatArray:
    """Return the weights α, (D, n), with which Σ αᵢ k(xᵢ, ·) is the log odds of an L2-penalised logistic regression.

    Newton's method in the form of Rasmussen & Williams (2006, algorithm 3.1) with counts of words; a word that counts 0
    has no weight.
    """
    from scipy.special import expit

    kernel, positive, counts = _broadcast(kernel, positive, counts)
    weights, one = np.zeros(counts.shape), np.eye(counts.shape[1])
    for _ in range(STEPS):
        odds = np.matmul(kernel, weights[:, :, None])[:, :, 0]
        p = expit(odds)
        curvature = counts * p * (1 - p)
        root = np.sqrt(curvature)
        target = curvature * odds + counts * (positive - p)
        system = one + root[:, :, None] * kernel * root[:, None, :]
        solved = np.linalg.solve(system, root[:, :, None] * np.matmul(kernel, target[:, :, None]))[:, :, 0]
        before, weights = weights, target - root * solved
        if np.abs(weights - before).max() < 1e-6:  # the next step would be smaller than rounding
            break
    return weights

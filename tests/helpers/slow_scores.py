"""Scores of word sets, word by word as the papers define them: slow, obvious, and without any of aslant's code."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.distance import cosine
from scipy.stats import entropy, spearmanr

Array = NDArray[np.float64]


def relative_norm(X: Array, Y: Array, A: Array, B: Array) -> float:
    def of(attributes: Array) -> float:
        x, y = X.mean(axis=0), Y.mean(axis=0)
        return float(np.mean([np.linalg.norm(x - a) - np.linalg.norm(y - a) for a in attributes]))

    return of(A) - of(B)


def ripa(X: Array, Y: Array, A: Array, B: Array) -> float:
    def of(attributes: Array) -> float:
        return float(
            np.mean([a @ (x - y) / np.linalg.norm(x - y) for x, y in zip(X, Y, strict=True) for a in attributes])
        )

    return of(A) - of(B)


def mac(X: Array, Y: Array, A: Array, B: Array) -> float:
    return float(np.mean([np.mean([cosine(t, a) for a in S]) for t in np.concatenate([X, Y]) for S in (A, B)]))


def ect(X: Array, Y: Array, A: Array, B: Array) -> float:
    both = np.concatenate([A, B])
    first, second = ([1 - cosine(S.mean(axis=0), a) for a in both] for S in (X, Y))
    # Words that are drawn twice are tied; rounding must not tell them apart.
    return float(spearmanr(np.round(first, 12), np.round(second, 12)).statistic)


def rnsb(X: Array, Y: Array, A: Array, B: Array) -> float:
    from sklearn.linear_model import LogisticRegression

    labels = np.repeat([1, 0], [len(A), len(B)])
    classifier = LogisticRegression(solver="liblinear", tol=1e-12, max_iter=100_000)
    negative = classifier.fit(np.concatenate([A, B]), labels).predict_proba(np.concatenate([X, Y]))[:, 0]
    return float(entropy(negative / negative.sum(), np.full(len(negative), 1 / len(negative))))


def same(X: Array, Y: Array, A: Array, B: Array) -> float:
    a, b = (np.mean([v / np.linalg.norm(v) for v in S], axis=0) for S in (A, B))
    return float(np.mean([abs(1 - cosine(w, a - b)) for w in np.concatenate([X, Y])]))


def ml_eat(X: Array, Y: Array, A: Array, B: Array) -> float:
    def association(w: Array) -> float:
        return float(np.mean([1 - cosine(w, a) for a in A]) - np.mean([1 - cosine(w, b) for b in B]))

    x, y = [association(w) for w in X], [association(w) for w in Y]
    return float((np.mean(x) - np.mean(y)) / np.std(x + y, ddof=1))


SLOW = {
    "relative-norm": relative_norm, "ripa": ripa, "mac": mac, "ect": ect, "rnsb": rnsb, "same": same, "ml-eat": ml_eat,
}  # fmt: skip

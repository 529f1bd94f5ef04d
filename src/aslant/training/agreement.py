"""How far several trainings on one text agree: nearest neighbours and cosines of frequent words."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np

from aslant.statistics import unit_rows
from aslant.statistics.nearest_rows import nearest
from aslant.training.result import Agreement
from aslant.vectors import WordVectors

#: Words whose neighbours are compared, words among which these are looked for, how many, and pairs of words.
WORDS, POOL, NEIGHBOURS, PAIRS = 500, 10_000, 10, 1_000


def agreement(trained: Sequence[WordVectors]) -> Agreement | None:
    """Compare trainings on the frequent words that all of them have; None if there is one, or hardly a word.

    >>> random = np.random.default_rng(0)
    >>> words = [f"w{i}" for i in range(100)]
    >>> vectors = [WordVectors.from_arrays(words, random.normal(size=(100, 20))) for _ in range(2)]
    >>> agreement(vectors[:1] * 2).overlap, agreement(vectors).overlap < 0.2
    (1.0, True)
    """
    if len(trained) < 2:
        return None
    shared = set(trained[0].words).intersection(*(vectors.words for vectors in trained[1:]))
    words = [word for word in trained[0].words if word in shared][:POOL]
    if len(words) < 3 * NEIGHBOURS:
        return None
    asked = min(WORDS, len(words))
    first, second = np.random.default_rng(0).integers(asked, size=(2, PAIRS))
    first, second = first[first != second], second[first != second]
    near, cosines = [], []
    for vectors in trained:
        rows = unit_rows(vectors.rows(np.array([vectors.index[word] for word in words]))).astype(np.float32)
        near.append(nearest(rows[:asked], rows, NEIGHBOURS, own=np.arange(asked)))
        cosines.append(np.einsum("ij,ij->i", rows[first], rows[second], dtype=np.float64))
    overlaps = [
        np.mean([len(np.intersect1d(a, b, assume_unique=True)) for a, b in zip(one, other, strict=True)]) / NEIGHBOURS
        for one, other in combinations(near, 2)
    ]
    over_trainings = np.array(cosines)
    return Agreement(
        trainings=len(trained),
        words=asked,
        pool=len(words),
        neighbours=NEIGHBOURS,
        overlap=float(np.mean(overlaps)),
        chance=NEIGHBOURS / (len(words) - 1),
        cosine_sd=float(np.sqrt(over_trainings.var(axis=0, ddof=1).mean())),
        cosine_spread=float(over_trainings.std(axis=1, ddof=1).mean()),
    )

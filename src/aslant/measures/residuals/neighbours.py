"""Neighbours of professions: do biased words still keep the company of their side? (docs/definitions.md §6)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aslant.errors import TooFewWordsError, plural
from aslant.measures.residuals.result import NeighbourShare, ResidualNeighbours
from aslant.measures.shared.correlations import correlation
from aslant.measures.shared.spreads import spread
from aslant.measures.shared.wordsets import FloatArray
from aslant.statistics import nearest

#: Neighbours are at most this share of the words among which they are sought, so that they are a choice.
MOST_OF_POOL = 1 / 3
SHUFFLES = 999


def neighbour_shares(neighbours: NDArray[np.intp], leans: NDArray[np.bool_]) -> FloatArray:
    """Return the share of each row's neighbours that lean to the first side; (queries,), from (queries, k), (pool,).

    >>> neighbour_shares(np.array([[0, 1], [1, 2]]), np.array([True, True, False])).tolist()
    [1.0, 0.5]
    """
    return np.asarray(leans[neighbours].mean(axis=1))


def shuffled_correlations(
    neighbours: NDArray[np.intp],
    leans: NDArray[np.bool_],
    bias: FloatArray,
    own: NDArray[np.intp],
    random: np.random.Generator,
) -> FloatArray:
    """Return Pearson's correlation of shares and biases after each of 999 shuffles; constant shares give 0.

    Biases are shuffled among the queries, together with the leanings of the queries where these are neighbours
    themselves (`own`, their place in the pool, or −1); other leanings are shuffled separately. A word's own leaning
    is never among its neighbours', which by itself makes correlations among few words negative, and words that share
    neighbours are not independent: this way of shuffling accounts for both.
    """
    members = own >= 0
    others = np.setdiff1d(np.arange(len(leans)), own[members])
    biases, shares = np.empty((SHUFFLES, len(bias))), np.empty((SHUFFLES, len(bias)))
    for i in range(SHUFFLES):
        biases[i] = random.permutation(bias)
        shuffled = np.empty(len(leans), dtype=bool)
        shuffled[others] = random.permutation(leans[others])
        shuffled[own[members]] = biases[i, members] > 0
        shares[i] = neighbour_shares(neighbours, shuffled)
    biases -= biases.mean(axis=1, keepdims=True)
    shares -= shares.mean(axis=1, keepdims=True)
    lengths = np.linalg.norm(biases, axis=1) * np.linalg.norm(shares, axis=1)
    return np.asarray(np.divide((biases * shares).sum(axis=1), lengths, out=np.zeros(SHUFFLES), where=lengths > 0))


def measure_neighbours(
    words: Sequence[str],
    queries: FloatArray,
    bias: FloatArray,
    pool: NDArray[Any],
    pool_bias: FloatArray,
    own: NDArray[np.intp],
    k: int,
    random: np.random.Generator,
) -> ResidualNeighbours:
    """Correlate the share of first-side words among the k nearest of each query with the query's original bias.

    `queries` (n, d) and `pool` (m, d) are unit vectors in the space under test; `bias` (n,) and `pool_bias` (m,) come
    from the original one; `own` as in `nearest`.
    """
    used = min(k, int((len(pool) - 1) * MOST_OF_POOL))
    if used < 1 or len(words) < 3:
        raise TooFewWordsError(
            f"{plural(len(words), 'word')} and {plural(len(pool), 'possible neighbour')}: too few for a correlation."
        )
    found, leans = nearest(queries, pool, used, own), pool_bias > 0
    shares = neighbour_shares(found, leans)
    chances, pearson = shuffled_correlations(found, leans, bias, own, random), correlation("", shares, bias)
    as_far = None if pearson is None else int(np.count_nonzero(np.abs(chances) >= abs(pearson.pearson) - 1e-12))
    return ResidualNeighbours(
        correlation=pearson.pearson if pearson else None,
        pvalue=pearson.pearson_pvalue if pearson else None,
        spearman=pearson.spearman if pearson else None,
        spearman_pvalue=pearson.spearman_pvalue if pearson else None,
        shuffled_pvalue=None if as_far is None else (1 + as_far) / (1 + SHUFFLES),
        chance=spread(chances),
        k=used,
        asked_k=k,
        among=len(pool),
        by_word=tuple(
            NeighbourShare(word, b, share) for word, b, share in zip(words, bias.tolist(), shares.tolist(), strict=True)
        ),
    )

"""Pairs of descriptors compared by their scores in the same templates, and random adjectives in their place."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from aslant.statistics import benjamini_hochberg

FloatArray: TypeAlias = NDArray[np.float64]
#: Fewer nouns in a template have no rank test between two descriptors that could be significant.
LEAST_NOUNS = 4
#: With more templates, the signed-rank test is that of the normal distribution.
EXACT = 50


def pair_pvalues(scores: FloatArray) -> FloatArray:
    """Return the two-sided p-value of every pair of rows of (descriptors, templates), in `combinations`' order.

    Wilcoxon's signed-rank test of the differences template by template: descriptors share their templates, so that only
    the differences are exchangeable (in sign), and templates are the units. Differences of 0 are left out, equal ones
    share their rank; up to 50 templates, all signs are tried, whatever the ties. Rows that are the same have
    p = 1.

    >>> pair_pvalues(np.array([[1.0, 2.0, 3.0], [0.5, 1.0, 1.5]])).tolist()
    [0.25]
    """
    from scipy.stats import rankdata, wilcoxon

    first, second = _pairs(len(scores))
    gaps = scores[first] - scores[second]
    found = np.ones(len(gaps))
    some = (gaps != 0).any(axis=1)
    if gaps.shape[1] > EXACT:
        found[some] = wilcoxon(gaps[some], axis=1, method="asymptotic").pvalue if some.any() else []
        return found
    known: dict[tuple[int, ...], FloatArray] = {}
    ranks = rankdata(np.abs(gaps), axis=1) - (gaps == 0).sum(axis=1, keepdims=True)  # those of 0 come first
    doubled = np.where(gaps == 0, 0, 2 * ranks).astype(np.int64)  # shared ranks may be halves
    sums = np.where(gaps > 0, doubled, 0).sum(axis=1)
    for row in np.flatnonzero(some):
        key = tuple(np.sort(doubled[row]).tolist())
        if key not in known:
            known[key] = _both_tails(key)
        found[row] = known[key][sums[row]]
    return found


def _both_tails(ranks: Sequence[int]) -> FloatArray:
    """Return for each sum of the ranks with a positive sign the share of signs with a sum as far out, both sides."""
    counts = np.zeros(sum(ranks) + 1)
    counts[0] = 1.0
    for rank in ranks:
        if rank:
            counts[rank:] += counts[:-rank].copy()
    upper: FloatArray = np.cumsum(counts[::-1])[::-1] / counts.sum()
    tails: FloatArray = np.minimum(1.0, 2 * np.minimum(upper, upper[::-1]))  # from both ends, it is the same
    return tails


def _pairs(n: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    first, second = np.triu_indices(n, 1)
    return first.astype(np.int64), second.astype(np.int64)


def share_of(pvalues: FloatArray, alpha: float) -> float:
    """Return the share of pairs that differ, with the false-discovery rate controlled at `alpha` over them.

    >>> share_of(np.array([0.001, 0.02, 0.9]), 0.05)
    0.6666666666666666
    """
    return float((benjamini_hochberg(pvalues) <= alpha).mean()) if len(pvalues) else 0.0


def random_shares(
    pvalues: FloatArray, pieces: Sequence[int], wanted: Sequence[int], draws: int, alpha: float,
    random: np.random.Generator,
) -> FloatArray:  # fmt: skip
    """Return the share of pairs that differ among adjectives drawn in place of descriptors, shape (draws,).

    `pvalues` is (adjectives, adjectives); `pieces` are the word pieces of each, `wanted` those of the descriptors. Each
    descriptor is replaced by an adjective of as many pieces, or of as close a number as there is, none twice in a draw.
    Where there are too few adjectives, a part of the descriptors is replaced, another one in each draw.
    """
    most = min(len(wanted), len(pieces) // 2)
    found = np.empty(draws)
    for draw in range(draws):
        chosen = _drawn(np.asarray(pieces), random.permutation(np.asarray(wanted))[:most], random)
        first, second = _pairs(most)
        found[draw] = share_of(pvalues[chosen[first], chosen[second]], alpha)
    return found


def _drawn(pieces: NDArray[np.int64], wanted: NDArray[np.int64], random: np.random.Generator) -> NDArray[np.int64]:
    """Draw places without replacement, each of as many pieces as wanted, or of the nearest number that is left."""
    order = random.permutation(len(pieces))
    left = {int(k): order[pieces[order] == k].tolist() for k in np.unique(pieces)}
    chosen = []
    for k in sorted(wanted.tolist(), reverse=True):  # long ones first: they are rare
        nearest = min((own for own, places in left.items() if places), key=lambda own: (abs(own - k), own))
        chosen.append(left[nearest].pop())
    return np.array(chosen, dtype=np.int64)


def published_share(scores: FloatArray, alpha: float = 0.05) -> float | None:
    """Return the likelihood bias of Smith et al. (2022) of scores, shape (descriptors, templates, nouns).

    The share of pairs, template by template, whose scores over the nouns differ by a Mann–Whitney U test at `alpha`:
    not corrected for their number, the nouns, which both descriptors share, taken as independent. None with too few.
    """
    if scores.shape[2] < LEAST_NOUNS or len(scores) < 2:
        return None
    from scipy.stats import mannwhitneyu

    significant = [
        (mannwhitneyu(scores[one], scores[other], axis=1).pvalue < alpha).mean()
        for one, other in combinations(range(len(scores)), 2)
    ]
    return float(np.mean(significant))

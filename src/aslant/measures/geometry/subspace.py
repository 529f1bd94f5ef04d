"""The subspace of a concept such as gender: what definitional pairs have in common (docs/definitions.md §5)."""

from __future__ import annotations

import numpy as np

from aslant.errors import MeasureError, plural
from aslant.measures.geometry.result import SubspaceResult
from aslant.measures.shared.directions import DEFAULT_PAIRS, FoundSets, Pairs, find_sets
from aslant.measures.shared.spreads import spread
from aslant.measures.shared.wordsets import FloatArray, provenance
from aslant.statistics import check_count, explained_ratios, generator, seed_of, subspace, unit_rows
from aslant.vectors import WordVectors

__all__ = ["gender_subspace", "random_ratios", "subspace"]

#: Random words come from this many of the most frequent.
RANDOM_FROM = 50_000
MOST_REPEATS = 100_000
_BLOCK = 1 << 22  # numbers at a time


def random_ratios(
    rows: FloatArray, sizes: tuple[int, ...], count: int, repeats: int, random: np.random.Generator
) -> FloatArray:
    """Return the shares of variance of random sets of the same sizes; shape (repeats, count).

    `rows` (words, d) are drawn from without replacement within a repeat.

    >>> shares = random_ratios(np.eye(6), (2, 2), 2, 3, np.random.default_rng(0))
    >>> shares.round(6).tolist()
    [[0.5, 0.5], [0.5, 0.5], [0.5, 0.5]]
    """
    total, ends = sum(sizes), np.cumsum(sizes)[:-1]
    block = max(1, _BLOCK // (total * rows.shape[1]))
    done = []
    for start in range(0, repeats, block):
        draws = min(block, repeats - start)
        picked = np.array([random.choice(len(rows), total, replace=False) for _ in range(draws)])
        drawn = np.asarray(rows[picked], dtype=np.float64)
        parts = [part - part.mean(axis=1, keepdims=True) for part in np.split(drawn, ends, axis=1)]
        done.append(explained_ratios(np.concatenate(parts, axis=1), count))
    return np.concatenate(done)


def gender_subspace(
    vectors: WordVectors,
    pairs: Pairs = DEFAULT_PAIRS,
    *,
    components: int = 10,
    random_pairs: int = 1_000,
    rng: int | np.random.Generator | None = 0,
) -> SubspaceResult:
    """Find the subspace that `pairs` span: PCA of unit vectors, each set centred on its own mean.

    `pairs` may stand for any concept, and hold more than two words each (Manzini et al. 2019). The share of
    variance of each component is compared with that of as many random words, drawn `random_pairs` times (0: not drawn).

    >>> import aslant
    >>> s = aslant.gender_subspace(aslant.load(), random_pairs=100)
    >>> s.explained[0] > s.random[0].maximum
    True
    >>> faiths = [["judaism", "christianity", "islam"], ["rabbi", "priest", "imam"], ["synagogue", "church", "mosque"]]
    >>> len(aslant.gender_subspace(aslant.load(), faiths).explained)
    6
    """
    check_count("components", components, 1, 10_000)
    check_count("random_pairs", random_pairs, 0, MOST_REPEATS)
    sets, seed = find_sets(vectors, pairs), seed_of(rng)
    found, ratios = subspace(sets.vectors)
    explained = ratios[:components]
    random = _random(vectors, sets, len(explained), random_pairs, seed)
    beaten = None if random is None else int(np.count_nonzero(random[:, 0] >= explained[0]))
    settings = {"components": components, "random_pairs": random_pairs, "random_from": RANDOM_FROM, "length": "unit"}
    return SubspaceResult(
        sets=sets.words,
        sets_left_out=sets.left_out,
        poles=sets.poles,
        explained=tuple(explained.tolist()),
        random=() if random is None else tuple(spread(column) for column in random.T),
        pvalue=None if beaten is None else (1 + beaten) / (1 + random_pairs),
        direction=tuple(found[0].tolist()),
        provenance=provenance(vectors, sets.id, sets.found, seed, settings),
    )


def _random(vectors: WordVectors, sets: FoundSets, count: int, repeats: int, seed: int) -> FloatArray | None:
    if not repeats:
        return None
    own = {token for words in sets.found for token in words.tokens}
    top = vectors.words[:RANDOM_FROM]
    others = np.array([row for row, word in enumerate(top) if word not in own], dtype=np.intp)
    sizes = tuple(len(words) for words in sets.vectors)
    if len(others) < sum(sizes):
        raise MeasureError(
            f"'{vectors.name}' has {plural(len(others), 'word')} besides the pairs, too few for random pairs; "
            "give random_pairs=0."
        )
    return random_ratios(unit_rows(vectors.matrix[others]), sizes, count, repeats, generator(seed))

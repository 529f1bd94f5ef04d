"""Random words in place of those that carry a meaning: of the same frequency and shape (docs/definitions.md §9)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence, Set

import numpy as np
from numpy.typing import ArrayLike, NDArray

from aslant.results.parts import WordsUsed
from aslant.statistics import FrequencyLean, draw_matched, frequency_lean, is_large_enough, nearest, unit_rows
from aslant.statistics.chance import FACTOR
from aslant.vectors import WordVectors
from aslant.vectors.word_vectors import CAPITALISED, LOWER, MIXED, shape_of

#: How many random choices a score is compared with.
DRAWS = 2000
#: Neighbours are looked for among this many words.
NEIGHBOURHOOD = 20_000


def matched_words(
    vectors: WordVectors,
    replaced: Sequence[WordsUsed],
    others: Iterable[WordsUsed],
    draws: int,
    rng: np.random.Generator,
    within: Set[str] | None = None,
) -> list[NDArray[np.int64]] | None:
    """Draw rows of random words for each set of `replaced`, shape (draws, used) each; None with too few to draw from.

    A word is replaced by one of about its frequency and of its shape: capitalised if it is, in upper case or without
    case if it is and enough others are, else in lower case; never by a word of the sets themselves or of `others`, and
    by no word twice in a draw; only by words `within` a set, if one is given. A vocabulary in another order does not
    tell frequencies: then any word of the same shape may be drawn.
    """
    known = {token for group in (*replaced, *others) for token in group.tokens}
    free = np.ones(len(vectors), dtype=bool)
    free[[vectors.index[token] for token in known if token in vectors.index]] = False
    tokens = [token for group in replaced for token in group.tokens]
    ranks = np.array([vectors.index.get(token, -1) for token in tokens])
    ranks[ranks < 0] = np.median(ranks[ranks >= 0]) if (ranks >= 0).any() else len(vectors) // 2  # composed vectors
    factor = FACTOR if vectors.by_frequency else np.inf
    shapes = np.array([shape_of(token) for token in tokens])
    pools = [plain[free[plain]] for plain in vectors.plain_words]
    if within is not None:
        pools = [pool[[vectors.words[row] in within for row in pool.tolist()]] for pool in pools]
    for shape in range(CAPITALISED + 1, MIXED + 1):
        if shape == MIXED or not is_large_enough(pools[shape], int((shapes == shape).sum())):
            shapes[shapes == shape] = LOWER
    rows = np.empty((draws, len(tokens)), dtype=np.int64)
    for shape in np.unique(shapes):
        those = shapes == shape
        if not is_large_enough(pools[shape], int(those.sum())):
            return None
        rows[:, those] = draw_matched(ranks[those], pools[shape], draws, rng, factor)
    return np.split(rows, np.cumsum([len(group.tokens) for group in replaced])[:-1], axis=1)


def kind_of(vectors: WordVectors, kind: str = "matched words") -> str:
    """Return the kind of chance that `matched_words` makes of a kind: with frequencies that are not known, another."""
    return kind if vectors.by_frequency else f"{kind}, any frequency"


def lean_by_frequency(vectors: WordVectors, leans: ArrayLike, words: WordsUsed) -> FrequencyLean | None:
    """Compare the signed leans of words, shape (words,), with their frequency ranks; None where these are not known."""
    rows = [vectors.index.get(token, len(vectors)) for token in words.tokens]
    return frequency_lean(leans, rows) if vectors.by_frequency else None


def coherent_words(
    vectors: WordVectors,
    replaced: Sequence[WordsUsed],
    others: Iterable[WordsUsed],
    draws: int,
    rng: np.random.Generator,
) -> list[NDArray[np.int64]] | None:
    """Draw rows of a random word and its nearest neighbours for each set of `replaced`, shape (draws, used) each.

    The word is of the frequency of one of the set's own, as `matched_words` draws it; its neighbours, by cosine, are
    among the most frequent 20,000 words that have the set's shape and are not stimuli. Two sets may share words.
    """
    others = list(others)
    rows = matched_words(vectors, replaced, others, draws, rng)
    if rows is None:
        return None
    known = {token for group in (*replaced, *others) for token in group.tokens}
    return [
        _with_neighbours(vectors, of_set[np.arange(draws), rng.integers(of_set.shape[1], size=draws)], group, known)
        for of_set, group in zip(rows, replaced, strict=True)
    ]


def _with_neighbours(
    vectors: WordVectors, centres: NDArray[np.int64], group: WordsUsed, known: Set[str]
) -> NDArray[np.int64]:
    """Return each centre and its nearest neighbours, as many rows as the set has words; (centres, words)."""
    shape = np.bincount([shape_of(vectors.words[row]) for row in centres.tolist()]).argmax()  # what most of them have
    pool = vectors.plain_words[shape][: NEIGHBOURHOOD + len(known)]
    pool = pool[[vectors.words[row] not in known for row in pool.tolist()]][:NEIGHBOURHOOD]
    different, which = np.unique(centres, return_inverse=True)
    at = np.minimum(np.searchsorted(pool, different), len(pool) - 1)
    own = np.where(pool[at] == different, at, -1)
    if len(group.tokens) == 1:
        return centres[:, None]
    near = nearest(unit_rows(vectors.rows(different)), unit_rows(vectors.rows(pool)), len(group.tokens) - 1, own)
    return np.concatenate([different[:, None], pool[near]], axis=1)[which]

"""Random words in place of those that carry a meaning: of the same frequency and shape (docs/definitions.md §9)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from aslant.results.parts import WordsUsed
from aslant.statistics import draw_matched, is_large_enough
from aslant.vectors import WordVectors

#: How many random choices a score is compared with.
DRAWS = 2000


def matched_words(
    vectors: WordVectors,
    replaced: Sequence[WordsUsed],
    others: Iterable[WordsUsed],
    draws: int,
    rng: np.random.Generator,
) -> list[NDArray[np.int64]] | None:
    """Draw rows of random words for each set of `replaced`, shape (draws, used) each; None with too few to draw from.

    A word is replaced by one of about its frequency, in lower case if it is, capitalised if it is; never by a word of
    the sets themselves or of `others`, and by no word twice in a draw. Vectors stand in order of frequency.
    """
    known = {token for group in (*replaced, *others) for token in group.tokens}
    free = np.ones(len(vectors), dtype=bool)
    free[[vectors.index[token] for token in known if token in vectors.index]] = False
    tokens = [token for group in replaced for token in group.tokens]
    ranks = np.array([vectors.index.get(token, -1) for token in tokens])
    ranks[ranks < 0] = np.median(ranks[ranks >= 0]) if (ranks >= 0).any() else len(vectors) // 2  # composed vectors
    capitalised = np.array([token.istitle() and token.isalpha() for token in tokens])
    rows = np.empty((draws, len(tokens)), dtype=np.int64)
    for plain, those in zip(vectors.plain_words, (~capitalised, capitalised), strict=True):
        pool = plain[free[plain]]
        if those.any() and not is_large_enough(pool, int(those.sum())):
            return None
        rows[:, those] = draw_matched(ranks[those], pool, draws, rng) if those.any() else 0
    return np.split(rows, np.cumsum([len(group.tokens) for group in replaced])[:-1], axis=1)

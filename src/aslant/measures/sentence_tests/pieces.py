"""What word pieces do to a test: how many each set has, and the effect without them (docs/definitions.md §9)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from aslant.measures.shared.statistic import NO_SPREAD, effect_size
from aslant.measures.shared.wordsets import FloatArray
from aslant.results.parts import WordsUsed
from aslant.statistics import without_slope


def piece_counts(encoder: Any, words: Sequence[str]) -> FloatArray | None:
    """Return the number of pieces of each word, shape (words,); None for an encoder that does not have a tokenizer.

    >>> piece_counts(encoder, ["nurse"])  # here, encoder is a small toy; aslant.load_encoder(…) opens real ones
    """
    speller = getattr(encoder, "speller", None)
    counts = getattr(encoder, "piece_counts", None) if speller is None else speller.counts
    found = None if counts is None else counts(words)
    return None if found is None else np.array(found, np.float64)


def piece_fields(
    encoder: Any, used: Sequence[WordsUsed], first: FloatArray, second: FloatArray
) -> dict[str, Any]:  # fmt: skip
    """Return the mean number of pieces of the four sets, and the effect over target words without them.

    `first` and `second` are the associations of the target words, one for each.
    """
    found = [piece_counts(encoder, group.used) for group in used]
    counts = [count for count in found if count is not None]
    if len(counts) < 4:
        return {}
    x, y = counts[:2]
    both = np.concatenate([x, y])
    rest = np.concatenate([first, second])
    if np.ptp(both):
        rest = without_slope(rest, both)
    return {
        "pieces": tuple(float(count.mean()) for count in counts),
        "effect_size_one_piece": _effect(first[x == 1], second[y == 1]),
        "effect_size_without_pieces": _effect(rest[: len(x)], rest[len(x) :]),
    }


def _effect(first: FloatArray, second: FloatArray) -> float | None:
    """Return d; None with fewer than two words in a set, or where all are alike."""
    if min(len(first), len(second)) < 2 or np.ptp(np.concatenate([first, second])) < NO_SPREAD:
        return None
    return effect_size(first, second)

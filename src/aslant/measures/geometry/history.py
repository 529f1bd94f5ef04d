"""Direct bias over time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aslant.measures.geometry.chance import first_components
from aslant.measures.geometry.directional import DEFAULT_WORDS, SPECIFIC_WORDS
from aslant.measures.polarities.measure import Words, word_list
from aslant.measures.shared.directions import DEFAULT_PAIRS, Pairs, chosen_sets
from aslant.measures.shared.following import Followed
from aslant.measures.shared.wordsets import FloatArray
from aslant.statistics import contrasts, unit_rows
from aslant.stimuli import WordList


def direct_bias_history(words: Words = DEFAULT_WORDS, *, pairs: Pairs = DEFAULT_PAIRS) -> Followed:
    """Follow direct bias: how far words lie along the first component of pairs."""
    sets, pairs_id, _ = chosen_sets(pairs)
    listed, words_id = word_list(words)
    groups = tuple(WordList(f"set {place}", tuple(dict.fromkeys(members))) for place, members in enumerate(sets, 1))
    return Followed(
        pairs_id, "direct bias", (WordList("words", listed),), groups, _scores, extreme="high", spare=True, least=2,
        apart=word_list(SPECIFIC_WORDS)[0], settings={"words": words_id},
    )  # fmt: skip


def _scores(kept: Sequence[NDArray[Any]], replaced: Sequence[NDArray[Any]]) -> FloatArray:
    pairs = np.concatenate([contrasts(unit_rows(of_set)) for of_set in replaced], axis=1)
    return np.asarray(np.abs(first_components(pairs) @ unit_rows(kept[0]).T).mean(axis=1))

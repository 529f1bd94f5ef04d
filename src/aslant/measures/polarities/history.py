"""Polarity over time, training by training (`polarity_trend` has more options, for one training of each year)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aslant.measures.polarities.chance import leans_of
from aslant.measures.polarities.measure import Classes, Words, check_scheme, class_lists, word_list
from aslant.measures.polarities.result import PROFESSIONS
from aslant.measures.polarities.settings import PolaritySettings, Scheme
from aslant.measures.shared.following import Followed
from aslant.measures.shared.wordsets import FloatArray
from aslant.statistics import unit_rows
from aslant.stimuli import WordList


def polarity_history(
    classes: Classes = "gender-binary", words: Words = PROFESSIONS, *, scheme: Scheme = "binary", unit: bool = False
) -> Followed:
    """Follow the polarity of words between classes."""
    PolaritySettings(scheme=scheme, unit=unit)  # refuses what is not a scheme
    groups, class_id = class_lists(classes)
    check_scheme(scheme, len(groups))
    listed, words_id = word_list(words)

    def scores(kept: Sequence[NDArray[Any]], replaced: Sequence[NDArray[Any]]) -> FloatArray:
        means = [(unit_rows(of_class) if unit else of_class).mean(axis=1, dtype=np.float64) for of_class in replaced]
        return np.asarray(leans_of(np.stack(means, axis=1), unit_rows(kept[0]).T, scheme).mean(axis=1))

    return Followed(
        class_id, f"polarity, {scheme}", (WordList("words", listed),), groups, scores, extreme="high",
        settings={"words": words_id, "scheme": scheme, "unit": unit},
    )  # fmt: skip

"""WEAT over time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aslant.measures.association.chance import effect_sizes
from aslant.measures.shared.following import Followed
from aslant.measures.shared.suite import chosen_test
from aslant.measures.shared.wordsets import FloatArray
from aslant.statistics import unit_rows


def weat_history(test: Any = None, *, targets: Any = None, attributes: Any = None, language: Any = None) -> Followed:
    """Follow WEAT's effect size: a test that ships, a file, or targets and attributes."""
    chosen = chosen_test(test, targets, attributes, language)
    return Followed(chosen.id, "WEAT effect size d", chosen.targets, chosen.attributes, _scores)


def _scores(kept: Sequence[NDArray[Any]], replaced: Sequence[NDArray[Any]]) -> FloatArray:
    first, second = (unit_rows(of_set).mean(axis=1) for of_set in replaced)
    return effect_sizes((first - second) @ unit_rows(np.concatenate(kept)).T, len(kept[0]))

"""Scores of word sets over time."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aslant.measures.set_scores.draws import seen_by, values_of
from aslant.measures.set_scores.kinds import SCORES, Score
from aslant.measures.set_scores.sets import chosen_sets, need_sets
from aslant.measures.set_scores.statistic import Batch
from aslant.measures.shared.following import Followed
from aslant.measures.shared.wordsets import FloatArray
from aslant.statistics import unit_rows

#: Draws of a score that fits a classifier for each of them, in every period and training.
FEWER = 100


def _history(name: str) -> Callable[..., Followed]:
    score = SCORES[name]

    def follow(
        test: Any = None, *, targets: Any = None, attributes: Any = None, language: Any = None, unit: bool = False
    ) -> Followed:
        asked = chosen_sets(test, targets, attributes, language)
        need_sets(score, asked)
        return Followed(
            asked.id, score.short, asked.targets, asked.attributes, _scoring(score, unit), extreme=score.extreme,
            paired=score.dealt == "pairs", most=FEWER if score.most < 10**9 else 100_000, settings={"unit": unit},
        )  # fmt: skip

    follow.__doc__ = f"Follow {score.short}."
    return follow


def _scoring(score: Score, unit: bool) -> Any:
    def scores(kept: Sequence[NDArray[Any]], replaced: Sequence[NDArray[Any]]) -> FloatArray:
        x, a = np.concatenate(kept).astype(np.float64), np.concatenate(replaced, axis=1).astype(np.float64)
        if unit:
            x, a = unit_rows(x), unit_rows(a)
        sides = [_members([of_set.shape[-2] for of_set in sets]) for sets in (kept, replaced)]
        batch = Batch(x @ x.T, x @ a.swapaxes(1, 2), a @ a.swapaxes(1, 2), *sides)
        pick = np.arange(len(x)) if score.dealt == "pairs" else None
        return values_of(score, seen_by(score, batch, pick))

    return scores


def _members(sizes: Sequence[int]) -> FloatArray:
    return np.repeat(np.eye(len(sizes)), sizes, axis=1)[None]


relative_norm, ripa, mac, ect, rnsb, same, ml_eat = map(_history, SCORES)

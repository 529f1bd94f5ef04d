"""Folds for cross-validation that keep groups whole and kinds in proportion."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from aslant.errors import MeasureError, plural


def grouped_folds(groups: ArrayLike, kinds: ArrayLike, n_folds: int, random: np.random.Generator) -> NDArray[np.intp]:
    """Return the fold, 0 to n_folds − 1, of each of n rows.

    Rows of one group (`groups`, (n,)) share a fold, so that what was trained on is never tested; each kind (`kinds`,
    (n,)) is spread over the folds as evenly as its groups allow. Groups come in random order, larger ones first, and
    each goes to the fold that has fewest of its kinds so far.

    >>> folds = grouped_folds([0, 0, 1, 2, 3, 4], ["x", "x", "x", "x", "y", "y"], 2, np.random.default_rng(0))
    >>> bool(folds[0] == folds[1]), sorted(np.bincount(folds).tolist()), bool(folds[4] != folds[5])
    (True, [3, 3], True)
    """
    _, group = np.unique(np.asarray(groups), return_inverse=True)
    _, kind = np.unique(np.asarray(kinds), return_inverse=True)
    n_groups, n_kinds = int(group.max()) + 1, int(kind.max()) + 1
    if n_groups < n_folds:
        raise MeasureError(
            f"{plural(n_groups, 'group')} cannot be split into {n_folds} folds; use fewer folds or more data."
        )
    made_of = np.zeros((n_groups, n_kinds))
    np.add.at(made_of, (group, kind), 1)
    order = random.permutation(n_groups)
    order = order[np.argsort(-made_of.sum(axis=1)[order], kind="stable")]
    held, chosen = np.zeros((n_folds, n_kinds)), np.empty(n_groups, dtype=np.intp)
    for place in order:
        # Ties by how full a fold is: whole folds stay of about one size.
        fullness = held @ made_of[place] + held.sum(axis=1) / (held.sum() + 1)
        chosen[place] = int(np.argmin(fullness))
        held[chosen[place]] += made_of[place]
    return np.asarray(chosen[group])

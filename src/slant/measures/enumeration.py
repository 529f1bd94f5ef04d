"""Unsupervised bias enumeration: biases that nobody named in advance (Swinger et al. 2019; MEASURES §3)."""

from __future__ import annotations

import numbers
from collections.abc import Iterable, Mapping
from os import PathLike
from typing import Any, TypeAlias

import numpy as np

from slant.errors import MeasureError
from slant.journal import Journal
from slant.measures.enumeration_run import MOST, EnumerationRun, Progress
from slant.measures.name_sources import Names, name_table
from slant.measures.wordsets import check_vectors
from slant.results import EnumerationResult
from slant.statistics import check_count, seed_of
from slant.vectors import WordVectors

#: Groups: how many to find among the names, or the groups themselves: a class set, or words by group.
Groups: TypeAlias = int | str | PathLike[str] | Mapping[str, Iterable[str]]


def enumerate_biases(
    vectors: WordVectors,
    names: Names = None,
    groups: Groups = 12,
    *,
    categories: int = 64,
    words: int = 30_000,
    per_cell: int = 3,
    rotations: int = 10_000,
    alpha: float = 0.05,
    left_out: float = 0.2,
    precision: float | None = None,
    rng: int | np.random.Generator | None = 0,
    workers: int | None = None,
    journal: str | PathLike[str] | None = None,
    progress: Progress | None = None,
) -> EnumerationResult:
    """Find associations of name groups with words, none of them specified in advance (Swinger et al. 2019).

    `names` (nothing: the bundled first names; a list, a file, a data name, "surnames") are cleaned of the share
    `left_out` that is least like a name, and clustered into `groups`; the most frequent `words` in lower case are
    clustered into `categories`. Each cell, a group and a category, takes the `per_cell` words of the category that
    lean most to the group. Its p-value comes from `rotations` of the names against the words, and false discoveries
    are held at `alpha` over all cells (Benjamini–Hochberg). Groups of your own (a class set, or words by group) skip
    the first step.

    `precision` stops drawing rotations where the verdict is settled, at that risk (such as 0.001) that any verdict
    differs from the full run's. `workers`: threads, by default one for each core; the result does not depend on it.
    `journal` is a folder where finished work is kept, so that a run that was killed goes on where it was.

    >>> import slant
    >>> v = slant.load()
    >>> own = {"women": ["woman", "she", "her"], "men": ["man", "he", "his"]}
    >>> u = slant.enumerate_biases(v, groups=own, words=5_000, categories=8, rotations=200)
    >>> [group.label for group in u.groups], len(u.cells), len(u.significant) > 4
    (['women', 'men'], 16, True)
    """
    check_vectors(vectors)
    settings = _checked(categories, words, per_cell, rotations, alpha, left_out, precision)
    seed = seed_of(rng)
    seeds = [int(s) for s in np.random.SeedSequence(seed).generate_state(5, np.uint64)]
    run = EnumerationRun(vectors, settings, seeds, workers, Journal(journal) if journal is not None else None, progress)
    if _is_count(groups):
        return run.measure(run.found_groups(name_table(names), groups), seed)
    if names is not None:
        raise MeasureError("both names and groups of your own were given; leave one of them out.")
    return run.measure(run.own_groups(groups), seed)


def _is_count(groups: Groups) -> bool:
    return isinstance(groups, int | np.integer) and not isinstance(groups, bool)


def _checked(
    categories: int, words: int, per_cell: int, rotations: int, alpha: float, left_out: float, precision: float | None
) -> dict[str, Any]:
    _check_share("alpha", alpha)
    _check_share("left_out", left_out, may_be_zero=True)
    if precision is not None:
        _check_share("precision", precision)
    return {
        "categories": check_count("categories", categories, 1, MOST),
        "words": check_count("words", words, 1, MOST),
        "per_cell": check_count("per_cell", per_cell, 1, 1_000),
        "rotations": check_count("rotations", rotations, 1, MOST),
        "alpha": float(alpha),
        "left_out": float(left_out),
        "precision": None if precision is None else float(precision),
    }


def _check_share(name: str, value: float, *, may_be_zero: bool = False) -> None:
    number = isinstance(value, numbers.Real) and not isinstance(value, bool)
    if not number or not (0 < value < 1 or (may_be_zero and value == 0)):
        raise MeasureError(f"{name} is {value!r}; give a number between 0 and 1.")

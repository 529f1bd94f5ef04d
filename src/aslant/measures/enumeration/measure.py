"""Unsupervised bias enumeration: biases that nobody named in advance (Swinger et al. 2019; docs/definitions.md §3)."""

from __future__ import annotations

import numbers
from collections.abc import Iterable, Mapping
from os import PathLike
from typing import Any, TypeAlias, get_args

import numpy as np

from aslant.errors import MeasureError
from aslant.io.journal import Journal
from aslant.measures.enumeration.name_sources import EMBEDDING, Names, embedding_names, name_table
from aslant.measures.enumeration.result import EnumerationResult, Weights
from aslant.measures.enumeration.run import MOST, EnumerationRun, Progress
from aslant.measures.shared.wordsets import check_vectors
from aslant.statistics import check_count, seed_of
from aslant.vectors import WordVectors

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
    drop_names: bool | None = None,
    voronoi: bool = True,
    demographics_by: Weights = "names",
    precision: float | None = None,
    rng: int | np.random.Generator | None = 0,
    workers: int | None = None,
    journal: str | PathLike[str] | None = None,
    progress: Progress | None = None,
) -> EnumerationResult:
    """Find associations of name groups with words, none of them specified in advance (Swinger et al. 2019).

    `names` (nothing: the bundled first names; a list, a file, a data name, "surnames", or "embedding": those that a
    classifier finds among the capitalised words) are cleaned of the share `left_out` that is least like a name, and
    clustered into `groups`; the most frequent `words` in lower case are clustered into `categories`. Each cell, a
    group and a category, takes the `per_cell` words of the category that lean most to the group. Its p-value comes
    from `rotations` of the names against the words, and the false-discovery rate over all cells is held at `alpha`
    (Benjamini–Hochberg). Groups of your own (a class set, or words by group) skip the first step.

    Names are looked up as written in a cased vocabulary. `drop_names` leaves words that are spelled like a name out
    of the words (None: only in a lower-cased vocabulary). With `voronoi` a word belongs to the group that it is nearest
    to, without it any number of groups (the paper's footnote 2). `demographics_by` "names" or "bearers" says how
    figures about a group's names are averaged.

    `precision` stops drawing rotations where the verdict is settled, at that risk (such as 0.001) that any verdict
    differs from the full run's. `workers`: threads, by default one for each core; the result does not depend on it.
    `journal` is a folder where finished work is kept, so that a run that was killed resumes where it stopped.

    >>> import aslant
    >>> v = aslant.load()
    >>> own = {"women": ["woman", "she", "her"], "men": ["man", "he", "his"]}
    >>> u = aslant.enumerate_biases(v, groups=own, words=5_000, categories=8, rotations=200)
    >>> [group.label for group in u.groups], len(u.cells), len(u.significant) > 4
    (['women', 'men'], 16, True)
    """
    check_vectors(vectors)
    settings = _checked(categories, words, per_cell, rotations, alpha, left_out, precision)
    settings |= _choices(drop_names, voronoi, demographics_by)
    seed = seed_of(rng)
    kept = Journal(journal) if journal is not None else None
    run = EnumerationRun(vectors, settings, seeds_of(seed), workers, kept, progress)
    if _is_count(groups):
        table = embedding_names(vectors) if names == EMBEDDING else name_table(names)
        return run.measure(run.found_groups(table, groups), seed)
    if names is not None:
        raise MeasureError("both names and groups were given; leave one of them out.")
    return run.measure(run.own_groups(groups), seed)


def seeds_of(seed: int) -> list[int]:
    """Return a seed for each step that draws at random.

    >>> len(seeds_of(0))
    5
    """
    return [int(s) for s in np.random.SeedSequence(seed).generate_state(5, np.uint64)]


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


def _choices(drop_names: bool | None, voronoi: bool, demographics_by: Weights) -> dict[str, Any]:
    for name, value, allowed in (
        ("drop_names", drop_names, (None, True, False)),
        ("voronoi", voronoi, (True, False)),
        ("demographics_by", demographics_by, get_args(Weights)),
    ):
        if not any(value is choice or (isinstance(choice, str) and value == choice) for choice in allowed):
            raise MeasureError(f"{name} is {value!r}; give {' or '.join(map(repr, allowed))}.")
    return {"drop_names": drop_names, "voronoi": voronoi, "demographics_by": demographics_by}


def _check_share(name: str, value: float, *, may_be_zero: bool = False) -> None:
    number = isinstance(value, numbers.Real) and not isinstance(value, bool)
    if not number or not (0 < value < 1 or (may_be_zero and value == 0)):
        raise MeasureError(f"{name} is {value!r}; give a number between 0 and 1.")

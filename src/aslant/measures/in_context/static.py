"""Static spaces on exactly the words that contextual measures used, so that the columns can be compared."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from aslant.errors import MeasureError, plural
from aslant.measures.geometry.subspace import gender_subspace
from aslant.measures.in_context.result import ComparedSpace, RepeatedMeasure, SwappedPair
from aslant.measures.in_context.space import Plan, Repeat, measure_space
from aslant.measures.in_context.words import BiasedWords, Professions
from aslant.measures.shared.spreads import spread
from aslant.results.provenance import Representation
from aslant.statistics import spawn, unit_rows
from aslant.vectors import WordVectors


def check_compared(vectors: WordVectors, words: BiasedWords, jobs: Professions) -> None:
    """Refuse a space in which words are missing, before anything is encoded."""
    wanted = [*words.words, *(token for token in jobs.tokens if token is not None)]
    absent = [token for token in wanted if token not in vectors.index]
    if absent:
        raise MeasureError(
            f"'{vectors.name}' has no vector for {plural(len(absent), 'word')}, such as '{absent[0]}'; use one with "
            "the original's vocabulary."
        )


def compared_space(
    column: str,
    vectors: WordVectors,
    words: BiasedWords,
    jobs: Professions,
    plan: Plan,
    pairs: tuple[SwappedPair, ...],
    *,
    random_pairs: int,
    repeats: int,
    seed: int,
) -> ComparedSpace:
    """Measure a static space on the same words; its own direction, from the same pairs. Repeats differ in seeds."""
    known = [row for row, token in enumerate(jobs.tokens) if token is not None]
    tokens = [*words.words, *(str(jobs.tokens[row]) for row in known)]
    subspace = gender_subspace(vectors, [pair.words for pair in pairs], random_pairs=random_pairs, rng=seed)
    first = subspace.explained[0]
    beside = subspace.random[0] if subspace.random else None
    variance = RepeatedMeasure(spread([first]), (first,), beside, subspace.pvalue)
    unit = unit_rows(vectors.matrix[[vectors.index[token] for token in tokens]])
    places = {row: place for place, row in enumerate(known)}
    own = replace(plan, queries=np.array([places[row] for row in plan.queries], dtype=np.intp))
    count = len(words.words)
    same = Repeat(unit[:count], unit[count:], np.array(subspace.direction))
    found = measure_space((same for _ in range(repeats)), own, variance, spawn(seed, repeats))
    return ComparedSpace(column, Representation(**vectors.record()), found.measures)

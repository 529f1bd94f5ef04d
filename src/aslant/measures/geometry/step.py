"""The geometry step of an audit."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aslant.measures.geometry.direct import direct_bias
from aslant.measures.geometry.subspace import gender_subspace
from aslant.results.codec import MeasuredResult
from aslant.stimuli import PairSet

if TYPE_CHECKING:
    from aslant.auditing.step_context import Results, Work


def directions(work: Work) -> Results:
    """Find the gender direction, and how far professions lie along it."""
    vectors = work.subject.opened
    return gender_subspace(vectors, rng=work.seed, **work.settings), direct_bias(vectors)


def own_words(work: Work, sets: list[PairSet]) -> Results:
    """Find the direction of the user's own pairs."""
    done: list[MeasuredResult] = []
    for found in sets:
        with work.noting(f"own words, {found.id}"):
            done.append(work.named(gender_subspace(work.subject.opened, found.pairs, rng=work.seed), found.id))
    return tuple(done)

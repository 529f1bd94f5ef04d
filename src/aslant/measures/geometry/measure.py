"""Subspace, direct bias and residual bias together, for one embedding or before and after debiasing."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from aslant.errors import TooFewWordsError
from aslant.measures.geometry.directional import DEFAULT_WORDS, SPECIFIC_WORDS, direct_bias, gender_subspace
from aslant.measures.geometry.result import GeometryResult, SpaceGeometry
from aslant.measures.polarities.measure import Words
from aslant.measures.residuals.measure import DRAWS, residual_bias
from aslant.measures.residuals.result import ResidualBiasResult
from aslant.measures.residuals.separation import Gamma
from aslant.measures.shared.directions import DEFAULT_PAIRS, Pairs
from aslant.measures.shared.open_subject import opening
from aslant.results.codec import MeasuredResult
from aslant.statistics import seed_of
from aslant.stimuli import DEFAULT_POLES, PairSet
from aslant.vectors import WordVectors

if TYPE_CHECKING:
    from aslant.auditing.step_context import Results, Work

NO_POLES = "these pairs are not the default ones, and no poles were given to find biased words with; name two words."


@opening("vectors", "against")
def geometry(
    vectors: WordVectors,
    against: WordVectors | None = None,
    *,
    pairs: Pairs = DEFAULT_PAIRS,
    words: Words = DEFAULT_WORDS,
    keep_specific: bool = True,
    specific: Words = SPECIFIC_WORDS,
    poles: tuple[str, str] | None = None,
    top: int = 500,
    classified: int = 2_500,
    seeds: int = 10,
    k: int = 100,
    gamma: Gamma = "scale",
    random_pairs: int = 1_000,
    picture: str = "none",
    rng: int | np.random.Generator | None = 0,
) -> GeometryResult:
    """Measure the gender subspace, direct bias and residual bias of `vectors`, and of `against` if it is given.

    `against` is the debiased embedding: its biased words are those of `vectors`, its direction its own. Without it,
    residual bias is what is left once the direction between the poles is taken out, beside random poles. `pairs` may
    represent another concept; then name two `poles` to find biased words with and the `specific` words that have it by
    definition. Without poles (the default pairs have he and she) the residual tests are left out.

    >>> import aslant
    >>> g = aslant.geometry(aslant.load(top=10_000), seeds=1, classified=500, random_pairs=9)
    >>> [row["measure"] for row in g.rows()][:2]
    ['first component, share of variance', 'direct bias of the words']
    """
    seed = seed_of(rng)
    sides = DEFAULT_POLES if poles is None and isinstance(pairs, str) and pairs == DEFAULT_PAIRS else poles
    not_run = {"residual bias": NO_POLES} if sides is None else {}

    def residual(measured: WordVectors) -> ResidualBiasResult | None:
        if sides is None:
            return None
        try:
            return residual_bias(
                vectors, None if against is None else measured, poles=sides, top=top, classified=classified,
                seeds=seeds, k=k, professions=words, within=words, specific=specific, gamma=gamma, picture=picture,
                chance=min(random_pairs, DRAWS), rng=seed,
            )  # fmt: skip
        except TooFewWordsError as error:
            not_run["residual bias"] = str(error)
            return None

    def space(measured: WordVectors) -> SpaceGeometry:
        return SpaceGeometry(
            measured.name,
            gender_subspace(measured, pairs, random_pairs=random_pairs, rng=seed),
            direct_bias(measured, words, direction=pairs, keep_specific=keep_specific, specific=specific),
            residual(measured),
        )

    before, after = space(vectors), None if against is None else space(against)
    # Settings of every part, and the words missing from any part
    parts = [part for s in (before, after) if s for part in (s.residual, s.direct) if part]
    missing = tuple(dict.fromkeys(word for part in parts for word in part.missing))
    settings = {**parts[0].provenance.settings, "pairs": before.subspace.provenance.stimuli}
    settings |= {"random_pairs": random_pairs, "keep_specific": keep_specific, "poles": sides and [*sides]}
    stimuli = parts[0].provenance.stimuli  # the vectors are those of direct bias: what is left is of debiased ones
    made = replace(before.direct.provenance, stimuli=stimuli, missing=missing, seed=seed, settings=settings)
    return GeometryResult(before, after, not_run, made)


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

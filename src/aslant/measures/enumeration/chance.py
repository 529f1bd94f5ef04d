"""What chance gives an enumeration: random words of the names' frequency in their place (docs/definitions.md §9)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from aslant.measures.enumeration.result import EnumeratedCell, EnumerationResult
from aslant.measures.enumeration.run import CategorisedWords, EnumerationRun, Grouped
from aslant.measures.shared.chance import kind_of, matched_words
from aslant.measures.shared.wordsets import FloatArray
from aslant.results.parts import Spread
from aslant.statistics import against_chance

KIND = "random words in place of names"
#: Shares are compared at the same number of rotations: at least this many, and this many times what the smallest
#: p-value needs in order to be significant beside the others that are.
LEAST_ROTATIONS, MARGIN = 500, 2
#: Drawing stops where verdicts are settled, at this risk for any of them.
RISK = 0.001
#: The names are clustered this many times more, with other seeds.
RECLUSTERED = 2
#: With fewer draws than this, which are a first look, names are not clustered again.
LEAST_DRAWS = 3


def with_chance(
    run: EnumerationRun, result: EnumerationResult, grouped: Grouped, words: CategorisedWords
) -> EnumerationResult:
    """Add the shares of significant cells that random words give, and those of other clusterings of the same names."""
    draws = run.settings["chance"]
    if not draws:
        return result
    drawing, reclustering, *seeds = np.random.SeedSequence(result.provenance.seed).spawn(2 + draws)
    rows = matched_words(run.vectors, grouped.used, (), draws, np.random.default_rng(drawing))
    fewer = {"rotations": rotations_for(result), "precision": RISK}
    few = replace(run, settings={**run.settings, **fewer}, progress=None)
    share, drawn = few.share_and_scores(grouped.means, words)[0], []
    done = run.progress_of("random words") or (lambda *_: None)
    for number, seed in enumerate(seeds if rows else ()):
        drawn.append(_drawn_share(few.seeded(seed), grouped, words, [of_set[number] for of_set in rows or ()]))
        done(number + 1, draws)
    times = 0 if result.own_groups or draws < LEAST_DRAWS else RECLUSTERED
    again = [few.seeded(seed) for seed in reclustering.spawn(times)]
    other = [one.share_and_scores(one.clustered_means(grouped.unit, len(grouped.groups)), words)[0] for one in again]
    clustered = [share, *other]
    return replace(
        result,
        cells=beside_random_groups(result.cells, [scores for _, scores in drawn]),
        chance=against_chance(share, [one for one, _ in drawn], kind_of(run.vectors, KIND), signed=False)
        if drawn
        else None,
        chance_share=share,
        chance_rotations=few.settings["rotations"],
        spread=Spread(float(np.mean(clustered)), min(clustered), max(clustered), len(clustered)) if again else None,
    )


def beside_random_groups(cells: Sequence[EnumeratedCell], drawn: Sequence[FloatArray]) -> tuple[EnumeratedCell, ...]:
    """Add to each tested cell the share of random groups whose score in its category is as large.

    Scores are (categories, groups) for each draw. The cell counts among them; groups without a test (NaN) do not.
    """
    found = []
    for cell in cells:
        there = np.array([score for scores in drawn for score in scores[cell.category] if not np.isnan(score)])
        if cell.score is not None and there.size:
            cell = replace(cell, chance_pvalue=against_chance(cell.score, there, signed=False).pvalue)
        found.append(cell)
    return tuple(found)


def rotations_for(result: EnumerationResult) -> int:
    """Return how many rotations a share is compared with, at most as many as were requested.

    If k of the cells are significant at rate alpha, a p-value of cells⁻¹·k·alpha still is; 1/(1 + rotations) is half.
    """
    settings, found = result.provenance.settings, max(1, len(result.significant))
    enough = math.ceil(MARGIN * len(result.cells) / (settings["alpha"] * found))
    return int(min(settings["rotations"], max(LEAST_ROTATIONS, enough if result.significant else 0)))


def _drawn_share(
    run: EnumerationRun, grouped: Grouped, words: CategorisedWords, rows: Sequence[NDArray[np.int64]]
) -> tuple[float, FloatArray]:
    """Return the share of significant cells and the scores of all, with the words of `rows`, one array a set, as names.

    They are cleaned and grouped as the names were, to as many words, and are not among the words of the categories.
    """
    every = np.concatenate(rows)
    rest = words.without(frozenset(run.vectors.words[row] for row in every))
    if grouped.ordered_by == "given":
        means = np.array([run.unit(of_group).mean(axis=0, dtype=np.float64) for of_group in rows])
        return run.share_and_scores(means, rest)
    unit, size = run.unit(every), len(grouped.unit)
    if size < len(unit):
        taken = (*grouped.listed, *(run.vectors.words[row] for row in every))
        unit = unit[np.sort(np.argsort(-run.margins(unit, taken), kind="stable")[:size])]
    return run.share_and_scores(run.clustered_means(unit, len(grouped.groups)), rest)

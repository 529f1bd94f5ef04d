"""Residual bias and enumeration, on spaces that know nothing of each other, and shares of a survey."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

import aslant
from aslant.measures.enumeration.result import EnumerationResult
from aslant.measures.enumeration.survey_answers import proportion
from aslant.measures.residuals.result import ResidualNeighbours
from aslant.vectors import WordVectors
from calibrating.null_data import DIMENSIONS, embedding, words
from calibrating.rows import Row, Study, Values

MEASURED = "the space measured has nothing to do with the original, in which biases were taken"


def lumps(random: np.random.Generator, named: list[str]) -> WordVectors:
    """Return words around ten centres, so that words have neighbours in common; the poles are words like others."""
    centres = random.normal(size=(10, DIMENSIONS))
    rows = centres[random.integers(10, size=len(named))] + 0.7 * random.normal(size=(len(named), DIMENSIONS))
    return WordVectors.from_arrays(named, rows, name="null")


def residual(random: np.random.Generator, planted: bool) -> Values:
    """Choose biased words in one space, look for them in another, drawn apart; planted: in the same."""
    candidates, jobs = words("w", 260), words("j", 30)
    every = ["he", "she", *candidates, *jobs]
    original = lumps(random, every)
    measured = original if planted else lumps(random, every)
    found = aslant.residual_bias(
        original, measured, top=25, classified=25, seeds=1, k=10, professions=jobs, within=jobs, specific=["none"],
        picture="none", rng=random,
    )  # fmt: skip
    values = {
        f"residual_bias, {name} against chance": 0.5 if part.accuracy > part.chance.mean else 1.0
        for name, part in (("clustering", found.clustering), ("classification", found.classification))
    }
    for name, near in (("neighbours", found.neighbours), ("neighbours within", found.neighbours_within)):
        values |= _neighbours(name, near)
    return values


def _neighbours(name: str, near: ResidualNeighbours | None) -> dict[str, float]:
    """Return the three p-values; where shares are all the same there is none."""
    if near is None or near.shuffled_pvalue is None:
        return {}
    given = (near.shuffled_pvalue, near.pvalue, near.spearman_pvalue)
    return {f"residual_bias, {name}, {how}": float(p or 0) for how, p in zip(NEIGHBOURS, given, strict=True)}


NEIGHBOURS = {
    "shuffled": "ResidualNeighbours.shuffled_pvalue",
    "Pearson": "ResidualNeighbours.pvalue",
    "Spearman": "ResidualNeighbours.spearman_pvalue",
}


def enumerated(
    random: np.random.Generator, planted: bool, *, kind: str, found: bool, voronoi: bool, precision: float | None
) -> Values:
    """Enumerate groups of words that were drawn apart from the others; `found`: among names, cleaned and clustered."""
    groups, others = [words(letter, 12) for letter in ("Xx", "Yy", "Zz")], words("w", 400)
    every = [word for group in groups for word in group] + others
    vectors = embedding(random, every)
    matrix = np.array(vectors.matrix) - 0.5
    if planted:  # groups and words both come in lumps, which are the same ones
        for place, group in enumerate(groups):
            rows = [vectors.index[word] for word in (*group, *others[place::3])]
            matrix[rows, place] += 3
    matrix[:36] += random.normal(size=matrix.shape[1])  # names have something of their own, in any direction
    result = aslant.enumerate_biases(
        WordVectors.from_arrays(every, matrix, name="null"), names=every[:36] if found else None,
        groups=3 if found else {group[0]: group for group in groups}, categories=6, words=400, rotations=999,
        voronoi=voronoi, precision=precision, chance=0, min_names=1, rng=random, workers=1,
    )  # fmt: skip
    return _cells(random, result, kind, planted)


def _cells(random: np.random.Generator, result: EnumerationResult, kind: str, planted: bool) -> dict[str, float]:
    tested = [cell for cell in result.cells if cell.tested]
    any_found = {f"enumerate_biases, q, {kind}": float(bool(result.significant))}
    if planted:
        tested = sorted(tested, key=lambda cell: cell.pvalue)[:1]
    one = tested[random.integers(len(tested))]
    return any_found | ({} if kind == "stopped early" else {f"enumerate_biases, one cell, {kind}": one.pvalue})


def survey(random: np.random.Generator, planted: bool) -> Values:
    """Draw 30 word sets of which each agrees by a known chance."""
    chance = 0.9 if planted else float(random.uniform(0.1, 0.9))
    got = proportion([bool(hit) for hit in random.random(30) < chance], 0.95)
    assert got is not None
    truth = 0.5 if planted else chance
    return {"score_survey, share of word sets": float(not got.low <= truth <= got.high)}


def _chance(name: str) -> Row:
    return Row(
        f"residual_bias, {name} against chance",
        (f"Residual{name.title()}.chance",),
        MEASURED + "; more accurate than shuffled labels in at most half of the runs",
        levels=(0.5,),
    )


def _near(name: str, how: str, field: str) -> Row:
    off = COMMON if name.endswith("within") and how != "shuffled" else ""
    return Row(
        f"residual_bias, {name}, {how}", (field,), MEASURED, limit=0.08, uniform=how == "shuffled", off=off
    )  # fmt: skip


COMMON = (
    "words are taken for independent, but a word is among its neighbours' neighbours and never among its own; "
    "`shuffled_pvalue` is the p of every table, this one stands in rows and CSV as parametric_pvalue"
)
ROTATED = "the names lie in any direction against the words"
NO_DISCOVERY = ROTATED + "; one at q ≤ .05 in at most 5 % of runs"


def _enumeration(
    kind: str, full: int, *, found: bool = False, voronoi: bool = True, precision: float | None = None
) -> Study:
    rows: list[Row] = [Row(f"enumerate_biases, q, {kind}", ("EnumeratedCell.qvalue",), NO_DISCOVERY, "rate")]
    if not precision:
        rows.insert(0, Row(f"enumerate_biases, one cell, {kind}", ("EnumeratedCell.pvalue",), ROTATED))
    repeat = partial(enumerated, kind=kind, found=found, voronoi=voronoi, precision=precision)
    return Study("enumeration", repeat, tuple(rows), full // 20, full, 20)


STUDIES: tuple[Any, ...] = (
    Study("residual", residual, (
        _chance("clustering"), _chance("classification"),
        *(
            _near(name, how, field)
            for name in ("neighbours", "neighbours within") for how, field in NEIGHBOURS.items()
        ),
    ), 20, 200, 20),
    _enumeration("own groups", 250),
    _enumeration("names found", 250, found=True),
    _enumeration("a word in several groups", 250, voronoi=False),
    _enumeration("stopped early", 200, precision=0.001),
    Study("survey", survey, (
        Row(
            "score_survey, share of word sets", ("Proportion.low", "Proportion.high"),
            "the chance that a word set agrees", "miss",
        ),
    ), 200, 2000),
)  # fmt: skip

"""Chance of an enumeration: random words in place of the names, treated as the names are."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import aslant
from aslant.measures.enumeration.chance import rotations_for
from aslant.measures.enumeration.steps import choose_cells, cluster, margins
from aslant.measures.shared.chance import matched_words
from aslant.results.parts import WordsUsed
from aslant.statistics import RotationPlan, RotationProblem, benjamini_hochberg, count_reached
from aslant.vectors import WordVectors
from planted_names import NAMES, SETTINGS, planted_vectors


def lettered(number: int) -> str:
    """A word of letters only, so that it may be drawn."""
    return "".join("abcdefghij"[int(digit)] for digit in f"{number:04d}")


@pytest.fixture(scope="module")
def worded() -> WordVectors:
    """600 words in lumps, and 60 names of their own kind among them: random words have more to do with words."""
    rng = np.random.default_rng(0)
    lumps, names = np.repeat(rng.standard_normal((6, 12)), 100, axis=0), rng.standard_normal(12)
    matrix = np.concatenate([lumps + 0.6 * rng.standard_normal((600, 12)), names + 0.6 * rng.standard_normal((60, 12))])
    order = rng.permutation(660)
    words = [f"w{lettered(n)}" if n < 600 else f"n{lettered(n)}" for n in range(660)]
    return WordVectors.from_arrays([words[n] for n in order], matrix[order])


def of_names(vectors: WordVectors) -> list[str]:
    return [word for word in vectors.words if word.startswith("n")]


DRAWN: dict[str, Any] = {"groups": 4, "categories": 5, "rotations": 300, "chance": 3, "rng": 1}


def test_random_words_are_cleaned_grouped_and_tested_as_the_names_are(worded: WordVectors) -> None:
    """Each draw again with loops: the words drawn, cleaned to as many, grouped, and no longer among the words."""
    found = aslant.enumerate_biases(worded, of_names(worded), **DRAWN)
    assert found.chance is not None
    kept = sum(group.size for group in found.groups)
    drawing, _, *seeds = np.random.SeedSequence(1).spawn(5)
    [rows] = matched_words(
        worded, [WordsUsed("n", (), tuple(of_names(worded)), ())], (), 3, np.random.default_rng(drawing)
    )
    unit = worded.matrix / np.linalg.norm(worded.matrix, axis=1, keepdims=True)
    shares, of_groups = [], []
    for drawn, seed in zip(rows, seeds, strict=True):
        states = [int(state) for state in seed.generate_state(5, np.uint64)]
        tokens = {worded.words[row] for row in drawn}
        assert not any(token.startswith("n") for token in tokens)
        others = [n for n, w in enumerate(worded.words) if w not in tokens and not w.startswith("n")]
        contrast = np.sort(np.random.default_rng(states[0]).choice(others, 60, replace=False))
        margin = margins(unit[drawn], unit[contrast], states[1], dual=False)
        best = np.sort(np.argsort(-margin)[:kept])
        labels = cluster(unit[drawn][best].astype(np.float32), 4, states[2], 1)
        means = np.array([unit[drawn][best][labels == group].mean(axis=0) for group in range(4)])
        listed = [[w for w in category.words if w not in tokens] for category in found.categories]
        of_words = unit[[worded.index[w] for some in listed for w in some]].astype(np.float32)
        starts = np.cumsum([0, *map(len, listed)])
        scores = choose_cells(of_words, starts, means, 3).scores
        of_groups.append(scores)
        plan = RotationPlan(300, states[4])
        reached = count_reached(RotationProblem(of_words, starts, means, scores, 3), plan).reached
        pvalues = np.where(np.isnan(scores), 1.0, (1 + reached) / 301)
        tested = ~np.isnan(scores)
        shares.append(float((benjamini_hochberg(pvalues.ravel()).reshape(scores.shape)[tested] <= 0.05).mean()))
    assert found.chance.mean == pytest.approx(np.mean(shares))
    assert found.chance.pvalue == (1 + sum(share >= found.share for share in shares)) / 4
    for cell in found.cells:  # 12 random groups, of which those with a test in the category count
        scores_there = [s for scores in of_groups for s in scores[cell.category] if not np.isnan(s)]
        reached = (1 + sum(s >= (cell.score or 0) for s in scores_there)) / (1 + len(scores_there))
        assert cell.chance_pvalue == (None if cell.score is None or not scores_there else pytest.approx(reached))
    assert any(cell.chance_pvalue for cell in found.cells)
    assert "chance_pvalue" in found.rows()[0]
    assert (found.chance.draws, found.chance_rotations, found.chance_share) == (3, 300, found.share)


def test_names_of_which_nothing_is_special_are_not_beyond_random_words(worded: WordVectors) -> None:
    """Words in lumps give most cells a small p-value; that does not make the count evidence."""
    some = [word for word in worded.words if word.startswith("w")][::10]
    found = aslant.enumerate_biases(worded, some, **DRAWN)
    assert found.share is not None
    assert found.share > 0.2
    assert found.chance is not None
    assert found.chance.pvalue > 0.05


def test_chance_changes_nothing_else_and_does_not_depend_on_workers(worded: WordVectors) -> None:
    names = of_names(worded)
    none, one, two = (
        aslant.enumerate_biases(worded, names, **{**DRAWN, "chance": draws}, workers=workers)
        for draws, workers in ((0, 1), (3, 1), (3, 2))
    )
    assert one.to_json() == two.to_json()
    assert (none.chance, none.spread) == (None, None)
    assert none.cells == tuple(replace(cell, chance_pvalue=None) for cell in one.cells)
    assert one.spread is not None
    assert one.spread.n == 3
    assert one.spread.minimum <= one.chance_share <= one.spread.maximum


def test_groups_of_ones_own_are_compared_with_random_groups_of_the_same_sizes(worded: WordVectors) -> None:
    own = {"a": of_names(worded)[:20], "b": of_names(worded)[20:50]}
    found = aslant.enumerate_biases(worded, groups=own, **{k: v for k, v in DRAWN.items() if k != "groups"})
    assert found.chance is not None
    assert found.spread is None


def test_a_vocabulary_without_other_words_has_no_chance_level_and_says_so() -> None:
    found = aslant.enumerate_biases(
        planted_vectors(), NAMES, **{**SETTINGS, "rotations": 20, "chance": 2}
    )  # words with digits
    assert found.chance is None
    assert "could not be drawn: the vocabulary has too few" in aslant.report.render(found, ".md")


def test_shares_are_compared_at_rotations_enough_for_what_was_found(worded: WordVectors) -> None:
    found = aslant.enumerate_biases(worded, of_names(worded), **{**DRAWN, "chance": 0})
    settings = {**found.provenance.settings, "rotations": 10_000}
    many = replace(found, provenance=replace(found.provenance, settings=settings))
    assert rotations_for(found) == 300  # as many as there were
    assert rotations_for(many) == 500
    one = replace(many, cells=tuple(replace(cell, significant=n == 0) for n, cell in enumerate(many.cells)))
    assert rotations_for(one) == 2 * 20 / 0.05
    assert rotations_for(replace(many, cells=tuple(replace(c, significant=False) for c in many.cells))) == 500

"""What random poles leave: against slow versions; found where something is planted, graded nowhere else."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import aslant
from aslant.auditing.running import glances
from aslant.measures.residuals.chance import (
    Poles,
    directions_of,
    in_two_steps,
    random_accuracies,
    random_correlations,
    random_poles,
)
from aslant.measures.residuals.measure import hard_debiased, select
from aslant.measures.residuals.result import ResidualBiasResult
from aslant.measures.residuals.separation import classification_accuracy
from aslant.report.assembly import table_of
from aslant.statistics import generator, shares_without, unit_rows
from geometry_vectors import letters, planted

PROFESSIONS = [letters(i) for i in range(0, 400, 3)]
OPTIONS: dict[str, Any] = {
    "seeds": 1,
    "professions": PROFESSIONS,
    "within": None,
    "picture": "none",
    "top": 80,
    "k": 30,
}


def hidden(strength: float, seed: int = 0) -> aslant.WordVectors:
    """Words of which half have a side that shows along three dimensions; he and she differ along the first only.

    Words of the frequency of the poles have none, so that random poles do not differ in it.
    """
    random = np.random.default_rng(seed)
    matrix = random.normal(size=(1200, 20))
    matrix[:590, :3] += strength * random.choice([-1.0, 1.0], 590)[:, None]
    matrix[[900, 901]] = 0.3 * random.normal(size=20)
    matrix[[900, 901], 0] = 3, -3
    names = [*map(letters, range(900)), "he", "she", *map(letters, range(900, 1198))]
    return aslant.WordVectors.from_arrays(names, matrix, name="hidden")


def shuffled(v: aslant.WordVectors, seed: int) -> aslant.WordVectors:
    return aslant.WordVectors.from_arrays(v.words, np.random.default_rng(seed).permutation(v.matrix), name="shuffled")


def run(v: aslant.WordVectors, measured: aslant.WordVectors | None = None, **options: Any) -> ResidualBiasResult:
    return aslant.residual_bias(v, measured, **{**OPTIONS, **options})


@settings(deadline=None, max_examples=20)
@given(st.integers(0, 10_000))
def test_neighbours_without_a_direction_are_those_of_the_space_without_it(seed: int) -> None:
    random = np.random.default_rng(seed)
    pool, directions = (unit_rows(random.normal(size=(n, 5))).astype(np.float32) for n in (70, 3))
    own, left_out = np.array([0, 4, -1]), np.array([[1, -1], [-1, -1], [5, 6]])
    queries = np.vstack([pool[[0, 4]], pool[[9]] + pool[[8]]])
    queries /= np.linalg.norm(queries, axis=1, keepdims=True)
    found = shares_without(queries, pool, directions, 6, own, left_out)
    for i, g in enumerate(directions.astype(float)):
        rows, asked = (unit_rows(x - np.outer(x @ g, g)) for x in (pool.astype(float), queries.astype(float)))
        for j, query in enumerate(asked):
            order = [p for p in np.argsort(-(rows @ query)) if p not in (own[j], *left_out[i])][:6]
            assert found[i, j] == pytest.approx(np.mean(pool[order] @ g > 0))


def test_without_another_embedding_the_poles_are_debiased_hard() -> None:
    v = planted(2.0)
    pair = [("he", "she")]
    mine, given_one = run(v, chance=0), run(v, aslant.hard_debias(v, pairs=pair, equalise=pair))
    assert mine.words == given_one.words
    assert mine.clustering.accuracy == given_one.clustering.accuracy
    assert mine.neighbours.correlation == pytest.approx(given_one.neighbours.correlation, abs=1e-3)
    assert mine.provenance.representation.name == "planted (hard debiasing)"
    assert "he, she" in mine.provenance.representation.note
    assert (mine.clustering.random_poles, given_one.clustering.random_poles) == (None, None)


def test_for_each_draw_words_are_chosen_debiased_and_measured_as_for_the_poles() -> None:
    v = hidden(1.0)
    chosen = select(v, v, ("he", "she"), "gender-specific-words")
    rows = random_poles(v, chosen.found, (), 4, generator(1))
    assert rows is not None
    directions, pool = directions_of(v, rows), unit_rows(v.matrix[chosen.rows]).astype(np.float32)
    places = {row: place for place, row in enumerate(chosen.rows.tolist())}
    left_out = np.array([[places[row] for row in pair] for pair in rows.tolist()])
    asked = np.array([v.index[word] for word in PROFESSIONS])
    own = np.array([places[row] for row in asked.tolist()])
    accuracies = random_accuracies(pool, directions, left_out, 80, generator(2).spawn(4))
    correlations = random_correlations(pool[own], pool, directions, own, left_out, 30)
    learnt = random_accuracies(
        pool, directions, left_out, 110, generator(2).spawn(4), lambda x, y, own: classification_accuracy(x, y, 44, own)
    )
    inside = run(v, chance=0, within=PROFESSIONS[:90]).neighbours_within
    assert inside is not None
    within = Poles(v, rows).near(inside, asked[:90]).random_poles
    assert within is not None
    slow_within: list[float] = []
    for pair, accuracy, classified, correlation in zip(rows.tolist(), accuracies, learnt, correlations, strict=True):
        poles = (v.words[pair[0]], v.words[pair[1]])
        # he and she are never candidates; here they are left out by hand
        debiased = hard_debiased(v, poles, PROFESSIONS, None)
        slow = run(v, debiased, poles=poles, specific=["he", "she"], within=PROFESSIONS[:90], classified=110, seeds=5)
        assert slow.neighbours_within is not None
        slow_within.append(slow.neighbours_within.correlation or 0.0)
        assert slow.classification.accuracy == pytest.approx(classified, abs=0.12)
        assert slow.clustering.accuracy == pytest.approx(accuracy, abs=0.03)
        assert slow.neighbours.correlation == pytest.approx(correlation, abs=0.01)
    assert np.mean(slow_within) == pytest.approx(within.mean, abs=0.01)


@pytest.mark.parametrize("gamma", ["scale", "auto", 0.1])
def test_the_classifier_is_that_of_scikit_learn(gamma: Any) -> None:
    from sklearn.svm import SVC

    random = np.random.default_rng(3)
    rows, labels = random.normal(size=(400, 12)), np.repeat([True, False], 200)
    rows[:200, :2] += 0.8
    same = generator(5)
    sides = [same.permutation(np.flatnonzero(labels == side)) for side in (True, False)]
    train, test = (np.concatenate([side[part] for side in sides]) for part in (slice(40), slice(40, None)))
    machine = SVC(C=1.0, kernel="rbf", gamma=gamma).fit(rows[train], labels[train])
    expected = np.mean(machine.predict(rows[test]) == labels[test])
    assert classification_accuracy(rows, labels, 80, generator(5), gamma) == pytest.approx(expected, abs=1e-12)
    assert 0.6 < expected < 0.95


def test_what_is_hidden_is_found_and_shuffled_words_are_like_random_poles() -> None:
    v = hidden(1.5, seed=1)
    r = run(v, chance=99)
    assert r.clustering.random_poles is not None
    assert r.neighbours.random_poles is not None
    assert r.clustering.random_poles.pvalue <= 0.02
    assert r.neighbours.random_poles.pvalue <= 0.02
    assert [line.evidence for line in glances("residual", [r])] == ["strong", "strong", "strong"]
    found = [run(shuffled(v, seed), chance=39) for seed in range(2)]
    lines = [line for one in found for line in glances("residual", [one])]
    assert sum(line.evidence in ("some", "strong") for line in lines) <= 1
    assert all(line.chance is not None for line in lines)


def test_more_than_99_random_poles_are_drawn_only_where_few_of_them_leave_as_much() -> None:
    """A planted effect gets all draws; the first 99 are the same ones."""
    draws = np.random.default_rng(0).normal(size=499)
    for observed in (0.0, 1.2, 1.4, 9.0):
        found = in_two_steps(observed, lambda part: draws[part], 499)
        reached = [np.sum(draws[:n] >= observed) for n in (99, 499)]
        assert (found.draws, found.pvalue) == (
            (99, (1 + reached[0]) / 100) if reached[0] >= 10 else (499, (1 + reached[1]) / 500)
        )
    assert [in_two_steps(x, lambda part: draws[part], 499).draws for x in (0.0, 9.0)] == [99, 499]
    v = hidden(1.0)
    few, more = (random_poles(v, select(v, v, ("he", "she"), []).found, (), n, generator(1)) for n in (99, 120))
    assert few is not None
    assert more is not None
    assert (more[:99] == few).all()
    assert more.shape == (120, 2)


def test_a_space_against_itself_and_a_foreign_debiasing_are_not_graded_and_the_sentence_says_why() -> None:
    v = planted(3.0)
    for measured, why in (
        (v, "separated by it by construction"),
        (aslant.project_out(v, pairs=[("he", "she")]), "Not"),
    ):
        r = run(v, measured)
        lines = glances("residual", [r])
        assert {(line.pvalue, line.evidence) for line in lines} == {(None, "not tested")}
        assert all(why in line.sentence for line in lines)
        assert why.lower() in " ".join(table_of(r).notes).lower()


def test_the_table_shows_random_poles_where_there_are_any() -> None:
    v = planted(1.0)
    r = run(v, chance=19)
    table = table_of(r)
    assert [c.title for c in table.columns][3:5] == ["random poles", "p (poles)"]
    assert "19 pairs of random words" in " ".join(table.notes)
    assert "0.050 at least" in " ".join(table.notes)
    by_name = {row["test"]: row for row in r.rows()}
    assert r.clustering.random_poles is not None
    assert by_name["clustering accuracy"]["poles_pvalue"] == r.clustering.random_poles.pvalue
    assert r.classification.random_poles is not None
    assert by_name["classification accuracy"]["poles_pvalue"] == r.classification.random_poles.pvalue
    assert "p (poles)" not in [c.title for c in table_of(run(v, v)).columns]


def test_random_poles_change_nothing_else_and_a_seed_gives_one_result() -> None:
    v = hidden(0.5)
    with_poles, without = run(v, chance=9, rng=3), run(v, chance=0, rng=3)
    assert with_poles == run(v, chance=9, rng=3)
    assert replace(with_poles.classification, random_poles=None) == without.classification
    assert with_poles.clustering.accuracy == without.clustering.accuracy
    assert with_poles.neighbours.shuffled_pvalue == without.neighbours.shuffled_pvalue


def test_neighbours_that_are_the_same_for_all_correlate_with_nothing() -> None:
    pool = unit_rows(np.random.default_rng(0).normal(size=(6, 3))).astype(np.float32)
    nobody = np.full(6, -1)
    found = random_correlations(pool, pool, pool[:2], nobody, np.full((2, 1), -1), 6)
    assert found.tolist() == [0.0, 0.0]

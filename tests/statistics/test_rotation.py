"""The rotational null is that of full random rotations, counts like the literal version, and is calibrated."""

from __future__ import annotations

import dataclasses
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats

import literal_enumeration as literal
from aslant.io.journal import Journal
from aslant.measures.enumeration.steps import choose_cells
from aslant.statistics import RotationCounts, RotationPlan, RotationProblem, count_reached, turned_means
from aslant.statistics import rotation as rotation_module
from aslant.statistics.rotation import block_size, turned_block
from aslant.statistics.rotation_kernel import best_of_cells


def unit(array: Any) -> Any:
    return array / np.linalg.norm(array, axis=-1, keepdims=True)


def example(
    seed: int, words: int = 300, m: int = 4, n: int = 3, d: int = 10, t: int = 3, voronoi: bool = True
) -> RotationProblem:
    """Clustered words and names that share no direction but by chance."""
    rng = np.random.default_rng(seed)
    labels = np.sort(rng.integers(0, m, words))
    labels[:m] = np.arange(m)
    labels = np.sort(labels)
    vectors = unit(unit(rng.standard_normal((m, d)))[labels] + 0.5 * rng.standard_normal((words, d)))
    means = unit(rng.standard_normal(d)) + 0.4 * rng.standard_normal((n, d))
    starts = np.concatenate([[0], np.cumsum(np.bincount(labels, minlength=m))])
    vectors = vectors.astype(np.float32)
    scores = choose_cells(vectors, starts, means, t, voronoi=voronoi).scores
    return RotationProblem(vectors, starts, means, scores, t, voronoi)


def labels_of(problem: RotationProblem) -> Any:
    return np.repeat(np.arange(problem.categories), np.diff(problem.starts))


def blocks(problem: RotationProblem, plan: RotationPlan) -> list[Any]:
    size = block_size(len(problem.means), problem.categories, problem.per_cell)
    count = -(-plan.rotations // size)
    return [frame for number in range(count) for frame in turned_block(problem.means, plan, size, number)]


@pytest.mark.parametrize("voronoi", [True, False])
@pytest.mark.parametrize(
    ("m", "n", "d", "t"), [(4, 3, 10, 3), (1, 2, 2, 1), (7, 12, 25, 5), (3, 6, 4, 2), (20, 5, 8, 3)]
)
def test_counts_are_those_of_the_literal_version_on_the_same_frames(
    m: int, n: int, d: int, t: int, voronoi: bool
) -> None:
    problem = example(m * n, words=400, m=m, n=n, d=d, t=t, voronoi=voronoi)
    plan = RotationPlan(rotations=150, seed=5)
    counted = count_reached(problem, plan)
    words = problem.words.astype(np.float64)
    frames = blocks(problem, plan)
    expected = literal.count_reached(words, labels_of(problem), problem.means, t, frames, voronoi=voronoi)
    assert sum(~np.isnan(problem.observed.ravel())) == len(expected)
    assert {cell: int(counted.reached[cell]) for cell in expected} == expected


@pytest.mark.parametrize("voronoi", [True, False])
def test_best_scores_are_those_of_a_sort_in_every_cell(voronoi: bool) -> None:
    problem = example(1, words=1500, m=3, n=4, t=5)
    frames = turned_means(problem.means, 6, np.random.default_rng(0)).astype(np.float32)
    labels = labels_of(problem)
    best = best_of_cells(frames, problem.words, labels.astype(np.int32), 3, 5, voronoi=voronoi)
    for r, j, i in np.ndindex(6, 3, 4):
        products = problem.words @ frames[r].T
        cell = (labels == j) & ((products.argmax(axis=1) == i) | (not voronoi))
        values = np.sort((products[:, i] - products.mean(axis=1))[cell])[::-1][:5]
        np.testing.assert_allclose(best[r, j, i][::-1][: len(values)], values, atol=1e-5)
        assert np.isneginf(best[r, j, i]).sum() == 5 - len(values)


def test_frames_have_the_distribution_of_full_random_rotations() -> None:
    d, draws = 6, 4000
    means = np.random.default_rng(0).standard_normal((3, d))
    probe = np.random.default_rng(1).standard_normal((5, d))
    ours = turned_means(means, draws, np.random.default_rng(2))
    theirs = means @ np.swapaxes(stats.ortho_group.rvs(d, size=draws, random_state=3), 1, 2)
    for function in (
        lambda x: x[:, 0, 0],
        lambda x: (x @ probe.T)[:, 1, 2],
        lambda x: (x @ probe.T).max(axis=(1, 2)),
        lambda x: (x @ probe.T).argmax(axis=1).sum(axis=1) + (x @ probe.T)[:, 0, 0],
        lambda x: (x[:, 0] * x[:, 1] ** 2).sum(axis=1),
    ):
        assert stats.ks_2samp(function(ours), function(theirs)).pvalue > 0.001
    wrong = np.random.default_rng(4).standard_normal(ours.shape)  # the test would notice another distribution
    assert stats.ks_2samp((ours @ probe.T).max(axis=(1, 2)), (wrong @ probe.T).max(axis=(1, 2))).pvalue < 1e-4


@pytest.mark.parametrize(("n", "d"), [(1, 2), (2, 2), (2, 3)])
def test_turned_means_favour_no_side(n: int, d: int) -> None:
    turned = turned_means(np.eye(n, d), 5000, np.random.default_rng(0))
    assert np.abs(turned.mean(axis=0)).max() < 0.04


@pytest.mark.parametrize(("n", "d"), [(3, 10), (5, 5), (7, 4)])
def test_turned_means_keep_their_gram_matrix(n: int, d: int) -> None:
    means = np.random.default_rng(n).standard_normal((n, d))
    for turned in turned_means(means, 20, np.random.default_rng(0)):
        np.testing.assert_allclose(turned @ turned.T, means @ means.T, atol=1e-10)


def test_pvalues_are_calibrated_when_words_are_turned_at_random() -> None:
    """Under the null p is super-uniform, and any discovery at 5 % is had in about 5 % of the runs or fewer."""
    runs, rotations = 400, 99
    first_cells, any_found = [], 0
    for seed in range(runs):
        problem = example(10_000 + seed, words=60, m=3, n=2, d=5, t=2)
        counted = count_reached(problem, RotationPlan(rotations=rotations, seed=seed, workers=1))
        pvalues = np.where(np.isnan(problem.observed), 1.0, counted.pvalues(rotations))
        first_cells.append(pvalues[0, 0])
        any_found += (stats.false_discovery_control(pvalues.ravel()) <= 0.05).any()
    for level in (0.01, 0.05, 0.1, 0.25, 0.5, 0.75):
        share = np.mean(np.array(first_cells) <= level)
        assert share <= level + 3 * np.sqrt(level * (1 - level) / runs)
    assert np.mean(np.array(first_cells) <= 0.5) > 0.33  # not conservative beyond the cells that have no test
    assert any_found / runs <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / runs)


@pytest.mark.parametrize("risk", [0.0, 0.01])
def test_counts_do_not_depend_on_the_number_of_workers(risk: float) -> None:
    problem = example(3)
    runs = [count_reached(problem, RotationPlan(700, 1, risk=risk, workers=w)) for w in (1, 2, 3)]
    for other in runs[1:]:
        for name, value in vars(runs[0]).items():
            np.testing.assert_array_equal(value, getattr(other, name))


def planted(seed: int) -> RotationProblem:
    """A problem in which some cells are far from chance, some near the border, and most are nothing."""
    problem = example(seed, words=600, m=8, n=3, d=10)
    words = problem.words.copy()
    for category, strength in ((0, 3.0), (1, 2.0), (2, 0.8)):
        rows = np.arange(problem.starts[category], problem.starts[category] + 6)
        words[rows] = unit(words[rows] + strength * (problem.means[0] - problem.means.mean(axis=0)))
    scores = choose_cells(words, problem.starts, problem.means, 3).scores
    return RotationProblem(words, problem.starts, problem.means, scores, 3)


def test_stopping_early_changes_no_verdict_and_saves_work() -> None:
    saved, significant = [], 0
    for seed in range(12):
        problem = planted(seed)
        full = count_reached(problem, RotationPlan(3000, seed))
        early = count_reached(problem, RotationPlan(3000, seed, risk=0.001))
        verdicts = []
        for counted in (full, early):
            pvalues = np.where(np.isnan(problem.observed), 1.0, counted.pvalues(3000))
            verdicts.append(stats.false_discovery_control(pvalues.ravel()) <= 0.05)
        np.testing.assert_array_equal(*verdicts)
        significant += verdicts[0].sum()
        saved.append(1 - early.work / full.work)
    assert significant > 12  # verdicts of both kinds were compared
    assert np.mean(saved) > 0.3


@pytest.mark.parametrize("risk", [0.0, 0.01])
def test_an_interrupted_run_resumes_and_ends_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, risk: float
) -> None:
    monkeypatch.setattr(rotation_module, "SECONDS_BETWEEN_KEEPING", 0.0)
    problem, plan = planted(1), RotationPlan(1500, 1, risk=risk, workers=2)
    whole = count_reached(problem, plan)
    journal, seen = Journal(tmp_path), []
    for stop in (1, 3, 4, 9):

        def interrupt(done: int, total: int, stop: int = stop) -> None:
            seen.append(done)
            if done >= stop * 128:
                raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            count_reached(problem, plan, journal=journal, progress=interrupt)
    resumed = count_reached(problem, plan, journal=journal, progress=lambda done, total: seen.append(done))
    assert seen == sorted(set(seen))  # no block was drawn twice
    for name, value in vars(whole).items():
        np.testing.assert_array_equal(value, getattr(resumed, name))


def test_a_journal_of_another_problem_or_plan_is_not_used(tmp_path: Path) -> None:
    journal, one = Journal(tmp_path), example(1)
    count_reached(one, RotationPlan(200, 1), journal=journal)
    freely = dataclasses.replace(one, voronoi=False)
    for problem, plan in (
        (example(2), RotationPlan(200, 1)),
        (one, RotationPlan(200, 2)),
        (freely, RotationPlan(200, 1)),
    ):
        expected = count_reached(problem, plan)
        np.testing.assert_array_equal(count_reached(problem, plan, journal=journal).reached, expected.reached)


@pytest.mark.parametrize("damage", ["truncated", "a plain array", "a block"])
def test_a_damaged_journal_counts_as_absent(tmp_path: Path, damage: str) -> None:
    problem, plan, journal = example(1), RotationPlan(200, 1), Journal(tmp_path)
    expected = count_reached(problem, plan, journal=journal)
    (file,) = tmp_path.iterdir()
    if damage == "a plain array":
        with file.open("wb") as out:
            np.save(out, np.arange(3))
    elif damage == "truncated":
        file.write_bytes(file.read_bytes()[:200])
    else:
        with closing(sqlite3.connect(file)) as connection, connection:
            connection.execute("UPDATE blocks SET digest = '' WHERE key LIKE '%/low'")
    seen: list[int] = []
    again = count_reached(problem, plan, journal=journal, progress=lambda done, total: seen.append(done))
    assert seen  # it was computed anew
    np.testing.assert_array_equal(again.reached, expected.reached)


def test_a_finished_run_is_recalled_whole(tmp_path: Path) -> None:
    problem, plan, journal = example(1), RotationPlan(200, 1), Journal(tmp_path)
    expected = count_reached(problem, plan, journal=journal)
    seen: list[int] = []
    again = count_reached(problem, plan, journal=journal, progress=lambda done, total: seen.append(done))
    assert not seen
    np.testing.assert_array_equal(again.reached, expected.reached)


def test_pvalues_of_stopped_cells_stay_within_their_bounds() -> None:
    counted = count_reached(planted(2), RotationPlan(3000, 2, risk=0.001))
    stopped = counted.drawn < 3000
    assert stopped.any()
    pvalues = counted.pvalues(3000)
    assert (pvalues >= (1 + counted.low) / 3001)[stopped].all()
    assert (pvalues <= (1 + counted.high) / 3001)[stopped].all()
    outside = RotationCounts(np.array([[50]]), np.array([100]), np.array([[0]]), np.array([[10]]), np.array([[True]]))
    assert outside.pvalues(1000)[0, 0] == 11 / 1001  # what bounds the full run holds against an estimate
    outside.low[:], outside.high[:] = 600, 700
    assert outside.pvalues(1000)[0, 0] == 601 / 1001
    outside.low[:], outside.high[:] = 400, 600
    assert outside.pvalues(1000)[0, 0] == outside.pvalues(100)[0, 0] == 51 / 101
    outside.low[:] = 600
    assert outside.pvalues(100)[0, 0] == 51 / 101  # nothing bounds a run that is complete

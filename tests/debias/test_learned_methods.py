"""Double-hard debiasing and null-space projection: what they choose, and what is left for a classifier."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

import aslant
from aslant.debias.hard import candidate_accuracies
from aslant.debias.learned import nullspace
from aslant.debias.words import leaning
from aslant.errors import DebiasError
from aslant.statistics import clustering_accuracy, generator, principal_axes, two_clusters
from planted import PAIRS, SPECIFIC, Planted


def svm_accuracy(X: np.ndarray, y: np.ndarray) -> float:
    from sklearn.model_selection import cross_val_score
    from sklearn.svm import LinearSVC

    return float(cross_val_score(LinearSVC(dual=False), X, y, cv=4).mean())


def test_after_the_null_space_projection_a_linear_classifier_guesses(planted: Planted) -> None:
    X, y = planted.vectors.matrix[len(SPECIFIC) :].astype(float), planted.labels
    basis, accuracies = nullspace(X, y, 20, generator(0))
    assert np.allclose(basis @ basis.T, np.eye(len(basis)))
    left = X - X @ basis.T @ basis
    assert svm_accuracy(X, y) > 0.95
    assert svm_accuracy(left, y) < 0.56
    assert np.linalg.norm(basis @ planted.direction) > 0.98
    assert accuracies[0] > 0.95
    assert accuracies[-1] < 0.56


def test_the_null_space_of_several_classes_takes_a_direction_for_each() -> None:
    random = np.random.default_rng(1)
    y = np.repeat([0, 1, 2], 800)
    X = random.normal(size=(2400, 30)) + 3 * np.eye(30)[:3][y]
    assert len(nullspace(X, y, 1, generator(1))[0]) == 3
    basis, _ = nullspace(X, y, 8, generator(1))
    assert len(basis) % 3 == 0
    assert svm_accuracy(X, y) > 0.95
    assert svm_accuracy(X - X @ basis.T @ basis, y) < 0.4


def test_the_null_space_never_takes_all_dimensions() -> None:
    random = np.random.default_rng(2)
    X = random.normal(size=(80, 3)) + np.repeat([[-4.0], [4.0]], 40, axis=0)
    y = np.repeat([0, 1], 40)
    X = np.concatenate([X, np.where(y == 1, 1.0, -1.0)[:, None] * 5 + random.normal(size=(80, 1))], axis=1)
    assert len(nullspace(X, y, 50, random)[0]) < 4


def test_every_word_is_projected_and_the_number_of_directions_recorded(planted: Planted) -> None:
    w = aslant.nullspace_debias(planted.vectors, specific=SPECIFIC, words=500)
    settings = w.treatments[0].settings
    rank = np.linalg.matrix_rank(w.matrix.astype(float), tol=1e-3)
    assert rank == planted.vectors.dimensions - settings["removed"] < 30
    assert (settings["words_per_side"], settings["trained_on"]) == (500, 1000)


def test_classes_too_small_to_hold_words_out_are_refused(planted: Planted) -> None:
    words = planted.vectors.words
    with pytest.raises(DebiasError, match="the smallest class has 3 words"):
        aslant.nullspace_debias(planted.vectors, classes={"a": words[10:13], "b": words[700:720]})
    assert aslant.nullspace_debias(planted.vectors, classes={"a": words[10:14], "b": words[700:704]}).treatments


@pytest.mark.parametrize("iterations", [0, 2.5, True])
def test_a_number_of_iterations_that_is_none_is_refused(planted: Planted, iterations: int) -> None:
    with pytest.raises(DebiasError, match="is not a number of classifiers"):
        aslant.nullspace_debias(planted.vectors, iterations=iterations)


def test_the_words_that_lean_most_are_those_that_a_sort_finds() -> None:
    v = aslant.load(top=5000)
    labelled = leaning(v, ("she", "he"), 50, ["her", "his"])
    she, he = (row / np.linalg.norm(row) for row in v.lookup(["she", "he"]).vectors.astype(float))
    scores = {}
    for word, row in zip(v.words, v.matrix.astype(float), strict=True):
        plain = word.replace("_", "").isalpha() and word == word.lower() and len(word) < 20
        if plain and word not in ("she", "he", "her", "his"):
            row /= np.linalg.norm(row)
            scores[word] = row @ she - row @ he
    ranked = sorted(scores, key=lambda word: -scores[word])
    chosen = [v.words[row] for row in labelled.rows]
    assert set(chosen[:50]) == set(ranked[:50])
    assert set(chosen[50:]) == set(ranked[-50:])


def test_double_hard_removes_the_direction_after_which_clusters_fail() -> None:
    """A direction of large variance (the paper: frequency) is correlated with the bias; removing it must be chosen."""
    random = np.random.default_rng(11)
    labels = np.repeat([0, 1], 500)
    leak, gender, noise = np.eye(12)[:3]
    words = random.normal(size=(1000, 12)) + np.where(labels == 1, 1.5, -1.5)[:, None] * gender
    words += 2 * random.normal(size=(1000, 1)) * noise  # large, and tells nothing
    words += np.where(labels == 1, 4.0, -4.0)[:, None] * leak
    pairs = [base + side * gender for base, side in itertools.product(random.normal(size=(4, 12)), (-4, 4))]
    matrix = np.concatenate([pairs, words])
    rows = [np.array([i, i + 1]) for i in range(0, 8, 2)]
    mean, axes = principal_axes(matrix, 3)
    accuracies = candidate_accuracies(matrix, mean, axes, np.arange(8, 1008), rows, 0)
    best = int(np.argmin(accuracies))
    assert abs(axes[best] @ leak) > 0.9
    assert accuracies[best] < 0.7
    assert max(accuracies) > 0.95


def test_double_hard_records_its_choice_and_keeps_the_promises_of_hard_debiasing() -> None:
    v = aslant.load(top=20_000)
    w = aslant.double_hard_debias(v, candidates=4)
    settings = w.treatments[0].settings
    assert len(settings["accuracies"]) == 4
    assert settings["removed"] == int(np.argmin(settings["accuracies"])) + 1
    she, he, nurse, engineer = w.lookup(["she", "he", "nurse", "engineer"]).vectors.astype(float)
    assert abs(nurse @ she - nurse @ he) < 1e-6
    assert abs(engineer @ she - engineer @ he) < 1e-6
    assert np.abs(np.linalg.norm(w.matrix, axis=1) - 1).max() < 1e-6


def test_double_hard_is_centring_removing_a_direction_and_then_hard_debiasing(planted: Planted) -> None:
    v = planted.vectors
    settings: dict[str, Any] = {"pairs": PAIRS, "equalise": PAIRS, "specific": SPECIFIC}
    w = aslant.double_hard_debias(v, **settings, candidates=4, words=300)
    mean, axes = principal_axes(v.matrix, 4)
    axis = axes[w.treatments[0].settings["removed"] - 1]
    centred = v.matrix.astype(float) - mean
    purified = centred - np.outer(centred @ axis, axis)
    hard = aslant.hard_debias(aslant.WordVectors(v.words, purified.astype(np.float32)), **settings)
    assert np.abs(w.matrix - hard.matrix).max() < 1e-6


def test_the_candidates_are_judged_by_the_direction_that_hard_debiasing_would_remove(planted: Planted) -> None:
    v, biased = planted.vectors, leaning(planted.vectors, ("she", "he"), 300, SPECIFIC)
    long = v.matrix.copy()
    long[:2] *= 50  # the length of one pair must not matter
    mean, axes = np.zeros(30), np.linalg.qr(np.random.default_rng(0).normal(size=(30, 3)))[0].T
    rows = [np.array([i, i + 1]) for i in range(0, 8, 2)]
    same = [candidate_accuracies(matrix, mean, axes, biased.rows, rows, 0) for matrix in (v.matrix, long)]
    assert same[0] == same[1]


def test_double_hard_leaves_less_for_clusters_than_hard_debiasing_does() -> None:
    v = aslant.load()
    rows = leaning(v, ("she", "he"), 500, "gender-specific-words").rows
    hard, double = (method(v).matrix[rows].astype(float) for method in (aslant.hard_debias, aslant.double_hard_debias))
    labels = np.repeat([True, False], 500)
    accuracy = [clustering_accuracy(two_clusters(matrix, generator(0)), labels) for matrix in (double, hard)]
    assert accuracy[0] < accuracy[1] - 0.05


def test_the_words_learned_from_are_chosen_by_the_rule_that_the_residual_tests_use() -> None:
    v = aslant.load()
    more = aslant.WordVectors(["élan", *v.words], np.concatenate([v.lookup(["ballerina"]).vectors, v.matrix]))
    tested = aslant.residual_bias(more, more, seeds=1, classified=100, picture="none").words
    chosen = [more.words[row] for row in leaning(more, ("she", "he"), 500, "gender-specific-words").rows]
    assert "élan" in chosen
    assert "élan" in tested[1]
    assert len({*chosen} & {*tested[0], *tested[1]}) > 980  # all but what one spelling of a specific word leaves out


@pytest.mark.parametrize("candidates", [0, 30, True, 1.5])
def test_a_number_of_candidates_that_is_none_is_refused(planted: Planted, candidates: int) -> None:
    with pytest.raises(DebiasError, match="is not a number of directions"):
        aslant.double_hard_debias(planted.vectors, pairs=PAIRS, candidates=candidates)

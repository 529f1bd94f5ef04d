"""Projection, half-sibling regression and LEACE against their formulas, written out slowly."""

from __future__ import annotations

import numpy as np
import pytest

import aslant
from aslant.debias.learned import leace
from aslant.debias.linear import half_sibling_map
from aslant.errors import DebiasError
from planted import PAIRS, SPECIFIC, Planted


def test_projection_takes_the_direction_from_every_word_and_nothing_else(planted: Planted) -> None:
    v = planted.vectors
    w = aslant.project_out(v, pairs=PAIRS)
    unit = {word: v.matrix[v.index[word]].astype(float) for pair in PAIRS for word in pair}
    unit = {word: row / np.linalg.norm(row) for word, row in unit.items()}
    halves = np.concatenate([[(unit[a] - unit[b]) / 2, (unit[b] - unit[a]) / 2] for a, b in PAIRS])
    g = np.linalg.svd(halves)[2][0]
    expected = np.array([row - (row @ g) * g for row in v.matrix.astype(float)])
    assert np.abs(w.matrix - expected).max() < 1e-6
    assert np.abs(w.matrix.astype(float) @ g).max() < 1e-6 * np.linalg.norm(v.matrix, axis=1).max()


def test_projection_of_two_components_removes_both(planted: Planted) -> None:
    one, two = (aslant.project_out(planted.vectors, pairs=PAIRS, components=k) for k in (1, 2))
    ranks = [np.linalg.matrix_rank(w.matrix.astype(float), tol=1e-3) for w in (one, two)]
    assert ranks == [29, 28]


def test_half_sibling_regression_is_the_authors_formula(planted: Planted) -> None:
    v = planted.vectors
    w = aslant.half_sibling_debias(v, specific=SPECIFIC, ridge=2.0)
    gender = np.array([v.matrix[v.index[word]] for word in SPECIFIC], dtype=float).T  # words as columns
    rest = v.matrix[len(SPECIFIC) :].astype(float).T
    alpha = 2.0 * (gender**2).sum() / gender.shape[1]
    weights = np.linalg.inv(gender.T @ gender + alpha * np.eye(gender.shape[1])) @ gender.T @ rest
    assert np.abs(w.matrix[len(SPECIFIC) :] - (rest - gender @ weights).T).max() < 1e-5
    assert (w.matrix[: len(SPECIFIC)] == v.matrix[: len(SPECIFIC)]).all()
    assert w.treatments[0].settings["alpha"] == pytest.approx(alpha, abs=1e-3)


def test_half_sibling_regression_does_not_depend_on_scale(planted: Planted) -> None:
    v = planted.vectors
    scaled = aslant.WordVectors.from_arrays(v.words, v.matrix * 8)
    small, large = (aslant.half_sibling_debias(x, specific=SPECIFIC).matrix for x in (v, scaled))
    assert np.allclose(small * 8, large, atol=1e-4)


def test_half_sibling_map_with_a_large_penalty_changes_nothing() -> None:
    rows = np.random.default_rng(0).normal(size=(50, 7))
    assert np.allclose(half_sibling_map(rows, 1e12), np.eye(7), atol=1e-9)


def test_leace_is_the_formula_of_the_theorem() -> None:
    random = np.random.default_rng(2)
    X = random.normal(size=(300, 6)) @ random.normal(size=(6, 6)) + 3
    z = random.integers(0, 3, 300)
    X += random.normal(size=(3, 6))[z]
    Z = np.eye(3)[z]
    xx, xz = np.cov(X.T, bias=True), (X - X.mean(0)).T @ (Z - Z.mean(0)) / 300
    values, axes = np.linalg.eigh(xx)
    W = axes @ np.diag(values**-0.5) @ axes.T
    P = W @ xz @ np.linalg.pinv(W @ xz)
    expected = np.array([x - np.linalg.inv(W) @ P @ W @ (x - X.mean(0)) for x in X])
    assert np.abs(leace(X, z)(X) - expected).max() < 1e-9


def test_after_leace_no_linear_classifier_does_better_than_guessing() -> None:
    from sklearn.linear_model import LogisticRegression

    random = np.random.default_rng(6)
    z = np.repeat([0, 1], 200)
    X = random.normal(size=(400, 10)) + z[:, None] * random.normal(size=10)
    assert LogisticRegression().fit(X, z).score(X, z) > 0.9
    erased = leace(X, z)(X)
    assert np.abs(erased[z == 0].mean(0) - erased[z == 1].mean(0)).max() < 1e-10
    assert np.abs(LogisticRegression().fit(erased, z).coef_).max() < 1e-3
    assert np.abs(erased.mean(0) - X.mean(0)).max() < 1e-10


def test_leace_moves_the_words_less_than_any_other_eraser_does() -> None:
    random = np.random.default_rng(7)
    z = np.repeat([0, 1], 300)
    X = random.normal(size=(600, 5)) @ np.diag([5, 3, 1, 1, 0.3]) + z[:, None] * np.array([1.0, 1, 1, 1, 1])
    moved = np.square(leace(X, z)(X) - X).sum()
    gap = X[z == 1].mean(0) - X[z == 0].mean(0)
    centred = X - X.mean(0)
    for _ in range(200):  # every oblique projection along the gap erases as well
        row = random.normal(size=5)
        other = centred - np.outer(centred @ row / (gap @ row), gap)
        assert np.square(other - centred).sum() >= moved - 1e-9


def test_leace_with_fewer_words_than_dimensions_still_erases() -> None:
    X = np.random.default_rng(1).normal(size=(8, 20))
    z = np.repeat([0, 1], 4)
    erased = leace(X, z)(X)
    assert np.abs(erased[:4].mean(0) - erased[4:].mean(0)).max() < 1e-9


def test_leace_takes_words_by_class(planted: Planted) -> None:
    classes = {"low": planted.vectors.words[10:40], "high": planted.vectors.words[610:640]}
    w = aslant.leace_debias(planted.vectors, classes=classes)
    low, high = (w.lookup(words).vectors.astype(float).mean(axis=0) for words in classes.values())
    assert np.abs(low - high).max() < 1e-5
    assert [taken.role for taken in w.treatments[0].words] == ["class low", "class high"]


@pytest.mark.parametrize(
    ("settings", "fault"),
    [
        ({"poles": ("she", "nobody")}, "'nobody' is not in 'planted'"),
        ({"poles": ("she", "She")}, "are one word"),
        ({"poles": "she"}, "are not two words"),
        ({"words": 10_000}, "request fewer words"),
        ({"words": 1}, "words=1 is not a number of words"),
        ({"classes": {"a": ["qaaa", "qaab"]}}, "at least two classes"),
        ({"classes": {"a": ["qaaa", "qaab"], "b": ["qaaa", "qaac"]}}, "'qaaa' is in two classes"),
        ({"classes": {"a": ["qaaa", "qaab"], "b": ["qaac", "qaad"]}, "poles": ("she", "he")}, "give one of them"),
        ({"classes": [1]}, "are not classes"),
        ({"classes": "professions"}, "one of kind 'classes' is needed"),
    ],
)
def test_bad_classes_are_one_clear_error(planted: Planted, settings: dict[str, object], fault: str) -> None:
    for method in (aslant.leace_debias, aslant.nullspace_debias):
        with pytest.raises(aslant.AslantError, match=fault):
            method(planted.vectors, **settings)


def test_leace_refuses_fewer_words_than_dimensions(planted: Planted) -> None:
    words = planted.vectors.words
    classes = {"low": words[10:25], "high": words[610:625]}
    with pytest.raises(DebiasError, match="30 words to learn from: too few for 30 dimensions"):
        aslant.leace_debias(planted.vectors, classes=classes)
    w = aslant.leace_debias(planted.vectors, classes={**classes, "low": words[10:26]})
    assert w.treatments[0].settings["words_per_side"] is None
    assert w.treatments[0].settings["trained_on"] == 31


@pytest.mark.parametrize("ridge", [0, -1.0, float("nan"), float("inf"), True, "x", None])
def test_a_penalty_that_is_none_is_refused(planted: Planted, ridge: float) -> None:
    with pytest.raises(DebiasError, match="is not a penalty"):
        aslant.half_sibling_debias(planted.vectors, specific=SPECIFIC, ridge=ridge)

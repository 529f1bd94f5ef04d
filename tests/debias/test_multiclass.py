"""Debiasing for more than two classes, with the word sets of Manzini et al. where they are at hand."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.optimize import minimize

import aslant
from aslant.debias.linear import soft_map
from aslant.errors import DebiasError

Matrix = NDArray[np.float64]
SETS = [("judaism", "christianity", "islam"), ("jew", "christian", "muslim"), ("synagogue", "church", "mosque")]


@pytest.fixture(scope="module")
def sample() -> aslant.WordVectors:
    return aslant.load()


def test_neutral_words_are_equally_far_from_every_class(sample: aslant.WordVectors) -> None:
    w = aslant.multiclass_hard_debias(sample, sets=SETS)
    neutral = w.lookup(["greedy", "terrorist", "lawyer", "violent", "table"]).vectors.astype(float)
    assert len(neutral) == 5
    for words in SETS:
        members = w.lookup(words).vectors.astype(float)
        assert len(members) == 3
        assert np.ptp(neutral @ members.T, axis=1).max() < 1e-6
    before = sample.lookup(["terrorist", *SETS[1]]).vectors.astype(float)
    before /= np.linalg.norm(before, axis=1, keepdims=True)
    assert np.ptp(before[1:] @ before[0]) > 0.1


def literal_hard(v: dict[str, Matrix], sets: list[list[str]], neutral: list[str], k: int) -> dict[str, Matrix]:
    """Word by word, as the authors' program does it."""
    rows = [v[w] - np.mean([v[x] for x in words], axis=0) for words in sets for w in words]
    basis = np.linalg.svd(np.array(rows))[2][:k]
    part = lambda x: sum((x @ b) * b for b in basis)  # noqa: E731
    new = dict(v)
    for w in neutral:
        new[w] = v[w] - part(v[w])
        new[w] /= np.linalg.norm(new[w])
    for words in sets:
        mean = np.mean([new[w] for w in words], axis=0)
        upsilon = mean - part(mean)
        changed = {}
        for w in words:
            apart = part(new[w]) - part(mean)
            changed[w] = upsilon + np.sqrt(1 - upsilon @ upsilon) * apart / np.linalg.norm(apart)
        new.update(changed)
    return new


def test_every_word_is_where_the_authors_program_puts_it(real_data: Path) -> None:
    sets = json.loads((real_data / "manzini" / "race_attributes_optm.json").read_text(encoding="utf-8"))[
        "definite_sets"
    ]
    v = aslant.load(top=10_000)
    sets = [words for words in sets if all(word in v for word in words)]
    assert len({word for words in sets for word in words}) < sum(map(len, sets))  # sets share words
    members = {word for words in sets for word in words}
    unit = {w: row / np.linalg.norm(row) for w, row in zip(v.words, v.matrix.astype(float), strict=True)}
    expected = literal_hard(unit, sets, [w for w in v.words if w not in members], 2)
    w = aslant.multiclass_hard_debias(v, sets=sets)
    assert np.abs(w.matrix - np.array([expected[word] for word in v.words])).max() < 1e-6


@pytest.mark.parametrize("name", ["race", "religion", "gender"])
def test_the_published_sets_can_be_used(sample: aslant.WordVectors, real_data: Path, name: str) -> None:
    content = json.loads((real_data / "manzini" / f"{name}_attributes_optm.json").read_text(encoding="utf-8"))
    for method in (aslant.multiclass_hard_debias, aslant.multiclass_soft_debias):
        w = method(sample, sets=content["definite_sets"], components=1)
        assert w.treatments[0].words[0].found > 5


def objective(A: Matrix, S: Matrix, N: Matrix, B: Matrix, c: float) -> float:
    """mean (u·Av − u·v)² + c · mean (n·Ab)², from second moments."""
    first = np.trace((A - np.eye(len(A))) @ S @ (A - np.eye(len(A))) @ S)
    return float(first + c / len(B) * np.trace(A @ N @ A @ B.T @ B))


@pytest.mark.parametrize("strength", [0.05, 1.0, 200.0])
def test_the_soft_map_is_the_optimum_that_a_general_solver_finds(strength: float) -> None:
    random = np.random.default_rng(8)
    words = random.normal(size=(60, 4)) * [2, 1, 1, 0.5]
    S, N = words.T @ words / 60, words[:50].T @ words[:50] / 50
    B = np.linalg.qr(random.normal(size=(4, 2)))[0].T
    T = soft_map(S, N, B, strength)

    def loss(flat: Matrix) -> float:
        other = flat.reshape(4, 4)
        return objective(other.T @ other, S, N, B, strength)

    best = min(minimize(loss, random.normal(size=16), method="BFGS", options={"gtol": 1e-9}).fun for _ in range(4))
    assert loss(T.ravel()) == pytest.approx(best, rel=1e-5)
    assert np.allclose(T, T.T)


def test_a_problem_that_is_not_solved_in_time_is_an_error_and_no_guess(monkeypatch: pytest.MonkeyPatch) -> None:
    from aslant.debias import linear

    monkeypatch.setattr(linear, "MOST_STEPS", 3)
    with pytest.raises(DebiasError, match="too large to solve"):
        soft_map(np.diag([1.0, 0.1]), np.array([[1.0, 0.3], [0.3, 0.5]]), np.array([[0.6, 0.8]]), 5.0)


def test_the_objective_is_the_mean_over_pairs_of_words_as_promised() -> None:
    random = np.random.default_rng(9)
    W, B = random.normal(size=(20, 3)), np.eye(3)[:1]
    T = random.normal(size=(3, 3))
    neutral = W[:15]
    slow = np.mean([(T @ u @ (T @ v) - u @ v) ** 2 for u in W for v in W])
    slow += 0.3 * np.mean([(T @ n @ (T @ B[0])) ** 2 for n in neutral])
    assert objective(T.T @ T, W.T @ W / 20, neutral.T @ neutral / 15, B, 0.3) == pytest.approx(slow)


def test_strength_zero_changes_nothing_and_more_of_it_leaves_less(sample: aslant.WordVectors) -> None:
    small = aslant.WordVectors(sample.words[:20_000], sample.matrix[:20_000])
    unit = small.matrix / np.linalg.norm(small.matrix, axis=1, keepdims=True)
    none = aslant.multiclass_soft_debias(small, sets=SETS, strength=0)
    assert np.abs(none.matrix - unit).max() < 1e-5
    scores = [
        aslant.polarity(
            aslant.multiclass_soft_debias(small, sets=SETS, strength=strength),
            ["jew", "christian", "muslim"], scheme="one-vs-one", bootstrap=0,
        ).score
        for strength in (0, 0.01, 0.2)
    ]  # fmt: skip
    directions = np.linalg.svd(_centred(none))[2][:2]
    left = [
        np.square(aslant.multiclass_soft_debias(small, sets=SETS, strength=s).matrix @ directions.T).mean()
        for s in (0, 0.01, 0.2)
    ]
    assert left[0] > 1.2 * left[1] > 1.2 * left[2]
    assert len(set(scores)) == 3


def _centred(v: aslant.WordVectors) -> Matrix:
    rows = [v.lookup(words).vectors.astype(float) for words in SETS]
    return np.concatenate([x - x.mean(axis=0) for x in rows])


def test_a_class_set_that_ships_can_be_named(sample: aslant.WordVectors) -> None:
    w = aslant.multiclass_hard_debias(sample, sets="race-four", components=3)
    assert w.treatments[0].words[0].stimuli == "race-four"


@pytest.mark.parametrize(
    ("settings", "fault"),
    [
        ({"strength": -1}, "strength=-1 is not a weight"),
        ({"strength": float("nan")}, "is not a weight"),
        ({"strength": "x"}, "strength='x' is not a weight"),
        ({"strength": True}, "is not a weight"),
        ({"components": 9}, "from 1 to 6"),
        ({"sets": [("judaism",)]}, "fewer than two words"),
        ({"sets": "gender-specific-words"}, "'pairs' or 'classes'"),
    ],
)
def test_bad_settings_are_one_clear_error(sample: aslant.WordVectors, settings: dict[str, object], fault: str) -> None:
    with pytest.raises(DebiasError, match=fault):
        aslant.multiclass_soft_debias(sample, **{"sets": SETS, **settings})


def test_vectors_that_do_not_span_the_space_are_refused_by_the_soft_method() -> None:
    matrix = np.random.default_rng(0).normal(size=(10, 5)) * [1, 1, 1, 1, 0]
    v = aslant.WordVectors.from_arrays(list("abcdefghij"), matrix)
    with pytest.raises(DebiasError, match="do not span all their dimensions"):
        aslant.multiclass_soft_debias(v, sets=[("a", "b", "c")])
    with pytest.raises(DebiasError, match="none is neutral"):
        aslant.multiclass_soft_debias(v, sets=[("a", "b", "c")], specific=list("defghij"))

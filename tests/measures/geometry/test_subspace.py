"""The subspace of definitional sets: against scikit-learn's PCA, its invariances, and GoogleNews."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from sklearn.decomposition import PCA

import aslant
from aslant.errors import MeasureError, StimuliError, VectorsError
from aslant.measures.geometry import directional
from aslant.measures.geometry.directional import random_ratios
from aslant.statistics import explained_ratios, subspace, unit_rows
from geometry_vectors import embedding, googlenews

PAIRS = [["w0", "w1"], ["w2", "w3"], ["w4", "w5"]]


@settings(deadline=None, max_examples=40)
@given(st.integers(0, 10_000), st.lists(st.integers(2, 4), min_size=1, max_size=4))
def test_components_are_those_of_scikit_learn_on_centred_sets(seed: int, sizes: list[int]) -> None:
    random = np.random.default_rng(seed)
    sets = [random.normal(size=(size, 12)) for size in sizes]
    components, ratios = subspace(sets)
    stacked = np.vstack([words - words.mean(axis=0) for words in sets])
    peer = PCA(n_components=len(ratios)).fit(stacked)
    assert len(ratios) == sum(sizes) - len(sizes)
    assert ratios == pytest.approx(peer.explained_variance_ratio_, abs=1e-9)
    assert np.abs(np.sum(components * peer.components_, axis=1)) == pytest.approx(1, abs=1e-6)
    assert ratios.sum() == pytest.approx(1)


def test_the_result_is_the_definition_on_unit_vectors() -> None:
    v = embedding(1)
    unit = unit_rows(v.matrix[:6])
    centred = np.vstack([unit[i : i + 2] - unit[i : i + 2].mean(axis=0) for i in (0, 2, 4)])
    values = np.linalg.eigvalsh(centred.T @ centred)[::-1]
    r = aslant.gender_subspace(v, PAIRS, random_pairs=20)
    assert r.explained == pytest.approx(values[:3] / values.sum(), abs=1e-6)
    assert np.linalg.norm(r.direction) == pytest.approx(1)
    assert sum((unit[i] - unit[i + 1]) @ r.direction for i in (0, 2, 4)) > 0


@settings(deadline=None, max_examples=25)
@given(st.integers(0, 1_000), st.floats(0.1, 10))
def test_rotating_and_rescaling_the_space_changes_no_ratio(seed: int, scale: float) -> None:
    v = embedding(seed)
    turned = aslant.WordVectors.from_arrays(v.words, scale * v.matrix @ stats.ortho_group.rvs(8, random_state=seed))
    a, b = (aslant.gender_subspace(e, PAIRS, random_pairs=5) for e in (v, turned))
    assert a.explained == pytest.approx(b.explained, abs=1e-5)
    assert [s.mean for s in a.random] == pytest.approx([s.mean for s in b.random], abs=1e-5)


def test_swapping_the_poles_flips_the_direction_and_nothing_else() -> None:
    v = embedding(2)
    a = aslant.gender_subspace(v, PAIRS, random_pairs=0)
    b = aslant.gender_subspace(v, [pair[::-1] for pair in PAIRS], random_pairs=0)
    assert np.array(a.direction) == pytest.approx(-np.array(b.direction), abs=1e-9)
    assert a.explained == pytest.approx(b.explained)


@pytest.mark.parametrize("block", [1, 100, 1 << 22])
def test_random_sets_give_the_ratios_of_each_draw_taken_alone(block: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(directional, "_BLOCK", block)  # draws of 45 numbers each
    rows = np.random.default_rng(0).normal(size=(40, 9))
    ours = random_ratios(rows, (2, 3), 3, 7, np.random.default_rng(5))
    random = np.random.default_rng(5)
    assert ours.shape == (7, 3)
    for line in ours:
        picked = unit_rows(rows[random.choice(40, 5, replace=False)])
        assert line == pytest.approx(subspace([picked[:2], picked[2:]])[1], abs=1e-9)
    assert explained_ratios(np.array([[[1.0, 0.0], [-1.0, 0.0]]]), 1).tolist() == [[1.0]]


def test_the_p_value_counts_random_draws_and_is_never_zero() -> None:
    v = embedding(3)
    r = aslant.gender_subspace(v, PAIRS, random_pairs=99, rng=4)
    assert r == aslant.gender_subspace(v, PAIRS, random_pairs=99, rng=4)
    assert r.pvalue is not None
    assert 0.01 <= r.pvalue <= 1
    assert (r.pvalue <= 0.01 + 1e-12) == (r.explained[0] > r.random[0].maximum)
    none = aslant.gender_subspace(v, PAIRS, random_pairs=0)
    assert (none.random, none.pvalue) == ((), None)


def test_a_set_with_a_missing_word_is_used_if_two_are_left() -> None:
    v = embedding(4)
    r = aslant.gender_subspace(v, [["w0", "w1", "lost"], ["w2", "gone"]], random_pairs=0)
    assert r.sets == (("w0", "w1"),)
    assert r.sets_left_out == (("w2", "gone"),)
    assert r.missing == ("lost", "gone")


@pytest.mark.parametrize(
    ("pairs", "error", "words"),
    [
        ([["gone", "lost"]], MeasureError, "no set of 'own' .1 in all"),
        ([], MeasureError, "no set of 'own' .0 in all"),
        ([["w0"]], MeasureError, "fewer than two words"),
        (["w0", "w1"], MeasureError, "is one string"),
        (7, MeasureError, "not pairs of words"),
        ("weat-1", StimuliError, "kind 'pairs' is needed"),
    ],
)
def test_bad_pairs_are_one_clear_error(pairs: Any, error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        aslant.gender_subspace(embedding(0), pairs)


def test_other_bad_input_is_one_clear_error() -> None:
    v = embedding(0)
    with pytest.raises(MeasureError, match="components is 0"):
        aslant.gender_subspace(v, PAIRS, components=0)
    with pytest.raises(VectorsError, match="does not say which words its rows are"):
        aslant.gender_subspace(v.matrix)
    with pytest.raises(MeasureError, match="too few for random pairs"):
        aslant.gender_subspace(embedding(0, words=8), PAIRS)
    same = aslant.WordVectors.from_arrays(["a", "b"], [[1, 2], [2, 4]])
    with pytest.raises(MeasureError, match="the same vector"):
        aslant.gender_subspace(same, [["a", "b"]], random_pairs=0)
    with pytest.raises(MeasureError, match="two at least"):
        subspace([[[1.0, 2.0]]])


def test_googlenews_first_component_of_the_ten_pairs_is_far_above_random() -> None:
    r = aslant.gender_subspace(googlenews())
    assert r.explained[0] == pytest.approx(0.605, abs=0.0005)
    assert len(r.sets) == len(r.explained) == 10
    assert r.random[0].maximum < 0.2
    assert r.pvalue == 1 / 1001


def test_sets_of_three_classes_have_more_than_one_direction(real_data: Path) -> None:
    """Manzini et al. 2019: religions, three words to a set."""
    sets = json.loads((real_data / "manzini" / "religion_attributes_optm.json").read_text())["definite_sets"]
    r = aslant.gender_subspace(aslant.load(), sets)
    assert {len(words) for words in r.sets} == {3}
    assert sum(r.explained) == pytest.approx(1)
    assert len(r.explained) == 10
    assert r.explained[1] > r.random[1].maximum

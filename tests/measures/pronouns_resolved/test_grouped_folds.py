"""Folds: groups stay whole, kinds stay in proportion, the seed decides."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from aslant.errors import MeasureError
from aslant.measures.pronouns_resolved.gap_files import LABELS, GapSample
from aslant.measures.pronouns_resolved.predictions import check_samples, grouped_folds


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])  # a busy machine is no failure
@given(st.lists(st.tuples(st.integers(0, 30), st.integers(0, 3)), min_size=5, max_size=60), st.integers(2, 5))
def test_groups_stay_whole_and_every_fold_has_rows(rows: list[tuple[int, int]], n_folds: int) -> None:
    groups, kinds = (np.array(side) for side in zip(*rows, strict=True))
    if len(set(groups.tolist())) < n_folds:
        with pytest.raises(MeasureError, match="cannot be split"):
            grouped_folds(groups, kinds, n_folds, np.random.default_rng(0))
        return
    folds = grouped_folds(groups, kinds, n_folds, np.random.default_rng(0))
    assert all(len(set(folds[groups == group].tolist())) == 1 for group in groups)
    assert set(folds.tolist()) == set(range(n_folds))


def test_kinds_are_spread_evenly_over_single_rows() -> None:
    kinds = np.repeat(["a", "b", "c"], [100, 50, 10])
    folds = grouped_folds(np.arange(160), kinds, 5, np.random.default_rng(0))
    for kind, each in (("a", 20), ("b", 10), ("c", 2)):
        assert np.bincount(folds[kinds == kind]).tolist() == [each] * 5


def test_the_seed_decides_who_goes_where() -> None:
    drawn = [grouped_folds(np.arange(40), np.zeros(40), 4, np.random.default_rng(seed)).tolist() for seed in (0, 0, 1)]
    assert drawn[0] == drawn[1] != drawn[2]


def samples(female: int, male: int = 40) -> list[GapSample]:
    genders = ["female"] * female + ["male"] * male
    return [
        GapSample(f"s{i}", f"t{i}", (0, 1), (2, 3), (4, 5), g, LABELS[i % 3], f"p{i}") for i, g in enumerate(genders)
    ]


def test_two_samples_of_each_gender_are_enough_and_one_is_not() -> None:
    check_samples(samples(2), (), 5)
    with pytest.raises(MeasureError, match=r"1 sample with a female pronoun; at least 2 of each gender are needed"):
        check_samples(samples(1), (), 5)

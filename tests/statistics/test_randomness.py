"""Claims about seeds."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from aslant.errors import MeasureError
from aslant.statistics import check_count, generator, seed_of, spawn


def test_one_seed_one_stream() -> None:
    assert generator(3).random() == generator(np.int64(3)).random() == np.random.default_rng(3).random()  # type: ignore[arg-type]
    assert generator(None).random() != generator(None).random()


def test_a_generator_is_passed_through() -> None:
    rng = np.random.default_rng(0)
    assert generator(rng) is rng


def test_spawned_streams_do_not_depend_on_how_many_are_spawned_or_in_which_order_they_run() -> None:
    few, many = spawn(9, 3), spawn(9, 10)
    backwards = [child.random() for child in reversed(few)][::-1]
    assert backwards == [child.random() for child in many[:3]]
    assert len(set(backwards)) == 3


def test_seed_of_tells_what_a_result_should_record() -> None:
    assert seed_of(np.int32(4)) == 4  # type: ignore[arg-type]
    assert type(seed_of(np.int32(4))) is int  # type: ignore[arg-type]
    assert seed_of(None) != seed_of(None)
    assert seed_of(np.random.default_rng(4)) == seed_of(np.random.default_rng(4))
    rng = np.random.default_rng(4)
    assert seed_of(rng) != seed_of(rng)


@pytest.mark.parametrize("bad", [-1, 1.0, "7", True, [1]])
def test_a_bad_seed_is_one_clear_sentence(bad: Any) -> None:
    for use in (generator, seed_of, lambda rng: spawn(rng, 2)):
        with pytest.raises(MeasureError, match=r"rng is .*; give a whole number from 0 up"):
            use(bad)


def test_counts_are_whole_numbers_of_any_kind_with_both_limits() -> None:
    for value in (2, 7, np.int64(5), np.uint8(3)):
        found = check_count("draws", value, 2, 7)  # type: ignore[arg-type]
        assert (found, type(found)) == (value, int)
    for wrong in (1, 8, True, 5.0, "5", None):
        with pytest.raises(MeasureError, match="give a whole number from 2 to 7"):
            check_count("draws", wrong, 2, 7)  # type: ignore[arg-type]


def test_zero_is_a_seed_and_minus_one_is_not() -> None:
    assert seed_of(0) == 0
    with pytest.raises(MeasureError):
        seed_of(-1)

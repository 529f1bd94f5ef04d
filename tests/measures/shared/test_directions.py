"""Sets of words and directions as users give them: names, lists, arrays; what is left out is on record."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from aslant.errors import MeasureError
from aslant.measures.shared.directions import chosen_sets, find_direction, find_sets
from aslant.vectors import WordVectors


def test_own_sets_are_named_so_and_their_poles_are_the_first_set() -> None:
    sets = (("she", "he"), ("woman", "man", "boy"))
    assert chosen_sets(sets) == (sets, "own", ("she", "he"))
    assert chosen_sets([]) == ((), "own", ())
    with pytest.raises(MeasureError, match="fewer than two words"):
        chosen_sets([("she", "she")])


def test_a_set_of_two_words_is_kept_and_one_with_a_single_vector_is_left_out(tiny: WordVectors) -> None:
    found = find_sets(tiny, [("he", "she"), ("doctor", "gone"), ("doctor", "nurse", "gone")])
    assert found.words == (("he", "she"), ("doctor", "nurse"))
    assert found.left_out == (("doctor", "gone"),)
    assert [words.missing for words in found.found] == [(), ("gone",), ("gone",)]
    assert [array.shape for array in found.vectors] == [(2, 3), (2, 3)]
    with pytest.raises(MeasureError, match=r"no set of 'own' \(1 in all\) has two words in 'tiny'"):
        find_sets(tiny, [("doctor", "gone")])


@pytest.mark.parametrize(
    "given", [[0, 3, 4], (0.0, 3.0, 4.0), np.array([0, 3, 4]), np.array([0, 3, 4], np.uint8), np.array([0.0, 3, 4])]
)
def test_numbers_of_any_kind_are_a_direction_of_length_one(given: Any, tiny: WordVectors) -> None:
    direction = find_direction(tiny, given)
    np.testing.assert_allclose(direction.vector, [0, 0.6, 0.8])
    assert (direction.id, direction.poles, direction.found) == ("own array", ("positive", "negative"), ())


@pytest.mark.parametrize("given", [[("he", "she")], np.array([["he", "she"]])])
def test_words_are_looked_up_whatever_holds_them(given: Any, tiny: WordVectors) -> None:
    direction = find_direction(tiny, given)
    np.testing.assert_allclose(np.abs(direction.vector), [1, 0, 0], atol=1e-12)
    assert (direction.id, direction.poles) == ("own", ("he", "she"))


@pytest.mark.parametrize("given", [[0, 0, 0], [1, 2], [1, float("nan"), 0], np.ones((1, 3)), [1, "x", 2]])
def test_what_is_no_direction_is_refused(given: Any, tiny: WordVectors) -> None:
    with pytest.raises(MeasureError, match="direction"):
        find_direction(tiny, given)

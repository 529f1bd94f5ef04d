"""Which words count as specific: those of a list as written, never another word in another case."""

from __future__ import annotations

import numpy as np

import aslant
from aslant.debias.words import find_sets, find_words
from aslant.vectors import WordVectors


def test_words_of_a_shipped_list_do_not_stand_for_others_in_lower_case() -> None:
    """gender-specific-words holds "NeW" and "Legs": a vocabulary in lower case has other words of that spelling."""
    v = aslant.load()
    w = aslant.hard_debias(v)
    basis = np.asarray(aslant.gender_subspace(v, random_pairs=0).direction)
    new, legs, she = w.lookup(["new", "legs", "she"]).vectors
    assert abs(new @ basis) < 1e-6
    assert abs(legs @ basis) < 1e-6
    assert abs(she @ basis) > 0.1  # specific, and written so in the list


def test_words_of_ones_own_are_matched_like_all_others() -> None:
    v = WordVectors.from_arrays(["mary", "tree"], [[1.0, 0.0], [0.0, 1.0]])
    rows, taken = find_words(v, ["Mary"], "specific words")
    assert rows.tolist() == [0]
    assert taken.missing == ()


def test_a_word_whose_partner_is_missing_is_not_called_missing() -> None:
    v = WordVectors.from_arrays(["nun", "she", "he"], np.eye(3))
    taken = find_sets(v, [("nun", "monk"), ("she", "he")], "pairs").taken
    assert (taken.missing, taken.alone, taken.found) == (("monk",), ("nun",), 2)
    assert taken.describe() == "pairs: own, 2 of 4 words (missing: monk; without the others of their set: nun)"

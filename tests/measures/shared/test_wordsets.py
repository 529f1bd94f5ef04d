"""Word sets on their way to vectors: what is accepted at its limits, and what is put on record."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from aslant.errors import MeasureError
from aslant.measures.association.settings import WeatSettings
from aslant.measures.shared.wordsets import find, need_distinct, need_words, provenance, word_lists
from aslant.models.vocabulary import open_vocabulary
from aslant.results.parts import WordsUsed
from aslant.stimuli import WordList
from aslant.vectors import WordVectors


def test_a_share_may_be_anything_from_none_to_all() -> None:
    for share in (0, 0.5, 1):
        WeatSettings(min_found=share)
    for share in (-0.01, 1.01, float("nan")):
        with pytest.raises(MeasureError, match="min_found is"):
            WeatSettings(min_found=share)


def test_as_many_words_as_are_needed_are_enough(tiny: WordVectors) -> None:
    found = find(tiny, WordList("jobs", ("doctor", "nurse", "clerk")))
    need_words(found, 2, tiny)
    with pytest.raises(
        MeasureError, match=r"'tiny' has 2 words of 'jobs', but at least 3 are needed \(missing: clerk\)\."
    ):
        need_words(found, 3, tiny)
    five, six = (find(tiny, WordList("x", tuple(f"gone{i}" for i in range(n)))) for n in (5, 6))
    with pytest.raises(MeasureError, match=r"gone4\)"):
        need_words(five, 1, tiny)
    with pytest.raises(MeasureError, match=r"gone4, …\)"):
        need_words(six, 1, tiny)


def test_two_words_of_one_token_count_once_and_the_second_is_on_record(tiny: WordVectors) -> None:
    found = find(tiny, WordList("x", ("doctor", "Doctor", "nurse", "clerk")))
    assert (found.words.used, found.words.same_token, found.words.missing) == (
        ("doctor", "nurse"), ("Doctor",), ("clerk",),
    )  # fmt: skip
    assert found.raw.shape == (2, 3)


def test_words_outside_a_vocabulary_are_left_out_and_on_record(tiny: WordVectors) -> None:
    found = find(tiny, WordList("x", ("doctor", "nurse", "clerk")), open_vocabulary(["doctor", "clerk"]))
    assert (found.words.used, found.words.not_in_vocabulary, found.words.missing) == (
        ("doctor",),
        ("nurse",),
        ("clerk",),
    )


def test_opposed_sets_may_not_share_a_token_and_others_pass(tiny: WordVectors) -> None:
    men, women, both = (
        find(tiny, WordList(n, w)) for n, w in (("m", ("he",)), ("w", ("she",)), ("b", ("He", "nurse")))
    )
    need_distinct(men, women)
    with pytest.raises(MeasureError, match="'He' of 'b' is the token 'he', which is also in 'm'"):
        need_distinct(men, both)


def test_words_of_opposed_sets_that_share_a_vector_pass_and_two_spellings_of_one_word_do_not() -> None:
    shared = {"Amy": "chris", "John": "chris"}
    v = replace(WordVectors.from_arrays(["chris", "eve", "new_york"], np.eye(3)), shared=shared)
    men, women, both, city, again = (
        find(v, WordList(str(words), words))
        for words in (("John", "chris"), ("Amy", "eve"), ("eve", "Chris"), ("new york",), ("New_York",))
    )
    need_distinct(men, women)
    for first, second in ((men, both), (city, again)):  # "chris" counts as John, and is there all the same
        with pytest.raises(MeasureError, match="which is also in"):
            need_distinct(first, second)


def test_names_of_sets_are_those_given_or_else_the_default(tiny: WordVectors) -> None:
    own = WordList("mine", ("he",))
    assert [found.name for found in word_lists([own, ["she"]], ("first", "second"))] == ["mine", "second"]
    assert [found.name for found in word_lists({"a": ["he"], "b": ["she"]}, ("first", "second"))] == ["a", "b"]
    for wrong in ([own], [own, own, own]):
        with pytest.raises(MeasureError, match=rf"{len(wrong)} word sets? given; 2 are needed"):
            word_lists(wrong, ("first", "second"))


def test_provenance_names_missing_words_once_in_order_with_the_seed_and_the_settings(tiny: WordVectors) -> None:
    groups = [WordsUsed("a", ("he",), ("he",), ("x", "y")), WordsUsed("b", (), (), ("z", "x"))]
    record = provenance(tiny, "mine", groups, 7, {"top": 3})
    assert (record.stimuli, record.missing, record.seed, record.settings) == ("mine", ("x", "y", "z"), 7, {"top": 3})
    assert (record.representation.name, record.representation.words, record.representation.dimensions) == ("tiny", 6, 3)
    assert provenance(tiny, "mine", [], None, {}).seed is None

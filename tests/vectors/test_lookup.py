"""Look-up: each word that is asked for is found or missing, by a policy that says what it tried."""

from __future__ import annotations

from typing import get_args

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from aslant.errors import VectorsError
from aslant.vectors import LookupPolicy, WordVectors
from aslant.vectors.word_vectors import Case, Phrases, title_case

WORD = st.text(st.sampled_from("abAB _-é'"), max_size=6)
POLICIES = st.builds(LookupPolicy, st.sampled_from(get_args(Case)), st.sampled_from(get_args(Phrases)))


@st.composite
def embeddings(draw: st.DrawFn) -> WordVectors:
    words = draw(st.lists(WORD.filter(bool), min_size=1, max_size=12, unique=True))
    matrix = np.arange(1, 2 * len(words) + 1, dtype=np.float32).reshape(-1, 2)
    return WordVectors.from_arrays(words, matrix)


@given(embeddings(), st.lists(WORD, max_size=8), POLICIES)
def test_every_word_asked_is_found_or_missing_once_and_in_order(
    vectors: WordVectors, asked: list[str], policy: LookupPolicy
) -> None:
    looked_up = vectors.lookup(iter(asked), policy=policy)
    assert looked_up.found == tuple(word for word in asked if word not in looked_up.missing)
    assert looked_up.missing == tuple(word for word in asked if word not in looked_up.found)
    assert set(looked_up.found).isdisjoint(looked_up.missing)
    assert looked_up.vectors.shape == (len(looked_up.found), 2)
    assert len(looked_up.tokens) == len(looked_up.found)
    assert looked_up.vectors.dtype == np.float32


@given(embeddings(), WORD, POLICIES)
def test_a_word_of_the_vocabulary_stands_for_itself(vectors: WordVectors, word: str, policy: LookupPolicy) -> None:
    looked_up = vectors.lookup([word], policy=policy)
    if word in vectors:
        assert looked_up.tokens == (word,)
        np.testing.assert_array_equal(looked_up.vectors[0], vectors.matrix[vectors.index[word]])


@given(embeddings(), WORD, POLICIES)
def test_the_token_is_the_first_spelling_in_the_vocabulary(
    vectors: WordVectors, word: str, policy: LookupPolicy
) -> None:
    spelt = [token for token in policy.spellings(word) if token in vectors]
    looked_up = vectors.lookup([word], policy=policy)
    if spelt:
        assert looked_up.tokens == (spelt[0],)
    elif looked_up.found:
        assert policy.phrases == "mean"
        assert " + " in looked_up.tokens[0]


@given(WORD, POLICIES)
def test_spellings_begin_as_written_and_never_repeat(word: str, policy: LookupPolicy) -> None:
    spellings = list(policy.spellings(word))
    assert spellings[0] == word
    assert len(set(spellings)) == len(spellings)
    if policy == LookupPolicy("exact", "exact"):
        assert spellings == [word]


@given(embeddings(), st.lists(WORD, max_size=5))
def test_an_exact_policy_finds_only_what_is_written(vectors: WordVectors, asked: list[str]) -> None:
    looked_up = vectors.lookup(asked, policy=LookupPolicy("exact", "exact"))
    assert looked_up.found == tuple(word for word in asked if word in vectors)
    assert looked_up.tokens == looked_up.found


@given(embeddings(), WORD)
def test_a_looser_policy_finds_no_less(vectors: WordVectors, word: str) -> None:
    def finds(case: Case, phrases: Phrases) -> bool:
        return bool(vectors.lookup([word], policy=LookupPolicy(case, phrases)).found)

    for case in get_args(Case):
        assert finds(case, "exact") <= finds(case, "join") <= finds(case, "mean")
    for phrases in get_args(Phrases):
        assert finds("exact", phrases) <= finds("fallback", phrases)


@pytest.mark.parametrize(
    ("word", "token"),
    [
        ("She", "she"),
        ("SHE", "she"),
        ("paris", "Paris"),
        ("PARIS", "Paris"),
        ("New York", "new_york"),
        ("NEW_YORK", "new_york"),
    ],
)
def test_case_falls_back_to_lower_then_title(tiny: WordVectors, word: str, token: str) -> None:
    looked_up = tiny.lookup([word])
    assert looked_up.found == (word,)
    assert looked_up.tokens == (token,)


def test_the_mean_of_the_parts_needs_every_part(tiny: WordVectors) -> None:
    policy = LookupPolicy(phrases="mean")
    looked_up = tiny.lookup(["she doctor", "Paris-nurse", "she plumber", "new york"], policy=policy)
    assert looked_up.tokens == ("she + doctor", "Paris + nurse", "new_york")
    assert looked_up.missing == ("she plumber",)
    np.testing.assert_allclose(looked_up.vectors[0], (tiny.matrix[1] + tiny.matrix[2]) / 2)
    assert tiny.lookup(["she doctor"]).missing == ("she doctor",)


def test_a_policy_that_does_not_exist_is_refused() -> None:
    with pytest.raises(VectorsError, match=r"case='upper'.*fallback, exact"):
        LookupPolicy(case="upper")  # type: ignore[arg-type]
    with pytest.raises(VectorsError, match="phrases='sum'"):
        LookupPolicy(phrases="sum")  # type: ignore[arg-type]


def test_every_policy_describes_itself_differently() -> None:
    policies = [LookupPolicy(case, phrases) for case in get_args(Case) for phrases in get_args(Phrases)]
    assert len({policy.describe() for policy in policies}) == len(policies) == 6


def test_asking_for_nothing_gives_nothing(tiny: WordVectors) -> None:
    looked_up = tiny.lookup([])
    assert looked_up.vectors.shape == (0, 3)
    assert looked_up.found == looked_up.missing == looked_up.tokens == ()


def test_what_is_looked_up_is_a_copy(tiny: WordVectors) -> None:
    tiny.lookup(["he"]).vectors[0] = 99
    assert tiny.matrix[0, 0] == 1


def test_title_case_leaves_what_follows_an_apostrophe() -> None:
    assert title_case("new_york women's-club") == "New_York Women's-Club"

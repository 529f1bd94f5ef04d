"""Random words in place of a set's own: who may be drawn."""

from __future__ import annotations

import numpy as np

import aslant
from aslant.measures.shared.chance import matched_words
from aslant.results.parts import WordsUsed

WORDS = [
    f"{'W' if i % 2 else 'w'}{'abcdefghij'[i % 10]}{'abcdefghij'[i // 10 % 10]}{'abcdefghij'[i // 100]}"
    for i in range(1000)
]
WORDS[300:310] = [f"{word}-{word}" for word in WORDS[300:310]]


def vectors(words: list[str] = WORDS) -> aslant.WordVectors:
    return aslant.WordVectors.from_arrays(words, np.random.default_rng(0).normal(size=(len(words), 4)))


def group(*tokens: str) -> WordsUsed:
    return WordsUsed("set", tokens, tokens, ())


def test_a_word_is_replaced_by_one_of_its_frequency_and_case_and_never_by_a_stimulus() -> None:
    v = vectors()
    lower, upper = group(WORDS[100], WORDS[320]), group(WORDS[101], WORDS[901])
    drawn = matched_words(v, (lower, upper), [group(WORDS[102], WORDS[103])], 3000, np.random.default_rng(1))
    assert drawn is not None
    assert [rows.shape for rows in drawn] == [(3000, 2), (3000, 2)]
    assert {WORDS[row][0] for row in drawn[0].ravel()} == {"w"}
    assert {WORDS[row][0] for row in drawn[1].ravel()} == {"W"}
    assert 60 < drawn[0][:, 0].min() < drawn[0][:, 0].max() < 160
    assert 590 < drawn[1][:, 1].min() < drawn[1][:, 1].max() <= 999
    together = np.concatenate(drawn, axis=1)
    assert all(len(set(row)) == 4 for row in together.tolist())
    assert not {*range(300, 310), 100, 101, 102, 103, 320, 901} & set(together.ravel().tolist())


def test_composed_words_are_replaced_by_words_as_frequent_as_the_rest_of_them() -> None:
    drawn = matched_words(vectors(), [group(WORDS[500], WORDS[502], "new + york")], (), 200, np.random.default_rng(1))
    assert drawn is not None
    assert 300 < drawn[0][:, 2].min() < drawn[0][:, 2].max() < 800


def test_a_small_vocabulary_gives_no_chance() -> None:
    small = vectors(WORDS[:60])  # 30 in lower case
    assert matched_words(small, [group(*WORDS[:32:2])], (), 10, np.random.default_rng(1)) is None
    assert matched_words(small, [group(*WORDS[:10:2])], (), 10, np.random.default_rng(1)) is not None

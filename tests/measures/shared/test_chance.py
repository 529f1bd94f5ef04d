"""Random words in place of a set's own: who may be drawn."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import aslant
from aslant.measures.shared import chance
from aslant.measures.shared.chance import coherent_words, matched_words
from aslant.report.assembly import table_of
from aslant.results.parts import WordsUsed
from aslant.statistics import draw_matched

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


def test_words_none_of_which_has_a_rank_are_replaced_by_those_in_the_middle() -> None:
    drawn = matched_words(vectors(), [group("new + york")], (), 500, np.random.default_rng(1))
    assert drawn is not None
    assert drawn[0].min() in range(332, 340)
    assert drawn[0].max() in range(743, 752)


def test_a_small_vocabulary_gives_no_chance() -> None:
    small = vectors(WORDS[:60])  # 30 in lower case
    assert matched_words(small, [group(*WORDS[:32:2])], (), 10, np.random.default_rng(1)) is None
    assert matched_words(small, [group(*WORDS[:10:2])], (), 10, np.random.default_rng(1)) is not None


NEAR, SPECIFIC = WORDS[80:120:4], WORDS[82:120:4]  # about as frequent as the words that are replaced


def residual(v: aslant.WordVectors, words: list[str]) -> object:
    options: dict[str, Any] = {
        "seeds": 1,
        "within": None,
        "picture": "none",
        "top": 25,
        "classified": 25,
        "k": 5,
        "chance": 9,
    }
    return aslant.residual_bias(v, poles=(WORDS[100], WORDS[102]), professions=words, specific=SPECIFIC, **options)


@pytest.mark.parametrize(
    ("measure", "apart"),
    [
        (lambda v, words: aslant.polarity(v, [WORDS[100], WORDS[102]], words), []),
        (lambda v, words: aslant.polarity_trend({1: v, 2: v}, [WORDS[100], WORDS[102]], words), []),
        (
            lambda v, words: aslant.direct_bias(
                v, words, direction=[(WORDS[100], WORDS[102])], specific=SPECIFIC, chance=9
            ),
            SPECIFIC,
        ),
        (residual, SPECIFIC),
    ],
    ids=["polarity", "trend", "direct bias", "residual"],
)
def test_no_word_that_is_measured_or_set_apart_is_drawn(
    measure: Callable[[aslant.WordVectors, list[str]], object], apart: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    v, real, seen = vectors(), draw_matched, set()

    def watched(*given: Any) -> Any:
        rows = real(*given)
        seen.update(v.words[row] for row in rows.ravel().tolist())
        return rows

    monkeypatch.setattr(chance, "draw_matched", watched)
    measure(v, NEAR)
    assert seen
    assert not seen & {*NEAR, *apart}


def test_an_order_that_is_not_of_frequency_is_told_and_english_is_not_asked_of_other_languages() -> None:
    common = ["the", "of", "and", "in", "to", "is"]
    usual, german = [*common, *WORDS], [*WORDS[:200], *common, *WORDS[200:]]
    assert [vectors(words).by_frequency for words in (usual, german, WORDS, sorted(usual))] == [True, True, True, False]
    assert not vectors([*WORDS, *common]).by_frequency


def test_without_frequencies_any_word_is_drawn_and_none_is_claimed() -> None:
    words = sorted(word for word in WORDS if word.islower())
    drawn = matched_words(vectors(words), [group(words[100])], (), 2000, np.random.default_rng(0))
    assert drawn is not None
    rows = drawn[0]
    assert (rows.min() < 10, rows.max() > len(words) - 10) == (True, True)
    v, usual = vectors(words), vectors([*words[9:], *words[:9]])
    found, known = (aslant.polarity(x, [words[100], words[102]], words[200:220], bootstrap=0) for x in (v, usual))
    assert (found.frequency is None, known.frequency is None) == (True, False)
    notes = [" ".join(table_of(result).notes) for result in (found, known)]
    assert ["frequency" in note for note in notes] == [False, True]
    assert "random word sets, in place of the classes" in notes[0]


def test_words_in_upper_case_and_of_scripts_without_case_are_replaced_by_others_like_them() -> None:
    latin = [word.lower() for word in WORDS[:200:2]]
    for others in ([word.upper() for word in latin], [chr(0x4E00 + i) for i in range(100)]):
        v = vectors([*others, "USA's", "ка", *latin[:5]])
        drawn = matched_words(v, [group(*others[:4])], (), 50, np.random.default_rng(1))
        assert drawn is not None
        assert {v.words[row] for row in drawn[0].ravel().tolist()} <= set(others[4:])
    few = vectors([*latin, "USA", "iPod", "NATO"])  # too few in upper case: in lower case, as before
    drawn = matched_words(few, [group("USA", "iPod")], (), 50, np.random.default_rng(1))
    assert drawn is not None
    assert drawn[0].max() < len(latin)


def test_marks_that_write_vowels_are_part_of_words() -> None:
    assert len(vectors(["हिन्दी", "किताब", "e-mail", "x1"]).plain_words[3]) == 2


def test_coherent_words_are_a_random_word_and_its_nearest_neighbours_of_its_shape(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(chance, "NEIGHBOURHOOD", 400)
    v, sets = vectors(), (group(*WORDS[100:106:2]), group(WORDS[901], WORDS[903]), group(WORDS[500]))
    drawn = coherent_words(v, sets, [group(WORDS[2])], 30, np.random.default_rng(1))
    assert drawn is not None
    unit = v.matrix / np.linalg.norm(v.matrix, axis=1, keepdims=True)
    known = {2, 100, 102, 104, 500, 901, 903}
    for rows, letter, centres in zip(drawn, "wWw", (range(66, 160), range(590, 1000), range(320, 770)), strict=True):
        allowed = [n for n, word in enumerate(WORDS) if word[0] == letter and word.isalpha() and n not in known][:400]
        for centre, *near in rows.tolist():
            assert centre in centres
            assert WORDS[centre][0] == letter
            best = sorted((n for n in allowed if n != centre), key=lambda n: -float(unit[n] @ unit[centre]))
            assert set(near) == set(best[: len(near)])
    assert [rows.shape for rows in drawn] == [(30, 3), (30, 2), (30, 1)]
    assert len({tuple(row) for row in drawn[0].tolist()}) > 10
    assert coherent_words(vectors(WORDS[:60]), [group(*WORDS[:32:2])], (), 10, np.random.default_rng(1)) is None


def test_names_are_not_replaced_by_words_in_lower_case_where_names_are_few() -> None:
    lower = [word for word in WORDS if word.islower() and "-" not in word]
    few = vectors([*lower, "Wxa", "Wxb", "Wxc"])
    assert matched_words(few, [group(lower[5], lower[9])], (), 10, np.random.default_rng(1)) is not None
    assert matched_words(few, [group("Wxa", "Wxb")], (), 10, np.random.default_rng(1)) is None

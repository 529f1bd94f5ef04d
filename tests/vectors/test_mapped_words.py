"""Words on disk: a sequence like any other, and an index that agrees with a dict."""

from __future__ import annotations

import pickle
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from aslant.errors import VectorsError
from aslant.vectors import WordVectors, mapped_words
from aslant.vectors.mapped_words import MappedWords, Table, table_of

PATCHING = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
#: Few letters, so that words repeat; cases, accents, other scripts, what is no character, line ends.
ANY_WORD = st.text(st.sampled_from("aAbéÉ日🙂 _\ud800\n"), max_size=4)
WORD = st.text(st.sampled_from("aAbéÉ日🙂 _\u2028"), min_size=1, max_size=5)
WORDS = ["the", "The", "naïve", "日本", "new_york", "🙂", "e\u0301", "a\u00a0b", "x"]
#: None: as it is. Otherwise words collide: all of them, or those of one length.
HASHES: list[Callable[..., int] | None] = [None, lambda word: 7, len]


def mapped(words: list[str]) -> MappedWords:
    return MappedWords(table_of(words))


@pytest.mark.parametrize("hashing", HASHES)
@PATCHING
@given(
    words=st.lists(WORD, min_size=1, max_size=40, unique=True), asked=st.lists(ANY_WORD, max_size=20), data=st.data()
)
def test_the_index_agrees_with_a_dict(
    hashing: Callable[..., int] | None,
    words: list[str],
    asked: list[str],
    data: st.DataObject,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with monkeypatch.context() as patch:
        if hashing:
            patch.setattr(mapped_words, "crc32", hashing)
        start = data.draw(st.integers(0, len(words)))
        stop = data.draw(st.integers(start, len(words)))
        part, slow = mapped(words)[start:stop], {word: row for row, word in enumerate(words[start:stop])}
        assert isinstance(part, MappedWords)
        for word in (*words, *asked, *(word.lower() for word in words), *(word + "a" for word in words)):
            assert part.by_word.get(word) == slow.get(word)
            assert (word in part) == (word in slow)
        assert dict(part.by_word) == slow


@given(words=st.lists(WORD, min_size=1, max_size=30, unique=True), asked=st.lists(WORD, max_size=10))
def test_look_up_on_disk_finds_what_look_up_in_memory_finds(words: list[str], asked: list[str]) -> None:
    matrix = np.arange(1, 2 * len(words) + 1, dtype=np.float32).reshape(-1, 2)
    on_disk, in_memory = WordVectors(mapped(words), matrix), WordVectors(words, matrix)
    first, second = (vectors.lookup([*asked, "new york", words[0].title()]) for vectors in (on_disk, in_memory))
    assert (first.found, first.tokens, first.missing) == (second.found, second.tokens, second.missing)
    np.testing.assert_array_equal(first.vectors, second.vectors)
    assert on_disk.fingerprint == in_memory.fingerprint


@pytest.mark.parametrize("chunk", [1, 2, 100])
def test_words_on_disk_behave_like_a_list(chunk: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mapped_words, "CHUNK", chunk)
    words = mapped(WORDS)
    assert len(words) == len(WORDS)
    assert list(words) == WORDS
    assert list(reversed(words)) == WORDS[::-1]
    assert repr(words) == repr(WORDS)
    for row in range(-len(WORDS), len(WORDS)):
        assert words[row] == WORDS[row]
    for start in (None, -3, 0, 2, 50):
        for stop in (None, -2, 0, 5, 50):
            for step in (None, 1, 2, -1):
                assert words[start:stop:step] == WORDS[start:stop:step]
    assert words[2:][1:3][0] == WORDS[3]
    for row in (len(WORDS), -len(WORDS) - 1):
        with pytest.raises(IndexError):
            words[row]


def test_words_on_disk_are_found_counted_and_compared() -> None:
    words = mapped(WORDS)
    assert words.index("日本") == 3
    assert words[2:].index("日本") == 1
    assert words.count("The") == 1
    assert words.count("THE") == 0
    assert 5 not in words
    for start, stop in ((4, 9), (0, 3)):
        with pytest.raises(ValueError):
            words.index("日本", start, stop)
    with pytest.raises(KeyError):
        words.by_word["nobody"]
    assert words == mapped(WORDS) == WORDS
    assert words not in (WORDS[:-1], [*WORDS[:-1], "y"], tuple(WORDS))
    assert repr(mapped([f"w{i}" for i in range(1234)])) == "<1,234 words: 'w0', 'w1', 'w2', …>"


def test_words_and_their_index_can_be_sent_to_another_process() -> None:
    part = pickle.loads(pickle.dumps(mapped(WORDS)[1:6]))
    assert part == WORDS[1:6]
    assert pickle.loads(pickle.dumps(part.by_word))["日本"] == 2


def test_a_word_with_a_line_end_is_refused_by_name() -> None:
    with pytest.raises(VectorsError, match=r"'b\\nc' contains a line end"):
        table_of(["a", "b\nc"])


def test_the_arrays_of_a_table_take_four_bytes_a_word_each() -> None:
    table: Table = table_of(WORDS)
    assert [part.itemsize for part in table] == [4, 4, 4, 1]
    assert table.hashes.tolist() == sorted(table.hashes.tolist())


def test_mapped_words_look_like_a_list() -> None:
    words = MappedWords(table_of(["the", "of", "and"]))
    assert (repr(words), words[1], words[1:], words == ["the", "of", "and"], words.by_word["and"]) == (
        "['the', 'of', 'and']", "of", ["of", "and"], True, 2
    )  # fmt: skip

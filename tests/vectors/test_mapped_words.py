"""Words on disk: a log that knows a repeat, a sequence like any other, an index that agrees with a dict."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from contextlib import suppress

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from aslant.errors import VectorsError
from aslant.vectors import WordVectors, mapped_words, word_log
from aslant.vectors.mapped_words import MappedWords, Table, table_of
from aslant.vectors.word_log import WordLog

PATCHING = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
#: Few letters, so that words repeat; cases, accents, other scripts, what is no character, line ends.
ANY_WORD = st.text(st.sampled_from("aAbéÉ日🙂 _\ud800\n"), max_size=4)
WORD = st.text(st.sampled_from("aAbéÉ日🙂 _\u2028"), min_size=1, max_size=5)
WORDS = ["the", "The", "naïve", "日本", "new_york", "🙂", "e\u0301", "a\u00a0b", "x"]
#: None: as it is. Otherwise words collide: all of them, or those of one length.
HASHES: list[Callable[..., int] | None] = [None, lambda word: 7, len]


def mapped(words: list[str]) -> MappedWords:
    log = WordLog()
    for start in range(0, len(words), 4):
        log.add(words[start : start + 4])
    return MappedWords(table_of(log))


@pytest.mark.parametrize("hashing", HASHES)
@PATCHING
@given(blocks=st.lists(st.lists(ANY_WORD, max_size=9), max_size=6))
def test_a_repeat_is_known_whatever_the_hashes(
    hashing: Callable[..., int] | None, blocks: list[list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    log, seen = WordLog(), list[str]()
    with monkeypatch.context() as patch:
        if hashing:
            patch.setattr(word_log, "word_hash", hashing)
        for block in blocks:
            expected = [i for i, word in enumerate(block) if word in seen or word in block[:i]]
            assert log.repeated(block) == expected
            new = [word for i, word in enumerate(block) if i not in expected]
            log.add(new)
            seen += new
    assert len(log) == len(seen)
    kept = [(text, [0, *(ends[:-1] + 1).tolist()], ends.tolist()) for text, ends in log.lines()]
    tokens = [text[start:end] for text, starts, ends in kept for start, end in zip(starts, ends, strict=True)]
    assert [token.decode("utf-8", "surrogatepass") for token in tokens] == seen


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
            patch.setattr(mapped_words, "token_hash", hashing)
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
        with pytest.raises(ValueError, match="日本"):
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


@settings(max_examples=300, deadline=None)
@given(
    part=st.sampled_from(["text", "ends", "hashes", "rows"]),
    changes=st.lists(st.tuples(st.integers(0, 10**6), st.integers(0, 2**32 - 1) | st.integers(0, 10)), min_size=1),
)
def test_no_fault_of_the_arrays_gives_a_wrong_row(part: str, changes: list[tuple[int, int]]) -> None:
    table = table_of(_log(WORDS))
    array = getattr(table, part).copy()
    for place, value in changes:
        array[place % len(array)] = value % (256 if part == "text" else 2**32)
    damaged = MappedWords(table._replace(**{part: array}))
    for word in (*WORDS, "nobody"):
        with suppress(VectorsError):
            row = damaged.by_word.get(word)
            assert row is None or damaged[row] == word
    with suppress(VectorsError):
        assert len(list(damaged)) == len(WORDS)


def _log(words: list[str]) -> WordLog:
    log = WordLog()
    log.add(words)
    return log


def test_a_word_with_a_line_end_is_refused_by_name() -> None:
    with pytest.raises(VectorsError, match=r"'b\\nc' contains a line end"):
        table_of(_log(["a", "b\nc"]))


def test_words_of_one_hash_are_searched_not_gone_through(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mapped_words, "token_hash", lambda token: 7)
    words = mapped([f"w{i}" for i in range(4096)])
    looked_at = list[int]()
    token = words.token
    monkeypatch.setattr(words, "token", lambda row: looked_at.append(row) or token(row))
    assert words.by_word["w1234"] == 1234
    assert len(looked_at) <= 14


def test_the_arrays_of_a_table_take_four_bytes_a_word_each() -> None:
    table: Table = table_of(_log(WORDS))
    assert [part.itemsize for part in table] == [1, 4, 4, 4]
    assert table.hashes.tolist() == sorted(table.hashes.tolist())

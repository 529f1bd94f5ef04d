"""Embeddings that are in memory: frames, dicts, pairs; what is not one is refused with what to do."""

from __future__ import annotations

import io
from typing import Any

import numpy as np
import polars as pl
import pytest

import aslant
from aslant.errors import VectorsError

WORDS = ["he", "she", "nurse"]
MATRIX = np.array([[1.0, 0.0], [0.0, 1.0], [0.5, 0.5]], np.float32)
COLUMNS = {"word": WORDS, "x": MATRIX[:, 0], "y": MATRIX[:, 1]}


def pandas_frame(**columns: Any) -> Any:
    return pytest.importorskip("pandas").DataFrame(columns)


@pytest.mark.parametrize(
    ("source", "name"),
    [
        (dict(zip(WORDS, MATRIX, strict=True)), "dict"),
        (dict(zip(WORDS, MATRIX.tolist(), strict=True)), "dict"),
        ((WORDS, MATRIX), "arrays"),
        ((np.array(WORDS), MATRIX.tolist()), "arrays"),
        (pl.DataFrame(COLUMNS), "DataFrame"),
        (pl.DataFrame({"n": WORDS, "vector": MATRIX.tolist()}), "DataFrame"),
        (pl.DataFrame({**COLUMNS, "tag": ["p", "p", "n"]}), "DataFrame"),
        (pl.DataFrame(COLUMNS).with_columns(pl.col("word").cast(pl.Categorical)), "DataFrame"),
    ],
)
def test_words_in_memory_are_taken(source: Any, name: str) -> None:
    v = aslant.load(source)
    assert list(v.words) == WORDS
    np.testing.assert_array_equal(v.matrix, MATRIX)
    assert v.name == name
    assert list(aslant.load(source, top=2).words) == WORDS[:2]


def test_pandas_frames_give_a_column_or_their_index() -> None:
    frame = pandas_frame(**COLUMNS)
    whole = pandas_frame(word=WORDS, vector=list(MATRIX))
    for source in (frame, frame.set_index("word"), frame.set_index("word", drop=False), whole):
        v = aslant.load(source)
        assert list(v.words) == WORDS
        np.testing.assert_array_equal(v.matrix, MATRIX)


def test_pandas_columns_without_names_are_numbered_and_taken() -> None:
    pandas = pytest.importorskip("pandas")
    numbered = pandas.DataFrame(MATRIX)
    whole = pandas.DataFrame({0: WORDS, 1: list(MATRIX)})
    for source in (numbered.set_index([WORDS]), numbered.assign(word=WORDS), whole):
        v = aslant.load(source)
        assert list(v.words) == WORDS
        np.testing.assert_array_equal(v.matrix, MATRIX)


def test_words_that_pandas_reads_as_missing_are_left_out_and_counted() -> None:
    pandas = pytest.importorskip("pandas")
    text = "".join(f"{word} {row[0]} {row[1]}\n" for word, row in zip(["he", "null", "she"], MATRIX, strict=True))
    for column in (0, None):
        v = aslant.load(pandas.read_csv(io.StringIO(text), sep=" ", header=None, index_col=column))
        assert list(v.words) == ["he", "she"]
        assert v.repairs == {"empty words left out": 1}


def test_columns_of_the_same_name_are_refused() -> None:
    frame = pytest.importorskip("pandas").DataFrame(MATRIX, index=WORDS, columns=["x", "x"])
    with pytest.raises(VectorsError, match="several columns of the same name; rename them"):
        aslant.load(frame)


def test_a_missing_word_or_number_in_a_frame_is_left_out_and_counted() -> None:
    words = [*map(str, range(20)), None, "gap"]
    numbers = [*range(1, 22), None]
    v = aslant.load(pl.DataFrame({"word": words, "x": numbers}))
    assert v.repairs == {"empty words left out": 1, "vectors with NaN or infinity left out": 1}


@pytest.mark.parametrize(
    ("source", "said"),
    [
        (MATRIX, r"an array of shape \(3, 2\) does not say which words its rows are; give \(words, array\)"),
        (np.array(3.0), r"an array of shape \(\) does not say"),
        ({}, "a dict without words was given"),
        ({"he": [1.0, 2.0], "she": [1.0]}, "do not make a matrix: their lengths are 1 to 2"),
        ({"he": "one", "she": "two"}, "are not an array of numbers|have shape"),
        ({1: [1.0, 2.0]}, "the word 1 is of type int; words must be strings"),
        ({"he": 1.0}, "have shape"),
        ((WORDS, MATRIX[:2]), "3 words but 2 vectors"),
        ((3, MATRIX), "3 is not a list of words"),
        (pl.DataFrame({"x": [1.0], "y": [2.0]}), "has no column of words .'x', 'y'.; give a column of text"),
        (pl.DataFrame({"a": ["he"], "b": ["she"], "x": [1.0]}), "several columns of text .'a', 'b'."),
        (pl.DataFrame({"word": ["he"]}), "no columns of numbers"),
        (pl.DataFrame(COLUMNS).lazy(), "cannot load a LazyFrame"),
        (object(), "cannot load an object; give a path"),
    ],
)
def test_what_is_not_vectors_is_refused_with_what_to_do(source: Any, said: str) -> None:
    with pytest.raises(VectorsError, match=said) as caught:
        aslant.load(source)
    assert "\n" not in str(caught.value)


def test_a_measure_takes_a_frame() -> None:
    sample = aslant.load(top=3000)
    frame = pl.DataFrame({"word": list(sample.words), **{f"d{i}": sample.matrix[:, i] for i in range(100)}})
    classes, words = ["she", "he"], ["king", "president"]
    told = aslant.polarity(frame, classes, words, chance=0)
    same = aslant.polarity(sample, classes, words, chance=0)
    assert told.by_word == same.by_word
    assert told.provenance.representation.fingerprint == sample.fingerprint
    assert told.provenance.representation.format == "data frame"

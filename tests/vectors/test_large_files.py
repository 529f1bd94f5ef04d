"""Files larger than memory: they are read once, in blocks, and nothing is held that is not needed."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import aslant
from aslant.errors import VectorsError
from aslant.io import memory_maps as paging
from aslant.vectors import WordVectors
from aslant.vectors import cache as vector_cache
from aslant.vectors.debiasing_record import Treatment, WordsTaken
from aslant.vectors.formats import aslant_file
from aslant.vectors.mapped_words import MappedWords
from aslant.vectors.rows import DUPLICATE, EMPTY, ZERO
from embedding_files import MATRIX, WORDS
from embedding_files import text as as_text


@pytest.fixture
def all_are_large(monkeypatch: pytest.MonkeyPatch) -> None:
    """Treat every file as one that is too large for memory."""
    monkeypatch.setattr(paging, "LARGE", 0)
    monkeypatch.setattr(paging, "HELD", 0)


def npy(folder: Path, words: list[str] = WORDS, matrix: NDArray[Any] = MATRIX) -> Path:
    path = folder / "vectors.npy"
    np.save(path, matrix)
    path.with_suffix(".words").write_text("".join(f"{word}\n" for word in words), encoding="utf-8", newline="")
    return path


def safetensors(folder: Path, words: list[str] = WORDS, matrix: NDArray[Any] = MATRIX) -> Path:
    path = folder / "vectors.safetensors"
    with path.open("wb") as file:
        aslant_file.dump(file, words, matrix, {})
    return path


WRITERS = {"npy": npy, "safetensors": safetensors}
OTHER_NUMBERS: dict[str, NDArray[Any]] = {
    "double": MATRIX.astype(np.float64),
    "half": MATRIX.astype(np.float16),
    "columns first": np.asfortranarray(MATRIX),
    "big-endian": MATRIX.astype(">f4"),
    "whole": np.arange(1, 57, dtype=np.int16).reshape(28, 2),
}


def alike(first: WordVectors, second: WordVectors) -> None:
    assert list(first.words) == list(second.words)
    np.testing.assert_array_equal(first.matrix, second.matrix)
    assert first.record() == second.record()


def no_reading(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vector_cache, "Sieve", lambda top: pytest.fail("the file was read again"))


@pytest.mark.parametrize("top", [None, 1, 5, 10**9])
@pytest.mark.parametrize("kind", WRITERS)
def test_a_large_file_is_read_once_and_mapped_from_the_cache(
    kind: str, top: int | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = WRITERS[kind](tmp_path)
    small = aslant.load(path, top=top)
    monkeypatch.setattr(paging, "LARGE", 0)
    first = aslant.load(path, top=top)
    no_reading(monkeypatch)
    second = aslant.load(path, top=top)
    for loaded in (first, second):
        assert isinstance(loaded.words, MappedWords)
        assert isinstance(loaded.matrix, np.memmap)
        alike(loaded, small)


@pytest.mark.parametrize("top", [None, 2, 3, 4])
@pytest.mark.parametrize("kind", WRITERS)
def test_a_large_file_that_needs_mending_is_copied_mended(
    kind: str, top: int | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    words, matrix = ["a", "b", "a", "", "c", "d"], MATRIX[:6].copy()
    matrix[4] = 0
    path = WRITERS[kind](tmp_path, words, matrix)
    small = aslant.load(path, top=top)
    assert top == 2 or set(small.repairs) == {DUPLICATE, EMPTY, ZERO}
    monkeypatch.setattr(paging, "LARGE", 0)
    for _ in range(2):
        alike(aslant.load(path, top=top), small)


@pytest.mark.parametrize("kind", OTHER_NUMBERS)
def test_large_arrays_of_other_numbers_are_converted_block_by_block(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = npy(tmp_path, WORDS, OTHER_NUMBERS[kind])
    small = aslant.load(path)
    monkeypatch.setattr(paging, "LARGE", 0)
    for _ in range(2):
        loaded = aslant.load(path)
        assert loaded.matrix.dtype == np.float32
        alike(loaded, small)


@pytest.mark.usefixtures("all_are_large")
def test_a_changed_list_of_words_is_read_again(tmp_path: Path) -> None:
    path = npy(tmp_path)
    assert aslant.load(path).words == WORDS
    npy(tmp_path, WORDS[::-1])
    os.utime(path.with_suffix(".words"), ns=(1, 1))
    assert aslant.load(path).words == WORDS[::-1]


@pytest.mark.parametrize("ending", [b"\r\n", b"\n", b"\n\n"])
@pytest.mark.parametrize("content", [b"\xef\xbb\xbfthe\r\nof", b"the\nof", b"the\nof\r", b"the", b"the\nof\nto"])
def test_a_list_of_words_is_read_alike_in_large_and_small(
    content: bytes, ending: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = npy(tmp_path, ["the", "of"], MATRIX[:2])
    path.with_suffix(".words").write_bytes(content + ending)
    answers: list[Any] = []
    for large in (1 << 60, 0):
        monkeypatch.setattr(paging, "LARGE", large)
        try:
            answers.append((list(aslant.load(path).words), aslant.load(path).repairs))
        except VectorsError as error:
            answers.append(str(error))
    assert answers[0] == answers[1]


@pytest.mark.usefixtures("all_are_large")
def test_a_large_list_of_words_that_is_not_utf8_is_refused(tmp_path: Path, cache: Path) -> None:
    path = npy(tmp_path, ["the", "of"], MATRIX[:2])
    path.with_suffix(".words").write_bytes(b"the\n\xff\n")
    with pytest.raises(VectorsError, match=r"'vectors.words' is not UTF-8 text"):
        aslant.load(path)
    assert not list(cache.rglob("*.*"))


@pytest.mark.usefixtures("all_are_large")
def test_a_file_that_is_cut_after_it_was_kept_is_refused(tmp_path: Path) -> None:
    path = safetensors(tmp_path)
    aslant.load(path)
    path.write_bytes(path.read_bytes()[:-8])
    with pytest.raises(VectorsError, match="not a complete safetensors file"):
        aslant.load(path)


def test_what_was_done_to_large_vectors_is_kept_in_full(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    taken = WordsTaken("pairs", "own", 2, tuple(f"word{i}" for i in range(3000)))
    v = WordVectors.from_arrays([*WORDS, "the"], np.concatenate([MATRIX, MATRIX[:1]]))
    w = v.treated(v.matrix * 2, Treatment("doubled", {}, (taken,), None))
    w.save(tmp_path / "w.safetensors")
    small = aslant.load(tmp_path / "w.safetensors")
    assert small.repairs == {DUPLICATE: 1}
    assert small.treatments == w.treatments
    monkeypatch.setattr(paging, "LARGE", 0)
    for _ in range(2):
        alike(aslant.load(tmp_path / "w.safetensors"), small)


# The index in the cache


def test_any_change_of_words_or_index_is_noticed(tmp_path: Path, cache: Path) -> None:
    path = tmp_path / "glove.txt"
    path.write_bytes(as_text(WORDS, MATRIX))
    aslant.load(path)
    (kept,) = cache.rglob("*.safetensors")
    whole = kept.read_bytes()
    start = whole.index(MATRIX.tobytes()) + MATRIX.nbytes
    for place in range(start, len(whole), 3):
        kept.write_bytes(whole[:place] + bytes([whole[place] ^ 0x20]) + whole[place + 1 :])
        assert vector_cache.find(kept.stem, None, "x", lambda: MATRIX) is None, place
    kept.write_bytes(whole)
    assert vector_cache.find(kept.stem, None, "x", lambda: MATRIX) is not None


def test_a_cache_file_without_an_index_is_old_and_built_again(tmp_path: Path, cache: Path) -> None:
    path = tmp_path / "glove.txt"
    path.write_bytes(as_text(WORDS, MATRIX))
    aslant.load(path)
    (kept,) = cache.rglob("*.safetensors")
    whole = kept.read_bytes()
    with kept.open("wb") as file:
        aslant_file.dump(file, WORDS, MATRIX, {"format": "GloVe text"})
    assert aslant.load(path).words == WORDS
    assert kept.read_bytes() == whole


def test_the_cache_file_is_one_that_safetensors_itself_opens(tmp_path: Path, cache: Path) -> None:
    from safetensors.numpy import load_file

    path = tmp_path / "glove.txt"
    path.write_bytes(as_text(WORDS, MATRIX))
    loaded = aslant.load(path)
    (kept,) = cache.rglob("*.safetensors")
    tensors = load_file(kept)
    np.testing.assert_array_equal(tensors["matrix"], loaded.matrix)
    assert tensors["words"].tobytes().decode().split("\n") == WORDS
    assert sorted(tensors["rows"].tolist()) == list(range(len(WORDS)))


# Memory

PROBE = """
import json, sys
import numpy, polars, aslant
from aslant.vectors.formats import aslant_file

def own():
    return int(open("/proc/self/status").read().split("RssAnon:")[1].split()[0]) << 10

aslant.load(top=100).lookup(["the"])
start, peak = own(), 0
write, finish = aslant_file.Writer.write, aslant_file.Writer.finish
def watched(method):
    def call(*arguments):
        global peak
        method(*arguments)
        peak = max(peak, own())
    return call
aslant_file.Writer.write, aslant_file.Writer.finish = watched(write), watched(finish)
v = aslant.load(sys.argv[1])
found = len(v.lookup([f"word{i}" for i in range(0, len(v), 997)] + ["nobody"]).found)
v.fingerprint
print(json.dumps([v.matrix.nbytes, found, (peak or own()) - start]))
"""


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="needs Linux's account of memory")
def test_memory_does_not_grow_with_the_file(tmp_path: Path) -> None:
    count, dimensions = 300_000, 100
    path = tmp_path / "vectors.bin"
    with path.open("wb") as file:
        file.write(f"{count} {dimensions}\n".encode())
        row = np.ones(dimensions, np.float32).tobytes()
        for start in range(0, count, 10_000):
            file.write(b"".join(b"word%d %b" % (i, row) for i in range(start, start + 10_000)))
    building, opening = (
        json.loads(
            subprocess.run(
                [sys.executable, "-c", PROBE, str(path)], capture_output=True, check=True, timeout=600
            ).stdout
        )
        for _ in range(2)
    )
    assert building[:2] == opening[:2] == [4 * count * dimensions, 301]
    assert building[2] < building[0] / 2  # the words, and not the vectors
    assert opening[2] < opening[0] / 20

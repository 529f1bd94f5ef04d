"""Vectors are identified by all of their content: one changed row shows, wherever it is and however they are held."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

import aslant
from aslant.vectors import WordVectors

WORDS = [f"word{number}" for number in range(6_000)]
MATRIX = np.random.default_rng(0).normal(size=(6_000, 8)).astype(np.float32)


def changed(row: int) -> WordVectors:
    matrix = MATRIX.copy()
    matrix[row, row % 8] += np.float32(1e-6) + abs(matrix[row, row % 8]) * np.float32(1e-6)
    return WordVectors.from_arrays(WORDS, matrix)


def test_one_changed_row_in_memory_is_noticed_in_every_trial() -> None:
    before = WordVectors.from_arrays(WORDS, MATRIX).fingerprint
    rows = np.random.default_rng(1).choice(len(WORDS), 20, replace=False).tolist()
    assert len({before, *(changed(row).fingerprint for row in rows)}) == 21


def test_no_number_changes_under_an_identity() -> None:
    v = WordVectors.from_arrays(WORDS, MATRIX.copy())
    with pytest.raises(ValueError, match="read-only"):
        v.matrix[0, 0] = 1


@pytest.mark.parametrize("suffix", [".txt", ".bin", ".safetensors"])
def test_one_changed_row_in_a_file_is_noticed_in_every_trial(suffix: str, tmp_path: Path) -> None:
    path, prints = tmp_path / f"v{suffix}", set()
    for row in np.random.default_rng(2).choice(len(WORDS), 20, replace=False).tolist():
        changed(row).save(path)
        prints.add(aslant.load(path).fingerprint)
    assert len(prints) == 20


def test_a_row_that_changed_under_the_same_size_and_time_is_noticed(tmp_path: Path) -> None:
    path = tmp_path / "v.bin"
    WordVectors.from_arrays(WORDS, MATRIX).save(path)
    times, before = path.stat(), aslant.load(path).fingerprint
    with path.open("r+b") as file:
        file.seek(path.stat().st_size * 3 // 10)
        file.write(b"\x01")
    os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))
    assert path.stat().st_size == times.st_size
    assert aslant.load(path).fingerprint != before


def test_the_cache_knows_the_identity_of_what_it_holds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "v.txt"
    WordVectors.from_arrays(WORDS, MATRIX).save(path)
    whole, few = aslant.load(path).fingerprint, aslant.load(path, top=4_000).fingerprint
    assert few == WordVectors.from_arrays(WORDS[:4_000], MATRIX[:4_000]).fingerprint
    asked: list[int] = []
    monkeypatch.setattr("aslant.vectors.word_vectors.content_of", lambda words, _: asked.append(len(words)) or "0" * 32)
    again = aslant.load(path)
    assert again.fingerprint == whole  # without reading a row
    assert not asked
    assert aslant.load(path, top=4_000).fingerprint == "0" * 12  # that of the first words is made from them
    assert asked == [4_000]


def test_words_count_as_much_as_numbers() -> None:
    swapped = [WORDS[1], WORDS[0], *WORDS[2:]]
    assert WordVectors.from_arrays(swapped, MATRIX).fingerprint != WordVectors.from_arrays(WORDS, MATRIX).fingerprint

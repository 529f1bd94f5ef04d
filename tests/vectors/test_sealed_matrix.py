"""Claims about cached matrices: damage to any row is noticed when the row is read, and mended from the file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import aslant
from aslant.data import cache_folder
from aslant.errors import VectorsError
from aslant.vectors.sealed_matrix import SealedMatrix, sums_of

KEYS: list[Any] = [3, -1, slice(2, 9), slice(None), [4, 1, 1], np.array([0, 19]), np.arange(20) % 3 == 0, (5, 1),
    (slice(None), 2), (slice(0, 4), slice(1, 3)), (np.array([1, 2]), np.array([0, 3])), ..., None]  # fmt: skip


def embedding(folder: Path) -> tuple[Path, np.ndarray[Any, Any]]:
    matrix = np.random.default_rng(0).standard_normal((20, 6)).astype(np.float32)
    path = folder / "v.txt"
    path.write_text("".join(f"w{i} {' '.join(map(repr, map(float, row)))}\n" for i, row in enumerate(matrix)))
    return path, matrix


def damage(row: int, column: int, matrix: np.ndarray[Any, Any]) -> Path:
    """Flip a bit of one number in the one cached file."""
    (file,) = (cache_folder() / "vectors").glob("*.safetensors")
    content = bytearray(file.read_bytes())
    at = bytes(content).index(matrix.tobytes()) + (row * matrix.shape[1] + column) * 4
    content[at + 2] ^= 0x10
    file.write_bytes(content)
    return file


@given(st.integers(0, 19), st.integers(0, 5), st.integers(1, 2**32 - 1))
def test_a_row_in_which_one_number_was_changed_has_another_checksum(row: int, column: int, change: int) -> None:
    matrix = np.random.default_rng(0).standard_normal((20, 6)).astype(np.float32)
    other = matrix.copy()
    other.view(np.uint32)[row, column] ^= np.uint32(change)
    assert np.flatnonzero(sums_of(matrix) != sums_of(other)).tolist() == [row]


@pytest.mark.parametrize("key", KEYS, ids=str)
def test_a_cached_matrix_is_picked_from_like_any_other(key: Any, tmp_path: Path) -> None:
    path, matrix = embedding(tmp_path)
    aslant.load(path)
    cached = aslant.load(path).matrix
    assert isinstance(cached, SealedMatrix)
    found = cached[key]
    assert np.array_equal(found, matrix[key])
    assert type(found) is not SealedMatrix
    assert np.array_equal(cached @ matrix.T, matrix @ matrix.T)
    assert np.array_equal(np.concatenate([cached, matrix]), np.concatenate([matrix, matrix]))
    assert np.array_equal(np.linalg.norm(cached, axis=1), np.linalg.norm(matrix, axis=1))
    assert np.array_equal(cached.mean(axis=0), matrix.mean(axis=0))


@pytest.mark.parametrize("compute", [lambda m: m @ np.ones(6, np.float32), np.linalg.norm, lambda m: np.stack([m, m])])
def test_what_is_computed_from_a_damaged_matrix_is_right(compute: Any, tmp_path: Path) -> None:
    path, matrix = embedding(tmp_path)
    aslant.load(path)
    damage(7, 3, matrix)
    with pytest.warns(UserWarning, match="was damaged"):
        found = compute(aslant.load(path).matrix)
    assert np.array_equal(found, compute(matrix))


@pytest.mark.parametrize("key", [7, slice(0, 20), [7], (slice(None), 0)], ids=str)
def test_a_damaged_row_is_noticed_and_the_cache_made_again(key: Any, tmp_path: Path) -> None:
    path, matrix = embedding(tmp_path)
    aslant.load(path)
    damage(7, 3, matrix)
    cached = aslant.load(path)
    assert np.array_equal(cached.matrix[[6, 8]], matrix[[6, 8]])  # rows that are whole are read as they are
    with pytest.warns(UserWarning, match=r"the cache of 'v\.txt' was damaged and is being rebuilt"):
        found = cached.matrix[key]
    assert np.array_equal(found, matrix[key])
    assert np.array_equal(cached.lookup(["w7", "w8"]).vectors, matrix[[7, 8]])
    assert np.array_equal(aslant.load(path).matrix[:], matrix)


def test_a_damaged_cache_of_a_file_that_is_gone_is_one_sentence(tmp_path: Path) -> None:
    path, matrix = embedding(tmp_path)
    aslant.load(path)
    damage(7, 3, matrix)
    cached = aslant.load(path)
    path.unlink()
    with (
        pytest.warns(UserWarning, match="was damaged"),
        pytest.raises(VectorsError, match="has changed since it was made; load it again"),
    ):
        cached.lookup(["w7"])


def test_arrays_made_from_a_cached_matrix_are_plain(tmp_path: Path) -> None:
    path, matrix = embedding(tmp_path)
    aslant.load(path)
    cached = aslant.load(path).matrix
    centred = cached.copy()
    centred -= centred.mean(axis=0)
    assert np.array_equal(centred, matrix - matrix.mean(axis=0))
    wide = cached.astype(np.float64)
    wide /= 2
    assert np.array_equal(wide, matrix.astype(np.float64) / 2)
    assert np.sum(cached, axis=(0, 1)) == np.sum(matrix, axis=(0, 1))
    assert np.linalg.norm(cached, axis=(0, 1)) == np.linalg.norm(matrix, axis=(0, 1))


def test_a_damaged_cache_that_cannot_be_written_is_done_without(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, matrix = embedding(tmp_path)
    aslant.load(path)
    damage(7, 3, matrix)
    cached = aslant.load(path)

    def refused(*_: Any, **__: Any) -> None:
        raise OSError(30, "Read-only file system")

    monkeypatch.setattr(Path, "unlink", refused)
    with pytest.warns(UserWarning, match="was damaged"):
        assert np.array_equal(cached.lookup(["w7"]).vectors, matrix[[7]])


@pytest.mark.parametrize("told", [b"GloVe text", b"repairs", b"format", b"checksum"])
def test_no_byte_of_what_the_header_tells_changes_unseen(told: bytes, tmp_path: Path) -> None:
    path, _ = embedding(tmp_path)
    aslant.load(path)
    (file,) = (cache_folder() / "vectors").glob("*.safetensors")
    content = file.read_bytes()
    at = content.index(told)
    file.write_bytes(content[:at] + bytes([content[at] ^ 1]) + content[at + 1 :])
    assert aslant.load(path).record() == aslant.load(path, cache=False).record()
    assert file.read_bytes() == content  # made again

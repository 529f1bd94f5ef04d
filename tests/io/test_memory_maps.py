"""Pages of mapped files are given back without losing anything, and very large results are made on disk."""

from __future__ import annotations

import errno
import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import aslant
from aslant.io import memory_maps as paging

MATRIX = np.random.default_rng(0).normal(size=(500, 8)).astype(np.float32)


@pytest.fixture(autouse=True)
def small_is_large(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(paging, "LARGE", 0)
    monkeypatch.setattr(paging, "HELD", 0)


@pytest.mark.parametrize("mode", ["r", "r+", "c"])
def test_nothing_is_lost_when_pages_are_given_back(mode: Any, tmp_path: Path) -> None:
    MATRIX.tofile(tmp_path / "m")
    mapped = np.memmap(tmp_path / "m", np.float32, mode, shape=MATRIX.shape)
    expected = MATRIX.copy()
    if mode != "r":
        mapped[7] = expected[7] = 9  # in a copy-on-write mapping the only place where this is
    paging.release(mapped[3:400, 1:])
    paging.release(mapped)
    np.testing.assert_array_equal(mapped, expected)


def test_pages_are_given_back(tmp_path: Path) -> None:
    status = Path("/proc/self/status")
    if not status.exists():
        pytest.skip("needs Linux's account of memory")

    def of_files() -> int:
        return int(status.read_text().split("RssFile:")[1].split()[0]) << 10

    size = 64 << 20
    with (tmp_path / "m").open("wb") as file:
        file.write(bytes(size))
    mapped = np.memmap(tmp_path / "m", np.uint8, "r")
    before = of_files()
    assert not mapped.any()
    assert of_files() - before > size / 2
    paging.release(mapped)
    assert of_files() - before < size / 4


def test_picked_rows_are_a_copy_in_the_order_asked(tmp_path: Path) -> None:
    MATRIX.tofile(tmp_path / "m")
    mapped = np.memmap(tmp_path / "m", np.float32, "r", shape=MATRIX.shape)
    rows = np.random.default_rng(1).integers(0, 500, 3 * paging.PICKED + 1)
    picked = paging.picked_rows(mapped, rows)
    np.testing.assert_array_equal(picked, MATRIX[rows])
    assert not isinstance(picked, np.memmap)
    assert paging.picked_rows(mapped, rows[:0]).shape == (0, 8)


@pytest.mark.skipif(not hasattr(os, "posix_fallocate"), reason="needs posix_fallocate")
def test_a_large_result_is_made_in_a_file_without_a_name(tmp_path: Path) -> None:
    room = paging.room_for((500, 8), tmp_path / "new")
    assert isinstance(room, np.memmap)
    room[:] = MATRIX
    paging.release(room)
    np.testing.assert_array_equal(room, MATRIX)
    assert list((tmp_path / "new").iterdir()) == []


def test_without_room_on_the_disk_memory_has_to_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*args: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "posix_fallocate", full, raising=False)
    room = paging.room_for((500, 8), tmp_path)
    assert room.shape == (500, 8)
    assert not isinstance(room, np.memmap)
    assert list(tmp_path.iterdir()) == []


def test_debiasing_on_disk_gives_the_same_vectors_as_in_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    v = aslant.load(top=5000)
    on_disk = aslant.hard_debias(v)
    on_disk.save(tmp_path / "w.safetensors")
    monkeypatch.setattr(paging, "HELD", 1 << 60)
    in_memory = aslant.hard_debias(v)
    assert isinstance(on_disk.matrix, np.memmap)
    assert not isinstance(in_memory.matrix, np.memmap)
    assert on_disk.matrix.tobytes() == in_memory.matrix.tobytes()
    assert aslant.load(tmp_path / "w.safetensors").matrix.tobytes() == in_memory.matrix.tobytes()

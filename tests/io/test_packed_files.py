"""A packed file that has to be unpacked to disk: where there is no room, one sentence, and nothing is left."""

from __future__ import annotations

import errno
import gzip
import os
import tempfile
from pathlib import Path
from typing import Any

import pytest

from aslant.errors import AslantError
from aslant.io.packed_files import Location, most_unpacked, on_disk, open_stream, packing


@pytest.fixture
def packed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "tmp").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "tmp"))
    path = tmp_path / "v.bin.gz"
    path.write_bytes(gzip.compress(b"content" * 1000))
    return path


def unpack(path: Path) -> bytes:
    with open_stream(Location(path)) as stream, on_disk(stream) as plain:
        return plain.read_bytes()


def test_an_unpacked_copy_is_gone_after_use(packed: Path) -> None:
    assert unpack(packed) == b"content" * 1000
    assert list(packed.with_name("tmp").iterdir()) == []


def test_a_full_temporary_folder_is_one_sentence_and_nothing_is_left(
    packed: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make = tempfile.NamedTemporaryFile

    def full(*_: Any) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    def making(**options: Any) -> Any:
        made = make(**options)
        made.write = full  # type: ignore[assignment, method-assign]
        return made

    monkeypatch.setattr(tempfile, "NamedTemporaryFile", making)
    with pytest.raises(AslantError, match=r"unpacked into '.*tmp' \(No space left on device\); free some space there"):
        unpack(packed)
    assert list(packed.with_name("tmp").iterdir()) == []


def test_no_temporary_folder_at_all_is_one_sentence(packed: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def none(*_: Any, **__: Any) -> Any:
        raise FileNotFoundError(errno.ENOENT, "No usable temporary directory found")

    monkeypatch.setattr(tempfile, "gettempdir", none)
    monkeypatch.setattr(tempfile, "NamedTemporaryFile", none)
    with pytest.raises(AslantError, match=r"unpacked into any folder for temporary files \(No usable temporary dir"):
        unpack(packed)


def test_packing_is_known_by_its_first_bytes_and_limited() -> None:
    assert (packing(bytes([0x1F, 0x8B, 8])), packing(b"the 0.1 0.2")) == ("gzip", None)
    assert (most_unpacked(1 << 30) >> 30, most_unpacked(1000) >> 20) == (200, 256)

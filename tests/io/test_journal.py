"""What a journal keeps comes back as it was, or not at all; a full disk is one note, and the work goes on."""

from __future__ import annotations

import errno
import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from aslant.io.files import PARTIAL
from aslant.io.journal import Journal


def test_no_byte_of_a_kept_file_changes_unseen(tmp_path: Path) -> None:
    journal = Journal(tmp_path)
    journal.keep("k", {"x": np.arange(5), "y": np.array(0.5)})
    whole = (tmp_path / "k.npz").read_bytes()
    for place in range(len(whole)):
        (tmp_path / "k.npz").write_bytes(whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :])
        assert journal.recall("k") is None
    (tmp_path / "k.npz").write_bytes(whole)
    assert journal.recall("k")["x"].tolist() == [0, 1, 2, 3, 4]  # type: ignore[index]


def test_a_full_disk_is_said_once_and_leaves_what_was_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    journal = Journal(tmp_path)
    journal.keep("k", {"x": np.arange(5)})

    def full(*_: Any) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr("aslant.io.journal.sealed", full)
    with pytest.warns(UserWarning, match="no journal is kept, because .* cannot be written: .*No space left"):
        journal.keep("k", {"x": np.zeros(9)})
    journal.keep("other", {"x": np.zeros(9)})  # a second warning would be an error
    assert [path.name for path in tmp_path.iterdir()] == ["k.npz"]
    assert journal.recall("k")["x"].tolist() == [0, 1, 2, 3, 4]  # type: ignore[index]
    assert not list(tmp_path.glob(f"*{PARTIAL}"))

"""What a journal keeps comes back as it was, or not at all; a full disk is one note, and the work goes on."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from aslant.io.journal import Journal


def test_arrays_come_back_as_they_were(tmp_path: Path) -> None:
    Journal(tmp_path).keep("k", {"x": np.arange(5), "y": np.array(0.5)})
    Journal(tmp_path).keep("k2", {"x": np.zeros(3)})
    found = Journal(tmp_path).recall("k")
    assert found is not None
    assert {name: array.tolist() for name, array in found.items()} == {"x": [0, 1, 2, 3, 4], "y": 0.5}
    assert Journal(tmp_path).recall("none") is None


def test_a_folder_that_cannot_be_written_is_said_once(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("mine")
    journal = Journal(tmp_path / "file")
    with pytest.warns(UserWarning, match="finished work is not kept, since .* cannot be written"):
        journal.keep("k", {"x": np.zeros(9)})
    journal.keep("other", {"x": np.zeros(9)})  # a second warning would be an error
    assert journal.recall("k") is None

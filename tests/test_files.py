"""A written file is whole or absent, and what stands at the path is treated as a user expects."""

from __future__ import annotations

import os
import stat
import threading
from pathlib import Path

import pytest

from slant.errors import SlantError
from slant.files import write_text, written_whole


def test_a_link_is_followed_and_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "real.txt").write_text("old", encoding="utf-8")
    (tmp_path / "link.txt").symlink_to("real.txt")
    write_text(tmp_path / "link.txt", "new")
    assert (tmp_path / "link.txt").is_symlink()
    assert (tmp_path / "real.txt").read_text(encoding="utf-8") == "new"


def test_the_mode_of_a_replaced_file_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("old", encoding="utf-8")
    path.chmod(0o640)
    write_text(path, "new")
    assert stat.S_IMODE(path.stat().st_mode) == 0o640


def test_a_pipe_is_written_to_and_stays_a_pipe(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    got: list[str] = []
    reader = threading.Thread(target=lambda: got.append(pipe.read_text(encoding="utf-8")))
    reader.start()
    write_text(pipe, "through")
    reader.join(10)
    assert got == ["through"]
    assert pipe.is_fifo()


def test_a_failure_leaves_the_old_file_and_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("old", encoding="utf-8")
    with pytest.raises(ZeroDivisionError), written_whole(path) as file:  # noqa: PT012
        file.write(b"half")
        raise ZeroDivisionError
    assert [entry.name for entry in tmp_path.iterdir()] == ["a.txt"]
    assert path.read_text(encoding="utf-8") == "old"


def test_a_folder_or_a_place_that_is_not_there_is_one_clear_error(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "nowhere" / "a.txt"):
        with pytest.raises(SlantError, match="cannot write"):
            write_text(path, "x")

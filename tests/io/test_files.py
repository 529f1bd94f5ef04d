"""A written file is whole or absent, and what stands at the path is treated as a user expects."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from aslant.errors import AslantError
from aslant.io.files import PARTIAL, STALE_SECONDS, sweep_partial, workplace, write_text, write_together, written_whole


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
        with pytest.raises(AslantError, match="cannot write"):
            write_text(path, "x")


DIES = """
import os, signal, sys
from pathlib import Path
from aslant.io.files import workplace, written_whole
folder = Path(sys.argv[1])
with written_whole(folder / "a.txt") as file, workplace(folder, "work") as work:
    file.write(b"half")
    file.flush()
    (work / "part").write_bytes(b"half")
    os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.parametrize("locks", [True, False])
def test_what_a_killed_process_left_is_swept_and_what_a_living_one_writes_is_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, locks: bool
) -> None:
    subprocess.run([sys.executable, "-c", DIES, str(tmp_path)], check=False)
    left = list(tmp_path.glob(f"*{PARTIAL}"))
    assert len(left) == 2
    if not locks:
        monkeypatch.setitem(sys.modules, "fcntl", None)
        sweep_partial(tmp_path)
        assert all(path.exists() for path in left), "their writers may be alive"
    for path in left:
        os.utime(path, (0, path.stat().st_mtime - (60 if locks else STALE_SECONDS + 60)))
    write_text(tmp_path / "b.txt", "another file")
    assert all(path.exists() for path in left), "a file sweeps after its own name only"
    with written_whole(tmp_path / "a.txt") as file, workplace(tmp_path, "work") as work:
        for path in tmp_path.glob(f"*{PARTIAL}") if locks else ():
            os.utime(path, (0, 0))  # however long they take: they are alive
        sweep_partial(tmp_path)
        assert not any(path.exists() for path in left)
        assert work.is_dir()
        file.write(b"written")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.txt", "b.txt"]


def test_in_a_folder_of_the_user_nothing_of_others_is_swept(tmp_path: Path) -> None:
    theirs = tmp_path / "download.partial"
    theirs.write_bytes(b"half")
    os.utime(theirs, (0, 0))
    write_text(tmp_path / "download", "ours")
    with workplace(tmp_path, "download"):
        pass
    assert theirs.exists()


def test_several_files_appear_together_or_not_at_all(tmp_path: Path) -> None:
    (tmp_path / "b.json").write_text("old", encoding="utf-8")
    (tmp_path / "c.html").mkdir()
    contents = {tmp_path / name: b"new" for name in ("a.csv", "b.json", "c.html")}
    with pytest.raises(AslantError, match=r"cannot write '.*c.html': Is a directory"):
        write_together(contents)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["b.json", "c.html"]
    assert (tmp_path / "b.json").read_text(encoding="utf-8") == "old"


def test_a_name_as_long_as_a_file_may_have_is_written(tmp_path: Path) -> None:
    write_text(tmp_path / ("x" * 250), "written")
    assert (tmp_path / ("x" * 250)).read_text(encoding="utf-8") == "written"

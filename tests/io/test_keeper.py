"""A keeper: what is kept comes back to the bit or not at all, whoever was killed and whatever became of the file."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from aslant.io.keeper import FILE, Keeper, database

BLOCKS = {f"step/{i}": bytes([i]) * 3000 for i in range(20)}


def test_no_byte_of_a_kept_file_changes_unseen(tmp_path: Path) -> None:
    keeper = Keeper(tmp_path)
    keeper.keep(BLOCKS)
    whole = (tmp_path / FILE).read_bytes()
    for place in range(0, len(whole), 311):
        (tmp_path / FILE).write_bytes(whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :])
        for found in (keeper.under("step/"), keeper.among(BLOCKS)):
            assert found.items() <= BLOCKS.items()


@pytest.mark.parametrize("content", [b"", b"my thesis", b"\xff" * 5000, None], ids=["empty", "text", "binary", "cut"])
def test_a_damaged_file_is_begun_anew(tmp_path: Path, content: bytes | None) -> None:
    keeper = Keeper(tmp_path)
    keeper.keep(BLOCKS)
    (tmp_path / FILE).write_bytes((tmp_path / FILE).read_bytes()[:6000] if content is None else content)
    assert keeper.under("step/") == {}
    assert keeper.keep({"step/1": b"new"})
    assert keeper.get("step/1") == b"new"


def test_a_database_of_something_else_is_left_as_it_is(tmp_path: Path) -> None:
    connection = sqlite3.connect(tmp_path / FILE)
    connection.execute("CREATE TABLE mine (x)")
    connection.close()
    before = (tmp_path / FILE).read_bytes()
    with pytest.warns(UserWarning, match="is a database of something else"):
        assert not Keeper(tmp_path).keep(BLOCKS)
    assert Keeper(tmp_path).under("") == {}
    assert (tmp_path / FILE).read_bytes() == before


KILLED = """
import sys
from aslant.io.keeper import Keeper
number = 0
while True:
    number += 1
    Keeper("r").keep({"a": bytes([number % 256]) * 50_000, "b": bytes([number % 256]) * 50_000})
    print(number, flush=True)
"""


def test_a_writer_that_is_killed_leaves_all_of_a_transaction_or_nothing(tmp_path: Path) -> None:
    for _ in range(4):
        started = subprocess.Popen([sys.executable, "-c", KILLED], cwd=tmp_path, stdout=subprocess.PIPE)
        assert started.stdout is not None
        started.stdout.readline()
        time.sleep(0.05)
        started.kill()
        told = started.communicate()[0].split()
        found = Keeper(tmp_path / "r").among(["a", "b"])
        assert found["a"] == found["b"]
        assert not told or found["a"][0] in (int(told[-1]) % 256, (int(told[-1]) + 1) % 256)


def test_several_may_write_at_once(tmp_path: Path) -> None:
    with ThreadPoolExecutor(4) as pool:
        done = list(pool.map(lambda i: Keeper(tmp_path / "r").keep({str(i): b"x"}), range(40)))
    assert all(done)
    assert len(Keeper(tmp_path / "r").under("")) == 40


def test_blocks_are_dropped(tmp_path: Path) -> None:
    keeper = Keeper(tmp_path)
    keeper.keep(BLOCKS)
    keeper.drop(["step/3", "none"])
    assert keeper.under("").keys() == BLOCKS.keys() - {"step/3"}


def test_a_reader_of_a_file_that_another_is_making_does_not_meet_its_lock(tmp_path: Path) -> None:
    path, schema = tmp_path / "a.db", ["CREATE TABLE a (x)"]
    with database(path, schema, write=True) as first, database(path, schema) as second:
        first.execute("INSERT INTO a VALUES (1)")
        assert second.execute("SELECT * FROM a").fetchall() == []
    with database(path, schema) as third:
        assert third.execute("SELECT * FROM a").fetchall() == [(1,)]

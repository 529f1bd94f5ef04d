"""The cache: a file that was read once is mapped from then on, and nothing half-written is ever seen."""

from __future__ import annotations

import errno
import multiprocessing
import os
import signal
import subprocess
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import aslant
from aslant import data
from aslant.errors import AslantError, VectorsError
from aslant.io.files import PARTIAL
from aslant.io.memory_maps import row_sums
from aslant.io.packed_files import Location
from aslant.vectors import cache as vector_cache
from aslant.vectors import rows
from aslant.vectors.formats import aslant_file, fasttext_binary, text, word2vec_binary
from embedding_files import FORMATS, MATRIX, PACKINGS, WORDS
from embedding_files import text as as_text


@pytest.fixture
def glove(tmp_path: Path) -> Path:
    path = tmp_path / "glove.txt"
    path.write_bytes(as_text(WORDS, MATRIX))
    return path


def files(cache: Path) -> list[str]:
    return sorted(path.name for path in cache.rglob("*") if path.is_file())


def no_reading(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*args: object) -> None:
        pytest.fail("the file was read again")

    for module in (text, word2vec_binary, fasttext_binary):
        monkeypatch.setattr(module, "read", refuse)


@pytest.mark.parametrize("packing", PACKINGS)
@pytest.mark.parametrize("name", ["glove", "word2vec-text", "word2vec-binary", "fasttext-binary"])
def test_the_second_load_does_not_read_the_file(
    name: str, packing: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "vectors"
    path.write_bytes(PACKINGS[packing](FORMATS[name](WORDS, MATRIX)))
    first = aslant.load(path)
    no_reading(monkeypatch)
    second = aslant.load(path)
    assert second.words == first.words == WORDS
    np.testing.assert_array_equal(second.matrix, MATRIX)
    assert isinstance(first.matrix.base, np.memmap)
    assert isinstance(second.matrix.base, np.memmap)
    assert second.record() == first.record()


def test_without_cache_nothing_is_written_or_used(glove: Path, cache: Path) -> None:
    aslant.load(glove, cache=False)
    assert files(cache) == []
    aslant.load(glove)
    assert not isinstance(aslant.load(glove, cache=False).matrix, np.memmap)


def test_the_cache_file_is_named_after_the_file(glove: Path, cache: Path) -> None:
    aslant.load(glove)
    (name,) = files(cache)
    assert name.startswith("glove.txt-")
    assert name.endswith(".safetensors")
    strange = glove.rename(glove.with_name("naïve / 日本".replace("/", "?") + "x" * 100))
    aslant.load(strange)
    assert len(files(cache)) == 2


def test_a_changed_file_is_read_again(glove: Path, cache: Path) -> None:
    aslant.load(glove)
    stat = glove.stat()
    other = as_text(WORDS[::-1], MATRIX)
    assert len(other) == stat.st_size
    glove.write_bytes(other)
    os.utime(glove, ns=(stat.st_atime_ns, stat.st_mtime_ns + 1))
    assert aslant.load(glove).words == WORDS[::-1]
    assert len(files(cache)) == 2


def test_changed_content_is_noticed_though_size_and_time_are_kept(glove: Path) -> None:
    aslant.load(glove)
    stat = glove.stat()
    glove.write_bytes(as_text(WORDS[::-1], MATRIX))
    os.utime(glove, ns=(stat.st_atime_ns, stat.st_mtime_ns))
    assert aslant.load(glove).words == WORDS[::-1]


def test_another_member_of_the_same_archive_is_another_file(tmp_path: Path) -> None:
    import zipfile

    path = tmp_path / "glove.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("a.txt", as_text(WORDS, MATRIX))
        archive.writestr("b.txt", as_text(WORDS[::-1], MATRIX))
    assert aslant.load(path / "a.txt").words == WORDS
    assert aslant.load(path / "b.txt").words == WORDS[::-1]
    assert aslant.load(path / "a.txt").words == WORDS


@pytest.mark.parametrize("damage", [b"", b"garbage", "cut", "zeroed header", "words"])
def test_a_damaged_cache_file_is_built_again(glove: Path, cache: Path, damage: bytes | str) -> None:
    aslant.load(glove)
    (cached,) = cache.rglob("*.safetensors")
    whole = cached.read_bytes()
    broken = {"cut": whole[:-1], "zeroed header": bytes(4096) + whole[4096:], "words": whole.replace(b"the\n", b"the ")}
    cached.write_bytes(damage if isinstance(damage, bytes) else broken[damage])
    assert aslant.load(glove).words == WORDS
    assert cached.read_bytes() == whole


def test_a_damaged_row_is_noticed_and_the_cache_made_again(glove: Path, cache: Path) -> None:
    aslant.load(glove)
    (cached,) = cache.rglob("*.safetensors")
    content = bytearray(cached.read_bytes())
    content[content.index(MATRIX.tobytes()) + MATRIX[:3].nbytes + 2] ^= 0x10
    cached.write_bytes(content)
    loaded = aslant.load(glove)
    assert np.array_equal(loaded.lookup(WORDS[:3]).vectors, MATRIX[:3])
    for part in (aslant.load(loaded, top=4), aslant.load(glove, words=WORDS[:3]), loaded.without_last(1)):
        assert part.lookup(WORDS[:3]).found == tuple(WORDS[:3])
    with pytest.warns(UserWarning, match=r"the cache of 'glove.*' was damaged and is being rebuilt"):
        assert np.array_equal(loaded.lookup([WORDS[3]]).vectors, MATRIX[3:4])
    assert np.array_equal(loaded.matrix, MATRIX)
    assert np.array_equal(aslant.load(glove).lookup(WORDS).vectors, MATRIX)


def test_a_damaged_cache_of_a_file_that_is_gone_is_one_sentence(glove: Path, cache: Path) -> None:
    aslant.load(glove)
    (cached,) = cache.rglob("*.safetensors")
    content = bytearray(cached.read_bytes())
    content[content.index(MATRIX.tobytes()) + 2] ^= 0x10
    cached.write_bytes(content)
    loaded = aslant.load(glove)
    glove.unlink()
    with (
        pytest.warns(UserWarning, match="was damaged"),
        pytest.raises(VectorsError, match="has changed since it was made; load it again"),
    ):
        loaded.lookup(WORDS[:1])


@given(st.integers(0, 19), st.integers(0, 5), st.integers(1, 2**32 - 1))
def test_a_row_in_which_one_number_was_changed_has_another_checksum(row: int, column: int, change: int) -> None:
    matrix = np.random.default_rng(0).standard_normal((20, 6)).astype(np.float32)
    other = matrix.copy()
    other.view(np.uint32)[row, column] ^= np.uint32(change)
    assert np.flatnonzero(row_sums(matrix) != row_sums(other)).tolist() == [row]


@pytest.mark.parametrize("told", [b"GloVe text", b"repairs", b"format", b"digest"])
def test_no_byte_of_what_the_header_tells_changes_unseen(told: bytes, glove: Path, cache: Path) -> None:
    aslant.load(glove)
    (cached,) = cache.rglob("*.safetensors")
    whole = cached.read_bytes()
    cached.write_bytes(whole.replace(told, told[:-1] + b"~", 1))
    assert aslant.load(glove).format == "GloVe text"
    assert cached.read_bytes() == whole


def test_a_cache_file_that_vanishes_meanwhile_is_built_again(glove: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    aslant.load(glove)
    ordinary = aslant_file.open_mapped
    calls: list[Path] = []

    def vanish(path: Path, **options: Any) -> Any:
        calls.append(path)
        if len(calls) == 1:
            path.unlink()
        return ordinary(path, **options)

    monkeypatch.setattr(aslant_file, "open_mapped", vanish)
    assert aslant.load(glove).words == WORDS


# top


def test_a_whole_file_in_the_cache_serves_any_top(glove: Path, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    aslant.load(glove)
    no_reading(monkeypatch)
    for top in (1, 5, len(WORDS), 10**9):
        loaded = aslant.load(glove, top=top)
        assert loaded.words == WORDS[:top]
        np.testing.assert_array_equal(loaded.matrix, MATRIX[:top])
    assert len(files(cache)) == 1


def test_a_part_in_the_cache_does_not_pass_for_the_whole(glove: Path, cache: Path) -> None:
    assert aslant.load(glove, top=3).words == WORDS[:3]
    assert aslant.load(glove, top=4).words == WORDS[:4]
    assert aslant.load(glove).words == WORDS
    assert len(files(cache)) == 3


# Faults while building


def broken_after_one_block(fault: BaseException) -> Any:
    def read(stream: Any) -> Iterator[rows.Block]:
        yield rows.Block(WORDS, MATRIX)
        raise fault

    return read


@pytest.mark.parametrize("fault", [KeyboardInterrupt(), MemoryError(), VectorsError("damaged"), RuntimeError("ours")])
def test_a_fault_half_way_leaves_nothing(
    glove: Path, cache: Path, fault: BaseException, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(text, "read", broken_after_one_block(fault))
        with pytest.raises(type(fault)):
            aslant.load(glove)
        assert files(cache) == []
    assert aslant.load(glove).words == WORDS


@pytest.mark.parametrize("method", ["write", "finish"])
def test_with_a_full_disk_the_file_is_read_without_a_cache_and_nothing_is_left(
    glove: Path, cache: Path, method: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*args: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patch:
        patch.setattr(aslant_file.Writer, method, full)
        with pytest.warns(UserWarning, match=r"is not cached \(No space left on device\); .* read again"):
            assert aslant.load(glove).words == WORDS
        assert files(cache) == []
        assert aslant.load(glove, cache=False).words == WORDS
    assert aslant.load(glove).words == WORDS


def test_a_cache_that_cannot_be_written_is_a_warning(
    glove: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ASLANT_CACHE", str(glove / "below" / "a" / "file"))
    for _ in range(2):
        with pytest.warns(UserWarning, match="is not cached .* the file is read again each time"):
            loaded = aslant.load(glove)
        assert loaded.words == WORDS
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert aslant.load(glove, cache=False).words == WORDS
    assert data.cache_entries() == []
    assert data.clear_cache() == (0, 0)
    assert list(tmp_path.iterdir()) == [glove]


KILLED = """
import os, signal, sys
import aslant
from aslant.vectors import rows
from aslant.vectors.formats import text
read = text.read
def half(stream):
    yield from read(stream)
    sys.stdout.write("half"); sys.stdout.flush()
    os.kill(os.getpid(), signal.SIGKILL)
text.read = half
aslant.load(sys.argv[1])
"""


def test_a_killed_process_leaves_no_visible_file(glove: Path, cache: Path) -> None:
    done = subprocess.run([sys.executable, "-c", KILLED, str(glove)], capture_output=True, timeout=600, check=False)
    assert done.returncode == -signal.SIGKILL, done.stderr
    assert done.stdout == b"half"
    (left,) = files(cache)
    assert left.endswith(PARTIAL)
    assert vector_cache.find(vector_cache.key_of(Location(glove)), None, "x", lambda: MATRIX) is None
    assert [entry.partial for entry in data.cache_entries()] == [True]
    (path,) = (cache / "vectors").iterdir()
    os.utime(path, (0, path.stat().st_mtime - 60))
    assert aslant.load(glove).words == WORDS  # the next file that is built sweeps what the dead left
    assert left not in files(cache)
    assert len(files(cache)) == 1


def _load_together(path: str, barrier: Any, results: Any) -> None:
    import aslant

    barrier.wait(600)
    loaded = aslant.load(path)
    results.put((list(loaded.words[:3]), len(loaded), float(loaded.matrix.sum())))


def test_two_processes_build_one_complete_file(tmp_path: Path, cache: Path) -> None:
    matrix = np.random.default_rng(0).normal(size=(20_000, 20)).astype(np.float32)
    path = tmp_path / "glove.txt"
    path.write_bytes(as_text([f"w{i}" for i in range(20_000)], matrix))
    context = multiprocessing.get_context("spawn")
    barrier, results = context.Barrier(2), context.Queue()
    processes = [context.Process(target=_load_together, args=(str(path), barrier, results)) for _ in range(2)]
    for process in processes:
        process.start()
    answers = [results.get(timeout=600) for _ in processes]
    for process in processes:
        process.join(600)
        assert process.exitcode == 0
    assert answers[0] == answers[1]
    assert answers[0][:2] == (["w0", "w1", "w2"], 20_000)
    (name,) = files(cache)
    assert name.endswith(".safetensors")
    np.testing.assert_array_equal(aslant.load(path).matrix, matrix)


# Listing and clearing


def test_entries_are_listed_newest_first_and_cleared(glove: Path, cache: Path) -> None:
    assert data.cache_entries() == []
    aslant.load(glove, top=2)
    aslant.load(glove)
    (cache / "vectors" / f"old{PARTIAL}").write_bytes(b"1234")
    os.utime(cache / "vectors" / f"old{PARTIAL}", (0, 0))
    entries = data.cache_entries()
    assert [entry.partial for entry in entries] == [False, False, True]
    assert entries[-1].size == 4
    assert data.clear_cache() == (3, sum(entry.size for entry in entries))
    assert files(cache) == []
    assert aslant.load(glove).words == WORDS


def test_the_cache_folder_is_the_users_unless_chosen(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("ASLANT_CACHE", str(tmp_path / "x"))
    assert data.cache_folder() == tmp_path / "x"
    monkeypatch.setenv("ASLANT_CACHE", "~/chosen")
    assert data.cache_folder() == Path.home() / "chosen"
    monkeypatch.delenv("ASLANT_CACHE")
    assert data.cache_folder().name == "aslant"


def test_clearing_what_may_not_be_deleted_is_one_clear_error(glove: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    aslant.load(glove)

    def refuse(self: Path, missing_ok: bool = False) -> None:
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))

    monkeypatch.setattr(Path, "unlink", refuse)
    with pytest.raises(AslantError, match="Permission denied"):
        data.clear_cache()


def test_repairs_and_format_are_kept_in_the_cache(tmp_path: Path) -> None:
    path = tmp_path / "glove.txt"
    path.write_bytes(as_text(["a", "b", "a"], MATRIX[:3]))
    first, second = aslant.load(path), aslant.load(path)
    assert first.repairs == second.repairs == {rows.DUPLICATE: 1}
    assert first.format == second.format == "GloVe text"
    assert first.name == second.name == "glove.txt"


def test_what_top_reports_does_not_depend_on_what_is_cached(tmp_path: Path) -> None:
    path = tmp_path / "v.txt"
    path.write_text("a 1 2\nb 2 1\na 3 3\n", encoding="utf-8")
    fresh = aslant.load(path, top=2)
    aslant.data.clear_cache()
    assert aslant.load(path).repairs
    assert aslant.load(path, top=2).repairs == fresh.repairs == {}

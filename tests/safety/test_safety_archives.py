"""Attacks by what is packed: bombs, archives in archives, names that climb out, links, pipes and devices."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import os
import subprocess
import sys
import tarfile
from pathlib import Path

import numpy as np
import pytest

import aslant
from aslant.data.receiving import Meter, take_out
from aslant.data.registry import File
from aslant.errors import AslantError, CorpusError, DataError, VectorsError
from aslant.io import packed_files as opening
from aslant.io.journal import Journal
from aslant.io.keeper import Keeper
from attacks import fasttext, gzip_of, is_one_sentence, npy, tar_of, zip_of

ROW = b"the 0.25 0.5\nof 0.5 0.25\n"


@pytest.fixture
def small_bombs(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the limit of ratio hold for small files too, so that bombs need not be large."""
    monkeypatch.setattr(opening, "FREE_BYTES", 1 << 16)


def zstandard_of(content: bytes) -> bytes:
    from backports import zstd

    return zstd.compress(content)


@pytest.mark.usefixtures("small_bombs")
@pytest.mark.parametrize(
    "pack", [gzip.compress, bz2.compress, lzma.compress, zstandard_of, None], ids=["gz", "bz2", "xz", "zst", "zip"]
)
def test_a_bomb_is_refused_however_it_is_packed(pack, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    repeated = ROW * 40_000
    path = tmp_path / "v"
    path.write_bytes(zip_of({"v.txt": repeated}) if pack is None else pack(repeated))
    assert len(repeated) > opening.MAX_RATIO * path.stat().st_size
    with pytest.raises(VectorsError, match="unpacks to over") as caught:
        aslant.load(path, cache=False)
    is_one_sentence(str(caught.value))
    (tmp_path / "c").write_bytes(path.read_bytes())
    with pytest.raises(CorpusError, match="unpacks to over"):
        list(aslant.load_corpus(tmp_path / "c"))


@pytest.mark.usefixtures("small_bombs")
def test_a_bomb_in_a_tar_archive_is_refused_also_before_the_member_that_is_read(tmp_path: Path) -> None:
    bomb, text = bytes(1 << 20), b"A nurse slept.\n"
    for members in ({"a.txt": text, "bomb": bomb}, {"bomb": bomb, "a.txt": text}):
        (tmp_path / "c.tgz").write_bytes(tar_of(members))
        for member in ("bomb", "a.txt"):
            if [*members] == ["a.txt", "bomb"] and member == "a.txt":
                assert list(aslant.load_corpus(tmp_path / "c.tgz" / member)) == ["A nurse slept."]
                continue
            with pytest.raises(CorpusError, match=r"'c.tgz' unpacks to over|zero byte") as caught:
                list(aslant.load_corpus(tmp_path / "c.tgz" / member))
            is_one_sentence(str(caught.value))


def test_links_and_devices_in_a_tar_archive_are_not_read(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("This is secret.\n")
    with tarfile.open(tmp_path / "c.tar", "w") as archive:
        for name, kind in (("soft", tarfile.SYMTYPE), ("hard", tarfile.LNKTYPE), ("device", tarfile.CHRTYPE)):
            info = tarfile.TarInfo(name)
            info.type, info.linkname = kind, str(tmp_path / "secret")
            archive.addfile(info)
    for name in ("soft", "hard", "device"):
        with pytest.raises(CorpusError, match="is a tar archive without files"):
            aslant.load_corpus(tmp_path / "c.tar" / name)


def test_a_damaged_tar_archive_is_one_sentence(tmp_path: Path) -> None:
    whole = tar_of({"b.txt": b"It rained.\n" * 200, "a.txt": b"A nurse slept.\n" * 200}, "w")
    header = whole.index(b"a.txt")
    for damaged in (whole[:600], whole[:header] + b"\xff" * 512, whole[: header + 900], gzip.compress(whole)[:90]):
        (tmp_path / "c.tar").write_bytes(damaged)
        with pytest.raises(CorpusError) as caught:
            list(aslant.load_corpus(tmp_path / "c.tar" / "a.txt"))
        is_one_sentence(str(caught.value))


@pytest.mark.usefixtures("small_bombs")
def test_honest_data_beyond_the_limits_can_be_let_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "v.gz"
    path.write_bytes(gzip.compress(ROW * 100_000))
    monkeypatch.setenv(opening.RATIO, "2000")
    assert len(aslant.load(path, cache=False)) == 2
    monkeypatch.setenv(opening.UNPACKED, "1000")
    with pytest.raises(VectorsError, match="over 1,000 bytes"):
        aslant.load(path, cache=False)
    monkeypatch.setenv(opening.UNPACKED, "lots")
    with pytest.raises(AslantError, match="ASLANT_MAX_UNPACKED is 'lots'"):
        aslant.load(path, cache=False)


def test_a_bomb_that_is_unpacked_to_disk_leaves_nothing_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(opening, "FREE_BYTES", 32 << 20)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "room"))
    (tmp_path / "room").mkdir()
    (tmp_path / "f.bin.gz").write_bytes(gzip_of(fasttext([b"abc"], 5), 4))
    with pytest.raises(VectorsError, match="unpacks to over"):
        aslant.load(tmp_path / "f.bin.gz")
    assert not list((tmp_path / "room").iterdir())


@pytest.mark.usefixtures("small_bombs")
def test_an_npz_bomb_is_refused_before_room_is_made(tmp_path: Path) -> None:
    content = {"words.npy": npy(np.array(["a"] * 4)), "matrix.npy": npy(np.zeros((4, 2_000_000), np.float32))}
    (tmp_path / "v.npz").write_bytes(zip_of(content))
    with pytest.raises(VectorsError, match="promises"):
        aslant.load(tmp_path / "v.npz")


@pytest.mark.parametrize("inner", [gzip.compress(ROW), zip_of({"v.txt": ROW})], ids=["gzip", "zip"])
def test_what_is_packed_twice_is_not_unpacked_twice(inner: bytes, tmp_path: Path) -> None:
    for path, content in ((tmp_path / "v.gz", gzip.compress(inner)), (tmp_path / "v.zip", zip_of({"in": inner}))):
        path.write_bytes(content)
        with pytest.raises(VectorsError, match="not in a format that aslant knows"):
            aslant.load(path)


CHILD = """
import resource, sys
import aslant
from pathlib import Path
from aslant.corpus import reading
reading.LONGEST = 4 << 20

def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss << (0 if sys.platform == "darwin" else 10)

aslant.load(Path(sys.argv[1]) / "good.txt", cache=False)
before = peak()
for path in sorted(Path(sys.argv[1]).iterdir()):
    if path.name == "good.txt":
        continue
    try:
        found = aslant.load_corpus(path) if path.name[0] == "c" else aslant.load(path, cache=False)
        print(path.name, "took", len(list(found)) if path.name[0] == "c" else len(found))
    except aslant.AslantError as error:
        print(path.name, "refused", error)
print("taken", peak() - before)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="asks the kernel for the peak of memory")
def test_bombs_take_little_memory_before_they_are_refused(tmp_path: Path) -> None:
    (tmp_path / "good.txt").write_bytes(ROW)
    (tmp_path / "v.txt.gz").write_bytes(gzip_of(b"", 1, filler=b"the 0.25 0.5 0.125 0.75 1.0 2.0\n"))
    (tmp_path / "no-end.txt.gz").write_bytes(gzip_of(b"the ", 1, filler=b"0"))
    (tmp_path / "c.json.gz").write_bytes(gzip_of(b'["', 1, filler=b"a"))
    (tmp_path / "c-deep.json.gz").write_bytes(gzip_of(b"[", 1, filler=b"["))
    done = subprocess.run(
        [sys.executable, "-c", CHILD, str(tmp_path)], capture_output=True, text=True, timeout=100, check=False,
        env={**os.environ, opening.UNPACKED: str(12 << 20)},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    said = dict(line.split(" ", 1) for line in done.stdout.splitlines())
    assert int(said.pop("taken")) < 200 << 20
    assert set(said) == {path.name for path in tmp_path.iterdir()} - {"good.txt"}
    assert all(text.startswith("refused") for text in said.values()), said
    assert "a value of over 4 MB" in said["c.json.gz"]
    assert "nested deeper" in said["c-deep.json.gz"]


@pytest.mark.parametrize("name", ["../out.txt", "/tmp/out.txt", "a/../../out.txt", "C:\\out.txt", "..\\out.txt"])
def test_a_member_whose_name_climbs_out_is_read_and_written_nowhere(name: str, tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    (home / "v.zip").write_bytes(zip_of({name: ROW}))
    assert aslant.load(home / "v.zip", cache=False).words[:] == ["the", "of"]
    assert {path.name for path in tmp_path.rglob("*")} == {"home", "v.zip"}


def test_a_link_in_an_archive_is_text_and_leads_nowhere(tmp_path: Path) -> None:
    (tmp_path / "secret").write_bytes(ROW)
    (tmp_path / "v.zip").write_bytes(zip_of({}, {"v.txt": str(tmp_path / "secret")}))
    with pytest.raises(VectorsError):
        aslant.load(tmp_path / "v.zip")


def test_members_of_a_tar_file_that_lead_out_are_not_taken(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("secret")
    folder = tmp_path / "files"
    folder.mkdir()
    with tarfile.open(tmp_path / "a.tar", "w") as archive:
        for name, kind, target in (
            ("soft", tarfile.SYMTYPE, "../secret"),
            ("hard", tarfile.LNKTYPE, str(tmp_path / "secret")),
            ("device", tarfile.CHRTYPE, ""),
            ("pipe", tarfile.FIFOTYPE, ""),
        ):
            info = tarfile.TarInfo(name)
            info.type, info.linkname = kind, target
            archive.addfile(info)
    for member in ("soft", "hard", "device", "pipe"):
        with pytest.raises(DataError):
            take_out(tmp_path / "a.tar", (File("a.txt", member=member),), folder, Meter(None), "'a.tar'")
    assert not any(path.read_bytes() for path in folder.iterdir())


def test_a_damaged_archive_is_one_sentence(tmp_path: Path) -> None:
    whole = zip_of({"a.txt": bytes(range(256)) * 40})
    with tarfile.open(tmp_path / "t", "w:gz") as archive:
        info = tarfile.TarInfo("a.txt")
        info.size = 100_000
        archive.addfile(info, io.BytesIO(np.random.default_rng(0).integers(97, 105, 100_000, np.uint8).tobytes()))
    packed = (tmp_path / "t").read_bytes()
    for content in (whole[:60] + bytes(40) + whole[100:], packed[:150] + bytes(100) + packed[250:]):
        (tmp_path / "a").write_bytes(content)
        with pytest.raises(DataError, match="cannot be unpacked"):
            take_out(tmp_path / "a", (File("a.txt", member="a.txt"),), tmp_path, Meter(None), "'a'")


def test_a_corpus_does_not_bring_in_files_from_outside_by_links(tmp_path: Path) -> None:
    (tmp_path / "private").mkdir()
    (tmp_path / "private" / "diary.txt").write_text("This is private.\n")
    corpus = tmp_path / "corpus"
    (corpus / "sub").mkdir(parents=True)
    (corpus / "sub" / "a.txt").write_text("A nurse slept.\n")
    (corpus / "folder").symlink_to(tmp_path / "private")
    (corpus / "root").symlink_to("/")
    (corpus / "file.txt").symlink_to(tmp_path / "private" / "diary.txt")
    (corpus / "inside.txt").symlink_to(corpus / "sub" / "a.txt")
    (corpus / "device.txt").symlink_to("/dev/zero")
    os.mkfifo(corpus / "pipe.txt")
    found = aslant.load_corpus(corpus)
    assert list(found) == ["A nurse slept."] * 2
    assert {"folder", "root", "file.txt"} <= set(found.passed_over)


@pytest.mark.parametrize("place", ["pipe", "/dev/zero"])
def test_pipes_and_devices_are_no_embeddings_and_no_corpora(place: str, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for opened in (aslant.load, aslant.load_corpus):
        with pytest.raises(AslantError, match="not a regular file"):
            opened(tmp_path / place)


def test_a_journal_that_somebody_else_has_written_is_as_good_as_absent(tmp_path: Path) -> None:
    objects, mark = np.array([None], object), tmp_path / "run"
    from attacks import Runs

    objects[0] = Runs(mark)
    huge = npy(np.zeros(1))[:10] + npy(np.zeros(1))[10:].replace(b"(1,)", b"(9999999999,)"[:4])
    for content in (npy(objects), zip_of({"x.npy": npy(objects)}), huge, zip_of({"x.npy": bytes(1 << 24)}), b"PK"):
        Keeper(tmp_path).keep({"k/x": content})  # who can write there can make digests, too
        assert Journal(tmp_path).recall("k") is None
    assert not mark.exists()

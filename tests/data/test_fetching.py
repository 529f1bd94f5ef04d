"""Where data are looked for, and what happens to them when things go wrong on this side."""

from __future__ import annotations

import http.server
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

import aslant
from aslant.data import data_folder, fetch, find, resolve
from aslant.data.downloads import address
from aslant.data.fetching import is_copy, present
from aslant.data.registry import File, Source
from aslant.errors import DataError, VectorsError
from serving import CONTENT, Registry, Server, described, status, whole


@pytest.fixture
def toy(registry: Registry, server: Server) -> Server:
    """An entry 'toy' of one file that the server has, with a published checksum."""
    registry.add("toy", {"url": server.on("/v.txt", whole()), "files": [described("v.txt")]})
    return server


@pytest.fixture
def unpublished(registry: Registry, server: Server) -> Server:
    """An entry 'toy' without a checksum."""
    registry.add("toy", {"url": server.on("/v.txt", whole()), "files": [{"name": "v.txt"}]})
    return server


@pytest.mark.parametrize("place", ["toy/v.txt", "v.txt"])
def test_the_users_folder_comes_first(toy: Server, users_folder: Path, place: str) -> None:
    (users_folder / "toy").mkdir()
    (users_folder / place).write_bytes(CONTENT)
    assert fetch("toy") == users_folder / place
    assert toy.asked["/v.txt"] == 0
    assert sorted(p.name for p in users_folder.rglob("*")) == ["toy", "v.txt"], "the user's folder is never written to"


@pytest.mark.parametrize("place", ["toy/v.txt", "v.txt"])
def test_a_wrong_checksum_in_the_users_folder_is_an_error(toy: Server, users_folder: Path, place: str) -> None:
    (users_folder / "toy").mkdir()
    (users_folder / place).write_bytes(CONTENT + b"changed")
    with pytest.raises(DataError, match=r"v\.txt' has the wrong checksum .*; replace it or remove it"):
        fetch("toy")
    assert toy.asked["/v.txt"] == 0


def test_a_folder_of_the_user_that_lacks_a_file_is_passed_over(
    registry: Registry, server: Server, users_folder: Path
) -> None:
    server.on("/a.txt", whole())
    server.on("/b.txt", whole(b"b"))
    registry.add("toy", {"url": server.url("/"), "files": [described("a.txt"), described("b.txt", b"b")]})
    (users_folder / "toy").mkdir()
    (users_folder / "toy" / "a.txt").write_bytes(CONTENT)
    assert fetch("toy") == data_folder() / "toy"


def test_loose_files_are_not_taken_for_an_entry_of_several(registry: Registry, users_folder: Path) -> None:
    registry.add("toy", {"url": "https://localhost:1/", "files": [described("config.json"), described("vocab.txt")]})
    for name in ("config.json", "vocab.txt"):
        (users_folder / name).write_bytes(b"of another model")
    assert find("toy") is None


def test_a_file_is_hashed_once_and_again_only_if_it_has_changed(
    toy: Server, users_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from aslant.data import verifying

    hashed: list[Path] = []
    digest = verifying.digest
    monkeypatch.setattr(verifying, "digest", lambda path: [hashed.append(path), digest(path)][1])
    path = users_folder / "v.txt"
    path.write_bytes(CONTENT)
    for _ in range(3):
        assert find("toy") == path
    assert len(hashed) == 1
    os.utime(path, (1, 1))
    assert find("toy") == path
    assert len(hashed) == 2
    path.write_bytes(CONTENT[:-1] + b"x")
    with pytest.raises(DataError, match="wrong checksum"):
        find("toy")


def test_a_stamp_does_not_vouch_for_a_checksum_that_has_changed_in_the_registry(
    toy: Server, registry: Registry, users_folder: Path
) -> None:
    (users_folder / "v.txt").write_bytes(CONTENT)
    assert find("toy")
    registry.add("toy", {"url": toy.url("/v.txt"), "files": [described("v.txt", b"other")]})
    with pytest.raises(DataError, match="wrong checksum"):
        find("toy")


def test_a_damaged_file_of_ours_is_fetched_anew(toy: Server) -> None:
    path = fetch("toy")
    path.write_bytes(b"damaged")
    assert find("toy") is None
    assert not present("toy")
    assert fetch("toy") == path
    assert path.read_bytes() == CONTENT
    assert sorted(p.name for p in data_folder().iterdir()) == ["toy"]


def test_without_a_published_checksum_the_first_one_is_recorded_and_enforced(unpublished: Server) -> None:
    path = fetch("toy")
    assert fetch("toy") == path
    path.write_bytes(CONTENT + b"changed")
    with pytest.raises(DataError, match=r"is not what it was when first used .*delete the record"):
        fetch("toy")


def test_a_second_download_is_held_to_the_first(unpublished: Server) -> None:
    fetch("toy").unlink()
    unpublished.on("/v.txt", whole(b"something else"))
    with pytest.raises(DataError, match=r"'v\.txt' is not what it was when first downloaded"):
        fetch("toy")
    unpublished.on("/v.txt", whole())
    assert fetch("toy").read_bytes() == CONTENT


def test_the_first_use_of_a_file_in_the_users_folder_is_recorded_too(unpublished: Server, users_folder: Path) -> None:
    (users_folder / "v.txt").write_bytes(b"one")
    assert find("toy") == users_folder / "v.txt"
    (users_folder / "v.txt").write_bytes(b"another")
    with pytest.raises(DataError, match="is not what it was when first used"):
        find("toy")


@pytest.mark.parametrize("value", ["1", "true", "yes"])
def test_offline_never_asks_but_uses_what_is_here(toy: Server, monkeypatch: pytest.MonkeyPatch, value: str) -> None:
    monkeypatch.setenv("ASLANT_OFFLINE", value)
    with pytest.raises(DataError, match=r"ASLANT_OFFLINE forbids downloading it\. By hand: download https"):
        fetch("toy")
    assert toy.asked["/v.txt"] == 0
    monkeypatch.setenv("ASLANT_OFFLINE", "0")
    path = fetch("toy")
    monkeypatch.setenv("ASLANT_OFFLINE", value)
    assert fetch("toy") == path


def test_what_can_only_be_had_by_hand_says_how(registry: Registry) -> None:
    registry.add("toy", {"by_hand": "write to the authors", "files": [{"name": "v.txt"}]})
    with pytest.raises(DataError, match=r"by hand: write to the authors, and put v\.txt into ASLANT_DATA/toy"):
        fetch("toy")


def test_all_failures_are_told(registry: Registry, server: Server) -> None:
    files = [described("v.txt")]
    sources = [{"url": url, "files": files} for url in (server.on("/a", status(404)), server.on("/b", whole(b"x")))]
    registry.add("toy", *sources)
    with pytest.raises(DataError) as caught:
        fetch("toy")
    assert "/a: the server answered 404" in str(caught.value)
    assert "/b: 'v.txt' has 1 bytes instead of" in str(caught.value)


def test_a_data_folder_that_cannot_be_written_is_one_sentence(toy: Server, cache: Path) -> None:
    (cache / "data").write_text("a file where the folder should be", encoding="utf-8")
    with pytest.raises(DataError, match=r"could not be kept in .* set ASLANT_CACHE to another folder"):
        fetch("toy")


CHILD = "from aslant.data import fetch; print(fetch('toy'))"


def child() -> subprocess.Popen[str]:
    return subprocess.Popen([sys.executable, "-c", CHILD], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def test_two_processes_may_fetch_the_same_at_once(toy: Server) -> None:
    both = threading.Barrier(2)

    def together(handler: http.server.BaseHTTPRequestHandler) -> None:
        both.wait(300)
        whole()(handler)

    toy.on("/v.txt", together)
    ends = [(process.communicate(timeout=600), process.returncode) for process in [child(), child()]]
    assert [code for _, code in ends] == [0, 0], ends
    assert toy.asked["/v.txt"] == 2
    assert {out.strip() for (out, _), _ in ends} == {str(data_folder() / "toy" / "v.txt")}
    assert find("toy")
    assert [path.name for path in data_folder().iterdir()] == ["toy"]


def test_a_process_killed_half_way_leaves_nothing_visible(toy: Server) -> None:
    half, go_on = threading.Event(), threading.Event()

    def stall(handler: http.server.BaseHTTPRequestHandler) -> None:
        handler.send_response(200)
        handler.send_header("Content-Length", str(len(CONTENT)))
        handler.end_headers()
        handler.wfile.write(CONTENT[:1000])
        handler.wfile.flush()
        half.set()
        go_on.wait(30)

    toy.on("/v.txt", stall, whole())
    process = child()
    assert half.wait(30)
    process.send_signal(signal.SIGKILL)
    process.communicate()
    go_on.set()
    assert find("toy") is None
    assert not present("toy")
    left = list(data_folder().iterdir())
    assert [path.name.startswith(".toy.") and path.name.endswith(".partial") for path in left] == [True]
    os.utime(left[0], (0, 0))
    assert fetch("toy").read_bytes() == CONTENT
    assert not left[0].exists(), "what a killed process left is swept away by the next one, a day later"


def test_a_name_resolves_and_a_path_that_exists_wins(
    toy: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert resolve("toy") == data_folder() / "toy" / "v.txt"
    assert resolve("toy/x") == data_folder() / "toy" / "v.txt" / "x"
    assert resolve("toy.txt") is None
    Path("toy").write_text("mine", encoding="utf-8")
    assert resolve("toy") is None


def test_vectors_load_by_name(registry: Registry, users_folder: Path) -> None:
    content = b"the 1 2 3\nof 2 1 4\nand 3 1 1\n"
    registry.add("glove-6b-50d", {"url": "https://localhost:1/g", "files": [described("glove.6B.50d.txt", content)]})
    (users_folder / "glove-6b-50d").mkdir()
    (users_folder / "glove-6b-50d" / "glove.6B.50d.txt").write_bytes(content)
    v = aslant.load("glove-6b-50d", top=2)
    assert (v.name, list(v.words), v.dimensions) == ("glove-6b-50d", ["the", "of"], 3)  # not what its file is called


def test_one_decade_loads_by_name(registry: Registry, users_folder: Path) -> None:
    import pickle

    import numpy as np

    folder = users_folder / "decades"
    folder.mkdir()
    for year in (1980, 1990):
        np.save(folder / f"{year}-w.npy", np.full((2, 3), year, dtype=np.float32))
        (folder / f"{year}-vocab.pkl").write_bytes(pickle.dumps(["a", "b"], protocol=0))
    files = [{"name": path.name, "member": path.name} for path in sorted(folder.iterdir())]
    registry.add("decades", {"url": "https://localhost:1/x.zip", "files": files})
    assert aslant.load("decades/1990").matrix[0, 0] == 1990
    with pytest.raises(VectorsError, match="several decades"):
        aslant.load("decades")


def test_data_of_another_kind_are_refused_before_they_are_fetched(toy: Server, registry: Registry) -> None:
    registry.add("toy", {"url": toy.url("/v.txt"), "files": [described("v.txt")]}, kind="benchmark")
    with pytest.raises(DataError, match="'toy' is data of kind 'benchmark'; needed here: vectors"):
        aslant.load("toy")
    assert toy.asked["/v.txt"] == 0


def test_neither_a_file_nor_a_name_is_said_with_a_suggestion() -> None:
    with pytest.raises(VectorsError, match="there is no file 'glove-6b-50', nor data of that name; did you mean glove"):
        aslant.load("glove-6b-50")
    with pytest.raises(
        VectorsError, match=r"there is no file '/nowhere/x\.txt', nor data of that name; check the path"
    ):
        aslant.load("/nowhere/x.txt")


def test_what_is_not_there_is_no_copy() -> None:
    assert not is_copy("bert-base-uncased", Path("no-such-folder"))


def test_the_address_of_a_file_in_a_folder() -> None:
    source = Source(url="https://example.org/v1/", files=(File("a b.txt"),))
    assert address(source, source.files[0]) == "https://example.org/v1/a%20b.txt"

"""The https route, against a server on this machine: what goes well, and everything that can go wrong."""

from __future__ import annotations

import io
import socket
import tarfile
import zipfile
from pathlib import Path
from typing import Any

import pytest

from aslant.data import data_folder, fetch, find
from aslant.data.downloads import fetch_from_url
from aslant.data.receiving import Meter
from aslant.data.registry import File, Source
from aslant.errors import DataError
from serving import CONTENT, Registry, Server, cut, described, status, whole


def nothing_left() -> bool:
    return not data_folder().exists() or not list(data_folder().iterdir())


def test_a_file_is_fetched_once_and_then_found(registry: Registry, server: Server) -> None:
    registry.add("toy", {"url": server.on("/v.txt", whole()), "files": [described("v.txt")]})
    assert find("toy") is None
    seen: list[tuple[int, int]] = []
    path = fetch("toy", progress=lambda done, total: seen.append((done, total)))
    assert path == find("toy") == fetch("toy") == data_folder() / "toy" / "v.txt"
    assert path.read_bytes() == CONTENT
    assert seen[-1] == (len(CONTENT), len(CONTENT))
    assert server.asked["/v.txt"] == 1


def test_several_files_are_a_folder(registry: Registry, server: Server) -> None:
    server.on("/r1/a.txt", whole())
    server.on("/r1/deep/the%20b.txt", whole(b"b"))
    files = [described("a.txt"), described("sub/b.txt", b"b", member="deep/the b.txt")]
    registry.add("toy", {"url": server.url("/r1/"), "files": files})
    folder = fetch("toy")
    assert folder == data_folder() / "toy"
    assert (folder / "sub" / "b.txt").read_bytes() == b"b"


def packed(kind: str) -> bytes:
    buffer = io.BytesIO()
    if kind == "zip":
        with zipfile.ZipFile(buffer, "w") as archive:
            archive.writestr("in/a.txt", CONTENT)
            archive.writestr("../evil.txt", b"x")
    else:
        with tarfile.open(fileobj=buffer, mode="w:gz") as archive:
            for name, content in (("in/a.txt", CONTENT), ("../evil.txt", b"x")):
                info = tarfile.TarInfo(name)
                info.size = len(content)
                archive.addfile(info, io.BytesIO(content))
    return buffer.getvalue()


@pytest.mark.parametrize("kind", ["zip", "tar"])
def test_a_member_is_taken_out_of_an_archive(registry: Registry, server: Server, kind: str) -> None:
    url = server.on("/archive", whole(packed(kind)))
    registry.add("toy", {"url": url, "files": [described("a.txt", member="in/a.txt")]})
    assert fetch("toy").read_bytes() == CONTENT
    assert sorted(path.name for path in (data_folder() / "toy").iterdir()) == [".verified.json", "a.txt"]


@pytest.mark.parametrize("kind", ["zip", "tar"])
def test_an_archive_without_the_member_or_damaged_is_one_sentence(
    registry: Registry, server: Server, kind: str
) -> None:
    content = packed(kind)
    url = server.on("/archive", whole(content), whole(content[: len(content) // 2]), whole(b"not an archive"))
    registry.add("toy", {"url": url, "files": [{"name": "a.txt", "member": "elsewhere.txt"}]})
    with pytest.raises(DataError, match=r"has no file 'elsewhere\.txt' in it"):
        fetch("toy")
    for _ in range(2):
        with pytest.raises(DataError, match="cannot be unpacked"):
            fetch("toy")
    assert nothing_left()


def test_an_archive_may_stay_packed_and_be_shared(registry: Registry, server: Server) -> None:
    import aslant

    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for dimensions in (2, 3):
            rows = (f"w{i} " + " ".join(str(i + d) for d in range(dimensions)) for i in range(1, 9))
            archive.writestr(f"v{dimensions}.txt", "\n".join(rows))
    url = server.on("/v.zip", whole(buffer.getvalue()))
    for dimensions in (2, 3):
        source = {"url": url, "inside": f"v{dimensions}.txt", "files": [described("v.zip", buffer.getvalue())]}
        registry.add(f"toy-{dimensions}", source, folder="toy")
    assert [aslant.load(f"toy-{dimensions}").dimensions for dimensions in (2, 3)] == [2, 3]
    assert server.asked["/v.zip"] == 1


def test_a_wrong_checksum_leaves_nothing_and_is_not_asked_for_again(registry: Registry, server: Server) -> None:
    registry.add("toy", {"url": server.on("/v.txt", whole(CONTENT[::-1])), "files": [described("v.txt")]})
    with pytest.raises(DataError, match=r"'v\.txt' has the wrong checksum \(SHA-256 \w{12}…, expected \w{12}…\)"):
        fetch("toy")
    assert find("toy") is None
    assert nothing_left()
    assert server.asked["/v.txt"] == 1


def test_more_than_promised_is_cut_off(registry: Registry, server: Server) -> None:
    registry.add("toy", {"url": server.on("/v.txt", whole(CONTENT * 3)), "files": [described("v.txt")]})
    with pytest.raises(DataError, match="larger than the"):
        fetch("toy")
    assert nothing_left()


@pytest.mark.parametrize("trouble", [cut(), status(500), status(503), status(429)], ids=["cut", "500", "503", "429"])
def test_a_passing_fault_is_tried_again_from_the_start(registry: Registry, server: Server, trouble: Any) -> None:
    registry.add("toy", {"url": server.on("/v.txt", trouble, trouble, whole()), "files": [described("v.txt")]})
    assert fetch("toy").read_bytes() == CONTENT
    assert server.asked["/v.txt"] == 3


@pytest.mark.parametrize("size", [True, False], ids=["known size", "unknown size"])
def test_a_connection_that_is_always_cut_is_one_sentence(registry: Registry, server: Server, size: bool) -> None:
    file = described("v.txt") if size else {"name": "v.txt"}
    registry.add("toy", {"url": server.on("/v.txt", cut()), "files": [file]})
    with pytest.raises(DataError, match=r"the connection .*\(3 attempts\)") as caught:
        fetch("toy")
    assert "By hand: download https://localhost" in str(caught.value)
    assert "\n" not in str(caught.value)
    assert nothing_left()


def test_what_is_not_there_is_not_asked_for_again_but_the_next_source_is(registry: Registry, server: Server) -> None:
    good = {"url": server.on("/good.txt", whole()), "files": [described("v.txt")]}
    registry.add("toy", {"url": server.on("/gone.txt", status(404)), "files": [described("v.txt")]}, good)
    assert fetch("toy").read_bytes() == CONTENT
    assert server.asked["/gone.txt"] == 1


@pytest.mark.parametrize(("code", "words"), [(404, "answered 404 Not Found"), (500, "answered 500")])
def test_a_server_that_refuses_is_quoted(registry: Registry, server: Server, code: int, words: str) -> None:
    registry.add("toy", {"url": server.on("/v.txt", status(code)), "files": [described("v.txt")]})
    with pytest.raises(DataError, match=words):
        fetch("toy")
    assert nothing_left()


def test_a_redirect_to_another_host_is_followed(registry: Registry, server: Server) -> None:
    server.on("/there.txt", whole())
    url = server.on("/here.txt", status(302, Location=server.url("/there.txt", host="127.0.0.1")))
    registry.add("toy", {"url": url, "files": [described("v.txt")]})
    assert fetch("toy").read_bytes() == CONTENT


@pytest.mark.parametrize("target", ["http://localhost:1/v.txt", "file:///etc/passwd", "ftp://localhost/v.txt"])
def test_a_redirect_away_from_https_is_refused(registry: Registry, server: Server, target: str) -> None:
    url = server.on("/v.txt", status(302, Location=target))
    registry.add("toy", {"url": url, "files": [described("v.txt")]})
    with pytest.raises(DataError, match="which is not https") as caught:
        fetch("toy")
    assert target in str(caught.value)
    assert nothing_left()


def test_a_certificate_of_an_unknown_authority_is_refused_at_once(
    registry: Registry, server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import trustme

    trustme.CA().cert_pem.write_to_path(str(tmp_path / "other.pem"))
    monkeypatch.setenv("REQUESTS_CA_BUNDLE", str(tmp_path / "other.pem"))
    registry.add("toy", {"url": server.on("/v.txt", whole()), "files": [described("v.txt")]})
    with pytest.raises(DataError, match="certificate is not trusted"):
        fetch("toy")
    assert server.asked["/v.txt"] == 0


def test_a_server_that_is_not_there_is_one_sentence(registry: Registry) -> None:
    registry.add("toy", {"url": "https://localhost:1/v.txt", "files": [described("v.txt")]})
    with pytest.raises(DataError, match=r"the connection failed \(.*refused.*\) \(3 attempts\)"):
        fetch("toy")


def test_a_host_without_an_address_is_not_asked_again(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    asked: list[str] = []

    def fails(host: str, *_: object, **__: object) -> object:
        asked.append(host)
        raise socket.gaierror(-2, "Name or service not known")

    monkeypatch.setattr(socket, "getaddrinfo", fails)
    source = Source(url="https://nowhere.invalid/", files=(File("a.txt"),))
    with pytest.raises(DataError, match=r"^no connection to nowhere\.invalid$"):
        fetch_from_url(source, tmp_path, tmp_path, Meter(None))
    assert len(asked) == 1

"""What the tests of data put on the other side: registry files, wheels, and the answers of a server."""

from __future__ import annotations

import hashlib
import http.server
import json
import zipfile
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Any

Answer = Callable[[http.server.BaseHTTPRequestHandler], None]
CONTENT = b"".join(b"word%d %d 1 2\n" % (i, i) for i in range(1, 5000))


def described(name: str, content: bytes = CONTENT, **more: Any) -> dict[str, Any]:
    """A file of the registry, with the size and checksum of `content`."""
    return {"name": name, "size": len(content), "sha256": hashlib.sha256(content).hexdigest(), **more}


class Registry:
    """Entries of the test's own (``ASLANT_REGISTRY``)."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def add(self, name: str, *sources: dict[str, Any], **fields: Any) -> None:
        about = {"title": "T", "kind": "vectors", "licence": "L", "citation": "C", **fields}
        lines = [f"{key} = {json.dumps(value)}" for key, value in about.items()]
        for source in sources:
            plain = {key: value for key, value in source.items() if key != "files"}
            lines += ["[[sources]]", *(f"{key} = {json.dumps(value)}" for key, value in plain.items())]
            for file in source["files"]:
                lines += ["[[sources.files]]", *(f"{k} = {json.dumps(v)}" for k, v in file.items() if v is not None)]
        (self.folder / f"{name}.toml").write_text("\n".join(lines), encoding="utf-8")


class Server:
    """Answers by path: each request takes the next answer; the last one is repeated."""

    def __init__(self, port: int) -> None:
        self.port = port
        self.answers: dict[str, list[Answer]] = {}
        self.asked: dict[str, int] = defaultdict(int)

    def url(self, path: str = "/", host: str = "localhost") -> str:
        return f"https://{host}:{self.port}{path}"

    def on(self, path: str, *answers: Answer) -> str:
        self.answers[path] = list(answers)
        return self.url(path)


def whole(content: bytes = CONTENT) -> Answer:
    def answer(handler: http.server.BaseHTTPRequestHandler) -> None:
        handler.send_response(200)
        handler.send_header("Content-Length", str(len(content)))
        handler.end_headers()
        handler.wfile.write(content)

    return answer


def cut(content: bytes = CONTENT) -> Answer:
    """Promise all of `content`, send half of it, hang up."""

    def answer(handler: http.server.BaseHTTPRequestHandler) -> None:
        handler.send_response(200)
        handler.send_header("Content-Length", str(len(content)))
        handler.end_headers()
        handler.wfile.write(content[: len(content) // 2])
        handler.wfile.flush()
        handler.close_connection = True

    return answer


def status(code: int, **headers: str) -> Answer:
    def answer(handler: http.server.BaseHTTPRequestHandler) -> None:
        handler.send_response(code)
        for name, value in headers.items():
            handler.send_header(name, value)
        handler.send_header("Content-Length", "0")
        handler.end_headers()

    return answer


def write_wheel(folder: Path, name: str, members: dict[str, bytes]) -> Path:
    """Write a wheel by hand, version 1.0."""
    path = folder / f"{name}-1.0-py3-none-any.whl"
    info = f"{name}-1.0.dist-info"
    metadata = f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\nRequires-Python: <3\n".encode()
    wheel = b"Wheel-Version: 1.0\nGenerator: by hand\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for member, content in {
            **members, f"{info}/METADATA": metadata, f"{info}/WHEEL": wheel, f"{info}/RECORD": b"",
        }.items():  # fmt: skip
            archive.writestr(member, content)
    return path

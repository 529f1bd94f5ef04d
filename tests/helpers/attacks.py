"""What an attacker would hand to aslant: payloads that the tests in tests/safety share."""

from __future__ import annotations

import gzip
import io
import os
import struct
import tarfile
import zipfile
from pathlib import Path
from typing import Any

import numpy as np

#: Names and words that would steer a terminal, a page, a table or a document.
ESCAPES = {
    "clear": "\x1b[2J\x1b[H",
    "title": "\x1b]0;owned\x07",
    "hyperlink": "\x1b]8;;https://evil.example\x1b\\click\x1b]8;;\x1b\\",
    "clipboard": "\x1b]52;c;cm0gLXJmIC8=\x07",
    "eight-bit": "\x9b2J\x9d0;owned\x9c",
    "overwrite": "good\rbad\x08\x08",
    "bidi": "\u202egnp.exe\u2066",
    "surrogate": "\ud800",
}
MARKUP = (
    "<script>alert(1)</script>", "[red]x[/red]", "[link=https://evil.example]x[/link]", "[/]", "a[/b]",
    "![x](https://evil.example/p.png)", "<img src=x onerror=alert(1)>", "a|b", "`code`", "https://evil.example",
    r"\input{/etc/passwd}", r"\immediate\write18{touch x}", "%", "[9999pt]", "*", "=cmd|' /C calc'!A0", "+1+cmd",
    "-2+3", "@SUM(1)", "\t=1", "]]>", '" onload="x', "&lt;b&gt;",
)  # fmt: skip


class Runs:
    """Leaves a mark when it is unpickled."""

    def __init__(self, mark: Path) -> None:
        self.mark = mark

    def __reduce__(self) -> Any:
        return os.system, (f"touch '{self.mark}'",)


def gzip_of(head: bytes, zeros: int, filler: bytes = b"\0") -> bytes:
    """Return gzip data of `head` and then so many times 16 MB, in a few bytes: gzip may have several members."""
    return gzip.compress(head) + gzip.compress(filler * ((16 << 20) // len(filler))) * zeros


def zip_of(members: dict[str, bytes], links: dict[str, str] | None = None) -> bytes:
    """Return a zip archive; `links` are symbolic links, by name."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
        for name, target in (links or {}).items():
            info = zipfile.ZipInfo(name)
            info.create_system, info.external_attr = 3, 0o120777 << 16
            archive.writestr(info, target)
    return out.getvalue()


def tar_of(members: dict[str, bytes], mode: str = "w:gz") -> bytes:
    """Return a tar archive, packed as `mode` says."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode=mode) as archive:  # type: ignore[call-overload]
        for name, content in members.items():
            info = tarfile.TarInfo(name)
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))
    return out.getvalue()


def npy(array: Any) -> bytes:
    """Return an array as a .npy file."""
    out = io.BytesIO()
    np.save(out, array)
    return out.getvalue()


def fasttext(words: list[bytes], dimensions: int, *, bucket: int = 3, minn: int = 3, maxn: int = 6) -> bytes:
    """Return a fastText model."""
    head = struct.pack("<ii12id", 793712314, 12, dimensions, 5, 5, 1, 5, 1, 2, 1, bucket, minn, maxn, 100, 1e-4)
    head += struct.pack("<iiiqq", len(words), len(words), 0, 10, -1)
    head += b"".join(word + b"\0" + struct.pack("<qb", 1, 0) for word in words)
    rows = len(words) + bucket
    return head + b"\0" + struct.pack("<qq", rows, dimensions) + np.ones((rows, dimensions), "<f4").tobytes()


def is_one_sentence(message: str) -> None:
    """Check that a message is one line that says something, and no traceback."""
    assert "\n" not in message
    assert "Traceback" not in message
    assert 15 < len(message) < 600
    assert message.rstrip().endswith((".", "…", ")"))

"""The one checksum of all that is kept: a bit that flips on the disk is noticed, and no number changes unseen."""

from __future__ import annotations

import hashlib
from pathlib import Path

#: Bytes of a digest.
SIZE = 16


def digest(*parts: bytes) -> str:
    """Return what stands for these bytes, one part after the other: 32 hexadecimal digits.

    >>> digest(b"abc") == digest(b"ab", b"c"), len(digest())
    (True, 32)
    """
    made = hashlib.blake2b(digest_size=SIZE)
    for part in parts:
        made.update(part)
    return made.hexdigest()


def file_digest(path: Path) -> str:
    """Return what stands for the content of a file, of any size."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, lambda: hashlib.blake2b(digest_size=SIZE)).hexdigest()

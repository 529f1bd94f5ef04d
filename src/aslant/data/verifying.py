"""Is a file what the registry says? SHA-256, with a stamp so that a file is hashed again only if it has changed.

Where no checksum is published, the first one seen is recorded in the stamp, and the file is checked against it later.
"""

from __future__ import annotations

import contextlib
import hashlib
from collections.abc import Mapping
from pathlib import Path

import msgspec
from msgspec import Struct

from aslant.errors import DataError
from aslant.io.files import written_whole

#: The file of stamps inside a folder that aslant has filled.
STAMPS = ".verified.json"


class Stamp(Struct, frozen=True):
    """What a file was when its SHA-256 was taken."""

    size: int
    mtime_ns: int
    sha256: str


class WrongChecksumError(DataError):
    """A file is not what it should be."""


def digest(path: Path) -> str:
    """Return the SHA-256 of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def read_stamps(path: Path) -> dict[str, Stamp]:
    """Return the stamps kept at `path`; a file of stamps that is absent or damaged holds none."""
    try:
        return msgspec.json.decode(path.read_bytes(), type=dict[str, Stamp])
    except (OSError, ValueError, RecursionError, msgspec.DecodeError):  # bytes that are not UTF-8 are a ValueError
        return {}


def write_stamps(path: Path, folder: Path, sums: dict[str, str]) -> None:
    """Keep the SHA-256 of files in `folder`, by name, at `path`; skip this if it cannot be written."""
    stamps = {}
    for name, sha256 in sums.items():
        stat = (folder / name).stat()
        stamps[name] = Stamp(stat.st_size, stat.st_mtime_ns, sha256)
    with contextlib.suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        with written_whole(path) as file:
            file.write(msgspec.json.encode(read_stamps(path) | stamps))


def verify(folder: Path, accepted: Mapping[str, frozenset[str] | None], stamps_path: Path) -> None:
    """Check files of `folder`: each against the SHA-256 sums it may have, or (None) against the one seen first."""
    stamps = read_stamps(stamps_path)
    taken = {}
    for name, sums in accepted.items():
        path, stamp = folder / name, stamps.get(name)
        stat = path.stat()
        unchanged = stamp is not None and (stamp.size, stamp.mtime_ns) == (stat.st_size, stat.st_mtime_ns)
        got = stamp.sha256 if stamp is not None and unchanged else digest(path)
        if sums is not None and got not in sums:
            wanted = " or ".join(f"{one[:12]}…" for one in sorted(sums))
            raise WrongChecksumError(
                f"'{path}' has the wrong checksum (SHA-256 {got[:12]}…, expected {wanted}); replace it or remove it."
            )
        if sums is None and stamp is not None and got != stamp.sha256:
            raise WrongChecksumError(
                f"'{path}' is not what it was when first used (SHA-256 {got[:12]}…, then {stamp.sha256[:12]}…); "
                f"restore the old file, or delete the record '{stamps_path}' if the change is intended."
            )
        if not unchanged:
            taken[name] = got
    if taken:
        write_stamps(stamps_path, folder, taken)

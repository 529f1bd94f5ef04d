"""Bytes on their way to disk, also out of archives: counted, limited to what was promised, hashed as they pass."""

from __future__ import annotations

import errno
import hashlib
import shutil
import tarfile
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from aslant.data.registry import File
from aslant.errors import DataError

#: Called with (bytes done, bytes in all; 0 where that is not known).
Progress = Callable[[int, int], None]
#: A file of unknown size is cut off here, so that an error on the server cannot fill the disk.
MAX_BYTES = 64 << 30
CHUNK = 1 << 20


class Meter:
    """How far a task has come, reported to whoever requested it."""

    def __init__(self, progress: Progress | None) -> None:
        self._progress = progress
        self.done = self.total = 0

    def start(self, total: int) -> None:
        """Begin a task of `total` bytes (0: unknown)."""
        self.done, self.total = 0, total
        self.add(0)

    def add(self, count: int) -> None:
        """Count some more bytes; a negative count takes back those of an attempt that failed."""
        self.done += count
        if self._progress is not None:
            self._progress(self.done, max(self.total, self.done) if self.total else 0)


class Receiver:
    """A file being written that must turn out as `promised`."""

    def __init__(self, file: IO[bytes], promised: File, meter: Meter) -> None:
        self._file, self._promised, self._meter = file, promised, meter
        self._hash = hashlib.sha256()
        self.received = 0

    def write(self, data: bytes) -> int:
        """Write some more, unless that is more than was promised."""
        self.received += len(data)
        limit = self._promised.size or MAX_BYTES
        if self.received > limit:
            raise DataError(f"'{self._promised.name}' is larger than the {limit:,} bytes promised; it is not kept.")
        self._hash.update(data)
        self._meter.add(len(data))
        return self._file.write(data)

    def flush(self) -> None:
        """Do nothing: the file is flushed once, when it is closed (pooch flushes after every chunk)."""

    def finish(self) -> str:
        """Return the SHA-256 of what was received, if it is what was promised."""
        wanted, got = self._promised, self._hash.hexdigest()
        if wanted.size is not None and self.received != wanted.size:
            raise DataError(f"'{wanted.name}' has {self.received:,} bytes instead of {wanted.size:,}; it is not kept.")
        if wanted.sha256 is not None and got != wanted.sha256:
            raise DataError(
                f"'{wanted.name}' has the wrong checksum (SHA-256 {got[:12]}…, expected {wanted.sha256[:12]}…); "
                "it is not kept."
            )
        return got


@contextmanager
def receiving(path: Path, promised: File, meter: Meter) -> Iterator[Receiver]:
    """Open `path` for a file that must turn out as `promised`."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("wb") as file:
        yield Receiver(file, promised, meter)


def take_out(archive: Path, files: tuple[File, ...], folder: Path, meter: Meter, what: str) -> dict[str, str]:
    """Copy the members that `files` name into `folder`; return the SHA-256 of each by its name.

    `what` is the archive's name in messages. Nothing is written outside `folder`: names come from the registry.
    """
    meter.start(sum(file.size or 0 for file in files))
    try:
        with zipfile.ZipFile(archive) if zipfile.is_zipfile(archive) else tarfile.open(archive) as opened:
            return {file.name: _take(opened, file, folder / file.name, meter, what) for file in files}
    except DataError:
        raise
    except Exception as error:  # a damaged archive can fail in any way, none of them our fault
        if isinstance(error, OSError) and error.errno not in (None, errno.EINVAL):  # the disk's fault
            raise
        raise DataError(f"{what} cannot be unpacked ({error}).") from None


def _take(opened: zipfile.ZipFile | tarfile.TarFile, file: File, path: Path, meter: Meter, what: str) -> str:
    try:
        get = opened.open if isinstance(opened, zipfile.ZipFile) else opened.extractfile
        stream: IO[bytes] | None = get(file.member)
    except KeyError:
        stream = None
    if stream is None:
        raise DataError(f"{what} has no file '{file.member}' in it.")
    with stream, receiving(path, file, meter) as receiver:
        shutil.copyfileobj(stream, receiver, CHUNK)
        return receiver.finish()

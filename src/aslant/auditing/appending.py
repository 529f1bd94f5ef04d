"""Append a line to a file that others append to as well, so that it is there whole, on the disk, or not at all.

A line is added under a lock that goes with its process, and is through to the disk when `append_line` returns. What a
writer left behind that was killed in the middle of a line is cut off by the next one; so is what of a line found room
on a full disk.
"""

from __future__ import annotations

import contextlib
import errno
import os
import stat
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from aslant.errors import AslantError

#: The file is looked through from its end, for the last line end, in pieces of so many bytes.
PIECE = 1 << 16
#: What systems of files say that know no locks.
NO_LOCKS = {errno.ENOLCK, errno.EOPNOTSUPP, errno.ENOSYS}


def append_line(path: Path, line: bytes, begins: bytes, whole: Callable[[bytes], bool], most: int = 1 << 28) -> int:
    """Append `line` (without a line end) to `path`, which is made if it is not there; return the byte where it begins.

    Every line begins with `begins` and has up to `most` bytes; a file that is otherwise is refused. `whole` tells
    whether what stands after the last line end is a whole line, which only lacks its end; otherwise it is cut off.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "lines"
    >>> append_line(path, b"{1}", b"{", lambda tail: False), append_line(path, b"{2}", b"{", lambda tail: False)
    (0, 4)
    """
    try:
        with _opened(path) as file, _locked(file, path):
            size = _mended(file, path, begins, whole, most)
            try:
                _write(file, size, line + b"\n")
            except OSError:
                with contextlib.suppress(OSError):
                    file.truncate(size)  # a disk that is full must not keep half a line
                raise
    except OSError as error:
        raise AslantError(f"cannot write '{path}': {error.strerror or error}.") from None
    return size


@contextmanager
def _opened(path: Path) -> Iterator[IO[bytes]]:
    there = path.exists()
    if there and not stat.S_ISREG(path.stat().st_mode):
        raise AslantError(f"'{path}' is not a regular file; give another name for the store.")
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_BINARY", 0), 0o666)
    with os.fdopen(descriptor, "r+b", buffering=0) as file:
        if not there and hasattr(os, "O_DIRECTORY"):
            folder = os.open(path.resolve().parent, os.O_RDONLY | os.O_DIRECTORY)
            try:
                os.fsync(folder)  # or a power cut may take a new file away with all that was fsync'd into it
            finally:
                os.close(folder)
        yield file


@contextmanager
def _locked(file: IO[bytes], path: Path) -> Iterator[None]:
    """Hold a lock on the file; the system lets go of it when the process ends, however it ends."""
    if sys.platform == "win32":
        import msvcrt

        file.seek(1 << 62)  # a byte that nobody writes to
        msvcrt.locking(file.fileno(), msvcrt.LK_LOCK, 1)
        try:
            yield
        finally:
            file.seek(1 << 62)
            msvcrt.locking(file.fileno(), msvcrt.LK_UNLCK, 1)
        return
    import fcntl

    try:
        fcntl.flock(file.fileno(), fcntl.LOCK_EX)  # let go of by closing
    except OSError as error:
        if error.errno not in NO_LOCKS:
            raise
        warnings.warn(f"'{path}' cannot be locked there; let only one process write to it at a time.", stacklevel=2)
    yield


def _mended(file: IO[bytes], path: Path, begins: bytes, whole: Callable[[bytes], bool], most: int) -> int:
    """Return where the next line begins, after an end was given to, or made of, what a killed writer left behind."""
    size = os.fstat(file.fileno()).st_size
    file.seek(0)
    head = _read(file, len(begins))
    if head != begins[: len(head)]:
        raise AslantError(f"'{path}' is no store of results, and is left as it is; give another name for the store.")
    end = _after_last_line(file, size, size - most)
    if end is None:
        raise AslantError(
            f"'{path}' ends in a line of over {most >> 20} MB, and is left as it is; check which file it is."
        )
    if end == size:
        return size
    file.seek(end)
    if whole(_read(file, size - end)):
        _write(file, size, b"\n")
        return size + 1
    file.truncate(end)
    return end


def _after_last_line(file: IO[bytes], size: int, first: int) -> int | None:
    """Return the place after the last line end, 0 where there is none; None where it would be before `first`."""
    place = size
    while place > 0:
        if place < first:
            return None
        begin = max(0, place - PIECE)
        file.seek(begin)
        found = _read(file, place - begin).rfind(b"\n")
        if found >= 0:
            return begin + found + 1
        place = begin
    return 0


def _read(file: IO[bytes], count: int) -> bytes:
    content = b""
    while len(content) < count and (more := file.read(count - len(content))):
        content += more
    return content


def _write(file: IO[bytes], place: int, content: bytes) -> None:
    file.seek(place)
    rest = memoryview(content)
    while rest:
        rest = rest[file.write(rest) :]
    os.fsync(file.fileno())

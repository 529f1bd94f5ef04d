"""Claims on pieces of work, between processes: whoever holds one does the work, and a process that dies lets go of it.

A claim is a lock of the operating system on one byte of a small file. The system takes it away the moment a process
ends, however it ends (`kill -9` included), so nothing has to be cleaned up and no clock is trusted. Between machines
that share a disk it holds wherever SQLite's own locks hold, which are of the same kind: on NFS 4 and on most cluster
file systems, where the lock of a machine that lost power ends with its lease. Where a disk has no locks, `Claims.works`
is False, and processes do not see each other.
"""

from __future__ import annotations

import hashlib
import os
import sys
import threading
from pathlib import Path

#: Places in the file; SQLite has shown that all systems can lock so far behind the end of a file.
PLACES = 1 << 30
#: What this process holds, by file: a system's lock does not keep a process from itself.
_held: dict[str, set[int]] = {}
#: One open file for each name: closing any other would let go of every lock of this process on it.
_files: dict[str, int] = {}
_guard = threading.Lock()


class Claims:
    """Claims by name, in the file `path`, which is made when it is first needed and stays empty.

    >>> import tempfile
    >>> claims = Claims(Path(tempfile.mkdtemp()) / "claims")
    >>> claims.take("model 1"), claims.take("model 1"), claims.take("model 2")
    (True, False, True)
    >>> claims.drop("model 1")
    >>> claims.take("model 1")
    True
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.works = True
        self._mine: set[str] = set()

    def take(self, name: str) -> bool:
        """Claim a piece of work; False where somebody else has it."""
        place = _place(name)
        with _guard:
            mine = _held.setdefault(str(self.path.absolute()), set())
            if place in mine:
                return False
            try:
                if not _lock(self._file(), place):
                    return False
            except OSError:  # a disk without locks, or one that cannot be written to
                self.works = False
            mine.add(place)
            self._mine.add(name)
            return True

    def drop(self, name: str) -> None:
        """Let go of a claim of ours."""
        with _guard:
            if name in self._mine:
                self._mine.discard(name)
                _held[str(self.path.absolute())].discard(_place(name))
                if self.works:
                    _unlock(self._file(), _place(name))

    def _file(self) -> int:
        name = str(self.path.absolute())
        if name not in _files:
            _files[name] = os.open(name, os.O_RDWR | os.O_CREAT | getattr(os, "O_CLOEXEC", 0), 0o666)
        return _files[name]


def _place(name: str) -> int:
    """Return the byte that stands for a name."""
    return int.from_bytes(hashlib.sha256(name.encode("utf-8", "surrogatepass")).digest()[:8], "big") % PLACES


if sys.platform == "win32":  # pragma: no cover (the tests run on POSIX)
    import msvcrt

    def _lock(file: int, place: int) -> bool:
        os.lseek(file, place, os.SEEK_SET)
        try:
            msvcrt.locking(file, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True

    def _unlock(file: int, place: int) -> None:
        os.lseek(file, place, os.SEEK_SET)
        msvcrt.locking(file, msvcrt.LK_UNLCK, 1)

else:
    import fcntl

    def _lock(file: int, place: int) -> bool:
        try:
            fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, place)
        except (BlockingIOError, PermissionError):  # POSIX allows either, for a lock of others
            return False
        return True

    def _unlock(file: int, place: int) -> None:
        fcntl.lockf(file, fcntl.LOCK_UN, 1, place)

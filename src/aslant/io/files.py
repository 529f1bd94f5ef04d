"""A file or folder that appears complete or not at all, and the cleanup after writers that were killed."""

from __future__ import annotations

import contextlib
import hashlib
import os
import platform
import shutil
import stat
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import IO

from aslant.errors import AslantError

#: Suffix of what is still being written; it becomes visible by renaming.
PARTIAL = ".partial"
#: What another machine left unfinished is deleted after this many seconds, as its owner cannot be checked.
STALE_SECONDS = 24 * 3600
#: Characters of a name with which the name of its unfinished file begins; file systems allow 255 bytes.
NAME_LENGTH = 40


@contextmanager
def written_whole(path: Path) -> Iterator[IO[bytes]]:
    """Open a file for writing that appears at `path` only when complete, and not at all if writing fails.

    A link is followed, and the permissions of a file that is replaced are kept. What is not a regular file (a pipe, a
    device) is written to directly. What a killed process left unfinished under the same name is deleted.

    >>> folder = Path(tempfile.mkdtemp())
    >>> with written_whole(folder / "a.txt") as file:
    ...     _ = file.write(b"done")
    >>> [entry.name for entry in folder.iterdir()]
    ['a.txt']
    """
    target = path.resolve()
    if path.exists() and not path.is_file():
        with path.open("wb") as file:
            yield file
        return
    mode = stat.S_IMODE(target.stat().st_mode) if target.exists() else 0o666 & ~_umask()
    sweep_partial(target.parent, beginning=_beginning(target.name))
    descriptor, temporary = _claimed_file(target)
    try:
        with os.fdopen(descriptor, "wb") as file:
            yield file
        temporary.chmod(mode)
        temporary.replace(target)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


@contextmanager
def workplace(folder: Path, name: str) -> Iterator[Path]:
    """Make a temporary hidden folder in `folder` for building `name`; those left by killed processes are deleted too.

    >>> folder = Path(tempfile.mkdtemp())
    >>> with workplace(folder, "model") as work:
    ...     _ = (work / "weights").write_bytes(b"1")
    >>> list(folder.iterdir())
    []
    """
    sweep_partial(folder, beginning=_beginning(f".{name}"))
    descriptor, work = _claimed_folder(folder, name)
    try:
        yield work
    finally:
        shutil.rmtree(work, ignore_errors=True)
        if descriptor is not None:
            os.close(descriptor)


def sweep_partial(folder: Path, beginning: str = "") -> None:
    """Delete unfinished files and folders in `folder` whose writers are dead, or were another machine's a day ago.

    A writer holds a lock on what it writes, which ends with the process, however that ends. Without a `beginning`,
    `folder` has to be our own: other programs may use the same suffix.
    """
    try:
        left = [Path(e) for e in os.scandir(folder) if e.name.endswith(PARTIAL) and e.name.startswith(beginning)]
    except OSError:  # no folder, or one that cannot be read: nothing to delete
        return
    for path in left:
        with contextlib.suppress(OSError):  # gone already, or not ours to delete: harmless either way
            if f".{_machine()}-" in path.name:
                _delete_if_dead(path)
            elif time.time() - path.lstat().st_mtime > STALE_SECONDS:
                _delete(path)


def _delete_if_dead(path: Path) -> None:
    """Delete what no process is still writing; the lock is held meanwhile, in case a writer has just begun."""
    descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0))
    try:
        if _lock(descriptor, wait=False) or time.time() - path.lstat().st_mtime > STALE_SECONDS:
            _delete(path)
    finally:
        os.close(descriptor)


def _delete(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path, ignore_errors=True)
    else:
        path.unlink()


def _claimed_file(target: Path) -> tuple[int, Path]:
    """Return a new file beside `target`, open and locked."""
    while True:
        descriptor, name = tempfile.mkstemp(prefix=_beginning(target.name), suffix=PARTIAL, dir=target.parent)
        _lock(descriptor, wait=True)
        if Path(name).exists():  # else somebody deleted it before it was locked
            return descriptor, Path(name)
        os.close(descriptor)


def _claimed_folder(folder: Path, name: str) -> tuple[int | None, Path]:
    """Return a new hidden folder and the file that holds its lock."""
    while True:
        made = Path(tempfile.mkdtemp(prefix=_beginning(f".{name}"), suffix=PARTIAL, dir=folder))
        if not hasattr(os, "O_DIRECTORY"):
            return None, made
        try:
            descriptor = os.open(made, os.O_RDONLY | os.O_DIRECTORY)
        except FileNotFoundError:  # deleted before it was locked, as below
            continue
        _lock(descriptor, wait=True)
        if made.exists():
            return descriptor, made
        os.close(descriptor)


def _lock(descriptor: int, *, wait: bool) -> bool:
    """Lock an open file until it is closed; tell whether that was possible. Some file systems have no locks."""
    try:
        import fcntl

        fcntl.flock(descriptor, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
    except (ImportError, OSError):
        return False
    return True


def _beginning(name: str) -> str:
    return f"{name[:NAME_LENGTH]}.{_machine()}-"


def _machine() -> str:
    """Return this machine's id for the names of unfinished files: other machines cannot see its locks."""
    return hashlib.blake2b(platform.node().encode("utf-8", "surrogateescape"), digest_size=3).hexdigest()


def _umask() -> int:
    """Return the process's umask, which can only be read by setting it."""
    mask = os.umask(0o022)
    os.umask(mask)
    return mask


def write_text(path: Path, text: str) -> None:
    """Write `text` as UTF-8, completely or not at all."""
    write_bytes(path, text.encode("utf-8", "surrogatepass"))


def write_bytes(path: Path, content: bytes) -> None:
    """Write `content`, completely or not at all; a path that cannot be written is the user's to fix."""
    write_together({path: content})


def write_together(contents: Mapping[Path, bytes]) -> None:
    """Write several files: all of them appear, or none; a path that cannot be written is the user's to fix.

    >>> folder = Path(tempfile.mkdtemp())
    >>> write_together({folder / "a.csv": b"1", folder / "a.json": b"[1]"})
    >>> sorted(path.name for path in folder.iterdir())
    ['a.csv', 'a.json']
    """
    path = None
    try:
        with ExitStack() as written:  # each is renamed when its context is left, and by then all are on the disk
            for path, content in contents.items():
                file = written.enter_context(written_whole(path))
                file.write(content)
                file.flush()
    except OSError as error:
        raise AslantError(f"cannot write '{path}': {error.strerror or error}.") from None

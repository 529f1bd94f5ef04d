"""A file or folder that appears complete or not at all, and the cleanup after writers that were killed."""

from __future__ import annotations

import contextlib
import os
import shutil
import stat
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import IO

from aslant.errors import AslantError

#: Suffix of what is still being written; it becomes visible by renaming.
PARTIAL = ".partial"
#: What nobody writes to is swept away after this many seconds: where writers can be known to be dead, and elsewhere.
FRESH_SECONDS, STALE_SECONDS = 0.2, 24 * 3600
#: Characters of a name with which the name of its unfinished file begins; file systems allow 255 bytes.
NAME_LENGTH = 40


@contextmanager
def written_whole(path: Path) -> Iterator[IO[bytes]]:
    """Open a file for writing that appears at `path` only when complete, and not at all if writing fails.

    A link is followed, and the permissions of a file that is replaced are kept. What is not a regular file (a pipe, a
    device) is written to as it is. What a killed process left unfinished under the same name is deleted.

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
    descriptor, name = tempfile.mkstemp(prefix=_beginning(target.name), suffix=PARTIAL, dir=target.parent)
    temporary = Path(name)
    with _held(temporary):
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
    """Give a hidden folder in `folder` to make `name` in, gone afterwards, as are those of killed processes.

    >>> folder = Path(tempfile.mkdtemp())
    >>> with workplace(folder, "model") as work:
    ...     _ = (work / "weights").write_bytes(b"1")
    >>> list(folder.iterdir())
    []
    """
    sweep_partial(folder, beginning=_beginning(f".{name}"))
    with (
        tempfile.TemporaryDirectory(
            prefix=_beginning(f".{name}"), suffix=PARTIAL, dir=folder, ignore_cleanup_errors=True
        ) as work,
        _held(Path(work)),
    ):
        yield Path(work)


def appear(made: Path, target: Path, work: Path, is_good: Callable[[], bool]) -> None:
    """Rename a folder into place. What is at `target` already stays if it is good, and gives way, to `work`, if not."""
    for number in range(10):
        try:
            made.rename(target)
        except OSError:
            if not target.is_dir():
                raise
        else:
            return
        if is_good():
            return
        with contextlib.suppress(FileNotFoundError):  # another process has moved it away first
            target.rename(work / f"damaged-{number}")


def sweep_partial(folder: Path, beginning: str = "") -> None:
    """Delete unfinished files and folders in `folder` that no living writer holds.

    Without a `beginning`, `folder` has to be our own: other programs may use the same suffix.
    """
    with contextlib.suppress(OSError):  # no folder, or one that cannot be read: nothing to delete
        for path in folder.glob(f"*{PARTIAL}"):
            with contextlib.suppress(OSError):  # held, gone already, or not ours to delete: harmless either way
                if path.name.startswith(beginning):
                    _delete_if_dead(path)


def _delete_if_dead(path: Path) -> None:
    """Delete a file or folder whose writer does not hold it; where nothing can be held, one that is a day old."""
    age = time.time() - path.lstat().st_mtime
    with _held(path, wait=False) as possible:
        if age > (FRESH_SECONDS if possible else STALE_SECONDS):
            shutil.rmtree(path) if path.is_dir() and not path.is_symlink() else path.unlink()


@contextmanager
def _held(path: Path, *, wait: bool = True) -> Iterator[bool]:
    """Hold a file or folder, as its writer does until it is complete, and tell whether that is possible here.

    BlockingIOError means that somebody else holds it. The system lets go when a process ends, however it ends.
    """
    try:
        import fcntl
    except ImportError:  # Windows
        yield False
        return
    descriptor = os.open(path, os.O_RDONLY)
    try:
        possible = True
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
        except BlockingIOError:
            raise
        except OSError:  # a file system without locks
            possible = False
        yield possible
    finally:
        os.close(descriptor)


def _beginning(name: str) -> str:
    return f"{name[:NAME_LENGTH]}.aslant-"


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

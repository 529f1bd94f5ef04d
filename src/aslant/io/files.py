"""A file or folder that appears complete or not at all, and the cleanup after writers that were killed."""

from __future__ import annotations

import contextlib
import hashlib
import os
import platform
import re
import shutil
import stat
import sys
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
    descriptor, name = tempfile.mkstemp(prefix=_mine(target.name), suffix=PARTIAL, dir=target.parent)
    temporary = Path(name)
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
    work = tempfile.mkdtemp(prefix=_mine(f".{name}"), suffix=PARTIAL, dir=folder)
    try:
        yield Path(work)
    finally:
        shutil.rmtree(work, ignore_errors=True)


def sweep_partial(folder: Path, beginning: str = "") -> None:
    """Delete unfinished files and folders in `folder` whose writers are dead, or were another machine's a day ago.

    The name of what is unfinished says which process of which machine writes it. Without a `beginning`, `folder` has to
    be our own: others, too, may end the names of their files so.
    """
    try:
        left = [Path(e) for e in os.scandir(folder) if e.name.endswith(PARTIAL) and e.name.startswith(beginning)]
    except OSError:  # no folder, or one that cannot be read: nothing to delete
        return
    for path in left:
        with contextlib.suppress(OSError):  # gone already, or not ours to delete: harmless either way
            if _is_dead(path):
                shutil.rmtree(path) if path.is_dir() and not path.is_symlink() else path.unlink()


def _is_dead(path: Path) -> bool:
    """Tell whether nobody writes `path` any more, as far as can be known."""
    if time.time() - path.lstat().st_mtime > STALE_SECONDS:
        return True
    writer = re.search(rf"\.{_machine()}-(\d+)-", path.name)
    if writer is None or sys.platform == "win32":  # where asking after a process would end it
        return False
    try:
        os.kill(int(writer[1]), 0)
    except (ProcessLookupError, OverflowError):
        return True
    except PermissionError:  # somebody else's process is alive, too
        return False
    return False


def _beginning(name: str) -> str:
    return f"{name[:NAME_LENGTH]}.{_machine()}-"


def _mine(name: str) -> str:
    return f"{_beginning(name)}{os.getpid()}-"


def _machine() -> str:
    """Return what stands for this machine in the names of unfinished files: others cannot see its processes."""
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

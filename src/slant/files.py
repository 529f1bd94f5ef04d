"""A file that appears whole or not at all."""

from __future__ import annotations

import os
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from slant.errors import SlantError

#: Suffix of a file that is still being written; it becomes visible by renaming.
PARTIAL = ".partial"


@contextmanager
def written_whole(path: Path) -> Iterator[IO[bytes]]:
    """Give a file to write that appears at `path` only when complete, and not at all if writing fails.

    A link is followed, and the permissions of a file that is replaced are kept. What is no regular file (a pipe, a
    device) is written to as it is.

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
    descriptor, temporary = tempfile.mkstemp(prefix=target.name + ".", suffix=PARTIAL, dir=target.parent)
    try:
        with os.fdopen(descriptor, "wb") as file:
            yield file
        Path(temporary).chmod(mode)
        Path(temporary).replace(target)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


def _umask() -> int:
    """Return the process's umask, which can only be read by setting it."""
    mask = os.umask(0o022)
    os.umask(mask)
    return mask


def write_text(path: Path, text: str) -> None:
    """Write `text` as UTF-8, whole or not at all."""
    write_bytes(path, text.encode("utf-8", "surrogatepass"))


def write_bytes(path: Path, content: bytes) -> None:
    """Write `content`, whole or not at all; a path that cannot be written is the user's to mend."""
    try:
        with written_whole(path) as file:
            file.write(content)
    except OSError as error:
        raise SlantError(f"cannot write '{path}': {error.strerror or error}.") from None

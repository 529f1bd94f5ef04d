"""A file that appears whole or not at all."""

from __future__ import annotations

import os
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

    >>> folder = Path(tempfile.mkdtemp())
    >>> with written_whole(folder / "a.txt") as file:
    ...     _ = file.write(b"done")
    >>> [entry.name for entry in folder.iterdir()]
    ['a.txt']
    """
    descriptor, temporary = tempfile.mkstemp(prefix=path.name + ".", suffix=PARTIAL, dir=path.parent)
    try:
        with os.fdopen(descriptor, "wb") as file:
            yield file
        Path(temporary).chmod(0o666 & ~_umask())
        Path(temporary).replace(path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


def _umask() -> int:
    """Return the process's umask, which can only be read by setting it."""
    mask = os.umask(0o022)
    os.umask(mask)
    return mask


def write_text(path: Path, text: str) -> None:
    """Write `text` as UTF-8, whole or not at all; a path that cannot be written is the user's to mend."""
    try:
        with written_whole(path) as file:
            file.write(text.encode("utf-8", "surrogatepass"))
    except OSError as error:
        raise SlantError(f"cannot write '{path}': {error.strerror or error}.") from None

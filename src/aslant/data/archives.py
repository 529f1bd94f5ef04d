"""Extract listed files, and nothing else, from a wheel, a zip or a tar archive."""

from __future__ import annotations

import errno
import shutil
import tarfile
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from aslant.data.receiving import CHUNK, Meter, receiving
from aslant.data.registry import File
from aslant.errors import DataError


def take_out(archive: Path, files: tuple[File, ...], folder: Path, meter: Meter, what: str) -> dict[str, str]:
    """Copy the members that `files` name into `folder`; return the SHA-256 of each by its name.

    `what` is the archive's name in messages. Nothing is written outside `folder`: names come from the registry.
    """
    meter.start(sum(file.size or 0 for file in files))
    try:
        with zipfile.ZipFile(archive) if zipfile.is_zipfile(archive) else tarfile.open(archive) as opened:
            return {file.name: _take(opened, file, folder, meter, what) for file in files}
    except DataError:
        raise
    except OSError as error:
        if error.errno not in (None, errno.EINVAL):  # the disk's fault, not the archive's
            raise
        raise DataError(f"{what} cannot be unpacked ({error}).") from None
    except Exception as error:  # a damaged archive can fail in any way, none of them our fault
        raise DataError(f"{what} cannot be unpacked ({error}).") from None


def _take(opened: zipfile.ZipFile | tarfile.TarFile, file: File, folder: Path, meter: Meter, what: str) -> str:
    with _member(opened, file, what) as stream, receiving(folder / file.name, file, meter) as receiver:
        shutil.copyfileobj(stream, receiver, CHUNK)
        return receiver.finish()


@contextmanager
def _member(opened: zipfile.ZipFile | tarfile.TarFile, file: File, what: str) -> Iterator[IO[bytes]]:
    try:
        if isinstance(opened, zipfile.ZipFile):
            stream: IO[bytes] | None = opened.open(file.member)
        else:
            stream = opened.extractfile(file.member)
    except KeyError:
        stream = None
    if stream is None:
        raise DataError(f"{what} has no file '{file.member}' in it.")
    with stream:
        yield stream

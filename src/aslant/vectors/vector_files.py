"""Files that hold vectors: opened like any other (see `aslant.io.packed_files`), with errors of their own kind."""

from __future__ import annotations

import os
from dataclasses import dataclass

from aslant.errors import AslantError, VectorsError
from aslant.io import packed_files as opening
from aslant.io.packed_files import ByteStream, Progress, on_disk, open_stream, path_of

__all__ = ["ByteStream", "Location", "Progress", "locate", "on_disk", "open_stream", "path_of"]


@dataclass(frozen=True)
class Location(opening.Location):
    """A file of vectors, and the member to read where the file is a zip archive."""

    error: type[AslantError] = VectorsError


def locate(source: str | os.PathLike[str]) -> Location:
    """Find the file that `source` names; 'archive.zip/member.txt' names a member of an archive."""
    return opening.locate(source, Location)

"""Where aslant keeps what it derives or downloads: the cache folder, its contents, and clearing it.

One folder per user (`platformdirs`), or the one that the environment variable ``ASLANT_CACHE`` names.
"""

from __future__ import annotations

import contextlib
import os
from dataclasses import dataclass
from pathlib import Path

from aslant.errors import AslantError
from aslant.io.files import PARTIAL, sweep_partial

#: Where the files of the cache are: converted models, and vectors of encoders, have a folder each. Nothing
#: deeper is ever deleted, in case ASLANT_CACHE is somebody's home.
PLACES = ("*/*", "models/*/*", "encoders/*/*", "audits/*/**/*")


def cache_folder() -> Path:
    """Return the folder of everything that can be rebuilt; it may not exist yet.

    >>> cache_folder().is_absolute()
    True
    """
    if chosen := os.environ.get("ASLANT_CACHE"):
        return Path(chosen).expanduser().resolve()
    from platformdirs import user_cache_path

    return user_cache_path("aslant", appauthor=False).resolve()


@dataclass(frozen=True)
class CacheEntry:
    """One file of the cache."""

    path: Path
    size: int
    modified: float
    partial: bool


def cache_entries() -> list[CacheEntry]:
    """List the files of the cache, newest first, unfinished ones included.

    >>> isinstance(cache_entries(), list)
    True
    """
    found = []
    for path in dict.fromkeys(path for places in PLACES for path in cache_folder().glob(places)):
        try:
            stat = path.stat()
        except FileNotFoundError:  # another process finished or cleared it meanwhile
            continue
        if path.is_file():
            found.append(CacheEntry(path, stat.st_size, stat.st_mtime, path.name.endswith(PARTIAL)))
    return sorted(found, key=lambda entry: -entry.modified)


def clear_cache() -> tuple[int, int]:
    """Delete every file of the cache; return how many files and bytes were deleted."""
    entries = cache_entries()
    for entry in entries:
        try:
            entry.path.unlink(missing_ok=True)
        except OSError as error:
            raise AslantError(f"cannot delete '{entry.path}': {error.strerror}.") from None
    for folder in sorted(cache_folder().glob("audits/*/**/"), reverse=True):  # those of runs, innermost first
        with contextlib.suppress(OSError):  # another process has begun a run there
            folder.rmdir()
    return len(entries), sum(entry.size for entry in entries)


def sweep_partial_files(folder: Path) -> None:
    """Delete unfinished files left in `folder` by processes that were killed."""
    sweep_partial(folder)

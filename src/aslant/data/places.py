"""Where things are: the user's data (``ASLANT_DATA``), aslant's own, and the cache, which can be listed and cleared.

The cache is one folder per user (`platformdirs`), or the one that the environment variable ``ASLANT_CACHE`` names.
"""

from __future__ import annotations

import contextlib
import os
import re
from dataclasses import dataclass
from pathlib import Path

from aslant.errors import AslantError
from aslant.io.files import PARTIAL, sweep_partial

#: What the name of an entry looks like; with ``/`` after it, something inside the entry's folder is meant.
NAME = re.compile(r"[a-z0-9][a-z0-9.-]*")


def could_be_name(text: str) -> bool:
    """Tell whether `text` has the form of a data name, without looking at the registry.

    >>> could_be_name("glove-6b-50d"), could_be_name("histwords-eng-all-sgns/1990"), could_be_name("/home/me/v.txt")
    (True, True, False)
    """
    return NAME.fullmatch(text.partition("/")[0]) is not None


def data_folder() -> Path:
    """Return the folder of what aslant has downloaded; it may not exist yet.

    It is beside the cache where ``ASLANT_CACHE`` moves that, and is the platform's folder for data otherwise.

    >>> data_folder().is_absolute()
    True
    """
    if os.environ.get("ASLANT_CACHE"):
        return cache_folder() / "data"
    from platformdirs import user_data_path

    return user_data_path("aslant", appauthor=False).resolve()


def users_folder() -> Path | None:
    """Return the folder that ``ASLANT_DATA`` names, if it is set: it is searched first, and never written to."""
    chosen = os.environ.get("ASLANT_DATA")
    return Path(chosen).expanduser().resolve() if chosen else None


def offline() -> bool:
    """Tell whether ``ASLANT_OFFLINE`` forbids the network."""
    return os.environ.get("ASLANT_OFFLINE", "").strip().lower() not in ("", "0", "no", "false")


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

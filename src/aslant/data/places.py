"""Where things are: the user's data (``ASLANT_DATA``), aslant's own, and the cache, which can be listed and cleared.

The cache is one folder per user (`platformdirs`), or the one that the environment variable ``ASLANT_CACHE`` names.
"""

from __future__ import annotations

import contextlib
import os
import re
import time
from dataclasses import dataclass
from pathlib import Path

from aslant.errors import AslantError
from aslant.io.files import PARTIAL

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


#: Folders of the cache that are aslant's, with all that is in them. Of others, in case ASLANT_CACHE is somebody's home,
#: only files right inside them are looked at, and what was downloaded (data) is not part of the cache.
OURS = ("vectors", "models", "encoders", "audits", "enumeration", "language-models", "pronouns")
PLACES = ("*/*", *(f"{name}/**/*" for name in OURS))
DOWNLOADED = "data"


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
    here = cache_folder()
    for path in dict.fromkeys(path for places in PLACES for path in here.glob(places)):
        if path.relative_to(here).parts[0] == DOWNLOADED:
            continue
        try:
            stat = path.stat()
        except FileNotFoundError:  # another process finished or cleared it meanwhile
            continue
        if path.is_file():
            found.append(CacheEntry(path, stat.st_size, stat.st_mtime, path.name.endswith(PARTIAL)))
    return sorted(found, key=lambda entry: -entry.modified)


def is_of(entry: CacheEntry, model: str) -> bool:
    """Tell whether a file of the cache is of a model: its name, or a folder's, is the model's, or continues it."""
    _, *parts = entry.path.relative_to(cache_folder()).parts
    return any(re.match(rf"{re.escape(model)}($|[.-])", part, re.IGNORECASE) for part in parts)


def clear_cache(
    *, older_than: float | None = None, max_size: int | None = None, model: str | None = None
) -> tuple[int, int]:
    """Delete files of the cache; return how many files and bytes were deleted. Without limits, every file.

    `older_than`: only those unused for this many seconds; `model`: only those of a model; `max_size`: the oldest, until
    what is left takes at most this many bytes.
    """
    entries = [entry for entry in cache_entries() if model is None or is_of(entry, model)]
    if older_than is not None:
        entries = [entry for entry in entries if time.time() - entry.modified > older_than]
    if max_size is not None:
        left, kept = max_size, list[CacheEntry]()
        for entry in entries:  # newest first
            left -= entry.size
            kept += [entry] if left >= 0 else []
        entries = [entry for entry in entries if entry not in kept]
    for entry in entries:
        try:
            entry.path.unlink(missing_ok=True)
        except OSError as error:
            raise AslantError(f"cannot delete '{entry.path}': {error.strerror}.") from None
    for folder in sorted(cache_folder().glob("audits/*/**/"), reverse=True):  # those of runs, innermost first
        with contextlib.suppress(OSError):  # another process has begun a run there
            folder.rmdir()
    return len(entries), sum(entry.size for entry in entries)

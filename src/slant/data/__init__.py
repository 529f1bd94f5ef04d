"""Data that slant keeps or fetches: the cache folder, and external data by name.

The registry and the fetching load when first used: opening a file that is already here needs neither.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from slant.data.cache import CacheEntry, cache_entries, cache_folder, clear_cache, sweep_partial_files
from slant.data.places import could_be_name, data_folder

_HOMES = {
    "Entry": "slant.data.registry",
    "did_you_mean": "slant.data.registry",
    "entries": "slant.data.registry",
    "entry": "slant.data.registry",
    "fetch": "slant.data.fetching",
    "find": "slant.data.fetching",
    "inside_of": "slant.data.registry",
    "names": "slant.data.registry",
    "resolve": "slant.data.fetching",
}

if TYPE_CHECKING:
    from slant.data.fetching import fetch, find, resolve
    from slant.data.registry import Entry, did_you_mean, entries, entry, inside_of, names

__all__ = [
    "CacheEntry",
    "Entry",
    "cache_entries",
    "cache_folder",
    "clear_cache",
    "could_be_name",
    "data_folder",
    "did_you_mean",
    "entries",
    "entry",
    "fetch",
    "find",
    "inside_of",
    "names",
    "resolve",
    "sweep_partial_files",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'slant.data' has no attribute {name!r}")
    return getattr(importlib.import_module(_HOMES[name]), name)

"""Data that aslant keeps or downloads: the cache folder, and external data by name.

The registry and the download code load when first used: opening a local file needs neither.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from aslant.data.cache import CacheEntry, cache_entries, cache_folder, clear_cache, sweep_partial_files
from aslant.data.places import could_be_name, data_folder

_HOMES = {
    "Entry": "aslant.data.registry",
    "did_you_mean": "aslant.data.registry",
    "entries": "aslant.data.registry",
    "entry": "aslant.data.registry",
    "fetch": "aslant.data.fetching",
    "find": "aslant.data.fetching",
    "inside_of": "aslant.data.registry",
    "names": "aslant.data.registry",
    "resolve": "aslant.data.fetching",
}

if TYPE_CHECKING:
    from aslant.data.fetching import fetch, find, resolve
    from aslant.data.registry import Entry, did_you_mean, entries, entry, inside_of, names

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
        raise AttributeError(f"module 'aslant.data' has no attribute {name!r}")
    return getattr(importlib.import_module(_HOMES[name]), name)

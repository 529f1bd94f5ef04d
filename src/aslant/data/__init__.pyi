"""The names of this room; each is imported from its home when it is first used."""

from .fetching import fetch as fetch
from .fetching import find as find
from .fetching import given_path as given_path
from .fetching import resolve as resolve
from .places import CacheEntry as CacheEntry
from .places import cache_entries as cache_entries
from .places import cache_folder as cache_folder
from .places import clear_cache as clear_cache
from .places import could_be_name as could_be_name
from .places import data_folder as data_folder
from .registry import Entry as Entry
from .registry import did_you_mean as did_you_mean
from .registry import entries as entries
from .registry import entry as entry
from .registry import inside_of as inside_of
from .registry import names as names

"""The names of this room; each is imported from its home when it is first used."""

from .cache import CacheEntry as CacheEntry
from .cache import cache_entries as cache_entries
from .cache import cache_folder as cache_folder
from .cache import clear_cache as clear_cache
from .cache import sweep_partial_files as sweep_partial_files
from .fetching import fetch as fetch
from .fetching import find as find
from .fetching import resolve as resolve
from .places import could_be_name as could_be_name
from .places import data_folder as data_folder
from .registry import Entry as Entry
from .registry import did_you_mean as did_you_mean
from .registry import entries as entries
from .registry import entry as entry
from .registry import inside_of as inside_of
from .registry import names as names

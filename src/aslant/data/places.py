"""Where external data may be: the user's folder (``ASLANT_DATA``), aslant's own, and whether to use the network."""

from __future__ import annotations

import os
import re
from pathlib import Path

from aslant.data.cache import cache_folder

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

"""The model hub, and its local cache: contacted only where that is allowed, and where it answers."""

from __future__ import annotations

import os
import re
import socket
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit
from urllib.request import getproxies

#: What a name on the hub looks like: at most one slash.
HUB_NAME = re.compile(r"[\w.-]+(/[\w.-]+)?")


def only_in_cache(name: str) -> bool:
    """Tell whether data of that name are missing while the hub's cache has such a model: nothing to download."""
    from huggingface_hub import try_to_load_from_cache

    from aslant.data import names
    from aslant.data.fetching import present

    if name not in names() or present(name):
        return False
    return isinstance(try_to_load_from_cache(name, "config.json"), str)


def places(name: str, folder: Path | None) -> Iterator[tuple[str, bool]]:
    """Yield the places a model may come from, and whether each must be complete: its folder, or the cache and the hub.

    What is cached is given as a folder, for which the hub is not contacted; files may be missing, so the hub is next.
    """
    if folder is not None:
        yield str(folder), True
        return
    from huggingface_hub import try_to_load_from_cache
    from huggingface_hub.errors import HFValidationError

    try:
        cached = try_to_load_from_cache(name, "config.json")
    except HFValidationError:
        return
    if isinstance(cached, str):
        yield str(Path(cached).parent), True
    if not no_hub():
        yield name, False


def unknown(name: str) -> str:
    """Return the message for a name that nothing has."""
    from aslant.data import did_you_mean

    why = no_hub() if HUB_NAME.fullmatch(name) else ""
    return (
        f"there is no folder '{name}', nor data or a hub model of that name{why and f' ({why})'}; {did_you_mean(name)}"
        "check the name, or download the model elsewhere and give its folder."
    )


def no_hub() -> str:
    """Return why the hub cannot be contacted, or nothing; its own library would try for half a minute."""
    from aslant.data.places import offline

    if offline():
        return "ASLANT_OFFLINE forbids contacting the hub"
    from huggingface_hub import constants

    if constants.HF_HUB_OFFLINE or os.environ.get("HF_HUB_OFFLINE", "").upper() in ("1", "ON", "YES", "TRUE"):
        return "HF_HUB_OFFLINE forbids contacting the hub"
    address = urlsplit(constants.ENDPOINT)
    if getproxies().keys() & {address.scheme, "all"}:  # a proxy may reach what a direct connection does not
        return ""
    try:
        socket.create_connection((address.hostname or "", address.port or 443), timeout=10).close()
    except OSError:
        return f"{address.hostname} cannot be reached"
    return ""

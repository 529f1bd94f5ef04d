"""The hub of models, and the cache of what came from there: asked only where it may be, and where it answers."""

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
    """Tell whether data of that name are not here, while the hub's cache has a model of that name: no need to fetch."""
    from huggingface_hub import try_to_load_from_cache

    from aslant.data import names
    from aslant.data.fetching import present

    if name not in names() or present(name):
        return False
    return isinstance(try_to_load_from_cache(name, "config.json"), str)


def places(name: str, folder: Path | None) -> Iterator[tuple[str, bool]]:
    """Yield from where a model may come, and whether all of it has to be there: its folder, or the cache, then the hub.

    What is cached is given as a folder, which nothing is asked of the hub for; it may lack files, so the hub is next.
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
    """Return the message for a name that leads nowhere."""
    from aslant.data import did_you_mean

    why = no_hub() if HUB_NAME.fullmatch(name) else ""
    return (
        f"there is no folder '{name}', nor data or a hub model of that name{why and f' ({why})'}; {did_you_mean(name)}"
        "check the name, or download the model elsewhere and give its folder."
    )


def no_hub() -> str:
    """Return why the hub cannot be asked, or nothing; its own library would try for half a minute."""
    from aslant.data.places import offline

    if offline():
        return "ASLANT_OFFLINE forbids to ask the hub"
    from huggingface_hub import constants

    if constants.HF_HUB_OFFLINE or os.environ.get("HF_HUB_OFFLINE", "").upper() in ("1", "ON", "YES", "TRUE"):
        return "HF_HUB_OFFLINE forbids to ask the hub"
    address = urlsplit(constants.ENDPOINT)
    if getproxies().keys() & {address.scheme, "all"}:  # a proxy may lead where no direct way does
        return ""
    try:
        socket.create_connection((address.hostname or "", address.port or 443), timeout=10).close()
    except OSError:
        return f"{address.hostname} cannot be reached"
    return ""

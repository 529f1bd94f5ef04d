"""Folders that cannot be written: a read-only file system, somebody else's home, a cache that is a file."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from faulting.full_disk import filled, freeze, small_disk
from faulting.outcomes import Outcome, read_result
from faulting.processes import end, start

NOBODY = 65534


@contextmanager
def frozen_cache(_: Path) -> Iterator[dict[str, str]]:
    """A cache on a file system that is read-only."""
    with small_disk(64) as disk:
        freeze(disk)
        yield {"ASLANT_CACHE": str(disk / "cache")}


@contextmanager
def file_as_cache(folder: Path) -> Iterator[dict[str, str]]:
    """A cache that is a file."""
    path = folder / "a file"
    path.write_text("mine")
    yield {"ASLANT_CACHE": str(path)}
    if path.read_text() != "mine":
        raise AssertionError("the file in place of the cache was changed")


@contextmanager
def frozen_home(folder: Path) -> Iterator[dict[str, str]]:
    """No cache named, and a home on a file system that is read-only."""
    with small_disk(64) as disk:
        freeze(disk)
        names = ("XDG_CACHE_HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME", "ASLANT_CACHE")
        yield {"HOME": str(disk), "NUMBA_CACHE_DIR": str(disk / "numba"), **dict.fromkeys(names, "")}


PLACES = {
    "read-only cache": frozen_cache,
    "cache that is a file": file_as_cache,
    "read-only home": frozen_home,
}


def cannot_be_written(place: str, name: str, file: Path, *, as_nobody: bool = False) -> Outcome:
    """Run a command where nothing can be kept: it must end as it does elsewhere, with a note."""
    who = " as another user" if as_nobody else ""
    outcome = Outcome(f"`aslant {name}`, {place}{who}", tries=1, lost="nothing but what would be kept")
    with tempfile.TemporaryDirectory(prefix="aslant-faults-") as made:
        folder = Path(made)
        folder.chmod(0o777)
        end(start(*filled(name, file, folder / "whole"), cache=folder / "cache", cwd=folder))
        with PLACES[place](folder) as env:
            arguments = [part for part in filled(name, file, folder / "found") if part != "-q"]
            before = (lambda: os.setuid(NOBODY)) if as_nobody else None
            cache = Path(env.pop("ASLANT_CACHE") or folder / "unset")
            unset = () if cache != folder / "unset" else ("ASLANT_CACHE",)
            ended = end(start(*arguments, cache=cache, cwd=folder, env=env, before=before, unset=unset))
        if complaint := ended.complaint((0,)):
            outcome.blame(complaint)
        elif "note: " not in ended.err and "cannot be written" not in ended.err:
            outcome.blame(f"no note says that nothing is kept: {ended.err!r}")
        elif name != "debias":
            outcome.different += read_result(folder / "found.json") != read_result(folder / "whole.json")
    return outcome

"""A stamp of a model's files by size and time of change, so that what did not change need not be opened to know it.

Identity is the content (`Representation.fingerprint`), and an audit is only ever made under it. A stamp remembers for
which files that was found out: as long as size, time of change, time of the last change of anything about the file, and
its place on the disk are the same, the content is taken to be the same, as git and make do.
"""

from __future__ import annotations

import functools
import json
import os
import time
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path

from aslant import catalogue
from aslant.auditing.model_list import Entry
from aslant.auditing.subjects import kind_of
from aslant.errors import AslantError
from aslant.io.keeper import digest
from aslant.version import __version__

#: A file that changed so lately may change again without its time telling: seconds.
SETTLED = 2.0
#: So many files of a model are looked at; one with more is opened.
MAX_FILES = 5_000
#: Models that ship with aslant, and so change with its version only.
SHIPPED = ("sample", "sample-mlm")


def stamp_of(entry: Entry) -> str:
    """Return what stands for the files and the settings of a model of a list; "" where only opening it tells.

    >>> stamp_of(Entry("ours", "sample")) == stamp_of(Entry("theirs", "sample")), stamp_of(Entry("far", "a/hub-name"))
    (True, '')
    """
    settings, seen = entry.settings, list[tuple[object, ...]]()
    try:
        if entry.source not in SHIPPED:
            seen += _of_model(Path(entry.source))
        for text in (*settings.words, *settings.corpus):
            path = Path(text)
            if path.is_absolute():
                seen += _files(path)
            elif text in settings.corpus:  # data by name
                return ""
    except (OSError, ValueError, AslantError):
        return ""
    parts = [__version__, entry.source, asdict(settings), seen, benchmarks()]
    return digest(json.dumps(parts, sort_keys=True, default=list).encode("utf-8", "surrogatepass"))


@functools.cache
def benchmarks() -> tuple[str, ...]:
    """Return the benchmarks on this machine that some measure of an audit would use: with one more there is more to do.

    >>> isinstance(benchmarks(), tuple)
    True
    """
    from aslant.data.fetching import present

    steps = catalogue.steps().values()
    wanted = {name for step in steps for how in step.profiles.values() for name in how.get("sources", ())} | {"gap"}
    return tuple(sorted(filter(present, wanted)))


def _of_model(path: Path) -> list[tuple[object, ...]]:
    """Return what is known of the files of a model without reading them; an error where they are not all here."""
    from aslant.models.adapters import is_adapter
    from aslant.vectors.formats.histwords import decade_of

    if not path.is_absolute():
        raise ValueError("a name, not a path")
    if not path.exists():  # a member of an archive
        path = next(parent for parent in path.parents if parent.exists())
        if path.is_dir():
            raise ValueError("a decade, or nothing")
    if path.is_dir() and is_adapter(path):
        raise ValueError("an adapter, whose base is elsewhere")
    if path.is_dir():
        return _files(path)
    if kind_of(path) == "encoder" or decade_of(path) is not None:
        raise ValueError("a file of ONNX, ELMo or HistWords, whose other parts have names of their own")
    beside = sorted(other for other in path.parent.iterdir() if other.name.startswith(path.stem) and other.is_file())
    return [each for other in beside for each in _files(other)]


def _files(path: Path) -> list[tuple[object, ...]]:
    found: list[tuple[object, ...]] = []
    now = time.time()
    for name in _under(path):
        stat = name.stat()
        if stat.st_mtime > now - SETTLED or len(found) >= MAX_FILES:
            raise ValueError("it may be changing")
        found.append((os.fspath(name), stat.st_size, stat.st_mtime_ns, stat.st_ctime_ns, stat.st_ino))
    return found


def _under(path: Path) -> Iterator[Path]:
    if path.is_dir():
        for folder, folders, files in os.walk(path, followlinks=True):
            folders.sort()
            yield from (Path(folder, name) for name in sorted(files))
    else:
        yield path

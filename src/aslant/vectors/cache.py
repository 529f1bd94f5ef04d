"""The memory-mapped cache of embeddings that are slow to read: one file each, complete or absent.

A large matrix that can be used as it lies in its file (.npy, .safetensors) stays there; the cache has words and index.
The key is made of path, size, modification time and samples of the content, so a changed file is read again.
Files are written under another name and renamed, so two processes, or one killed half-way, do no harm.
"""

from __future__ import annotations

import hashlib
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from types import MappingProxyType
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from aslant.data import cache_folder, sweep_partial_files
from aslant.errors import VectorsError
from aslant.io.files import written_whole
from aslant.vectors.formats import aslant_file as aslant_file
from aslant.vectors.formats import numpy_array
from aslant.vectors.formats.aslant_layout import room_for_header
from aslant.vectors.rows import Block, Sieve
from aslant.vectors.unread_vectors import Unread
from aslant.vectors.vector_files import Location
from aslant.vectors.word_vectors import WordVectors

Record: TypeAlias = Mapping[str, Any]
#: Loads a file again, with or without the cache.
Load: TypeAlias = Callable[[bool], WordVectors]
NO_RECORD: Record = MappingProxyType({})

#: Increased whenever the content of a cache file would come out differently.
LAYOUT = 2
SAMPLE_BYTES = 64 << 10


def key_of(location: Location) -> str:
    """Return the name under which the embedding at `location` is cached, without suffix."""
    stat = location.path.stat()
    digest = hashlib.sha256()
    for part in (LAYOUT, location.path.resolve(), location.member, stat.st_size, stat.st_mtime_ns):
        digest.update(f"{part}\0".encode("utf-8", "surrogateescape"))
    with location.path.open("rb") as file:
        if numpy_array.recognise(file.read(16)) and (beside := numpy_array.words_beside(location.path)):
            words = beside.stat()
            digest.update(f"{beside.name}\0{words.st_size}\0{words.st_mtime_ns}\0".encode("utf-8", "surrogateescape"))
        for position in (0, stat.st_size // 2, max(0, stat.st_size - SAMPLE_BYTES)):
            file.seek(position)
            digest.update(file.read(SAMPLE_BYTES))
    stem = "".join(c if c.isascii() and (c.isalnum() or c in "._-") else "_" for c in location.name)[:60]
    return f"{stem}-{digest.hexdigest()[:24]}"


def _path(key: str, top: int | None) -> Path:
    return cache_folder() / "vectors" / (f"{key}.safetensors" if top is None else f"{key}-top{top}.safetensors")


def find(key: str, top: int | None, name: str, source: Path | None = None) -> WordVectors | None:
    """Return the cached embedding, cut to `top` words; `source` is the file that was cached.

    The whole file serves any `top`, unless it had to be repaired: its repairs are not those of its first rows.
    """
    for path in dict.fromkeys((_path(key, top), _path(key, None))):
        if path.is_file():
            try:
                found = aslant_file.open_mapped(path, name=name, top=top, source=source)
            except (VectorsError, OSError):  # damaged, old or just cleared: as good as absent, and built again
                continue
            if path == _path(key, top) or not found.repairs:
                return found
    return None


def mendable(vectors: WordVectors, location: Location, key: str, top: int | None, load: Load) -> WordVectors:
    """Let `load` rebuild a cached matrix that turns out to be damaged, from the file that was cached."""
    seal = getattr(vectors.matrix, "seal", None)
    if seal is not None:
        seal.remake = lambda: _made_again(location, key, top, load)
    return vectors


def _made_again(location: Location, key: str, top: int | None, load: Load) -> NDArray[np.float32]:
    there = (_path(key, top), _path(key, None))
    for path in there:
        with suppress(OSError):  # work without a cache that cannot be written
            path.unlink(missing_ok=True)
    try:
        same = key_of(location) == key
    except OSError:
        same = False
    if not same:
        raise VectorsError(
            f"the cache of '{location.name}' is damaged, and the file has changed since it was made; load it again."
        )
    return load(not any(path.exists() for path in there)).matrix


def build(
    key: str, top: int | None, name: str, format_name: str, blocks: Iterable[Block], record: Record = NO_RECORD
) -> WordVectors:
    """Stream `blocks` into the cache and open the result; `record` is what the file itself says about its vectors."""
    path = _path(key, top)
    sieve = Sieve(top)
    with _new_file(path, record) as writer:
        for block in sieve.clean(blocks):
            writer.write(block)
        repairs = Counter(record.get("repairs", {})) + Counter(sieve.finish(name))
        writer.finish(sieve.words, {**record, "format": format_name, "repairs": dict(sorted(repairs.items()))})
    return aslant_file.open_mapped(path, name=name)


def adopt(key: str, top: int | None, name: str, unread: Unread) -> WordVectors:
    """Check vectors that can be used where they are, and keep only words and index; a copy if they need repair."""
    if unread.place is None:
        return build(key, top, name, unread.format, unread.blocks(), unread.record)
    sieve = Sieve(top)
    for _ in sieve.clean(unread.blocks()):
        pass
    if sieve.repairs:
        return build(key, top, name, unread.format, unread.blocks(), unread.record)
    path, (source, offset) = _path(key, top), unread.place
    shape = (sieve.kept, unread.matrix.shape[1])
    with _new_file(path, unread.record) as writer:
        writer.finish(sieve.words, {**unread.record, "format": unread.format}, {"offset": offset, "shape": shape})
    return aslant_file.open_mapped(path, name=name, source=source)


@contextmanager
def _new_file(path: Path, record: Record) -> Iterator[aslant_file.Writer]:
    path.parent.mkdir(parents=True, exist_ok=True)
    sweep_partial_files(path.parent)
    with written_whole(path) as file, aslant_file.Writer(file, room_for_header(record)) as writer:
        yield writer


def writable() -> bool:
    """Tell whether the cache can be written, warning once if it cannot."""
    folder = cache_folder() / "vectors"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        probe = folder / "writable"
        probe.touch()
        probe.unlink(missing_ok=True)
    except OSError as error:
        warnings.warn(f"no cache in '{folder}' ({error.strerror}); the file is read again each time", stacklevel=2)
        return False
    return True

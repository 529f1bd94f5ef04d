"""The memory-mapped cache of embeddings that are slow to read, or large: one file each, complete or absent.

The key is made of path, size, times and samples of the content, so a changed file is read again; what is kept also
says what identifies the whole content, which is so found out once.
Files are written under another name and renamed, so two processes, or one killed half-way, do no harm.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path

from aslant.data import cache_folder
from aslant.errors import VectorsError
from aslant.io.files import sweep_partial, written_whole
from aslant.io.packed_files import Location
from aslant.vectors.formats import aslant_file, numpy_array
from aslant.vectors.rows import Block, Kept, Sieve
from aslant.vectors.word_vectors import FloatMatrix, WordVectors

#: Increased whenever the content of a cache file would come out differently.
LAYOUT = 4
SAMPLE_BYTES = 64 << 10


def key_of(location: Location) -> str:
    """Return the name under which the embedding at `location` is cached, without suffix."""
    stat = location.path.stat()
    digest = hashlib.sha256()
    for part in (LAYOUT, location.path.resolve(), location.member, stat.st_size, stat.st_mtime_ns, stat.st_ctime_ns):
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


def find(key: str, top: int | None, name: str, remake: Callable[[], FloatMatrix]) -> WordVectors | None:
    """Return the cached embedding, cut to `top` words; `remake` gives its matrix if that turns out to be damaged.

    The whole file serves any `top`, unless it had to be repaired: its repairs are not those of its first rows.
    """
    for path in dict.fromkeys((_path(key, top), _path(key, None))):
        if path.is_file():
            try:
                found = aslant_file.open_mapped(path, name=name, top=top, remake=remake)
            except (VectorsError, OSError, ValueError):
                continue  # damaged, old or just cleared: as good as absent, and built again
            if path == _path(key, top) or not found.repairs:
                return found
    return None


def drop(key: str, top: int | None) -> bool:
    """Delete what is cached under a key, and tell whether that was possible."""
    paths = (_path(key, top), _path(key, None))
    for path in paths:
        with suppress(OSError):
            path.unlink(missing_ok=True)
    return not any(path.exists() for path in paths)


def build(key: str, top: int | None, name: str, blocks: Iterable[Block], kept: Kept) -> WordVectors:
    """Stream `blocks` into the cache and open the result; `kept` is what the file itself says of its vectors."""
    path, sieve = _path(key, top), Sieve(top)
    record = {**kept, "treatments": [treatment.to_dict() for treatment in kept.get("treatments", ())]}
    path.parent.mkdir(parents=True, exist_ok=True)
    sweep_partial(path.parent)
    with written_whole(path) as file, aslant_file.Writer(file, record) as writer:
        for block in sieve.clean(blocks):
            writer.write(block)
        repairs = Counter(kept.get("repairs", {})) + Counter(sieve.finish(name))
        writer.finish(sieve.words, {**record, "repairs": dict(sorted(repairs.items()))})
    return aslant_file.open_mapped(path, name=name)

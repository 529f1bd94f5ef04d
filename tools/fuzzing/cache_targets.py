"""Targets: the cache of embeddings, damaged as a disk would do it."""

from __future__ import annotations

import io
import json
import os
import struct
import warnings
from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import Any

import numpy as np

from fuzzing.embedding_targets import FORMATS, MATRIX, WORDS, _text
from fuzzing.mutation import as_json, mutated, mutated_tree
from fuzzing.targets import Target, demand


def _file() -> bytes:
    """Return a file of the cache."""
    from aslant.vectors.formats import aslant_file
    from aslant.vectors.rows import Block

    file = io.BytesIO()
    with aslant_file.Writer(file) as writer:
        writer.write(Block(WORDS, MATRIX))
        writer.finish(WORDS, {"format": "GloVe text", "repairs": {}})
    return file.getvalue()


def _parts(whole: bytes) -> tuple[dict[str, Any], dict[str, bytes]]:
    """Return the header and the tensors, by name; whatever is wrong raises."""
    length = int.from_bytes(whole[:8], "little")
    header = json.loads(whole[8 : 8 + length])
    data = whole[8 + length :]
    places = {name: part["data_offsets"] for name, part in header.items() if name != "__metadata__"}
    return header, {name: data[begin:end] for name, (begin, end) in places.items()}


def _put_together(header: Any, parts: dict[str, bytes]) -> bytes:
    encoded = as_json(header)
    encoded += b" " * (-len(encoded) % 8)  # an index at an odd place is refused before it is looked at
    return struct.pack("<Q", len(encoded)) + encoded + b"".join(parts.values())


def _made(chance: Random, seeds: Sequence[bytes]) -> bytes:
    """Damage one or two of matrix, checksums, index and words, each of the same length, or the header."""
    header, parts = _parts(chance.choice(seeds))
    if chance.random() < 0.2:
        return _put_together(mutated_tree(header, chance), parts)
    for _ in range(chance.choice((1, 1, 2))):
        name = chance.choice(list(parts))
        old = parts[name]
        if chance.random() < 0.5:
            parts[name] = mutated(old, chance)[: len(old)].ljust(len(old), b"\0")
            continue
        numbers = list(struct.unpack(f"<{len(old) // 4}I", old[: len(old) // 4 * 4]))
        first, second = chance.randrange(len(numbers)), chance.randrange(len(numbers))
        other = (numbers[second], 0, 1, len(numbers), len(numbers) - 1, 2**32 - 1, numbers[first] + 1)
        numbers[first], numbers[second] = chance.choice(other) % 2**32, numbers[first]
        parts[name] = struct.pack(f"<{len(numbers)}I", *numbers) + old[len(old) // 4 * 4 :]
    return _put_together(header, parts)


def _cached(data: bytes, folder: Path) -> str:
    """Put the input where the cache of a file lies: what is not as it was written is noticed, and made again."""
    import aslant
    from aslant.io.packed_files import Location
    from aslant.vectors import cache

    os.environ["ASLANT_CACHE"] = str(folder / "cache")
    source = folder / "source.txt"
    if not source.exists():
        source.write_bytes(_text()()[0])
    place = cache._path(cache.key_of(Location(source)), None)
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_bytes(data)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="the cache of 'source.txt' was damaged")
        vectors = aslant.load(source)
        found = vectors.lookup([*WORDS, "zzz"])
    demand(list(vectors.words) == WORDS and found.found == tuple(WORDS), "the cache has other words")
    demand(np.allclose(found.vectors, MATRIX, atol=1e-5), "the cache has other numbers")
    return "accepted" if place.read_bytes() == data else "made again"


def targets() -> Sequence[Target]:
    """Return the targets of this file."""
    modules = ("aslant.vectors.cache", "aslant.vectors.mapped_words", FORMATS + "aslant_file")
    seeds = lambda: [_file()]  # noqa: E731
    return (Target("cache of vectors", modules, seeds, _cached, lambda c: _made(c, seeds()), never_refuses=True),)

"""Targets: the cache of embeddings, damaged as a disk would do it, and with a wrong index under a right checksum."""

from __future__ import annotations

import io
import json
import os
import struct
import warnings
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from random import Random
from typing import Any
from zlib import crc32

import numpy as np

from fuzzing.embedding_targets import FORMATS, MATRIX, WORDS, _text
from fuzzing.mutation import as_json, mutated, mutated_tree
from fuzzing.targets import AS_IT_IS, Target, demand, kept, with_seals, written

#: The last two have one CRC-32, by which words are found.
INDEXED = [*WORDS, "plumless", "buckeroo"]
ROWS = np.random.default_rng(8).normal(size=(len(INDEXED), 3)).astype(np.float32)
ASKED = (*INDEXED, "The", "new york", "zzz", "", "a\nb", "\ud800")
#: The tensors by which words are found.
FINDING = {"hashes", "rows", "ends", "words"}
#: Bytes before the matrix in the file that was cached.
OFFSET = 16


def _file(words: list[str], matrix: Any, *, elsewhere: bool = False) -> bytes:
    """Return a file of the cache; `elsewhere`: without the matrix, which is in the file that was cached."""
    from aslant.vectors.formats import aslant_file as aslant_file
    from aslant.vectors.rows import Block
    from aslant.vectors.word_log import WordLog

    file, log = io.BytesIO(), WordLog()
    log.add(words)
    with aslant_file.Writer(file) as writer:
        if not elsewhere:
            writer.write(Block(words, matrix))
        place = {"offset": OFFSET, "shape": matrix.shape} if elsewhere else None
        writer.finish(log, {"format": "GloVe text", "repairs": {}}, place)  # type: ignore[arg-type]
    return file.getvalue()


@cache
def _indexed() -> tuple[bytes, bytes]:
    return _file(INDEXED, ROWS), _file(INDEXED, ROWS, elsewhere=True)


def _parts(whole: bytes) -> tuple[dict[str, Any], dict[str, bytes]]:
    """Return the header and the tensors, by name; whatever is wrong raises."""
    length = int.from_bytes(whole[:8], "little")
    header = json.loads(whole[8 : 8 + length])
    data = whole[8 + length :]
    places = {name: part["data_offsets"] for name, part in header.items() if name != "__metadata__"}
    return header, {name: data[begin:end] for name, (begin, end) in places.items()}


def _checked(data: bytes) -> bytes:
    """Return a file of the cache with the checksum that its index and words have, if it is one."""
    try:
        header, parts = _parts(data)
        whole = b"".join(parts[name] for name in ("sums", "hashes", "rows", "ends", "words"))
        header["__metadata__"]["checksum"] = str(crc32(whole))
        encoded = json.dumps(header).encode()
    except Exception:  # it is no such file any more: as good an input
        return data
    length = int.from_bytes(data[:8], "little")
    encoded = encoded.ljust(max(length, -(-len(encoded) // 8) * 8))
    return struct.pack("<Q", len(encoded)) + encoded + data[8 + length :]


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


def _same(data: bytes) -> set[str]:
    """Return which tensors are as they were, where the header is."""
    for whole in _indexed():
        try:
            header, parts = _parts(data)
            sound_header, sound = _parts(whole)
            header["__metadata__"]["checksum"] = sound_header["__metadata__"]["checksum"]
        except Exception:  # it is none of ours
            return set()
        if header == sound_header:
            return {name for name in sound if parts[name] == sound[name]} | ({"matrix"} - set(sound))
    return set()


def _index(data: bytes, folder: Path) -> str:
    """Look words up: each has its own row or none, and its row its own numbers or an error, whatever was damaged."""
    from aslant.errors import VectorsError
    from aslant.vectors.formats import aslant_file as aslant_file

    data = kept(data, _checked)
    path, same = written(folder, "cached.safetensors", data), _same(data)
    source = written(folder, "source", bytes(OFFSET) + ROWS.tobytes())
    try:
        opened = [aslant_file.open_mapped(path, name="it", top=top, source=source) for top in (None, 3)]
    except OSError as error:  # which the cache takes for absent, too
        raise VectorsError(f"'it' cannot be opened: {error}.") from None
    for vectors in opened:
        words, index = vectors.words, vectors.index
        for word in ASKED:
            row = index.get(word)
            if row is None:
                demand(word not in INDEXED[: len(words)] or not same >= FINDING, "a word is lost")
                continue
            demand(0 <= row < len(words) and words[row] == word, "a word has the row of another one")
            demand(not {"ends", "words"} <= same or row == INDEXED.index(word), "a word has another row")
            values = vectors.matrix[row]
            sealed = {"ends", "words", "sums"} <= same
            demand(not sealed or np.array_equal(values, ROWS[row]), "a row has other numbers")
        demand(len(list(words)) == len(words), "words are lost")
    return f"accepted ({'all' if len(same) > 5 else 'part'} of it sound)"


def _cached(data: bytes, folder: Path) -> str:
    """Put the input where the cache of a file lies: what is not as it was written is noticed, and made again."""
    import aslant
    from aslant.vectors import cache
    from aslant.vectors.vector_files import Location

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
    written_before = lambda: [_file(WORDS, MATRIX)]  # noqa: E731
    seeds, made = with_seals(_indexed, lambda c: _made(c, _indexed()), _checked)
    return (
        Target(
            "cache of vectors", ("aslant.vectors.cache", "aslant.vectors.sealed_matrix"), written_before, _cached,
            lambda c: _made(c, written_before()), never_refuses=True,
        ),
        Target(
            "index of the cache", (FORMATS + "aslant_layout", "aslant.vectors.mapped_words"), seeds, _index, made,
            tokens=(AS_IT_IS,),
        ),
    )  # fmt: skip

"""Word vectors out of a spaCy model's wheel, without spaCy: real vectors in other languages, for tests."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Collection
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from aslant.vectors import WordVectors

WHOLE, FACTOR = (1 << 64) - 1, 0xC6A4A7935BD1E995


def key_of(word: str) -> int:
    """Return spaCy's key of a word: MurmurHash64A of its UTF-8 bytes, seed 1."""
    data = word.encode()
    value = (1 ^ (len(data) * FACTOR)) & WHOLE
    even = len(data) - len(data) % 8
    for place in range(0, even, 8):
        part = int.from_bytes(data[place : place + 8], "little") * FACTOR & WHOLE
        value = ((value ^ ((part ^ (part >> 47)) * FACTOR)) & WHOLE) * FACTOR & WHOLE
    if even < len(data):
        value = (value ^ int.from_bytes(data[even:], "little")) * FACTOR & WHOLE
    value = (value ^ (value >> 47)) * FACTOR & WHOLE
    return value ^ (value >> 47)


def spacy_vectors(wheel: Path, wanted: Collection[str]) -> WordVectors:
    """Return the vectors of a model: one word for each row that it has, and the `wanted` words.

    Models of size md keep 20,000 rows, and give other words that of their nearest neighbour.
    """
    with zipfile.ZipFile(wheel) as archive:
        inside = {Path(name).name: name for name in archive.namelist() if "/vocab/" in name}
        strings = json.loads(archive.read(inside["strings.json"]))
        rows: dict[int, int] = msgspec.msgpack.decode(archive.read(inside["key2row"]), type=dict[int, int])
        matrix: Any = np.load(io.BytesIO(archive.read(inside["vectors"])))
    words: dict[str, int] = {}
    for word in wanted:
        for form in (word, word.lower()):
            if (row := rows.get(key_of(form))) is not None:
                words[form] = row
    met = set(words.values())
    for word in strings:
        if len(met) < len(matrix) and word.isalpha() and (row := rows.get(key_of(word))) is not None and row not in met:
            met.add(row)
            words[word] = row
    return WordVectors.from_arrays(list(words), matrix[list(words.values())], name=wheel.name.partition("-")[0])

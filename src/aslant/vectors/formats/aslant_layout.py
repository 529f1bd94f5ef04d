"""The layout of aslant's safetensors files: the header, written here and never trusted when read.

The header is padded to a fixed size, so that a file can be written row by row and its header filled in last: until
then it cannot be mistaken for a finished one.
"""

from __future__ import annotations

import json
import math
import struct
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, TypedDict
from zlib import crc32

import numpy as np

from aslant.errors import VectorsError
from aslant.io.reading import parse_json
from aslant.vectors.debiasing_record import Treatment

HEADER_BYTES = 8 + 4088  # data start at a page boundary, which keeps the mapped matrix aligned
MAX_HEADER = 1 << 20
#: What the cache keeps of each row, in this order before the words: its checksum, and what words are found by.
INDEX = ("sums", "hashes", "rows", "ends")
BYTES = {"F32": 4, "F16": 2, "U32": 4, "U8": 1}
DTYPES: dict[str, np.dtype[Any]] = {"F32": np.dtype("<f4"), "F16": np.dtype("<f2")}


class Elsewhere(TypedDict):
    """Where the float32 matrix lies whose words are in a file of the cache: its first byte, and its shape."""

    offset: int
    shape: tuple[int, int]


def tensors_of(*parts: tuple[str, str, tuple[int, ...]]) -> dict[str, Any]:
    """Return the header's entries for tensors that lie one after the other: name, dtype and shape of each."""
    entries, end = {}, 0
    for name, dtype, shape in parts:
        begin, end = end, end + math.prod(shape) * BYTES[dtype]
        entries[name] = {"dtype": dtype, "shape": list(shape), "data_offsets": [begin, end]}
    return entries


def index_tensors(rows: int, dimensions: int, words_bytes: int) -> dict[str, Any]:
    """Return the entries of a file of the cache; without `dimensions`, of one whose matrix is elsewhere."""
    matrix = [("matrix", "F32", (rows, dimensions))] if dimensions else []
    return tensors_of(*matrix, *((name, "U32", (rows,)) for name in INDEX), ("words", "U8", (words_bytes,)))


def room_for_header(record: Mapping[str, Any]) -> int:
    """Return the bytes of a header, in whole pages, that has room for `record` and for what every header holds.

    >>> room_for_header({}), room_for_header({"note": "x" * 5000})
    (4096, 12288)
    """
    pages = -(-len(json.dumps(json.dumps(dict(record)))) // HEADER_BYTES) if record else 0
    return HEADER_BYTES * (1 + pages)


def header_of(tensors: dict[str, Any], metadata: dict[str, str], record: Mapping[str, Any], size: int) -> bytes:
    """Return the header, padded to `size` bytes.

    A record that makes it longer is kept without its treatments (the note mentions them), or left out.
    """
    for kept in (record, {**record, "treatments": ()}, {}):
        told = {**metadata, "record": json.dumps(dict(kept))}
        text = json.dumps({"__metadata__": {**told, "sum": _sum_of(told)}, **tensors}).encode()
        if len(text) <= size - 8:
            break
    return struct.pack("<Q", size - 8) + text.ljust(size - 8)


def _sum_of(metadata: Mapping[str, Any]) -> str:
    """Return a checksum of what the header says, except the tensors' positions, which must fit the file."""
    told = {name: value for name, value in metadata.items() if name != "sum"}
    return str(crc32(json.dumps(told, sort_keys=True).encode()))


@dataclass(frozen=True)
class Layout:
    """Where the tensors of a file of ours lie, counted from its first byte."""

    shape: tuple[int, int]
    dtype: np.dtype[Any]
    matrix_at: int
    words_at: int
    words_bytes: int
    record: dict[str, Any]
    index_at: tuple[int, ...] = ()
    checksum: int | None = None
    elsewhere: bool = False


def read_layout(file: IO[bytes], size: int, name: str, source: Path | None = None) -> Layout:
    """Return where things are in a file of `size` bytes, or raise an error if it is not one of aslant's.

    Only with `source`, the file that was cached, may the matrix be in that file.
    """
    try:
        (length,) = struct.unpack("<Q", file.read(8))
        if not 2 <= length <= min(MAX_HEADER, size - 8):
            raise ValueError("header length")  # noqa: TRY301 (one message for all errors in a header)
        header = parse_json(file.read(length).decode())
        metadata = header.get("__metadata__", {})
        return _checked_layout(header, metadata, 8 + length, size - 8 - length, source)
    except (OSError, ValueError, OverflowError, KeyError, TypeError, AttributeError, struct.error, RecursionError):
        raise VectorsError(
            f"'{name}' is not a complete safetensors file of aslant's (tensors 'matrix' and 'words')."
        ) from None


def _checked_layout(header: Any, metadata: Any, data: int, size: int, source: Path | None) -> Layout:
    """Return where things lie, with `data` the first of the `size` bytes after the header; any error means damage."""
    elsewhere = source is not None and "elsewhere" in metadata
    shape, dtype, begin, end = _matrix_place(header, metadata, source if elsewhere else None)
    words = header["words"]
    words_begin, words_end = (int(n) for n in words["data_offsets"])
    record = parse_json(metadata.get("record", "{}"))
    consistent = (
        min(shape) > 0 and end - begin == math.prod(shape) * dtype.itemsize and words["dtype"] == "U8"
        and begin >= 0 and 0 <= words_begin <= words_end
        and (words_end if elsewhere else max(end, words_end)) == size
        and (elsewhere or end <= words_begin or words_end <= begin)
        and is_record(record)
    )  # fmt: skip
    if not consistent or ("checksum" in metadata and metadata.get("sum") != _sum_of(metadata)):  # of the cache
        raise ValueError("sizes, or what the header says")
    index_at = tuple(data + place for place in _index_places(header, shape[0], words_begin))
    if any(place % 4 for place in index_at):  # Python's own views, by which words are found, need whole numbers of 4
        raise ValueError("alignment")
    return Layout(
        shape, dtype, begin if elsewhere else data + begin, data + words_begin, words_end - words_begin, record,
        index_at, int(metadata["checksum"]) if index_at else None, elsewhere,
    )  # fmt: skip


def _matrix_place(header: Any, metadata: Any, source: Path | None) -> tuple[tuple[int, int], np.dtype[Any], int, int]:
    """Return shape and dtype of the matrix, and where it begins and ends: after the header, or in `source`."""
    if source is None:
        matrix = header["matrix"]
        rows, columns = (int(n) for n in matrix["shape"])
        begin, end = (int(n) for n in matrix["data_offsets"])
        return (rows, columns), DTYPES[matrix["dtype"]], begin, end
    place = parse_json(metadata["elsewhere"])
    (rows, columns), begin = (int(n) for n in place["shape"]), int(place["offset"])
    end = begin + 4 * rows * columns
    if end > source.stat().st_size:
        raise ValueError("the file that was cached is too short")
    return (rows, columns), DTYPES["F32"], begin, end


def _index_places(header: Any, rows: int, words_begin: int) -> Iterator[int]:
    """Yield where each part of the index begins, if there is one: right before the words, each of 4 bytes a row."""
    if not all(name in header for name in INDEX):
        return
    for place, name in enumerate(INDEX):
        begin = words_begin - 4 * rows * (len(INDEX) - place)
        if header[name] != {"dtype": "U32", "shape": [rows], "data_offsets": [begin, begin + 4 * rows]} or begin < 0:
            raise ValueError("index")
        yield begin


def is_record(record: Any) -> bool:
    """Tell whether `record` is what we write; invalid treatments raise a ValueError."""
    if not isinstance(record, dict) or not isinstance(record.get("repairs", {}), dict):
        return False
    return len(treatments_of(record)) >= 0 and all(isinstance(n, int) for n in record.get("repairs", {}).values())


def treatments_of(record: Mapping[str, Any]) -> tuple[Treatment, ...]:
    """Return the treatments in a record; a ValueError if they are not valid."""
    return tuple(Treatment.from_dict(content) for content in record.get("treatments", ()))

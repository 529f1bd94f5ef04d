"""slant's own files: a .safetensors that is memory-mapped as it is (also the cache), and .npz.

Tensors: ``matrix`` (float32 or float16, words × dimensions) and ``words`` (bytes: UTF-8, one word per line).
The safetensors header is padded to a fixed size, so that a file can be written row by row and its header
filled in last: until then it cannot be mistaken for a finished one.
"""

from __future__ import annotations

import io
import json
import math
import struct
import zipfile
from collections import Counter
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO, Any, Self

import numpy as np

from slant.errors import VectorsError
from slant.opening import most_unpacked
from slant.reading import parse_json
from slant.vectors.formats.numpy_array import unwarned
from slant.vectors.rows import Block
from slant.vectors.treatment import Treatment
from slant.vectors.word_vectors import WordVectors, as_matrix

NAME = "slant safetensors"
NPZ = "slant npz"
HEADER_BYTES = 8 + 4088  # data start at a page boundary, which keeps the mapped matrix aligned
MAX_HEADER = 1 << 20
BLOCK_ROWS = 8192
DTYPES: dict[str, np.dtype[Any]] = {"F32": np.dtype("<f4"), "F16": np.dtype("<f2")}


def recognise(head: bytes) -> bool:
    """Tell whether a file that begins with `head` is a safetensors file.

    >>> recognise((16).to_bytes(8, "little") + b'{"matrix":{}}   '), recognise(b"the 0.1 0.2")
    (True, False)
    """
    return len(head) > 9 and head[8:9] == b"{" and 2 <= int.from_bytes(head[:8], "little") <= (100 << 20)


class Writer:
    """Writes rows as they come, one block behind the reader; `finish` adds the words and makes the file valid."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self._dimensions = 0
        self._pool = ThreadPoolExecutor(1, thread_name_prefix="slant-write")
        self._pending = self._pool.submit(file.write, bytes(HEADER_BYTES))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self._pool.shutdown()

    def write(self, block: Block) -> None:
        """Append the rows of `block`."""
        self._dimensions = block.matrix.shape[1]
        self._pending.result()
        self._pending = self._pool.submit(self._file.write, np.ascontiguousarray(block.matrix, dtype="<f4").data)

    def finish(self, words: list[str], record: dict[str, Any]) -> None:
        """Write the words of all rows and the header; `record` is kept as JSON metadata."""
        blob = encode_words(words)
        self._pending.result()
        self._file.write(blob)
        self._file.seek(0)
        self._file.write(_header((len(words), self._dimensions), "F32", len(blob), record))


def _header(
    shape: tuple[int, int], dtype: str, words_bytes: int, record: dict[str, Any], most: int = HEADER_BYTES
) -> bytes:
    """Return the header, padded to whole pages.

    A record that makes it longer than `most` is kept without its treatments (the note tells of them), or left out.
    """
    end = shape[0] * shape[1] * DTYPES[dtype].itemsize
    content: dict[str, Any] = {
        "matrix": {"dtype": dtype, "shape": list(shape), "data_offsets": [0, end]},
        "words": {"dtype": "U8", "shape": [words_bytes], "data_offsets": [end, end + words_bytes]},
    }
    for kept in (record, {**record, "treatments": ()}, {}):
        metadata = {"format": "slant-vectors-1", "record": json.dumps(kept)}
        text = json.dumps({"__metadata__": metadata, **content}).encode()
        if len(text) <= most - 8:
            break
    length = -(-(len(text) + 8) // HEADER_BYTES) * HEADER_BYTES - 8
    return struct.pack("<Q", length) + text.ljust(length)


def encode_words(words: Iterable[str]) -> bytes:
    """Return the words as UTF-8, one per line."""
    listed = list(words)
    text = "\n".join(listed)
    if text.count("\n") >= len(listed):
        bad = next(word for word in listed if "\n" in word)
        raise VectorsError(f"the word {bad!r} contains a line end, which this format cannot hold.")
    try:
        return text.encode("utf-8")
    except UnicodeEncodeError as error:
        raise VectorsError(f"the word {listed[0]!r} or a later one is not valid Unicode ({error.reason}).") from None


def dump(file: IO[bytes], words: Iterable[str], matrix: Any, record: dict[str, Any]) -> None:
    """Write words and a float32 or float16 matrix as one safetensors file, some thousand rows at a time."""
    blob = encode_words(words)
    dtype = "F16" if matrix.dtype == np.float16 else "F32"
    file.write(_header(matrix.shape, dtype, len(blob), record, MAX_HEADER))
    for start in range(0, len(matrix), BLOCK_ROWS):
        file.write(np.ascontiguousarray(matrix[start : start + BLOCK_ROWS], dtype=DTYPES[dtype]).data)
    file.write(blob)


@dataclass(frozen=True)
class Layout:
    """Where the tensors of a file of ours lie, counted from its first byte."""

    shape: tuple[int, int]
    dtype: np.dtype[Any]
    matrix_at: int
    words_at: int
    words_bytes: int
    record: dict[str, Any]


def open_mapped(path: Path, *, name: str, top: int | None = None, words: list[str] | None = None) -> WordVectors:
    """Open a file of ours without reading its matrix, which stays on disk until rows are used.

    `words` are those of the file, if they are known already.
    """
    with path.open("rb") as file:
        layout = _layout(file, path.stat().st_size, path.name)
        if words is None:
            file.seek(layout.words_at)
            words = _decode_words(file.read(layout.words_bytes), layout.shape[0], path.name)
    matrix = np.memmap(path, layout.dtype, "r", layout.matrix_at, layout.shape)
    return _vectors(layout, words, matrix, name, top)


def from_bytes(data: bytes, *, name: str, top: int | None = None) -> WordVectors:
    """Open a file of ours that is already in memory."""
    layout = _layout(io.BytesIO(data), len(data), name)
    blob = data[layout.words_at : layout.words_at + layout.words_bytes]
    words = _decode_words(blob, layout.shape[0], name)
    matrix = np.ndarray(layout.shape, layout.dtype, data, layout.matrix_at)
    return _vectors(layout, words, matrix, name, top)


def _vectors(layout: Layout, words: list[str], matrix: Any, name: str, top: int | None) -> WordVectors:
    record = layout.record
    return WordVectors(
        words[:top], _as_float32(matrix[:top]), name=name,
        format=str(record.get("format", NAME)), repairs=record.get("repairs", {}), note=str(record.get("note", "")),
        treatments=_treatments(record),
    )  # fmt: skip


def _treatments(record: dict[str, Any]) -> tuple[Treatment, ...]:
    return tuple(Treatment.from_dict(content) for content in record.get("treatments", ()))


def _as_float32(matrix: Any) -> Any:
    if matrix.dtype != np.float16:
        return matrix.astype(np.float32, copy=False)
    # There are only 65,536 half-precision numbers: looking them up is several times as fast as converting each.
    every = np.arange(1 << 16, dtype=np.uint16).view(np.float16).astype(np.float32)
    return every[matrix.view(np.uint16)]


def _layout(file: IO[bytes], size: int, name: str) -> Layout:
    try:
        (length,) = struct.unpack("<Q", file.read(8))
        if not 2 <= length <= min(MAX_HEADER, size - 8):
            raise ValueError("header length")  # noqa: TRY301 (all faults of a header end in one message)
        header = parse_json(file.read(length).decode())
        matrix, words = header["matrix"], header["words"]
        rows, columns = (int(n) for n in matrix["shape"])
        dtype = DTYPES[matrix["dtype"]]
        begin, end = (int(n) for n in matrix["data_offsets"])
        words_begin, words_end = (int(n) for n in words["data_offsets"])
        data = 8 + length
        record = parse_json(header.get("__metadata__", {}).get("record", "{}"))
        consistent = (
            rows > 0 and columns > 0 and end - begin == rows * columns * dtype.itemsize and words["dtype"] == "U8"
            and begin >= 0 and 0 <= words_begin <= words_end and max(end, words_end) == size - data
            and (end <= words_begin or words_end <= begin)
            and _is_record(record)
        )  # fmt: skip
        if not consistent:
            raise ValueError("sizes")  # noqa: TRY301
    except (OSError, ValueError, OverflowError, KeyError, TypeError, AttributeError, struct.error, RecursionError):
        raise VectorsError(
            f"'{name}' is not a complete safetensors file of slant's (tensors 'matrix' and 'words')."
        ) from None
    return Layout((rows, columns), dtype, data + begin, data + words_begin, words_end - words_begin, record)


def _is_record(record: Any) -> bool:
    """Tell whether `record` is what we write; treatments that are none raise a ValueError."""
    if not isinstance(record, dict) or not isinstance(record.get("repairs", {}), dict):
        return False
    return len(_treatments(record)) >= 0 and all(isinstance(n, int) for n in record.get("repairs", {}).values())


def _decode_words(blob: bytes, expected: int, name: str) -> list[str]:
    try:
        words = blob.decode("utf-8").split("\n")
    except UnicodeDecodeError:
        raise VectorsError(f"the words of '{name}' are not UTF-8; the file is damaged.") from None
    if len(words) != expected:
        raise VectorsError(f"'{name}' holds {len(words):,} words for {expected:,} vectors; it is damaged.")
    return words


def save_npz(file: IO[bytes], vectors: WordVectors) -> None:
    """Write a NumPy archive with the arrays ``words`` (bytes), ``matrix`` and ``record`` (bytes of JSON)."""
    texts = (encode_words(vectors.words), json.dumps(vectors.record()).encode())
    words, record = (np.frombuffer(text, np.uint8) for text in texts)
    np.savez(file, words=words, matrix=vectors.matrix, record=record)


def is_npz(path: Path) -> bool:
    """Tell whether the file at `path` is a NumPy archive: a zip archive of .npy files."""
    try:
        with path.open("rb") as file:
            if not file.read(4).startswith(b"PK\x03\x04"):
                return False
            with zipfile.ZipFile(file) as archive:
                names = archive.namelist()
    except Exception:  # damaged, in whatever way: its reader will say so
        return False
    return bool(names) and all(name.endswith(".npy") for name in names)


def read_npz(path: Path) -> Block:
    """Read a NumPy archive with ``matrix`` and ``words`` (bytes as we write them, or an array of strings)."""
    try:
        with zipfile.ZipFile(path) as archive:
            most = most_unpacked(path.stat().st_size)
            words, matrix = (_npz_array(archive, name, most) for name in ("words.npy", "matrix.npy"))
    except Exception as error:  # a damaged archive or header can fail in any way, none of them ours
        raise VectorsError(f"'{path.name}' needs the plain arrays 'words' and 'matrix' ({error}).") from None
    matrix = as_matrix(matrix, f"the vectors in '{path.name}'")
    if words.dtype == np.uint8:
        listed = _decode_words(words.tobytes(), len(matrix), path.name)
    elif words.dtype.kind == "U" and words.shape == (len(matrix),):
        listed = _listed(words, path.name)
    else:
        raise VectorsError(f"the 'words' of '{path.name}' are {words.dtype} {words.shape}; expected one string a row.")
    return Block(listed, matrix)


def _listed(words: Any, name: str) -> list[str]:
    try:
        return list(words.tolist())
    except (ValueError, SystemError):  # numbers that are no characters
        raise VectorsError(f"the words of '{name}' are no text; the file is damaged.") from None


def with_npz_record(vectors: WordVectors, path: Path) -> WordVectors:
    """Return `vectors`, read from our archive at `path`, with what it keeps of them; others keep nothing."""
    try:
        with zipfile.ZipFile(path) as archive:
            if "record.npy" not in archive.namelist():
                return vectors
            stored = _npz_array(archive, "record.npy", most_unpacked(path.stat().st_size))
            record = parse_json(stored.tobytes().decode())
        if not _is_record(record):
            raise ValueError("no record")  # noqa: TRY301 (all faults of a record end in one message)
    except Exception as error:  # a damaged archive or record can fail in any way, none of them ours
        raise VectorsError(f"the 'record' of '{path.name}' is not what slant writes ({error}).") from None
    repairs = Counter(record.get("repairs", {})) + Counter(vectors.repairs)
    return replace(
        vectors, repairs=dict(sorted(repairs.items())), note=str(record.get("note", "")), treatments=_treatments(record)
    )


def _npz_array(archive: zipfile.ZipFile, name: str, most: int) -> Any:
    """Read one array, after checking that it promises neither more than the archive holds nor than it can (`most`)."""
    info = archive.getinfo(name)
    with archive.open(info) as member:
        version = np.lib.format.read_magic(member)
        read_header = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
        with unwarned():
            shape, _, dtype = read_header(member)
        if dtype.hasobject or dtype.itemsize == 0 or math.prod(shape) * dtype.itemsize > min(info.file_size, most):
            raise ValueError(f"{name} promises {shape} of {dtype}")
    with archive.open(info) as member, unwarned():
        return np.lib.format.read_array(member, allow_pickle=False)

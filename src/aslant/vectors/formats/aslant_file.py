"""aslant's own files: a .safetensors that is memory-mapped as it is (also the cache), and .npz.

Tensors: ``matrix`` (float32 or float16, words × dimensions) and ``words`` (bytes: UTF-8, one word per line); in the
cache also ``hashes``, ``rows`` and ``ends``, by which words are found without reading them all (see `mapped_words`),
and ``sums``, by which damage is noticed (see `sealed_matrix`). `aslant_layout` has their header.
"""

from __future__ import annotations

import io
import json
import math
import zipfile
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import IO, Any, Self
from zlib import crc32

import numpy as np

from aslant.errors import VectorsError
from aslant.io.memory_maps import is_large, release
from aslant.io.packed_files import most_unpacked
from aslant.io.reading import parse_json
from aslant.vectors.formats.aslant_layout import (
    DTYPES,
    HEADER_BYTES,
    INDEX,
    MAX_HEADER,
    Elsewhere,
    Layout,
    header_of,
    index_tensors,
    is_record,
    read_layout,
    room_for_header,
    tensors_of,
    treatments_of,
)
from aslant.vectors.formats.numpy_array import unwarned
from aslant.vectors.mapped_words import MappedWords, Table, table_of
from aslant.vectors.rows import Block
from aslant.vectors.sealed_matrix import SealedMatrix, Sums, sums_of
from aslant.vectors.unread_vectors import Unread, lines
from aslant.vectors.word_log import WordLog
from aslant.vectors.word_vectors import WordVectors, as_matrix

NAME = "aslant safetensors"
NPZ = "aslant npz"
BLOCK_ROWS = 8192


def recognise(head: bytes) -> bool:
    """Tell whether a file that begins with `head` is a safetensors file.

    >>> recognise((16).to_bytes(8, "little") + b'{"matrix":{}}   '), recognise(b"the 0.1 0.2")
    (True, False)
    """
    return len(head) > 9 and head[8:9] == b"{" and 2 <= int.from_bytes(head[:8], "little") <= (100 << 20)


class Writer:
    """Writes rows as they come, one block behind the reader; `finish` adds the words and makes the file valid."""

    def __init__(self, file: IO[bytes], header_bytes: int = HEADER_BYTES) -> None:
        self._file, self._header_bytes = file, header_bytes
        self._dimensions = 0
        self._sums: list[Sums] = []
        self._pool = ThreadPoolExecutor(1, thread_name_prefix="aslant-write")
        self._pending = self._pool.submit(file.write, bytes(header_bytes))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self._pool.shutdown()

    def write(self, block: Block) -> None:
        """Append the rows of `block`."""
        self._dimensions = block.matrix.shape[1]
        rows = np.ascontiguousarray(block.matrix, dtype="<f4")
        self._sums.append(sums_of(rows))
        self._pending.result()
        self._pending = self._pool.submit(self._file.write, rows.data)

    def finish(self, words: WordLog, record: dict[str, Any], elsewhere: Elsewhere | None = None) -> None:
        """Write the words of all rows, their index and the header; `record` is kept as JSON metadata.

        `elsewhere` tells where the matrix is, if it was not written here.
        """
        table = table_of(words)
        self._pending.result()
        checksum = 0
        sums = np.concatenate(self._sums) if self._sums else np.zeros(len(words), np.uint32)
        for part in (sums.astype("<u4"), table.hashes, table.rows, table.ends, table.text):
            self._file.write(part.data)
            checksum = crc32(part.data, checksum)
        self._file.seek(0)
        tensors = index_tensors(len(words), self._dimensions, len(table.text))
        metadata = {"format": "aslant-vectors-2", "checksum": str(checksum)}
        if elsewhere is not None:
            metadata["elsewhere"] = json.dumps(elsewhere)
        self._file.write(header_of(tensors, metadata, record, self._header_bytes))


def encoded_lines(words: Sequence[str]) -> Iterator[bytes]:
    """Yield the words as UTF-8, one per line, some thousand at a time.

    >>> b"".join(encoded_lines(["the", "of"]))
    b'the\\nof'
    """
    for start in range(0, len(words), BLOCK_ROWS):
        listed = list(words[start : start + BLOCK_ROWS])
        text = "\n".join(listed)
        if text.count("\n") >= len(listed):
            bad = next(word for word in listed if "\n" in word)
            raise VectorsError(f"the word {bad!r} contains a line end, which this format cannot hold.")
        try:
            yield (b"\n" if start else b"") + text.encode("utf-8")
        except UnicodeEncodeError as error:
            problem = f"the word {listed[0]!r} or a later one is not valid Unicode ({error.reason})."
            raise VectorsError(problem) from None


def dump(file: IO[bytes], words: Sequence[str], matrix: Any, record: dict[str, Any]) -> None:
    """Write words and a float32 or float16 matrix as one safetensors file, some thousand rows at a time."""
    words_bytes = sum(map(len, encoded_lines(words)))
    dtype = "F16" if matrix.dtype == np.float16 else "F32"
    tensors = tensors_of(("matrix", dtype, matrix.shape), ("words", "U8", (words_bytes,)))
    size = min(room_for_header(record), MAX_HEADER)
    file.write(header_of(tensors, {"format": "aslant-vectors-1"}, record, size))
    for start in range(0, len(matrix), BLOCK_ROWS):
        file.write(np.ascontiguousarray(matrix[start : start + BLOCK_ROWS], dtype=DTYPES[dtype]).data)
        release(matrix)
    for part in encoded_lines(words):
        file.write(part)


def open_mapped(path: Path, *, name: str, top: int | None = None, source: Path | None = None) -> WordVectors:
    """Open a file of the cache: neither matrix nor words are read, both stay on disk until they are used.

    Words and index are checked against their checksum: a damaged file, or one of an older layout, is refused. `source`
    is the file that was cached; the matrix may still be there.
    """
    with path.open("rb") as file:
        layout = read_layout(file, path.stat().st_size, path.name, source)
        index = 4 * len(INDEX) * layout.shape[0]
        start, size = min(layout.index_at, default=0), index + layout.words_bytes
        if not layout.index_at or _checksum(file, start, size) != layout.checksum:
            raise VectorsError(f"'{path.name}' has no index of its words, or a damaged one.")
    mapped = np.memmap(path, np.uint8, "r", start, (size,))
    parts = np.split(mapped[:index].view("<u4"), len(INDEX))
    sums, hashes, rows, ends = (np.asarray(part, dtype=np.uint32) for part in parts)
    damaged = f"the words of '{name}' are damaged in the cache; 'aslant data cache --clear' makes aslant reread them."
    words = MappedWords(Table(mapped[index:], ends, hashes, rows), damaged)
    place = source if layout.elsewhere and source else path
    matrix = np.memmap(place, layout.dtype, "r", layout.matrix_at, layout.shape)
    opened = _vectors(layout, words, matrix, name, top)
    if layout.elsewhere:  # in the user's own file, which is not ours to check
        return opened
    return replace(opened, matrix=SealedMatrix.around(opened.matrix, sums[: len(opened)], name))


def _checksum(file: IO[bytes], start: int, size: int) -> int:
    file.seek(start)
    checksum = 0
    while size and (data := file.read(min(size, 1 << 20))):
        checksum, size = crc32(data, checksum), size - len(data)
    return checksum


def open_any(path: Path, *, name: str) -> WordVectors:
    """Open a file that anyone may have written; the matrix stays on disk until rows are used."""
    with path.open("rb") as file:
        layout = read_layout(file, path.stat().st_size, path.name)
        file.seek(layout.words_at)
        words = _decode_words(file.read(layout.words_bytes), layout.shape[0], path.name)
    matrix = np.memmap(path, layout.dtype, "r", layout.matrix_at, layout.shape)
    return _vectors(layout, words, matrix, name, None)


def open_large(path: Path, name: str) -> Unread | None:
    """Map a file that anyone may have written, if its matrix is a large one; its index, if any, is not trusted."""
    with path.open("rb") as file:
        layout = read_layout(file, path.stat().st_size, path.name)
        matrix = np.memmap(path, layout.dtype, "r", layout.matrix_at, layout.shape)
        if not is_large(matrix):
            return None
        file.seek(layout.words_at)
        words = lines(file.read(layout.words_bytes), f"the words of '{name}' are not UTF-8; the file is damaged.")
    if len(words) != len(matrix):
        raise VectorsError(f"'{name}' holds {len(words):,} words for {len(matrix):,} vectors; it is damaged.")
    return Unread(words, matrix, str(layout.record.get("format", NAME)), layout.record)


def from_bytes(data: bytes, *, name: str, top: int | None = None) -> WordVectors:
    """Open a file of ours that is already in memory."""
    layout = read_layout(io.BytesIO(data), len(data), name)
    blob = data[layout.words_at : layout.words_at + layout.words_bytes]
    words = _decode_words(blob, layout.shape[0], name)
    matrix = np.ndarray(layout.shape, layout.dtype, data, layout.matrix_at)
    return _vectors(layout, words, matrix, name, top)


def _vectors(layout: Layout, words: Sequence[str], matrix: Any, name: str, top: int | None) -> WordVectors:
    record = layout.record
    return WordVectors(
        words[:top], _as_float32(matrix[:top]), name=name,
        format=str(record.get("format", NAME)), repairs=record.get("repairs", {}), note=str(record.get("note", "")),
        treatments=treatments_of(record),
    )  # fmt: skip


def _as_float32(matrix: Any) -> Any:
    if matrix.dtype != np.float16:
        return matrix.astype(np.float32, copy=False)
    # There are only 65,536 half-precision numbers: looking them up is several times as fast as converting each.
    every = np.arange(1 << 16, dtype=np.uint16).view(np.float16).astype(np.float32)
    return every[matrix.view(np.uint16)]


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
    texts = (b"".join(encoded_lines(vectors.words)), json.dumps(vectors.record()).encode())
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
    except Exception:  # damaged in some way: its reader will say so
        return False
    return bool(names) and all(name.endswith(".npy") for name in names)


def read_npz(path: Path) -> Block:
    """Read a NumPy archive with ``matrix`` and ``words`` (bytes as we write them, or an array of strings)."""
    try:
        with zipfile.ZipFile(path) as archive:
            most = most_unpacked(path.stat().st_size)
            words, matrix = (_npz_array(archive, name, most) for name in ("words.npy", "matrix.npy"))
    except Exception as error:  # a damaged archive or header can fail in any way, none of them our fault
        raise VectorsError(f"'{path.name}' needs the plain arrays 'words' and 'matrix' ({error}).") from None
    matrix = as_matrix(matrix, f"the vectors in '{path.name}'")
    if words.dtype == np.uint8:
        listed = _decode_words(words.tobytes(), len(matrix), path.name)
    elif words.dtype.kind == "U" and words.shape == (len(matrix),):
        listed = _listed(words, path.name)
    else:
        raise VectorsError(f"the 'words' of '{path.name}' are {words.dtype} {words.shape}; expected a string per row.")
    return Block(listed, matrix)


def _listed(words: Any, name: str) -> list[str]:
    try:
        return list(words.tolist())
    except (ValueError, SystemError):  # numbers that are not characters
        raise VectorsError(f"the words of '{name}' are not text; the file is damaged.") from None


def with_npz_record(vectors: WordVectors, path: Path) -> WordVectors:
    """Return `vectors`, read from our archive at `path`, with what it keeps of them; others keep nothing."""
    try:
        with zipfile.ZipFile(path) as archive:
            if "record.npy" not in archive.namelist():
                return vectors
            stored = _npz_array(archive, "record.npy", most_unpacked(path.stat().st_size))
            record = parse_json(stored.tobytes().decode())
        if not is_record(record):
            raise ValueError("no record")  # noqa: TRY301 (one message for all errors in a record)
    except Exception as error:  # a damaged archive or record can fail in any way, none of them our fault
        raise VectorsError(f"the 'record' of '{path.name}' is not what aslant writes ({error}).") from None
    repairs = Counter(record.get("repairs", {})) + Counter(vectors.repairs)
    note, treatments = str(record.get("note", "")), treatments_of(record)
    return replace(vectors, repairs=dict(sorted(repairs.items())), note=note, treatments=treatments)


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

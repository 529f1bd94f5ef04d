"""slant's own files: a .safetensors that is memory-mapped as it is (also the cache), and .npz.

Tensors: ``matrix`` (float32 or float16, words × dimensions) and ``words`` (bytes: UTF-8, one word per line); in the
cache also ``hashes``, ``rows`` and ``ends``, by which words are found without reading them all (see `mapped_words`).
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
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO, Any, Self
from zlib import crc32

import numpy as np

from slant.errors import VectorsError
from slant.opening import most_unpacked
from slant.vectors.mapped_words import MappedWords, Table, table_of
from slant.vectors.paging import release
from slant.vectors.rows import Block
from slant.vectors.treatment import Treatment
from slant.vectors.word_log import WordLog
from slant.vectors.word_vectors import WordVectors, as_matrix

NAME = "slant safetensors"
NPZ = "slant npz"
HEADER_BYTES = 8 + 4088  # data start at a page boundary, which keeps the mapped matrix aligned
MAX_HEADER = 1 << 20
BLOCK_ROWS = 8192
#: What the cache keeps to find words by, in this order before the words.
INDEX = ("hashes", "rows", "ends")
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

    def finish(self, words: WordLog, record: dict[str, Any]) -> None:
        """Write the words of all rows, their index and the header; `record` is kept as JSON metadata."""
        table = table_of(words)
        self._pending.result()
        checksum = 0
        for part in (table.hashes, table.rows, table.ends, table.text):
            self._file.write(part.data)
            checksum = crc32(part.data, checksum)
        self._file.seek(0)
        shape = (len(words), self._dimensions)
        self._file.write(_header(shape, "F32", len(table.text), record, checksum=checksum))


def _header(
    shape: tuple[int, int],
    dtype: str,
    words_bytes: int,
    record: dict[str, Any],
    most: int = HEADER_BYTES,
    checksum: int | None = None,
) -> bytes:
    """Return the header, padded to whole pages; with the `checksum` of words and index where there is an index.

    A record that makes it longer than `most` is kept without its treatments (the note tells of them), or left out.
    """
    end = shape[0] * shape[1] * DTYPES[dtype].itemsize
    content: dict[str, Any] = {"matrix": {"dtype": dtype, "shape": list(shape), "data_offsets": [0, end]}}
    metadata = {"format": "slant-vectors-1"}
    if checksum is not None:
        metadata = {"format": "slant-vectors-2", "checksum": str(checksum)}
        for name in INDEX:
            content[name] = {"dtype": "U32", "shape": [shape[0]], "data_offsets": [end, end + 4 * shape[0]]}
            end += 4 * shape[0]
    content["words"] = {"dtype": "U8", "shape": [words_bytes], "data_offsets": [end, end + words_bytes]}
    for kept in (record, {**record, "treatments": ()}, {}):
        text = json.dumps({"__metadata__": {**metadata, "record": json.dumps(kept)}, **content}).encode()
        if len(text) <= most - 8:
            break
    length = -(-(len(text) + 8) // HEADER_BYTES) * HEADER_BYTES - 8
    return struct.pack("<Q", length) + text.ljust(length)


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
    file.write(_header(matrix.shape, dtype, words_bytes, record, MAX_HEADER))
    for start in range(0, len(matrix), BLOCK_ROWS):
        file.write(np.ascontiguousarray(matrix[start : start + BLOCK_ROWS], dtype=DTYPES[dtype]).data)
        release(matrix)
    for lines in encoded_lines(words):
        file.write(lines)


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


def open_mapped(path: Path, *, name: str, top: int | None = None) -> WordVectors:
    """Open a file of the cache: neither matrix nor words are read, both stay on disk until they are used.

    Words and index are held against their checksum: what is damaged, or of an older layout, is refused.
    """
    with path.open("rb") as file:
        layout = _layout(file, path.stat().st_size, path.name)
        start, size = min(layout.index_at, default=0), 12 * layout.shape[0] + layout.words_bytes
        if not layout.index_at or _checksum(file, start, size) != layout.checksum:
            raise VectorsError(f"'{path.name}' has no index of its words, or a damaged one.")
    mapped = np.memmap(path, np.uint8, "r", start, (size,))
    parts = np.split(mapped[: 12 * layout.shape[0]].view("<u4"), len(INDEX))
    hashes, rows, ends = (np.asarray(part, dtype=np.uint32) for part in parts)
    words = MappedWords(Table(mapped[12 * layout.shape[0] :], ends, hashes, rows), name)
    matrix = np.memmap(path, layout.dtype, "r", layout.matrix_at, layout.shape)
    return _vectors(layout, words, matrix, name, top)


def _checksum(file: IO[bytes], start: int, size: int) -> int:
    file.seek(start)
    checksum = 0
    while size and (data := file.read(min(size, 1 << 20))):
        checksum, size = crc32(data, checksum), size - len(data)
    return checksum


def open_any(path: Path, *, name: str) -> WordVectors:
    """Open a file that anyone may have written; the matrix stays on disk until rows are used."""
    with path.open("rb") as file:
        layout = _layout(file, path.stat().st_size, path.name)
        file.seek(layout.words_at)
        words = _decode_words(file.read(layout.words_bytes), layout.shape[0], path.name)
    matrix = np.memmap(path, layout.dtype, "r", layout.matrix_at, layout.shape)
    return _vectors(layout, words, matrix, name, None)


def from_bytes(data: bytes, *, name: str, top: int | None = None) -> WordVectors:
    """Open a file of ours that is already in memory."""
    layout = _layout(io.BytesIO(data), len(data), name)
    blob = data[layout.words_at : layout.words_at + layout.words_bytes]
    words = _decode_words(blob, layout.shape[0], name)
    matrix = np.ndarray(layout.shape, layout.dtype, data, layout.matrix_at)
    return _vectors(layout, words, matrix, name, top)


def _vectors(layout: Layout, words: Sequence[str], matrix: Any, name: str, top: int | None) -> WordVectors:
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
        header = json.loads(file.read(length))
        matrix, words = header["matrix"], header["words"]
        rows, columns = (int(n) for n in matrix["shape"])
        dtype = DTYPES[matrix["dtype"]]
        begin, end = (int(n) for n in matrix["data_offsets"])
        words_begin, words_end = (int(n) for n in words["data_offsets"])
        data = 8 + length
        metadata = header.get("__metadata__", {})
        record = json.loads(metadata.get("record", "{}"))
        index_at = tuple(_index_places(header, rows, words_begin))
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
    return Layout(
        (rows, columns), dtype, data + begin, data + words_begin, words_end - words_begin, record,
        tuple(data + place for place in index_at), int(metadata["checksum"]) if index_at else None,
    )  # fmt: skip


def _index_places(header: Any, rows: int, words_begin: int) -> Iterator[int]:
    """Yield where each part of the index begins, if there is one: right before the words, each of 4 bytes a row."""
    if not all(name in header for name in INDEX):
        return
    for place, name in enumerate(INDEX):
        begin = words_begin - 4 * rows * (len(INDEX) - place)
        if header[name] != {"dtype": "U32", "shape": [rows], "data_offsets": [begin, begin + 4 * rows]} or begin < 0:
            raise ValueError("index")
        yield begin


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
        listed = words.tolist()
    else:
        raise VectorsError(f"the 'words' of '{path.name}' are {words.dtype} {words.shape}; expected one string a row.")
    return Block(listed, matrix)


def with_npz_record(vectors: WordVectors, path: Path) -> WordVectors:
    """Return `vectors`, read from our archive at `path`, with what it keeps of them; others keep nothing."""
    try:
        with zipfile.ZipFile(path) as archive:
            if "record.npy" not in archive.namelist():
                return vectors
            record = json.loads(_npz_array(archive, "record.npy", most_unpacked(path.stat().st_size)).tobytes())
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
        shape, _, dtype = read_header(member)
        if dtype.hasobject or math.prod(shape) * dtype.itemsize > min(info.file_size, most):
            raise ValueError(f"{name} promises {shape} of {dtype}")
    with archive.open(info) as member:
        return np.lib.format.read_array(member, allow_pickle=False)

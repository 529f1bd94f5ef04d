"""aslant's own files: a .safetensors that is memory-mapped as it is (also the cache), and .npz.

Tensors: ``matrix`` (float32 or float16, words × dimensions) and ``words`` (bytes: UTF-8, one word per line). The cache
also has ``sums``, by which damage to a row is noticed, and ``hashes``, ``rows`` and ``ends``, by which words are found
without reading them all (see `mapped_words`). Its header is written last, over blanks: until then, the
file is not recognised.
"""

from __future__ import annotations

import json
import math
import struct
import zipfile
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import IO, Any, Literal, Self
from zlib import crc32

import msgspec
import numpy as np
from msgspec import Struct, field
from numpy.typing import NDArray

from aslant.errors import VectorsError
from aslant.io.memory_maps import release, row_sums
from aslant.io.packed_files import most_unpacked
from aslant.vectors.content import Rows
from aslant.vectors.debiasing_record import Treatment
from aslant.vectors.formats.numpy_array import unwarned
from aslant.vectors.mapped_words import MappedWords, Table, encoded, table_of
from aslant.vectors.rows import Arrays, Block, Kept
from aslant.vectors.word_vectors import FloatMatrix, Seal, WordVectors

NAME = "aslant safetensors"
NPZ = "aslant npz"
BLOCK_ROWS = 8192
#: Headers are whole pages, which keeps the mapped matrix aligned; safetensors itself allows no more than `MAX_HEADER`.
PAGE, MAX_HEADER = 4096, 100_000_000
DTYPES: dict[str, np.dtype[Any]] = {name: np.dtype(code) for name, code in
    {"F32": "<f4", "F16": "<f2", "U32": "<u4", "U8": "u1"}.items()}  # fmt: skip
#: What the cache keeps after the matrix, in this order.
INDEX = ("sums", "hashes", "rows", "ends", "words")


class Tensor(Struct):
    """Kind, shape and place of a tensor, counted from the end of the header."""

    dtype: Literal["F32", "F16", "U32", "U8"]
    shape: tuple[int, ...]
    data_offsets: tuple[int, int]


class Header(Struct):
    """What the header of a file of ours tells."""

    matrix: Tensor
    words: Tensor
    sums: Tensor | None = None
    hashes: Tensor | None = None
    rows: Tensor | None = None
    ends: Tensor | None = None
    metadata: dict[str, str] = field(default_factory=dict, name="__metadata__")


class _Record(Struct):
    format: str = NAME
    note: str = ""
    repairs: dict[str, int] = {}
    treatments: tuple[Any, ...] = ()
    content: str = ""  #: in the cache: the digest of all rows and words


def _kept(text: str | bytes, name: str) -> Kept:
    """Return what a record in JSON tells of vectors."""
    try:
        found = msgspec.json.decode(text, type=_Record)
        treatments = tuple(map(Treatment.from_dict, found.treatments))
    except (ValueError, msgspec.MsgspecError, RecursionError) as error:
        raise VectorsError(f"the 'record' of '{name}' is not what aslant writes ({error}).") from None
    return {"format": found.format, "note": found.note, "repairs": found.repairs, "treatments": treatments}


def recognise(head: bytes) -> bool:
    """Tell whether a file that begins with `head` is a safetensors file."""
    return len(head) > 9 and head[8:9] == b"{" and 2 <= int.from_bytes(head[:8], "little") <= MAX_HEADER


def _header(tensors: Mapping[str, tuple[str, tuple[int, ...]]], metadata: Mapping[str, str], size: int = 0) -> bytes:
    """Return the header for tensors (dtype and shape) one after the other, in whole pages or `size` bytes."""
    entries: dict[str, Any] = {"__metadata__": metadata}
    end = 0
    for name, (dtype, shape) in tensors.items():
        begin, end = end, end + math.prod(shape) * DTYPES[dtype].itemsize
        entries[name] = {"dtype": dtype, "shape": shape, "data_offsets": (begin, end)}
    text = json.dumps(entries).encode()
    size = size or -(-(8 + len(text)) // PAGE) * PAGE
    return struct.pack("<Q", size - 8) + text.ljust(size - 8)


class Writer:
    """Writes rows as they come, one block behind the reader; `finish` adds the words and makes the file valid."""

    def __init__(self, file: IO[bytes], record: Mapping[str, Any] | None = None) -> None:
        self._file, self._dimensions = file, 0
        self._room = PAGE + len(_header({}, {"record": json.dumps(record or {})}))
        self._sums: list[Any] = []
        self._content = Rows()
        self._pool = ThreadPoolExecutor(1, thread_name_prefix="aslant-write")
        self._pending = self._pool.submit(file.write, bytes(self._room))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self._pool.shutdown()

    def write(self, block: Block) -> None:
        """Append the rows of `block`."""
        self._dimensions = block.matrix.shape[1]
        rows = np.ascontiguousarray(block.matrix, dtype="<f4")
        self._sums.append(row_sums(rows))
        self._content.add(rows)
        self._pending.result()
        self._pending = self._pool.submit(self._file.write, rows.data)

    def finish(self, words: Sequence[str], record: Mapping[str, Any]) -> None:
        """Write the words of all rows, their index and the header; `record` is kept as JSON metadata."""
        told = json.dumps({**record, "content": self._content.with_words(words)})
        index: tuple[Any, ...] = (np.concatenate(self._sums).astype("<u4"), *table_of(words))
        self._pending.result()
        digest = crc32(told.encode())
        for part in index:
            self._file.write(part.data)
            digest = crc32(part.data, digest)
        tensors: dict[str, tuple[str, tuple[int, ...]]] = {"matrix": ("F32", (len(words), self._dimensions))}
        for name, part in zip(INDEX, index, strict=True):
            tensors[name] = "U32" if part.itemsize == 4 else "U8", part.shape
        self._file.seek(0)
        self._file.write(_header(tensors, {"record": told, "digest": str(digest)}, self._room))


def dump(file: IO[bytes], words: Sequence[str], matrix: Any, record: Mapping[str, Any]) -> None:
    """Write words and a float32 or float16 matrix as one safetensors file, some thousand rows at a time."""
    text, dtype = encoded(words), "F16" if matrix.dtype == np.float16 else "F32"
    metadata = {"format": "aslant-vectors-1", "record": json.dumps(record)}
    file.write(_header({"matrix": (dtype, matrix.shape), "words": ("U8", (len(text),))}, metadata))
    for start in range(0, len(matrix), BLOCK_ROWS):
        file.write(np.ascontiguousarray(matrix[start : start + BLOCK_ROWS], dtype=DTYPES[dtype]).data)
        release(matrix)
    file.write(text)


def _read_header(data: Any, name: str) -> tuple[Header, int]:
    """Return the header of a file of which `data` are the bytes, and where tensors begin; they must fill the file."""
    try:
        start = 8 + int.from_bytes(data[:8].tobytes(), "little")
        if not 10 <= start <= min(8 + MAX_HEADER, len(data)):
            raise ValueError("header length")  # noqa: TRY301 (one message for all errors in a header)
        header = msgspec.json.decode(data[8:start].tobytes(), type=Header)
        end = 0
        for tensor in sorted(filter(None, _tensors(header)), key=lambda tensor: tensor.data_offsets):
            begin, size = tensor.data_offsets[0], math.prod(tensor.shape) * DTYPES[tensor.dtype].itemsize
            if min(tensor.shape, default=0) < 0 or begin < end or tensor.data_offsets[1] != begin + size:
                raise ValueError("place of a tensor")  # noqa: TRY301
            end = begin + size
        if end != len(data) - start or len(header.matrix.shape) != 2 or header.matrix.dtype not in ("F32", "F16"):
            raise ValueError("size of the file")  # noqa: TRY301
    except (ValueError, msgspec.MsgspecError, RecursionError):
        raise VectorsError(
            f"'{name}' is not a complete safetensors file of aslant's (tensors 'matrix' and 'words')."
        ) from None
    return header, start


def _tensors(header: Header) -> tuple[Tensor | None, ...]:
    return header.matrix, *(getattr(header, name) for name in INDEX)


def _array(data: Any, tensor: Tensor, start: int) -> Any:
    begin, end = tensor.data_offsets
    return data[start + begin : start + end].view(DTYPES[tensor.dtype]).reshape(tensor.shape)


def open_mapped(
    path: Path, *, name: str, top: int | None = None, remake: Callable[[], FloatMatrix] | None = None
) -> WordVectors:
    """Open a file of the cache: neither matrix nor words are read, both stay on disk until they are used.

    What the header tells, words and index are held against their digest: what is damaged is refused. Rows are held
    against their checksums when they are looked up, if there is a way to `remake` the matrix.
    """
    data = np.memmap(path, np.uint8, "r")
    header, start = _read_header(data, path.name)
    _, *index = _tensors(header)
    told = header.metadata.get("record", "")
    digest = crc32(data[start + header.matrix.data_offsets[1] :].data, crc32(told.encode()))
    if None in index or header.metadata.get("digest") != str(digest):
        raise VectorsError(f"'{path.name}' has no index of its words, or a damaged one.")
    sums, *table = (_array(data, tensor, start) for tensor in index if tensor is not None)
    words = MappedWords(Table(*map(np.asarray, table)))
    matrix = _array(data, header.matrix, start)
    seal = Seal(np.asarray(sums), msgspec.json.decode(told, type=_Record).content, remake)
    return WordVectors(words[:top], matrix[:top], name=name, seal=seal, **_kept(told, path.name))


def open_arrays(path: Path, name: str) -> Arrays:
    """Open a file that anyone may have written; the matrix stays on disk until rows are used."""
    return _arrays(np.memmap(path, np.uint8, "r"), name)


def _arrays(data: Any, name: str) -> Arrays:
    header, start = _read_header(data, name)
    matrix = _array(data, header.matrix, start)
    words = _decoded(_array(data, header.words, start).tobytes(), len(matrix), name)
    return Arrays(words, matrix, _kept(header.metadata.get("record", "{}"), name))


def from_bytes(data: bytes | NDArray[np.uint8], *, name: str, top: int | None = None) -> WordVectors:
    """Open a file of ours that is already in memory."""
    found = _arrays(np.frombuffer(data, np.uint8), name)
    return WordVectors(found.words[:top], found.matrix[:top].astype(np.float32, copy=False), name=name, **found.kept)


def _decoded(text: bytes, expected: int, name: str) -> list[str]:
    try:
        words = text.decode("utf-8").split("\n")
    except UnicodeDecodeError:
        raise VectorsError(f"the words of '{name}' are not UTF-8; the file is damaged.") from None
    if len(words) != expected:
        raise VectorsError(f"'{name}' holds {len(words):,} words for {expected:,} vectors; it is damaged.")
    return words


def save_npz(file: IO[bytes], vectors: WordVectors) -> None:
    """Write a NumPy archive with the arrays ``words`` (bytes), ``matrix`` and ``record`` (bytes of JSON)."""
    texts = (encoded(vectors.words), json.dumps(vectors.record()).encode())
    words, record = (np.frombuffer(text, np.uint8) for text in texts)
    np.savez(file, words=words, matrix=vectors.matrix, record=record)


def is_npz(path: Path) -> bool:
    """Tell whether the file at `path` is a NumPy archive: a zip archive of .npy files."""
    try:
        with zipfile.ZipFile(path) as archive:
            names = archive.namelist()
    except Exception:  # no archive, or damaged in whatever way: its reader will say so
        return False
    return bool(names) and all(name.endswith(".npy") for name in names)


def read_npz(path: Path) -> Arrays:
    """Read a NumPy archive with ``matrix`` and ``words`` (bytes as we write them, or an array of strings)."""
    try:
        with zipfile.ZipFile(path) as archive:
            most = most_unpacked(path.stat().st_size)
            words, matrix = (_npz_array(archive, name, most) for name in ("words.npy", "matrix.npy"))
            record = b"{}"
            if "record.npy" in archive.namelist():
                record = _npz_array(archive, "record.npy", most).tobytes()
            listed = None if words.dtype == np.uint8 else words.tolist()
    except Exception as error:  # a damaged archive or header can fail in any way, none of them our fault
        raise VectorsError(f"'{path.name}' needs the plain arrays 'words' and 'matrix' ({error}).") from None
    if listed is None:
        listed = _decoded(words.tobytes(), len(matrix), path.name)
    elif words.dtype.kind != "U" or words.shape != matrix.shape[:1]:
        raise VectorsError(f"the 'words' of '{path.name}' are {words.dtype} {words.shape}; expected a string per row.")
    return Arrays(listed, matrix, {**_kept(record, path.name), "format": NPZ})


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

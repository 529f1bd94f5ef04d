"""fastText's .bin: word vectors are the mean of the word's own row and the rows of its character n-grams.

Bojanowski et al. 2017, section 3.2, and the file layout of fastText's `FastText::saveModel` (version 12).
"""

from __future__ import annotations

import mmap
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aslant.errors import VectorsError
from aslant.io.packed_files import ByteStream, on_disk
from aslant.statistics.compiled import compiled
from aslant.vectors.content import content_of
from aslant.vectors.rows import Block, decode_words
from aslant.vectors.word_vectors import FloatMatrix

NAME = "fastText binary"
MAGIC = struct.pack("<i", 793712314)
BLOCK_WORDS = 8192
END_OF_SENTENCE = b"</s>"
#: No real model has longer n-grams; a larger number means damage, and would take for ever.
MAX_NGRAM = 100
#: Numbers to be added up for all words: thirty times what the largest published models take. Long words, long n-grams
#: and wide rows would keep a small file busy for days.
MAX_WORK = 10**12


def recognise(head: bytes) -> bool:
    """Tell whether a file that begins with `head` is a fastText model."""
    return head.startswith(MAGIC)


@dataclass(frozen=True)
class Model:
    """The parts of a fastText model that matter here: `rows` holds the words' vectors, then the n-gram buckets'."""

    words: list[bytes]
    rows: FloatMatrix
    bucket: int
    minn: int
    maxn: int


def read(stream: ByteStream) -> Iterator[Block]:
    """Yield the vectors of the words, in blocks."""
    with on_disk(stream) as path:
        model = open_model(path, stream.location.name)
        for start in range(0, len(model.words), BLOCK_WORDS):
            words = model.words[start : start + BLOCK_WORDS]
            decoded, repairs = decode_words(words)
            yield Block(decoded, _vectors(model, words, start), repairs)


class Reader:
    """Reads the little-endian header fields of a mapped file, never past its end."""

    def __init__(self, data: mmap.mmap, name: str) -> None:
        self.data, self.name, self.position = data, name, 0

    def take(self, layout: str) -> tuple[Any, ...]:
        """Return the fields of `layout` (struct notation) and move on."""
        size = struct.calcsize(layout)
        if self.position + size > len(self.data):
            raise VectorsError(f"'{self.name}' is a fastText model that is cut off; download it again.")
        values = struct.unpack_from(layout, self.data, self.position)
        self.position += size
        return values

    def word(self) -> bytes:
        """Return the bytes up to the next NUL and move past it."""
        end = self.data.find(b"\0", self.position)
        if end < 0:
            raise VectorsError(f"'{self.name}' is a fastText model that is cut off; download it again.")
        word = self.data[self.position : end]
        self.position = end + 1
        return word


def open_model(path: Path, name: str) -> Model:
    """Map the model at `path`; nothing of the large matrices is read yet."""
    with path.open("rb") as file:
        reader = Reader(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ), name)
    _, version = reader.take("<ii")
    if version not in (11, 12):
        raise VectorsError(f"'{name}' is a fastText model of version {version}; versions 11 and 12 can be read.")
    dimensions, _, _, _, _, _, _, kind, bucket, minn, maxn, _ = reader.take("<12i")
    reader.take("<d")
    if version == 11 and kind == 3:  # old supervised models do not use character n-grams
        maxn = 0
    if maxn > MAX_NGRAM:
        raise VectorsError(f"'{name}' is damaged: n-grams of up to {maxn:,} characters; download it again.")
    size, nwords, _, _, pruned = reader.take("<iiiqq")
    if pruned > 0:
        raise VectorsError(f"'{name}' is a pruned fastText model; use the full .bin.")
    listed = [(reader.word(), reader.take("<qb")[1]) for _ in range(size)]
    words = [word for word, kind in listed[: max(nwords, 0)] if kind == 0]
    if len(words) != nwords:
        raise VectorsError(f"'{name}' is damaged: {nwords:,} words announced, {len(words):,} found.")
    if reader.take("<?")[0]:
        raise VectorsError(f"'{name}' is a quantised fastText model (.ftz); use the full .bin.")
    height, width = reader.take("<qq")
    needed = len(words) + (bucket if maxn > 0 else 0)
    if width != dimensions or width < 1 or bucket < 0 or height < needed:
        raise VectorsError(f"'{name}' is damaged: a matrix of {height} × {width} for {needed:,} rows × {dimensions}.")
    if reader.position + 4 * height * width > len(reader.data):
        raise VectorsError(f"'{name}' is a fastText model that is cut off; download it again.")
    work = sum(len(word) + 2 for word in words) * max(0, maxn - max(minn, 1) + 1) * width
    if bucket and work > MAX_WORK:
        raise VectorsError(
            f"'{name}' is damaged: {len(words):,} words with n-grams of {minn} to {maxn} characters in {width:,} "
            f"dimensions need {work:.0e} additions; download it again."
        )
    rows = np.ndarray((height, width), "<f4", buffer=reader.data, offset=reader.position)
    return Model(words, rows, bucket, minn, maxn)


def all_vectors(model: Model) -> FloatMatrix:
    """Return the vectors of all words of a model, shape (words, dimensions)."""
    return _vectors(model, model.words, 0)


def _vectors(model: Model, words: list[bytes], first_row: int | None) -> FloatMatrix:
    """Return the vectors of `words`; `first_row` is the row of the first, None if they have no rows."""
    joined = b"".join(b"<" + word + b">" for word in words)
    ends = np.cumsum([len(word) + 2 for word in words])
    whole = np.array([word != END_OF_SENTENCE for word in words])
    start = -1 if first_row is None else first_row
    out, counts = compiled(_mean_rows)(
        np.frombuffer(joined, np.uint8), ends, whole, model.rows, start,
        len(model.words), model.bucket, model.minn, model.maxn,
    )  # fmt: skip
    return np.asarray(out[counts > 0] if first_row is None else out, dtype=np.float32)


def _mean_rows(
    data: Any, ends: Any, whole: Any, rows: Any, first_row: int, nwords: int, bucket: int, minn: int, maxn: int
) -> Any:
    """Return the mean row of each word and how many rows went into it (Dictionary::computeSubwords); compiled."""
    dimensions = rows.shape[1]
    total = np.zeros((len(ends), dimensions), np.float32)
    counts = np.zeros(len(ends), np.int64)
    begin = 0
    for word in range(len(ends)):
        end = ends[word]
        if first_row >= 0:
            total[word] += rows[first_row + word]
            counts[word] += 1
        if whole[word] and maxn > 0 and bucket > 0:
            for i in range(begin, end):
                if (data[i] & 0xC0) == 0x80:
                    continue
                j = i
                n = 1
                value = np.uint32(2166136261)
                while j < end and n <= maxn:
                    last = j
                    j += 1
                    while j < end and (data[j] & 0xC0) == 0x80:
                        j += 1
                    # FNV-1a as fastText has it: bytes are sign-extended before the exclusive or (Dictionary::hash).
                    # A longer n-gram continues the shorter one.
                    for position in range(last, j):
                        value = np.uint32(value ^ np.uint32(np.int8(data[position])))
                        value = np.uint32(value * np.uint32(16777619))
                    if n >= minn and not (n == 1 and (i == begin or j == end)):
                        row = nwords + value % np.uint32(bucket)
                        for d in range(dimensions):
                            total[word, d] += rows[row, d]
                        counts[word] += 1
                    n += 1
        if counts[word] > 0:
            for d in range(dimensions):
                total[word, d] /= counts[word]
        begin = end
    return total, counts


@dataclass(frozen=True)
class FastTextSubwords:
    """Vectors for words outside the vocabulary, from their character n-grams."""

    model: Model

    @cached_property
    def content(self) -> str:
        """What identifies the n-grams: a digest of all rows and settings."""
        return content_of([str((self.model.bucket, self.model.minn, self.model.maxn))], self.model.rows)

    def vector(self, word: str) -> NDArray[np.float32] | None:
        """Return the mean row of the n-grams of `word`, or None where it has none, or rows that are not numbers."""
        built = _vectors(self.model, [word.encode("utf-8", "replace")], None)
        return built[0] if len(built) and built[0].any() and np.isfinite(built[0]).all() else None

"""Text embeddings: GloVe (no header, tokens may contain spaces), word2vec text and fastText .vec (header).

A block of lines goes to a compiled reader, on all cores. Where a block does not fit a plain table (a token with
spaces, bytes that are not UTF-8, a short line), it is read line by line instead, which either copes or names the line
at fault. So is a small file, which is read before a compiler is loaded.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from itertools import takewhile
from typing import IO, TYPE_CHECKING

import numpy as np

from aslant.errors import VectorsError
from aslant.io.memory_maps import release
from aslant.io.packed_files import ByteStream
from aslant.parallel import cores, in_order
from aslant.vectors.formats.number_tables import read_table, write_table
from aslant.vectors.rows import BEYOND, UNDECODABLE, Block

if TYPE_CHECKING:
    from aslant.vectors.word_vectors import FloatMatrix, WordVectors

NAME = "text"
#: Bytes handed to the parser at a time: large enough to occupy every core, small enough to stay in cache.
BLOCK_BYTES = 4 << 20
#: No line of a real embedding is longer; a binary file without line ends is refused instead of collected.
MAX_LINE_BYTES = 16 << 20
#: No real embedding has more dimensions; a larger header is damage or an attack.
MAX_DIMENSIONS = 100_000
#: Enough for a header and a whole line of `MAX_DIMENSIONS` numbers.
HEAD_BYTES = 2 << 20
HEAD_LINES = 200
BOM = b"\xef\xbb\xbf"
#: Below this, loading numba takes longer than reading line by line.
SMALL_BYTES = 1 << 20
BLOCK_WORDS = 8192
#: What no word of a text or word2vec file can hold.
BREAKS = re.compile(r"[ \t\r\n]")
HEADER = re.compile(rb"\s*(\d{1,18})\s+(\d{1,18})\s*$")
ALIGNED = re.compile(rb"[^ ] {2,}[-+]?\.?\d")


@dataclass(frozen=True)
class Layout:
    """How the lines are built: numbers per line, what separates them, whether the first line is a header.

    `first_row` is the number of the first line after the header (and blank lines before that), counted from 1.
    `aligned`: the numbers stand in columns, so several separators in a row count as one.
    """

    dimensions: int
    separator: bytes
    trailing: bool
    header: tuple[int, int] | None
    bom: bool
    first_row: int
    aligned: bool


def recognise(head: bytes) -> bool:
    """Tell whether a file that begins with `head` is a text embedding."""
    try:
        return layout_of(head) is not None
    except VectorsError:
        return False


def layout_of(head: bytes) -> Layout | None:
    """Work out the layout from the first lines, or None where they are not lines of numbers."""
    bom = head.startswith(BOM)
    lines = head.removeprefix(BOM).split(b"\n", HEAD_LINES)
    if len(lines) > 1 and (len(head) >= HEAD_BYTES or len(lines) > HEAD_LINES):
        lines.pop()  # probably cut
    first = next((number for number, line in enumerate(lines) if line.strip()), 0)
    header, first_row = None, 1
    if match := HEADER.match(lines[first]):
        header, first_row = (int(match[1]), int(match[2])), first + 2
        if not 1 <= header[1] <= MAX_DIMENSIONS:
            return None
    rows = [line.removesuffix(b"\r") for line in lines[first_row - 1 :] if line.strip()][:50]
    if not rows:
        return None
    aligned = sum(ALIGNED.search(line) is not None for line in rows) > len(rows) / 2
    rows = [_squeezed(line) for line in rows] if aligned else rows
    separator = max((b" ", b"\t"), key=lambda s: sum(_trailing_numbers(line, s) for line in rows))
    trailing = all(line.endswith(separator) for line in rows)
    numbers = Counter(_trailing_numbers(line, separator) for line in rows)
    dimensions = header[1] if header else max(numbers, key=lambda n: (numbers[n], -n))
    if dimensions < 1 or (header and max(numbers) < dimensions):
        return None
    return Layout(dimensions, separator, trailing, header, bom, first_row, aligned)


def _squeezed(lines: bytes) -> bytes:
    """Return `lines` with one space where there are several."""
    return re.sub(rb" {2,}", b" ", lines)


def _trailing_numbers(line: bytes, separator: bytes) -> int:
    """Count the fields at the end of `line` that are numbers; the first field is always part of the word."""
    return sum(1 for _ in takewhile(_is_number, reversed(line.rstrip().split(separator)[1:])))


def _is_number(field: bytes) -> bool:
    try:
        float(field)
    except ValueError:
        return False
    return True


def describe(head: bytes) -> str:
    """Return the name of the exact format."""
    layout = layout_of(head)
    return "word2vec text" if layout and layout.header else "GloVe text"


def read(stream: ByteStream) -> Iterator[Block]:
    """Yield the rows of a text embedding in blocks."""
    head, name = stream.peek(HEAD_BYTES), stream.location.name
    layout = layout_of(head)
    if layout is None:
        raise VectorsError(f"'{name}' does not look like a text embedding.")
    promised = layout.header[0] if layout.header else None
    table = _plain if len(head) >= SMALL_BYTES else lambda data, layout: None
    line_number, seen = layout.first_row, 0
    # Few threads, so that memory stays bounded however long the file is.
    tried = in_order(lambda data: (data, table(data, layout)), _whole_lines(stream, layout, name), min(4, cores()))
    with closing(tried) as parts:
        for data, plain in parts:
            block = plain or _read_line_by_line(data, line_number, layout, name)
            line_number += len(plain.words) if plain else data.count(b"\n")
            if promised is not None and seen + len(block.words) > promised:
                kept = promised - seen
                yield Block(block.words[:kept], block.matrix[:kept], {**block.repairs, BEYOND: 1})
                return
            seen += len(block.words)
            yield block
    if promised is not None and seen < promised:
        raise VectorsError(
            f"'{name}' promises {promised:,} words in its first line but ends after {seen:,}; download it again."
        )


def _whole_lines(stream: ByteStream, layout: Layout, name: str) -> Iterator[bytes]:
    """Yield the lines after the header, many at a time."""
    if layout.bom:
        stream.read(len(BOM))
    skip, rest = layout.first_row - 1, b""
    while data := stream.read(BLOCK_BYTES):
        end = data.rfind(b"\n") + 1
        if end:
            lines, rest = b"".join((rest, memoryview(data)[:end])), data[end:]
        else:
            lines, rest = b"", rest + data
        while lines and skip:
            lines, skip = lines.partition(b"\n")[2], skip - 1
        if lines:
            yield _squeezed(lines) if layout.aligned else lines
        if len(rest) > MAX_LINE_BYTES:
            raise VectorsError(f"'{name}' has a line of over {MAX_LINE_BYTES >> 20} MB; these are not text vectors.")
    if rest and not rest.isspace():
        yield _squeezed(rest) if layout.aligned else rest


def _plain(data: bytes, layout: Layout) -> Block | None:
    """Return lines that are a plain table, or None."""
    found = read_table(data, layout.dimensions, layout.separator, trailing=layout.trailing)
    return Block(*found) if found else None


def _read_line_by_line(lines: bytes, first_number: int, layout: Layout, name: str) -> Block:
    words: list[str] = []
    vectors: list[list[float]] = []
    undecodable = 0
    for number, line in enumerate(lines.split(b"\n"), first_number):
        if not line.strip():
            continue
        word, numbers = _split_line(line, layout, f"line {number} of '{name}'")
        try:
            words.append(word.decode("utf-8"))
        except UnicodeDecodeError:
            words.append(word.decode("utf-8", "replace"))
            undecodable += 1
        vectors.append(numbers)
    with np.errstate(over="ignore"):
        matrix = np.array(vectors, dtype=np.float64).reshape(len(words), layout.dimensions).astype(np.float32)
    return Block(words, matrix, {UNDECODABLE: undecodable} if undecodable else {})


def _split_line(line: bytes, layout: Layout, where: str) -> tuple[bytes, list[float]]:
    fields = line.rstrip().rsplit(layout.separator, layout.dimensions)
    word = fields[0]
    if len(fields) <= layout.dimensions:
        raise VectorsError(
            f"{where} has {len(fields) - 1} numbers where {layout.dimensions} were expected; "
            "the file may be cut off or damaged."
        )
    extra = word.split(layout.separator)[1:]
    if extra and all(_is_number(field) for field in extra):
        raise VectorsError(
            f"{where} has {layout.dimensions + len(extra)} numbers where {layout.dimensions} were expected; "
            "the file is damaged or joins two embeddings."
        )
    try:
        return word, [float(field) for field in fields[1:]]
    except ValueError:
        bad = next(field for field in fields[1:] if not _is_number(field))
        raise VectorsError(
            f"{where} has {bad[:40].decode('utf-8', 'replace')!r} where a number was expected."
        ) from None


def write(file: IO[bytes], vectors: WordVectors) -> None:
    """Write `vectors` as word2vec text: a header, then a word and its numbers per line, each float32 exactly."""
    file.write(f"{len(vectors)} {vectors.dimensions}\n".encode())
    for words, rows in encoded_blocks(vectors, "word2vec text"):
        file.write(write_table(words, rows))


def encoded_blocks(vectors: WordVectors, format_name: str) -> Iterator[tuple[list[bytes], FloatMatrix]]:
    """Yield the words as UTF-8 with their rows, some thousand at a time; a word that cannot be held is refused."""
    for start in range(0, len(vectors), BLOCK_WORDS):
        words = list(vectors.words[start : start + BLOCK_WORDS])
        if BREAKS.search("".join(words)) or "" in words:
            bad = next(word for word in words if BREAKS.search(word) or not word)
            what = "has white space inside" if bad else "is empty"
            raise VectorsError(
                f"the word {bad!r} {what}, which {format_name} cannot hold; save as .safetensors or .npz instead."
            )
        try:
            encoded = [word.encode("utf-8") for word in words]
        except UnicodeEncodeError as error:
            raise VectorsError(f"the word {error.object!r} is not valid Unicode and cannot be written.") from None
        yield encoded, vectors.matrix[start : start + BLOCK_WORDS]
        release(vectors.matrix)

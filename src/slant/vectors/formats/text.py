"""Text embeddings: GloVe (no header, tokens may contain spaces), word2vec text and fastText .vec (header).

A block of lines goes to polars' CSV reader, which parses on all cores. Where a block does not fit a plain
table (a token with spaces, bytes that are not UTF-8, a short line), it is read line by line instead, which
either copes or names the line at fault.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from slant.errors import VectorsError
from slant.vectors.opening import ByteStream
from slant.vectors.rows import UNDECODABLE, Block

NAME = "text"
#: Bytes handed to the parser at a time: large enough to occupy every core, small enough to stay in cache.
BLOCK_BYTES = 4 << 20
#: No line of a real embedding is longer; a binary file without line ends is refused instead of collected.
MAX_LINE_BYTES = 16 << 20
#: No real embedding has more dimensions; a larger header is damage or an attack.
MAX_DIMENSIONS = 100_000
HEAD_BYTES = 256 << 10
BOM = b"\xef\xbb\xbf"
HEADER = re.compile(rb"\s*(\d{1,18})\s+(\d{1,18})\s*$")


@dataclass(frozen=True)
class Layout:
    """How the lines are built: numbers per line, what separates them, whether the first line is a header."""

    dimensions: int
    separator: bytes
    trailing: bool
    header: tuple[int, int] | None
    bom: bool

    @property
    def kind(self) -> str:
        """The name of the format for people."""
        return "word2vec text" if self.header else "GloVe text"


def recognise(head: bytes) -> bool:
    """Tell whether a file that begins with `head` is a text embedding.

    >>> recognise(b"the 0.1 0.2\\nof 0.3 0.4\\n"), recognise(b"2 2\\nthe 0.1 0.2\\n"), recognise(b"\\x80\\x04")
    (True, True, False)
    """
    try:
        return layout_of(head) is not None
    except VectorsError:
        return False


def layout_of(head: bytes) -> Layout | None:
    """Work out the layout from the first lines, or None where they are not lines of numbers."""
    bom = head.startswith(BOM)
    lines = head.removeprefix(BOM).split(b"\n")
    if len(lines) > 1 and len(head) >= HEAD_BYTES:
        lines.pop()  # probably cut
    lines = [line.removesuffix(b"\r") for line in lines if line.strip()]
    if not lines:
        return None
    header = None
    if match := HEADER.match(lines[0]):
        header = int(match[1]), int(match[2])
        lines = lines[1:]
    if header and not 1 <= header[1] <= MAX_DIMENSIONS:
        return None
    return _layout_of_rows(lines[:50], header, bom)


def _layout_of_rows(lines: list[bytes], header: tuple[int, int] | None, bom: bool) -> Layout | None:
    if not lines:
        return None
    separator = b"\t" if lines[0].count(b"\t") > lines[0].count(b" ") else b" "
    trailing = all(line.endswith(separator) for line in lines)
    numbers = Counter(_trailing_numbers(line, separator) for line in lines)
    dimensions = header[1] if header else max(numbers, key=lambda n: (numbers[n], -n))
    if dimensions < 1 or (header and max(numbers) < dimensions):
        return None
    return Layout(dimensions, separator, trailing, header, bom)


def _trailing_numbers(line: bytes, separator: bytes) -> int:
    """Count the fields at the end of `line` that are numbers; the first field is always part of the word."""
    count = 0
    for field in reversed(line.rstrip().split(separator)[1:]):
        if not _is_number(field):
            break
        count += 1
    return count


def _is_number(field: bytes) -> bool:
    try:
        float(field)
    except ValueError:
        return False
    return True


def describe(head: bytes) -> str:
    """Return the name of the exact format."""
    layout = layout_of(head)
    return layout.kind if layout else NAME


def read(stream: ByteStream) -> Iterator[Block]:
    """Yield the rows of a text embedding in blocks."""
    layout = layout_of(stream.peek(HEAD_BYTES))
    name = stream.location.name
    if layout is None:
        raise VectorsError(f"'{name}' does not look like a text embedding.")
    promised = layout.header[0] if layout.header else None
    table = _table_reader(layout)
    seen = 0
    for lines in _whole_lines(stream, layout, name):
        if lines.number == 1 and layout.header:
            lines = lines.without_header()
        block = table(lines.data) or _read_line_by_line(lines, layout, name)
        if promised is not None and seen + len(block.words) > promised:
            yield Block(block.words[: promised - seen], block.matrix[: promised - seen], block.repairs)
            return
        seen += len(block.words)
        yield block
    if promised is not None and seen < promised:
        raise VectorsError(
            f"'{name}' promises {promised:,} words in its first line but ends after {seen:,}; download it again."
        )


@dataclass(frozen=True)
class _Lines:
    """Whole lines, and the number of the first of them in the file (from 1)."""

    data: bytes
    number: int

    def without_header(self) -> _Lines:
        return _Lines(self.data.partition(b"\n")[2], self.number + 1)


def _whole_lines(stream: ByteStream, layout: Layout, name: str) -> Iterator[_Lines]:
    number, rest = 1, b""
    if layout.bom:
        stream.read(len(BOM))
    while data := stream.read(BLOCK_BYTES):
        end = data.rfind(b"\n") + 1
        if end:
            lines = rest + data[:end]
            yield _Lines(lines, number)
            number += lines.count(b"\n")
            rest = data[end:]
        else:
            rest += data
        if len(rest) > MAX_LINE_BYTES:
            raise VectorsError(f"line {number} of '{name}' is longer than {MAX_LINE_BYTES >> 20} MB; not text vectors.")
    if rest.strip():
        yield _Lines(rest, number)


def _table_reader(layout: Layout) -> Any:
    """Return a function from bytes to a Block, or None where the bytes are not a plain table."""
    import polars as pl

    columns: dict[str, Any] = {"word": pl.String}
    numbers = [f"n{i}" for i in range(layout.dimensions)]
    columns |= dict.fromkeys(numbers, pl.Float32)
    if layout.trailing:
        columns["nothing"] = pl.String

    def table(data: bytes) -> Block | None:
        if not data.strip():
            return Block([], np.empty((0, layout.dimensions), np.float32))
        try:
            frame = pl.read_csv(
                data,
                separator=layout.separator.decode(),
                has_header=False,
                quote_char=None,
                schema=columns,
            )
        except pl.exceptions.PolarsError:
            return None
        expected = data.count(b"\n") + (not data.endswith(b"\n"))
        values = frame.select(numbers)
        words = frame["word"]
        if frame.height != expected or any(column.null_count() for column in values):
            return None
        if words.null_count() or (layout.trailing and frame["nothing"].drop_nulls().any()):
            return None
        return Block(words.to_list(), values.to_numpy(order="c", writable=False))

    return table


def _read_line_by_line(lines: _Lines, layout: Layout, name: str) -> Block:
    words: list[str] = []
    vectors: list[list[float]] = []
    undecodable = 0
    for offset, line in enumerate(lines.data.split(b"\n")):
        if not line.strip():
            continue
        word, numbers = _split_line(line, layout, f"line {lines.number + offset} of '{name}'")
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

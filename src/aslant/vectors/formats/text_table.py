"""The fast way through a text embedding: blocks of whole lines, parsed as tables by polars, several at a time."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np

from aslant.vectors.rows import Block
from aslant.vectors.word_vectors import FloatMatrix

BOM = b"\xef\xbb\xbf"
#: What polars would unpack by itself, without any limit: gzip, zlib and zstandard.
PACKED = (b"\x1f\x8b", b"x\x01", b"x\x5e", b"x\x9c", b"x\xda", b"\x28\xb5\x2f\xfd")


@dataclass(frozen=True)
class Parsed:
    """A block of lines with what the table reader made of it: None where it is not a plain table."""

    data: bytes
    n_lines: int
    block: Block | None


def parsed(blocks: Iterable[bytes], table: Callable[[bytes], Block | None]) -> Iterator[Parsed]:
    """Parse `blocks` in threads (polars lets go of the interpreter's lock) and yield them in order.

    A few blocks are in flight at a time, so memory stays bounded however long the file is.
    """
    workers = min(4, os.cpu_count() or 1)
    waiting: deque[Future[Parsed]] = deque()
    with ThreadPoolExecutor(workers, thread_name_prefix="aslant-text") as pool:
        try:
            for data in blocks:
                waiting.append(pool.submit(_parse, data, table))
                if len(waiting) > workers:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
        finally:
            for future in waiting:
                future.cancel()


def _parse(data: bytes, table: Callable[[bytes], Block | None]) -> Parsed:
    block = table(data)
    # A plain table has no blank lines, so its rows need not be counted again.
    return Parsed(data, len(block.words) if block and block.words else data.count(b"\n"), block)


def table_reader(dimensions: int, separator: str, *, trailing: bool) -> Callable[[bytes], Block | None]:
    """Return a function from the bytes of whole lines to a Block, or to None where they are not a plain table.

    `trailing`: every line ends in a separator, so that there is one more, empty field.
    """
    import polars as pl

    numbers = [f"n{i}" for i in range(dimensions)]
    schema: dict[str, Any] = {"word": pl.String} | dict.fromkeys(numbers, pl.Float32)
    if trailing:
        schema["nothing"] = pl.String

    def table(data: bytes) -> Block | None:
        if not data or data.isspace():
            return Block([], np.empty((0, dimensions), np.float32))
        if data.startswith((BOM, *PACKED)):  # polars would strip a byte-order mark that belongs to the first word
            return None
        try:
            frame = pl.read_csv(data, separator=separator, has_header=False, quote_char=None, schema=schema)
        except pl.exceptions.PolarsError:
            return None
        columns = frame.get_columns()
        if any(column.null_count() for column in columns[: dimensions + 1]):
            return None
        if trailing and columns[-1].null_count() < frame.height:
            return None
        matrix = frame[:, 1 : dimensions + 1].to_numpy(order="c")
        return Block(columns[0].to_list(), matrix)

    return table


def table_text(words: list[bytes], rows: FloatMatrix) -> bytes:
    """Return lines of a word and its numbers, in as few digits as recover each float32 exactly.

    >>> table_text([b"the"], np.array([[0.1, -2.0]], np.float32))
    b'the 0.1 -2.0\\n'
    """
    import polars as pl

    numbers = {f"n{i}": np.ascontiguousarray(column, dtype=np.float32) for i, column in enumerate(rows.T)}
    text = pl.DataFrame(numbers).write_csv(separator=" ", include_header=False, quote_style="never").encode()
    lines = text.split(b"\n")
    return b"".join(b"%b %b\n" % entry for entry in zip(words, lines[: len(words)], strict=True))

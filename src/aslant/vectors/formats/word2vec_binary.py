"""word2vec's binary format: "COUNT DIMENSIONS\\n", then per word its bytes, a space and float32 numbers.

Google's tool writes a newline after each entry, gensim does not; both are read.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import IO, TYPE_CHECKING

import numpy as np

from aslant.errors import VectorsError
from aslant.io.packed_files import ByteStream
from aslant.vectors.formats import text
from aslant.vectors.rows import BEYOND, LINE_END, Block, decode_words

if TYPE_CHECKING:
    from aslant.vectors.word_vectors import WordVectors

NAME = "word2vec binary"
BLOCK_BYTES = 2 << 20
MAX_WORD_BYTES = 10_000
SPACE = ord(" ")


def recognise(head: bytes) -> bool:
    """Tell whether a file that begins with `head` is word2vec binary: a header, then rows that are not text."""
    line, newline, rest = head.partition(b"\n")
    match = text.HEADER.match(line) if newline and rest else None
    return match is not None and 1 <= int(match[2]) <= text.MAX_DIMENSIONS and not text.recognise(head)


def read(stream: ByteStream) -> Iterator[Block]:
    """Yield the rows of a word2vec binary file in blocks."""
    name = stream.location.name
    line = stream.peek(text.HEAD_BYTES).partition(b"\n")[0]
    match = text.HEADER.match(line)
    if match is None:
        raise VectorsError(f"'{name}' has no 'COUNT DIMENSIONS' line at its start.")
    promised, dimensions = int(match[1]), int(match[2])
    stream.read(len(line) + 1)
    seen, rest = 0, b""
    while seen < promised and (data := stream.read(max(BLOCK_BYTES, 8 * dimensions))):
        buffer = rest + data
        block, end = _entries(buffer, dimensions, promised - seen, f"'{name}' after word {seen:,}")
        rest = buffer[end:]
        seen += len(block.words)
        if block.words:
            yield block
    if seen < promised:
        raise VectorsError(
            f"'{name}' promises {promised:,} words in its first line but ends after {seen:,}; download it again."
        )
    if rest.strip() or stream.peek(64).strip():
        yield Block([], np.empty((0, dimensions), np.float32), {BEYOND: 1})


def _entries(buffer: bytes, dimensions: int, most: int, where: str) -> tuple[Block, int]:
    """Return the complete entries of `buffer` (at most `most`) and where they end."""
    width = 4 * dimensions
    # One pass in C: a word up to its space, then `width` bytes of anything. What is left at the end is swallowed
    # by the second branch, which shows as an empty word where no space stands, or after which the buffer is too short.
    names = re.findall(rb"([^ ]*+) .{%d}|.+" % width, buffer, re.DOTALL)
    lengths = np.fromiter(map(len, names), np.int64, len(names))
    starts = np.cumsum(lengths + 1 + width) - (lengths + 1 + width)
    if names and not names[-1] and not (buffer[starts[-1]] == SPACE and starts[-1] + width < len(buffer)):
        names, starts, lengths = names[:-1], starts[:-1], lengths[:-1]
    names, starts, lengths = names[:most], starts[:most], lengths[:most]
    end = int(starts[-1] + lengths[-1]) + 1 + width if names else 0
    longest = max(int(lengths.max(initial=0)), 0 if len(names) == most else len(buffer) - end - width)
    if longest > MAX_WORD_BYTES:
        raise VectorsError(f"{where} is damaged: no word within {MAX_WORD_BYTES:,} bytes; download it again.")
    if not names:
        return Block([], np.empty((0, dimensions), np.float32)), end
    # A view in which every byte starts one row: picking the offsets copies whole rows at memory speed.
    rows = np.ndarray((len(buffer) - width + 1,), dtype=f"V{width}", buffer=buffer, strides=(1,))
    matrix = rows[starts + lengths + 1].view("<f4").reshape(len(names), dimensions)
    words, repairs = _decoded(names)
    return Block(words, matrix.astype(np.float32, copy=False), repairs), end


def _decoded(names: list[bytes]) -> tuple[list[str], dict[str, int]]:
    """Return the words, without the newline that may precede each, and the repairs needed."""
    joined = b"\n".join(names).removeprefix(b"\n").replace(b"\n\n", b"\n")
    if b"" not in names:
        try:
            words = joined.decode("utf-8").split("\n")
        except UnicodeDecodeError:
            words = []
        if len(words) == len(names):
            return words, {}
    words, repairs = decode_words([name.strip(b"\n") for name in names])
    if broken := sum("\n" in word for word in words):
        return [word.replace("\n", " ") for word in words], {**repairs, LINE_END: broken}
    return words, repairs


def write(file: IO[bytes], vectors: WordVectors) -> None:
    """Write `vectors` as gensim does: no newline after an entry."""
    file.write(f"{len(vectors)} {vectors.dimensions}\n".encode())
    for words, rows in text.encoded_blocks(vectors, NAME):
        data = np.ascontiguousarray(rows, dtype="<f4").tobytes()
        width = 4 * vectors.dimensions
        starts = range(0, len(data), width)
        file.write(b"".join(b"%b %b" % (w, data[i : i + width]) for w, i in zip(words, starts, strict=True)))

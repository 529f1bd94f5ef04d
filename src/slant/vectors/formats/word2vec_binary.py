"""word2vec's binary format: "COUNT DIMENSIONS\\n", then per word its bytes, a space and float32 numbers.

Google's tool writes a newline after each entry, gensim does not; both are read.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from slant.errors import VectorsError
from slant.vectors.formats import text
from slant.vectors.opening import ByteStream
from slant.vectors.rows import UNDECODABLE, Block

NAME = "word2vec binary"
BLOCK_BYTES = 8 << 20
MAX_WORD_BYTES = 10_000


def recognise(head: bytes) -> bool:
    """Tell whether a file that begins with `head` is word2vec binary: a header, then rows that are not text.

    >>> import numpy as np
    >>> recognise(b"1 2\\nthe " + np.array([0.5, 1.5], "<f4").tobytes())
    True
    """
    line, newline, rest = head.partition(b"\n")
    match = text.HEADER.match(line)
    if not (newline and match and rest):
        return False
    return 1 <= int(match[2]) <= text.MAX_DIMENSIONS and not text.recognise(head)


def describe(head: bytes) -> str:
    """Return the name of the format."""
    return NAME


def read(stream: ByteStream) -> Iterator[Block]:
    """Yield the rows of a word2vec binary file in blocks."""
    name = stream.location.name
    line = stream.peek(64).partition(b"\n")[0]
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


def _entries(buffer: bytes, dimensions: int, most: int, where: str) -> tuple[Block, int]:
    """Return the complete entries of `buffer` (at most `most`) and where they end."""
    width = 4 * dimensions
    last = len(buffer) - width
    names: list[bytes] = []
    offsets: list[int] = []
    position = 0
    find = buffer.find
    while len(names) < most:
        space = find(b" ", position, position + MAX_WORD_BYTES)
        if space < 0:
            if len(buffer) - position > MAX_WORD_BYTES:
                raise VectorsError(f"{where} is damaged: no word within {MAX_WORD_BYTES:,} bytes; download it again.")
            break
        if space >= last:
            break
        names.append(buffer[position:space])
        offsets.append(space + 1)
        position = space + 1 + width
    return _block(buffer, names, offsets, dimensions), position


def _block(buffer: bytes, names: list[bytes], offsets: list[int], dimensions: int) -> Block:
    width = 4 * dimensions
    if not names:
        return Block([], np.empty((0, dimensions), np.float32))
    # A view in which every byte starts one row: picking the offsets copies whole rows at memory speed.
    rows = np.ndarray((len(buffer) - width + 1,), dtype=f"V{width}", buffer=buffer, strides=(1,))
    matrix = rows[np.array(offsets)].view("<f4").reshape(len(names), dimensions)
    joined = b"\n".join(name.strip(b"\n") for name in names)
    undecodable = 0
    try:
        words = joined.decode("utf-8").split("\n")
    except UnicodeDecodeError:
        words = [name.strip(b"\n").decode("utf-8", "replace") for name in names]
        undecodable = sum("\ufffd" in word for word in words)
    if len(words) != len(names):  # a newline inside a word
        words = [name.strip(b"\n").decode("utf-8", "replace") for name in names]
    return Block(words, matrix.astype(np.float32, copy=False), {UNDECODABLE: undecodable} if undecodable else {})

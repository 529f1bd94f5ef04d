"""Text files: bytes into lines, a block at a time; what is not text is refused at the line where it shows."""

from __future__ import annotations

import codecs
import io
from collections.abc import Iterator

from aslant.corpus.splitting import PIECE, Lines
from aslant.errors import CorpusError
from aslant.io.packed_files import ByteStream

BLOCK = 1 << 18
WIDE_MARKS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


def check_encoding(encoding: str) -> str:
    """Return the usual name of an encoding.

    >>> check_encoding("UTF8")
    'utf-8'
    """
    try:
        codecs.getincrementaldecoder(encoding)
        "".encode(encoding)
        return codecs.lookup(encoding).name
    except (LookupError, TypeError, ValueError):
        raise CorpusError(f"there is no encoding {encoding!r}; give one such as 'utf-8' or 'latin-1'.") from None


def read_lines(stream: ByteStream, encoding: str) -> Lines:
    """Yield the lines of a text, a very long one in pieces that end between words where there are any."""
    held = ""
    for text in _decoded(stream, encoding):
        lines = (held + text).split("\n")
        held = lines.pop()
        for line in lines:
            yield line, True
        if len(held) > PIECE:
            cut = held.rfind(" ", PIECE // 2) + 1 or len(held)
            yield held[:cut], False
            held = held[cut:]
    if held:
        yield held, True


def _decoded(stream: ByteStream, encoding: str) -> Iterator[str]:
    """Yield text block by block, every kind of line end as a newline."""
    name, done, line = stream.location.name, 0, 1
    head = stream.peek(3)
    if encoding == "utf-8" and head.startswith(WIDE_MARKS):
        raise CorpusError(f"'{name}' is UTF-16, not UTF-8; give its encoding (encoding='utf-16', --encoding).")
    if encoding == "utf-8" and head == codecs.BOM_UTF8:
        done = len(stream.read(3))
    decoder = io.IncrementalNewlineDecoder(codecs.getincrementaldecoder(encoding)(), translate=True)
    ended = False
    while not ended:
        block = stream.read(BLOCK)
        ended = not block
        waiting = decoder.getstate()[0]
        try:
            text = decoder.decode(block, final=ended)
        except UnicodeError as error:
            raise CorpusError(_problem(error, name, done - len(waiting), line, encoding)) from None
        done += len(block)
        if "\0" in text:
            at = line + text.count("\n", 0, text.index("\0"))
            raise CorpusError(f"'{name}' is not text: line {at:,} holds a zero byte; give a text file.")
        line += text.count("\n")
        yield text


def _problem(error: UnicodeError, name: str, before: int, line: int, encoding: str) -> str:
    if not isinstance(error, UnicodeDecodeError):
        return f"'{name}' is not {encoding} ({error}); give its encoding."
    at = line + error.object.count(b"\n", 0, error.start)
    value = error.object[error.start]
    return (
        f"'{name}' is not {encoding}: byte {before + error.start:,} (line {at:,}) is 0x{value:02x}; if it is "
        "text, give its encoding (such as encoding='latin-1', --encoding), or convert it."
    )

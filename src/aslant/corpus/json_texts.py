"""Strings in JSON: read as a stream of events, so that a file of any size takes no more memory than its longest string.

Several values one after the other (JSON lines) are read like one.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice

from aslant.corpus.tables import choose_column, usual_column
from aslant.errors import CorpusError
from aslant.io.packed_files import ByteStream

#: How many strings are read to find out what a file holds.
LOOKED_AT = 1000
#: Bytes of one value, and levels of nesting: nothing that people write has more (and
#: the time that a value takes grows with its square).
LONGEST, DEEPEST = 16 << 20, 1_000_000
BOM = b"\xef\xbb\xbf"


@dataclass
class Shape:
    """What the first strings of a file are: the keys they are under, and whether some are in records."""

    keys: dict[str, None] = field(default_factory=dict)
    records: bool = False
    strings: int = 0


def strings(stream: ByteStream) -> Iterator[tuple[str | None, bool, str]]:
    """Yield every string value with the nearest key above it, and whether it is directly under that key."""
    import ijson

    name = stream.location.name
    if stream.peek(3) == BOM:
        stream.read(3)
    source = _Watched(stream)
    key: str | None = None
    keys: list[str | None] = []
    opened: list[str] = []
    try:
        for event, value in ijson.basic_parse(source, multiple_values=True, use_float=True):
            source.since = 0
            if event == "string":
                yield key, bool(opened) and opened[-1] == "start_map", value
            elif event == "map_key":
                key = value
            elif event in ("start_map", "start_array"):
                opened.append(event)
                keys.append(key)
                if len(opened) > DEEPEST:
                    raise CorpusError(f"'{name}' is nested deeper than {DEEPEST:,} levels; give a text file.")
            elif event in ("end_map", "end_array"):
                opened.pop()
                key = keys.pop()
    except (ijson.JSONError, UnicodeDecodeError) as error:
        problem = " ".join(str(error).split("\n")[0].split())
        raise CorpusError(f"'{name}' is not valid JSON ({problem}); fix it, or give a text file.") from None


class _Watched:
    """The stream, as long as no value in it is too long: it would have to fit into memory."""

    def __init__(self, stream: ByteStream) -> None:
        self._stream, self.since = stream, 0

    def read(self, size: int) -> bytes:
        """Return some bytes; none are requested while the previous ones still hold values."""
        data = self._stream.read(size)
        self.since += len(data)
        if self.since > LONGEST:
            name = self._stream.location.name
            raise CorpusError(f"'{name}' holds a value of over {LONGEST >> 20} MB; give a text file.")
        return data


def shape_of(stream: ByteStream) -> Shape:
    """Look at the first strings of a file."""
    shape = Shape()
    for key, record, _ in islice(strings(stream), LOOKED_AT):
        shape.strings += 1
        shape.records = shape.records or record
        if key is not None:
            shape.keys.setdefault(key)
    return shape


def column_of(shape: Shape, wanted: str | None, name: str) -> str | None:
    """Return the key whose strings are the texts, or None where all strings are in plain lists.

    >>> column_of(Shape({"id": None, "text": None}, records=True), None, "a.json")
    'text'
    >>> column_of(Shape({"Jane Doe": None}), None, "bold.json") is None
    True
    """
    if wanted is not None and wanted in shape.keys:
        return wanted
    if not shape.records and (wanted is None or usual_column(shape.keys) is None):
        return usual_column(shape.keys)
    return choose_column(list(shape.keys), wanted, name)


def texts(stream: ByteStream, column: str | None) -> Iterator[str]:
    """Yield the strings under the key `column`, or all of them."""
    for key, _, text in strings(stream):
        if column is None or key == column:
            yield text

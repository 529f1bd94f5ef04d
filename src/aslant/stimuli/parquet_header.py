"""Check that a .parquet file promises no more than it holds: with false counts, polars requests exabytes and crashes.

Only what matters here is read: the footer and the page headers, which Parquet writes in Thrift's compact protocol.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Any

MAGIC = b"PAR1"
#: Nested structs: no footer has more levels.
DEEPEST = 12
#: Types of Thrift's compact protocol.
TRUE, FALSE, BYTE, I16, I32, I64, DOUBLE, BINARY, LIST, SET, STRUCT = 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12
WHOLE = (I16, I32, I64)
#: Numbers of fields: of a file, a row group, a column and its facts, a page.
ROWS, GROUPS, COLUMNS, GROUP_ROWS, FACTS = 3, 4, 1, 3, 3
PATH, VALUES, PACKED, DATA_AT, WORDS_AT = 3, 5, 7, 9, 11
PAGE_UNPACKED, PAGE_PACKED, PAGE_DATA, PAGE_WORDS, PAGE_DATA_2 = 2, 3, 5, 7, 8
Fields = dict[int, Any]


def check_header(data: bytes, columns: Collection[str], most_rows: int, most_bytes: int) -> None:
    """Raise a ValueError if plain columns promise more rows or bytes than they may, or than their parts add up to.

    >>> check_header(b"PAR1" + bytes(4) + b"PAR1", ["name"], 10, 10)
    Traceback (most recent call last):
    ValueError: it has no footer
    """
    length = int.from_bytes(data[-8:-4], "little")
    if len(data) < 12 or data[:4] != MAGIC or data[-4:] != MAGIC or not 0 < length <= len(data) - 12:
        raise ValueError("it has no footer")
    footer = _Thrift(data, len(data) - 8 - length).struct()
    rows = _whole(footer, ROWS)
    if rows > most_rows:
        raise ValueError(f"it promises {rows:,} rows; at most {most_rows:,} are read")
    groups = _parts(footer, GROUPS)
    if sum(_whole(group, GROUP_ROWS) for group in groups) != rows:
        raise ValueError("its row groups do not add up")
    unpacked = 0
    for group in groups:
        for column in _parts(group, COLUMNS):
            facts = _part(column, FACTS)
            if facts.get(PATH) in [[name.encode()] for name in columns]:
                unpacked += _check_column(data, facts, _whole(group, GROUP_ROWS), most_bytes)
    if unpacked > most_bytes:
        raise ValueError(f"it unpacks to {unpacked:,} bytes")


def _check_column(data: bytes, facts: Fields, rows: int, most: int) -> int:
    """Check the pages of a column against the footer; return the bytes that they unpack to."""
    data_at = _whole(facts, DATA_AT)
    start = min(data_at, _whole(facts, WORDS_AT, data_at) or data_at)
    end = start + _whole(facts, PACKED)
    if not 4 <= start <= end <= len(data) - 8:
        raise ValueError("a column lies outside the file")
    values = unpacked = 0
    for page in _pages(data, start, end):
        unpacked += _whole(page, PAGE_UNPACKED)
        for kind in (PAGE_DATA, PAGE_DATA_2):
            values += _whole(_part(page, kind), 1, 0)
        if _whole(_part(page, PAGE_WORDS), 1, 0) > unpacked:
            raise ValueError("a dictionary promises more than it holds")
        if unpacked > most or values > _whole(facts, VALUES):
            raise ValueError("a page promises more than the footer")
    if values != _whole(facts, VALUES) or values != rows:
        raise ValueError("the pages of a column do not add up")
    return unpacked


def _pages(data: bytes, start: int, end: int) -> Iterator[Fields]:
    while start < end:
        thrift = _Thrift(data, start)
        page = thrift.struct()
        start = thrift.at + _whole(page, PAGE_PACKED)
        if start > end:
            raise ValueError("a page lies outside its column")
        yield page


def _parts(fields: Fields, number: int) -> list[Fields]:
    found = fields.get(number, [])
    if not isinstance(found, list) or not all(isinstance(part, dict) for part in found):
        raise ValueError("a list of structs is not one")
    return found


def _part(fields: Fields, number: int) -> Fields:
    found = fields.get(number, {})
    return found if isinstance(found, dict) else {}


def _whole(fields: Fields, number: int, otherwise: int | None = None) -> int:
    """Return a count or position, which is at least 0."""
    value = fields.get(number, otherwise)
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise ValueError("a count is missing or below 0")
    return value


class _Thrift:
    """A reader of structs, which are dictionaries by the number of the field."""

    def __init__(self, data: bytes, at: int) -> None:
        self.data, self.at = data, at

    def struct(self, depth: int = 0) -> Fields:
        """Return the struct that begins here."""
        fields: Fields = {}
        number = 0
        while head := self._byte():
            number = number + (head >> 4) if head >> 4 else self._zigzag()
            fields[number] = self._value(head & 15, depth)
        return fields

    def _value(self, kind: int, depth: int) -> Any:
        if depth > DEEPEST:
            raise ValueError("it is nested too deeply")
        if kind in (TRUE, FALSE):
            return kind == TRUE
        if kind in WHOLE:
            return self._zigzag()
        if kind in (BYTE, DOUBLE):
            return self._bytes(1 if kind == BYTE else 8)
        if kind == BINARY:
            return self._bytes(self._varint())
        if kind in (LIST, SET):
            return self._list(depth + 1)
        if kind == STRUCT:
            return self.struct(depth + 1)
        raise ValueError(f"its footer has a value of type {kind}")

    def _list(self, depth: int) -> list[Any]:
        head = self._byte()
        count = head >> 4 if head >> 4 < 15 else self._varint()
        if count > len(self.data) - self.at:
            raise ValueError("a list promises more than the file holds")
        kind = head & 15
        return [self._bytes(1) if kind in (TRUE, FALSE) else self._value(kind, depth) for _ in range(count)]

    def _zigzag(self) -> int:
        value = self._varint()
        return value >> 1 ^ -(value & 1)

    def _varint(self) -> int:
        value = shift = 0
        while True:
            byte = self._byte()
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value
            if shift > 63:
                raise ValueError("a number has no end")

    def _byte(self) -> int:
        if self.at >= len(self.data):
            raise ValueError("it is cut off")
        self.at += 1
        return self.data[self.at - 1]

    def _bytes(self, count: int) -> bytes:
        if count > len(self.data) - self.at:
            raise ValueError("a text promises more than the file holds")
        self.at += count
        return self.data[self.at - count : self.at]

"""Check that the header of a GGUF file promises no more than the file holds: gguf's own reader counts past the end."""

from __future__ import annotations

import mmap
import struct
from pathlib import Path

STRING, ARRAY = 8, 9
#: Bytes of a value, by the number of its type.
SIZES = {0: 1, 1: 1, 2: 2, 3: 2, 4: 4, 5: 4, 6: 4, 7: 1, 10: 8, 11: 8, 12: 8}
#: The least that a fact and a tensor take: a name's length, a type, a value; and dimensions, a type, an offset.
LEAST_FACT, LEAST_TENSOR = 13, 24


def check_header(file: Path) -> None:
    """Raise a ValueError if the header of a GGUF file (version 2 or 3) leads out of it.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "m.gguf"
    >>> _ = path.write_bytes(b"GGUF" + struct.pack("<IQQ", 3, 0, 2**62))
    >>> check_header(path)
    Traceback (most recent call last):
    ValueError: its header promises more than the file holds
    """
    if file.stat().st_size < 24:
        raise ValueError("it ends in its header")
    with file.open("rb") as stream, mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ) as data:
        magic, version, tensors, facts = struct.unpack_from("<4sIQQ", data)
        if magic != b"GGUF" or version not in (2, 3):
            raise ValueError("it does not begin as one does")
        _Header(data).walk(tensors, facts)


class _Header:
    def __init__(self, data: mmap.mmap) -> None:
        self.data, self.at = data, 24

    def walk(self, tensors: int, facts: int) -> None:
        self._room(tensors * LEAST_TENSOR + facts * LEAST_FACT)
        for _ in range(facts):
            self._string()
            (kind,) = self._take("<I")
            self._value(kind)

    def _value(self, kind: int) -> None:
        if kind == STRING:
            self._string()
        elif kind == ARRAY:
            inner, count = self._take("<IQ")
            if inner == STRING:
                self._room(8 * count)
                for _ in range(count):
                    self._string()
            else:
                self._skip(self._size(inner) * count)
        else:
            self._skip(self._size(kind))

    def _size(self, kind: int) -> int:
        if kind not in SIZES:
            raise ValueError(f"its header has a value of type {kind}")
        return SIZES[kind]

    def _string(self) -> None:
        self._skip(*self._take("<Q"))

    def _take(self, layout: str) -> tuple[int, ...]:
        self._room(struct.calcsize(layout))
        values = struct.unpack_from(layout, self.data, self.at)
        self.at += struct.calcsize(layout)
        return values

    def _skip(self, count: int) -> None:
        self._room(count)
        self.at += count

    def _room(self, count: int) -> None:
        if count > len(self.data) - self.at:
            raise ValueError("its header promises more than the file holds")

"""HistWords decades (Hamilton et al. 2016): ``YEAR-w.npy`` and ``YEAR-vocab.pkl`` in one folder.

The vocabulary is a Python-2 pickle of a list of strings. It is read without an unpickler, by following only the
instructions that make such a list, so that a file made to run code when opened is refused instead. Rows of zeros
mean "too rare in this decade" and count as missing.
"""

from __future__ import annotations

import pickletools
import re
from pathlib import Path
from typing import Any

from slant.errors import VectorsError
from slant.vectors.formats.numpy_array import load_array, unwarned
from slant.vectors.rows import Block, decode_words
from slant.vectors.word_vectors import as_matrix

NAME = "HistWords decade"
MATRIX = re.compile(r"(.+)-w\.npy$")
MAX_VOCABULARY_BYTES = 512 << 20
#: Bytes of words that a pickle may repeat by reference (two bytes each), as a multiple of its own.
MAX_REPEATS = 16
#: The instructions of a pickle (see pickletools) that a list of strings is made of.
BYTE_STRINGS = {"SHORT_BINSTRING", "BINSTRING"}
UNICODE_STRINGS = {"STRING", "UNICODE", "SHORT_BINUNICODE", "BINUNICODE", "BINUNICODE8"}
LISTS = {"EMPTY_LIST", "LIST"}
PUTS = {"PUT", "BINPUT", "LONG_BINPUT", "MEMOIZE"}
GETS = {"GET", "BINGET", "LONG_BINGET"}
AROUND = {"PROTO", "FRAME", "MARK", "APPEND", "APPENDS", "STOP"}


def decade_of(path: Path) -> Path | None:
    """Return the ``…-w.npy`` that `path` names: a folder with one decade, 'FOLDER/YEAR', or the file itself."""
    if path.is_file():
        return path if MATRIX.search(path.name) and _vocabulary(path).is_file() else None
    named = path.parent / f"{path.name}-w.npy"
    if path.name and named.is_file():
        return named
    if not path.is_dir():
        return None
    decades = decades_in(path)
    if len(decades) > 1:
        years = ", ".join(sorted(decades))
        raise VectorsError(f"'{path}' holds several decades ({years}); name one, such as '{path}/{min(decades)}'.")
    return next(iter(decades.values()), None)


def decades_in(folder: Path) -> dict[str, Path]:
    """Return the decades of a HistWords folder: name (the year) to matrix file."""
    matches = ((MATRIX.search(path.name), path) for path in folder.glob("*-w.npy"))
    return {match[1]: path for match, path in matches if match}


def _vocabulary(matrix: Path) -> Path:
    return matrix.with_name(matrix.name.removesuffix("-w.npy") + "-vocab.pkl")


def read(matrix_path: Path) -> Block:
    """Read one decade."""
    words, repairs = read_vocabulary(_vocabulary(matrix_path))
    matrix = as_matrix(load_array(matrix_path), f"the vectors in '{matrix_path.name}'")
    if len(words) != len(matrix):
        raise VectorsError(f"'{matrix_path.name}' has {len(matrix):,} rows for {len(words):,} words.")
    return Block(words, matrix, repairs)


def read_vocabulary(path: Path) -> tuple[list[str], dict[str, int]]:
    """Read a pickled list of strings and the repairs that took; anything else in the pickle is refused, never run.

    >>> import pathlib, pickle, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "1990-vocab.pkl"
    >>> _ = path.write_bytes(pickle.dumps(["the", "of"], protocol=2))
    >>> read_vocabulary(path)
    (['the', 'of'], {})
    """
    try:
        if path.stat().st_size > MAX_VOCABULARY_BYTES:
            raise VectorsError(f"'{path.name}' is larger than {MAX_VOCABULARY_BYTES >> 20} MB; no vocabulary is.")
        content = path.read_bytes()
    except OSError as error:
        raise VectorsError(f"cannot open '{path}': {error.strerror}.") from None
    try:
        with unwarned():
            return decode_words(_pickled_strings(content))
    except Exception as error:  # a damaged pickle can fail in any way, none of them ours
        problem = " ".join(str(error).split())
        raise VectorsError(f"'{path.name}' is not a plain pickled list of words ({problem}).") from None


def _pickled_strings(content: bytes) -> list[bytes]:
    """Follow the instructions of a pickle, as long as they make one list of strings and nothing else.

    Not even an `Unpickler` without names is safe: eight bytes can make it allocate a memo of 64 GB.
    """
    strings: list[bytes] = []
    memo: dict[int, bytes] = {}
    lists, room = 0, 1 << 20 | MAX_REPEATS * len(content)
    value: Any
    for instruction, value, _ in pickletools.genops(content):
        name = instruction.name
        if name in BYTE_STRINGS:
            strings.append(value.encode("latin-1"))  # which is how pickletools shows bytes
        elif name in UNICODE_STRINGS:
            strings.append(value.encode("utf-8", "surrogatepass"))
        elif name in PUTS:
            memo[len(memo) if value is None else value] = strings[-1] if strings else b""
        elif name in GETS:
            strings.append(memo[value])
            room -= len(memo[value])
            if room < 0:
                raise ValueError("it repeats its words too often")
        elif name in LISTS:
            lists += 1
        elif name not in AROUND:
            raise ValueError(f"it holds the instruction {name}")
    if lists != 1:
        raise ValueError(f"it holds {lists} lists")
    return strings

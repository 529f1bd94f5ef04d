"""HistWords decades (Hamilton et al. 2016): ``YEAR-w.npy`` or ``YEAR-u.npy``, and ``YEAR-vocab.pkl`` in one folder.

The authors publish SGNS and SVD vectors alike as ``-w.npy``: aligned between decades, which changes no cosine.
``-u.npy`` is what their code writes for SVD before that: left singular vectors of the PPMI matrix, which their
`SVDEmbedding` takes as they are (``eig=0.0``: no weight by the singular values of ``-s.npy``). The PPMI matrices
themselves (``YEAR.bin``: row and column as int32, value as float64, again and again; ``YEAR-index.pkl`` or
``index.pkl``: word to number) are sparse, vocabulary × vocabulary, and refused: 100,000 words would take 40 GB.

The vocabulary is a Python-2 pickle of a list of strings. It is read without an unpickler, by following only the
instructions that make such a list, so that a file made to run code when opened is refused instead. Rows of zeros
mean "too rare in this decade" and count as missing.
"""

from __future__ import annotations

import codecs
import io
import pickletools
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import numpy as np

from slant.errors import VectorsError
from slant.vectors.formats.numpy_array import load_array, unwarned
from slant.vectors.rows import Block, decode_words
from slant.vectors.word_vectors import as_matrix

NAME = "HistWords decade"
MATRIX = re.compile(r"(.+)-[wu]\.npy$")
#: A row of singular vectors that is shorter is a row of zeros, but for rounding: a word too rare in this decade.
SHORTEST = 1e-8
MAX_VOCABULARY_BYTES = 512 << 20
#: Bytes of words that a pickle may repeat by reference (two bytes each), as a multiple of its own.
MAX_REPEATS = 16
INSTRUCTIONS = {instruction.code: instruction for instruction in pickletools.opcodes}
#: The instructions of a pickle (see pickletools) that a list of strings is made of.
BYTE_STRINGS = {"STRING", "SHORT_BINSTRING", "BINSTRING"}
UNICODE_STRINGS = {"UNICODE", "SHORT_BINUNICODE", "BINUNICODE", "BINUNICODE8"}
LISTS = {"EMPTY_LIST", "LIST"}
PUTS = {"PUT", "BINPUT", "LONG_BINPUT", "MEMOIZE"}
GETS = {"GET", "BINGET", "LONG_BINGET"}
AROUND = {"PROTO", "FRAME", "MARK", "APPEND", "APPENDS", "STOP"}


def decade_of(path: Path) -> Path | None:
    """Return the ``…-w.npy`` (or u) that `path` names: a folder with one decade, 'FOLDER/YEAR', or the file itself."""
    if path.is_file():
        _refuse_ppmi(path)
        return path if MATRIX.search(path.name) and _vocabulary(path).is_file() else None
    for ending in ("w", "u"):
        named = path.parent / f"{path.name}-{ending}.npy"
        if path.name and named.is_file():
            return named
    if path.name:
        _refuse_ppmi(path.with_name(f"{path.name}.bin"))
    if not path.is_dir():
        return None
    decades = decades_in(path)
    if len(decades) > 1:
        years = ", ".join(sorted(decades))
        raise VectorsError(f"'{path}' holds several decades ({years}); name one, such as '{path}/{min(decades)}'.")
    return next(iter(decades.values()), None)


def decades_in(folder: Path) -> dict[str, Path]:
    """Return the decades of a HistWords folder: name (the year) to matrix file, the aligned one where there are two."""
    decades = {name_of(path): path for ending in "uw" for path in folder.glob(f"*-{ending}.npy")}
    if not decades:
        for path in folder.glob("*.bin"):
            _refuse_ppmi(path)
    return decades


def name_of(matrix: Path) -> str:
    """Return the name of a decade, such as 1990, from that of its matrix file."""
    return MATRIX.sub(r"\1", matrix.name)


def _vocabulary(matrix: Path) -> Path:
    return matrix.with_name(f"{name_of(matrix)}-vocab.pkl")


def _refuse_ppmi(path: Path) -> None:
    """Refuse a file that is a PPMI matrix by what lies beside it; others of that name are word2vec's or fastText's."""
    indexes = [f"{path.stem}-index.pkl", *(["index.pkl"] if path.stem.isdigit() else [])]
    if path.suffix == ".bin" and path.is_file() and any(path.with_name(index).is_file() for index in indexes):
        raise VectorsError(
            f"'{path.name}' is a HistWords PPMI matrix, vocabulary × vocabulary, too large to open as vectors; use the "
            "SVD vectors that are made from it (folder svd), or SGNS (folder sgns)."
        )


def read(matrix_path: Path) -> Block:
    """Read one decade."""
    words, repairs = read_vocabulary(_vocabulary(matrix_path))
    matrix = as_matrix(load_array(matrix_path), f"the vectors in '{matrix_path.name}'")
    if matrix_path.name.endswith("-u.npy"):
        matrix = np.where(np.linalg.norm(matrix, axis=1, keepdims=True) < SHORTEST, np.float32(0), matrix)
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
    for name, value in _instructions(content):
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


def _instructions(content: bytes) -> Iterator[tuple[str, Any]]:
    """Yield the instructions of a pickle and their arguments, like `pickletools.genops`.

    That takes the text strings of Python 2 (protocol 0, which HistWords' own code writes) for ASCII, which "café" is
    not.
    """
    stream = io.BytesIO(content)
    while code := stream.read(1):
        instruction = INSTRUCTIONS.get(code.decode("latin-1"))
        if instruction is None:
            raise ValueError(f"there is no instruction {code!r}")
        value = None
        if instruction.name == "STRING":
            raw = pickletools.read_stringnl(stream, decode=False)
            value = codecs.escape_decode(cast("bytes", raw))[0].decode("latin-1")
        elif instruction.arg is not None:
            value = instruction.arg.reader(stream)
        yield instruction.name, value
        if instruction.name == "STOP":
            return
    raise ValueError("it ends too early")

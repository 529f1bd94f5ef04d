"""A bare .npy matrix with its words in a text file beside it (same name; .txt, .words or .vocab)."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aslant.errors import VectorsError
from aslant.io.reading import read_bytes
from aslant.vectors.rows import Arrays

NAME = "NumPy array with a word list"
MAGIC = b"\x93NUMPY"
#: The most bytes in a list of words: twenty times that of the largest embeddings.
MAX_WORDS_BYTES = 1 << 30
WORD_FILES = (".txt", ".words", ".vocab")


def recognise(head: bytes) -> bool:
    """Tell whether a file that begins with `head` is a NumPy array."""
    return head.startswith(MAGIC)


def words_beside(path: Path) -> Path | None:
    """Return the file with the words of the array at `path`, if there is one."""
    return next((path.with_suffix(suffix) for suffix in WORD_FILES if path.with_suffix(suffix).is_file()), None)


def open_arrays(path: Path, name: str) -> Arrays:
    """Map the array at `path`, and read its words, one per line."""
    if (beside := words_beside(path)) is None:
        choices = ", ".join(path.with_suffix(suffix).name for suffix in WORD_FILES)
        raise VectorsError(f"'{path.name}' needs its words, one per line, in a file beside it ({choices}).")
    matrix = load_array(path)
    try:
        text = read_bytes(beside, VectorsError, most=MAX_WORDS_BYTES).decode("utf-8-sig")
    except UnicodeDecodeError:
        raise VectorsError(f"'{beside.name}' is not UTF-8 text.") from None
    # Only line feeds end a line, since words may hold other separators.
    words = [line.removesuffix("\r") for line in text.removesuffix("\n").split("\n")]
    if matrix.ndim and len(words) != len(matrix):
        raise VectorsError(f"'{beside.name}' has {len(words):,} words but '{name}' {len(matrix):,} rows.")
    return Arrays(words, matrix, {"format": NAME})


def load_array(path: Path) -> NDArray[Any]:
    """Map a .npy file; one that holds Python objects is refused."""
    try:
        with np.errstate(over="raise"), unwarned():  # the product of an absurd shape
            array: NDArray[Any] = np.lib.format.open_memmap(path, mode="r")
        if array.dtype.itemsize == 0:  # an array without data can claim any number of rows
            raise ValueError(f"{array.shape} of {array.dtype}")  # noqa: TRY301 (one message for all)
    except Exception as error:  # a damaged header can fail in any way, none of them our fault
        raise VectorsError(f"'{path.name}' is not a plain NumPy array ({error}).") from None
    return array


@contextmanager
def unwarned() -> Iterator[None]:
    """Keep Python and NumPy from warning about how a header is written: it is read as it is, or refused."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield

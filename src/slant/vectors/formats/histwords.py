"""HistWords decades (Hamilton et al. 2016): ``YEAR-w.npy`` and ``YEAR-vocab.pkl`` in one folder.

The vocabulary is a Python-2 pickle of a list of strings. It is read by an unpickler that knows no names at
all, so that a file made to run code when opened is refused instead. Rows of zeros mean "too rare in this
decade" and count as missing.
"""

from __future__ import annotations

import pickle
import re
from pathlib import Path
from typing import Any

from slant.errors import VectorsError
from slant.vectors.formats.numpy_array import load_array
from slant.vectors.rows import Block
from slant.vectors.word_vectors import as_matrix

NAME = "HistWords decade"
MATRIX = re.compile(r"(.+)-w\.npy$")
MAX_VOCABULARY_BYTES = 512 << 20


def decade_of(path: Path) -> Path | None:
    """Return the ``…-w.npy`` that `path` names: a folder with one decade, 'FOLDER/YEAR', or the file itself."""
    if path.is_file():
        return path if MATRIX.search(path.name) and _vocabulary(path).is_file() else None
    named = path.with_name(f"{path.name}-w.npy")
    if named.is_file():
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
    words = read_vocabulary(_vocabulary(matrix_path))
    matrix = as_matrix(load_array(matrix_path))
    if len(words) != len(matrix):
        raise VectorsError(f"'{matrix_path.name}' has {len(matrix):,} rows for {len(words):,} words.")
    return Block(words, matrix)


class _OnlyPlainData(pickle.Unpickler):
    def find_class(self, module: str, name: str) -> Any:
        raise pickle.UnpicklingError(f"it asks for {module}.{name}")


def read_vocabulary(path: Path) -> list[str]:
    """Read a pickled list of strings; anything else in the pickle is refused, never run.

    >>> import pathlib, pickle, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "1990-vocab.pkl"
    >>> _ = path.write_bytes(pickle.dumps(["the", "of"], protocol=2))
    >>> read_vocabulary(path)
    ['the', 'of']
    """
    if path.is_file() and path.stat().st_size > MAX_VOCABULARY_BYTES:
        raise VectorsError(f"'{path.name}' is larger than {MAX_VOCABULARY_BYTES >> 20} MB; no vocabulary is.")
    try:
        with path.open("rb") as file:
            words = _OnlyPlainData(file, encoding="utf-8", errors="replace").load()
    except OSError as error:
        raise VectorsError(f"cannot open '{path}': {error.strerror}.") from None
    except Exception as error:  # a damaged pickle can fail in any way, none of them ours
        raise VectorsError(f"'{path.name}' is not a plain pickled list of words ({error}).") from None
    if not isinstance(words, list) or not all(isinstance(word, str) for word in words):
        raise VectorsError(f"'{path.name}' is not a pickled list of words.")
    return words

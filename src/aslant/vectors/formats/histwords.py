"""HistWords decades (Hamilton et al. 2016): SGNS, SVD and PPMI, several in one folder.

The authors publish SGNS and SVD vectors alike as ``YEAR-w.npy`` with ``YEAR-vocab.pkl``: aligned between decades, which
changes no cosine. ``YEAR-u.npy`` is what their code writes for SVD before that: left singular vectors of the PPMI
matrix, which their `SVDEmbedding` uses unchanged (``eig=0.0``: no weight by the singular values of ``-s.npy``).

A PPMI matrix is sparse, vocabulary × vocabulary: ``YEAR.bin`` (row and column as int32, value as float64,
repeated) with ``YEAR-index.pkl`` or ``index.pkl`` (word to number). As an array 100,000 words would take 40 GB, so the
rows of the requested words are rotated into as many dimensions as they span, which changes no inner product: every
cosine, and every mean of vectors, is that of the PPMI rows themselves.

Vocabulary and index are Python-2 pickles, of a list of strings and of a dict of strings to numbers. They are read by an
unpickler that knows no classes, so that a file made to run code when opened is refused instead. Rows of zeros mean "too
rare in this decade" and count as missing.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterator, Set
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aslant.errors import VectorsError
from aslant.io.reading import read_bytes
from aslant.vectors.formats.keyed_vectors import PlainUnpickler
from aslant.vectors.formats.numpy_array import load_array, unwarned
from aslant.vectors.rows import ZERO, Block, decode_words
from aslant.vectors.word_vectors import FloatMatrix, as_matrix

NAME = "HistWords decade"
PPMI = "HistWords PPMI decade"
MATRIX = re.compile(r"(.+)-[wu]\.npy$")
CELL = np.dtype([("row", "<i4"), ("column", "<i4"), ("value", "<f8")])
CELLS_AT_ONCE = 1 << 22
#: No logarithm of a ratio of probabilities is larger; counts, which have the same format, are.
MAX_PPMI = 1000
#: This many words take six minutes on two busy cores, and 3.3 GB at their peak.
MAX_PPMI_WORDS = 10_000
#: A shorter row of singular vectors is a row of zeros, apart from rounding: a word too rare in this decade.
SHORTEST = 1e-8
MAX_VOCABULARY_BYTES = 512 << 20
#: Bytes of words that a pickle may repeat by reference (two bytes each), as a multiple of its own.
MAX_REPEATS = 16


def decade_of(path: Path) -> Path | None:
    """Return the matrix file that `path` names: a folder with one decade, 'FOLDER/YEAR', or the file itself."""
    if path.is_file():
        dense = MATRIX.search(path.name) and _words_of(path).is_file()
        return path if dense or is_ppmi(path) else None
    for ending in ("w", "u"):
        named = path.parent / f"{path.name}-{ending}.npy"
        if path.name and named.is_file():
            return named
    if path.name and is_ppmi(named := path.with_name(f"{path.name}.bin")):
        return named
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
    return decades or {name_of(path): path for path in folder.glob("*.bin") if is_ppmi(path)}


def name_of(matrix: Path) -> str:
    """Return the name of a decade, such as 1990, from that of its matrix file."""
    return MATRIX.sub(r"\1", matrix.name).removesuffix(".bin")


def is_ppmi(path: Path) -> bool:
    """Tell a PPMI matrix by what lies beside it; other files of that name are word2vec's or fastText's."""
    return path.suffix == ".bin" and path.is_file() and _words_of(path).is_file()


def _words_of(matrix: Path) -> Path:
    """Return the file with the words of a matrix, whether it is there or not."""
    if matrix.suffix != ".bin":
        return matrix.with_name(f"{name_of(matrix)}-vocab.pkl")
    own, shared = matrix.with_name(f"{matrix.stem}-index.pkl"), matrix.with_name("index.pkl")
    return shared if matrix.stem.isdigit() and not own.is_file() else own


def read(matrix_path: Path) -> Block:
    """Read one decade of vectors."""
    words, repairs = read_vocabulary(_words_of(matrix_path))
    matrix = as_matrix(load_array(matrix_path), f"the vectors in '{matrix_path.name}'")
    if matrix_path.name.endswith("-u.npy"):
        matrix = np.where(np.linalg.norm(matrix, axis=1, keepdims=True) < SHORTEST, np.float32(0), matrix)
    if len(words) != len(matrix):
        raise VectorsError(f"'{matrix_path.name}' has {len(matrix):,} rows for {len(words):,} words.")
    return Block(words, matrix, repairs)


def read_ppmi(path: Path, top: int | None = None, tokens: Set[str] | None = None) -> Block:
    """Read one PPMI decade: the first `top` words that have contexts, and of those the `tokens`, or all."""
    words, repairs = read_index(_words_of(path))
    filled = np.zeros(len(words), dtype=np.bool_)
    for cells in _cells(path, len(words)):
        filled[cells["row"]] = True
    end = len(words) if top is None else int(np.searchsorted(np.cumsum(filled), top)) + 1
    asked = [row for row in range(min(end, len(words))) if tokens is None or words[row] in tokens]
    kept = [row for row in asked if filled[row]]
    if len(kept) > MAX_PPMI_WORDS:
        raise VectorsError(
            f"'{path.name}' is a PPMI matrix of {len(kept):,} words, of which {MAX_PPMI_WORDS:,} can be opened at a "
            "time; give top= (or --top) for the first ones of its index, or in Python words= for the ones you need."
        )
    if not kept:
        raise VectorsError(f"'{path.name}' has no contexts for any of the {len(asked):,} requested words of its index.")
    zeros = {ZERO: len(asked) - len(kept)} if len(kept) < len(asked) else {}
    return Block([words[row] for row in kept], _isometric(path, len(words), kept), repairs | zeros)


def _cells(path: Path, size: int) -> Iterator[NDArray[Any]]:
    """Yield the positive cells of a matrix of `size` words, many at a time, and check them."""
    if path.stat().st_size % CELL.itemsize:
        raise VectorsError(f"'{path.name}' is cut off: {path.stat().st_size:,} bytes are not cells of 16 bytes each.")
    with path.open("rb") as file:
        while len(cells := np.fromfile(file, CELL, CELLS_AT_ONCE)):
            for way in ("row", "column"):
                if (low := cells[way].min()) < 0 or cells[way].max() >= size:
                    number = int(low if low < 0 else cells[way].max())
                    raise VectorsError(f"'{path.name}' has a cell in {way} {number:,}; its index has {size:,} words.")
            if not (fits := cells["value"] < MAX_PPMI).all():
                value = cells["value"][~fits][0]
                raise VectorsError(
                    f"'{path.name}' holds the value {value:g}, which is not a PPMI value; give the folder ppmi."
                )
            yield cells[cells["value"] > np.finfo(np.float32).tiny]  # PositiveExplicit leaves out negative ones too


def _isometric(path: Path, size: int, kept: list[int]) -> FloatMatrix:
    """Return the rows `kept`, shape (kept, dimensions up to kept), turned so that their inner products stay.

    With rows of length 1, R Rᵀ = U Λ Uᵀ, so that those of U √Λ have the same cosines; then each gets its length back.
    """
    from scipy import linalg, sparse

    place = np.full(size, -1)
    place[kept] = np.arange(len(kept))
    cells = np.concatenate([some[place[some["row"]] >= 0] for some in _cells(path, size)])
    places = (place[cells["row"]], cells["column"])
    rows = sparse.coo_array((cells["value"], places), shape=(len(kept), size)).tocsr()  # adds up repeated cells
    lengths = sparse.linalg.norm(rows, axis=1)
    rows = sparse.diags_array(1 / lengths) @ rows
    cosines = np.empty((len(kept), len(kept)))
    for start in range(0, len(kept), 1000):  # a sparse product of all would take more memory than a dense one
        cosines[start : start + 1000] = (rows[start : start + 1000] @ rows.T).toarray()
    values, vectors = linalg.eigh(cosines, overwrite_a=True, check_finite=False)
    spanned = values > len(kept) * np.finfo(np.float64).eps * values[-1]
    turned = vectors[:, spanned] * np.sqrt(values[spanned]) * lengths[:, None]
    return as_matrix(turned[:, ::-1])


def read_vocabulary(path: Path) -> tuple[list[str], dict[str, int]]:
    """Read a pickled list of strings and the repairs needed; anything else in the pickle is refused, never run."""
    with _pickled(path, "list of words") as words:
        if not isinstance(words, list):
            raise TypeError(f"it holds a {type(words).__name__}")
        return decode_words(_tokens(words, path))


def read_index(path: Path) -> tuple[list[str], dict[str, int]]:
    """Read a pickled dict of words to numbers as the words in the order of their numbers, and the repairs needed."""
    with _pickled(path, "dict of words to numbers") as rows:
        if not all(type(number) is int for number in rows.values()):
            raise ValueError("it holds more than numbers")
        tokens = dict(zip(rows.values(), _tokens(list(rows), path), strict=True))
        if set(tokens) != set(range(len(rows))):
            raise ValueError("its numbers are not 0, 1, 2 and so on, each once")
        return decode_words([tokens[number] for number in range(len(rows))])


@contextmanager
def _pickled(path: Path, what: str) -> Iterator[Any]:
    content = read_bytes(path, VectorsError, most=MAX_VOCABULARY_BYTES)
    try:
        with unwarned():
            found = PlainUnpickler(io.BytesIO(content)).load()
        yield found
    except Exception as error:  # a damaged pickle can fail in any way, none of them our fault
        problem = " ".join(str(error).split())
        raise VectorsError(f"'{path.name}' is not a plain pickled {what} ({problem}).") from None


def _tokens(words: list[Any], path: Path) -> list[bytes]:
    """Return words, which are bytes where Python 2 wrote them, as bytes."""
    if not all(isinstance(word, bytes | str) for word in words):
        raise ValueError("it holds more than words")
    if sum(map(len, words)) > max(1 << 20, MAX_REPEATS * path.stat().st_size):  # before any of them is copied
        raise ValueError("it repeats its words too often")
    return [word.encode("utf-8", "surrogatepass") if isinstance(word, str) else word for word in words]

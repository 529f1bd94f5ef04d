"""gensim's KeyedVectors: in memory, or a .kv file, whose pickle is read without running anything.

Pickles of plain data are read so that nothing in them can run: no class is known but what a caller puts in its place.
It is Python's own slow unpickler: the fast one allocates whatever a damaged file asks for.
"""

from __future__ import annotations

import mmap
import pickle
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from aslant.errors import MissingExtraError, VectorsError
from aslant.vectors.formats.fasttext_binary import Model, all_vectors
from aslant.vectors.formats.numpy_array import load_array
from aslant.vectors.rows import Arrays, checked_block
from aslant.vectors.word_vectors import as_matrix

NAME = "gensim KeyedVectors"
PROTOCOLS = {2, 3, 4, 5}
#: The most characters of an n-gram: twice as many as anyone uses.
MAX_NGRAM = 50
#: The names of gensim's own classes, and of NumPy's random states in a whole model; only attributes are needed.
_GENSIM = re.compile(r"gensim\.(utils|models\.(keyedvectors|word2vec|fasttext))|numpy\.random(\.\w+)?")
_NUMPY = ("numpy", "numpy.core.multiarray", "numpy._core.multiarray")
_PLAIN_DTYPE = re.compile(r"[<>=|]?[fiubU]\d{1,3}")
#: Instructions that hash what is on the stack, and which of it: what is nested without end would end the process.
_HASHED = {
    pickle.SETITEM: slice(-2, -1), pickle.SETITEMS: slice(0, None, 2), pickle.DICT: slice(0, None, 2),
    pickle.ADDITEMS: slice(None), pickle.FROZENSET: slice(None),
}  # fmt: skip
_BASE: Any = pickle._Unpickler  # whose parts are not typed


def _with_plain_keys(instruction: Callable[[Any], None], keys: slice) -> Callable[[Any], None]:
    def checked(self: Any) -> None:
        if not all(isinstance(key, str | int | bytes) for key in self.stack[keys]):
            raise ValueError("it has keys that are not plain")
        instruction(self)

    return checked


def _refuse(module: str, name: str) -> Any:
    raise ValueError(f"it asks for {module}.{name}")


class PlainUnpickler(_BASE):  # type: ignore[misc]
    """Reads a binary file, or a mapped one; `known` gives what stands for a class or raises a ValueError."""

    dispatch: ClassVar[dict[int, Any]] = {
        **_BASE.dispatch, **{code[0]: _with_plain_keys(_BASE.dispatch[code[0]], keys) for code, keys in _HASHED.items()}
    }  # fmt: skip

    def __init__(self, file: Any, known: Callable[[str, str], Any] = _refuse) -> None:
        super().__init__(file, encoding="bytes")
        self._known = known

    def find_class(self, module: str, name: str) -> Any:
        """Return what stands for a class of that name."""
        return self._known(module, name)


def recognise(head: bytes) -> bool:
    """Tell whether a file that begins with `head` is a pickle."""
    return len(head) > 1 and head[0] == 0x80 and head[1] in PROTOCOLS


def from_memory(vectors: Any) -> Arrays:
    """Take words and matrix out of a KeyedVectors object (or a model that has one as `.wv`)."""
    keyed = getattr(vectors, "wv", vectors)
    return _arrays(keyed.index_to_key, keyed.vectors)


def read(path: Path, *, allow_pickle: bool) -> Arrays:
    """Open a .kv file without running anything in it; gensim reads what this cannot, if the user trusts the file."""
    try:
        return _plainly(path)
    except OSError as error:
        raise VectorsError(f"cannot open '{path}': {error.strerror}.") from None
    except (EOFError, pickle.UnpicklingError):
        raise VectorsError(
            f"'{path.name}' is a Python pickle that ends too early or is damaged; get it again."
        ) from None
    except Exception as error:  # a damaged or hostile pickle can fail in any way
        if not allow_pickle:
            problem = " ".join(str(error).split())
            raise VectorsError(
                f"'{path.name}' is a Python pickle that is not plain gensim vectors ({problem}), and opening it can "
                "run code; if you trust its origin, use allow_pickle=True (or --allow-pickle)."
            ) from None
    try:
        from gensim.models import KeyedVectors
    except ImportError:
        raise MissingExtraError("reading this gensim file needs gensim: pip install 'gensim>=4.3.3'.") from None
    try:
        return from_memory(KeyedVectors.load(str(path), mmap="r"))
    except Exception as error:  # an arbitrary pickle can raise anything
        raise VectorsError(f"'{path.name}' is not a gensim KeyedVectors file ({error}).") from None


def _plainly(path: Path) -> Arrays:
    """Read the attributes of gensim's object: its words, and its matrix, which may lie in a file beside it."""
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
        found = vars(PlainUnpickler(content, _known()).load())
    found = vars(found["wv"]) if "wv" in found else found
    words = next((found[name] for name in ("index_to_key", "index2word", "index2entity") if name in found), None)
    if words is None:
        raise ValueError("it has no list of words")
    listed = getattr(words, "array", words)
    matrix = _array_of(found, "vectors", path)
    if matrix is None and (grams := _array_of(found, "vectors_ngrams", path)) is not None:
        matrix = _from_ngrams(listed, _array_of(found, "vectors_vocab", path), grams, found)
    return _arrays(listed, matrix)


def _array_of(found: dict[str, Any], name: str, path: Path) -> Any:
    """Return an attribute that is an array: in the pickle, or in a file beside it (of the model, or of its vectors)."""
    if (held := found.get(name)) is not None:
        return getattr(held, "array", held)
    beside = (path.with_name(f"{path.name}.{part}{name}.npy") for part in ("", "wv."))
    return next((load_array(file) for file in beside if file.is_file()), None)


def _from_ngrams(words: Any, vocabulary: Any, grams: Any, found: dict[str, Any]) -> Any:
    """Return the vectors of a fastText model, which gensim does not store: means of a word's own and its n-grams'."""
    least, most, bucket = (int(found[name]) for name in ("min_n", "max_n", "bucket"))
    own, hashed = as_matrix(vocabulary), as_matrix(grams)
    if not 0 <= least <= most <= MAX_NGRAM or bucket != len(hashed) or len(own) != len(words):
        raise ValueError("its n-grams do not fit its words")
    encoded = [word.encode("utf-8", "replace") for word in words]
    return all_vectors(Model(encoded, np.concatenate([own, hashed]), bucket, least, most))


def _arrays(words: Any, matrix: Any) -> Arrays:
    block = checked_block(list(words), matrix)
    return Arrays(block.words, block.matrix, {"format": NAME})


def _known() -> Callable[[str, str], Any]:
    """Return what gives gensim's classes as empty ones, and NumPy's as what makes arrays of bytes.

    The classes are created again for each file, so no file can change them for the next.
    """

    class Plain:
        """Stands for any class of gensim, and keeps what it is given."""

        def __init__(self, *_: Any) -> None:
            """Make nothing of arguments."""

    class PlainDict(dict[Any, Any]):
        """Stands for a dict with defaults, without them."""

        def __init__(self, *_: Any) -> None:
            super().__init__()

    class Dtype:
        def __init__(self, name: str | bytes, *_: Any) -> None:
            self.name, self.big = name.decode() if isinstance(name, bytes) else name, False
            if not _PLAIN_DTYPE.fullmatch(self.name):
                raise ValueError(f"it holds an array of {name!r:.20}")

        def __setstate__(self, state: tuple[Any, ...]) -> None:
            self.big = state[1] in (">", b">")

        def numbers(self, raw: bytes) -> Any:
            return np.frombuffer(raw, np.dtype(self.name).newbyteorder(">" if self.big else "<"))

    def find(module: str, name: str) -> Any:
        if _GENSIM.fullmatch(module):
            return Plain
        if module in _NUMPY and name in ("ndarray", "dtype", "_reconstruct", "scalar"):
            known = {"dtype": Dtype, "_reconstruct": lambda *_: _Array(), "scalar": lambda t, raw: t.numbers(raw)[0]}
            return known.get(name, _Array)
        if f"{module}.{name}" in ("collections.defaultdict", "builtins.int", "builtins.hash"):  # never called
            return PlainDict if name == "defaultdict" else Plain
        raise ValueError(f"it asks for {module}.{name}")

    return find


class _Array:
    """Stands for an array until its numbers are read."""

    __slots__ = ("array",)

    def __setstate__(self, state: tuple[Any, ...]) -> None:
        _, shape, dtype, by_column, raw = state
        self.array = dtype.numbers(raw).reshape(shape, order="F" if by_column else "C")

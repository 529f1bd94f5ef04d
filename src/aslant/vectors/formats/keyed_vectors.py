"""gensim's KeyedVectors: in memory, or a .kv file, whose pickle is read without running anything."""

from __future__ import annotations

import mmap
import pickle
import re
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from aslant.errors import MissingExtraError, VectorsError
from aslant.vectors.formats.numpy_array import load_array
from aslant.vectors.rows import Block, checked_block

NAME = "gensim KeyedVectors"
PROTOCOLS = {2, 3, 4, 5}
#: The names of gensim's own classes; only their attributes are needed.
_GENSIM = re.compile(r"gensim\.models\.(keyedvectors|word2vec|fasttext)")
_NUMPY = ("numpy", "numpy.core.multiarray", "numpy._core.multiarray")
#: Instructions that gensim's files have no use for.
_REFUSED = (
    pickle.BYTEARRAY8, pickle.NEXT_BUFFER, pickle.READONLY_BUFFER, pickle.ADDITEMS, pickle.DICT, pickle.EXT1,
    pickle.EXT2, pickle.EXT4,
)  # fmt: skip
_PLAIN_DTYPE = re.compile(r"[<>=|]?[fiubU]\d{1,3}")


def recognise(head: bytes) -> bool:
    """Tell whether a file that begins with `head` is a pickle.

    >>> recognise(bytes([0x80, 4, 0x95])), recognise(b"the 0.1")
    (True, False)
    """
    return len(head) > 1 and head[0] == 0x80 and head[1] in PROTOCOLS


def from_memory(vectors: Any) -> Block:
    """Take words and matrix out of a KeyedVectors object (or a model that has one as `.wv`)."""
    keyed = getattr(vectors, "wv", vectors)
    return checked_block(list(keyed.index_to_key), keyed.vectors)


def read(path: Path, *, allow_pickle: bool) -> Block:
    """Open a .kv file without running anything in it; gensim reads what this cannot, if the user trusts the file."""
    try:
        return _plainly(path)
    except OSError as error:
        raise VectorsError(f"cannot open '{path}': {error.strerror}.") from None
    except Exception as error:  # a damaged or hostile pickle can fail in any way
        if allow_pickle:
            return _by_gensim(path)
        problem = " ".join(str(error).split())
        raise VectorsError(
            f"'{path.name}' is a Python pickle that is not plain gensim vectors ({problem}), and opening it can run "
            "code; if you trust its origin, use allow_pickle=True (or --allow-pickle)."
        ) from None


def _plainly(path: Path) -> Block:
    """Read the attributes of gensim's object: its words, and its matrix, which may lie in a file beside it."""
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
        found = vars(_reader(content).load())
    found = vars(found["wv"]) if "wv" in found else found
    words = next((found[name] for name in ("index_to_key", "index2word", "index2entity") if name in found), None)
    if words is None:
        raise ValueError("it has no list of words")
    matrix = found.get("vectors")
    if matrix is None and (beside := path.with_name(f"{path.name}.vectors.npy")).is_file():
        matrix = load_array(beside)
    return checked_block(list(words), matrix)


def _reader(content: Any) -> Any:
    """Return an unpickler that knows gensim's classes as empty ones and arrays as bytes, and nothing else.

    It is Python's own slow one: the fast one allocates as much as a damaged file claims, and so would byte arrays,
    which are refused. Keys must be plain, since hashing endlessly nested ones would crash the process. The classes
    are created again for each file, so no file can change them for the next.
    """

    class Plain:
        """Stands for any class of gensim, and keeps what it is given."""

    class Dtype:
        def __init__(self, name: str, *_: Any) -> None:
            if not _PLAIN_DTYPE.fullmatch(name):
                raise ValueError(f"it holds an array of {name!r:.20}")
            self.name, self.big = name, False

        def __setstate__(self, state: tuple[Any, ...]) -> None:
            self.big = state[1] == ">"

        def numbers(self, raw: bytes) -> Any:
            return np.frombuffer(raw, np.dtype(self.name).newbyteorder(">" if self.big else "<"))

    class Array:
        array: Any = None

        def __setstate__(self, state: tuple[Any, ...]) -> None:
            _, shape, dtype, by_column, raw = state
            self.array = dtype.numbers(raw).reshape(shape, order="F" if by_column else "C")

    base: Any = pickle._Unpickler  # whose parts are not typed

    class Reader(base):  # type: ignore[misc]
        def find_class(self, module: str, name: str) -> Any:
            if _GENSIM.fullmatch(module):
                return Plain
            if module in _NUMPY and name in ("ndarray", "dtype", "_reconstruct", "scalar"):
                known = {"dtype": Dtype, "_reconstruct": lambda *_: Array(), "scalar": lambda t, raw: t.numbers(raw)[0]}
                return known.get(name, Array)
            raise ValueError(f"it asks for {module}.{name}")

        def load(self) -> Any:
            made = super().load()
            for each in (made, vars(made).get("wv", made)):
                arrays = {key: value.array for key, value in vars(each).items() if isinstance(value, Array)}
                each.__dict__.update(arrays)
            return made

        def set_items(self) -> None:
            items = self.pop_mark()
            self.stack[-1].update(zip(_plain(items[::2]), items[1::2], strict=True))

        def set_item(self) -> None:
            value, key = self.stack.pop(), self.stack.pop()
            self.stack[-1].update(zip(_plain([key]), [value], strict=True))

        def frozen_set(self) -> None:
            items = self.pop_mark()
            self.stack.append(frozenset(_plain(items)))

        def refuse(self) -> None:
            raise ValueError("it holds something that vectors do not need")

        dispatch: ClassVar[dict[int, Any]] = {
            **base.dispatch,
            **dict.fromkeys([code[0] for code in _REFUSED], refuse),
            pickle.SETITEMS[0]: set_items,
            pickle.SETITEM[0]: set_item,
            pickle.FROZENSET[0]: frozen_set,
        }

    return Reader(content)


def _plain(keys: list[Any]) -> list[Any]:
    """Return what is to be hashed, or refuse what is nested."""
    if not all(isinstance(key, str | int | bytes) for key in keys):
        raise ValueError("it has keys that are not plain")
    return keys


def _by_gensim(path: Path) -> Block:
    try:
        from gensim.models import KeyedVectors
    except ImportError:
        raise MissingExtraError("reading this gensim file needs gensim: pip install 'gensim>=4.3.3'.") from None
    try:
        return from_memory(KeyedVectors.load(str(path), mmap="r"))
    except Exception as error:  # an arbitrary pickle can raise anything
        raise VectorsError(f"'{path.name}' is not a gensim KeyedVectors file ({error}).") from None

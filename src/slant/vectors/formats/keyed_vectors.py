"""gensim's KeyedVectors: in memory, or a .kv file, which is a pickle and so opened only on request."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from slant.errors import MissingExtraError, VectorsError
from slant.vectors.rows import Block, checked_block

NAME = "gensim KeyedVectors"
PROTOCOLS = {2, 3, 4, 5}


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
    """Open a .kv file with gensim, if the user has said that its pickle may be trusted."""
    if not allow_pickle:
        raise VectorsError(
            f"'{path.name}' is a Python pickle, and opening one can run code; if you trust its origin, "
            "pass allow_pickle=True (on the command line: --allow-pickle)."
        )
    try:
        from gensim.models import KeyedVectors
    except ImportError:
        raise MissingExtraError("reading gensim files needs gensim: pip install 'gensim>=4.3.3'.") from None
    try:
        loaded = KeyedVectors.load(str(path), mmap="r")
        return from_memory(loaded)
    except Exception as error:  # whatever an arbitrary pickle raises
        raise VectorsError(f"'{path.name}' is not a gensim KeyedVectors file ({error}).") from None

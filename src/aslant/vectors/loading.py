"""`aslant.load`: from the name or path of an embedding to `WordVectors`."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from aslant.data import could_be_name
from aslant.errors import VectorsError
from aslant.io.memory_maps import picked_rows
from aslant.vectors.rows import Sieve, cleaned
from aslant.vectors.word_vectors import LookupPolicy, WordVectors

if TYPE_CHECKING:
    from aslant.io.packed_files import Progress


def load(
    source: Any = None,
    *,
    top: int | None = None,
    words: Iterable[str] | None = None,
    policy: LookupPolicy | None = None,
    cache: bool = True,
    allow_pickle: bool = False,
    subwords: bool = False,
    drop_last: int = 0,
    progress: Progress | None = None,
) -> WordVectors:
    """Load a static embedding: a path in any known format, a data name, words in memory, or nothing (the sample).

    In memory, it takes gensim's KeyedVectors, a pandas or polars frame (a column or index of words, and numbers),
    a dict of words to vectors, and a pair (words, matrix). The format of a file is recognised by content, packed files
    (.gz .bz2 .xz .zst .zip) are read through, and a file that is slow to read is kept in a memory-mapped cache. `top`
    stops after that many words. `words` keeps only these, in the spellings that `policy` tries (a HistWords PPMI matrix
    of many words needs it, or `top`). `policy` says how words are matched (see `LookupPolicy`). `subwords=True` lets a
    fastText .bin build vectors for words that are not in it (a Model2Vec folder always does). `drop_last` leaves that
    many dimensions off the end (1 for GN-GloVe, whose last one holds gender on purpose). `progress` is called with
    (bytes read, bytes in all). Data by name ('aslant data list') are downloaded if they are not on this machine.

    >>> import aslant
    >>> v = aslant.load()
    >>> v.dimensions
    100
    >>> aslant.load(top=1000)
    <WordVectors 'sample': 1,000 words × 100 dimensions>
    """
    Sieve(top)  # refuses a `top` below 1 before anything is opened
    named = None
    if isinstance(source, str) and could_be_name(source):
        from aslant.data import resolve

        path = resolve(source, kinds=("vectors",), progress=progress)
        named, source = (None, source) if path is None else (source, path)
    tokens = None
    if words is not None:
        listed = list(words)
        if isinstance(words, str) or not all(isinstance(word, str) for word in listed):
            raise VectorsError(f"words={words!r:.60} are not words; give a list of strings.")
        tokens = (policy or LookupPolicy()).tokens(listed)
    vectors = _load(source, top, tokens, cache, allow_pickle, progress)
    if named is not None and "/" not in named:  # what the user called it, whatever its file is called
        vectors = replace(vectors, name=named)
    if tokens is not None:
        rows = sorted({found[1] for token in tokens if (found := vectors.row_of(token)) is not None})
        if not rows:
            raise VectorsError(f"'{vectors.name}' has none of the requested words.")
        kept = picked_rows(vectors.matrix, np.array(rows))
        vectors = replace(vectors, words=[vectors.words[row] for row in rows], matrix=kept, seal=None)
    if subwords and vectors.subwords is None:
        from aslant.vectors.file_loading import subwords_of

        vectors = replace(vectors, subwords=subwords_of(source))
    if drop_last:
        vectors = vectors.without_last(drop_last)
    return vectors.with_policy(policy) if policy else vectors


def _load(
    source: Any,
    top: int | None,
    tokens: frozenset[str] | None,
    cache: bool,
    allow_pickle: bool,
    progress: Progress | None,
) -> WordVectors:
    if source is None or (isinstance(source, str) and source == "sample" and not Path(source).exists()):
        from aslant.vectors.sample import load_sample

        return load_sample(top)
    if isinstance(source, WordVectors):
        return source if top is None else replace(source, words=source.words[:top], matrix=source.matrix[:top])
    if hasattr(getattr(source, "wv", source), "index_to_key"):
        from aslant.vectors.formats import keyed_vectors

        return cleaned(keyed_vectors.from_memory(source), type(source).__name__, top)
    if not isinstance(source, str | os.PathLike):
        from aslant.vectors import given

        return cleaned(given.arrays_of(source), given.name_of(source), top)
    if isinstance(source, str) and source.lower().startswith(("http://", "https://")):
        raise VectorsError(  # without the address, which may hold a key
            "vectors are not loaded from an address; download the file and give its path. (A model behind a server is "
            "measured by 'aslant audit' and the measures of models.)"
        )
    from aslant.io.packed_files import path_of
    from aslant.vectors.file_loading import load_path

    return load_path(path_of(source), top, tokens, cache=cache, allow_pickle=allow_pickle, progress=progress)

"""`aslant.load`: from the name or path of an embedding to `WordVectors`."""

from __future__ import annotations

import os
import warnings
from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from aslant.data import could_be_name, did_you_mean, resolve
from aslant.errors import VectorsError
from aslant.io.memory_maps import is_large, picked_rows
from aslant.io.packed_files import ByteStream, Location, Progress, locate, open_stream, path_of
from aslant.vectors import cache as vector_cache
from aslant.vectors import given
from aslant.vectors.folders import folder_name, static_folder, what_folder
from aslant.vectors.formats import (
    aslant_file,
    fasttext_binary,
    histwords,
    keyed_vectors,
    numpy_array,
    streamed_format,
    text,
)
from aslant.vectors.rows import Arrays, Block, Kept, Sieve, in_memory
from aslant.vectors.word_vectors import FloatMatrix, LookupPolicy, WordVectors, as_matrix

#: Files of models by their endings: what is in them.
MODELS = {".gguf": "a language model (GGUF)", ".onnx": "an encoder (ONNX)"}


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
        vectors = replace(vectors, subwords=_subwords(source))
    if drop_last:
        vectors = vectors.without_last(drop_last)
    return vectors.with_policy(policy) if policy else vectors


def _locate(path: Path) -> Location:
    try:
        return locate(path, VectorsError)
    except VectorsError:
        if str(path) == "sample-mlm":
            raise VectorsError(
                f"'{path}' is a language model; measure it with 'aslant audit {path}', or with the commands for models."
            ) from None
        from aslant.stimuli.loading import shipped_name

        if (name := shipped_name(str(path))) is not None:
            raise VectorsError(
                f"'{path}' is a word set, not an embedding; give it with an option, such as --test {name}, "
                "and an embedding before it (or none: the bundled sample)."
            ) from None
        raise VectorsError(
            f"there is no file '{path}', nor data of that name; {did_you_mean(str(path))}check the path "
            "('aslant data list' shows the names)."
        ) from None


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
        return _of_arrays(keyed_vectors.from_memory(source), type(source).__name__, top, None)
    if not isinstance(source, str | os.PathLike):
        return _of_arrays(given.arrays_of(source), given.name_of(source), top, None)
    if isinstance(source, str) and source.lower().startswith(("http://", "https://")):
        raise VectorsError(  # without the address, which may hold a key
            "vectors are not loaded from an address; download the file and give its path. (A model behind a server is "
            "measured by 'aslant audit' and the measures of models.)"
        )
    path = path_of(source)
    try:
        if matrix := histwords.decade_of(path):
            name = histwords.name_of(matrix)
            if histwords.is_ppmi(matrix):
                return in_memory([histwords.read_ppmi(matrix, top, tokens)], name=name, format_name=histwords.PPMI)
            return in_memory([histwords.read(matrix)], name=name, format_name=histwords.NAME, top=top)
        if found := static_folder(path):
            reader, folder = found
            opened: WordVectors = reader.read(folder, folder_name(path), top)
            return opened
    except OSError as error:
        raise VectorsError(f"cannot open '{path}': {error.strerror}.") from None
    return _load_path(path, top, cache, allow_pickle, progress)


def _load_path(path: Path, top: int | None, cache: bool, allow_pickle: bool, progress: Progress | None) -> WordVectors:
    try:
        location = _locate(path)
        if what := MODELS.get(location.path.suffix.lower()):
            raise VectorsError(f"'{path}' is {what}, not an embedding; measure it with 'aslant audit'.")
        if not location.path.is_file():
            told = what_folder(location.path) if location.path.is_dir() else "is not a regular file"
            raise VectorsError(f"'{path}' {told}; give an embedding file.")
        key = vector_cache.key_of(location) if cache else None
        if key is not None:
            again = partial(_made_again, path, top, allow_pickle, key)
            if cached := vector_cache.find(key, top, location.name, again):
                return cached
    except OSError as error:
        raise VectorsError(f"cannot open '{path}': {error.strerror}.") from None
    if location.member is None and aslant_file.is_npz(location.path):
        return _of_arrays(aslant_file.read_npz(location.path), location.name, top, None)
    try:
        with open_stream(location, progress) as stream:
            return _read(stream, top, key, allow_pickle)
    except _CacheNotWrittenError as error:
        warnings.warn(f"'{location.name}' is not cached ({error}); the file is read again each time", stacklevel=4)
    with open_stream(location, progress) as stream:
        return _read(stream, top, None, allow_pickle)


def _made_again(path: Path, top: int | None, allow_pickle: bool, key: str) -> FloatMatrix:
    """Reread and return the matrix of a file whose cache is damaged."""
    try:
        same = vector_cache.key_of(_locate(path)) == key
    except (VectorsError, OSError):
        same = False
    if not same:
        raise VectorsError(
            f"the cache of '{path.name}' is damaged, and the file has changed since it was made; load it again."
        )
    return _load_path(path, top, vector_cache.drop(key, top), allow_pickle, None).matrix


class _CacheNotWrittenError(Exception):
    """The cache could not be written completely: usually the disk is full."""


def _read(stream: ByteStream, top: int | None, key: str | None, allow_pickle: bool) -> WordVectors:
    """Read a file in whatever format; with a `key`, through the cache."""
    path, name, head = stream.location.path, stream.location.name, stream.peek(16)
    whole = next((m for m in (aslant_file, numpy_array, keyed_vectors) if m.recognise(head)), None)
    if whole is not None and stream.packed:
        raise VectorsError(f"'{path.name}' holds a {whole.NAME} file; unpack it first.")
    if whole is keyed_vectors:
        return _of_arrays(keyed_vectors.read(path, allow_pickle=allow_pickle), name, top, None)
    if whole is not None:
        return _of_arrays(whole.open_arrays(path, name), name, top, key)
    head = stream.peek(text.HEAD_BYTES)
    reader = streamed_format(head, name)
    kind = text.describe(head) if reader is text else reader.NAME
    if key is None:
        return in_memory(reader.read(stream), name=name, format_name=kind, top=top)
    return _cached(key, top, name, reader.read(stream), {"format": kind})


def _of_arrays(found: Arrays, name: str, top: int | None, key: str | None) -> WordVectors:
    """Clean arrays, which stay mapped where there is nothing to mend; large ones go to the cache."""
    if key is not None and is_large(found.matrix):
        return _cached(key, top, name, found.blocks(), found.kept)
    block = Block(found.words, as_matrix(found.matrix, f"the vectors in '{name}'"))
    cleaned = in_memory([block], name=name, format_name="", top=top)
    repairs = Counter(found.kept.get("repairs", {})) + Counter(cleaned.repairs)
    return replace(cleaned, **{**found.kept, "repairs": dict(sorted(repairs.items()))})


def _cached(key: str, top: int | None, name: str, blocks: Iterable[Block], kept: Kept) -> WordVectors:
    try:
        return vector_cache.build(key, top, name, blocks, kept)
    except OSError as error:
        raise _CacheNotWrittenError(error.strerror or error) from None


def _subwords(source: Any) -> fasttext_binary.FastTextSubwords:
    problem = "sub-word vectors need an unpacked fastText .bin file"
    if not isinstance(source, str | os.PathLike) or not path_of(source).is_file():
        raise VectorsError(f"{problem}.")
    location = locate(Path(source), VectorsError)
    with open_stream(location) as stream:
        if stream.packed or not fasttext_binary.recognise(stream.peek(8)):
            raise VectorsError(f"{problem}; '{location.name}' is not one.")
    model = fasttext_binary.open_model(location.path, location.name)
    if model.maxn < 1 or model.bucket < 1:
        raise VectorsError(f"'{location.name}' was trained without character n-grams, so it has no sub-words.")
    return fasttext_binary.FastTextSubwords(model)

"""Read an embedding from its file or folder, in any known format, through the cache where reading is slow.

`aslant.load` imports this when it is given a path: the bundled sample and vectors in memory need none of it.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterable
from functools import partial
from pathlib import Path
from typing import Any

from aslant.data import did_you_mean
from aslant.errors import VectorsError
from aslant.io.memory_maps import is_large
from aslant.io.packed_files import ByteStream, Location, Progress, locate, open_stream, path_of
from aslant.vectors import cache as vector_cache
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
from aslant.vectors.rows import Block, Kept, cleaned, in_memory
from aslant.vectors.word_vectors import FloatMatrix, WordVectors

#: Files of models by their endings: what is in them.
MODELS = {".gguf": "a language model (GGUF)", ".onnx": "an encoder (ONNX)"}


def load_path(
    path: Path,
    top: int | None,
    tokens: frozenset[str] | None,
    *,
    cache: bool,
    allow_pickle: bool,
    progress: Progress | None,
) -> WordVectors:
    """Read the embedding at `path`; of a PPMI matrix, which is too large as a whole, only the words in `tokens`."""
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
        return cleaned(aslant_file.read_npz(location.path), location.name, top)
    try:
        with open_stream(location, progress) as stream:
            return _read(stream, top, key, allow_pickle)
    except _CacheNotWrittenError as error:
        warnings.warn(f"'{location.name}' is not cached ({error}); the file is read again each time", stacklevel=5)
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
        return cleaned(keyed_vectors.read(path, allow_pickle=allow_pickle), name, top)
    if whole is not None:
        found = whole.open_arrays(path, name)
        if key is not None and is_large(found.matrix):
            return _cached(key, top, name, found.blocks(), found.kept)
        return cleaned(found, name, top)
    head = stream.peek(text.HEAD_BYTES)
    reader = streamed_format(head, name)
    kind = text.describe(head) if reader is text else reader.NAME
    if key is None:
        return in_memory(reader.read(stream), name=name, format_name=kind, top=top)
    return _cached(key, top, name, reader.read(stream), {"format": kind})


def _cached(key: str, top: int | None, name: str, blocks: Iterable[Block], kept: Kept) -> WordVectors:
    try:
        return vector_cache.build(key, top, name, blocks, kept)
    except OSError as error:
        raise _CacheNotWrittenError(error.strerror or error) from None


def subwords_of(source: Any) -> fasttext_binary.FastTextSubwords:
    """Return what builds vectors of words that are not in a fastText .bin."""
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

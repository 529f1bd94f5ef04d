"""Vectors of words in sentences: each distinct text is encoded once, and kept in a folder for later, if there is one.

A store has a folder for each encoder (by its fingerprint): shards of `SHARD` texts, safetensors with "keys" and
"vectors", and a manifest with one line of JSON for each shard, written after it. A shard is named by its keys and
appears complete or not at all, so processes may share a store; damaged shards count as absent. Shards are formed
in order from what is missing, and a shard's texts alone decide its batches: a run that was killed resumes as if it had
never stopped, to the last bit.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import warnings
from collections.abc import Collection, Iterator, Sequence
from os import PathLike
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from aslant.errors import MeasureError
from aslant.io.files import written_whole
from aslant.models.model_loading import need_extra
from aslant.models.protocols import Encoder, Passage, Progress
from aslant.models.windows import Span

#: Texts in a shard.
SHARD = 512
#: Bytes of a key, and of the digests of encoders and shards.
KEY = 16
MANIFEST, ENDING = "manifest.jsonl", ".safetensors"
_NAME = re.compile(f"[0-9a-f]{{{2 * KEY}}}")
#: A text with this many fewer bytes than the model takes tokens is seen whole: a token is at least a byte.
AROUND = 8


def vectors_of(
    encoder: Encoder,
    passages: Sequence[Passage],
    *,
    store: str | PathLike[str] | None = None,
    progress: Progress | None = None,
) -> NDArray[np.float32]:
    """Return the vectors of all spans of `passages`, one after the other: (spans in all, dimensions).

    `store` is a folder that keeps vectors, so that a killed run can resume and a later one need not encode again.

    >>> vectors_of(encoder, [Passage("a nurse", ((2, 7),)), Passage("a man or a nurse", ((2, 5), (11, 16)))]).shape
    (3, 64)
    """
    wanted = _Wanted(passages, getattr(encoder, "sees", None))
    result = np.empty((wanted.rows_in_all, encoder.dimensions), np.float32)
    kept = None if store is None else _opened(store, encoder)
    found: set[bytes] = set()
    for keys, vectors in kept.read(wanted.rows) if kept else ():
        found.update(keys)
        wanted.put(result, keys, vectors)
    missing = wanted.missing(found)
    done, total = len(wanted.texts) - len(missing), len(wanted.texts)
    for start in range(0, len(missing), SHARD):
        shard = missing[start : start + SHARD]
        keys = [key for _, keys in shard for key in keys]
        vectors = _encoded(encoder, [passage for passage, _ in shard], _onwards(progress, done + start, total))
        wanted.put(result, keys, vectors)
        if kept:
            kept.keep(keys, vectors)
    return result


def _onwards(progress: Progress | None, before: int, total: int) -> Progress | None:
    """Return a callback that reports progress in a shard as progress in the whole."""
    if progress is None:
        return None
    return lambda step, done, _: progress(step, before + done, total)


def _encoded(encoder: Encoder, passages: Sequence[Passage], progress: Progress | None) -> NDArray[np.float32]:
    parts = [np.empty((0, encoder.dimensions), np.float32)]
    for passage, vectors in zip(passages, encoder.span_vectors(passages, progress=progress), strict=True):
        if vectors.shape != (len(passage.spans), encoder.dimensions):
            raise MeasureError(
                f"'{encoder.name}' gives vectors of shape {vectors.shape} for {len(passage.spans)} spans of "
                f"{encoder.dimensions} dimensions; fix the encoder."
            )
        parts.append(np.asarray(vectors, np.float32))
    return np.concatenate(parts)


class _Wanted:
    """The requests: each distinct text with all its spans, and the rows of the result that each of them fills."""

    def __init__(self, passages: Sequence[Passage], sees: int | None) -> None:
        self.texts: dict[str, dict[Span, list[int]]] = {}
        self.rows_in_all = 0
        for passage in passages:
            spans = self.texts.setdefault(passage.text, {})
            for span in passage.spans:
                spans.setdefault(span, []).append(self.rows_in_all)
                self.rows_in_all += 1
        self.rows: dict[bytes, list[int]] = {}
        self._keys: list[list[bytes]] = []
        for text, spans in self.texts.items():
            whole = sees is None or len(text.encode("utf-8", "surrogatepass")) + AROUND <= sees
            keys = _keys_of(text, list(spans), whole)
            self.rows.update(zip(keys, spans.values(), strict=True))
            self._keys.append(keys)

    def missing(self, found: Collection[bytes]) -> list[tuple[Passage, list[bytes]]]:
        """Return the texts, with the spans that are not found, and the keys of these; in their order."""
        lacking = []
        for (text, spans), keys in zip(self.texts.items(), self._keys, strict=True):
            left = [(span, key) for span, key in zip(spans, keys, strict=True) if key not in found]
            if left:
                lacking.append((Passage(text, tuple(span for span, _ in left)), [key for _, key in left]))
        return lacking

    def put(self, result: NDArray[np.float32], keys: Sequence[bytes], vectors: NDArray[np.float32]) -> None:
        """Write vectors into all rows that need them; keys that no row needs are skipped."""
        for key, vector in zip(keys, vectors, strict=True):
            result[self.rows.get(key, [])] = vector


def _keys_of(text: str, spans: Sequence[Span], whole: bool) -> list[bytes]:
    """Return a key for each span. In a text not seen whole, what is seen depends on all spans requested together."""
    beside = [] if whole else sorted(spans)
    return [
        hashlib.blake2b(
            json.dumps([span, beside]).encode() + text.encode("utf-8", "surrogatepass"), digest_size=KEY
        ).digest()
        for span in spans
    ]


def _opened(store: str | PathLike[str], encoder: Encoder) -> VectorStore | None:
    need_extra("kept vectors", "safetensors")
    record = encoder.record()
    if not record["fingerprint"]:
        warnings.warn(f"no vectors are kept: the encoder '{encoder.name}' has no fingerprint.", stacklevel=3)
        return None
    from aslant.data import sweep_partial_files

    identity = json.dumps([record["fingerprint"], record["format"], encoder.dimensions])
    folder = Path(store) / _digest(identity.encode())
    sweep_partial_files(folder)
    return VectorStore(folder, encoder.dimensions)


class VectorStore:
    """The kept vectors of one encoder, in `folder`; if that cannot be written, the work continues, and says so once.

    >>> import tempfile
    >>> store = VectorStore(Path(tempfile.mkdtemp()), dimensions=2)
    >>> store.keep([b"k" * 16], np.ones((1, 2), np.float32))
    >>> [vectors.tolist() for _, vectors in store.read({b"k" * 16})], list(store.read({b"x" * 16}))
    ([[[1.0, 1.0]]], [])
    """

    def __init__(self, folder: Path, dimensions: int) -> None:
        self.folder, self.dimensions = folder, dimensions
        self._works = True

    def read(self, wanted: Collection[bytes]) -> Iterator[tuple[list[bytes], NDArray[np.float32]]]:
        """Yield the keys and vectors of every sound shard that has something wanted, one shard at a time."""
        for name, digests in self._listed().items():
            shard = self._shard(self.folder / f"{name}{ENDING}", digests, wanted)
            if shard is not None:
                yield shard

    def keep(self, keys: Sequence[bytes], vectors: NDArray[np.float32]) -> None:
        """Keep vectors under their keys, as one shard."""
        if not self._works:
            return
        from safetensors.numpy import save

        table = np.frombuffer(b"".join(keys), np.uint8).reshape(len(keys), KEY)
        content = save({"keys": table, "vectors": np.ascontiguousarray(vectors, np.float32)})
        name = _digest(b"".join(keys))
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            with written_whole(self.folder / f"{name}{ENDING}") as file:
                file.write(content)
            self._list(name, _digest(content))
        except OSError as error:
            self._works = False
            warnings.warn(f"no vectors are kept, because '{self.folder}' cannot be written to: {error}", stacklevel=3)

    def _list(self, name: str, digest: str) -> None:
        with (self.folder / MANIFEST).open("ab", buffering=0) as file:  # one write: processes do not mix their lines
            file.write(b"\n" + json.dumps({"shard": name, "digest": digest}).encode())
            os.fsync(file.fileno())

    def _listed(self) -> dict[str, set[str]]:
        """Return the shards of the manifest, and what each may contain; incomplete lines are skipped."""
        listed: dict[str, set[str]] = {}
        try:
            lines = (self.folder / MANIFEST).read_bytes().split(b"\n")
        except OSError:
            return listed
        for line in lines:
            try:
                entry = json.loads(line)
                name, digest = entry["shard"], entry["digest"]
            except (ValueError, TypeError, KeyError, RecursionError):
                continue
            if isinstance(name, str) and isinstance(digest, str) and _NAME.fullmatch(name):
                listed.setdefault(name, set()).add(digest)
        return listed

    def _shard(
        self, path: Path, digests: Collection[str], wanted: Collection[bytes]
    ) -> tuple[list[bytes], NDArray[np.float32]] | None:
        """Return a shard if it is sound and has something wanted; its keys are read first, without the rest."""
        from safetensors import SafetensorError, safe_open
        from safetensors.numpy import load

        try:
            with safe_open(path, framework="numpy") as file:
                if not any(key in wanted for key in _listed_keys(file.get_tensor("keys"))):
                    return None
            content = path.read_bytes()
            if _digest(content) not in digests:
                return None
            found = load(content)
            keys, vectors = _listed_keys(found["keys"]), found["vectors"]
        except (OSError, KeyError, ValueError, SafetensorError):
            return None
        sound = vectors.shape == (len(keys), self.dimensions) and vectors.dtype == np.float32
        return (keys, vectors) if sound else None


def _listed_keys(table: NDArray[np.uint8]) -> list[bytes]:
    if table.dtype != np.uint8 or table.ndim != 2 or table.shape[1] != KEY:
        raise ValueError("these are not keys")
    content = table.tobytes()
    return [content[i : i + KEY] for i in range(0, len(content), KEY)]


def _digest(content: bytes) -> str:
    return hashlib.blake2b(content, digest_size=KEY).hexdigest()

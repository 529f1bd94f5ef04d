"""Vectors of words in sentences: each distinct text is encoded once, and kept in a folder for later, if there is one.

Texts are encoded `SHARD` at a time, in order of what is missing, and these alone decide the batches: a run that was
killed resumes as if it had not been, to the last bit. Each vector is a block of a `Keeper`, under the encoder's
fingerprint and a digest of its text and span; processes may share a folder.
"""

from __future__ import annotations

import json
import warnings
from collections.abc import Collection, Mapping, Sequence
from os import PathLike

import numpy as np
from numpy.typing import NDArray

from aslant.errors import MeasureError
from aslant.io.keeper import Keeper, digest
from aslant.models.protocols import Encoder, Passage, Progress
from aslant.models.spelling import Span

#: Texts that are encoded, and then kept, together.
SHARD = 512
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
    wanted = [(passage.text, span) for passage in passages for span in passage.spans]
    texts: dict[str, dict[Span, list[int]]] = {}  # each distinct text, its spans, and the rows of the result they fill
    for row, (text, span) in enumerate(wanted):
        texts.setdefault(text, {}).setdefault(span, []).append(row)
    keys = {text: _keys_of(text, list(spans), getattr(encoder, "sees", None)) for text, spans in texts.items()}
    rows = {key: at for text, spans in texts.items() for key, at in zip(keys[text], spans.values(), strict=True)}
    result = np.empty((len(wanted), encoder.dimensions), np.float32)
    kept = None if store is None else _opened(store, encoder)
    found = kept.recall(rows) if kept else {}
    for key, vector in found.items():
        result[rows[key]] = vector
    missing = []
    for text, spans in texts.items():
        left = {span: key for span, key in zip(spans, keys[text], strict=True) if key not in found}
        if left:
            missing.append((Passage(text, tuple(left)), left.values()))
    before = len(texts) - len(missing)

    def told(step: str, done: int, _: int) -> None:
        if progress is not None:
            progress(step, before + done, len(texts))

    for start in range(0, len(missing), SHARD):
        shard = missing[start : start + SHARD]
        vectors = _encoded(encoder, [passage for passage, _ in shard], told)
        made = dict(zip((key for _, left in shard for key in left), vectors, strict=True))
        for key, vector in made.items():
            result[rows[key]] = vector
        if kept:
            kept.keep(made)
        before += len(shard)
    return result


def _encoded(encoder: Encoder, passages: Sequence[Passage], progress: Progress) -> NDArray[np.float32]:
    parts = [np.empty((0, encoder.dimensions), np.float32)]
    for passage, vectors in zip(passages, encoder.span_vectors(passages, progress=progress), strict=True):
        if vectors.shape != (len(passage.spans), encoder.dimensions):
            raise MeasureError(
                f"'{encoder.name}' gives vectors of shape {vectors.shape} for {len(passage.spans)} spans of "
                f"{encoder.dimensions} dimensions; fix the encoder."
            )
        parts.append(np.asarray(vectors, np.float32))
    return np.concatenate(parts)


def _keys_of(text: str, spans: list[Span], sees: int | None) -> list[str]:
    """Return a key for each span. In a text not seen whole, what is seen depends on all spans requested together."""
    content = text.encode("utf-8", "surrogatepass")
    beside = [] if sees is None or len(content) + AROUND <= sees else sorted(spans)
    return [digest(json.dumps([span, beside]).encode(), content) for span in spans]


def _opened(store: str | PathLike[str], encoder: Encoder) -> KeptVectors | None:
    record = encoder.record()
    if not record["fingerprint"]:
        warnings.warn(f"no vectors are kept: the encoder '{encoder.name}' has no fingerprint.", stacklevel=3)
        return None
    identity = json.dumps([record["fingerprint"], record["format"], encoder.dimensions])
    return KeptVectors(Keeper(store, "vectors are"), digest(identity.encode()), encoder.dimensions)


class KeptVectors:
    """The kept vectors of one encoder, each under its key.

    >>> import tempfile
    >>> kept = KeptVectors(Keeper(tempfile.mkdtemp()), "encoder", dimensions=2)
    >>> kept.keep({"a": np.ones(2, np.float32)})
    >>> {key: vector.tolist() for key, vector in kept.recall(["a", "b"]).items()}
    {'a': [1.0, 1.0]}
    """

    def __init__(self, keeper: Keeper, name: str, dimensions: int) -> None:
        self.keeper, self.name, self.dimensions = keeper, name, dimensions

    def recall(self, keys: Collection[str]) -> dict[str, NDArray[np.float32]]:
        """Return the vectors that are there."""
        found = self.keeper.among(f"{self.name}/{key}" for key in keys)
        start, size = len(self.name) + 1, 4 * self.dimensions
        return {key[start:]: np.frombuffer(block, "<f4") for key, block in found.items() if len(block) == size}

    def keep(self, vectors: Mapping[str, NDArray[np.float32]]) -> None:
        """Keep vectors under their keys."""
        self.keeper.keep({f"{self.name}/{key}": vector.astype("<f4").tobytes() for key, vector in vectors.items()})

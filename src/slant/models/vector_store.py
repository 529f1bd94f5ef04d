"""Vectors of words in sentences, each distinct text encoded once."""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike

import numpy as np
from numpy.typing import NDArray

from slant.models.protocols import Encoder, Passage, Progress


def vectors_of(
    encoder: Encoder,
    passages: Sequence[Passage],
    *,
    store: str | PathLike[str] | None = None,
    progress: Progress | None = None,
) -> NDArray[np.float32]:
    """Return the vectors of all spans of `passages`, one after the other: (spans in all, dimensions).

    `store` is a folder that keeps vectors, so that a killed run goes on and a later one need not encode again.

    >>> vectors_of(encoder, [Passage("a nurse", ((2, 7),)), Passage("a man or a nurse", ((2, 5), (11, 16)))]).shape
    (3, 64)
    """
    wanted: dict[str, dict[tuple[int, int], None]] = {}
    for passage in passages:
        wanted.setdefault(passage.text, {}).update(dict.fromkeys(passage.spans))
    distinct = [Passage(text, tuple(spans)) for text, spans in wanted.items()]
    rows: dict[tuple[str, tuple[int, int]], NDArray[np.float32]] = {}
    for passage, vectors in zip(distinct, encoder.span_vectors(distinct, progress=progress), strict=True):
        rows.update(zip(((passage.text, span) for span in passage.spans), vectors, strict=True))
    found = [rows[passage.text, span] for passage in passages for span in passage.spans]
    return np.array(found, np.float32).reshape(len(found), encoder.dimensions)

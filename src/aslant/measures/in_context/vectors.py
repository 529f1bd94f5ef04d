"""Vectors of everything that the repeats need, each distinct sentence encoded once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from os import PathLike

import numpy as np
from numpy.typing import NDArray

from aslant.corpus import Context, Contexts
from aslant.measures.in_context.sentences import BIASED, PROFESSIONS, Drawn, shared_out
from aslant.measures.in_context.space import Repeat
from aslant.measures.in_context.swaps import Swaps, SwapVectors
from aslant.measures.in_context.words import BiasedWords, Professions
from aslant.measures.shared.wordsets import FloatArray
from aslant.models.protocols import Encoder, Passage, Progress
from aslant.models.vector_store import vectors_of
from aslant.statistics import unit_rows

Rows = NDArray[np.float32]


@dataclass(frozen=True)
class Encoded:
    """Vectors of every repeat: of biased words (repeats, n, d), of professions (repeats, p, d), of swaps, and of
    random words (m, d), if any were drawn.

    They are as many numbers as there are words, repeats and dimensions, however large the corpus is.
    """

    words: Rows
    professions: Rows
    swaps: tuple[SwapVectors, ...]
    beside: tuple[SwapVectors, ...]
    random: tuple[Rows, ...] = ()

    def repeats(self, directions: Sequence[FloatArray], beside: Sequence[FloatArray]) -> Iterator[Repeat]:
        """Give one repeat after the other at unit length; `directions` and `beside` (none or all) are (d,) each."""
        for number, direction in enumerate(directions):
            yield Repeat(
                unit_rows(self.words[number]), unit_rows(self.professions[number]), direction,
                beside[number] if beside else None,
            )  # fmt: skip


def encode(
    encoder: Encoder,
    drawn: Drawn,
    words: BiasedWords,
    jobs: Professions,
    swaps: Sequence[Swaps],
    beside: Sequence[Swaps],
    random: Sequence[Sequence[Context]],
    *,
    store: str | PathLike[str] | None = None,
    progress: Progress | None = None,
) -> Encoded:
    """Encode what every repeat needs at once, so that a sentence shared by several words or repeats is read once."""
    count = len(swaps)
    blocks = [
        _one_each(drawn.contexts(BIASED), words.words, count),
        _one_each(drawn.contexts(PROFESSIONS), jobs.words, count),
        *(one.contexts() for one in (*swaps, *beside)),
        *random,
    ]
    passages = [Passage(c.text, ((c.start, c.end),)) for block in blocks for c in block]
    rows = vectors_of(encoder, passages, store=store, progress=progress)
    parts = np.split(rows, np.cumsum([len(block) for block in blocks])[:-1])
    swapped = [
        SwapVectors.of(one, part)
        for one, part in zip((*swaps, *beside), parts[2 : len(parts) - len(random)], strict=True)
    ]
    return Encoded(
        parts[0].reshape(count, len(words.words), -1), parts[1].reshape(count, len(jobs.words), -1),
        tuple(swapped[:count]), tuple(swapped[count:]), tuple(parts[len(parts) - len(random) :]),
    )  # fmt: skip


def _one_each(contexts: Contexts, words: Sequence[str], repeats: int) -> list[Context]:
    """Return one context of each word for every repeat, repeat by repeat."""
    return [shared_out(contexts.by_word[word], repeat, 1)[0] for repeat in range(repeats) for word in words]

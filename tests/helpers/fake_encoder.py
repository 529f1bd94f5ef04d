"""A toy encoder for tests and doctests: a word's vector is random but fixed, plus a planted direction.

`leanings` (word → number) is how far each word lies along the planted direction, whatever its sentence; a little noise
comes from the sentence. No torch, no files.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aslant.models.protocols import Passage, Pooling, Progress

WORD = re.compile(r"\w+|[^\w\s]")


@lru_cache(50_000)
def _draw(text: str, n: int) -> NDArray[np.float64]:
    seed = int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "little")
    drawn = np.random.default_rng(seed).normal(size=n) / np.sqrt(n)
    drawn.flags.writeable = False
    return drawn


class FakeEncoder:
    name = "toy encoder"

    def __init__(
        self, dimensions: int = 64, leanings: Mapping[str, float] | None = None, *, noise: float = 0.1, seed: int = 0
    ) -> None:
        self.dimensions, self.leanings, self.noise, self.seed = dimensions, dict(leanings or {}), noise, seed
        direction = _draw(f"direction {seed}", dimensions)
        self.direction = direction / np.linalg.norm(direction)
        self.passes = 0  #: texts that were encoded, to check that each is encoded once

    def record(self) -> dict[str, Any]:
        planted = hashlib.sha256(repr((sorted(self.leanings.items()), self.noise, self.seed)).encode()).hexdigest()[:12]
        return {
            "name": self.name, "fingerprint": planted, "format": "toy", "words": 0, "dimensions": self.dimensions,
            "note": "",
        }  # fmt: skip

    def _word(self, word: str, text: str) -> NDArray[np.float64]:
        own = _draw(f"{self.seed} {word.lower()}", self.dimensions)
        own = own - own @ self.direction * self.direction
        context = _draw(f"{self.seed} {text} {word}", self.dimensions) * self.noise
        return own + context + self.leanings.get(word.lower(), 0.0) * self.direction

    def layers(self, tokens: Sequence[str]) -> NDArray[np.float32]:
        text = " ".join(tokens)
        return np.array([[self._word(token, text) for token in tokens]], np.float32)

    def span_vectors(
        self, passages: Sequence[Passage], *, progress: Progress | None = None
    ) -> Iterator[NDArray[np.float32]]:
        for n, passage in enumerate(passages, 1):
            self.passes += 1
            yield np.array([self._word(word, passage.text) for word in passage.words], np.float32)
            if progress:
                progress("sentences", n, len(passages))

    def sentence_vectors(
        self, texts: Sequence[str], *, pooling: Pooling = "mean", progress: Progress | None = None
    ) -> NDArray[np.float32]:
        self.passes += len(texts)
        return np.array(
            [np.mean([self._word(word, text) for word in WORD.findall(text)], axis=0) for text in texts], np.float32
        )

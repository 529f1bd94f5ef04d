"""Data in which nothing is to be found: random vectors, an encoder and language models that draw what they say.

Each may be given leanings of words along one direction, which is then what there is to find.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aslant.models.protocols import MaskedScore, Passage, Sentence
from aslant.vectors import WordVectors

WORD = re.compile(r"\w+|[^\w\s]")
DIMENSIONS = 20


def words(prefix: str, n: int) -> list[str]:
    """Return n words of letters only: their numbers written with letters."""
    return [prefix + "".join(chr(ord("a") + int(digit)) for digit in f"{i:04d}") for i in range(n)]


def embedding(
    random: np.random.Generator, named: Sequence[str], leanings: Mapping[str, float] | None = None, name: str = "null"
) -> WordVectors:
    """Return normal vectors around a common centre; the first dimension is that of the leanings, where there are."""
    matrix = random.normal(size=(len(named), DIMENSIONS)) + 0.5
    if leanings is not None:
        matrix[:, 0] += [leanings.get(word, 0.0) for word in named]
    return WordVectors.from_arrays(named, matrix, name=name)


class Drawn:
    """Numbers by key, drawn when they are first asked for."""

    def __init__(self, random: np.random.Generator) -> None:
        self.random = random
        self.known: dict[Any, Any] = {}

    def __call__(self, *key: Any, size: int | None = None) -> Any:
        if key not in self.known:
            self.known[key] = self.random.normal(size=size)
        return self.known[key]


def record(name: str, dimensions: int) -> dict[str, Any]:
    """Return what a model says of itself."""
    return {
        "name": name, "fingerprint": "0" * 12, "format": "drawn", "words": 0, "dimensions": dimensions, "note": "",
    }  # fmt: skip


class NullEncoder:
    """A word's vector is drawn once, plus noise of its sentence, plus its leaning along the first dimension."""

    name = "drawn encoder"

    def __init__(
        self, random: np.random.Generator, leanings: Mapping[str, float] | None = None, *, noise: float = 0.3,
        dimensions: int = DIMENSIONS,
    ) -> None:  # fmt: skip
        self.drawn, self.leanings, self.noise, self.dimensions = Drawn(random), dict(leanings or {}), noise, dimensions

    def record(self) -> dict[str, Any]:
        return record(self.name, self.dimensions)

    def _word(self, word: str, text: str) -> NDArray[np.float64]:
        key = word.lower()
        vector = self.drawn(key, size=self.dimensions) + self.noise * self.drawn(key, text, size=self.dimensions)
        vector[0] += self.leanings.get(key, 0.0)
        return np.asarray(vector)

    def layers(self, tokens: Sequence[str]) -> NDArray[np.float32]:
        return np.array([[self._word(token, " ".join(tokens)) for token in tokens]], np.float32)

    def span_vectors(self, passages: Sequence[Passage], *, progress: Any = None) -> Iterator[NDArray[np.float32]]:
        for passage in passages:
            yield np.array([self._word(word, passage.text) for word in passage.words], np.float32)

    def sentence_vectors(
        self, texts: Sequence[str], *, pooling: str = "mean", progress: Any = None
    ) -> NDArray[np.float32]:
        return np.array(
            [np.mean([self._word(word, text) for word in WORD.findall(text)], axis=0) for text in texts], np.float32
        )


class NullMaskedLM:
    """How a target goes with an attribute is drawn once for both and again for each template.

    `leanings` of a target and of an attribute are multiplied and added: planted, they belong together.
    """

    name = "drawn language model"

    def __init__(self, random: np.random.Generator, leanings: Mapping[str, float] | None = None) -> None:
        self.drawn, self.leanings = Drawn(random), dict(leanings or {})

    def record(self) -> dict[str, Any]:
        return record(self.name, DIMENSIONS)

    def _score(self, s: Sentence) -> MaskedScore:
        prior = -8 + 0.3 * self.drawn(s.template, s.target)
        planted = self.leanings.get(s.target, 0.0) * self.leanings.get(s.attribute, 0.0)
        said = self.drawn(s.target, s.attribute, "") + 0.5 * self.drawn(s.template, s.target, s.attribute)
        return MaskedScore(prior + 0.5 * said + planted, prior, (s.target,), (s.attribute,))

    def masked_scores(
        self, sentences: Sequence[Sentence], *, target_pieces: str = "chain", single_mask: bool = False,
        prior_place: str = "target", journal: Any = None, progress: Any = None,
    ) -> list[MaskedScore]:  # fmt: skip
        return [self._score(sentence) for sentence in sentences]

    def word_vectors_in_place(
        self, sentences: Sequence[Sentence], word: str, *, progress: Any = None
    ) -> NDArray[np.float32]:
        rows = []
        for sentence in sentences:
            key = getattr(sentence, word)
            row = self.drawn(key, size=DIMENSIONS) + 0.5 * self.drawn(sentence.template, key, size=DIMENSIONS)
            row[0] += 2 * self.leanings.get(key, 0.0)
            rows.append(row)
        return np.array(rows, np.float32)

    def in_vocabulary(self, word: str, template: str = "", role: str = "target") -> bool:
        return True

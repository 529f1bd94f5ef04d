"""A model that scores texts, every score of which is known: by word, plus what a test plants."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from aslant.models.protocols import TextScore
from fake_lm import uniform

#: Words that the sample has, of no particular kind.
WORDS = (
    "river", "music", "winter", "paper", "bridge", "engine", "garden", "market", "winner", "planet", "camera", "island",
    "castle", "forest", "guitar", "kitchen", "letter", "mirror", "number", "office", "pocket", "school", "silver",
    "summer", "ticket", "valley", "window", "yellow", "bottle", "candle",
)  # fmt: skip


class FakeTexts:
    """Each word has a log-probability that depends on the word (and the `salt`) alone; `plants` adds to a text's sum.

    `plants(prompt, text)` is called for every text, whose prompt may be empty. Texts with a word of `unknown` cannot
    be scored. Untrained twins are other salts, and plant nothing.
    """

    name = "toy texts"
    scorings = ("likelihood",)

    def __init__(
        self, plants: Callable[[str, str], float] = lambda prompt, text: 0.0, *, salt: object = 0,
        unknown: Sequence[str] = (),
    ) -> None:  # fmt: skip
        self.plants, self.salt, self.unknown = plants, salt, set(unknown)
        self.asked: list[tuple[str, str]] = []

    def record(self) -> dict[str, Any]:
        return {
            "name": self.name, "fingerprint": "0123456789ab", "format": "fake", "words": 100, "dimensions": 8,
            "note": "made for tests",
        }  # fmt: skip

    def untrained(self, seed: int) -> FakeTexts:
        return type(self)(salt=("untrained", seed))

    def unscorable(self, texts: Sequence[str]) -> dict[int, str]:
        words = ((place, word) for place, text in enumerate(texts) for word in text.strip(".?!").split())
        return {place: f"{word!r} is unknown" for place, word in words if word in self.unknown}

    def text_scores(
        self, texts: Sequence[str], *, score: str | None = None, journal: Any = None, progress: Any = None
    ) -> list[TextScore]:
        return self.continuation_scores([("", text) for text in texts])

    def continuation_scores(
        self, pairs: Sequence[tuple[str, str]], *, score: str | None = None, journal: Any = None, progress: Any = None
    ) -> list[TextScore]:
        self.asked += pairs
        return [self.scored(prompt, text) for prompt, text in pairs]

    def scored(self, prompt: str, text: str) -> TextScore:
        words = text.split()
        total = sum(-1 - 4 * uniform(self.salt, word, *self._context(prompt, text)) for word in words)
        return TextScore(total + self.plants(prompt, text), len(words))

    def _context(self, prompt: str, text: str) -> tuple[str, ...]:
        """What a word's score depends on besides the word."""
        return (prompt,)


class RandomTexts(FakeTexts):
    """Each word's score depends on the whole text: no descriptor is likelier than another but by chance."""

    def _context(self, prompt: str, text: str) -> tuple[str, ...]:
        return (prompt, text)


class FakeWriter:
    """Writes `length` words for each prompt, which depend on its seed alone, from what `chooses(prompt)` gives."""

    name = "toy writer"

    def __init__(self, chooses: Callable[[str], Sequence[str]] = lambda prompt: WORDS, *, length: int = 6) -> None:
        self.chooses, self.length = chooses, length
        self.asked: list[tuple[str, int]] = []

    def record(self) -> dict[str, Any]:
        return {
            "name": self.name, "fingerprint": "0123456789ab", "format": "fake", "words": 100, "dimensions": 8,
            "note": "made for tests",
        }  # fmt: skip

    def causal_scores(self, sentences: Any, *, journal: Any = None, progress: Any = None) -> Any:
        raise NotImplementedError

    def unwritable(self, prompts: Sequence[str], max_tokens: int) -> dict[int, str]:
        return {place: f"{prompt!r} is too long" for place, prompt in enumerate(prompts) if len(prompt) > 300}

    def continuations(
        self, prompts: Sequence[tuple[str, int]], *, max_tokens: int = 40, temperature: float = 1.0,
        top_p: float = 1.0, journal: Any = None, progress: Any = None,
    ) -> list[str]:  # fmt: skip
        self.asked += prompts
        return [self._text(prompt, seed) for prompt, seed in prompts]

    def _text(self, prompt: str, seed: int) -> str:
        random, words = np.random.default_rng(seed), self.chooses(prompt)
        return "".join(f" {words[i]}" for i in random.integers(len(words), size=self.length))

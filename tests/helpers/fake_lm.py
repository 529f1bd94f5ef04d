"""Language models whose every probability is known: a joint distribution of target and attribute, by template."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aslant.models.protocols import CausalScore, MaskedScore, Sentence, TextScore


def uniform(*parts: object) -> float:
    """Return a number in (0, 1) that depends on nothing but `parts`, the same on every machine."""
    import hashlib

    return (int.from_bytes(hashlib.sha256(repr(parts).encode()).digest()[:6]) + 1) / (2**48 + 2)


class TextScores:
    """Scores a text by `value`, which gets what is scored and the prompt before it; pieces are words."""

    name = "fake texts"
    scorings: tuple[str, ...] = ("within-word", "pll", "aul", "aula")

    def value(self, text: str, prompt: str) -> float:
        return -20 * uniform(self.name, prompt, text)

    def unscorable(self, texts: Sequence[str]) -> dict[int, str]:
        return {i: f"'{text}' has a snowman" for i, text in enumerate(texts) if "☃" in text}

    def text_scores(self, texts: Sequence[str], **options: Any) -> list[TextScore]:
        return self.continuation_scores([("", text) for text in texts], **options)

    def continuation_scores(
        self, pairs: Sequence[tuple[str, str]], *, score: str | None = None, journal: Any = None, progress: Any = None
    ) -> list[TextScore]:
        if progress:
            progress("sentences", len(pairs), len(pairs))
        return [TextScore(self.value(text.strip(), prompt), len(text.split())) for prompt, text in pairs]


class Joint(TextScores):
    """P(target, attribute) in each template: given in `table`, or else made from the words; sums to less than one."""

    name = "joint"

    def __init__(self, table: dict[tuple[str, str], float] | None = None, *, unknown: Sequence[str] = ()) -> None:
        self.table = table
        self.unknown = set(unknown)
        self.asked: list[Sentence] = []
        self.settings: list[dict[str, Any]] = []

    def record(self) -> dict[str, Any]:
        return {
            "name": self.name, "fingerprint": "0123456789ab", "format": "joint distribution", "words": 100,
            "dimensions": 8, "note": "made for tests",
        }  # fmt: skip

    def joint(self, template: str, target: str, attribute: str) -> float:
        if self.table is not None:
            return self.table[target, attribute]
        return uniform(template, target, attribute) / 1000

    def prior(self, template: str, target: str) -> float:
        """P(target) in a template, whatever the attribute."""
        if self.table is not None:
            return sum(p for (word, _), p in self.table.items() if word == target)
        return uniform(template, target) / 10

    def evidence(self, template: str, attribute: str) -> float:
        """P(attribute) in a template, whatever the target."""
        if self.table is not None:
            return sum(p for (_, word), p in self.table.items() if word == attribute)
        return uniform(template, attribute) / 50

    def pieces(self, word: str) -> tuple[str, ...]:
        return tuple(word.split())


class FakeMaskedLM(Joint):
    """p_target = P(target | attribute), p_prior = P(target)."""

    name = "fake masked"

    def masked_scores(
        self, sentences: Sequence[Sentence], *, target_pieces: str = "chain", single_mask: bool = False,
        prior_place: str = "target", journal: Any = None, progress: Any = None,
    ) -> list[MaskedScore]:  # fmt: skip
        self.asked += sentences
        self.settings.append(
            {"target_pieces": target_pieces, "single_mask": single_mask, "prior_place": prior_place, "journal": journal}
        )
        if progress:
            progress("masked sentences", len(sentences), len(sentences))
        return [self._score(s, prior_place) for s in sentences]

    def _score(self, s: Sentence, prior_place: str) -> MaskedScore:
        prior = self.prior(s.template, s.target)
        if prior_place == "published":
            prior = uniform("published", s.template, s.target)
        return MaskedScore(
            math.log(self.joint(s.template, s.target, s.attribute) / self.evidence(s.template, s.attribute)),
            math.log(prior),
            self.pieces(s.target),
            self.pieces(s.attribute),
        )

    def word_vectors_in_place(
        self, sentences: Sequence[Sentence], word: str, *, progress: Any = None
    ) -> NDArray[np.float32]:
        self.asked += sentences
        return np.array(
            [[uniform(s.template, getattr(s, word), i) - 0.5 for i in range(8)] for s in sentences], np.float32
        )

    def in_vocabulary(self, word: str, template: str = "", role: str = "target") -> bool:
        return word not in self.unknown


class FakeCausalLM(Joint):
    """P(sentence) = P(target, attribute); what follows a target has P(attribute | target)."""

    name = "fake causal"
    scorings = ("likelihood",)

    def causal_scores(
        self, sentences: Sequence[Sentence], *, journal: Any = None, progress: Any = None
    ) -> list[CausalScore]:
        self.asked += sentences
        return [self._score(s) for s in sentences]

    def _score(self, s: Sentence) -> CausalScore:
        whole = math.log(self.joint(s.template, s.target, s.attribute))
        first = s.template.index("[TARGET]") < s.template.index("[ATTRIBUTE]")
        rest = whole - math.log(self.prior(s.template, s.target)) if first else None
        return CausalScore(rest, whole, self.pieces(s.target), self.pieces(s.attribute))


class FakeTextLM(TextScores):
    """A model that scores texts by a function of them, and can do nothing else."""

    def __init__(
        self, value: Callable[[str, str], float] | None = None, name: str = "fake texts", scorings: Any = None
    ) -> None:
        self.name, self.asked = name, list[tuple[str, str]]()
        self.function, self.scorings = value, scorings or TextScores.scorings

    def value(self, text: str, prompt: str) -> float:
        return self.function(text, prompt) if self.function else super().value(text, prompt)

    def continuation_scores(self, pairs: Sequence[tuple[str, str]], **options: Any) -> list[TextScore]:
        self.asked += pairs
        return super().continuation_scores(pairs, **options)

    def record(self) -> dict[str, Any]:
        return {
            "name": self.name, "fingerprint": "0123456789ab", "format": "function of texts", "words": 100,
            "dimensions": 8, "note": "made for tests",
        }  # fmt: skip


#: Two pronouns and three occupations; the rows are not independent, and she is half as frequent as he.
TABLE = {
    ("he", "nurse"): 0.05, ("he", "engineer"): 0.30, ("he", "clerk"): 0.25,
    ("she", "nurse"): 0.15, ("she", "engineer"): 0.05, ("she", "clerk"): 0.10,
    ("they", "nurse"): 0.02, ("they", "engineer"): 0.04, ("they", "clerk"): 0.04,
}  # fmt: skip


class ListedLM(FakeMaskedLM):
    """A masked model that says which words it has: 300 made-up ones, the frequent ones first."""

    ordered_words = tuple("".join("abcdefghij"[int(digit)] for digit in f"{n:03d}") for n in range(300))

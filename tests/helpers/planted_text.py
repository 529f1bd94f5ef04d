"""A static space, a corpus and an encoder that agree on which words lean which way: what measures must give back."""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import numpy as np

from aslant.stimuli import PairSet, WordSet, load_set
from aslant.vectors import WordVectors
from fake_encoder import FakeEncoder

#: Words of four letters that are in no word set.
NAMES = ["".join(letters) for letters in itertools.product("bdfgk", "aeiou", "lmnrs", "aeiou")]


@dataclass(frozen=True)
class Planted:
    """Biases of words and professions, from −1 to 1; `encoder` leans as they say, if it leans at all."""

    original: WordVectors
    corpus: list[str]
    encoder: FakeEncoder
    leanings: dict[str, float]
    professions: tuple[str, ...]


def planted(
    *, leaning: float = 1.0, definitional: float = 4.0, sentences: int = 3, words: int = 400, seed: int = 0
) -> Planted:
    """Plant leanings: `leaning` times a word's bias in the encoder, `definitional` for the pairs; 0 plants nothing."""
    random = np.random.default_rng(seed)
    jobs = [word for word in load_set("professions", WordSet).words if "_" not in word][:60]
    specific = set(load_set("gender-specific-words", WordSet).words)
    jobs = [word for word in jobs if word not in specific]
    named = [*(NAMES[i] for i in random.permutation(len(NAMES))[:words]), *jobs]
    bias = dict(
        zip(named, np.tile([1.0, -1.0], len(named))[: len(named)] * random.uniform(0.3, 1, len(named)), strict=True)
    )
    matrix = random.normal(size=(len(named) + 2, 50)) / 50
    matrix[:, 0] = [1, -1, *bias.values()]
    original = WordVectors.from_arrays(["he", "she", *named], matrix, name="planted")
    pairs = load_set("definitional-pairs", PairSet).pairs
    # The direction points to the first words of the pairs, the female ones; the bias to "he".
    leanings = {word: -leaning * value for word, value in bias.items()}
    for first, second in pairs:
        leanings |= {first.lower(): definitional, second.lower(): -definitional}
    text = [f"It was the {word} number {n} ." for word in named for n in range(sentences)]
    text += [f"{word.title()} came at {n} ." for pair in pairs for word in pair for n in range(2 * sentences)]
    return Planted(original, text, FakeEncoder(leanings=leanings, seed=seed), leanings, tuple(jobs))

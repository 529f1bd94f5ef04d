"""Texts in which certain words stand near certain others, and the same texts shuffled, in which they do not."""

from __future__ import annotations

import itertools

import numpy as np

LETTERS = ["".join(letters) for letters in itertools.product("bdfgk", "aeiou", "lmnrs", "aeiou")]
#: Two sets of targets and two of attributes, all made up, and words that mean nothing.
FIRST, SECOND, FIRST_NEAR, SECOND_NEAR = (LETTERS[i * 8 : i * 8 + 8] for i in range(4))
PAIRS = [("she", "he"), ("woman", "man"), ("girl", "boy"), ("mother", "father")]
FILLER = LETTERS[32:332]


def planted_sentences(n: int = 3_000, *, seed: int = 0, gendered: bool = False, shuffle: bool = False) -> list[str]:
    """Return sentences of ten words, in most of which a target stands near one of its attributes.

    With `gendered`, words of `PAIRS` stand there too: female ones with the first, male ones with the second. Shuffled,
    every word may stand in any sentence, as often as before.
    """
    random = np.random.default_rng(seed)
    share = 1 / (np.arange(len(FILLER)) + 3)
    words = random.choice(np.array(FILLER, dtype=object), size=(n, 10), p=share / share.sum())
    for row in words:
        side = int(random.integers(2))
        row[random.integers(3)] = random.choice((FIRST, SECOND)[side])
        row[3 + random.integers(2)] = random.choice((FIRST_NEAR, SECOND_NEAR)[side])
        if gendered:
            row[5] = PAIRS[random.integers(len(PAIRS))][side]
    if shuffle:
        words = random.permuted(words.ravel()).reshape(words.shape)
    return [" ".join(row) + "." for row in words.tolist()]

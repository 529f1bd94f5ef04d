"""What chance gives a SEAT: random words, in sentences of the same kinds, in place of its attributes.

The words come from the vocabulary of the bundled sample, which stands in order of frequency and is English
(docs/definitions.md §9).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from aslant.measures.association.chance import effect_sizes, weighted
from aslant.measures.sentence_tests.clustered_words import Clustered
from aslant.measures.sentence_tests.pieces import piece_counts
from aslant.measures.shared.wordsets import FloatArray
from aslant.statistics import Chance, against_chance, draw_matched, generator, is_large_enough
from aslant.stimuli import SentenceSet, WeatSet
from aslant.vectors.sample import load_sample

#: How many random words are put into the sentences of each kind: so many at least, and twice those replaced and more.
POOL, SPARE = 60, 20
#: Words that are looked at for pools, of which those of the fewest pieces are taken.
CANDIDATES = 4_000
#: Words more frequent than this rank are mostly grammar and are not preferred.
COMMON = 1_000
#: Languages of tests for which English words may be drawn.
LANGUAGES = ("en", "und")
#: A word in the sentences of a kind: (kind, word).
Placed: TypeAlias = tuple[str, str]


@dataclass(frozen=True)
class Pools:
    """Random words for each kind, by name, in the order in which they are taken."""

    sentences: SentenceSet
    words: dict[str, tuple[str, ...]]

    def sizes(self, test: WeatSet) -> dict[str, int]:
        """Return how many words of each kind a test needs; none for a test in another language."""
        if test.language not in LANGUAGES:
            return {}
        counts = Counter(self.sentences.kind_of(word)[0].name for group in test.attributes for word in group.words)
        return {kind: max(POOL, 2 * n + SPARE) for kind, n in counts.items()}

    def of(self, tests: Iterable[WeatSet]) -> dict[Placed, tuple[str, ...]]:
        """Return the sentences of all pool words that some tests need."""
        most: Counter[str] = Counter()
        for test in tests:
            most |= Counter(self.sizes(test))
        kinds = {kind.name: kind for kind in self.sentences.kinds}
        return {
            (kind, word): self.sentences.filled(kinds[kind], word.capitalize() if self._names(kind) else word)
            for kind, size in most.items()
            for word in self.words[kind][:size]
        }

    def _names(self, kind: str) -> bool:
        return kind == self.sentences.capitalised


@cache
def ranks() -> dict[str, int]:
    """Return the frequency rank of every plain word in lower case, in order."""
    vectors = load_sample()
    return {vectors.words[row]: row for row in vectors.plain_words[0].tolist()}


def pools(encoder: Any, sentences: SentenceSet, seed: int) -> Pools:
    """Deal random words to the kinds of sentences; those of the fewest pieces are taken first."""
    words = [word for word in ranks() if len(word) > 2]
    weights = 1 / (np.array([ranks()[word] for word in words]) + COMMON)
    chosen = generator(seed).choice(len(words), min(CANDIDATES, len(words)), replace=False, p=weights / weights.sum())
    drawn = [words[i] for i in chosen]
    counts = piece_counts(encoder, drawn)
    if counts is not None:
        drawn = [drawn[i] for i in np.argsort(counts, kind="stable")]
    n = len(sentences.kinds)
    return Pools(sentences, {kind.name: tuple(drawn[i::n]) for i, kind in enumerate(sentences.kinds)})


def seat_chance(
    test: WeatSet, sets: Sequence[Clustered], pool: Pools, vectors: Mapping[Any, FloatArray], effect_size: float,
    draws: int, rng: np.random.Generator,
) -> Chance | None:  # fmt: skip
    """Compare an effect size with those that random words give in place of the attributes; None where none can be."""
    X, Y, A, B = sets
    found = _drawn(test, (*A.words.used, *B.words.used), pool, vectors, draws, rng)
    if found is None:
        return None
    means, places = found
    cosines = (means @ np.concatenate([X.unit, Y.unit]).T).astype(np.float32)
    weights = np.concatenate([A.sizes / A.sizes.sum(), -B.sizes / B.sizes.sum()]).astype(np.float32)
    drawn = effect_sizes(weighted(cosines, places, weights), len(X.unit))
    return against_chance(effect_size, drawn, "words in sentences")


def _drawn(
    test: WeatSet, words: Sequence[str], pool: Pools, vectors: Mapping[Any, FloatArray], draws: int,
    rng: np.random.Generator,
) -> tuple[FloatArray, NDArray[np.int64]] | None:  # fmt: skip
    """Return the mean vectors of pool words (rows, d), and the row drawn for each of `words` (draws, words)."""
    kinds = np.array([pool.sentences.kind_of(word)[0].name for word in words])
    known = np.array([ranks().get(word.lower(), -1) for word in words])
    known[known < 0] = np.median(known[known >= 0]) if (known >= 0).any() else len(ranks()) // 2
    stimuli = {word.lower() for word in test.words}
    places = np.empty((draws, len(words)), np.int64)
    means: list[FloatArray] = []
    for kind, size in pool.sizes(test).items():
        free = [word for word in pool.words[kind][:size] if word not in stimuli and len(vectors[kind, word])]
        free.sort(key=ranks().__getitem__)
        rows, these = np.array([ranks()[word] for word in free], np.int64), kinds == kind
        if not is_large_enough(rows, int(these.sum())):
            return None
        places[:, these] = len(means) + np.searchsorted(rows, draw_matched(known[these], rows, draws, rng))
        means += [vectors[kind, word].mean(axis=0) for word in free]
    return (np.array(means), places) if means else None

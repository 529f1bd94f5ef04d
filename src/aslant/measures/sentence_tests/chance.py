"""What chance gives a SEAT or a CEAT: random words, in such sentences, in place of its attributes.

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
#: How many random words are looked for in a corpus, and the most contexts of each.
IN_CORPUS, CONTEXTS = 300, 20
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


def random_words(encoder: Any, seed: int) -> list[str]:
    """Draw words in lower case, those of the fewest pieces first."""
    words = [word for word in ranks() if len(word) > 2]
    weights = 1 / (np.array([ranks()[word] for word in words]) + COMMON)
    chosen = generator(seed).choice(len(words), min(CANDIDATES, len(words)), replace=False, p=weights / weights.sum())
    drawn = [words[i] for i in chosen]
    counts = piece_counts(encoder, drawn)
    return drawn if counts is None else [drawn[i] for i in np.argsort(counts, kind="stable")]


def pools(encoder: Any, sentences: SentenceSet, seed: int) -> Pools:
    """Deal random words to the kinds of sentences."""
    drawn, n = random_words(encoder, seed), len(sentences.kinds)
    return Pools(sentences, {kind.name: tuple(drawn[i::n]) for i, kind in enumerate(sentences.kinds)})


def seat_chance(
    test: WeatSet, sets: Sequence[Clustered], pool: Pools, vectors: Mapping[Any, FloatArray], effect_size: float,
    draws: int, rng: np.random.Generator,
) -> Chance | None:  # fmt: skip
    """Compare an effect size with those that random words give in place of the attributes; None where none can be."""
    X, Y, A, B = sets
    found = drawn_words(test, (*A.words.used, *B.words.used), pool, vectors, draws, rng)
    if found is None:
        return None
    means, places = found
    cosines = (means @ np.concatenate([X.unit, Y.unit]).T).astype(np.float32)
    weights = np.concatenate([A.sizes / A.sizes.sum(), -B.sizes / B.sizes.sum()]).astype(np.float32)
    drawn = effect_sizes(weighted(cosines, places, weights), len(X.unit))
    return against_chance(effect_size, drawn, "words in sentences")


def drawn_words(
    test: WeatSet, words: Sequence[str], pool: Pools, vectors: Mapping[Any, FloatArray], draws: int,
    rng: np.random.Generator,
) -> tuple[FloatArray, NDArray[np.int64]] | None:  # fmt: skip
    """Return the mean vectors of pool words (rows, d), and the row drawn for each of `words` (draws, words)."""
    kinds = np.array([pool.sentences.kind_of(word)[0].name for word in words])
    places, means = np.empty((draws, len(words)), np.int64), [np.empty((0, 0))]
    known, start = _known_ranks(words), 0
    for kind, size in pool.sizes(test).items():
        of_kind = {word: vectors[kind, word] for word in pool.words[kind][:size]}
        found = _drawn(test, known[kinds == kind], of_kind, draws, rng)
        if found is None:
            return None
        places[:, kinds == kind] = found[1] + start
        means.append(found[0])
        start += len(found[0])
    return (np.concatenate(means[1:]), places) if start else None


def ceat_chance(
    test: WeatSet, sets: Sequence[Clustered], vectors: Mapping[str, NDArray[Any]], effect_size: float, draws: int,
    rng: np.random.Generator,
) -> Chance | None:  # fmt: skip
    """Compare the effect size over words with those that random words of the corpus give in place of the attributes."""
    X, Y, A, B = sets
    found = _drawn(test, _known_ranks((*A.words.used, *B.words.used)), vectors, draws, rng) if draws else None
    if found is None:
        return None
    means, places = found
    targets = np.concatenate([group.sums(group.unit) / group.sizes[:, None] for group in (X, Y)])
    weights = np.repeat([1 / len(A.sizes), -1 / len(B.sizes)], [len(A.sizes), len(B.sizes)])
    drawn = effect_sizes(weighted(means @ targets.T, places, weights), len(X.sizes))
    return against_chance(effect_size, drawn, "words in a corpus")


def _known_ranks(words: Sequence[str]) -> NDArray[np.int64]:
    """Return the frequency rank of each word; that in the middle for one that is not known."""
    found = np.array([ranks().get(word.lower(), -1) for word in words])
    found[found < 0] = np.median(found[found >= 0]) if (found >= 0).any() else len(ranks()) // 2
    return found


def _drawn(
    test: WeatSet, known: NDArray[np.int64], vectors: Mapping[str, NDArray[Any]], draws: int, rng: np.random.Generator
) -> tuple[FloatArray, NDArray[np.int64]] | None:
    """Return the mean vector of each word that can be drawn (rows, d), and the row drawn for each rank (draws, ranks).

    Words without a vector and those of the test are not drawn; None where too few are left.
    """
    stimuli = {word.lower() for word in test.words}
    free = sorted((w for w, own in vectors.items() if w not in stimuli and len(own)), key=ranks().__getitem__)
    rows = np.array([ranks()[word] for word in free], np.int64)
    if not is_large_enough(rows, len(known)):
        return None
    places = np.searchsorted(rows, draw_matched(known, rows, draws, rng))
    return np.array([vectors[word].mean(axis=0, dtype=np.float64) for word in free]), places

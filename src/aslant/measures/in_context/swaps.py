"""Words swapped with each other in sentences, and vectors of all that the repeats need (docs/definitions.md §5)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from os import PathLike

import numpy as np
from numpy.typing import NDArray

from aslant.corpus import Context, Contexts
from aslant.errors import MeasureError, TooFewWordsError
from aslant.measures.geometry.directional import direct_bias_value, projections
from aslant.measures.in_context import sentences as s
from aslant.measures.in_context.result import RepeatedMeasure, SwappedPair, SwappedSubspace
from aslant.measures.in_context.space import Repeat
from aslant.measures.shared.statistic import spread
from aslant.measures.shared.wordsets import FloatArray
from aslant.models.protocols import Encoder, Passage, Progress
from aslant.models.vector_store import vectors_of
from aslant.results.parts import Spread
from aslant.statistics import against_chance, subspace, unit_rows

#: Components whose share of variance is kept.
COMPONENTS = 10
#: What the pairs are compared with.
KIND = "swapped words"
#: A sentence with the first word of a pair, and the same one with the second in its place.
Swap = tuple[Context, Context]


@dataclass(frozen=True)
class Swaps:
    """The swapped sentences of one repeat, pair by pair."""

    by_pair: tuple[tuple[Swap, ...], ...]

    def contexts(self) -> list[Context]:
        """Return all of them, the two of each swap one after the other."""
        return [context for pair in self.by_pair for swap in pair for context in swap]


def swap_pairs(drawn: s.Drawn, repeats: int, swaps: int) -> tuple[list[Swaps], tuple[SwappedPair, ...]]:
    """Return the swapped sentences of every repeat, and the pairs that have any."""
    found = drawn.contexts(s.DEFINITIONAL)
    turns = [s.alternating(*(found.by_word.get(word, ()) for word in pair)) for pair in drawn.pairs]
    places = [place for place, contexts in enumerate(turns) if contexts]
    made = []
    for repeat in range(repeats):
        shared = [(drawn.pairs[place], s.shared_out(turns[place], repeat, swaps)) for place in places]
        made.append(Swaps(tuple(tuple(_swap(*turn, pair) for turn in own) for pair, own in shared)))
    counts = [sum(found.counts.get(word, 0) for word in drawn.pairs[place]) for place in places]
    pairs = tuple(
        SwappedPair(drawn.pairs[place], count, min(swaps, len(turns[place])))
        for place, count in zip(places, counts, strict=True)
    )
    return made, pairs


def _swap(context: Context, is_first: bool, pair: tuple[str, str]) -> Swap:
    other = context.swapped(s.written_like(pair[1 if is_first else 0], context.word))
    return (context, other) if is_first else (other, context)


def swap_random(found: Contexts, sizes: Sequence[int], repeats: int, random: np.random.Generator) -> list[Swaps]:
    """Swap random words with each other: in each repeat as many pairs, with as many sentences each where they have.

    Words are drawn evenly from those with enough sentences; where there are too few, from those with most. No word
    is in two repeats if there are enough words: pairs that share a word are alike, and chance would seem larger.
    """
    enough, least = (max(sizes) + 1) // 2, 2 * len(sizes)  # of two words that give as many sentences each
    drawn = {word: len(contexts) for word, contexts in found.by_word.items() if contexts}
    words = sorted(drawn, key=lambda word: -drawn[word])
    if len(words) < least:
        raise TooFewWordsError(
            f"too few words in the corpus ({len(words)}) for random pairs ({least // 2}); give random_pairs=0."
        )
    eligible = words[: max(least, sum(drawn[word] >= enough for word in words))]
    n, made = len(eligible), []
    if n >= least * repeats:
        picked = list(random.choice(n, (repeats, least), replace=False))
    else:
        picked = [random.choice(n, least, replace=False) for _ in range(repeats)]
    for places in picked:
        pairs = [(eligible[first], eligible[second]) for first, second in places.reshape(-1, 2)]
        turns = [s.alternating(*(found.by_word[word] for word in pair)) for pair in pairs]
        some = zip(pairs, turns, sizes, strict=True)
        made.append(Swaps(tuple(tuple(_swap(*turn, pair) for turn in own[:size]) for pair, own, size in some)))
    return made


def random_words(found: Contexts, count: int, repeats: int, random: np.random.Generator) -> list[list[Context]]:
    """Draw `count` random words for each repeat (all there are, if fewer), each in one sentence."""
    words = [word for word, contexts in found.by_word.items() if contexts]
    size = min(count, len(words))
    return [
        [s.shared_out(found.by_word[words[i]], repeat, 1)[0] for i in random.choice(len(words), size, replace=False)]
        for repeat in range(repeats)
    ]


def word_shares(vectors: NDArray[np.float32]) -> FloatArray:
    """Return the shares of variance of the components of words (n, d) at unit length, centred on their mean."""
    return subspace([unit_rows(vectors)])[1][:COMPONENTS]


@dataclass(frozen=True)
class SwapVectors:
    """Unit vectors of the swapped sentences of one repeat: (swaps, 2, d), and the pair of each, (swaps,)."""

    vectors: FloatArray
    pair: NDArray[np.intp]

    @classmethod
    def of(cls, swaps: Swaps, rows: NDArray[np.float32]) -> SwapVectors:
        """Put the vectors of `swaps.contexts()` together again."""
        pair = np.repeat(np.arange(len(swaps.by_pair)), [len(one) for one in swaps.by_pair])
        return cls(unit_rows(rows).reshape(len(pair), 2, -1), pair)

    def components(self) -> tuple[FloatArray, FloatArray]:
        """Return the principal components, each swap centred on its own mean, and their shares of variance."""
        if np.allclose(self.vectors[:, 0], self.vectors[:, 1], atol=1e-6):
            raise MeasureError("swapped words have the same vector, so the encoder does not tell them apart.")
        found, ratios = subspace(list(self.vectors))
        return found, ratios[:COMPONENTS]


def random_components(
    sets: Sequence[SwapVectors], pairs: int, count: int, draws: int, random: np.random.Generator
) -> tuple[FloatArray, FloatArray]:
    """Draw `pairs` random pairs from all of them: shares of variance (draws, count), and first components (draws, d).

    A centred swap is plus and minus half its difference, so both come from the differences alone.
    """
    differences = np.concatenate([one.vectors[:, 0] - one.vectors[:, 1] for one in sets])
    starts = np.cumsum([0, *(int(one.pair.max()) + 1 for one in sets)])
    members = np.concatenate([one.pair + start for one, start in zip(sets, starts[:-1], strict=True)])
    rows = [np.flatnonzero(members == pair) for pair in range(int(starts[-1]))]
    products = differences @ differences.T
    shares, firsts = np.zeros((draws, count)), np.zeros((draws, differences.shape[1]))
    for draw in range(draws):
        picked = np.concatenate([rows[i] for i in random.choice(len(rows), pairs, replace=False)])
        found, weights = np.linalg.eigh(products[np.ix_(picked, picked)])
        values = np.clip(found[::-1], 0, None)
        top = values[:count] / values.sum()
        shares[draw, : len(top)] = top
        firsts[draw] = weights[:, -1] @ differences[picked]
    return shares, unit_rows(firsts)


def beside_random(values: Sequence[float], drawn: Sequence[FloatArray]) -> RepeatedMeasure:
    """Compare the values of all repeats with those of random draws, (draws,) of random pairs, and of mixed ones.

    `drawn` is empty where none were made. The p-value is over mixed draws, from random pairs and the pairs themselves
    together. Random pairs are few, so draws from them alone are too similar, and pairs that do not differ from
    random words would often stand out.
    """
    over = spread(values)
    if not drawn:
        return RepeatedMeasure(over, tuple(values), None, None)
    beside, mixed = drawn
    pvalue = against_chance(over.mean, mixed, signed=False).pvalue
    chance = replace(against_chance(over.mean, beside, KIND, signed=False), pvalue=pvalue)
    return RepeatedMeasure(over, tuple(values), spread(beside), pvalue, beside=chance)


def component_spreads(shares: Sequence[FloatArray]) -> tuple[Spread, ...]:
    """Return the share of each component over the repeats; one missing from a repeat has none of its variance."""
    count = max(len(share) for share in shares)
    padded = np.array([np.pad(share, (0, count - len(share))) for share in shares])
    return tuple(spread(column) for column in padded.T)


@dataclass(frozen=True)
class Encoded:
    """Vectors of every repeat: of biased words (repeats, n, d), of professions (repeats, p, d), of swaps, and of
    random words (m, d), if any were drawn; of sampled candidates (s, d).

    They are as many numbers as there are words, repeats and dimensions, however large the corpus is.
    """

    words: NDArray[np.float32]
    professions: NDArray[np.float32]
    swaps: tuple[SwapVectors, ...]
    beside: tuple[SwapVectors, ...]
    random: tuple[NDArray[np.float32], ...]
    sample: NDArray[np.float32]

    def repeats(self, directions: Sequence[FloatArray]) -> Iterator[Repeat]:
        """Give one repeat after the other at unit length; `directions` are (d,) each."""
        for number, direction in enumerate(directions):
            yield Repeat(unit_rows(self.words[number]), unit_rows(self.professions[number]), direction)

    def direct_biases(self, directions: FloatArray) -> FloatArray:
        """Return the direct bias along each of directions (n, d), over the professions of all repeats; (n,)."""
        unit = unit_rows(self.professions.reshape(-1, self.professions.shape[-1]))
        return np.asarray(np.abs(unit @ directions.T).mean(axis=0))


def encode(
    encoder: Encoder, drawn: s.Drawn, words: s.BiasedWords, jobs: s.Professions, swaps: Sequence[Swaps],
    beside: Sequence[Swaps], random: Sequence[Sequence[Context]], sample: Sequence[Context], *,
    store: str | PathLike[str] | None, progress: Progress | None,
) -> Encoded:  # fmt: skip
    """Encode what every repeat needs at once, so that a sentence shared by several words or repeats is read once."""
    count = len(swaps)
    each = ((drawn.contexts(s.BIASED).by_word, words.words), (drawn.contexts(s.PROFESSIONS).by_word, jobs.words))
    blocks = [
        *([s.shared_out(found[word], i, 1)[0] for i in range(count) for word in used] for found, used in each),
        *(one.contexts() for one in (*swaps, *beside)),
        *random,
        sample,
    ]
    passages = [Passage(c.text, ((c.start, c.end),)) for block in blocks for c in block]
    rows = vectors_of(encoder, passages, store=store, progress=progress)
    parts = np.split(rows, np.cumsum([len(block) for block in blocks])[:-1])
    made = (*swaps, *beside)
    swapped = [SwapVectors.of(one, part) for one, part in zip(made, parts[2:], strict=False)]
    return Encoded(
        parts[0].reshape(count, len(words.words), -1), parts[1].reshape(count, len(jobs.words), -1),
        tuple(swapped[:count]), tuple(swapped[count:]), tuple(parts[2 + len(made) : -1]), parts[-1],
    )  # fmt: skip


def summed_up(
    vectors: Encoded, drawn: s.Drawn, used: tuple[SwappedPair, ...], draws: int, random: np.random.Generator
) -> tuple[list[FloatArray], SwappedSubspace, RepeatedMeasure, RepeatedMeasure]:
    """Return each repeat's direction, a summary of them, and beside random words: share of variance, direct bias."""
    found = [one.components() for one in vectors.swaps]
    directions, shares = [components[0] for components, _ in found], [ratios for _, ratios in found]
    together = unit_rows(np.mean(directions, axis=0))
    explained = component_spreads(shares)
    direct = [direct_bias_value(projections(*both), 1.0) for both in zip(vectors.professions, directions, strict=True)]
    sets = (vectors.beside, (*vectors.beside, vectors.swaps[0])) if draws else ()
    beside = [random_components(own, len(used), len(explained), draws, random) for own in sets]
    at_random = [(shares[:, 0], vectors.direct_biases(firsts)) for shares, firsts in beside]
    subspace = SwappedSubspace(
        poles=drawn.poles,
        pairs=used,
        pairs_left_out=tuple(pair for pair in drawn.pairs if pair not in {one.words for one in used}),
        explained=explained,
        random=tuple(spread(column) for column in beside[0][0].T) if beside else (),
        direction=tuple(together.tolist()),
        agreement=spread(projections(np.array(directions), together)),
        random_words=component_spreads([word_shares(rows) for rows in vectors.random]) if vectors.random else (),
    )
    values = ([float(share[0]) for share in shares], direct)
    variance, lean = (beside_random(own, [some[i] for some in at_random]) for i, own in enumerate(values))
    return directions, subspace, variance, lean

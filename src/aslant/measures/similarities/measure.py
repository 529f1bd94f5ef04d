"""Word similarity: do cosines rank pairs of words as people do? A check that vectors still mean something."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from aslant import statistics
from aslant.errors import DataError, MeasureError, plural
from aslant.io.reading import read_text
from aslant.measures.shared.open_subject import opening
from aslant.measures.shared.wordsets import FloatArray, check_vectors, provenance
from aslant.measures.similarities.result import SimilarityResult
from aslant.results.parts import Interval, WordsUsed
from aslant.vectors import WordVectors

#: Rated pairs: the name of similarity data, a file of tab-separated lines, or your own (word, word, rating) triples.
RatedPairs: TypeAlias = str | PathLike[str] | Iterable[tuple[str, str, float]]

#: Data by name that hold rated pairs, in the order of `aslant data list`.
SIMILARITY_DATA = ("men", "mturk-771", "rare-words", "rg-65", "simlex-999", "wordsim-353")
_BLOCK = 1 << 21  # ranks at a time


class Rated(NamedTuple):
    """One pair with its rating by people."""

    first: str
    second: str
    rating: float


@dataclass(frozen=True)
class SimilarityChange:
    """Spearman's rho in two embeddings, over the pairs that both have, and the interval of after minus before."""

    before: float
    after: float
    interval: Interval | None
    n_used: int


def rank_correlation(x: FloatArray, y: FloatArray, name: str) -> float:
    """Return Spearman's rho of two series (n,), ties at their mean rank; series without differences are refused."""
    rho = float(statistics.rank_correlations(x[None], y[None])[0])
    if np.isnan(rho):
        raise MeasureError(f"the ratings or the cosines of '{name}' are all the same, so nothing can be ranked.")
    return rho


@opening("vectors")
def word_similarity(
    vectors: WordVectors,
    pairs: RatedPairs = "wordsim-353",
    *,
    bootstrap: int = 2_000,
    confidence: float = 0.95,
    rng: int | np.random.Generator | None = 0,
) -> SimilarityResult:
    """Correlate cosines with people's ratings of pairs of words (Spearman), with a bootstrap over the pairs.

    `pairs` is similarity data by name (men, mturk-771, rare-words, rg-65, simlex-999, wordsim-353), a file with two
    words and a number per line, separated by tabs, or such triples. Pairs with a word that has no vector are left out.

    >>> import aslant
    >>> rated = [("king", "queen", 8.6), ("car", "train", 6.3), ("king", "cabbage", 0.2), ("doctor", "cucumber", 0.3)]
    >>> aslant.word_similarity(aslant.load(), rated, bootstrap=0).spearman > 0.5
    True
    """
    check_vectors(vectors)
    statistics.check_confidence(confidence)
    statistics.check_count("bootstrap", bootstrap, 0, statistics.MOST_BOOTSTRAP)
    rated, name = rated_pairs(pairs)
    kept, cosines, used = _cosines(vectors, rated)
    _need_three(kept, rated, name, vectors)
    ratings, seed = np.array([pair.rating for pair in kept]), statistics.seed_of(rng)
    settings = {"bootstrap": bootstrap, "confidence": confidence}
    return SimilarityResult(
        pairs=name,
        spearman=rank_correlation(cosines, ratings, name),
        interval=_interval((cosines,), ratings, bootstrap, confidence, statistics.generator(seed)),
        n_used=len(kept),
        n_missing=len(rated) - len(kept),
        provenance=provenance(vectors, name, (used,), seed, settings),
    )


def similarity_change(
    before: WordVectors, after: WordVectors, pairs: RatedPairs, *, bootstrap: int = 1_000, confidence: float = 0.95,
    rng: int | np.random.Generator | None = 0,
) -> SimilarityChange:  # fmt: skip
    """Measure `word_similarity` in two embeddings, on pairs that both have, with a paired bootstrap of the change."""
    statistics.check_confidence(confidence)
    statistics.check_count("bootstrap", bootstrap, 0, statistics.MOST_BOOTSTRAP)
    rated, name = rated_pairs(pairs)
    shared = _cosines(after, _cosines(before, rated)[0])[0]
    _need_three(shared, rated, name, after)
    first, second = (_cosines(vectors, shared)[1] for vectors in (before, after))
    ratings = np.array([pair.rating for pair in shared])
    return SimilarityChange(
        rank_correlation(first, ratings, name),
        rank_correlation(second, ratings, name),
        _interval((second, first), ratings, bootstrap, confidence, statistics.generator(rng)),
        len(shared),
    )


def _need_three(kept: list[Rated], rated: list[Rated], name: str, vectors: WordVectors) -> None:
    if len(kept) < 3:
        raise MeasureError(
            f"'{vectors.name}' has {len(kept)} of {plural(len(rated), 'pair')} of '{name}'; 3 are needed."
        )


def rated_pairs(pairs: RatedPairs) -> tuple[list[Rated], str]:
    """Return rated pairs and the name of where they come from ("own" if none)."""
    if not isinstance(pairs, str | PathLike | Iterable):
        raise MeasureError(f"{pairs!r:.60} are not rated pairs; give (word, word, rating) for each.")
    if not isinstance(pairs, str | PathLike):
        return [_rated(row) for row in pairs], "own"
    path, name = Path(pairs), str(pairs)
    if not path.is_file():
        from aslant.data import fetch

        if name not in SIMILARITY_DATA:
            raise DataError(f"'{name}' is neither a file nor similarity data; these are {', '.join(SIMILARITY_DATA)}.")
        path = fetch(name)
    return read_pairs(path), name


def read_pairs(path: Path) -> list[Rated]:
    """Read lines of two words and a rating, separated by tabs; lines that begin with '#' are comments."""
    lines = read_text(path, DataError).splitlines()
    return [
        # several tabs in a row count as one: RG-65 has them
        _rated([field.strip() for field in line.split("\t") if field.strip()][:3], f"line {number} of '{path.name}'")
        for number, line in enumerate(lines, 1)
        if line.strip() and not line.startswith("#")
    ]


def _rated(row: Any, where: str = "a pair") -> Rated:
    try:
        first, second, rating = row
        number = float(rating)
        fits = isinstance(first, str) and isinstance(second, str) and bool(first and second) and np.isfinite(number)
    except (TypeError, ValueError):
        fits = False
    if not fits:
        raise MeasureError(f"{where} is {row!r:.60}; expected two words and a number.")
    return Rated(first, second, number)


def _cosines(vectors: WordVectors, rated: list[Rated]) -> tuple[list[Rated], FloatArray, WordsUsed]:
    """Return the pairs that have vectors, their cosines, and the words used and missing."""
    words = tuple(dict.fromkeys(word for pair in rated for word in pair[:2]))
    looked_up = vectors.lookup(words)
    place = {word: row for row, word in enumerate(looked_up.found)}
    kept = [pair for pair in rated if pair.first in place and pair.second in place]
    unit = statistics.unit_rows(looked_up.vectors)
    first, second = ([place[getattr(pair, side)] for pair in kept] for side in ("first", "second"))
    cosines = np.einsum("ij,ij->i", unit[first], unit[second])
    return kept, cosines, WordsUsed("rated pairs", looked_up.found, looked_up.tokens, looked_up.missing)


def _interval(
    cosines: tuple[FloatArray, ...], ratings: FloatArray, n_resamples: int, confidence: float,
    random: np.random.Generator,
) -> Interval | None:  # fmt: skip
    """Return the interval of rho, or of the first rho minus the second; draws of a single pair are dropped."""
    n, block = len(ratings), max(1, _BLOCK // len(ratings))
    draws = []
    for start in range(0, n_resamples, block):
        picked = random.integers(0, n, (min(block, n_resamples - start), n))
        first, *others = (statistics.rank_correlations(series[picked], ratings[picked]) for series in cosines)
        draws.append(first - others[0] if others else first)
    defined = np.concatenate([d[~np.isnan(d)] for d in draws]) if draws else np.empty(0)
    if not len(defined):
        return None
    low, high = statistics.percentile_interval(defined, confidence)
    return Interval(low, high, confidence, len(defined))

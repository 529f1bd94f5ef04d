"""What a score is compared with: words drawn with replacement, reassigned, or replaced by random ones."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations, product
from math import comb
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from aslant.measures.set_scores.kinds import Score
from aslant.measures.set_scores.statistic import Batch, FloatArray
from aslant.measures.shared.wordsets import Found
from aslant.statistics import Chance, PermutationPvalue, against_chance, partition_pvalue
from aslant.vectors import WordVectors

#: Numbers that one block of draws holds at a time, which bounds memory.
BLOCK = 1 << 22
Rows: TypeAlias = NDArray[np.intp]


def seen_by(score: Score, batch: Batch, pick: Rows | None = None) -> Batch:
    """Return the batch as a score takes it: only the target words to `pick`, and unit vectors where it takes these."""
    if pick is not None:
        own = batch.target_products[np.ix_(pick, pick)]
        half = len(pick) // 2
        sides = np.repeat(np.eye(2), half, axis=1)[None]
        batch = replace(batch, target_products=own, products=batch.products[:, pick], targets=sides)
    if not score.cosines:
        return batch
    targets, attributes = np.sqrt(np.diag(batch.target_products)), np.sqrt(batch.squares)
    return replace(
        batch,
        target_products=batch.target_products / targets[:, None] / targets,
        products=batch.products / targets[:, None] / attributes[:, None],
        attribute_products=batch.attribute_products / attributes[:, :, None] / attributes[:, None],
    )


def values_of(score: Score, batch: Batch, most: int = 10**9) -> FloatArray:
    """Return the score of every draw, or of the first ones, (D,), block by block."""
    arrays = {name: getattr(batch, name) for name in ("products", "attribute_products", "targets", "attributes")}
    draws = min(most, max(map(len, arrays.values())))
    words = batch.products.shape[1] + batch.products.shape[2]
    step = max(1, BLOCK // words**2)
    made = []
    for start in range(0, draws, step):
        stop = min(start + step, draws)
        some = {name: a if len(a) == 1 else a[start:stop] for name, a in arrays.items()}
        made.append(np.broadcast_to(score.statistic(replace(batch, **some))[0], stop - start))
    return np.concatenate(made)


def towards_bias(score: Score, values: Any) -> Any:
    """Turn values so that larger means more bias."""
    return np.abs(values) if score.extreme == "both" else values if score.extreme == "high" else -values


def own_pvalue(
    score: Score, batch: Batch, value: float, n_resamples: int, rng: np.random.Generator
) -> tuple[float | None, str, int | None]:
    """Return the p-value over ways to reassign words, how it was found, and how many ways there are.

    None where no words could change places. Draws for which a score does not exist count against it.
    """
    if not score.dealt or (score.dealt == "attributes" and batch.attributes.shape[1] < 2):
        return None, "", None
    if score.dealt == "means":
        by_word, first = score.statistic(batch)[1][0], batch.targets[0, 0] > 0
        p = means_pvalue(by_word[first], by_word[~first], n_resamples, rng)
        return p.pvalue, p.method, p.n_partitions
    role = "attributes" if score.dealt == "attributes" else "targets"
    counts = getattr(batch, role)[0]
    made, ways = _dealt(score.dealt, counts, min(n_resamples, score.most), rng)
    drawn = towards_bias(score, values_of(score, replace(batch, **{role: made})))
    observed = float(towards_bias(score, value))
    reached = int((~(drawn < observed - 1e-9 * abs(observed))).sum())
    if len(made) == ways:
        return reached / ways, "enumeration", ways
    return max((1 + reached) / (1 + len(made)), 1 / ways), "monte carlo", ways


def means_pvalue(first: FloatArray, second: FloatArray, n: int, rng: np.random.Generator) -> PermutationPvalue:
    """Return the two-sided p-value of a difference of means: exact, or for large sets the end of a narrow bracket."""
    method: Any = "dynamic programming" if 40 < len(first) + len(second) <= 250 else "auto"  # 30 times as fast
    return partition_pvalue(first, second, alternative="two-sided", method=method, n_resamples=n, rng=rng)


def _dealt(dealt: str, counts: FloatArray, most: int, rng: np.random.Generator) -> tuple[FloatArray, int]:
    """Return every way to reassign words, or `most` random ones, as counts (D, sets, words), and their number."""
    if dealt == "pairs":
        n = counts.shape[1] // 2
        signs = np.array(list(product((1.0, -1.0), repeat=n))) if 2**n <= most else rng.choice((1.0, -1.0), (most, n))
        return np.tile(signs, 2)[:, None] * counts, 2**n
    n, k = counts.shape[1], int(counts[0].sum())
    ways = comb(n, k)
    first = np.zeros((ways if ways <= most else most, n))
    if ways <= most:
        np.put_along_axis(first, np.array(list(combinations(range(n), k))), 1.0, axis=1)
    else:
        first[:, :k] = 1
        first = rng.permuted(first, axis=1)
    return np.stack([first, 1 - first], axis=1), ways


def resampled(score: Score, batch: Batch, draws: int, rng: np.random.Generator) -> FloatArray:
    """Return the scores of words drawn with replacement, set by set (pairs: pair by pair); those that exist."""
    counts = {role: _drawn(getattr(batch, role)[0], draws, rng) for role in ("attributes", "targets")}
    if score.dealt == "pairs":
        half = counts["targets"].shape[2] // 2
        pairs = counts["targets"][:, 0, :half]
        counts["targets"] = np.concatenate([pairs, pairs], axis=1)[:, None] * batch.targets
    found = values_of(score, replace(batch, **counts))
    return found[np.isfinite(found)]


def _drawn(members: FloatArray, draws: int, rng: np.random.Generator) -> FloatArray:
    """Count how often each word is drawn into its set, (draws, sets, words)."""
    made = np.zeros((draws, *members.shape))
    for place, inside in enumerate(members):
        rows = np.flatnonzero(inside)
        made[:, place, rows] = rng.multinomial(len(rows), np.full(len(rows), 1 / len(rows)), draws)
    return made


def replaced(
    scores: Mapping[str, tuple[Score, Rows | None]], vectors: WordVectors, targets: Sequence[Found], batch: Batch,
    rows: Sequence[NDArray[np.int64]], *, unit: bool,
) -> dict[str, FloatArray]:  # fmt: skip
    """Return each score with random attributes, whose rows of the embedding are (draws, words of a set) each."""
    x = np.concatenate([g.unit if unit else g.raw for g in targets]).astype(np.float32)
    made: dict[str, list[FloatArray]] = {name: [] for name in scores}
    for start, drawn in _blocks(np.concatenate(rows, axis=1), vectors, unit=unit):
        products = np.matmul(drawn, x.T).swapaxes(1, 2).astype(np.float64)
        squares = np.matmul(drawn, drawn.swapaxes(1, 2)).astype(np.float64)
        seen: dict[tuple[bool, bool], Batch] = {}
        for name, (score, pick) in scores.items():
            if score.most > start:
                key = (score.cosines, pick is None)
                if key not in seen:
                    whole = replace(batch, products=products, attribute_products=squares)
                    seen[key] = seen_by(score, whole, pick)
                made[name].append(values_of(score, seen[key], score.most - start))
    return {name: np.concatenate(parts) for name, parts in made.items()}


def _blocks(rows: NDArray[np.int64], vectors: WordVectors, *, unit: bool) -> Iterator[tuple[int, NDArray[np.float32]]]:
    """Yield the vectors of some draws at a time, (draws, words, d), and the number of the first."""
    step = max(1, BLOCK // (rows.shape[1] * vectors.dimensions))
    for start in range(0, len(rows), step):
        needed, where = np.unique(rows[start : start + step], return_inverse=True)
        found = np.asarray(vectors.rows(needed), dtype=np.float32)
        if unit:
            found = found / np.linalg.norm(found, axis=1, keepdims=True)
        yield start, found[where.reshape(-1, rows.shape[1])]


def compared(score: Score, value: float, drawn: FloatArray, kind: str) -> tuple[Chance, float | None, FloatArray]:
    """Compare a value with what chance gave; return also how far beyond the mean of chance it and each draw are."""
    drawn = drawn[np.isfinite(drawn)]
    sizes, size = towards_bias(score, drawn), float(towards_bias(score, value))
    if score.extreme == "low":
        found = against_chance(-value, -drawn, kind, signed=False)
        found = replace(found, mean=-found.mean, low=-found.high, high=-found.low)
    else:
        found = against_chance(value, drawn, kind, signed=score.extreme == "both")
    mean, sd = float(sizes.mean()), float(sizes.std())
    return found, (size - mean) / sd if sd else None, np.asarray((sizes - mean) / (sd or 1.0))

"""The permutation p-value of a difference of means between two sets, exact whenever it can be.

Caliskan et al. (2017) compare the observed difference with that of every re-partition of the pool into
sets of the same two sizes. The methods, in the order in which "auto" tries them:

- "enumeration": every partition, one by one; small pools.
- "meet-in-the-middle": the exact count; every pool of up to 50 words, and larger ones in the far tail.
- "dynamic programming": a guaranteed bracket of at most `relative_width`; up to about 150 + 150 words.
- "monte carlo": random partitions; everything else.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from aslant.errors import MeasureError
from aslant.statistics.intervals import clopper_pearson
from aslant.statistics.randomness import check_count, generator, seed_of
from aslant.statistics.subset_sums import Tail, count_at_least, tail_bracket, upper_tail

Alternative = Literal["greater", "less", "two-sided"]
Method = Literal["enumeration", "meet-in-the-middle", "dynamic programming", "monte carlo"]
Bracket = tuple[float, float]

ENUMERATION_LIMIT = 1 << 18
#: More random partitions than this take hours and tell nothing more.
MOST_RESAMPLES = 10**8
BLOCK = 1 << 21  # scores shuffled at a time


@dataclass(frozen=True)
class PermutationPvalue:
    """A permutation p-value, what is known about it, and how it was found.

    `pvalue` is exact, or the upper end of a guaranteed bracket, or an add-one Monte Carlo estimate;
    `bounds` is accordingly (p, p), that bracket, or a 99 % Clopper–Pearson interval. `n_partitions` is the
    number of re-partitions; `n_resamples` that of random ones, None unless `method` is "monte carlo".
    """

    pvalue: float
    bounds: tuple[float, float]
    method: Method
    n_partitions: int
    n_resamples: int | None = None


def partition_pvalue(
    first: ArrayLike,
    second: ArrayLike,
    *,
    alternative: Alternative = "greater",
    method: Method | Literal["auto"] = "auto",
    relative_width: float = 0.01,
    n_resamples: int = 100_000,
    rng: int | np.random.Generator | None = 0,
) -> PermutationPvalue:
    """Compute the share of re-partitions whose difference of means is as large as the observed one.

    `first` is (k,) and `second` (m,): one score per word. The observed partition counts, so 0 < p ≤ 1
    (Caliskan et al. 2017, Methods: the one-sided p-value of the permutation test). Two-sided is
    min(1, 2 · the smaller tail), as in SciPy. Ties are treated as `subset_sums` says.

    >>> partition_pvalue([3.0, 4.0], [1.0, 2.0]).pvalue == 1 / 6
    True
    >>> partition_pvalue([3.0, 4.0], [1.0, 2.0], alternative="two-sided").pvalue == 2 / 6
    True
    """
    upper = upper_tail(_checked(first, "first"), _checked(second, "second"))
    method = _method(method)
    check_choices(alternative, method, n_resamples)
    if not relative_width > 0:
        raise MeasureError(f"relative_width is {relative_width!r}; give a positive number such as 0.01.")
    seed_of(rng)  # a bad seed is refused even where nothing will be drawn
    one = upper.smaller()
    tails = {"greater": [one], "less": [one.mirrored()], "two-sided": [one, one.mirrored()]}[alternative]
    # The tail that is probably the smaller one goes first: the other is then not needed.
    tails.sort(key=lambda tail: tail.is_above_mean, reverse=True)
    for name in get_args(Method)[:3] if method == "auto" else (method,):
        if name != "monte carlo" and (bracket := _exact(name, tails, relative_width)) is not None:
            return PermutationPvalue(bracket[1], bracket, name, upper.n_partitions)
    if method not in ("auto", "monte carlo"):
        sizes = f"{upper.size} + {len(upper.scores) - upper.size}"
        raise MeasureError(f'{method} does not fit {sizes} scores like these; use method="auto".')
    return _monte_carlo(tails, n_resamples, generator(rng))


def _checked(scores: ArrayLike, name: str) -> NDArray[np.float64]:
    try:
        array = np.asarray(scores, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise MeasureError(f"the {name} set is not a list of numbers: {error}.") from error
    if array.ndim != 1 or not array.size:
        raise MeasureError(f"the {name} set has shape {array.shape}; give one list with at least one score.")
    if not np.isfinite(array).all():
        raise MeasureError(f"the {name} set holds {array[~np.isfinite(array)][0]}; scores must be finite.")
    return array


def _method(given: str) -> Any:
    """Read "monte-carlo" or "Monte Carlo" as "monte carlo"; anything unknown is returned as it is."""
    plain = str(given).lower().replace("-", " ")
    return next((name for name in get_args(Method) if name.replace("-", " ") == plain), given)


def check_choices(alternative: str, method: str, n_resamples: int) -> None:
    """Refuse what `partition_pvalue` would refuse, for measures that do a lot of work before they call it.

    >>> check_choices("more", "auto", 100)
    Traceback (most recent call last):
    aslant.errors.MeasureError: alternative is 'more'; choose one of greater, less, two-sided.
    """
    methods = ("auto", *get_args(Method))
    for name, value, known in (
        ("alternative", alternative, get_args(Alternative)), ("method", _method(method), methods)
    ):  # fmt: skip
        if value not in known:
            raise MeasureError(f"{name} is {value!r}; choose one of {', '.join(known)}.")
    check_count("n_resamples", n_resamples, 1, MOST_RESAMPLES)


def _exact(method: Method, tails: list[Tail], relative_width: float) -> Bracket | None:
    """Bracket min(1, number of tails · the smallest tail), or return None if the method does not fit."""
    brackets: list[Bracket] = []
    for tail in tails:
        bracket: Bracket | None
        if method == "dynamic programming":
            bracket = tail_bracket(tail, relative_width)
        else:
            count = enumerate_at_least(tail) if method == "enumeration" else count_at_least(tail)
            bracket = None if count is None else (count / tail.n_partitions,) * 2
        if bracket is None:
            return None
        brackets.append(bracket)
        # The two tails share the ties and so add up to at least 1: the other one cannot be smaller.
        if bracket[1] <= 0.5:
            break
    low, high = (min(ends) for ends in zip(*brackets, strict=True))
    return min(1.0, len(tails) * low), min(1.0, len(tails) * high)


def enumerate_at_least(tail: Tail) -> int | None:
    """Count the subsets that reach the threshold by listing every one, or return None if there are too many."""
    if tail.n_partitions > ENUMERATION_LIMIT:
        return None
    n, size, threshold, count = len(tail.scores), tail.size, tail.threshold, 0
    sums = [np.zeros(1, np.int64), *[np.zeros(0, np.int64)] * (size - 1)]
    for i, score in enumerate(tail.scores, start=1):
        count += int(np.count_nonzero(sums[size - 1] >= threshold - score))
        # Only sizes that the scores still to come can complete; from above, to read list j − 1 unchanged.
        for j in range(min(i, size - 1), max(1, size - (n - i)) - 1, -1):
            sums[j] = np.concatenate([sums[j], sums[j - 1] + score])
    return count


def _monte_carlo(tails: list[Tail], n_resamples: int, rng: np.random.Generator) -> PermutationPvalue:
    """Draw partitions, each without replacement; p = (1 + hits) / (1 + draws) of the smallest tail."""
    scores, size = tails[0].scores, tails[0].size
    hits = [0] * len(tails)
    rows = max(1, BLOCK // len(scores))
    for start in range(0, n_resamples, rows):
        drawn = np.tile(scores, (min(rows, n_resamples - start), 1))
        sums = rng.permuted(drawn, axis=1, out=drawn)[:, :size].sum(axis=1)
        # A second tail is the first one mirrored: the same sums, negated.
        for i, tail in enumerate(tails):
            hits[i] += int(((sums if i == 0 else -sums) >= tail.threshold).sum())
    n_partitions = tails[0].n_partitions
    shares = (1 + min(hits)) / (1 + n_resamples), *clopper_pearson(min(hits), n_resamples)
    # The observed partition is one of them: no tail is smaller than its share.
    pvalue, low, high = (min(1.0, len(tails) * max(share, 1 / n_partitions)) for share in shares)
    return PermutationPvalue(pvalue, (low, high), "monte carlo", n_partitions, int(n_resamples))

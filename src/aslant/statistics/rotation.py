"""The rotational null (Swinger et al. §2.3): which scores result if the names are rotated at random against the words.

Only the n group means enter a score, so a rotation of the whole space is never made: a random n-frame with the Gram
matrix of the means has the same distribution as the means turned by a Haar-random matrix, at a fraction of the cost.

Drawing stops early, at a stated risk, where the rest can no longer change a verdict. The question is what the full run
of R rotations would have said: of R exchangeable draws C reach the observed score, and c of the first k did. Given C, c
is hypergeometric, so its tails bound C exactly; a share of the risk goes to each cell and each look, so all bounds hold
at once with probability 1 − risk. Verdicts then follow from Benjamini–Hochberg, which only finds more as p-values fall:
what is significant with every p at its upper bound stays so, and what is not with every p at its lower bound never is.
"""

from __future__ import annotations

import hashlib
import itertools
import time
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aslant.io.journal import Journal
from aslant.parallel import one_thread_each, spread
from aslant.statistics.intervals import benjamini_hochberg
from aslant.statistics.rotation_kernel import ROWS_AT_ONCE, best_of_cells
from aslant.version import __version__

FloatArray = NDArray[np.float64]
Integers = NDArray[np.int64]
Progress = Callable[[int, int], None]

SECONDS_BETWEEN_KEEPING = 1.0
#: The best scores of all cells under a block of rotations take at most this many numbers (64 MB).
MOST_NUMBERS = 1 << 24


def turned_means(means: FloatArray, count: int, rng: np.random.Generator) -> FloatArray:
    """Turn the group means by `count` random rotations; (n, d) becomes (count, n, d), with the same Gram matrix.

    >>> means = np.array([[1.0, 0.0, 0.0], [1.0, 1.0, 0.0]])
    >>> turned = turned_means(means, 1, np.random.default_rng(0))[0]
    >>> np.allclose(turned @ turned.T, means @ means.T)
    True
    """
    _, coordinates = np.linalg.qr(means.T)  # means = coordinatesᵀ · (orthonormal rows)
    # Random orthonormal frames: each is the Q of a QR decomposition of a Gaussian matrix, signs fixed so that R has a
    # positive diagonal, which makes Q Haar-distributed (Mezzadri 2007).
    q, r = np.linalg.qr(rng.standard_normal((count, means.shape[1], len(coordinates))))
    signs = np.where(np.diagonal(r, axis1=1, axis2=2) < 0, -1.0, 1.0)
    return np.asarray(np.swapaxes((q * signs[:, None, :]) @ coordinates, 1, 2))


@dataclass(frozen=True, eq=False)
class RotationProblem:
    """What is tested: `words` (M, d) unit vectors in order of category, with `starts` (m + 1) where each begins.

    `means` (n, d) are the group means, `observed` (m, n) the scores, NaN where a cell has no test. With `voronoi` a
    word is chosen for the group that it is nearest to and no other, under every rotation.
    """

    words: NDArray[np.float32]
    starts: Integers
    means: FloatArray
    observed: FloatArray
    per_cell: int
    voronoi: bool = True

    @property
    def categories(self) -> int:
        """How many categories there are."""
        return len(self.starts) - 1

    @cached_property
    def centre(self) -> FloatArray:
        """The mean of all words, 𝒜̄."""
        return np.asarray(self.words.mean(axis=0, dtype=np.float64))

    def fingerprint(self) -> str:
        """Return a digest of everything that the null distribution depends on."""
        digest = hashlib.sha256(repr((self.words.shape, self.means.shape, self.per_cell, self.voronoi)).encode())
        for array in (self.words, self.starts, self.means, self.observed):
            digest.update(np.ascontiguousarray(array).tobytes())
        return digest.hexdigest()


@dataclass(frozen=True)
class RotationPlan:
    """How the null is drawn; `risk` > 0 stops early, at that risk of changing any verdict at `alpha`."""

    rotations: int
    seed: int
    alpha: float = 0.05
    risk: float = 0.0
    workers: int | None = None


def block_size(groups: int, categories: int = 1, per_cell: int = 1) -> int:
    """Return how many rotations are drawn at a time: as many as the kernel's cache holds, and memory for the cells."""
    return max(1, min(ROWS_AT_ONCE // groups, MOST_NUMBERS // (groups * categories * per_cell)))


def turned_block(means: FloatArray, plan: RotationPlan, size: int, number: int) -> FloatArray:
    """Return the turned means of block `number` of `size` rotations, from its own random numbers; (size, n, d)."""
    rng = np.random.default_rng(np.random.SeedSequence(plan.seed, spawn_key=(number,)))
    return turned_means(means, min(size, plan.rotations - number * size), rng)


@dataclass(eq=False)
class Drawing:
    """What a block of rotations is counted from, on any worker: the problem and the plan.

    `size` rotations make a block.
    """

    problem: RotationProblem
    plan: RotationPlan
    size: int
    _last: tuple[tuple[int, ...], NDArray[np.float32], NDArray[np.int32]] | None = None

    def words_of(self, active: tuple[int, ...]) -> tuple[NDArray[np.float32], NDArray[np.int32]]:
        """Return the words of the active categories, and the number of each word's category among these.

        The last answer is kept: all blocks between two looks have the same.
        """
        if self._last is None or self._last[0] != active:
            starts, words = self.problem.starts, self.problem.words
            categories = np.repeat(np.arange(len(active), dtype=np.int32), np.diff(starts)[list(active)])
            if len(active) < self.problem.categories:
                words = words[np.concatenate([np.arange(starts[c], starts[c + 1]) for c in active])]
            self._last = active, words, categories
        return self._last[1:]

    def __getstate__(self) -> dict[str, Any]:
        return {**vars(self), "_last": None}


def reached_in_block(drawing: Drawing, item: tuple[int, tuple[int, ...]]) -> Integers:
    """Return how many rotations of a block reach the observed score of each cell of the active categories.

    `item` is the number of the block, and the active categories; the answer is (active, n).
    """
    number, active = item
    problem = drawing.problem
    words, categories = drawing.words_of(active)
    turned = turned_block(problem.means, drawing.plan, drawing.size, number)
    best = best_of_cells(
        turned.astype(np.float32), words, categories, len(active), problem.per_cell, voronoi=problem.voronoi
    )
    # σ = (X̄_i − μ)·(Ā_ij − 𝒜̄): the kernel gives the first product, the second is the same for all categories.
    offsets = (turned - turned.mean(axis=1, keepdims=True)) @ problem.centre
    scores = best.mean(axis=-1, dtype=np.float64) - offsets[:, None, :]
    return np.asarray((scores >= problem.observed[list(active)]).sum(axis=0), dtype=np.int64)


def looks(rotations: int, first: int = 256, growth: float = 1.25) -> tuple[int, ...]:
    """Return after how many rotations to look, fixed in advance: often at first, then ever more rarely."""
    planned = (round(first * growth**number) for number in itertools.count())
    return tuple(itertools.takewhile(lambda at: at < rotations, planned))


def bounds_of_full_count(reached: Integers, drawn: int, rotations: int, risk: float) -> tuple[Integers, Integers]:
    """Bound how many of all `rotations` reach the score, when `reached` of the first `drawn` did; shapes kept.

    Each side fails with probability `risk` at most.
    """
    from scipy.stats import hypergeom

    unique, inverse = np.unique(reached, return_inverse=True)
    rest = rotations - drawn
    # Certain bounds: what was reached stays reached; of the rest none or all may follow.
    low = _first_true(unique, unique + rest, lambda c: hypergeom.sf(unique - 1, rotations, c, drawn) > risk)
    high = _first_true(unique, unique + rest + 1, lambda c: hypergeom.cdf(unique, rotations, c, drawn) <= risk) - 1
    return low[inverse].reshape(reached.shape), np.maximum(high, low)[inverse].reshape(reached.shape)


def _first_true(low: Integers, high: Integers, test: Callable[[Integers], NDArray[np.bool_]]) -> Integers:
    """Return, elementwise, the smallest number from `low` on for which the monotone `test` holds, or `high`."""
    low, high = low.copy(), high.copy()
    while (open_ := low < high).any():
        middle = (low + high) // 2
        holds = test(middle)
        high = np.where(open_ & holds, middle, high)
        low = np.where(open_ & ~holds, middle + 1, low)
    return low


def settled_verdicts(low: FloatArray, high: FloatArray, alpha: float) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Return which p-values between `low` and `high` Benjamini–Hochberg at `alpha` must accept, and which never."""
    at_most, at_least = (benjamini_hochberg(bound.ravel()).reshape(bound.shape) for bound in (high, low))
    return at_most <= alpha, at_least > alpha


@dataclass(eq=False)
class RotationCounts:
    """How often each cell was reached, so far: shapes (m, n); `low` and `high` bound what the full run would count.

    `drawn` (m,) are the rotations made for each category (one whose cells are all `settled` is drawn no more);
    `work` counts words × rotations; `blocks` and `looks` say how far the run has come.
    """

    reached: Integers
    drawn: Integers
    low: Integers
    high: Integers
    settled: NDArray[np.bool_]
    blocks: int = 0
    looks: int = 0
    work: int = 0

    @classmethod
    def nothing(cls, problem: RotationProblem, rotations: int) -> RotationCounts:
        """Start with no rotation made; a cell without a test is settled from the start."""
        zeros = np.zeros(problem.observed.shape, np.int64)
        return cls(
            zeros.copy(), np.zeros(len(zeros), np.int64), zeros.copy(), zeros + rotations, np.isnan(problem.observed)
        )

    def pvalues(self, rotations: int) -> FloatArray:
        """Return (1 + reached) / (1 + drawn) of every cell; where drawing stopped early, within what bounds it."""
        drawn = self.drawn[:, None]
        estimate = (1 + self.reached) / (1 + drawn)
        bounded = np.clip(estimate, (1 + self.low) / (1 + rotations), (1 + self.high) / (1 + rotations))
        return np.asarray(np.where(drawn < rotations, bounded, estimate))


def count_reached(
    problem: RotationProblem, plan: RotationPlan, *, journal: Journal | None = None, progress: Progress | None = None
) -> RotationCounts:
    """Count, for every cell, the rotations whose score reaches the observed one.

    Rotations come in blocks, each with its own random numbers from the seed, and are counted in order: the answer
    does not depend on the number of workers, nor on whether the run was interrupted and resumed from the `journal`.

    >>> words = np.eye(4, dtype=np.float32)
    >>> problem = RotationProblem(words, np.array([0, 4]), np.eye(2, 4), np.array([[0.6, 0.0]]), 1)
    >>> counted = count_reached(problem, RotationPlan(rotations=100, seed=0))
    >>> counted.drawn.tolist(), bool(counted.reached[0, 0] < counted.reached[0, 1])
    ([100], True)
    """
    run = _Run(problem, plan, journal, progress)
    with one_thread_each():
        for look, stop in enumerate(run.stops):
            if look < run.state.looks:
                continue
            run.draw_until(stop)
            run.look()
    return run.state


class _Run:
    """One run of the null: its state, and what it needs to continue."""

    def __init__(
        self, problem: RotationProblem, plan: RotationPlan, journal: Journal | None, progress: Progress | None
    ) -> None:
        self.problem, self.plan, self.journal, self.progress = problem, plan, journal, progress
        self.size = block_size(len(problem.means), problem.categories, problem.per_cell)
        blocks = -(-plan.rotations // self.size)
        early = {-(-at // self.size) for at in looks(plan.rotations)} if plan.risk > 0 else set()
        self.stops = [*sorted(at for at in early if at < blocks), blocks]
        settings, made_by = (plan.rotations, plan.seed, plan.alpha, plan.risk, self.size), (__version__, np.__version__)
        digest = hashlib.sha256(f"{problem.fingerprint()} {settings} {made_by}".encode()).hexdigest()
        self.key = f"rotations-{digest[:24]}"
        self.drawing = Drawing(problem, plan, self.size)
        self.state = RotationCounts.nothing(problem, plan.rotations)
        kept = journal.recall(self.key) if journal else None
        if kept is not None and kept.keys() == vars(self.state).keys():  # else a block was damaged
            fields: dict[str, Any] = {name: array if array.ndim else int(array) for name, array in kept.items()}
            self.state = RotationCounts(**fields)

    def draw_until(self, stop: int) -> None:
        """Draw and count blocks up to number `stop`, for the categories that are not settled."""
        state = self.state
        active = np.flatnonzero(~state.settled.all(axis=1))
        if not len(active):
            return
        kept_at = time.monotonic()
        numbers, chosen = range(state.blocks, stop), tuple(active.tolist())
        words = len(self.drawing.words_of(chosen)[0])
        items = ((number, chosen) for number in numbers)
        with closing(spread(reached_in_block, items, self.drawing, self.plan.workers)) as results:
            for number, reached in zip(numbers, results, strict=True):
                count = min(self.size, self.plan.rotations - number * self.size)
                state.reached[active] += reached
                state.drawn[active] += count
                state.work += count * words
                state.blocks = number + 1
                if time.monotonic() - kept_at > SECONDS_BETWEEN_KEEPING:
                    self._keep()
                    kept_at = time.monotonic()
                if self.progress:
                    self.progress(min(state.blocks * self.size, self.plan.rotations), self.plan.rotations)

    def look(self) -> None:
        """Find the cells whose verdict is known by now, then keep the state."""
        state, plan = self.state, self.plan
        drawn = min(state.blocks * self.size, plan.rotations)
        if drawn < plan.rotations and not state.settled.all():
            here = state.drawn == drawn  # categories each of whose cells has had as many rotations: bounds get narrower
            reached = state.reached[here]
            low, high = reached.copy(), reached + plan.rotations - drawn  # certain
            likely = reached < plan.alpha * (plan.rotations + 1)  # the others can no longer be significant anyway
            each = plan.risk / (2 * state.settled.size * (len(self.stops) - 1))
            low[likely], high[likely] = bounds_of_full_count(reached[likely], drawn, plan.rotations, each)
            state.low[here] = np.maximum(state.low[here], low)
            state.high[here] = np.minimum(state.high[here], high)
            tested = ~np.isnan(self.problem.observed)
            least, most = (
                np.where(tested, (1 + count) / (1 + plan.rotations), 1.0) for count in (state.low, state.high)
            )
            significant, never = settled_verdicts(least, most, plan.alpha)
            state.settled |= significant | never
        state.looks += 1
        self._keep()

    def _keep(self) -> None:
        if self.journal:
            self.journal.keep(self.key, {name: np.asarray(value) for name, value in vars(self.state).items()})

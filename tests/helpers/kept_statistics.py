"""Small inputs for the functions of `aslant.statistics`: what they give is kept (see `kept.py`)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from aslant import statistics as s
from aslant.statistics import intervals, nearest_rows, permutation, resampled_pvalues, rotation, subset_sums, subspaces

Example = Callable[[], Any]
METHODS = ("enumeration", "meet-in-the-middle", "dynamic programming", "monte carlo", "auto")
SIDES = ("greater", "less", "two-sided")


def numbers(*shape: int, seed: int = 0) -> Any:
    return np.random.default_rng(seed).normal(size=shape).round(3)


def partitions() -> dict[str, Example]:
    first, second = numbers(7) + 0.4, numbers(9, seed=1)
    made: dict[str, Example] = {
        f"{method}, {side}": lambda method=method, side=side: [  # type: ignore[misc]
            permutation.partition_pvalue(*pair, method=method, alternative=side, n_resamples=300)
            for pair in ((first, second), (second, first), (first[:2], second), (np.rint(first), np.rint(second)))
        ]
        for method in METHODS
        for side in SIDES
    }
    large = numbers(40, seed=2) + 0.3, numbers(45, seed=3)
    made["brackets"] = lambda: [
        permutation.partition_pvalue(*large, method="dynamic programming", relative_width=width, alternative=side)
        for width in (0.5, 0.05)
        for side in ("greater", "two-sided")
    ]
    made["grids"] = lambda: list(grids())
    made["tails"] = lambda: [
        [tail.scores, tail.size, tail.threshold, tail.is_above_mean, tail.n_partitions, tail.smaller()]
        for scale in (1.0, 1 / 3, 1e10)
        for tail in [subset_sums.upper_tail(first * scale, second[:5] * scale)]
    ]
    made["limits"] = lambda: [
        subset_sums._count(np.arange(12) ** 2 - 40, 5, 30, limit) for limit in (1, 20, 60, 200, 10**6)
    ]
    return made


def grids() -> Iterator[Any]:
    """Yield what one pass over grids of several steps holds and gives."""
    scores = np.sort(np.rint(100 * numbers(11)).astype(np.int64))[::-1]
    for size, threshold, step in ((3, 90, 1), (3, 90, 7), (5, -40, 16), (6, 200, 5)):
        grid = subset_sums._round(scores, size, threshold, step)
        yield [grid, subset_sums._pass(grid, size)]


def resampled() -> dict[str, Example]:
    x, y = numbers(30), numbers(30, seed=1)
    return {
        "orders": lambda: [
            function(x[:n], (x + y)[:n], n_resamples=200)
            for function in (resampled_pvalues.correlation_pvalue, resampled_pvalues.rank_correlation_pvalue)
            for n in (3, 6, 8, 9, 30)
        ],
        "signs": lambda: [s.sign_flip_pvalue(x[:n] + 0.2, n_resamples=200) for n in (1, 5, 16, 17, 30)],
        "sign counts": lambda: [s.sign_count_pvalue(given) for given in ([3, 1, -2], [1] * 9, [0], [4, 0, 4, -1])],
        "groups": lambda: [
            resampled_pvalues.regrouping_pvalue(numbers(sum(sizes), len(sizes)), sizes, n_resamples=150)
            for sizes in ([2, 3, 1], [4, 4], [8, 9, 7], [1, 1, 1, 1], [5, 5, 4, 4])
        ],
        "tied groups": lambda: [
            resampled_pvalues.regrouping_pvalue(np.rint(numbers(6, 3, seed=seed)), [2, 2, 2]) for seed in range(6)
        ],
        "rank correlations": lambda: s.rank_correlations(np.rint(numbers(5, 8)), numbers(5, 8, seed=1)),
    }


def spreads() -> dict[str, Example]:
    x = numbers(12)
    hits, sizes = np.array([0, 4, 1, 3, 5, 2]), np.array([4, 4, 2, 5, 5, 2])
    return {
        "clustered": lambda: [
            intervals.clustered_wilson(hits[:n], sizes[:n], confidence)
            for n in (1, 2, 6)
            for confidence in (0.5, 0.95)
        ],
        "shares": lambda: [
            interval(k, n, 0.9) for interval in (s.wilson, s.clopper_pearson) for k, n in ((0, 1), (1, 1), (3, 9))
        ],
        "bootstrap": lambda: s.bootstrap_means(x, 9, np.random.default_rng(0)),
        "clusters": lambda: [
            s.cluster_bootstrap_means(x[:6], sizes, [0, 1, 0, 1, 1, 0], 7, np.random.default_rng(0)),
            s.cluster_bootstrap_means(numbers(6, 2), sizes, np.zeros(6), 7, np.random.default_rng(1)),
        ],
        "combined": lambda: [
            intervals.combine(effects, variances)
            for effects, variances in (
                (x, np.abs(x[::-1]) + 0.1), ([1.0], [2.0]), ([1.0, 1.0], [0.5, 1.0]), ([0.0, 9.0], [0.1, 0.2]),
                ([0.0, 9.0, 20.0], [10.0, 20.0, 30.0]),
            )
        ],
        "q-values": lambda: intervals.known_qvalues([0.2, None, 0.01, 1.0, 0.0, 0.04, None]),
        "lean by frequency": lambda: [s.frequency_lean(x[:n], np.arange(n) ** 2) for n in (9, 10, 12)],
        "against chance": lambda: [
            s.against_chance(score, x, signed=signed) for score in (-1.0, 0.3) for signed in (True, False)
        ],
        "matched": lambda: [
            s.draw_matched(ranks, np.arange(3, 300, 2), 5, np.random.default_rng(0))
            for ranks in ([4, 4, 5], [200, 3], [0], list(range(12)), [299, 298])
        ],
    }  # fmt: skip


def spaces() -> dict[str, Example]:
    sets = [numbers(n, 5, seed=seed) for seed, n in enumerate((2, 3, 2))]
    points = subspaces.unit_rows(numbers(40, 5)).astype(np.float32)
    return {
        "subspace": lambda: subspaces.subspace(sets),
        "far from 0": lambda: subspaces.subspace([*(100 + one for one in sets), numbers(2, 5, seed=7) / 9]),
        "ratios": lambda: subspaces.explained_ratios(np.stack([subspaces.centred(sets)] * 2), 3),
        "contrasts": lambda: subspaces.contrasts(numbers(3, 4)),
        "axes": lambda: subspaces.principal_axes(numbers(20, 4), 3),
        "nearest": lambda: [s.nearest(points, points, 4, np.arange(40)), s.nearest(points[:3], points, 7)],
        "without": lambda: nearest_rows.shares_without(
            points[:6], points, points[30:33], 5, np.arange(6), np.array([[30, 7], [31, -1], [32, 0]])
        ),
    }


def rotations() -> dict[str, Example]:
    words = subspaces.unit_rows(numbers(60, 6)).astype(np.float32)
    observed = np.abs(numbers(3, 2)) / 2
    observed[1, 1] = np.nan

    def counted(rotations: int = 150, voronoi: bool = True, **plan: Any) -> Any:
        problem = rotation.RotationProblem(words, np.array([0, 15, 40, 60]), numbers(2, 6), observed, 2, voronoi)
        found = rotation.count_reached(problem, rotation.RotationPlan(rotations, 5, **plan))
        return [vars(found), found.pvalues(rotations), [problem.centre, problem.categories]]

    return {
        "all": counted,
        "several blocks": lambda: counted(500),
        "in any number of groups": lambda: counted(voronoi=False),
        "early": lambda: counted(3000, risk=0.3, alpha=0.2),
        "blocks": lambda: [rotation.block_size(*of) for of in ((1,), (7,), (500,), (3, 100, 4), (12, 10**6, 3))],
        "looks": lambda: [rotation.looks(n) for n in (256, 257, 1000, 5000)],
        "bounds": lambda: [
            rotation.bounds_of_full_count(np.array([[0, 3], [10, 50]]), 60, 200, risk) for risk in (0.001, 0.1)
        ],
        "turned": lambda: rotation.turned_means(numbers(3, 4), 3, np.random.default_rng(0)),
    }


def every() -> dict[str, Example]:
    parts = (partitions, resampled, spreads, spaces, rotations)
    return {f"{part.__name__}: {name}": example for part in parts for name, example in part().items()}

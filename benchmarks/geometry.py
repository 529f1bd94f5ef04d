"""Neighbours of 320 professions among 50,000 words: ours against scikit-learn's brute-force search by cosine.

    python benchmarks/geometry.py

Both get the same float32 unit vectors in one process, one after the other, on this machine; each time is the best of
five calls, and the whole is run three times, so that the spread of the ratio shows. Random vectors: the work does not
depend on what they are.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np
from sklearn.neighbors import NearestNeighbors

from aslant.statistics import nearest

PROFESSIONS, WORDS, NEIGHBOURS, RUNS, WANTED = 320, 50_000, 100, 3, 5


def best(repeats: int, call: Callable[[], object]) -> float:
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        call()
        times.append(time.perf_counter() - start)
    return min(times)


def neighbours(dimensions: int) -> tuple[list[float], list[float], bool]:
    """Return our seconds, scikit-learn's, one of each per run, and whether both found the same."""
    pool = np.random.default_rng(0).normal(size=(WORDS, dimensions)).astype(np.float32)
    pool /= np.linalg.norm(pool, axis=1, keepdims=True)
    queries, own = pool[:PROFESSIONS].copy(), np.arange(PROFESSIONS)
    peer = NearestNeighbors(n_neighbors=NEIGHBOURS + 1, algorithm="brute", metric="cosine").fit(pool)
    theirs = np.sort(peer.kneighbors(queries, return_distance=False)[:, 1:], axis=1)
    same = bool((theirs == nearest(queries, pool, NEIGHBOURS, own)).mean() > 0.9999)  # equal up to rounding at the last
    ours, scikit = [], []
    for _ in range(RUNS):
        ours.append(best(5, lambda: nearest(queries, pool, NEIGHBOURS, own)))
        scikit.append(best(5, lambda: peer.kneighbors(queries, return_distance=False)))
    return ours, scikit, same


def main() -> None:
    print("| dimensions | aslant, ms | scikit-learn, ms | ratio in each run | wanted | met | same neighbours |")
    print("|---:|---:|---:|---|---:|---|---|")
    for dimensions in (100, 300):
        ours, scikit, same = neighbours(dimensions)
        ratios = [b / a for a, b in zip(ours, scikit, strict=True)]
        shown = ", ".join(f"{ratio:.1f}" for ratio in ratios)
        met = "yes" if min(ratios) >= WANTED else "NO"
        print(
            f"| {dimensions} | {1e3 * min(ours):.0f} | {1e3 * min(scikit):.0f} | {shown} | >= {WANTED} | {met} | "
            f"{'yes' if same else 'NO'} |"
        )


if __name__ == "__main__":
    main()

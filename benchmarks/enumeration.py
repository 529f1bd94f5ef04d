"""The rotational null of bias enumeration at full size: ours, the bare matrix products, the paper read literally.

    python benchmarks/enumeration.py [ROTATIONS]

30,000 words of 300 dimensions in 64 categories, 12 groups, 3 words per cell; 2,000 rotations unless told otherwise
(10,000 is the default of the measure). One run on this machine, in turns, so that all see the same load. The literal
version (tests/helpers/literal_enumeration.py: with a Haar matrix from SciPy that turns 8,000 names) makes a few
rotations, and is scaled.
"""

from __future__ import annotations

import resource
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
from scipy.stats import ortho_group

import aslant
from aslant.measures.enumeration.steps import choose_cells
from aslant.statistics import RotationPlan, RotationProblem, count_reached
from aslant.statistics.rotation import block_size

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests" / "helpers"))
import literal_enumeration as literal

WORDS, CATEGORIES, GROUPS, DIMENSIONS, PER_CELL, NAMES, LITERAL = 30_000, 64, 12, 300, 3, 8_000, 5


def unit(array: np.ndarray) -> np.ndarray:
    return array / np.linalg.norm(array, axis=-1, keepdims=True)


def problem(words: int = WORDS, groups: int = GROUPS, dimensions: int = DIMENSIONS) -> RotationProblem:
    random = np.random.default_rng(0)
    labels = np.sort(random.integers(0, CATEGORIES, words))
    centres = unit(random.standard_normal((CATEGORIES, dimensions)))
    vectors = unit(centres[labels] + unit(random.standard_normal((words, dimensions)))).astype(np.float32)
    means = unit(random.standard_normal(dimensions)) + unit(random.standard_normal((groups, dimensions)))
    starts = np.concatenate([[0], np.cumsum(np.bincount(labels, minlength=CATEGORIES))])
    return RotationProblem(vectors, starts, means, choose_cells(vectors, starts, means, PER_CELL).scores, PER_CELL)


def ours(given: RotationProblem, rotations: int) -> float:
    start = time.perf_counter()
    count_reached(given, RotationPlan(rotations, seed=0))
    return time.perf_counter() - start


def bare(given: RotationProblem, rotations: int) -> float:
    """Multiply as many frames with all words, as BLAS likes it best: large products, all its threads."""
    size = block_size(len(given.means), CATEGORIES, PER_CELL)
    frames = np.random.default_rng(0).standard_normal((size * len(given.means), given.words.shape[1]), np.float32)
    room = np.empty((len(frames), len(given.words)), np.float32)
    start = time.perf_counter()
    for _ in range(-(-rotations // size)):
        np.matmul(frames, given.words.T, out=room)
    return (time.perf_counter() - start) * rotations / (size * -(-rotations // size))


def literally(given: RotationProblem, rotations: int) -> tuple[float, float]:
    """Turn every name by a Haar matrix, average the groups, and choose all cells again, rotation by rotation.

    Returns the seconds for each, and those for turning the words instead of the names, which is the same null.
    """
    words, labels = given.words.astype(np.float64), np.repeat(np.arange(CATEGORIES), np.diff(given.starts))
    names = np.repeat(given.means, NAMES // GROUPS, axis=0).reshape(GROUPS, -1, DIMENSIONS)
    start = time.perf_counter()
    haar = ortho_group(DIMENSIONS, seed=0)
    turned = ((names @ haar.rvs()).mean(axis=1) for _ in range(rotations))
    literal.count_reached(words, labels, given.means, PER_CELL, turned)
    names_turned = (time.perf_counter() - start) / (rotations + 1)  # the observed choice is one more
    start = time.perf_counter()
    for _ in range(rotations):
        literal.choose(words @ haar.rvs(), labels, given.means, PER_CELL)
    return names_turned, (time.perf_counter() - start) / rotations


def growth(rotations: int) -> None:
    base = min(ours(problem(), rotations) for _ in range(3))
    print("\n| doubled | seconds | times as long |\n|---|---:|---:|")
    print(f"| nothing ({rotations:,} rotations) | {base:.2f} | 1 |")
    for what, rounds in (
        ("rotations", [ours(problem(), 2 * rotations) for _ in range(3)]),
        ("words", [ours(problem(words=2 * WORDS), rotations) for _ in range(3)]),
        ("groups", [ours(problem(groups=2 * GROUPS), rotations) for _ in range(3)]),
        ("dimensions", [ours(problem(dimensions=2 * DIMENSIONS), rotations) for _ in range(3)]),
    ):
        took = min(rounds)
        print(f"| {what} | {took:.2f} | {took / base:.2f} |")


def whole_measure() -> None:
    """Run everything at full size in this process and print its peak memory (called in a fresh process)."""
    random = np.random.default_rng(0)
    names = [f"Name{number}" for number in range(NAMES)]
    words = [*names, *(f"word{number}" for number in range(50_000))]
    vectors = aslant.WordVectors.from_arrays(words, random.standard_normal((len(words), DIMENSIONS)).astype(np.float32))
    start = time.perf_counter()
    aslant.enumerate_biases(vectors, names, rotations=1_000, chance=0)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"{time.perf_counter() - start:.1f} {peak:.0f}")


def main() -> None:
    rotations = int(sys.argv[1]) if len(sys.argv) > 1 else 2_000
    given = problem()
    ours(given, 64)  # compiles
    rounds = [(ours(given, rotations), bare(given, rotations)) for _ in range(3)]
    a, b = (min(times) for times in zip(*rounds, strict=True))
    c, words_turned = (rotations * seconds for seconds in literally(given, LITERAL))
    print(f"{rotations:,} rotations, best of three rounds\n\n| what | seconds | ms a rotation |\n|---|---:|---:|")
    for what, took in (
        ("aslant", a),
        ("bare float32 products", b),
        (f"literal NumPy, names turned (scaled from {LITERAL})", c),
        (f"literal NumPy, words turned (scaled from {LITERAL})", words_turned),
    ):
        print(f"| {what} | {took:.2f} | {1e3 * took / rotations:.2f} |")
    ratios = ", ".join(f"{x / y:.2f}" for x, y in rounds)
    growth(max(200, rotations // 8))
    call = [sys.executable, __file__, "whole"]
    seconds, peak = subprocess.run(call, capture_output=True, text=True, check=True).stdout.split()
    print(f"\nthe whole measure, 1,000 rotations, 8,000 names, 300 dimensions: {seconds} s, peak memory {peak} MB")
    print("\n| goal | measured | wanted | met |\n|---|---:|---:|---|")
    print(f"| aslant / bare products (rounds: {ratios}) | {a / b:.2f} | <= 1.6 | {'yes' if a / b <= 1.6 else 'NO'} |")
    for what, took in (("names turned", c), ("words turned", words_turned)):
        print(f"| literal, {what} / aslant | {took / a:.0f} | >= 200 | {'yes' if took / a >= 200 else 'NO'} |")
    print(f"| peak memory, MB | {peak} | <= 1500 | {'yes' if float(peak) <= 1500 else 'NO'} |")


if __name__ == "__main__":
    whole_measure() if sys.argv[1:] == ["whole"] else main()

"""What chance costs: 2,000 draws for the ten WEATs and the four polarities, beside the measures alone and a plain loop.

    python benchmarks/chance.py                    # the bundled sample
    python benchmarks/chance.py --vectors NAME     # another embedding, such as glove-6b-100d

Everything is loaded, and each call made once, before the clock starts; the best of three counts.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable

import numpy as np

import aslant
from aslant.measures.association.chance import weat_chance
from aslant.measures.polarities.measure import POLARITIES
from aslant.measures.shared.chance import matched_words
from aslant.measures.shared.statistic import associations, effect_size
from aslant.measures.shared.wordsets import Found, find
from aslant.statistics import unit_rows
from aslant.stimuli import suite_sets

DRAWS = 2_000
#: Draws that the loop makes; its time is scaled up.
LOOPED = 100


def best(work: Callable[[], object], times: int = 3) -> float:
    work()
    taken = []
    for _ in range(times):
        begun = time.perf_counter()
        work()
        taken.append(time.perf_counter() - begun)
    return min(taken)


def looped(vectors: aslant.WordVectors, found: list[Found]) -> list[float]:
    """Do for one WEAT what the definition says, draw by draw."""
    X, Y, A, B = found
    rows = matched_words(vectors, (A.words, B.words), (X.words, Y.words), LOOPED, np.random.default_rng(0))
    assert rows is not None
    values = []
    for first, second in zip(*rows, strict=True):
        units = [unit_rows(vectors.rows(some)) for some in (first, second)]
        scores = associations(np.concatenate([X.unit, Y.unit]), *units)
        values.append(effect_size(scores[: len(X.unit)], scores[len(X.unit) :]))
    return values


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--vectors")
    given = parser.parse_args().vectors
    vectors = aslant.load(given) if given else aslant.load()
    tests = [[find(vectors, group) for group in test.groups] for test in suite_sets()]
    rng = np.random.default_rng
    chance = best(lambda: [weat_chance(vectors, found, 1.0, DRAWS, rng(0)) for found in tests])
    loop = best(lambda: [looped(vectors, found) for found in tests], 1) * DRAWS / LOOPED
    suites = [best(lambda n=n: aslant.weat_suite(vectors, chance=n)) for n in (0, DRAWS)]  # type: ignore[misc]
    leans = [
        best(lambda n=n: [aslant.polarity(vectors, c, scheme=s, chance=n) for c, s in POLARITIES])  # type: ignore[misc]
        for n in (0, DRAWS)
    ]
    print(f"{len(vectors):,} words in {vectors.dimensions} dimensions, {DRAWS:,} draws")
    print(f"chance of ten WEATs {chance:6.3f} s, in a loop {loop:6.1f} s: {loop / chance:.0f} times as long")
    for name, (alone, both) in {"ten WEATs": suites, "four polarities": leans}.items():
        print(f"{name:19} {alone:6.3f} s, with chance {both:6.3f} s: {both / alone:.2f} times")


if __name__ == "__main__":
    main()

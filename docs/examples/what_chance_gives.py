"""The numbers of docs/chance.md: what random words, shuffled words and frequency give, on the bundled sample.

    python docs/examples/what_chance_gives.py

About two minutes on two cores. `--vectors FILE` takes another embedding.
"""

from __future__ import annotations

import argparse

import numpy as np

import aslant
from aslant.measures.polarities.measure import POLARITIES
from aslant.statistics import frequency_lean

SHUFFLES = 6


def shuffled(vectors: aslant.WordVectors, seed: int) -> aslant.WordVectors:
    """Give every word another word's vector: all geometry stays, all meaning goes."""
    order = np.random.default_rng(seed).permutation(len(vectors))
    return aslant.WordVectors.from_arrays(list(vectors.words), vectors.matrix[order], name=f"shuffled {seed}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--vectors", help="another embedding than the sample")
    given = parser.parse_args().vectors
    real = aslant.load(given) if given else aslant.load()
    copies = [shuffled(real, seed) for seed in range(SHUFFLES)]

    print("WEAT: effect size, exact p, 95 % of random attribute sets, share of them that reaches |d|")
    for test in aslant.weat_suite(real, bootstrap=0).results:
        c = test.chance
        assert c is not None
        print(f"  {test.test:8} {test.effect_size:6.2f}  {test.pvalue:8.1e}", end="  ")
        print(f"{c.low:5.2f} to {c.high:5.2f}  {c.pvalue:.3f}")

    print(f"\npolarity and direct bias: this embedding, and {SHUFFLES} copies with shuffled words")
    for classes, scheme in POLARITIES:
        scores = [aslant.polarity(v, classes, scheme=scheme, bootstrap=0).score for v in (real, *copies)]
        print(f"  {classes!s:14} {scheme:12} {scores[0]:.3f}  {min(scores[1:]):.3f} to {max(scores[1:]):.3f}")
    values = [aslant.direct_bias(v).value for v in (real, *copies)]
    print(f"  direct bias                 {values[0]:.3f}  {min(values[1:]):.3f} to {max(values[1:]):.3f}")

    print("\nwhat hard debiasing leaves: clusters, random poles, p; neighbours, random poles, p")
    for v in (real, *copies[:3]):
        left = aslant.residual_bias(v, seeds=1, classified=100, within=None, picture="none")
        c, n = left.clustering.random_poles, left.neighbours.random_poles
        assert c is not None
        assert n is not None
        print(f"  {v.name:12} {left.clustering.accuracy:.2f}  {c.low:.2f} to {c.high:.2f}  {c.pvalue:.2f}", end="    ")
        print(f"{left.neighbours.correlation:.2f}  {n.low:.2f} to {n.high:.2f}  {n.pvalue:.2f}")

    direction = np.array(aslant.gender_subspace(real, random_pairs=0).direction)
    common = real.matrix[:20_000].astype(float)
    leans = common @ direction / np.linalg.norm(common, axis=1)
    found = frequency_lean(leans, np.arange(len(leans)))
    assert found is not None
    male = (leans[:1000] < 0).mean()
    print(
        f"\nlean and log rank over {found.n:,} words: rho {found.rho:.2f}; of the 1,000 commonest {male:.0%} lean male"
    )
    print(f"mean size of the lean {found.score:.3f}, with log rank regressed out {found.without:.3f}")


if __name__ == "__main__":
    main()

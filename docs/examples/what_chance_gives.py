"""The numbers of docs/chance.md: what random words, shuffled words and frequency give, on the bundled sample.

    python docs/examples/what_chance_gives.py
    python docs/examples/what_chance_gives.py --enumeration    # and how many cells are significant

About two minutes on two cores, and five more for enumerations. `--vectors FILE` takes another embedding.
"""

from __future__ import annotations

import argparse

import numpy as np

import aslant
from aslant.measures.polarities.settings import Scheme
from aslant.measures.shared.chance import matched_words
from aslant.measures.shared.statistic import target_scores
from aslant.measures.shared.wordsets import find
from aslant.statistics import Chance, frequency_lean, partition_pvalue, unit_rows
from aslant.stimuli import WeatSet, all_sets

SHUFFLES = 6
#: Random attribute sets of each WEAT that are tested like the published ones.
TESTED = 200
#: Every row of Table 1 of Lu et al.
POLARITIES: tuple[tuple[str, Scheme], ...] = (
    ("gender-binary", "binary"),
    ("gender-three", "one-vs-one"),
    ("gender-three", "one-vs-rest"),
    ("gender-five", "one-vs-rest"),
    ("race-four", "one-vs-one"),
    ("race-four", "one-vs-rest"),
)


def shuffled(vectors: aslant.WordVectors, seed: int) -> aslant.WordVectors:
    """Give every word another word's vector: all geometry stays, all meaning goes."""
    order = np.random.default_rng(seed).permutation(len(vectors))
    return aslant.WordVectors.from_arrays(list(vectors.words), vectors.matrix[order], name=f"shuffled {seed}")


def significant(vectors: aslant.WordVectors, test: WeatSet) -> float:
    """Return the share of random attribute sets of the same frequency with which a WEAT has p ≤ .05 (two-sided)."""
    X, Y, A, B = (find(vectors, group) for group in test.groups)
    drawn = matched_words(vectors, (A.words, B.words), (X.words, Y.words), TESTED, np.random.default_rng(0))
    assert drawn is not None
    small = 0
    for first, second in zip(*drawn, strict=True):
        attributes = [unit_rows(vectors.rows(rows)) for rows in (first, second)]
        scores = target_scores(X.unit, Y.unit, *attributes)
        small += (
            partition_pvalue(*scores, alternative="two-sided", method="monte carlo", n_resamples=999).pvalue <= 0.05
        )
    return small / TESTED


def told(what: str, scores: list[float], chance: Chance | None) -> None:
    assert chance is not None
    print(f"  {what:27} {scores[0]:.3f}  {min(scores[1:]):.3f} to {max(scores[1:]):.3f}  {chance.pvalue:.2f}")


def enumerations(real: aslant.WordVectors) -> None:
    """Print how many cells are significant with first names: here, with random words in their place, and shuffled."""
    print("\nenumeration with 2,000 rotations: significant of tested cells, random words in place of the names")
    for v in (real, *(shuffled(real, seed) for seed in range(4))):
        found = aslant.enumerate_biases(v, rotations=2_000, chance=5 if v is real else 0)
        print(f"  {v.name:12} {len(found.significant)} of {sum(bool(cell.words) for cell in found.cells)}", end="  ")
        print(f"{found.chance.low:.0%} to {found.chance.high:.0%}" if found.chance else "")
    random = np.random.default_rng(5)
    words = random.choice([word for word in real.words[3_000:40_000] if word.isalpha()], 5_650, replace=False)
    found = aslant.enumerate_biases(real, names=words.tolist(), rotations=1_000, chance=0)
    bias = found.indirect_bias
    print(f"  5,650 random words as names: {bias.aligned:,} of {bias.tuples:,} cases of eq. 1 are aligned")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--vectors", help="another embedding than the sample")
    parser.add_argument("--enumeration", action="store_true", help="enumerate biases too, in five embeddings")
    asked = parser.parse_args()
    real = aslant.load(asked.vectors) if asked.vectors else aslant.load()
    copies = [shuffled(real, seed) for seed in range(SHUFFLES)]

    print("WEAT: effect size, exact p, 95 % of random attribute sets, share of them that reaches |d|, with p <= .05")
    for test, stimuli in zip(aslant.weat_suite(real, bootstrap=0).results, all_sets(WeatSet), strict=True):
        c = test.chance
        assert c is not None
        print(f"  {test.test:8} {test.effect_size:6.2f}  {test.pvalue:8.1e}", end="  ")
        print(f"{c.low:5.2f} to {c.high:5.2f}  {c.pvalue:.3f}  {significant(real, stimuli):.0%}")

    print(f"\npolarity and direct bias: this embedding, {SHUFFLES} copies with shuffled words, p (chance)")
    for classes, scheme in POLARITIES:
        found = [aslant.polarity(v, classes, scheme=scheme, bootstrap=0) for v in (real, *copies)]
        told(f"{classes} {scheme}", [r.score for r in found], found[0].chance)
        leaning = sum(w.chance_qvalue is not None and w.chance_qvalue <= 0.05 for w in found[0].by_word)
        print(f"    words beyond random classes: {leaning} of {len(found[0].by_word)}")
    direct = [aslant.direct_bias(v) for v in (real, *copies)]
    told("direct bias", [r.value for r in direct], direct[0].chance)

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
    lean = frequency_lean(leans, np.arange(len(leans)))
    assert lean is not None
    male = (leans[:1000] < 0).mean()
    print(f"\nlean and log rank over {lean.n:,} words: rho {lean.rho:.2f}; of the 1,000 commonest {male:.0%} lean male")
    print(f"mean size of the lean {lean.score:.3f}, with log rank regressed out {lean.without:.3f}")
    if asked.enumeration:
        enumerations(real)


if __name__ == "__main__":
    main()

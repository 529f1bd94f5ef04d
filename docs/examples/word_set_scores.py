"""The numbers of docs/word-set-scores.md: seven scores of the ten WEATs in several embeddings, and how far they agree.

    python docs/examples/word_set_scores.py [sample googlenews-13k glove-840b-34k]

Each is a data name or a file. About two minutes on one core. Also: how often each score is beyond what random
attributes give on copies whose words are shuffled, where there is nothing to find.
"""

from __future__ import annotations

import argparse
from collections import Counter

import numpy as np

import aslant
from aslant.measures.set_scores.kinds import SCORES
from aslant.measures.set_scores.result import WordSetScoresResult
from aslant.measures.set_scores.show import scores_tables
from aslant.report.tables import to_markdown

SHUFFLES = 5


def shuffled(vectors: aslant.WordVectors, seed: int) -> aslant.WordVectors:
    """Give every word another word's vector: all geometry stays, all meaning goes."""
    order = np.random.default_rng(seed).permutation(len(vectors))
    return aslant.WordVectors.from_arrays(list(vectors.words), vectors.matrix[order], name=f"shuffled {seed}")


def counts(result: WordSetScoresResult) -> str:
    """Say of each score how many word sets have p ≤ .05 by its own test and by chance, and how many hold up."""
    rows = result.rows()
    own, chance = Counter[str](), Counter[str]()
    both: Counter[str] = Counter()
    for row, sure in zip(rows, result.beyond, strict=True):
        own[row["measure"]] += row["pvalue"] is not None and row["pvalue"] <= 0.05
        chance[row["measure"]] += row["chance_pvalue"] <= 0.05
        both[row["measure"]] += sure
    return ", ".join(f"{SCORES[name].short} {own[name]}/{chance[name]}/{both[name]}" for name in result.scores)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("models", nargs="*", default=["sample"])
    models = [aslant.load(None if name == "sample" else name) for name in parser.parse_args().models]
    for v in models:
        found = aslant.word_set_scores(v, bootstrap=0)
        print(f"\n{v.name}: {len(found.results)} scores; own p ≤ .05 / chance p ≤ .05 / beyond both, q ≤ .05:")
        print(counts(found))
        for table in scores_tables(found):
            print(to_markdown(table, titled=True))
        for category in found.categories:
            print(f"{category.category}: strength {category.strength:.2f}, chance p {category.chance.pvalue:.3f}")
        copies = [aslant.word_set_scores(shuffled(v, seed), bootstrap=0, n_resamples=1000) for seed in range(SHUFFLES)]
        print(f"{SHUFFLES} copies with shuffled words:")
        for copy in copies:
            print(" ", counts(copy))
    if len(models) > 1:
        *_, order = scores_tables(aslant.word_set_scores(models, bootstrap=0, n_resamples=1000))
        print(to_markdown(order, titled=True))


if __name__ == "__main__":
    main()

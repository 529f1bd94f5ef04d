"""Audit embeddings and models in which nothing is to be found, and count the lines that are graded all the same.

    python tools/audits_of_nothing.py                                # 12 shuffled copies of the sample, 12 planted ones
    python tools/audits_of_nothing.py --copies 20 --vectors FILE...  # shuffled copies of other embeddings too
    python tools/audits_of_nothing.py --models 20 --encoders 20      # with random weights; needs the extra lm
    python tools/audits_of_nothing.py --gaussian 20                  # vectors of random numbers, too
    python tools/audits_of_nothing.py --profile standard --seed 500  # more draws; other data

Words of an embedding are shuffled: all geometry stays, all meaning goes (--gaussian: geometry, too). A model or encoder
has the architecture and the tokenizer of the bundled one, and weights that were just drawn. At most 5 % of lines may be
graded "some" or "strong". In planted copies the words of WEAT 6 are moved along one direction, and that line has to be
found.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import warnings
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

import aslant
from aslant.stimuli import WeatSet, load_set

LIMIT = 0.05
GRADED = ("some", "strong")


def shuffled(vectors: aslant.WordVectors, seed: int, *, planted: bool) -> aslant.WordVectors:
    """Give every word another word's vector; planted: names and attributes of WEAT 6 share a direction by side."""
    random = np.random.default_rng(seed)
    matrix = vectors.matrix[random.permutation(len(vectors))]
    if planted:
        direction = random.normal(size=vectors.dimensions)
        direction *= np.linalg.norm(matrix, axis=1).mean() / np.linalg.norm(direction)
        for group, sign in zip(load_set("weat-6", WeatSet).groups, (1, -1, 1, -1), strict=True):
            rows = [vectors.index[token] for token in vectors.lookup(group.words).tokens]
            matrix[rows] += sign * direction.astype(np.float32)
    return aslant.WordVectors.from_arrays(list(vectors.words), matrix, name=f"{vectors.name}, shuffled {seed}")


def gaussian(vectors: aslant.WordVectors, seed: int) -> aslant.WordVectors:
    """Give every word a vector of random numbers."""
    matrix = np.random.default_rng(seed).normal(size=vectors.matrix.shape).astype(np.float32)
    return aslant.WordVectors.from_arrays(list(vectors.words), matrix, name=f"{vectors.name}, random {seed}")


def untrained(seeds: Iterable[int], *, encoder: bool) -> Iterator[Any]:
    """Yield models of the bundled one's architecture and tokenizer, with weights just drawn."""
    import torch
    from transformers import AutoModel, AutoModelForMaskedLM

    lm = aslant.load_lm("sample-mlm")
    network, tokenizer = lm.network.model, lm.speller.tokenizer
    for seed in seeds:
        torch.manual_seed(seed)
        with tempfile.TemporaryDirectory() as folder:
            (AutoModel if encoder else AutoModelForMaskedLM).from_config(network.config).save_pretrained(folder)
            tokenizer.save_pretrained(folder)
            yield (aslant.load_encoder if encoder else aslant.load_lm)(folder)


def audits(subjects: Iterable[Any], profile: Any, skip: list[str]) -> Iterator[aslant.AuditResult]:
    for seed, subject in enumerate(subjects):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield aslant.audit(subject, profile=profile, skip=skip, rng=seed)


def told(name: str, found: Iterable[aslant.AuditResult], shown: str = "") -> tuple[int, int]:
    """Print how many lines were graded, by measure; `shown`: of one set of stimuli only."""
    graded: Counter[str] = Counter()
    lines: Counter[str] = Counter()
    for result in found:
        for line in result.glance:
            if not shown or line.stimuli == shown:
                lines[line.measure] += 1
                graded[line.measure] += line.evidence in GRADED
    by = ", ".join(f"{measure} {graded[measure]} of {n}" for measure, n in lines.items())
    print(f"| {name} | {sum(graded.values())} of {sum(lines.values())} | {by} |", flush=True)
    return sum(graded.values()), sum(lines.values())


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--vectors", nargs="*", default=[], metavar="FILE", help="embeddings besides the sample")
    parser.add_argument("--copies", type=int, default=12, help="shuffled copies of each embedding")
    parser.add_argument("--gaussian", type=int, default=0, help="copies of the sample with Gaussian vectors")
    parser.add_argument("--planted", type=int, default=12, help="copies of the sample with a planted effect")
    parser.add_argument("--models", type=int, default=0, help="masked language models with random weights")
    parser.add_argument("--encoders", type=int, default=0, help="encoders with random weights")
    parser.add_argument("--profile", default="quick", choices=["quick", "standard", "full"])
    parser.add_argument("--seed", type=int, default=0, help="of the first of each; the next has the next")
    parser.add_argument("--skip", default="", help="measures to leave out, separated by commas")
    given = parser.parse_args()
    skip = [name for name in given.skip.split(",") if name]

    def seeds(count: int) -> range:
        return range(given.seed, given.seed + count)

    print("| audited | graded | by measure |\n|---|---|---|")
    counts = []
    for vectors in (aslant.load(), *map(aslant.load, given.vectors)):
        copies = (shuffled(vectors, seed, planted=False) for seed in seeds(given.copies))
        counts.append(told(f"{given.copies} × {vectors.name}, shuffled", audits(copies, given.profile, skip)))
    if given.gaussian:
        random = (gaussian(aslant.load(), seed) for seed in seeds(given.gaussian))
        counts.append(told(f"{given.gaussian} × Gaussian vectors", audits(random, given.profile, skip)))
    for encoder, count in ((False, given.models), (True, given.encoders)):
        if count:
            kind = "encoders" if encoder else "language models"
            counts.append(
                told(
                    f"{count} {kind}, random weights",
                    audits(untrained(seeds(count), encoder=encoder), given.profile, skip),
                )
            )
    planted = (shuffled(aslant.load(), seed, planted=True) for seed in seeds(given.planted))
    others = [name for name in ("polarity", "geometry", "residual", "enumeration") if name not in skip]
    found, runs = told(f"{given.planted} × planted", audits(planted, given.profile, [*skip, *others]), "weat-6")
    graded, lines = (sum(column) for column in zip(*counts, strict=True))
    print(f"\n{graded} of {lines} lines graded where there is nothing ({graded / lines:.1%}; at most {LIMIT:.0%})")
    print(f"{found} of {runs} planted effects found")
    return int(graded > LIMIT * lines or found < runs / 2)


if __name__ == "__main__":
    sys.exit(main())

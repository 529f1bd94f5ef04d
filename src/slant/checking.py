"""Before and after: every static measure on an embedding and on what a treatment made of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from slant.errors import DebiasError, SlantError
from slant.measures import direct_bias, polarity, residual_bias, weat_suite, word_similarity
from slant.measures.comparison import POLARITIES
from slant.measures.wordsets import provenance
from slant.results import CheckedMeasure, DebiasCheck, Representation
from slant.statistics import check_count, seed_of
from slant.vectors import WordVectors

SIMILARITY = ("wordsim-353", "simlex-999", "men")
#: What one measure gives on an embedding: names to numbers.
Values = dict[str, float | None]


def debias_check(
    before: WordVectors,
    after: WordVectors,
    *,
    similarity: Iterable[str] = SIMILARITY,
    seeds: int = 3,
    rng: int | np.random.Generator | None = 0,
) -> DebiasCheck:
    """Measure `before` and `after` a treatment: WEAT, polarity, direct bias, what is left, and word similarity.

    `similarity` names data of rated pairs, which are fetched if they are not here. The residual tests choose their
    words in `before`, and repeat what is random in them with `seeds` seeds. A measure that cannot be made is listed in
    `not_run` with the reason.

    >>> import slant
    >>> v = slant.load(top=40_000)
    >>> c = slant.debias_check(v, slant.hard_debias(v), similarity=(), seeds=1)
    >>> [m.after < m.before for m in c.measures if m.measure == "direct bias of professions"]
    [True]
    """
    for vectors in (before, after):
        if not isinstance(vectors, WordVectors):
            raise DebiasError(f"{vectors!r:.60} is not word vectors; open it with slant.load(…) first.")
    check_count("seeds", seeds, 1, 1_000)
    seed, names = seed_of(rng), tuple(similarity)
    done: list[CheckedMeasure] = []
    not_run: dict[str, str] = {}
    for family, what, reads, measured in _measures(before, names, seeds, seed, not_run):
        try:
            first, second = measured(before), measured(after)
        except SlantError as error:
            not_run[what] = str(error)
            continue
        done += [CheckedMeasure(family, name, first[name], second[name], reads) for name in first if name in second]
    settings = {"similarity": list(names), "seeds": seeds}
    return DebiasCheck(
        before=Representation(**before.record()),
        after=Representation(**after.record()),
        measures=tuple(done),
        not_run=not_run,
        provenance=provenance(after, "debias-check", (), seed, settings),
    )


def _measures(
    original: WordVectors, similarity: tuple[str, ...], seeds: int, seed: int, not_run: dict[str, str]
) -> list[tuple[str, str, str, Callable[[WordVectors], Values]]]:
    """Return family, name, meaning and function of every measure; tests that a suite skips go into `not_run`."""
    listed: list[tuple[str, str, str, Callable[[WordVectors], Values]]] = [
        ("WEAT", "WEAT", "effect size d; 0: no association", lambda v: _weat(v, seed, not_run))
    ]
    for classes, scheme in POLARITIES:
        what = f"polarity {scheme}, {classes}"
        listed.append(("polarity", what, "mean lean of professions; 0: none", _polarity(what, classes, scheme, seed)))
    listed.append(("direct bias", "direct bias", "mean |cos| with the concept's direction; 0: none", _direct))
    listed.append(
        (
            "residual",
            "residual bias",
            "chance: accuracy 0.5, correlation 0",
            lambda v: _residual(original, v, seeds, seed),
        )
    )
    quality = "Spearman with human ratings; lower: damage"
    return listed + [("quality", name, quality, _similarity(name, seed)) for name in similarity]


def _weat(vectors: WordVectors, seed: int, not_run: dict[str, str]) -> Values:
    suite = weat_suite(vectors, bootstrap=0, rng=seed)
    not_run |= {skipped.test: skipped.reason for skipped in suite.skipped}
    return {f"{r.test}: {r.title}": r.effect_size for r in suite.results}


def _polarity(what: str, classes: Any, scheme: Any, seed: int) -> Callable[[WordVectors], Values]:
    return lambda vectors: {what: polarity(vectors, classes, scheme=scheme, bootstrap=0, rng=seed).score}


def _direct(vectors: WordVectors) -> Values:
    return {"direct bias of professions": direct_bias(vectors).value}


def _residual(original: WordVectors, vectors: WordVectors, seeds: int, seed: int) -> Values:
    found = residual_bias(original=original, measured=vectors, seeds=seeds, within=None, picture="none", rng=seed)
    return {
        "clustering of biased words, accuracy": found.clustering.accuracy,
        "classification of biased words, accuracy": found.classification.accuracy,
        "professions' neighbours, correlation with bias": found.neighbours.correlation,
    }


def _similarity(name: str, seed: int) -> Callable[[WordVectors], Values]:
    return lambda vectors: {f"{name}, Spearman": word_similarity(vectors, name, bootstrap=0, rng=seed).spearman}

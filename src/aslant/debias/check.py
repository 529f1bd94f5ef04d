"""Before and after: every static measure on an embedding before and after a treatment."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from aslant.debias.encoder_check import encoder_check
from aslant.debias.encoders import DebiasedEncoder
from aslant.debias.words import POLES, check_vectors
from aslant.errors import AslantError
from aslant.measures.association.measure import weat_suite
from aslant.measures.geometry.directional import direct_bias
from aslant.measures.polarities.measure import POLARITIES, polarity
from aslant.measures.residuals.measure import residual_bias
from aslant.measures.shared.directions import DEFAULT_PAIRS, find_direction
from aslant.measures.shared.open_subject import opening
from aslant.measures.shared.wordsets import provenance
from aslant.measures.similarities.measure import similarity_change
from aslant.results.debias import CheckedMeasure, DebiasCheck, StateTest
from aslant.results.parts import Spread
from aslant.results.provenance import Representation
from aslant.statistics import check_count, seed_of
from aslant.vectors import WordVectors

SIMILARITY = ("wordsim-353", "simlex-999", "men")
BOOTSTRAP = 1_000
DIRECT = "direct bias of professions"
QUALITY = "Spearman with human ratings; lower: damage"


@dataclass(frozen=True)
class Value:
    """What one measure gives on an embedding: a number, its range over seeds, what shuffled labels give, its test."""

    number: float | None
    seeds: Spread | None = None
    shuffled: Spread | None = None
    test: StateTest | None = None


#: Values by their names.
Values = dict[str, Value]
#: What it is called, its family, what its numbers say, and a function that measures one embedding.
Step = tuple[str, str, str, Callable[[WordVectors], Values]]


@opening("before", "after")
def debias_check(
    before: Any,
    after: Any,
    *,
    similarity: Iterable[str] = SIMILARITY,
    seeds: int = 3,
    rng: int | np.random.Generator | None = 0,
) -> DebiasCheck:
    """Measure `before` and `after` a treatment: WEAT, polarity, direct bias, what is left, and word similarity.

    `similarity` names data of rated pairs, which are downloaded if need be; the interval of their difference
    comes from drawing the same pairs in both. The residual tests choose their words in `before`, and repeat what is
    random in them with `seeds` seeds. A measure that cannot be computed is listed in `not_run` with the reason.

    An encoder and what `aslant.debias_encoder` made of it are measured by SEAT, by how well a classifier tells swapped
    sentences apart, and by how far neutral sentences keep their similarities, beside as many random directions removed.

    >>> import aslant
    >>> v = aslant.load(top=8_000)
    >>> c = aslant.debias_check(v, aslant.hard_debias(v), similarity=(), seeds=1)
    >>> [m.after < m.before for m in c.measures if m.measure == "direct bias of professions"]
    [True]
    """
    if isinstance(after, DebiasedEncoder):
        return encoder_check(before, after, rng=rng)
    for vectors in (before, after):
        check_vectors(vectors)
    check_count("seeds", seeds, 1, 1_000)
    seed, names = seed_of(rng), tuple(similarity)
    done: list[CheckedMeasure] = []
    not_run: dict[str, str] = {}
    for what, family, reads, measure in _steps(before, seeds, seed, not_run):
        try:
            first, second = measure(before), measure(after)
            for name in (name for name in first if name in second):
                b, a = first[name], second[name]
                shown = (b.number, a.number, reads, b.seeds, a.seeds, b.shuffled, a.shuffled)
                done.append(CheckedMeasure(family, name, *shown, before_test=b.test, after_test=a.test))
        except AslantError as error:
            not_run[what] = str(error)
    for name in names:
        try:
            found = similarity_change(before, after, name, bootstrap=BOOTSTRAP, rng=seed)
        except AslantError as error:
            not_run[name] = str(error)
        else:
            what, states = f"{name}, Spearman", (found.before, found.after)
            done.append(CheckedMeasure("quality", what, *states, QUALITY, interval=found.interval))
    settings = {"similarity": list(names), "seeds": seeds, "bootstrap": BOOTSTRAP}
    since = after.treatments[len(before.treatments) :]
    leaning = tuple(t.method for t in since if any(taken.role == POLES for taken in t.words))
    both = (Representation(**before.record()), Representation(**after.record()))
    return DebiasCheck(*both, tuple(done), not_run, leaning, provenance(after, "debias-check", (), seed, settings))


def _steps(before: WordVectors, seeds: int, seed: int, not_run: dict[str, str]) -> list[Step]:
    """Return every measure; tests that a suite skips go into `not_run`."""

    def weat(vectors: WordVectors) -> Values:
        suite = weat_suite(vectors, bootstrap=BOOTSTRAP, rng=seed)
        not_run.update({skipped.test: skipped.reason for skipped in suite.skipped})
        return {
            f"{r.test}: {r.title}": Value(r.effect_size, test=StateTest(r.chance, r.statistic, r.interval, r.pvalue))
            for r in suite.results
        }

    def mean_lean(vectors: WordVectors, what: str, classes: Any, scheme: Any) -> Values:
        found = polarity(vectors, classes, scheme=scheme, bootstrap=0, rng=seed)
        return {what: Value(found.score, test=StateTest(found.chance))}

    def direct(vectors: WordVectors) -> Values:
        found = direct_bias(vectors)
        return {DIRECT: Value(found.value, test=StateTest(found.chance))}

    def direct_originally(vectors: WordVectors) -> Values:
        direction = find_direction(before, DEFAULT_PAIRS).vector
        return {f"{DIRECT}, original direction": Value(direct_bias(vectors, direction=direction).value)}

    def residual(vectors: WordVectors) -> Values:
        found = residual_bias(original=before, measured=vectors, seeds=seeds, within=None, picture="none", rng=seed)
        values: Values = {}
        for what, part in (("clustering", found.clustering), ("classification", found.classification)):
            spread = Spread(part.accuracy, part.lowest, part.highest, part.seeds)
            values[f"{what} of biased words, accuracy"] = Value(part.accuracy, spread, part.chance)
        near = found.neighbours
        return values | {
            "professions' neighbours, correlation with bias": Value(near.correlation, shuffled=near.chance)
        }

    polarities = [(f"polarity {scheme}, {classes}", classes, scheme) for classes, scheme in POLARITIES]
    return [
        ("WEAT", "WEAT", "effect size d; 0: no association", weat),
        *(
            (what, "polarity", "mean lean of professions; 0: none",
             partial(mean_lean, what=what, classes=classes, scheme=scheme))
            for what, classes, scheme in polarities
        ),
        (
            "direct bias", "direct bias", "mean |cos| with the gender direction, each embedding's own; 0: none",
            direct,
        ),
        (
            "direct bias, original direction", "direct bias", "mean |cos| with the gender direction before; 0: none",
            direct_originally,
        ),
        (
            "residual bias", "residual", "shuffled labels: accuracy 0.5 (clustering: a little above), correlation 0",
            residual,
        ),
    ]  # fmt: skip

"""Before and after: every static measure on an embedding before and after a treatment."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from aslant.debias.words import POLES
from aslant.errors import AslantError, DebiasError
from aslant.measures.association.measure import weat_suite
from aslant.measures.geometry.direct import direct_bias
from aslant.measures.polarities.measure import polarity
from aslant.measures.residuals.measure import residual_bias
from aslant.measures.shared.directions import DEFAULT_PAIRS, find_direction
from aslant.measures.shared.wordsets import provenance
from aslant.measures.side_by_side.measure import POLARITIES
from aslant.measures.similarities.measure import similarity_change
from aslant.results.debias import CheckedMeasure, DebiasCheck
from aslant.results.parts import Spread
from aslant.results.provenance import Representation
from aslant.statistics import check_count, seed_of
from aslant.vectors import WordVectors

SIMILARITY = ("wordsim-353", "simlex-999", "men")
BOOTSTRAP = 1_000


@dataclass(frozen=True)
class Value:
    """A number for one embedding, its range over seeds, and what chance gives."""

    value: float | None
    seeds: Spread | None = None
    chance: Spread | None = None


#: What one measure gives on an embedding, by name.
Values = dict[str, Value]
#: What it is called, and a function that measures both states.
Step = tuple[str, Callable[[], list[CheckedMeasure]]]


def debias_check(
    before: WordVectors,
    after: WordVectors,
    *,
    similarity: Iterable[str] = SIMILARITY,
    seeds: int = 3,
    rng: int | np.random.Generator | None = 0,
) -> DebiasCheck:
    """Measure `before` and `after` a treatment: WEAT, polarity, direct bias, what is left, and word similarity.

    `similarity` names data of rated pairs, which are downloaded if need be; the interval of their difference
    comes from drawing the same pairs in both. The residual tests choose their words in `before`, and repeat what is
    random in them with `seeds` seeds. A measure that cannot be computed is listed in `not_run` with the reason.

    >>> import aslant
    >>> v = aslant.load(top=40_000)
    >>> c = aslant.debias_check(v, aslant.hard_debias(v), similarity=(), seeds=1)
    >>> [m.after < m.before for m in c.measures if m.measure == "direct bias of professions"]
    [True]
    """
    for vectors in (before, after):
        if not isinstance(vectors, WordVectors):
            raise DebiasError(f"{vectors!r:.60} is not word vectors; open it with aslant.load(…) first.")
    check_count("seeds", seeds, 1, 1_000)
    seed, names = seed_of(rng), tuple(similarity)
    done: list[CheckedMeasure] = []
    not_run: dict[str, str] = {}
    for what, measured in _steps(before, after, names, seeds, seed, not_run):
        try:
            done += measured()
        except AslantError as error:
            not_run[what] = str(error)
    settings = {"similarity": list(names), "seeds": seeds, "bootstrap": BOOTSTRAP}
    return DebiasCheck(
        before=Representation(**before.record()),
        after=Representation(**after.record()),
        measures=tuple(done),
        not_run=not_run,
        learned_from_leaning=_learned_from_leaning(before, after),
        provenance=provenance(after, "debias-check", (), seed, settings),
    )


def _steps(
    before: WordVectors, after: WordVectors, similarity: tuple[str, ...], seeds: int, seed: int, not_run: dict[str, str]
) -> list[Step]:
    """Return every measure; tests that a suite skips go into `not_run`."""

    def step(family: str, what: str, reads: str, measure: Callable[[WordVectors], Values]) -> Step:
        return what, lambda: _twice(family, reads, measure(before), measure(after))

    steps = [step("WEAT", "WEAT", "effect size d; 0: no association", lambda v: _weat(v, seed, not_run))]
    for classes, scheme in POLARITIES:
        what = f"polarity {scheme}, {classes}"
        steps.append(
            step("polarity", what, "mean lean of professions; 0: none", _polarity(what, classes, scheme, seed))
        )
    own = "mean |cos| with the gender direction, each embedding's own; 0: none"
    steps.append(step("direct bias", "direct bias", own, _direct))
    original = "mean |cos| with the gender direction before; 0: none"
    steps.append(step("direct bias", "direct bias, original direction", original, _direct_originally(before)))
    reads = "chance: accuracy 0.5 (clustering: a little above), correlation 0"
    steps.append(step("residual", "residual bias", reads, lambda v: _residual(before, v, seeds, seed)))
    return steps + [(name, _similarity(name, before, after, seed)) for name in similarity]


def _twice(family: str, reads: str, before: Values, after: Values) -> list[CheckedMeasure]:
    """Combine the values of both states, as far as both have them."""
    return [
        CheckedMeasure(family, name, b.value, a.value, reads, b.seeds, a.seeds, b.chance, a.chance)
        for name, b, a in ((name, before[name], after[name]) for name in before if name in after)
    ]


def _learned_from_leaning(before: WordVectors, after: WordVectors) -> tuple[str, ...]:
    """Return those methods applied in between that learned from words that lean between two poles."""
    since = after.treatments[len(before.treatments) :]
    return tuple(t.method for t in since if any(taken.role == POLES for taken in t.words))


def _weat(vectors: WordVectors, seed: int, not_run: dict[str, str]) -> Values:
    suite = weat_suite(vectors, bootstrap=0, rng=seed)
    not_run |= {skipped.test: skipped.reason for skipped in suite.skipped}
    return {f"{r.test}: {r.title}": Value(r.effect_size) for r in suite.results}


def _polarity(what: str, classes: Any, scheme: Any, seed: int) -> Callable[[WordVectors], Values]:
    return lambda vectors: {what: Value(polarity(vectors, classes, scheme=scheme, bootstrap=0, rng=seed).score)}


def _direct(vectors: WordVectors) -> Values:
    return {"direct bias of professions": Value(direct_bias(vectors).value)}


def _direct_originally(original: WordVectors) -> Callable[[WordVectors], Values]:
    def measure(vectors: WordVectors) -> Values:
        direction = find_direction(original, DEFAULT_PAIRS).vector
        return {
            "direct bias of professions, original direction": Value(direct_bias(vectors, direction=direction).value)
        }

    return measure


def _residual(original: WordVectors, vectors: WordVectors, seeds: int, seed: int) -> Values:
    found = residual_bias(original=original, measured=vectors, seeds=seeds, within=None, picture="none", rng=seed)
    values = {
        f"{what} of biased words, accuracy": Value(
            part.accuracy, Spread(part.accuracy, part.lowest, part.highest, part.seeds), part.chance
        )
        for what, part in (("clustering", found.clustering), ("classification", found.classification))
    }
    near = found.neighbours
    return values | {"professions' neighbours, correlation with bias": Value(near.correlation, None, near.chance)}


def _similarity(name: str, before: WordVectors, after: WordVectors, seed: int) -> Callable[[], list[CheckedMeasure]]:
    def measure() -> list[CheckedMeasure]:
        found = similarity_change(before, after, name, bootstrap=BOOTSTRAP, rng=seed)
        reads = "Spearman with human ratings; lower: damage"
        what = f"{name}, Spearman"
        return [CheckedMeasure("quality", what, found.before, found.after, reads, interval=found.interval)]

    return measure

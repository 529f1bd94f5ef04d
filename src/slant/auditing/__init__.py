"""Which measures fit a representation; runs them and gathers the results."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection
from datetime import UTC, datetime
from os import PathLike
from typing import Any

from slant.auditing.glances import glances
from slant.errors import MeasureError
from slant.measures import enumerate_biases, polarity, weat_suite
from slant.measures.comparison import POLARITIES
from slant.results import (
    AuditPart,
    AuditResult,
    EnumerationResult,
    MeasuredResult,
    PolarityResult,
    Representation,
)
from slant.vectors import WordVectors, load
from slant.version import __version__

#: Measures that an audit can do without.
OPTIONAL = ("polarity", "enumeration")
#: The risk that any verdict of the enumeration differs from that of all 10,000 rotations.
RISK = 0.001


def audit(
    vectors: Any = None,
    *,
    skip: Collection[str] = (),
    rng: int = 0,
    workers: int | None = None,
    journal: str | PathLike[str] | None = None,
    progress: Callable[[str, int, int], None] | None = None,
) -> AuditResult:
    """Audit `vectors` (an embedding, or what `slant.load` takes; nothing: the sample).

    Measures: WEAT, polarity, and bias enumeration; `skip` names those to leave out ("polarity", "enumeration").
    `workers`, `journal` and `progress` are those of `slant.enumerate_biases`.

    >>> import slant
    >>> a = slant.audit(skip=["enumeration"])
    >>> a.representation.name, len(a.weat.results), a.enumeration
    ('sample', 10, None)
    """
    for name in [skip] if isinstance(skip, str) else skip:
        if name not in OPTIONAL:
            raise MeasureError(f"skip={name!r} is no measure that can be left out; use {' or '.join(OPTIONAL)}.")
    chosen = vectors if isinstance(vectors, WordVectors) else load(vectors)
    not_run = {name: "left out on request" for name in OPTIONAL if name in skip}
    parts = [_part("weat", "Association tests (WEAT)", lambda: (weat_suite(chosen, rng=rng),))]
    if "polarity" not in skip:
        parts.append(_part("polarity", "Polarity of professions", lambda: _polarities(chosen, rng, not_run)))
    settings = {"rng": rng, "workers": workers, "journal": journal, "progress": progress}
    if "enumeration" not in skip:
        parts.append(_part("enumeration", "Bias enumeration", lambda: _enumeration(chosen, settings, not_run)))
    return AuditResult(
        representation=Representation(**chosen.record()),
        profile="standard",
        seed=rng,
        parts=tuple(part for part in parts if part.results),
        glance=tuple(line for part in parts for line in glances(part.measure, part.results)),
        not_run=not_run,
        failed={},
        created=datetime.now(UTC).isoformat(timespec="seconds"),
        version=__version__,
    )


def _part(measure: str, title: str, run: Callable[[], tuple[MeasuredResult, ...]]) -> AuditPart:
    begun = time.perf_counter()
    results = run()
    return AuditPart(measure, title, results, round(time.perf_counter() - begun, 3))


def _polarities(vectors: WordVectors, rng: int, not_run: dict[str, str]) -> tuple[PolarityResult, ...]:
    """Measure polarity in the usual settings; what the vocabulary lacks the words for is named, and left out."""
    done = []
    for classes, scheme in POLARITIES:
        try:
            done.append(polarity(vectors, classes, scheme=scheme, rng=rng))
        except MeasureError as error:
            not_run[f"polarity {scheme}, {classes}"] = str(error)
    return tuple(done)


def _enumeration(
    vectors: WordVectors, settings: dict[str, Any], not_run: dict[str, str]
) -> tuple[EnumerationResult, ...]:
    try:
        return (enumerate_biases(vectors, precision=RISK, **settings),)
    except MeasureError as error:
        not_run["enumeration"] = str(error)
        return ()

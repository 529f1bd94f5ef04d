"""Which measures fit a representation; runs them and gathers the results."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from slant.errors import MeasureError
from slant.measures import polarity, weat_suite
from slant.measures.comparison import POLARITIES
from slant.results import AuditResult, PolarityResult
from slant.vectors import WordVectors, load
from slant.version import __version__


def audit(vectors: Any = None, *, rng: int = 0) -> AuditResult:
    """Audit `vectors` (an embedding, or what `slant.load` takes; nothing: the sample): WEAT and polarity.

    >>> import slant
    >>> a = slant.audit()
    >>> a.representation.name, len(a.weat.results)
    ('sample', 10)
    """
    chosen = vectors if isinstance(vectors, WordVectors) else load(vectors)
    suite = weat_suite(chosen, rng=rng)
    leanings, not_run = _polarities(chosen, rng)
    return AuditResult(
        representation=suite.provenance.representation,
        weat=suite,
        polarity=leanings,
        not_run=not_run,
        created=datetime.now(UTC).isoformat(timespec="seconds"),
        version=__version__,
    )


def _polarities(vectors: WordVectors, rng: int) -> tuple[tuple[PolarityResult, ...], dict[str, str]]:
    """Measure polarity in the usual settings; what the vocabulary lacks the words for is named, and left out."""
    done, not_run = [], {}
    for classes, scheme in POLARITIES:
        try:
            done.append(polarity(vectors, classes, scheme=scheme, rng=rng))
        except MeasureError as error:
            not_run[f"polarity {scheme}, {classes}"] = str(error)
    return tuple(done), not_run

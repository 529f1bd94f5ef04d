"""Which measures fit a representation; runs them and gathers the results."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from slant.measures import weat_suite
from slant.results import AuditResult
from slant.vectors import WordVectors, load
from slant.version import __version__


def audit(vectors: Any = None, *, rng: int = 0) -> AuditResult:
    """Audit `vectors` (an embedding, or what `slant.load` takes; nothing: the sample): for now, every WEAT.

    >>> import slant
    >>> a = slant.audit()
    >>> a.representation.name, len(a.weat.results)
    ('sample', 10)
    """
    chosen = vectors if isinstance(vectors, WordVectors) else load(vectors)
    suite = weat_suite(chosen, rng=rng)
    return AuditResult(
        representation=suite.provenance.representation,
        weat=suite,
        created=datetime.now(UTC).isoformat(timespec="seconds"),
        version=__version__,
    )

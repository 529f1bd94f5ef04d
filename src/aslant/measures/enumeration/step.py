"""The enumeration step of an audit."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aslant.measures.enumeration.measure import enumerate_biases

if TYPE_CHECKING:
    from aslant.auditing.step_context import Results, Work


def enumerated(work: Work) -> Results:
    """Enumerate biases of the first names that ship."""
    found = enumerate_biases(
        work.subject.opened, rng=work.seed, workers=work.workers, journal=work.journal, progress=work.progress,
        **work.settings,
    )  # fmt: skip
    return (found,)

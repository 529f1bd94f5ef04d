"""The step of an audit that measures bias in context."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aslant.measures.in_context.measure import contextual_bias

if TYPE_CHECKING:
    from aslant.auditing.step_context import Results, Work


def contextual(work: Work) -> Results:
    """Measure bias in context; biased words come from the bundled sample."""
    found = contextual_bias(
        work.subject.encoder, work.subject.corpus, rng=work.seed, store=work.journal, progress=work.progress,
        **work.settings,
    )  # fmt: skip
    return (found,)

"""The residual step of an audit."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aslant.measures.residuals.measure import residual_bias
from aslant.parallel import one_thread_each

if TYPE_CHECKING:
    from aslant.auditing.step_context import Results, Work


def residual(work: Work) -> Results:
    """Measure one embedding twice: the values that a debiasing would have to bring down."""
    # Many small clusterings fight for cores where others use them too: with one thread they take a third of the time
    # then, and as long as before otherwise.
    with one_thread_each():
        return (residual_bias(work.subject.opened, work.subject.opened, rng=work.seed, **work.settings),)

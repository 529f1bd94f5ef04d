"""The WEAT step of an audit."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aslant.measures.association.measure import weat_suite
from aslant.stimuli import WeatSet

if TYPE_CHECKING:
    from aslant.auditing.step_context import Results, Work


def weats(work: Work) -> Results:
    """Run every WEAT that ships."""
    return (work.noted("weat", weat_suite(work.subject.opened, rng=work.seed, **work.settings)),)


def own_words(work: Work, sets: list[WeatSet]) -> Results:
    """Run the user's own tests."""
    return work.own_suite(weat_suite(work.subject.opened, sets, rng=work.seed, **work.settings))

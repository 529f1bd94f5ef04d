"""The step of an audit that resolves pronouns."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aslant.measures.pronouns_resolved.measure import pronoun_resolution

if TYPE_CHECKING:
    from aslant.auditing.step_context import Results, Work


def pronouns_resolved(work: Work) -> Results:
    """Resolve the pronouns of GAP, if it is on this machine."""
    if (place := work.find_data("pronoun-resolution", "gap")) is None:
        return ()
    lm = work.subject.opened if {"masked LM", "causal LM"} & work.subject.traits else None
    found = pronoun_resolution(work.subject.encoder, place, lm=lm, rng=work.seed, **work.asking(), **work.settings)
    return (found,)

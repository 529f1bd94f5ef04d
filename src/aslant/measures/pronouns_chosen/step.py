"""The step of an audit that asks which pronoun is preferred."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aslant.measures.pronouns_chosen.measure import pronoun_choice
from aslant.results.codec import MeasuredResult

if TYPE_CHECKING:
    from aslant.auditing.step_context import Results, Work


def pronoun_choices(work: Work) -> Results:
    """Ask which pronoun is preferred in each benchmark that is on this machine."""
    settings = dict(work.settings)
    sources: dict[str, str] = settings.pop("sources")
    done: list[MeasuredResult] = []
    for name, split in sources.items():
        if (place := work.find_data(f"pronoun-choice, {name}", name)) is None:
            continue
        with work.noting(f"pronoun-choice, {name}"):
            done.append(pronoun_choice(
                work.subject.opened, place, split=split or None, rng=work.seed, **work.asking(), **settings
            ))  # fmt: skip
    return tuple(done)

"""The steps of an audit, as the rooms of the measures declare them, in the order of the report.

`quick` is for a first look, `standard` for most uses (under a minute on the sample), and `full` draws as many
rotations, seeds and resamples as the papers do, without stopping early.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from aslant import catalogue
from aslant.auditing.step_context import Results, Work
from aslant.auditing.subjects import Subject


@dataclass(frozen=True)
class Step:
    """One measure of an audit (see `catalogue.Step`); `settings` has what each profile asks of the measure."""

    id: str
    title: str
    fits: frozenset[str]
    run: Callable[[Work], Results]
    settings: Mapping[str, Mapping[str, Any]]
    categories: tuple[str, ...]

    def suits(self, subject: Subject) -> bool:
        """Tell whether the measure can be run on a subject."""
        return bool(self.fits & subject.traits)

    def suits_with_text(self, subject: Subject) -> bool:
        """Tell whether the measure could be run if there were a corpus."""
        return not self.suits(subject) and "encoder + corpus" in self.fits and "encoder" in subject.traits


def _step(name: str, entry: catalogue.Step) -> Step:
    def run(work: Work) -> Results:
        results: Results = entry.resolve(entry.run)(work)
        return results

    return Step(name, entry.title, entry.fits, run, entry.profiles, entry.categories)


STEPS: tuple[Step, ...] = tuple(_step(name, entry) for name, entry in catalogue.steps().items())
OWN = "own words"


def names() -> tuple[str, ...]:
    """Return the ids of all measures that an audit knows.

    >>> names()[:3]
    ('weat', 'polarity', 'geometry')
    """
    return tuple(step.id for step in STEPS)

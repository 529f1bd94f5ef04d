"""The polarity step of an audit."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from aslant.measures.polarities.measure import Scheme, polarity
from aslant.measures.side_by_side.measure import POLARITIES
from aslant.results.codec import MeasuredResult
from aslant.stimuli import ClassSet, WordSet

if TYPE_CHECKING:
    from aslant.auditing.step_context import Results, Work

#: What words of a user's own lean between, where the file names no classes.
DEFAULT_CLASSES = "gender-binary"


def polarities(work: Work) -> Results:
    """Measure the polarity of professions in every setting of the paper."""
    done: list[MeasuredResult] = []
    for classes, scheme in POLARITIES:
        with work.noting(f"polarity {scheme}, {classes}"):
            done.append(polarity(work.subject.opened, classes, scheme=scheme, rng=work.seed, **work.settings))
    return tuple(done)


def own_words(work: Work, sets: list[ClassSet | WordSet]) -> Results:
    """Measure the polarity of professions between the user's classes, or of the user's words between genders."""
    done: list[MeasuredResult] = []
    for found in sets:
        with work.noting(f"own words, {found.id}"):
            done += _own(work, found)
    return tuple(done)


def _own(work: Work, found: ClassSet | WordSet) -> list[MeasuredResult]:
    vectors, more = work.subject.opened, {"rng": work.seed, **work.settings}
    if isinstance(found, WordSet):
        return [work.named(polarity(vectors, DEFAULT_CLASSES, found.words, **more), words=found.id)]
    classes: Any = found.classes
    schemes: tuple[Scheme, ...] = ("binary",) if len(found.classes) == 2 else ("one-vs-one", "one-vs-rest")
    return [work.named(polarity(vectors, classes, scheme=scheme, **more), found.id) for scheme in schemes]

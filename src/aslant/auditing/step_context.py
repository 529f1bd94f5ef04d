"""What a step of an audit gets: the subject, its settings, where to note what could not be run, and a user's own words.

Each set of a user's own stimuli goes to the measure that fits its kind and the representation.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from os import PathLike
from pathlib import Path
from typing import Any

from aslant.auditing.subjects import CALLED, Subject
from aslant.catalogue import steps
from aslant.errors import AslantError, MeasureError, StimuliError
from aslant.results.audit import Profile
from aslant.results.codec import MeasuredResult
from aslant.stimuli import StimulusSet, load_sets

Progress = Callable[[str, int, int], None]
Results = tuple[MeasuredResult, ...]
NOT_HERE = "'{0}' is not on this machine, and an audit fetches nothing; get it with 'aslant data get {0}'."


@dataclass(frozen=True)
class Work:
    """One step's work on one subject; `settings` are those of the profile for this step.

    `journal` is a folder where a long measure may keep its own finished pieces; `not_run` fills with what the step
    could not do, by name, and why; `lacking` with what could be done as soon as data are there.
    """

    subject: Subject
    profile: Profile
    seed: int
    settings: Mapping[str, Any]
    own: tuple[StimulusSet, ...] = ()
    workers: int | None = None
    journal: Path | None = None
    progress: Progress | None = None
    not_run: dict[str, str] = field(default_factory=dict)
    lacking: list[str] = field(default_factory=list)

    def note(self, what: str, why: str) -> None:
        """Note what could not be run, and why."""
        self.not_run[what] = why

    def lack(self, what: str, why: str) -> None:
        """Note what could not be run because data are missing: the step does not count as finished."""
        self.note(what, why)
        self.lacking.append(what)

    @contextmanager
    def noting(self, what: str) -> Iterator[None]:
        """Note an error that the words or the model explain, instead of abandoning the whole step."""
        try:
            yield
        except AslantError as error:
            self.note(what, str(error))

    def noted(self, step: str, suite: Any) -> Any:
        """Return a suite of tests, and note those of it that could not be run; refuse one without any result."""
        if not suite.results:
            first = suite.skipped[0]
            raise MeasureError(f"no test could be run; the first, {first.test}, because {first.reason}.")
        for skipped in suite.skipped:
            self.note(f"{step}, {skipped.test}", skipped.reason)
        return suite

    def asking(self) -> dict[str, Any]:
        """Return the settings with which every measure on a language model keeps its pieces and shows progress."""
        return {"journal": self.journal, "progress": self.progress}

    def own_suite(self, suite: Any, name: str = "") -> Results:
        """Return a suite of the user's own tests, if any could be run, and note those that could not."""
        for skipped in suite.skipped:
            self.note(", ".join(("own words", skipped.test, *([name] if name else []))), skipped.reason)
        return (suite,) if suite.results or not name else ()

    def named(self, result: Any, stimuli: str | None = None, **settings: str) -> Any:
        """Return a result under the name of the user's set, which the measure was given by its content."""
        p = result.provenance
        named = replace(p, stimuli=p.stimuli if stimuli is None else stimuli, settings={**p.settings, **settings})
        return replace(result, provenance=named)

    def find_data(self, what: str, name: str) -> Path | None:
        """Return where data are; where they are not here, note it, so that the step is tried again when they are."""
        from aslant.data import find

        place = find(name)
        if place is None:
            self.lack(what, NOT_HERE.format(name))
        return place


def own_sets(words: Any) -> tuple[StimulusSet, ...]:
    """Load a user's own sets: a path, a name, a set, or several of them; two must not have one name.

    >>> [found.id for found in own_sets(["weat-6", "gender-three"])]
    ['weat-6', 'gender-three']
    """
    found: dict[str, StimulusSet] = {}
    for item in words if isinstance(words, Iterable) and not isinstance(words, str | PathLike) else [words]:
        if not isinstance(item, str | PathLike | StimulusSet):
            raise StimuliError(f"words={item!r:.60} does not name a word set; give the path of a TOML file.")
        for loaded in [item] if isinstance(item, StimulusSet) else load_sets(item, StimulusSet):
            if loaded.id in found:
                raise StimuliError(f"two sets of words are called '{loaded.id}'; rename one of the files.")
            found[loaded.id] = loaded
    return tuple(found.values())


def measure_own(work: Work) -> Results:
    """Measure with every set that some step takes; what does not fit is noted, with what it would need."""
    done: list[MeasuredResult] = []
    left = {found.id: (found, str(type(found).__struct_config__.tag)) for found in work.own}
    for step in steps().values():
        if step.own_words and step.fits & work.subject.traits:
            sets = [found for found, kind in left.values() if kind in step.takes]
            if sets:
                settings = {name: value for name, value in work.settings.items() if name in step.profiles[work.profile]}
                done += step.resolve(step.own_words)(replace(work, settings=settings), sets)
                left = {name: pair for name, pair in left.items() if pair[1] not in step.takes}
    for name, (_, kind) in left.items():
        fits = frozenset[str]().union(*(step.fits for step in steps().values() if kind in step.takes))
        needs = " or ".join(called for trait, called in CALLED.items() if trait in fits) or "a command of its own"
        work.note(f"own words, {name}", f"a set of this kind needs {needs}.")
    return tuple(done)

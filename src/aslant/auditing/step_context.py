"""What a step of an audit gets: the subject, its settings, and where to note what could not be run."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from aslant.auditing.subjects import Subject
from aslant.errors import AslantError, MeasureError
from aslant.results.audit import Profile
from aslant.results.codec import MeasuredResult
from aslant.stimuli import StimulusSet

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

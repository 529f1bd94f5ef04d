"""What a step of an audit gets: the subject, its settings, and where to note what could not be run."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from aslant.auditing.subjects import Subject
from aslant.errors import AslantError, MeasureError
from aslant.measures.association.result import WeatSuiteResult
from aslant.measures.sentence_tests.result import CeatSuiteResult, SeatSuiteResult
from aslant.measures.template_tests.result import LogProbabilitySuiteResult
from aslant.results.audit import Profile
from aslant.stimuli import StimulusSet

Progress = Callable[[str, int, int], None]
S = TypeVar("S", WeatSuiteResult, LogProbabilitySuiteResult, SeatSuiteResult, CeatSuiteResult)


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

    def noted(self, step: str, suite: S) -> S:
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

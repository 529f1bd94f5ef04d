"""Run the steps of an audit one after the other: keep what is finished, and continue when one breaks off.

The steps are those that the rooms of the measures declare, in the order of the report. The profile `quick` is for a
first look, `standard` for most uses (under a minute on the sample), and `full` draws as many rotations, seeds and
resamples as the papers do, without stopping early.
"""

from __future__ import annotations

import difflib
import logging
import time
import traceback
import warnings
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from os import PathLike
from pathlib import Path
from typing import Any, get_args

from aslant import catalogue
from aslant.auditing.run_folder import Finished, RunFolder
from aslant.auditing.step_context import Progress, Work, own_sets
from aslant.auditing.subjects import Subject
from aslant.catalogue import Step
from aslant.errors import AslantError, MeasureError
from aslant.io.logs import told
from aslant.report.conventions import judged
from aslant.results.audit import NEEDS_TEXT, ON_REQUEST, AuditPart, AuditResult, Glance, Profile
from aslant.results.codec import MeasuredResult
from aslant.stimuli import StimulusSet, load_set
from aslant.stimuli import names as set_names
from aslant.version import __version__

#: Called with a measure that broke off, and its traceback.
OnFailure = Callable[[str, str], None]
ONLY_FULL = "is part of the full profile only; choose that (--full, profile='full' in Python)"
STEPS = tuple(catalogue.steps().values())
OWN = "own words"


@dataclass
class Plan:
    """How a subject is audited: settings, which are those of `aslant.audit`, and the steps that follow from them.

    What makes no sense is refused. `left_out` has measures that fit, or would with a corpus, and why they are not run.
    """

    subject: Subject
    profile: Profile = "standard"
    only: Collection[str] = ()
    skip: Collection[str] = ()
    words: Any = ()
    rng: int = 0
    workers: int | None = None
    journal: str | PathLike[str] | None = None
    progress: Progress | None = None
    on_failure: OnFailure | None = None
    own: tuple[StimulusSet, ...] = field(init=False)
    steps: tuple[Step, ...] = field(init=False)
    left_out: dict[str, str] = field(init=False)

    def __post_init__(self) -> None:
        check_settings(self.profile, self.rng)
        self.own = own_sets(self.words) if self.words else ()
        traits, only, skip = self.subject.traits, _several(self.only), _several(self.skip)
        suiting = [step for step in STEPS if step.fits & traits and (self.own or step.id != OWN)]
        if not suiting:
            what = self.subject.is_a()
            raise MeasureError(f"no measure of the audit fits {what}; give an embedding or a language model.")
        fitting = {step.id: step for step in suiting if self.profile in step.profiles}
        lack_text = [
            s.id for s in STEPS if not s.fits & traits and "encoder + corpus" in s.fits and "encoder" in traits
        ]
        unfit = {step.id: ONLY_FULL for step in suiting if step.id not in fitting} | dict.fromkeys(
            lack_text, NEEDS_TEXT
        )
        usable = ", ".join(fitting)
        check_known({"only": only, "skip": skip}, usable)
        for name in only:
            if name in unfit:
                raise MeasureError(f"'{name}' {unfit[name]}; these fit: {usable}.")
            if name not in fitting:
                misfit = f"'{name}' does not fit {self.subject.is_a()}"
                raise MeasureError(
                    f"{'there are no words of your own' if name == OWN else misfit}; these fit: {usable}."
                )
        asked = {*only, OWN} if only else fitting.keys()  # given words are meant to be measured
        self.steps = tuple(step for name, step in fitting.items() if name in asked and name not in skip)
        if not self.steps:
            raise MeasureError(f"nothing is left to measure; of {usable}, keep at least one.")
        self.left_out = {name: ON_REQUEST for name, step in fitting.items() if step not in self.steps}
        if not only:
            self.left_out |= {name: f"{NEEDS_TEXT}." for name in lack_text if name not in skip}

    def identity(self) -> dict[str, object]:
        """Return everything the result of a step depends on; which other steps are run is not part of it."""
        import hashlib

        import msgspec

        corpus = self.subject.corpus
        return {
            "version": __version__,
            "representation": msgspec.to_builtins(self.subject.representation),
            "profile": self.profile,
            "seed": self.rng,
            "words": hashlib.sha256(msgspec.json.encode(self.own)).hexdigest()[:12] if self.own else None,
            "corpus": None if corpus is None else str(getattr(corpus, "fingerprint", corpus)),
        }


def _several(names: Collection[str]) -> Collection[str]:
    return [names] if isinstance(names, str) else names


def check_settings(profile: Any, rng: Any) -> None:
    """Refuse an unknown profile and an invalid seed.

    >>> check_settings("slow", 0)
    Traceback (most recent call last):
    aslant.errors.MeasureError: profile='slow' is not one of quick, standard, full.
    """
    if profile not in get_args(Profile):
        raise MeasureError(f"profile={profile!r} is not one of {', '.join(get_args(Profile))}.")
    if isinstance(rng, bool) or not isinstance(rng, int) or rng < 0:
        raise MeasureError(
            f"rng={rng!r} is not a seed; an audit needs a whole number from 0 up, so that it can resume."
        )


def check_known(asked: Mapping[str, Collection[str]], usable: str = "") -> None:
    """Refuse what is not a measure of an audit; `usable` are those that may be named.

    >>> check_known({"only": ["wheat"]}, "weat, polarity")
    Traceback (most recent call last):
    aslant.errors.MeasureError: 'wheat' (only) is not a measure of an audit; did you mean weat? these fit: weat, ...
    """
    known = [step.id for step in STEPS]
    for option, names in asked.items():
        for name in names:
            if name not in known:
                near = difflib.get_close_matches(str(name), known, n=1)
                hint = f"did you mean {near[0]}? " if near else ""
                fit = usable or ", ".join(known)
                raise MeasureError(f"'{name}' ({option}) is not a measure of an audit; {hint}these fit: {fit}.")


def only_fitting(subjects: Sequence[Subject], only: Collection[str]) -> list[tuple[str, ...]]:
    """Return, for each of several models, the measures of `only` that fit it; refuse a model that none fits.

    >>> import aslant
    >>> from aslant.auditing.subjects import subject_of
    >>> only_fitting([subject_of(aslant.load()), subject_of(any_lm)], ["weat", "template-weat"])
    [('weat',), ('template-weat',)]
    """
    only, known = _several(only), {step.id: step for step in STEPS}
    found = [tuple(name for name in only if name not in known or known[name].fits & s.traits) for s in subjects]
    for subject, names_left in zip(subjects, found, strict=True):
        if only and not names_left:
            raise MeasureError(
                f"of {', '.join(only)}, nothing fits '{subject.representation.name}', {subject.is_a()}; name a measure "
                "that does, too."
            )
    return found


def run(plan: Plan, folder: RunFolder | None = None) -> AuditResult:
    """Run every step of the plan, or reuse what the run folder has, and gather the results."""
    parts: list[AuditPart] = []
    not_run, failed = dict(plan.left_out), dict[str, str]()
    progress = plan.progress or (lambda *_: None)
    for number, step in enumerate(plan.steps):
        progress("audit", number, len(plan.steps))
        try:
            before = folder.recall(step.id) if folder else None
            finished = before or _run_step(step, plan, folder)
            seconds = finished.part.seconds if finished.part else 0.0
            told("measured before" if before else "measured", step=step.id, seconds=seconds)
        except AslantError as error:  # explained by the words or the model; cheap to find again, so not kept
            not_run[step.id] = str(error)
        except Exception as error:  # an error of ours must not stop the other measures
            failed[step.id] = one_line(error)
            told(f"broke off: {failed[step.id]}", logging.ERROR, step=step.id)
            _tell(step.id, traceback.format_exc(), plan, folder)
        else:
            not_run |= finished.not_run
            parts += [finished.part] if finished.part is not None else []
    progress("audit", len(plan.steps), len(plan.steps))
    if not parts and not failed:
        reasons = [f"{what}: {why}" for what, why in not_run.items() if what not in plan.left_out]
        raise MeasureError(f"nothing could be measured; {reasons[0] if reasons else 'no measure was left'}")
    own = {item.id: item.category for item in plan.own}
    return AuditResult(
        representation=plan.subject.representation,
        profile=plan.profile,
        seed=plan.rng,
        parts=tuple(parts),
        glance=tuple(judged([line for part in parts for line in glances(part.measure, part.results, own)])),
        not_run=not_run,
        failed=failed,
        created=now(),
        version=__version__,
    )


def now() -> str:
    """Return the time in UTC, to the second, as reports and stores have it."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def one_line(error: Exception) -> str:
    """Return an error that nobody foresaw in one line."""
    return " ".join(f"{type(error).__name__}: {error}".split())[:300]


def _run_step(step: Step, plan: Plan, folder: RunFolder | None) -> Finished:
    pieces = folder.journal(step.id) if folder else None if plan.journal is None else Path(plan.journal)
    own = plan.own if step.id == OWN else ()
    settings = step.profiles[plan.profile]
    work = Work(plan.subject, plan.profile, plan.rng, settings, own, plan.workers, pieces, plan.progress)
    begun = time.perf_counter()
    results = step.resolve(step.run)(work)
    seconds = round(time.perf_counter() - begun, 3)
    finished = Finished(AuditPart(step.id, step.title, results, seconds) if results else None, dict(work.not_run))
    if folder is not None and not work.lacking:
        folder.keep(step.id, finished)
    return finished


def _tell(step: str, trace: str, plan: Plan, folder: RunFolder | None) -> None:
    kept = folder.keep_failure(step, trace) if folder else None
    if plan.on_failure is not None:
        plan.on_failure(step, trace)
    else:
        where = f"; its traceback is in '{kept}'" if kept else ""
        warnings.warn(f"the measure '{step}' failed{where}: {trace.strip().splitlines()[-1]}", stacklevel=4)


def glances(measure: str, results: Sequence[MeasuredResult], own: Mapping[str, str] | None = None) -> list[Glance]:
    """Return the lines of one measure's results; `own` gives the social categories of a user's own stimuli.

    >>> import aslant
    >>> [line] = glances("weat", [aslant.weat(aslant.load(), "weat-6")])
    >>> line.category, line.strength, line.evidence
    ('gender', 'large', 'some')
    >>> line.sentence[:79]
    'Male names with Career, Female names with Family: a large effect (d = 1.72). La'
    """
    found: list[Glance] = []
    for r in results:
        kind = catalogue.kinds().get(r.kind)
        if kind is not None and kind.glance:
            found += kind.resolve(kind.glance)(r, lambda name: category_of(name, own or {}))
    return [replace(line, measure=measure) for line in found]


def category_of(stimuli: str, own: Mapping[str, str]) -> str:
    """Return the social category of a set of stimuli: that of a user's own, or of one that ships; else "none".

    >>> category_of("weat-3", {}), category_of("mine", {"mine": "caste"})
    ('race', 'caste')
    """
    if stimuli in own:
        return own[stimuli]
    return load_set(stimuli).category if stimuli in set_names() else "none"

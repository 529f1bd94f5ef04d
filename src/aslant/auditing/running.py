"""Run the steps of an audit one after the other: keep what is finished, and continue when one breaks off."""

from __future__ import annotations

import time
import traceback
import warnings
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from os import PathLike
from pathlib import Path
from typing import Any, get_args

from aslant.auditing.glance_lines import glances
from aslant.auditing.own_words import digest, own_sets
from aslant.auditing.run_folder import Finished, RunFolder
from aslant.auditing.step_context import Progress, Work
from aslant.auditing.steps import OWN, STEPS, Step, names
from aslant.auditing.subjects import Subject
from aslant.errors import AslantError, MeasureError
from aslant.results.audit import ON_REQUEST, AuditPart, AuditResult, Profile
from aslant.stimuli import StimulusSet
from aslant.version import __version__

#: Called with a measure that broke off, and its traceback.
OnFailure = Callable[[str, str], None]
NEEDS_TEXT = "needs text to draw sentences from; give a corpus (--corpus PATH, corpus= in Python)"
ONLY_FULL = "is part of the full profile only; choose that (--full, profile='full' in Python)"


@dataclass(frozen=True)
class Plan:
    """How a subject is audited: the steps, in order, and everything that they depend on."""

    steps: tuple[Step, ...]
    profile: Profile
    seed: int
    own: tuple[StimulusSet, ...] = ()
    workers: int | None = None
    progress: Progress | None = None
    on_failure: OnFailure | None = None
    #: Measures that are not run, and why.
    left_out: Mapping[str, str] = field(default_factory=dict)
    #: A folder for the pieces of long measures, where there is no run folder.
    journal: str | PathLike[str] | None = None


@dataclass
class _Found:
    """What has been found so far."""

    parts: list[AuditPart] = field(default_factory=list)
    not_run: dict[str, str] = field(default_factory=dict)
    failed: dict[str, str] = field(default_factory=dict)


def planned(
    subject: Subject,
    *,
    profile: Profile = "standard",
    only: Collection[str] = (),
    skip: Collection[str] = (),
    words: Any = (),
    rng: int = 0,
    workers: int | None = None,
    journal: str | PathLike[str] | None = None,
    progress: Progress | None = None,
    on_failure: OnFailure | None = None,
) -> Plan:
    """Return how a subject is audited with these settings; refuse what makes no sense."""
    check_settings(profile, rng)
    own = own_sets(words) if words else ()
    steps, left_out = chosen_steps(subject, several(only), several(skip), own, profile)
    return Plan(steps, profile, rng, own, workers, progress, on_failure, left_out, journal)


def several(names: Collection[str]) -> Collection[str]:
    """Return names as a list where only one is given.

    >>> several("weat")
    ['weat']
    """
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


def chosen_steps(
    subject: Subject,
    only: Collection[str],
    skip: Collection[str],
    own: Collection[StimulusSet],
    profile: Profile = "standard",
) -> tuple[tuple[Step, ...], dict[str, str]]:
    """Return the requested steps that fit, and why others that fit, or would with a corpus, are left out."""
    suiting = [step for step in STEPS if step.suits(subject) and (own or step.id != OWN)]
    if not suiting:
        raise MeasureError(f"no measure of the audit fits {subject.is_a()}; give an embedding or a language model.")
    fitting = [step for step in suiting if profile in step.settings]
    unfit = {step.id: ONLY_FULL for step in suiting if step not in fitting}
    unfit |= {step.id: NEEDS_TEXT for step in STEPS if step.suits_with_text(subject)}
    for option, asked in (("only", only), ("skip", skip)):
        for name in asked:
            _check_name(option, name, fitting, unfit, subject)
    asked = {*only, OWN} if only else {step.id for step in fitting}  # given words are meant to be measured
    kept = [step for step in fitting if step.id in asked and step.id not in skip]
    if not kept:
        raise MeasureError(f"nothing is left to measure; of {', '.join(s.id for s in fitting)}, keep at least one.")
    left_out = {step.id: ON_REQUEST for step in fitting if step not in kept}
    if not only:
        left_out |= {name: f"{why}." for name, why in unfit.items() if why == NEEDS_TEXT and name not in skip}
    return tuple(kept), left_out


def only_fitting(subjects: Sequence[Subject], only: Collection[str]) -> list[tuple[str, ...]]:
    """Return, for each of several models, the measures of `only` that fit it; refuse a model that none fits.

    >>> import aslant
    >>> from aslant.auditing.subjects import subject_of
    >>> only_fitting([subject_of(aslant.load()), subject_of(any_lm)], ["weat", "template-weat"])
    [('weat',), ('template-weat',)]
    """
    if not only:
        return [()] * len(subjects)
    known = {step.id: step for step in STEPS}
    found = [tuple(name for name in only if name not in known or known[name].suits(s)) for s in subjects]
    for subject, names_left in zip(subjects, found, strict=True):
        if not names_left:
            raise MeasureError(
                f"of {', '.join(only)}, nothing fits '{subject.representation.name}', {subject.is_a()}; name a measure "
                "that does, too."
            )
    return found


def check_known(option: str, name: str, usable: str) -> None:
    """Refuse what is not a measure of an audit.

    >>> check_known("only", "wheat", "weat, polarity")
    Traceback (most recent call last):
    aslant.errors.MeasureError: 'wheat' (only) is not a measure of an audit; did you mean weat? these fit: weat, ...
    """
    import difflib

    if name not in names():
        near = difflib.get_close_matches(str(name), names(), n=1)
        hint = f"did you mean {near[0]}? " if near else ""
        raise MeasureError(f"'{name}' ({option}) is not a measure of an audit; {hint}these fit: {usable}.")


def _check_name(option: str, name: str, fitting: list[Step], unfit: Mapping[str, str], subject: Subject) -> None:
    usable = ", ".join(step.id for step in fitting)
    check_known(option, name, usable)
    if option == "only" and name in unfit:
        raise MeasureError(f"'{name}' {unfit[name]}; these fit: {usable}.")
    if option == "only" and name not in {step.id for step in fitting}:
        why = "there are no words of your own" if name == OWN else f"'{name}' does not fit {subject.is_a()}"
        raise MeasureError(f"{why}; these fit: {usable}.")


def identity(subject: Subject, plan: Plan) -> dict[str, object]:
    """Return everything the result of a step depends on; which other steps are run is not part of it."""
    import msgspec

    found: dict[str, object] = {
        "version": __version__,
        "representation": msgspec.to_builtins(subject.representation),
        "profile": plan.profile,
        "seed": plan.seed,
        "words": digest(plan.own) if plan.own else None,
        "corpus": None if subject.corpus is None else str(getattr(subject.corpus, "fingerprint", subject.corpus)),
    }
    return found


def run(subject: Subject, plan: Plan, folder: RunFolder | None = None) -> AuditResult:
    """Run every step of the plan, or reuse what the run folder has, and gather the results."""
    found = _Found(not_run=dict(plan.left_out))
    for number, step in enumerate(plan.steps):
        if plan.progress is not None:
            plan.progress("audit", number, len(plan.steps))
        finished = folder.recall(step.id) if folder else None
        if finished is None:
            finished = _run_step(subject, step, plan, folder, found)
        if finished is not None:
            found.not_run |= finished.not_run
            found.parts += [finished.part] if finished.part is not None else []
    if plan.progress is not None:
        plan.progress("audit", len(plan.steps), len(plan.steps))
    return _gathered(subject, plan, found)


def _run_step(subject: Subject, step: Step, plan: Plan, folder: RunFolder | None, found: _Found) -> Finished | None:
    work = Work(
        subject, plan.profile, plan.seed, step.settings[plan.profile], plan.own if step.id == OWN else (), plan.workers,
        folder.journal(step.id) if folder else _path(plan.journal), plan.progress,
    )  # fmt: skip
    begun = time.perf_counter()
    try:
        results = step.run(work)
    except AslantError as error:  # explained by the words or the model; cheap to find again, so not kept
        found.not_run[step.id] = str(error)
        return None
    except Exception as error:  # an error of ours must not stop the other measures
        found.failed[step.id] = _one_line(error)
        _tell(step.id, traceback.format_exc(), plan, folder)
        return None
    seconds = round(time.perf_counter() - begun, 3)
    finished = Finished(AuditPart(step.id, step.title, results, seconds) if results else None, dict(work.not_run))
    if folder is not None and not work.lacking:
        folder.keep(step.id, finished)
    return finished


def _path(journal: str | PathLike[str] | None) -> Path | None:
    return None if journal is None else Path(journal)


def _one_line(error: Exception) -> str:
    return " ".join(f"{type(error).__name__}: {error}".split())[:300]


def _tell(step: str, trace: str, plan: Plan, folder: RunFolder | None) -> None:
    kept = folder.keep_failure(step, trace) if folder else None
    if plan.on_failure is not None:
        plan.on_failure(step, trace)
    else:
        where = f"; its traceback is in '{kept}'" if kept else ""
        warnings.warn(f"the measure '{step}' failed{where}: {trace.strip().splitlines()[-1]}", stacklevel=4)


def _gathered(subject: Subject, plan: Plan, found: _Found) -> AuditResult:
    if not found.parts and not found.failed:
        reasons = [f"{what}: {why}" for what, why in found.not_run.items() if what not in plan.left_out]
        raise MeasureError(f"nothing could be measured; {reasons[0] if reasons else 'no measure was left'}")
    own = {item.id: item.category for item in plan.own}
    return AuditResult(
        representation=subject.representation,
        profile=plan.profile,
        seed=plan.seed,
        parts=tuple(found.parts),
        glance=tuple(line for part in found.parts for line in glances(part.measure, part.results, own)),
        not_run=found.not_run,
        failed=found.failed,
        created=datetime.now(UTC).isoformat(timespec="seconds"),
        version=__version__,
    )

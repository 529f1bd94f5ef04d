"""Which measures fit a representation; runs them, keeps what is finished, and gathers the results."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from os import PathLike
from typing import Any

from aslant.auditing.comparing import compare_audits
from aslant.auditing.many_models import audit_list
from aslant.auditing.run_folder import RunFolder
from aslant.auditing.running import OnFailure, Plan, only_fitting, run
from aslant.auditing.store import ResultsStore
from aslant.auditing.subjects import Subject, check_use, open_corpus, opened
from aslant.errors import MeasureError
from aslant.results.audit import AuditComparison, AuditResult, Profile

__all__ = ["ResultsStore", "audit", "audit_list", "audit_models", "audit_subject", "compare_audits"]


def audit(
    model: Any = None,
    *,
    corpus: Any = None,
    profile: Profile = "standard",
    only: Collection[str] = (),
    skip: Collection[str] = (),
    words: Any = (),
    rng: int = 0,
    workers: int | None = None,
    run_folder: str | PathLike[str] | None = None,
    journal: str | PathLike[str] | None = None,
    progress: Callable[[str, int, int], None] | None = None,
    on_failure: OnFailure | None = None,
) -> AuditResult:
    """Audit an embedding, a language model or an encoder, opened or by name; by default the bundled sample.

    Which measures fit is decided from the representation. `corpus` is text (what `aslant.load_corpus` takes or gives)
    in which an encoder reads words; a language model given by name is then used as an encoder too. `profile`:
    "quick", "standard" or "full" (as in the papers). `only` and `skip` name measures to run or to leave out; `words`
    are TOML files with your own stimuli.

    Each finished measure is written to `run_folder` at once; after a stop, the same call resumes from there. A
    measure that cannot be run with these words or this model is in `not_run`, one that breaks off in `failed`
    (`on_failure` is called with its name and its traceback; without it there is a warning). `workers`, `journal` and
    `progress` are those of `aslant.enumerate_biases`.

    >>> import aslant
    >>> a = aslant.audit(only=["weat", "polarity"], profile="quick")
    >>> a.representation.name, len(a.weat.results), a.enumeration
    ('sample', 10, None)
    >>> a.glance[5].sentence
    'Male names with Career, Female names with Family: a large effect (d = 1.72), strong evidence.'
    """
    text = open_corpus(corpus)
    subject = opened(model, corpus=text)
    check_use(text, [subject])
    return audit_subject(
        subject, profile=profile, only=only, skip=skip, words=words, rng=rng, workers=workers,
        run_folder=run_folder, journal=journal, progress=progress, on_failure=on_failure,
    )  # fmt: skip


def audit_subject(
    subject: Subject, *, run_folder: str | PathLike[str] | None = None, fresh_if_other: bool = False, **settings: Any
) -> AuditResult:
    """Audit an opened subject; see `aslant.audit`.

    `fresh_if_other`: a run folder with results of other settings is emptied, rather than refused.

    >>> from aslant.auditing.subjects import subject_of
    >>> audit_subject(subject_of(any_lm), only=["template-weat"]).parts[0].measure  # any_lm is a small masked model
    'template-weat'
    """
    plan = Plan(subject, **settings)
    if run_folder is None:
        return run(plan)
    return run(plan, RunFolder(run_folder, plan.identity(), fresh_if_other=fresh_if_other))


def audit_models(
    models: Sequence[Any], *, corpus: Any = None, only: Collection[str] = (), **settings: Any
) -> AuditComparison:
    """Audit several models and put them side by side; differences are to the first.

    The settings are those of `aslant.audit`; a measure of `only`, and the corpus, are for the models that they fit.

    >>> import aslant
    >>> c = aslant.audit_models([aslant.load(), aslant.load(top=20_000)], only=["polarity"], profile="quick")
    >>> c.names, c.differences[0].stimuli, c.differences[0].differences[0].words > 50
    (('sample', 'sample'), 'gender-binary, binary', True)
    """
    if isinstance(models, str | PathLike) or len(models) < 2:
        raise MeasureError("only one model was given; audit_models needs two or more, aslant.audit takes one.")
    text = open_corpus(corpus)
    subjects = [opened(model, corpus=text) for model in models]
    check_use(text, subjects)
    if settings.get("run_folder") is not None:
        raise MeasureError("run_folder is for one model; audit each with aslant.audit, and use compare_audits.")
    pairs = zip(subjects, only_fitting(subjects, only), strict=True)
    return compare_audits([audit_subject(subject, only=names, **settings) for subject, names in pairs], subjects)

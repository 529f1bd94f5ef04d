"""Which measures fit a representation; runs them, keeps what is finished, gathers the results, and compares them."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Collection, Sequence
from os import PathLike
from typing import Any

from aslant.auditing.many_models import audit_list
from aslant.auditing.run_folder import RunFolder
from aslant.auditing.running import OnFailure, Plan, now, one_line, only_fitting, run
from aslant.auditing.store import ResultsStore
from aslant.auditing.subjects import Subject, check_use, open_corpus, opened
from aslant.errors import AslantError, MeasureError, plural
from aslant.measures.polarities.result import Difference
from aslant.measures.side_by_side.measure import compare
from aslant.results.audit import AuditComparison, AuditDifference, AuditResult, GlanceKey, ModelDifference, Profile
from aslant.version import __version__

__all__ = ["ResultsStore", "audit", "audit_list", "audit_models", "audit_subject", "compare_audits"]

#: The measures whose differences can be paired, word by word.
PAIRED = ("weat", "polarity")
BOOTSTRAP = {"quick": 500, "standard": 2_000, "full": 10_000}


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
    >>> a.glance[5].sentence[:76]
    'Male names with Career, Female names with Family: a large effect (d = 1.72).'
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


def compare_audits(audits: Sequence[AuditResult], subjects: Sequence[Subject] = ()) -> AuditComparison:
    """Put audits side by side; with the `subjects` that they are of, differences of embeddings are paired.

    A paired difference uses only the words that both embeddings have (see `aslant.compare`).

    >>> import aslant
    >>> v = aslant.load()
    >>> a = aslant.audit(v, only=["weat"], profile="quick")
    >>> c = compare_audits([a, a])
    >>> [(line.stimuli, line.differences[0].difference) for line in c.differences][:2]
    [('weat-1', 0.0), ('weat-2', 0.0)]
    """
    if len(audits) < 2:
        raise AslantError(f"{plural(len(audits), 'audit')} given; a comparison needs two or more.")
    not_compared: dict[str, str] = {}
    paired = [_paired(audits, subjects, place, not_compared) for place in range(1, len(audits))]
    lines = [{line.key: line for line in audit.glance} for audit in audits]
    made = []
    for key in dict.fromkeys(key for found in lines for key in found):
        found = [by_key.get(key) for by_key in lines]
        first = next(line for line in found if line)
        values = tuple(line.effect if line else None for line in found)
        gaps = []
        for audit, value, pairs in zip(audits[1:], values[1:], paired, strict=True):
            name, pair = audit.representation.name, pairs.get(key)
            if values[0] is None or value is None:
                gaps.append(ModelDifference(name, None))
            elif pair is not None:
                gaps.append(ModelDifference(name, pair.difference, pair.interval, pair.pvalue, pair.n))
            else:
                gaps.append(ModelDifference(name, value - values[0]))
        in_sd = tuple(line.standardised if line else None for line in found)
        about = (first.measure, first.stimuli, first.category, first.effect_name)
        made.append(AuditDifference(*about, values, tuple(gaps), in_sd))
    return AuditComparison(tuple(audits), tuple(made), not_compared, now(), __version__)


def _paired(
    audits: Sequence[AuditResult], subjects: Sequence[Subject], place: int, not_compared: dict[str, str]
) -> dict[GlanceKey, Difference]:
    """Return the paired differences between the first embedding and another, by line; none for language models."""
    pair = [audits[0], audits[place]]
    measured = [name for name in PAIRED if all(audit.part(name) for audit in pair)]
    if not measured or not subjects or not all("static" in subjects[at].traits for at in (0, place)):
        return {}
    first, other = subjects[0].opened, subjects[place].opened
    try:
        result = compare(first, other, bootstrap=BOOTSTRAP[audits[0].profile], chance=0, rng=audits[0].seed)
    except AslantError as error:
        not_compared[f"{first.name} and {other.name}"] = str(error)
        return {}
    except Exception as error:  # an error of ours must not lose the audits, which are done
        not_compared[f"{first.name} and {other.name}"] = f"failed: {one_line(error)}"
        warnings.warn(f"no paired differences: {one_line(error)}", stacklevel=3)
        return {}
    for line in (line for audit in pair for line in audit.glance if line.measure in measured):
        classes, _, scheme = line.stimuli.partition(", ")
        what = line.stimuli if line.measure == "weat" else f"polarity {scheme}, {classes}"
        if what in result.not_compared:  # no difference is missing where neither audit has a value
            not_compared[f"{what}, {first.name} and {other.name}"] = result.not_compared[what]
    found = {("weat", test.test, "d"): test.difference for test in result.weat}
    for comparison in result.polarity:
        r = comparison.results[0]
        found["polarity", f"{r.provenance.stimuli}, {r.scheme}", "polarity"] = comparison.differences[0]
    return found

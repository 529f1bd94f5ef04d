"""Effect sizes of log-probability bias between attribute sets (Kurita et al. 2019, §3.2; docs/definitions.md §7)."""

from __future__ import annotations

from collections.abc import Iterable
from os import PathLike
from typing import Any

import numpy as np

from aslant.errors import MeasureError, plural
from aslant.io.journal import Journal
from aslant.measures.association.result import SkippedTest
from aslant.measures.association.statistic import NO_SPREAD, effect_size
from aslant.measures.template_tests.result import AttributeGroup, LogProbabilitySuiteResult, LogProbabilityWeatResult
from aslant.measures.template_tests.scores import attribute_scores, bias_scores
from aslant.measures.template_tests.scoring import (
    FloatArray,
    Model,
    NothingLeftError,
    ask,
    asking,
    method_of,
    notes_on,
    provenance,
    target_sets,
)
from aslant.measures.template_tests.stimuli import asked
from aslant.models.protocols import Progress, TargetPieces
from aslant.statistics import benjamini_hochberg, partition_pvalue, seed_of
from aslant.stimuli import TemplateSet, all_sets, load_set

#: How far the p-value of the authors' rows can be trusted.
ROWS_NOTE = (
    "the p-value re-partitions rows of template × attribute as if they were independent, which those of one attribute "
    "are not; it tends to be too small"
)


class NoEffectError(MeasureError):
    """Scores without any spread, which have no effect size."""


def log_probability_weat(
    lm: Model,
    test: str | PathLike[str] | TemplateSet,
    *,
    as_published: bool = False,
    target_pieces: TargetPieces = "chain",
    single_mask: bool = False,
    alternative: str = "greater",
    method: str = "auto",
    n_resamples: int = 100_000,
    rng: int | np.random.Generator | None = 0,
    journal: str | PathLike[str] | Journal | None = None,
    progress: Progress | None = None,
) -> LogProbabilityWeatResult:
    """Compare the bias scores of two attribute sets: effect size d and exact permutation p-value (Kurita et al.).

    `test` is a template set with two target and two attribute sets: "career-family", "math-arts", "science-arts",
    "pleasant-flowers", "pleasant-names", or your own TOML file. An attribute's score is the mean over the templates;
    d = (mean of the first set − mean of the second) / standard deviation of all (ddof = 1), and the attributes are
    re-partitioned for the p-value. `as_published` follows the authors' code: rows of template × attribute pooled, one
    mask, and the prior read one token before the attribute. Other settings: see `aslant.log_probability_bias`.

    >>> import aslant  # here, any_lm is a small model; aslant.load_lm(…) opens real ones
    >>> r = aslant.log_probability_weat(any_lm, "career-family")
    >>> -2 < r.effect_size < 2, r.n_scores, r.pvalue_method, r.n_partitions
    (True, 16, 'enumeration', 12870)
    """
    how = asking(lm, target_pieces, single_mask, as_published)
    chosen = two_by_two(test)
    question = asked(chosen, None)
    words = tuple(word for group in chosen.attributes for word in group.words)
    scored = ask(lm, question.prompts, words, how, journal, progress)
    first, second = _scored_words(chosen, scored.attributes)
    by_template = bias_scores(scored.association)
    units = by_template if as_published else by_template.mean(axis=1, keepdims=True)
    seed = seed_of(rng)
    settings = {**how.record(), "alternative": alternative, "method": method, "n_resamples": n_resamples}
    return LogProbabilityWeatResult(
        test=chosen.id, title=chosen.title, category=chosen.category,
        templates=tuple(prompt.text for prompt in question.prompts),
        targets=target_sets(question.targets, scored),  # type: ignore[arg-type]
        attributes=(first, second),
        as_published=as_published,
        **compared(units[: len(first.words)].ravel(), units[len(first.words) :].ravel(), chosen.id, settings, seed),
        n_scores=units.size,
        method=method_of(scored),
        scores=attribute_scores(question.targets, scored),
        notes=notes_on(question.prompts, scored, how) + ((ROWS_NOTE,) if as_published else ()),
        provenance=provenance(lm, chosen.id, scored.missing, seed, settings),
    )  # fmt: skip


def _scored_words(chosen: TemplateSet, scored: tuple[str, ...]) -> tuple[AttributeGroup, AttributeGroup]:
    first, second = (
        AttributeGroup(group.name, tuple(word for word in group.words if word in scored)) for group in chosen.attributes
    )
    for group in (first, second):
        if not group.words:
            raise NothingLeftError(f"no word of '{group.name}' of '{chosen.id}' can be scored.")
    return first, second


def compared(first: FloatArray, second: FloatArray, test: str, settings: dict[str, Any], seed: int) -> dict[str, Any]:
    """Return effect sizes and the permutation p-value of two sets of scores, as fields of a result."""
    if np.ptp(np.concatenate([first, second])) < NO_SPREAD:
        raise NoEffectError(f"every attribute of '{test}' has the same score, so no effect size exists.")
    p = partition_pvalue(
        first, second, alternative=settings["alternative"], method=settings["method"],
        n_resamples=settings["n_resamples"], rng=seed,
    )  # fmt: skip
    return {
        "statistic": float(first.mean() - second.mean()),
        "effect_size": effect_size(first, second),
        "effect_size_population": effect_size(first, second, ddof=0),
        "pvalue": p.pvalue,
        "pvalue_bounds": p.bounds,
        "pvalue_method": p.method,
        "n_partitions": p.n_partitions,
        "alternative": settings["alternative"],
    }


def two_by_two(test: Any) -> TemplateSet:
    """Return a template set with two target and two attribute sets, which share no word.

    >>> two_by_two("career-family").attributes[0].name
    'Career'
    """
    if not isinstance(test, str | PathLike | TemplateSet):
        raise MeasureError(f"{test!r:.60} does not name a test; give a name such as 'career-family', or a TOML file.")
    chosen = test if isinstance(test, TemplateSet) else load_set(test, TemplateSet)
    if not _is_test(chosen):
        raise MeasureError(
            f"'{chosen.id}' has {plural(len(chosen.targets), 'target set')} and "
            f"{plural(len(chosen.attributes), 'attribute set')}; two of each, "
            "with words, are needed."
        )
    for side in (chosen.targets, chosen.attributes):
        if both := set(side[0].words) & set(side[1].words):
            raise MeasureError(f"'{min(both)}' is in both '{side[0].name}' and '{side[1].name}' of '{chosen.id}'.")
    return chosen


def _is_test(chosen: TemplateSet) -> bool:
    two = len(chosen.targets) == len(chosen.attributes) == 2
    return two and all(group.words for group in chosen.groups)


def log_probability_suite(
    lm: Model,
    tests: Iterable[str | PathLike[str] | TemplateSet] | None = None,
    *,
    rng: int | np.random.Generator | None = 0,
    **settings: Any,
) -> LogProbabilitySuiteResult:
    """Run every log-probability test that ships (or `tests`) and control the false-discovery rate over them.

    The settings are those of `aslant.log_probability_weat`. A test that has no effect size is listed as skipped.

    >>> import aslant  # here, any_lm is a small model; aslant.load_lm(…) opens real ones
    >>> [r.test for r in aslant.log_probability_suite(any_lm).results]
    ['career-family', 'math-arts', 'pleasant-flowers', 'pleasant-names', 'science-arts']
    """
    if isinstance(tests, str):
        raise MeasureError(f"tests={tests!r} is one string; give a list of tests, or use aslant.log_probability_weat.")
    chosen = [t for t in all_sets(TemplateSet) if _is_test(t)] if tests is None else [two_by_two(t) for t in tests]
    chosen = list({test.id: test for test in chosen}.values())  # a test named twice is one test
    if not chosen:
        raise MeasureError("no test was given; leave out `tests` to run every one that ships.")
    seed = seed_of(rng)
    results: list[LogProbabilityWeatResult] = []
    skipped: list[SkippedTest] = []
    for test in chosen:
        try:
            results.append(log_probability_weat(lm, test, rng=seed, **settings))
        except (NoEffectError, NothingLeftError) as error:
            skipped.append(SkippedTest(test.id, test.title, str(error).rstrip("."), ()))
    kept = {key: value for key, value in settings.items() if key not in ("journal", "progress")}
    missing = tuple(dict.fromkeys(word for result in results for word in result.provenance.missing))
    return LogProbabilitySuiteResult(
        results=tuple(results),
        qvalues=tuple(benjamini_hochberg([result.pvalue for result in results]).tolist()) if results else (),
        skipped=tuple(skipped),
        provenance=provenance(lm, " ".join(test.id for test in chosen), missing, seed, kept),
    )

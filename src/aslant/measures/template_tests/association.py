"""Effect sizes of log-probability bias between attribute sets (Kurita et al. 2019, §3.2; docs/definitions.md §7)."""

from __future__ import annotations

from collections.abc import Iterable
from os import PathLike
from typing import Any

import numpy as np

from aslant.errors import MeasureError, plural
from aslant.io.journal import Journal
from aslant.measures.shared.settings import keywords
from aslant.measures.shared.statistic import effect_size
from aslant.measures.shared.suite import chosen_tests, compared, run_suite
from aslant.measures.shared.wordsets import provenance
from aslant.measures.template_tests import scoring
from aslant.measures.template_tests.result import AttributeGroup, LogProbabilitySuiteResult, LogProbabilityWeatResult
from aslant.measures.template_tests.scores import bias_scores, described
from aslant.measures.template_tests.settings import LogProbabilityWeatSettings
from aslant.measures.template_tests.stimuli import asked
from aslant.models.protocols import Progress
from aslant.statistics import seed_of
from aslant.stimuli import TemplateSet, all_sets, load_set

#: How far the p-value of the authors' rows can be trusted.
ROWS_NOTE = (
    "the p-value re-partitions rows of template × attribute as if they were independent, which those of one attribute "
    "are not; it tends to be too small"
)


@keywords
def log_probability_weat(
    lm: scoring.Model,
    test: str | PathLike[str] | TemplateSet,
    *,
    settings: LogProbabilityWeatSettings,
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
    how = scoring.asking(lm, settings)
    return _measure(lm, two_by_two(test), how, seed_of(rng), journal, progress)


def _measure(
    lm: scoring.Model, test: TemplateSet, how: LogProbabilityWeatSettings, seed: int, journal: Any,
    progress: Progress | None,
) -> LogProbabilityWeatResult:  # fmt: skip
    how = how.towards(test)
    question = asked(test, None)
    words = tuple(word for group in test.attributes for word in group.words)
    scored = scoring.ask(lm, question.prompts, words, how, journal, progress)
    first, second = (
        AttributeGroup(group.name, tuple(word for word in group.words if word in scored.attributes))
        for group in test.attributes
    )
    for group in (first, second):
        if not group.words:
            raise scoring.NothingLeftError(f"no word of '{group.name}' of '{test.id}' can be scored.")
    by_template = bias_scores(scored.association)
    units = by_template if how.as_published else by_template.mean(axis=1, keepdims=True)
    halves = units[: len(first.words)].ravel(), units[len(first.words) :].ravel()
    fields = described(question, scored, how)
    return LogProbabilityWeatResult(
        **compared(test, *halves, how, seed),
        effect_size=effect_size(*halves),
        effect_size_population=effect_size(*halves, ddof=0),
        **{**fields, "notes": fields["notes"] + ((ROWS_NOTE,) if how.as_published else ())},
        attributes=(first, second),
        as_published=how.as_published,
        n_scores=units.size,
        provenance=provenance(lm, test.id, scored.missing, seed, how.record()),
    )


def two_by_two(test: Any) -> TemplateSet:
    """Return a template set with two target and two attribute sets, which share no word.

    >>> two_by_two("career-family").attributes[0].name
    'Career'
    """
    if not isinstance(test, str | PathLike | TemplateSet):
        raise MeasureError(f"{test!r:.60} does not name a test; give a name such as 'career-family', or a TOML file.")
    chosen = test if isinstance(test, TemplateSet) else load_set(test, TemplateSet)
    if not is_test(chosen):
        raise MeasureError(
            f"'{chosen.id}' has {plural(len(chosen.targets), 'target set')} and "
            f"{plural(len(chosen.attributes), 'attribute set')}; two of each, "
            "with words, are needed."
        )
    for side in (chosen.targets, chosen.attributes):
        if both := set(side[0].words) & set(side[1].words):
            raise MeasureError(f"'{min(both)}' is in both '{side[0].name}' and '{side[1].name}' of '{chosen.id}'.")
    return chosen


def is_test(chosen: TemplateSet) -> bool:
    """Tell whether a template set has two target and two attribute sets, all with words."""
    two = len(chosen.targets) == len(chosen.attributes) == 2
    return two and all(group.words for group in chosen.groups)


@keywords
def log_probability_suite(
    lm: scoring.Model,
    tests: Iterable[str | PathLike[str] | TemplateSet] | None = None,
    *,
    settings: LogProbabilityWeatSettings,
    rng: int | np.random.Generator | None = 0,
    journal: str | PathLike[str] | Journal | None = None,
    progress: Progress | None = None,
) -> LogProbabilitySuiteResult:
    """Run every log-probability test that ships (or `tests`) and control the false-discovery rate over them.

    The settings are those of `aslant.log_probability_weat`. A test that has no effect size is listed as skipped.

    >>> import aslant  # here, any_lm is a small model; aslant.load_lm(…) opens real ones
    >>> [r.test for r in aslant.log_probability_suite(any_lm).results]
    ['career-family', 'math-arts', 'pleasant-flowers', 'pleasant-names', 'science-arts']
    """
    how, seed = scoring.asking(lm, settings), seed_of(rng)
    ship = lambda: filter(is_test, all_sets(TemplateSet))  # noqa: E731
    chosen = chosen_tests(tests, "aslant.log_probability_weat", ship, two_by_two)
    measure = lambda test: _measure(lm, test, how, seed, journal, progress)  # noqa: E731
    return run_suite(LogProbabilitySuiteResult, chosen, measure, lm, seed, how.record())

"""Effect sizes of log-probability bias between attribute sets (Kurita et al. 2019, §3.2; docs/definitions.md §7)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from os import PathLike
from typing import Any

import numpy as np

from aslant.errors import MeasureError, plural
from aslant.io.journal import Journal
from aslant.measures.association.chance import effect_sizes
from aslant.measures.shared.open_subject import opening
from aslant.measures.shared.settings import keywords
from aslant.measures.shared.statistic import effect_size
from aslant.measures.shared.suite import chosen_tests, compared, run_suite
from aslant.measures.shared.wordsets import FloatArray, provenance
from aslant.measures.template_tests import scoring
from aslant.measures.template_tests.chance import Ask, asker, drawn_rows, pool_of, with_twins
from aslant.measures.template_tests.result import AttributeGroup, LogProbabilitySuiteResult, LogProbabilityWeatResult
from aslant.measures.template_tests.scores import bias_scores, described
from aslant.measures.template_tests.settings import LogProbabilityWeatSettings
from aslant.measures.template_tests.stimuli import Asked, asked
from aslant.models.protocols import Progress
from aslant.statistics import Chance, against_chance, generator, is_large_enough, seed_of
from aslant.stimuli import TemplateSet, all_sets, load_set

#: How far the p-value of the authors' rows can be trusted.
ROWS_NOTE = (
    "the p-value re-partitions rows of template × attribute as if they were independent, which those of one attribute "
    "are not; it tends to be too small"
)


@opening("lm")
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
    "pleasant-flowers", "pleasant-names", or your own TOML file. An attribute's score is the mean over the templates; d
    = (mean of the first set − mean of the second) / standard deviation of all (ddof = 1), and the attributes are
    re-partitioned for the p-value. `as_published` follows the authors' code: rows of template × attribute pooled, one
    mask, and the prior read one token before the attribute. `chance` random sets of words in place of the attributes,
    from a pool that is scored once, matched in word pieces and frequency, say what these words add. `twins` untrained
    models of the same architecture are asked the same. Other settings: see `aslant.log_probability_bias`.

    >>> import aslant  # here, any_lm is a small model; aslant.load_lm(…) opens real ones
    >>> r = aslant.log_probability_weat(any_lm, "career-family")
    >>> -2 < r.effect_size < 2, r.n_scores, r.pvalue_method, r.n_partitions
    (True, 16, 'enumeration', 12870)
    """
    how = scoring.asking(lm, settings)
    chosen = two_by_two(test)
    result = _measure(lm, chosen, how, seed_of(rng), asker(lm, how, journal, progress))
    return _beside_twins(lm, {chosen.id: chosen}, [result], how, progress)[0]


def _measure(
    lm: scoring.Model, test: TemplateSet, how: LogProbabilityWeatSettings, seed: int, ask: Ask
) -> LogProbabilityWeatResult:
    how = how.towards(test)
    question = asked(test, None)
    words = tuple(word for group in test.attributes for word in group.words)
    scored = ask(question.prompts, words)
    first, second = (
        AttributeGroup(group.name, tuple(word for word in group.words if word in scored.attributes))
        for group in test.attributes
    )
    for group in (first, second):
        if not group.words:
            raise scoring.NothingLeftError(f"no word of '{group.name}' of '{test.id}' can be scored.")
    units = _units(scored, how)
    halves = units[: len(first.words)].ravel(), units[len(first.words) :].ravel()
    fields = {**compared(test, *halves, how, seed), **described(question, scored, how)}
    size = effect_size(*halves)
    chance, pool = _chance(lm, test, question, scored, len(first.words), size, how, seed, ask)
    return LogProbabilityWeatResult(
        effect_size=size,
        effect_size_population=effect_size(*halves, ddof=0),
        **{**fields, "notes": (*fields["notes"], *_notes(how, pool))},
        attributes=(first, second),
        as_published=how.as_published,
        n_scores=units.size,
        chance=chance,
        provenance=provenance(
            lm, test.id, tuple(scored.missing), seed, {**how.record(), **({"pool": pool} if pool else {})}
        ),
    )


def _chance(
    lm: scoring.Model, test: TemplateSet, question: Asked, scored: scoring.Scored, first: int, size: float,
    how: LogProbabilityWeatSettings, seed: int, ask: Ask,
) -> tuple[Chance | None, int]:  # fmt: skip
    """Return what attributes drawn from a pool of words give, and how many words were scored for it."""
    words = pool_of(lm, test.language, several=scored.pieces.max() > 1) if how.chance else ()
    if not is_large_enough(np.arange(len(words)), len(scored.attributes)):
        return None, 0
    pool = ask(question.prompts, words)
    stimuli = {word for group in question.targets for word in group.words}.union(scored.attributes)
    of_pool, own = ((one.attributes, one.pieces) for one in (pool, scored))
    rows = drawn_rows(lm, of_pool, own, stimuli, how.chance, generator(seed))
    if rows is None:
        return None, len(words)
    units = _units(pool, how)
    drawn = effect_sizes(units[rows].reshape(len(rows), -1), first * units.shape[1])
    return against_chance(size, drawn, "scored words"), len(words)


def _units(scored: scoring.Scored, how: LogProbabilityWeatSettings) -> FloatArray:
    """Return what is compared: a score for each attribute, or, as published, for each in each template."""
    by_template = bias_scores(scored.association)
    return by_template if how.as_published else by_template.mean(axis=1, keepdims=True)


def _beside_twins(
    lm: scoring.Model, tests: Mapping[str, TemplateSet], results: Sequence[LogProbabilityWeatResult],
    how: LogProbabilityWeatSettings, progress: Progress | None,
) -> list[LogProbabilityWeatResult]:  # fmt: skip
    """Put the effect sizes of untrained models of the same architecture beside each result."""

    def sizes(ask: Ask) -> list[float]:
        found = []
        for result in results:
            first, second = (group.words for group in result.attributes)
            units = _units(ask(asked(tests[result.test], None).prompts, (*first, *second)), how)
            found.append(float(effect_sizes(units.reshape(1, -1), len(first) * units.shape[1])[0]))
        return found

    twins = with_twins(lm, how, progress, sizes)
    return [replace(result, twins=given) for result, given in zip(results, twins, strict=True)] if twins else [*results]


def _notes(how: LogProbabilityWeatSettings, pool: int) -> list[str]:
    said = [ROWS_NOTE] if how.as_published else []
    if pool:
        said.append(
            f"chance draws from {pool} words; an attribute is replaced by one of as many word pieces, where there are "
            "enough, and of about its place in the vocabulary, which roughly follows frequency"
        )
    return said


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


@opening("lm")
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
    ask = asker(lm, how, journal, progress)
    ship = lambda: filter(is_test, all_sets(TemplateSet))  # noqa: E731
    chosen = chosen_tests(tests, "aslant.log_probability_weat", ship, two_by_two)
    measure = lambda test: _measure(lm, test, how, seed, ask)  # noqa: E731
    suite = run_suite(LogProbabilitySuiteResult, chosen, measure, lm, seed, how.record())
    results = _beside_twins(lm, {test.id: test for test in chosen}, suite.results, how, progress)
    return replace(suite, results=tuple(results))

"""The table of an audit: which measure fits what, and how each profile runs it. A new measure adds one entry.

`quick` is for a first look, `standard` for most uses (under a minute on the sample), and `full` draws as many
rotations, seeds and resamples as the papers do, without stopping early.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from aslant.auditing.model_steps import ceats, contextual, pronoun_choices, pronouns_resolved, seats
from aslant.auditing.own_words import measure_own
from aslant.auditing.step_context import Work
from aslant.auditing.subjects import Subject, Trait
from aslant.measures.association.measure import weat_suite
from aslant.measures.enumeration.measure import enumerate_biases
from aslant.measures.geometry.direct import direct_bias
from aslant.measures.geometry.subspace import gender_subspace
from aslant.measures.polarities.measure import polarity
from aslant.measures.residuals.measure import residual_bias
from aslant.measures.side_by_side.measure import POLARITIES
from aslant.measures.template_tests.association import log_probability_suite, two_by_two
from aslant.measures.template_tests.scores import DEFAULT_ATTRIBUTES, DEFAULT_TEMPLATE, log_probability_bias
from aslant.measures.template_tests.words_in_templates import template_weat
from aslant.parallel import one_thread_each
from aslant.results.audit import Profile
from aslant.results.codec import MeasuredResult
from aslant.stimuli import TemplateSet, all_sets

Results = tuple[MeasuredResult, ...]
#: The risk that any verdict of the enumeration differs from that of all rotations.
RISK = 0.001


@dataclass(frozen=True)
class Step:
    """One measure of an audit.

    `fits` are the traits of which a subject needs at least one; `settings` has what each profile asks of the measure,
    and lacks a profile that leaves it out; `categories` are the social categories that its stimuli are about.
    """

    id: str
    title: str
    fits: frozenset[Trait]
    run: Callable[[Work], Results]
    settings: Mapping[Profile, Mapping[str, Any]]
    categories: tuple[str, ...]

    def suits(self, subject: Subject) -> bool:
        """Tell whether the measure can be run on a subject."""
        return bool(self.fits & subject.traits)

    def suits_with_text(self, subject: Subject) -> bool:
        """Tell whether the measure could be run if there were a corpus."""
        return not self.suits(subject) and "encoder + corpus" in self.fits and "encoder" in subject.traits


def _weat(work: Work) -> Results:
    suite = weat_suite(work.subject.opened, rng=work.seed, **work.settings)
    return (work.noted("weat", suite),)


def _polarity(work: Work) -> Results:
    done: list[MeasuredResult] = []
    for classes, scheme in POLARITIES:
        with work.noting(f"polarity {scheme}, {classes}"):
            done.append(polarity(work.subject.opened, classes, scheme=scheme, rng=work.seed, **work.settings))
    return tuple(done)


def _geometry(work: Work) -> Results:
    vectors = work.subject.opened
    return gender_subspace(vectors, rng=work.seed, **work.settings), direct_bias(vectors)


def _residual(work: Work) -> Results:
    # One embedding twice: the values that a debiasing would have to bring down. Many small clusterings fight for cores
    # where others use them too: with one thread they take a third of the time then, and as long as before otherwise.
    with one_thread_each():
        return (residual_bias(work.subject.opened, work.subject.opened, rng=work.seed, **work.settings),)


def _enumeration(work: Work) -> Results:
    return (
        enumerate_biases(
            work.subject.opened, rng=work.seed, workers=work.workers, journal=work.journal, progress=work.progress,
            **work.settings,
        ),
    )  # fmt: skip


def _log_probability(work: Work) -> Results:
    suite = log_probability_suite(
        work.subject.opened, rng=work.seed, alternative=EITHER_WAY, **work.asking(), **work.settings
    )
    return (work.noted("log-probability", suite),)


def _attribute_lists(work: Work) -> Results:
    done: list[MeasuredResult] = []
    for attributes in work.settings["lists"]:
        with work.noting(f"attribute-lists, {attributes}"):
            done.append(
                log_probability_bias(
                    work.subject.opened, DEFAULT_TEMPLATE, (["he"], ["she"]), attributes, **work.asking()
                )
            )
    return tuple(done)


def _template_weat(work: Work) -> Results:
    done: list[MeasuredResult] = []
    for test in _tests():
        with work.noting(f"template-weat, {test.id}"):
            done.append(template_weat(
                work.subject.opened, test, rng=work.seed, alternative=EITHER_WAY, progress=work.progress,
            ))  # fmt: skip
    return tuple(done)


def _tests() -> list[TemplateSet]:
    """Return the template sets that are tests, with two target and two attribute sets."""
    two = [test for test in all_sets(TemplateSet) if len(test.targets) == len(test.attributes) == 2]
    return [two_by_two(test) for test in two]


#: The template tests of the paper are no hypotheses with a direction: "pleasant-names" has the group that models
#: mistreat first, so that a one-sided test could never find what it is about.
EITHER_WAY = "two-sided"
STATIC: frozenset[Trait] = frozenset({"static"})
MASKED: frozenset[Trait] = frozenset({"masked LM"})
MODELS: frozenset[Trait] = frozenset({"masked LM", "causal LM"})
ENCODERS: frozenset[Trait] = frozenset({"encoder"})
WITH_TEXT: frozenset[Trait] = frozenset({"encoder + corpus"})
WEAT_CATEGORIES = ("race", "gender", "health", "age")
RESAMPLES: dict[Profile, Mapping[str, Any]] = {
    "quick": {"bootstrap": 500},
    "standard": {"bootstrap": 2_000},
    "full": {"bootstrap": 10_000},
}
NOTHING: dict[Profile, Mapping[str, Any]] = {"quick": {}, "standard": {}, "full": {}}

#: In the order of the report.
STEPS: tuple[Step, ...] = (
    Step("weat", "Association tests (WEAT)", STATIC, _weat, RESAMPLES, WEAT_CATEGORIES),
    Step("polarity", "Polarity of professions", STATIC, _polarity, RESAMPLES, ("gender", "race")),
    Step(
        "geometry", "Gender direction and direct bias", STATIC, _geometry,
        {"quick": {"random_pairs": 200}, "standard": {"random_pairs": 1_000}, "full": {"random_pairs": 10_000}},
        ("gender",),
    ),
    Step(
        "residual", "How far words can be told apart by gender", STATIC, _residual,
        {
            "quick": {"seeds": 1, "classified": 1_000, "picture": "none"},
            "standard": {"seeds": 3, "picture": "pca"},
            "full": {"seeds": 10, "picture": "auto"},
        },
        ("gender",),
    ),
    Step(
        "enumeration", "Bias enumeration", STATIC, _enumeration,
        {
            "quick": {"precision": RISK, "rotations": 4_000, "words": 8_000, "categories": 32},
            "standard": {"precision": RISK},
            "full": {},
        },
        ("several",),
    ),
    Step("log-probability", "Log-probability tests", MODELS, _log_probability, NOTHING, ("gender", "race")),
    Step(
        "attribute-lists", "Lists of attributes: he or she?", MODELS, _attribute_lists,
        {
            "quick": {"lists": (DEFAULT_ATTRIBUTES,)},
            "standard": {"lists": (DEFAULT_ATTRIBUTES, "bold-professions")},
            "full": {"lists": (DEFAULT_ATTRIBUTES, "bold-professions", "professions")},
        },
        ("gender",),
    ),
    Step("template-weat", "WEAT on words in templates", MASKED, _template_weat, NOTHING, ("gender", "race")),
    Step(
        "pronoun-choice", "Which pronoun is preferred (WinoBias, Winogender)", MODELS, pronoun_choices,
        {
            "quick": {"sources": {"winobias": "dev"}, "bootstrap": 500},
            "standard": {"sources": {"winobias": None, "winogender": None}},
            "full": {"sources": {"winobias": None, "winogender": None}, "bootstrap": 10_000, "n_resamples": 99_999},
        },
        ("gender",),
    ),
    Step("seat", "Association tests on sentences (SEAT)", ENCODERS, seats, RESAMPLES, WEAT_CATEGORIES),
    Step(
        "ceat", "Association tests in context (CEAT)", WITH_TEXT, ceats,
        {
            "quick": {"samples": 1_000, "contexts_per_word": 25},
            "standard": {"contexts_per_word": 200},
            "full": {},
        },
        WEAT_CATEGORIES,
    ),
    Step(
        "contextual", "Bias in context", WITH_TEXT, contextual,
        {
            "quick": {
                "repeats": 3, "swaps": 5, "top": 200, "classified": 500, "random_pairs": 200, "picture": "none",
            },
            "standard": {"repeats": 5, "classified": 1_000, "picture": "pca"},
            "full": {},
        },
        ("gender",),
    ),
    Step(
        "pronoun-resolution", "Whom a pronoun refers to (GAP)", ENCODERS, pronouns_resolved, {"full": {}}, ("gender",)
    ),
    Step("own words", "Your own words", STATIC | MODELS | ENCODERS, measure_own, RESAMPLES, ()),
)  # fmt: skip
OWN = "own words"


def names() -> tuple[str, ...]:
    """Return the ids of all measures that an audit knows.

    >>> names()[:3]
    ('weat', 'polarity', 'geometry')
    """
    return tuple(step.id for step in STEPS)

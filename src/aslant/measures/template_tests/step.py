"""The steps of an audit that ask a language model about words in templates."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from aslant.measures.template_tests.association import is_test, log_probability_suite, two_by_two
from aslant.measures.template_tests.scores import DEFAULT_ATTRIBUTES, DEFAULT_TEMPLATE, log_probability_bias
from aslant.measures.template_tests.words_in_templates import template_weat
from aslant.results.codec import MeasuredResult
from aslant.stimuli import ClassSet, TemplateSet, WordSet, all_sets

if TYPE_CHECKING:
    from aslant.auditing.step_context import Results, Work

#: The template tests of the paper are not hypotheses with a direction: "pleasant-names" has the group that models
#: mistreat first, so that a one-sided test could never find what it is about.
EITHER_WAY = "two-sided"
HE_OR_SHE = (["he"], ["she"])
#: An audit makes untrained twins of models with at most this many weights: a twin needs as much memory again.
MOST_WEIGHTS = 1_000_000_000


def twins_in(work: Work) -> int:
    """Return how many untrained twins an audit makes: as many as the profile has, or none of a large model."""
    large = getattr(work.subject.opened, "weights", 0) > MOST_WEIGHTS
    return 0 if large else int(work.settings.get("twins", 0))


def _how(work: Work) -> dict[str, Any]:
    return {**work.asking(), "twins": twins_in(work)}


def log_probability(work: Work) -> Results:
    """Run every log-probability test that ships."""
    suite = log_probability_suite(work.subject.opened, rng=work.seed, alternative=EITHER_WAY, **_how(work))
    return (work.noted("log-probability", suite),)


def attribute_lists(work: Work) -> Results:
    """Ask of each word of several lists whether it goes with "he" or "she"."""
    done: list[MeasuredResult] = []
    how = _how(work)
    for words in work.settings["lists"]:
        with work.noting(f"attribute-lists, {words}"):
            done.append(log_probability_bias(work.subject.opened, DEFAULT_TEMPLATE, HE_OR_SHE, words, **how))
    return tuple(done)


def template_weats(work: Work) -> Results:
    """Run WEAT on the vectors of words in templates, for every template set that is a test."""
    done: list[MeasuredResult] = []
    for test in (two_by_two(found) for found in all_sets(TemplateSet) if is_test(found)):
        with work.noting(f"template-weat, {test.id}"):
            done.append(template_weat(
                work.subject.opened, test, rng=work.seed, alternative=EITHER_WAY, progress=work.progress,
            ))  # fmt: skip
    return tuple(done)


def own_words(work: Work, sets: list[TemplateSet | ClassSet | WordSet]) -> Results:
    """Ask a language model about the user's own words: tests in one suite, other sets one by one."""
    lm, how = work.subject.opened, _how(work)
    done: list[MeasuredResult] = []
    tests = [found for found in sets if isinstance(found, TemplateSet) and is_test(found)]
    if tests:
        done.append(log_probability_suite(lm, tests, rng=work.seed, **how))
    for found in sets:
        if found not in tests:
            with work.noting(f"own words, {found.id}"):
                if isinstance(found, TemplateSet):
                    attributes = None if any(group.words for group in found.attributes) else DEFAULT_ATTRIBUTES
                    done.append(log_probability_bias(lm, found, attributes=attributes, **how))
                elif isinstance(found, ClassSet):
                    sides = {group.name: group.words for group in found.classes}
                    asked = log_probability_bias(lm, DEFAULT_TEMPLATE, sides, DEFAULT_ATTRIBUTES, **how)
                    done.append(work.named(asked, found.id))
                else:
                    asked = log_probability_bias(lm, DEFAULT_TEMPLATE, HE_OR_SHE, found.words, **how)
                    done.append(work.named(asked, attributes=found.id))
    return tuple(done)

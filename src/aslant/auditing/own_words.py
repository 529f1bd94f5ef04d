"""A user's own stimuli in an audit: each set goes to the measure that fits its kind and the representation."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from os import PathLike
from pathlib import Path
from typing import Any

from aslant.auditing.step_context import Work
from aslant.auditing.subjects import Trait
from aslant.errors import MeasureError, StimuliError
from aslant.measures.association.measure import weat_suite
from aslant.measures.geometry.subspace import gender_subspace
from aslant.measures.polarities.measure import Scheme, polarity
from aslant.measures.sentence_tests.contexts import ceat_suite
from aslant.measures.sentence_tests.result import CeatSuiteResult, SeatSuiteResult
from aslant.measures.sentence_tests.sentences import seat_suite
from aslant.measures.template_tests.association import log_probability_suite
from aslant.measures.template_tests.scores import DEFAULT_ATTRIBUTES, DEFAULT_TEMPLATE, log_probability_bias
from aslant.results.codec import MeasuredResult
from aslant.stimuli import ClassSet, PairSet, StimulusSet, TemplateSet, WeatSet, WordSet, load_set

LANGUAGE_MODELS: frozenset[Trait] = frozenset({"masked LM", "causal LM"})
ANY_OTHER = "a static embedding or a language model"
#: The classes between which a user's words lean, where the file names none.
DEFAULT_CLASSES = "gender-binary"


def own_sets(words: Any) -> tuple[StimulusSet, ...]:
    """Load a user's own sets: a path, a name, a set, or several of them; two must not have one name.

    >>> [found.id for found in own_sets(["weat-6", "gender-three"])]
    ['weat-6', 'gender-three']
    """
    several = words if isinstance(words, Iterable) and not isinstance(words, str | PathLike) else [words]
    found = tuple(item if isinstance(item, StimulusSet) else load_set(_source(item)) for item in several)
    for place, item in enumerate(found):
        if item.id in {other.id for other in found[:place]}:
            raise StimuliError(f"two sets of words are called '{item.id}'; rename one of the files.")
    return found


def _source(item: Any) -> str | PathLike[str]:
    if not isinstance(item, str | PathLike):
        raise StimuliError(f"words={item!r:.60} does not name a word set; give the path of a TOML file.")
    return item


def digest(sets: Iterable[StimulusSet]) -> str:
    """Return twelve characters that identify the content of sets.

    >>> digest([load_set("weat-6")]) == digest([load_set("weat-7")])
    False
    """
    import msgspec

    return hashlib.sha256(msgspec.json.encode(tuple(sets))).hexdigest()[:12]


def measure_own(work: Work) -> tuple[MeasuredResult, ...]:
    """Measure with every set that fits; one that does not is noted, with the reason."""
    traits = work.subject.traits
    measured: list[MeasuredResult] = [*_associations(work), *_templates(work)]
    for found in work.own:
        if isinstance(found, WeatSet) or (isinstance(found, TemplateSet) and _is_test(found)):
            continue  # as a suite, which controls false discoveries over all of them
        with work.noting(f"own words, {found.id}"):
            if "static" in traits:
                measured += _static(work, found)
            elif traits & LANGUAGE_MODELS:
                measured += _asked_of_model(work, found)
            else:
                raise MeasureError(f"a set of this kind needs {ANY_OTHER}.")
    return tuple(measured)


def _is_test(found: TemplateSet) -> bool:
    return len(found.targets) == len(found.attributes) == 2


def _associations(work: Work) -> list[MeasuredResult]:
    """Run the user's WEAT sets: on vectors of words, or of words in sentences."""
    tests = [s for s in work.own if isinstance(s, WeatSet)]
    if not tests:
        return []
    if "static" in work.subject.traits:
        return [_weat(work, tests)]
    if work.subject.encoder is None:
        for found in tests:
            work.note(f"own words, {found.id}", "a set of this kind needs a static embedding or an encoder")
        return []
    how: dict[str, Any] = {"rng": work.seed, "progress": work.progress}
    suites: list[SeatSuiteResult | CeatSuiteResult] = [
        seat_suite(work.subject.encoder, tests, bootstrap=work.settings["bootstrap"], **how)
    ]
    if work.subject.corpus is not None:
        suites.append(ceat_suite(work.subject.encoder, work.subject.corpus, tests, store=work.journal, **how))
    for suite, name in zip(suites, ("SEAT", "CEAT"), strict=False):
        for skipped in suite.skipped:
            work.note(f"own words, {skipped.test}, {name}", skipped.reason)
    return [suite for suite in suites if suite.results]


def _templates(work: Work) -> list[MeasuredResult]:
    """Run the user's template tests on a language model."""
    tests = [s for s in work.own if isinstance(s, TemplateSet) and _is_test(s)]
    if tests and work.subject.traits & LANGUAGE_MODELS:
        return [_log_probability(work, tests)]
    for found in tests:
        work.note(f"own words, {found.id}", "a set of this kind needs a language model")
    return []


def _weat(work: Work, tests: list[WeatSet]) -> MeasuredResult:
    suite = weat_suite(work.subject.opened, tests, rng=work.seed, bootstrap=work.settings["bootstrap"])
    for skipped in suite.skipped:
        work.note(f"own words, {skipped.test}", skipped.reason)
    return suite


def _log_probability(work: Work, tests: list[TemplateSet]) -> MeasuredResult:
    return log_probability_suite(work.subject.opened, tests, rng=work.seed, **work.asking())


def _static(work: Work, found: StimulusSet) -> list[MeasuredResult]:
    vectors, more = work.subject.opened, {"rng": work.seed, "bootstrap": work.settings["bootstrap"]}
    if isinstance(found, ClassSet):
        classes: Any = found.classes
        schemes: tuple[Scheme, ...] = ("binary",) if len(found.classes) == 2 else ("one-vs-one", "one-vs-rest")
        return [_named(polarity(vectors, classes, scheme=scheme, **more), found.id) for scheme in schemes]
    if isinstance(found, PairSet):
        return [_named(gender_subspace(vectors, found.pairs, rng=work.seed), found.id)]
    if isinstance(found, WordSet):
        return [_named(polarity(vectors, DEFAULT_CLASSES, found.words, **more), words=found.id)]
    raise MeasureError("a set of this kind needs a language model.")


def _asked_of_model(work: Work, found: StimulusSet) -> list[MeasuredResult]:
    lm, how = work.subject.opened, work.asking()
    if isinstance(found, TemplateSet):
        attributes = None if any(group.words for group in found.attributes) else DEFAULT_ATTRIBUTES
        return [log_probability_bias(lm, found, attributes=attributes, **how)]
    if isinstance(found, ClassSet):
        sides = {group.name: group.words for group in found.classes}
        asked = log_probability_bias(lm, DEFAULT_TEMPLATE, sides, DEFAULT_ATTRIBUTES, **how)
        return [_named(asked, found.id)]
    if isinstance(found, WordSet):
        asked = log_probability_bias(lm, DEFAULT_TEMPLATE, (["he"], ["she"]), found.words, **how)
        return [_named(asked, attributes=found.id)]
    raise MeasureError("a set of this kind needs a static embedding.")


def _named(result: Any, stimuli: str | None = None, **settings: str) -> MeasuredResult:
    """Return the result under the name of the user's set, which the measure was given by its content."""
    from dataclasses import replace

    p = result.provenance
    named = replace(p, stimuli=p.stimuli if stimuli is None else stimuli, settings={**p.settings, **settings})
    done: MeasuredResult = replace(result, provenance=named)
    return done


def absolute(words: Iterable[str]) -> tuple[str, ...]:
    """Return paths that mean the same from any folder; names of sets that ship stay as they are.

    >>> absolute(["weat-6"])
    ('weat-6',)
    """
    from aslant.stimuli import names

    return tuple(word if word in names() else str(Path(word).resolve()) for word in words)

"""Run association tests: choose them, compare two sets of scores, and go through a suite."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from os import PathLike
from typing import Any, TypeVar

import numpy as np

from aslant.errors import MeasureError, TooFewWordsError, plural
from aslant.measures.shared import association
from aslant.measures.shared.settings import Partitions
from aslant.measures.shared.statistic import NO_SPREAD
from aslant.measures.shared.wordsets import FloatArray, Recorded, WordSets, provenance, word_lists
from aslant.results.parts import WordsUsed
from aslant.statistics import benjamini_hochberg
from aslant.stimuli import LANGUAGES, StimulusSet, WeatSet, is_sentence, language_tests, load_set, load_sets, suite_sets
from aslant.stimuli.loading import shipped_name


class NoSpreadError(MeasureError):
    """Everything that is compared has the same score, so that no effect size exists."""


T = TypeVar("T", bound=StimulusSet)
S = TypeVar("S", bound=association.AssociationSuite)


def chosen_test(
    test: Any, targets: WordSets | None = None, attributes: WordSets | None = None, language: str | None = None
) -> WeatSet:
    """Return the test that is named, or that the word lists make, or raise an error that says what is wrong.

    With a `language`, a name such as weat-6 means the test in that language.
    """
    if (test is None) == (targets is None and attributes is None):
        raise MeasureError("give either the name of a test (such as 'weat-6') or both targets and attributes.")
    if isinstance(test, WeatSet):
        return test
    if isinstance(test, str | PathLike):
        return load_set(test, WeatSet) if language is None else language_tests(language, [str(test)])[0]
    if test is not None:
        raise MeasureError(f"{test!r:.60} does not name a test; give a name such as 'weat-6', or a TOML file.")
    if targets is None or attributes is None:
        raise MeasureError("targets and attributes are needed together, two word sets each.")
    x, y = word_lists(targets, ("targets 1", "targets 2"))
    a, b = word_lists(attributes, ("attributes 1", "attributes 2"))
    return WeatSet(title=f"{x.name}, {y.name}: {a.name}, {b.name}", id="own", targets=(x, y), attributes=(a, b))


def chosen_tests(tests: Any, alone: str, ship: Callable[[], Iterable[T]], one: Callable[[Any], T]) -> list[T]:
    """Return the tests of a suite, each once; None: those that `ship`. `one` opens a test, `alone` runs just one."""
    if isinstance(tests, str):
        raise MeasureError(f"tests={tests!r} is one string; give a list of tests, or use {alone}.")
    chosen = list({test.id: test for test in (ship() if tests is None else map(one, tests))}.values())
    if not chosen:
        raise MeasureError("no test was given; leave out `tests` to run every one that ships.")
    return chosen


def weat_sets(tests: Any, alone: str, language: str | None = None) -> list[WeatSet]:
    """Return the WEAT sets of a suite, each once; None: the ten that ship, or every one in the `language`."""
    ship = suite_sets if language is None else lambda: iter(language_tests(language))
    if tests is not None and not isinstance(tests, str):
        tests = [found for test in tests for found in _opened(test, language)]
    return chosen_tests(tests, alone, ship, chosen_test)


def _opened(test: Any, language: str | None) -> list[WeatSet]:
    """Return the tests of a name or file, which may have several, or the one that is given."""
    if language is None and isinstance(test, str | PathLike):
        return load_sets(test, WeatSet)
    return [chosen_test(test, language=language)]


def need_language(test: StimulusSet, sets: Sequence[WordsUsed], name: str) -> None:
    """Refuse a test of which no word at all is in what `name` is, saying which language the test is in."""
    if any(words.used or words.not_in_vocabulary for words in sets):
        return
    missing = tuple(dict.fromkeys(word for group in sets for word in group.missing))
    if any(map(is_sentence, missing)):
        raise TooFewWordsError(
            f"the items of '{test.id}' are sentences, of which '{name}' has no vectors; use an encoder (aslant seat).",
            missing,
        )
    if test.language in LANGUAGES:
        in_which = f"{LANGUAGES[test.language]} ({test.language})"
        told = f"the words of '{test.id}' are {in_which}, and '{name}' has none of them; {_other(test)}."
        raise TooFewWordsError(told, missing)


def _language_note(test: StimulusSet, sets: Sequence[WordsUsed]) -> str:
    """Say which language a test is in, where most of its words are missing; else ""."""
    found, missing = (sum(len(getattr(words, what)) for words in sets) for what in ("used", "missing"))
    if test.language not in LANGUAGES or found >= missing:
        return ""
    return f"; the words are {LANGUAGES[test.language]} ({test.language}): {_other(test)}"


def _other(test: StimulusSet) -> str:
    how = '--language de (language="de" in Python)' if test.language == "en" else "those that ship for English"
    return f"for another language choose tests in it, such as {how}"


def need_share(test: StimulusSet, sets: Sequence[WordsUsed], min_found: float, why: str) -> None:
    """Refuse a test of which too few words of a set have `why`; those that a vocabulary rules out do not count."""
    for words in sets:
        n = len(words.used) + len(words.same_token)
        asked = n + len(words.missing)
        if n >= max(1, min_found * asked):
            continue
        lists = {"missing": words.missing, "not in the vocabulary given": words.not_in_vocabulary}
        said = [f"{what}: {', '.join(some[:5])}{', …' * (len(some) > 5)}" for what, some in lists.items() if some]
        short = f", less than the required share of {min_found:g}" if min_found and asked else ""
        number = f"{n} of {plural(asked, 'word')}" if asked else "no words"
        own = why.startswith("a vector in") and words.missing and shipped_name(test.id) is None
        hint = "; 'aslant words check FILE --model …' suggests spellings" if own else ""
        raise TooFewWordsError(
            f"{number} of '{words.name}' of '{test.id}' have {why}{short} ({'; '.join(said)})"
            f"{_language_note(test, sets)}{hint}.",
            tuple(dict.fromkeys(word for group in sets for word in group.missing)),
        )


def need_spread(test: StimulusSet, first: FloatArray, second: FloatArray) -> None:
    """Refuse scores that are all the same, but for rounding."""
    if np.ptp(np.concatenate([first, second])) < NO_SPREAD:
        raise NoSpreadError(f"every word of '{test.id}' has the same association, so no effect size exists.")


def compared(
    test: StimulusSet, first: FloatArray, second: FloatArray, how: Partitions, rng: int | np.random.Generator
) -> dict[str, Any]:
    """Return the fields that every test has but its words, effect size and provenance, from two sets of scores.

    A WEAT set has also what the study that it mirrors found in people.
    """
    need_spread(test, first, second)
    h = test.human if isinstance(test, WeatSet) else None
    human = h and association.HumanComparison(h.reference, h.effect_size, h.participants, h.pvalue, h.note)
    how = how.towards(test)
    p = how.pvalue(first, second, rng)
    return {
        "test": test.id, "title": test.title, "category": test.category,
        "statistic": float(first.mean() - second.mean()),
        "pvalue": p.pvalue, "pvalue_bounds": p.bounds, "pvalue_method": p.method, "n_partitions": p.n_partitions,
        "alternative": how.alternative,
        **({"human": human, "caution": test.caution} if isinstance(test, WeatSet) else {}),
    }  # fmt: skip


def by_word(used: Sequence[WordsUsed], *scores: FloatArray) -> tuple[association.WordAssociation, ...]:
    """Return the score of every word of some sets, in turn."""
    pairs = [(group, zip(group.used, own.tolist(), strict=True)) for group, own in zip(used, scores, strict=True)]
    return tuple(
        association.WordAssociation(word, group.name, value) for group, found in pairs for word, value in found
    )


def run_suite(
    kind: type[S], tests: Sequence[T], measure: Callable[[T], association.AssociationTest], measured: Recorded,
    seed: int, settings: dict[str, Any],
) -> S:  # fmt: skip
    """Run every test, list those that cannot be run with the reason, and control the false-discovery rate.

    `measure` should start each test from the same seed, so that its result does not depend on the others.
    """
    results: list[association.AssociationTest] = []
    skipped: list[association.SkippedTest] = []
    for test in tests:
        try:
            results.append(measure(test))
        except MeasureError as error:
            lacking = error.missing if isinstance(error, TooFewWordsError) else ()
            skipped.append(association.SkippedTest(test.id, test.title, str(error).rstrip("."), lacking))
    lists = [result.missing for result in results] + [test.missing for test in skipped]
    return kind(
        results=tuple(results),
        qvalues=tuple(benjamini_hochberg([result.pvalue for result in results]).tolist()),
        chance_qvalues=association.chance_qvalues(results),
        skipped=tuple(skipped),
        provenance=provenance(measured, " ".join(test.id for test in tests), sum(lists, ()), seed, settings),
    )

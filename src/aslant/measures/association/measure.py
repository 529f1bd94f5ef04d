"""WEAT, the Word Embedding Association Test (Caliskan et al. 2017; docs/definitions.md §1)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from os import PathLike
from typing import Any

import numpy as np

from aslant.errors import MeasureError, plural
from aslant.measures.association.result import (
    HumanComparison,
    SkippedTest,
    WeatResult,
    WeatSuiteResult,
    WordAssociation,
    WordsUsed,
)
from aslant.measures.association.stability import bootstrap_interval, leave_one_out
from aslant.measures.association.statistic import NO_SPREAD, associations, effect_size
from aslant.measures.shared.wordsets import (
    FloatArray,
    Found,
    WordSets,
    check_share,
    check_vectors,
    find,
    need_distinct,
    need_words,
    provenance,
    word_lists,
)
from aslant.models.vocabulary import Vocabulary, VocabularySource, open_vocabulary
from aslant.statistics import (
    MOST_BOOTSTRAP,
    benjamini_hochberg,
    check_confidence,
    check_count,
    generator,
    partition_pvalue,
    seed_of,
)
from aslant.stimuli import WeatSet, all_sets, load_set
from aslant.vectors import WordVectors

DEFAULT_BOOTSTRAP = 2_000
#: The settings of `weat` that a suite passes on, with their defaults.
SETTINGS: dict[str, Any] = {
    "alternative": "greater",
    "method": "auto",
    "n_resamples": 100_000,
    "bootstrap": DEFAULT_BOOTSTRAP,
    "confidence": 0.95,
    "equalise": False,
    "vocabulary": None,
}


class NoSpreadError(MeasureError):
    """Every target has the same association, so no effect size exists."""


def weat(
    vectors: WordVectors,
    test: str | PathLike[str] | WeatSet | None = None,
    *,
    targets: WordSets | None = None,
    attributes: WordSets | None = None,
    alternative: str = "greater",
    method: str = "auto",
    n_resamples: int = 100_000,
    bootstrap: int = DEFAULT_BOOTSTRAP,
    confidence: float = 0.95,
    equalise: bool = False,
    vocabulary: VocabularySource | None = None,
    min_found: float = 0.0,
    rng: int | np.random.Generator | None = 0,
) -> WeatResult:
    """Run one WEAT: a test that ships, your own TOML file, or word lists given here (Caliskan et al. 2017).

    The p-value is exact wherever it can be (`method="auto"`; see `aslant.statistics.partition_pvalue`).
    `bootstrap` resamples give an interval over the choice of words (0: none). `vocabulary` keeps only words that a
    tokenizer has as one piece, or that a list has: a model, its folder or name, a file with one word per line, or
    words; `equalise` removes words at random from the larger target set. Kurita et al. (2019, §3.1) do both; what was
    left out is recorded. With fewer than the share `min_found` of (what is left of) any set, the test is refused.

    >>> import aslant
    >>> r = aslant.weat(aslant.load(), "weat-6")
    >>> r.effect_size > 1.5, r.pvalue < 0.001, r.missing
    (True, True, ())
    >>> own = aslant.weat(aslant.load(), targets=(["he", "man"], ["she", "woman"]), attributes=(["war"], ["love"]))
    >>> own.pvalue_bounds[0] == own.pvalue_bounds[1]
    True
    >>> few = aslant.weat(aslant.load(), "weat-6", vocabulary=["john", "mike", "amy", "career", "home"], equalise=True)
    >>> [group.used for group in few.targets], few.targets[0].removed, len(few.targets[1].not_in_vocabulary)
    ([('Mike',), ('Amy',)], ('John',), 7)
    """
    check_vectors(vectors)
    check_share(min_found)
    chosen = chosen_test(test, targets, attributes)
    reduced = None if vocabulary is None else open_vocabulary(vocabulary)
    settings = {
        "alternative": alternative, "method": method, "n_resamples": n_resamples, "bootstrap": bootstrap,
        "confidence": confidence, "equalise": equalise, "min_found": min_found, **_recorded(reduced),
    }  # fmt: skip
    check_confidence(confidence)
    check_count("bootstrap", bootstrap, 0, MOST_BOOTSTRAP)
    seed = seed_of(rng)
    random = generator(seed)
    found = [find(vectors, group, reduced) for group in chosen.groups]
    reason = _too_few(found, min_found, reduced)
    for group in found:
        need_words(group, 1, vectors)
    if reason:
        raise MeasureError(
            f"{reason}, less than the required share of {min_found:g}; lower min_found to run it anyway."
        )
    need_distinct(found[0], found[1])
    need_distinct(found[2], found[3])
    if equalise:
        found[:2] = equalised(found[0], found[1], random)
    return WeatResult(
        **association_fields(chosen, found, settings, random),
        provenance=provenance(vectors, chosen.id, [group.words for group in found], seed, settings),
    )


def chosen_test(test: Any, targets: WordSets | None, attributes: WordSets | None) -> WeatSet:
    """Return the test that is named, or that the word lists make, or raise an error that says what is wrong."""
    if (test is None) == (targets is None and attributes is None):
        raise MeasureError("give either the name of a test (such as 'weat-6') or both targets and attributes.")
    if isinstance(test, WeatSet):
        return test
    if isinstance(test, str | PathLike):
        return load_set(test, WeatSet)
    if test is not None:
        raise MeasureError(f"{test!r:.60} does not name a test; give a name such as 'weat-6', or a TOML file.")
    if targets is None or attributes is None:
        raise MeasureError("targets and attributes are needed together, two word sets each.")
    x, y = word_lists(targets, ("targets 1", "targets 2"))
    a, b = word_lists(attributes, ("attributes 1", "attributes 2"))
    return WeatSet(
        title=f"{x.name}, {y.name}: {a.name}, {b.name}", category="own", language="und", licence="own",
        citation="own", id="own", targets=(x, y), attributes=(a, b),
    )  # fmt: skip


def _recorded(vocabulary: Vocabulary | None) -> dict[str, Any]:
    """Return the setting as a result keeps it, where a vocabulary was given."""
    return {"vocabulary": vocabulary.record()} if vocabulary else {}


def equalised(first: Found, second: Found, random: np.random.Generator) -> tuple[Found, Found]:
    """Remove words at random from the larger set (Kurita et al. print "smaller", which would not make them equal)."""
    size = min(len(first.raw), len(second.raw))
    return _sampled(first, size, random), _sampled(second, size, random)


def _sampled(found: Found, size: int, random: np.random.Generator) -> Found:
    keep = np.sort(random.choice(len(found.raw), size, replace=False))
    kept = set(keep.tolist())
    words = replace(
        found.words,
        used=tuple(found.words.used[i] for i in keep),
        tokens=tuple(found.words.tokens[i] for i in keep),
        removed=tuple(word for i, word in enumerate(found.words.used) if i not in kept),
    )
    return replace(found, words=words, raw=found.raw[keep])


def association_fields(
    test: WeatSet, found: Sequence[Found], settings: dict[str, Any], random: np.random.Generator
) -> dict[str, Any]:
    """Return all fields of a result but its provenance, from the four word sets with their vectors."""
    X, Y, A, B = (group.unit for group in found)
    scores = associations(np.concatenate([X, Y]), A, B)
    first, second = scores[: len(X)], scores[len(X) :]
    if np.ptp(scores) < NO_SPREAD:
        raise NoSpreadError(f"every target word of '{test.id}' has the same association, so no effect size exists.")
    p = partition_pvalue(
        first, second, alternative=settings["alternative"], method=settings["method"],
        n_resamples=settings["n_resamples"], rng=random,
    )  # fmt: skip
    used = [group.words for group in found]
    return {
        "test": test.id, "title": test.title, "category": test.category,
        "targets": (used[0], used[1]), "attributes": (used[2], used[3]),
        "statistic": float(first.mean() - second.mean()),
        "effect_size": effect_size(first, second),
        "effect_size_population": effect_size(first, second, ddof=0),
        "pvalue": p.pvalue, "pvalue_bounds": p.bounds, "pvalue_method": p.method, "n_partitions": p.n_partitions,
        "alternative": settings["alternative"],
        "interval": bootstrap_interval(X, Y, A, B, settings["bootstrap"], settings["confidence"], random),
        "leave_one_out": leave_one_out([group.unit for group in found], used),
        "associations": _by_word(used, scores),
        "human": human_comparison(test),
    }  # fmt: skip


def _by_word(used: list[WordsUsed], scores: FloatArray) -> tuple[WordAssociation, ...]:
    words = [(word, group.name) for group in used[:2] for word in group.used]
    return tuple(WordAssociation(word, name, value) for (word, name), value in zip(words, scores.tolist(), strict=True))


def human_comparison(test: WeatSet) -> HumanComparison | None:
    """Return what the study that a test mirrors found in people."""
    h = test.human
    return HumanComparison(h.reference, h.effect_size, h.participants, h.pvalue, h.note) if h else None


def weat_suite(
    vectors: WordVectors,
    tests: Iterable[str | PathLike[str] | WeatSet] | None = None,
    *,
    min_found: float = 0.5,
    rng: int | np.random.Generator | None = 0,
    **settings: Any,
) -> WeatSuiteResult:
    """Run every WEAT that ships (or `tests`) and control the false-discovery rate over them.

    A test of which any word set has fewer than the share `min_found` in the vocabulary is not run, and listed as
    such. The other settings are those of `weat`.

    >>> import aslant
    >>> suite = aslant.weat_suite(aslant.load())
    >>> len(suite.results), max(suite.qvalues) <= 1
    (10, True)
    """
    if unknown := sorted(set(settings) - set(SETTINGS)):
        raise MeasureError(f"weat has no setting '{unknown[0]}'; it has {', '.join(SETTINGS)}.")
    settings = {**SETTINGS, **settings}
    reduced = None if settings["vocabulary"] is None else open_vocabulary(settings["vocabulary"])
    settings["vocabulary"] = reduced
    check_vectors(vectors)
    check_share(min_found)
    chosen = chosen_tests(tests, "aslant.weat")
    results: list[WeatResult] = []
    skipped: list[SkippedTest] = []
    seed = seed_of(rng)  # each test starts from it, so its result does not depend on the others
    for test in chosen:
        found = [find(vectors, group, reduced) for group in test.groups]
        if reason := _too_few(found, min_found, reduced):
            missing = dict.fromkeys(word for group in found for word in group.words.missing)
            skipped.append(SkippedTest(test.id, test.title, reason, tuple(missing)))
        else:
            results.append(weat(vectors, test, rng=seed, **settings))
    lists = [result.missing for result in results] + [test.missing for test in skipped]
    unused = [WordsUsed("", (), (), words) for words in lists]
    kept = {key: value for key, value in settings.items() if key != "vocabulary"}
    kept |= {"min_found": min_found, **_recorded(reduced)}
    return WeatSuiteResult(
        results=tuple(results),
        qvalues=tuple(benjamini_hochberg([result.pvalue for result in results]).tolist()) if results else (),
        skipped=tuple(skipped),
        provenance=provenance(vectors, " ".join(test.id for test in chosen), unused, seed, kept),
    )


def chosen_tests(tests: Any, alone: str) -> list[WeatSet]:
    """Return the tests of a suite, each once; None: every WEAT that ships. `alone` runs a single one."""
    if isinstance(tests, str):
        raise MeasureError(f"tests={tests!r} is one string; give a list of tests, or use {alone}.")
    chosen = list(all_sets(WeatSet)) if tests is None else [chosen_test(test, None, None) for test in tests]
    chosen = list({test.id: test for test in chosen}.values())  # a test named twice is one test
    if not chosen:
        raise MeasureError("no test was given; leave out `tests` to run every one that ships.")
    return chosen


def _too_few(found: Iterable[Found], min_found: float, vocabulary: Vocabulary | None) -> str | None:
    """Say which word set has too few of its words; those that the vocabulary rules out do not count."""
    for words in (group.words for group in found):
        n = len(words.used) + len(words.same_token)
        asked = n + len(words.missing)
        if vocabulary and not asked:
            return f"no word of '{words.name}' is in the vocabulary of '{vocabulary.name}'"
        if n < max(1, min_found * asked):
            return f"the vocabulary has {n} of {plural(asked, 'word')} of '{words.name}'"
    return None

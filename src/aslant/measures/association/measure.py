"""WEAT, the Word Embedding Association Test (Caliskan et al. 2017; docs/definitions.md §1)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from os import PathLike
from typing import Any

import numpy as np

from aslant.measures.association.result import WeatResult, WeatSuiteResult
from aslant.measures.association.settings import WeatSettings, WeatSuiteSettings
from aslant.measures.association.stability import bootstrap_interval, leave_one_out
from aslant.measures.shared.settings import Resampled, keywords
from aslant.measures.shared.statistic import associations, effect_size
from aslant.measures.shared.suite import (
    by_word,
    chosen_test,
    compared,
    human_comparison,
    need_share,
    run_suite,
    weat_sets,
)
from aslant.measures.shared.wordsets import Found, WordSets, check_vectors, find, need_distinct, provenance
from aslant.statistics import generator, seed_of
from aslant.stimuli import WeatSet
from aslant.vectors import WordVectors


@keywords
def weat(
    vectors: WordVectors,
    test: str | PathLike[str] | WeatSet | None = None,
    *,
    targets: WordSets | None = None,
    attributes: WordSets | None = None,
    settings: WeatSettings,
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
    return _measure(vectors, chosen_test(test, targets, attributes), settings.opened(), seed_of(rng))


def _measure(vectors: WordVectors, test: WeatSet, settings: WeatSettings, seed: int) -> WeatResult:
    found = [find(vectors, group, settings.vocabulary) for group in test.groups]
    need_share(test, [group.words for group in found], settings.min_found, f"a vector in '{vectors.name}'")
    need_distinct(found[0], found[1])
    need_distinct(found[2], found[3])
    random = generator(seed)
    if settings.equalise:
        found[:2] = equalised(found[0], found[1], random)
    return WeatResult(
        **association_fields(test, found, settings, random),
        provenance=provenance(vectors, test.id, [group.words for group in found], seed, settings.record()),
    )


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
    test: WeatSet, found: Sequence[Found], settings: Resampled, random: np.random.Generator
) -> dict[str, Any]:
    """Return all fields of a result but its provenance, from the four word sets with their vectors."""
    X, Y, A, B = units = [group.unit for group in found]
    scores = associations(np.concatenate([X, Y]), A, B)
    first, second = scores[: len(X)], scores[len(X) :]
    used = [group.words for group in found]
    return {
        **compared(test, first, second, settings, random),
        "targets": (used[0], used[1]), "attributes": (used[2], used[3]),
        "effect_size": effect_size(first, second),
        "effect_size_population": effect_size(first, second, ddof=0),
        "interval": bootstrap_interval(X, Y, A, B, settings.bootstrap, settings.confidence, random),
        "leave_one_out": leave_one_out(units, used),
        "associations": by_word(used[:2], scores),
        "human": human_comparison(test),
    }  # fmt: skip


@keywords
def weat_suite(
    vectors: WordVectors,
    tests: Iterable[str | PathLike[str] | WeatSet] | None = None,
    *,
    settings: WeatSuiteSettings,
    rng: int | np.random.Generator | None = 0,
) -> WeatSuiteResult:
    """Run every WEAT that ships (or `tests`) and control the false-discovery rate over them.

    A test of which any word set has fewer than the share `min_found` in the vocabulary is not run, and listed as
    such. The other settings are those of `weat`.

    >>> import aslant
    >>> suite = aslant.weat_suite(aslant.load())
    >>> len(suite.results), max(suite.qvalues) <= 1
    (10, True)
    """
    check_vectors(vectors)
    opened, seed = settings.opened(), seed_of(rng)
    return run_suite(
        WeatSuiteResult,
        weat_sets(tests, "aslant.weat"),
        lambda test: _measure(vectors, test, opened, seed),
        lambda ids, missing: provenance(vectors, ids, missing, seed, opened.record()),
    )

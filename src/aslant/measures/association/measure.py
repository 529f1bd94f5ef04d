"""WEAT, the Word Embedding Association Test (Caliskan et al. 2017; docs/definitions.md §1), and its audit step."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from os import PathLike
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from aslant.measures.association.chance import weat_chance
from aslant.measures.association.result import LeaveOneOut, WeatResult, WeatSuiteResult
from aslant.measures.association.settings import WeatSettings, WeatSuiteSettings
from aslant.measures.shared.open_subject import opening
from aslant.measures.shared.settings import Resampled, keywords
from aslant.measures.shared.statistic import NO_SPREAD, effect_size, target_scores
from aslant.measures.shared.suite import by_word, chosen_test, compared, need_language, need_share, run_suite, weat_sets
from aslant.measures.shared.wordsets import FloatArray, Found, WordSets, check_vectors, find, need_distinct, provenance
from aslant.results.parts import Interval, WordsUsed
from aslant.statistics import generator, percentile_interval, seed_of
from aslant.stimuli import WeatSet, suite_sets
from aslant.vectors import WordVectors

if TYPE_CHECKING:
    from aslant.auditing.step_context import Results, Work


@opening("vectors")
@keywords
def weat(
    vectors: WordVectors,
    test: str | PathLike[str] | WeatSet | None = None,
    *,
    targets: WordSets | None = None,
    attributes: WordSets | None = None,
    language: str | None = None,
    settings: WeatSettings,
    rng: int | np.random.Generator | None = 0,
) -> WeatResult:
    """Run one WEAT: a test that ships, your own TOML file, or word lists given here (Caliskan et al. 2017).

    With a `language` ("de"), a name such as "weat-6" means the test in that language (docs/languages.md).

    The p-value is exact wherever it can be (`method="auto"`; see `aslant.statistics.partition_pvalue`).
    `bootstrap` resamples give an interval over the choice of words (0: none). `vocabulary` keeps only words that a
    tokenizer has as one piece, or that a list has: a model, its folder or name, a file with one word per line, or
    words; `equalise` removes words at random from the larger target set. Kurita et al. (2019, §3.1) do both; what was
    left out is recorded. With fewer than the share `min_found` of (what is left of) any set, the test is refused.
    `chance` random word sets of the same frequency, in place of the attributes, say what these words add; with
    `chance_words="coherent"`, each is a random word and its nearest neighbours, as coherent as real sets are.

    >>> import aslant
    >>> r = aslant.weat(aslant.load(), "weat-6")
    >>> r.effect_size > 1.5, r.pvalue < 0.001, r.missing
    (True, True, ())
    >>> r.chance.low < r.effect_size, 0.001 < r.chance.pvalue < 0.05
    (True, True)
    >>> own = aslant.weat(aslant.load(), targets=(["he", "man"], ["she", "woman"]), attributes=(["war"], ["love"]))
    >>> own.pvalue_bounds[0] == own.pvalue_bounds[1]
    True
    >>> few = aslant.weat(aslant.load(), "weat-6", vocabulary=["john", "mike", "amy", "career", "home"], equalise=True)
    >>> [group.used for group in few.targets], few.targets[0].removed, len(few.targets[1].not_in_vocabulary)
    ([('Mike',), ('Amy',)], ('John',), 7)
    """
    check_vectors(vectors)
    return _measure(vectors, chosen_test(test, targets, attributes, language), settings.opened(), seed_of(rng))


def _measure(vectors: WordVectors, test: WeatSet, settings: WeatSettings, seed: int) -> WeatResult:
    settings = settings.towards(test)
    found = [find(vectors, group, settings.vocabulary) for group in test.groups]
    need_language(test, [group.words for group in found], vectors.name)
    need_share(test, [group.words for group in found], settings.min_found, f"a vector in '{vectors.name}'")
    need_distinct(found[0], found[1])
    need_distinct(found[2], found[3])
    random = generator(seed)
    if settings.equalise:
        found[:2] = equalised(found[0], found[1], random)
    used = [group.words for group in found]
    fields = association_fields(test, [group.unit for group in found], used, settings, random)
    return WeatResult(
        **fields,
        chance=weat_chance(vectors, found, fields["effect_size"], settings.chance, random, settings.chance_words),
        provenance=provenance(vectors, test.id, used, seed, settings.record()),
    )


def equalised(first: Found, second: Found, random: np.random.Generator) -> list[Found]:
    """Remove words at random from the larger set (Kurita et al. print "smaller", which would not make them equal)."""
    size, sampled = min(len(first.raw), len(second.raw)), []
    for found in (first, second):
        keep = np.sort(random.choice(len(found.raw), size, replace=False))
        used, tokens = (tuple(words[i] for i in keep) for words in (found.words.used, found.words.tokens))
        removed = tuple(word for i, word in enumerate(found.words.used) if i not in keep)
        words = replace(found.words, used=used, tokens=tokens, removed=removed)
        sampled.append(replace(found, words=words, raw=found.raw[keep]))
    return sampled


def association_fields(
    test: WeatSet, units: Sequence[FloatArray], used: Sequence[WordsUsed], settings: Resampled,
    random: np.random.Generator,
) -> dict[str, Any]:  # fmt: skip
    """Return all fields of a result but its provenance, from the vectors of four word sets."""
    first, second = target_scores(*units)
    return {
        **compared(test, first, second, settings, random),
        "targets": (used[0], used[1]), "attributes": (used[2], used[3]),
        "effect_size": effect_size(first, second),
        "effect_size_population": effect_size(first, second, ddof=0),
        "interval": bootstrap_interval(units, settings, random),
        "leave_one_out": _leave_one_out(units, used),
        "associations": by_word(used[:2], first, second),
    }  # fmt: skip


#: Scores that are resampled at a time.
BLOCK = 1 << 22


def bootstrap_interval(
    units: Sequence[FloatArray], how: Resampled, random: np.random.Generator, sizes: Sequence[NDArray[np.int64]] = ()
) -> Interval | None:
    """Percentile interval of d when the words of all four sets are redrawn with replacement, set by set.

    Rows are unit vectors, one for each word, or `sizes[i][j]` in turn for word j of set i, which are drawn together.
    None without resamples, or where a set has a single word and nothing can be drawn.
    """
    if how.bootstrap < 1 or min(map(len, sizes or units)) < 2:
        return None
    block = max(1, BLOCK // (len(units[0]) + len(units[1])))
    draws = [min(block, how.bootstrap - start) for start in range(0, how.bootstrap, block)]
    effects = np.concatenate([bootstrap_effects(units, n, random, sizes) for n in draws])
    return finite_interval(effects, how.confidence)


def bootstrap_effects(
    units: Sequence[FloatArray], n: int, random: np.random.Generator, sizes: Sequence[NDArray[np.int64]] = ()
) -> FloatArray:
    """Return d of each draw, shape (n,); infinite where all drawn scores are equal and d does not exist.

    For sets of the same sizes the same generator state draws the same words.
    """
    each = sizes or [np.ones(len(unit), np.int64) for unit in units]
    # How often each row is in each draw, (rows, n): as often as its word was drawn.
    a, b, x, y = (np.repeat(_drawn(len(each[i]), n, random), each[i], axis=0) for i in (2, 3, 0, 1))
    targets, counts, first = np.concatenate(units[:2]), np.concatenate([x, y]), len(x)
    # Column r holds s(w) of every row of the targets under the r-th draw of the attributes.
    scores = targets @ units[2].T @ (a / a.sum(axis=0)) - targets @ units[3].T @ (b / b.sum(axis=0))
    difference = np.average(scores[:first], 0, x) - np.average(scores[first:], 0, y)
    squares = (counts * (scores - np.average(scores, 0, counts)) ** 2).sum(axis=0)
    spread = np.sqrt(squares / np.maximum(counts.sum(axis=0) - 1, 1))
    defined = spread > NO_SPREAD
    return np.where(defined, difference / np.where(defined, spread, 1.0), np.inf)


def _drawn(size: int, n: int, random: np.random.Generator) -> FloatArray:
    """Count each word in n draws with replacement: (size, n)."""
    drawn = random.integers(0, size, (n, size)) + size * np.arange(n)[:, None]
    return np.bincount(drawn.ravel(), minlength=n * size).reshape(n, size).T.astype(np.float64)


def finite_interval(effects: FloatArray, confidence: float) -> Interval | None:
    """Return the percentile interval of the effects that exist, None where none does."""
    finite = effects[np.isfinite(effects)]
    return Interval(*percentile_interval(finite, confidence), confidence, len(effects)) if finite.size else None


def _leave_one_out(units: Sequence[FloatArray], used: Sequence[WordsUsed]) -> LeaveOneOut | None:
    """Range of d when any one word of the four sets is left out; None where no word can be spared."""
    found: list[tuple[float, str]] = []
    for place, (unit, words) in enumerate(zip(units, used, strict=True)):
        for row, word in enumerate(words.used if len(unit) > 1 else ()):
            scores = target_scores(*(np.delete(u, row, axis=0) if i == place else u for i, u in enumerate(units)))
            if np.ptp(np.concatenate(scores)) > NO_SPREAD:
                found.append((effect_size(*scores), word))
    if not found:
        return None
    (low, low_word), (high, high_word) = min(found), max(found)
    return LeaveOneOut(low, low_word, high, high_word)


@opening("vectors")
@keywords
def weat_suite(
    vectors: WordVectors,
    tests: Iterable[str | PathLike[str] | WeatSet] | None = None,
    *,
    language: str | None = None,
    settings: WeatSuiteSettings,
    rng: int | np.random.Generator | None = 0,
) -> WeatSuiteResult:
    """Run the ten WEATs of Caliskan et al. (or `tests`) and control the false-discovery rate over them.

    With a `language`, those that WEATHub or XWEAT have in it (docs/languages.md), fetched if need be. A test of which
    any word set has fewer than the share `min_found` in the vocabulary is not run, and listed as such. The other
    settings are those of `weat`.

    >>> import aslant
    >>> suite = aslant.weat_suite(aslant.load())
    >>> len(suite.results), max(suite.qvalues) <= 1
    (10, True)
    """
    check_vectors(vectors)
    opened, seed = settings.opened(), seed_of(rng)
    chosen = weat_sets(tests, "aslant.weat", language)
    return run_suite(
        WeatSuiteResult, chosen, lambda test: _measure(vectors, test, opened, seed), vectors, seed, opened.record()
    )


def weats(work: Work) -> Results:
    """Run the ten WEATs of Caliskan et al."""
    return (work.noted("weat", weat_suite(work.subject.opened, rng=work.seed, **work.settings)),)


def category_weats(work: Work) -> Results:
    """Run the tests that ship for social categories that the ten WEATs are not about."""
    suite = weat_suite(work.subject.opened, suite_sets("categories"), rng=work.seed, **work.settings)
    return (work.noted("weat-categories", suite),)


def own_words(work: Work, sets: list[WeatSet]) -> Results:
    """Run the user's own tests."""
    return work.own_suite(weat_suite(work.subject.opened, sets, rng=work.seed, **work.settings))

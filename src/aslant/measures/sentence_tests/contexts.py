"""CEAT, the Contextualised Embedding Association Test: WEAT over contexts of a corpus (Guo & Caliskan 2021)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from os import PathLike
from typing import Any, get_args

import numpy as np

from aslant.errors import MeasureError
from aslant.measures.association.measure import NoSpreadError, chosen_test, chosen_tests, human_comparison
from aslant.measures.association.result import SkippedTest
from aslant.measures.association.statistic import NO_SPREAD, effect_size
from aslant.measures.sentence_tests.clustered_words import (
    Clustered,
    TooFewWordsError,
    all_clustered,
    check_encoder,
    encoder_provenance,
)
from aslant.measures.sentence_tests.contexts_drawn import Case, Drawn, WordVectors, context_vectors, draw_contexts
from aslant.measures.sentence_tests.contexts_statistic import distribution, sampled_effects, word_associations
from aslant.measures.sentence_tests.result import CeatResult, CeatSuiteResult, ContextWord, Heterogeneity
from aslant.measures.shared.wordsets import FloatArray, WordSets, check_share
from aslant.models.protocols import Encoder, Progress
from aslant.statistics import (
    benjamini_hochberg,
    check_choices,
    check_count,
    combine,
    generator,
    partition_pvalue,
    seed_of,
)
from aslant.stimuli import WeatSet

NO_CONTEXT = "a context in the corpus"
MOST_SAMPLES = 10**7
MOST_CONTEXTS = 10**6
#: The settings of `ceat` that a suite passes on, with their defaults.
SETTINGS: dict[str, Any] = {
    "samples": 10_000,
    "contexts_per_word": 1_000,
    "case": "as written",
    "alternative": "two-sided",
    "method": "auto",
    "n_resamples": 100_000,
}


def ceat(
    encoder: Encoder,
    corpus: Iterable[str],
    test: str | PathLike[str] | WeatSet | None = None,
    *,
    targets: WordSets | None = None,
    attributes: WordSets | None = None,
    samples: int = 10_000,
    contexts_per_word: int = 1_000,
    case: Case = "as written",
    alternative: str = "two-sided",
    method: str = "auto",
    n_resamples: int = 100_000,
    min_found: float = 0.0,
    store: str | PathLike[str] | None = None,
    rng: int | np.random.Generator | None = 0,
    progress: Progress | None = None,
) -> CeatResult:
    """Run one CEAT: a WEAT set (by name, file, or word lists), its words in sentences of a corpus.

    Up to `contexts_per_word` sentences are drawn for each word; each of `samples` draws takes one of them for each
    word and has an effect size; a random-effects model combines these. The p-value is over re-partitions of the
    target words, exact where it can be; the paper's own, which assumes independent draws, is given as
    `published_pvalue`. A word counts as it is written ("Bill", not "bill") unless `case="any"`. `store` is a folder
    that keeps vectors. With fewer than the share `min_found` of any set in the corpus, the test is refused.

    >>> import aslant  # here, encoder is a small toy; aslant.load_encoder(…) opens real ones
    >>> words = aslant.stimuli.load_set("weat-7").words
    >>> r = aslant.ceat(encoder, [f"{a} and {b}" for a in words for b in words if a != b], "weat-7", samples=100)
    >>> r.samples, r.missing, r.pvalue_method
    (100, (), 'enumeration')
    """
    settings: dict[str, Any] = {
        "samples": samples, "contexts_per_word": contexts_per_word, "case": case, "alternative": alternative,
        "method": method, "n_resamples": n_resamples, "min_found": min_found,
    }  # fmt: skip
    _check(encoder, settings)
    chosen = chosen_test(test, targets, attributes)
    seed = seed_of(rng)
    drawn = draw_contexts(corpus, chosen.words, per_word=contexts_per_word, case=case, seed=seed, progress=progress)
    vectors = context_vectors(encoder, drawn.contexts, store, _encoding(progress, chosen))
    return _measure(encoder, chosen, drawn, vectors, settings, seed)


def _check(encoder: Any, settings: dict[str, Any]) -> None:
    check_encoder(encoder)
    check_count("samples", settings["samples"], 1, MOST_SAMPLES)
    check_count("contexts_per_word", settings["contexts_per_word"], 1, MOST_CONTEXTS)
    check_share(settings["min_found"])
    check_choices(settings["alternative"], settings["method"], settings["n_resamples"])
    if settings["case"] not in get_args(Case):
        raise MeasureError(f"case={settings['case']!r} is not known; choose one of {', '.join(get_args(Case))}.")


def _encoding(progress: Progress | None, test: WeatSet) -> Progress | None:
    """Return a callback that shows the encoding of a test's sentences as a separate step."""
    return progress and (lambda step, done, total: progress(f"{step} of {test.id}", done, total))


def _measure(
    encoder: Encoder, test: WeatSet, drawn: Drawn, vectors: WordVectors, settings: dict[str, Any], seed: int
) -> CeatResult:
    X, Y, A, B = sets = all_clustered(test, vectors, settings["min_found"], NO_CONTEXT)
    first, second = word_associations(X, Y, A, B)
    effects, variances = sampled_effects(X, Y, A, B, settings["samples"], generator(seed))
    if not effects.size or np.ptp(np.concatenate([first, second])) < NO_SPREAD:
        raise NoSpreadError(f"every target word of '{test.id}' has the same association, so no effect size exists.")
    p = partition_pvalue(
        first, second, alternative=settings["alternative"], method=settings["method"],
        n_resamples=settings["n_resamples"], rng=seed,
    )  # fmt: skip
    whole = combine(effects, variances)
    used = tuple(group.words for group in sets)
    missing = [word for group in used for word in group.missing]
    return CeatResult(
        test=test.id, title=test.title, category=test.category,
        targets=used[:2], attributes=used[2:],  # type: ignore[arg-type]
        samples=whole.samples,
        effect_size=whole.effect, standard_error=whole.standard_error,
        published_z=whole.z, published_pvalue=whole.pvalue,
        effect_size_words=effect_size(first, second),
        statistic=float(first.mean() - second.mean()),
        pvalue=p.pvalue, pvalue_bounds=p.bounds, pvalue_method=p.method, n_partitions=p.n_partitions,
        alternative=settings["alternative"],
        heterogeneity=Heterogeneity(whole.q, whole.samples - 1, whole.i_squared, whole.tau_squared),
        distribution=distribution(effects),
        contexts_per_word=settings["contexts_per_word"],
        words=_words(sets, drawn, (first, second)),
        corpus=drawn.corpus,
        human=human_comparison(test),
        provenance=encoder_provenance(encoder, test.id, missing, seed, {**settings, "corpus": drawn.corpus.name}),
    )  # fmt: skip


def _words(sets: Sequence[Clustered], drawn: Drawn, means: tuple[FloatArray, FloatArray]) -> tuple[ContextWord, ...]:
    """List every requested word, set by set; one without contexts has none."""
    listed = []
    for place, group in enumerate(sets):
        values: list[Any] = means[place].tolist() if place < 2 else [None] * len(group.words.used)
        sizes = group.sizes.tolist()
        known = {w: (n, value) for w, n, value in zip(group.words.used, sizes, values, strict=True)}
        for word in group.words.used + group.words.missing:
            contexts, value = known.get(word, (0, None))
            listed.append(ContextWord(word, group.words.name, drawn.found.get(word, 0), contexts, value))
    return tuple(listed)


def ceat_suite(
    encoder: Encoder,
    corpus: Iterable[str],
    tests: Iterable[str | PathLike[str] | WeatSet] | None = None,
    *,
    min_found: float = 0.5,
    store: str | PathLike[str] | None = None,
    rng: int | np.random.Generator | None = 0,
    progress: Progress | None = None,
    **settings: Any,
) -> CeatSuiteResult:
    """Run a CEAT on every WEAT set that ships (or on `tests`) and control the false-discovery rate over them.

    The corpus is read once, and a word has the same contexts in every test. Tests run one after the other, and memory
    holds the vectors of one test and of words that later ones need. The settings are those of `aslant.ceat`. A test
    that has no effect size, or of which a word set has less than the share `min_found` of its words in the corpus, is
    listed as skipped.

    >>> import aslant  # here, encoder is a small toy; aslant.load_encoder(…) opens real ones
    >>> words = aslant.stimuli.load_set("weat-7").words
    >>> suite = aslant.ceat_suite(encoder, [f"about {word}" for word in words], ["weat-6", "weat-7"], samples=10)
    >>> [r.test for r in suite.results], [t.test for t in suite.skipped]
    (['weat-7'], ['weat-6'])
    """
    if unknown := sorted(set(settings) - set(SETTINGS)):
        raise MeasureError(f"ceat has no setting '{unknown[0]}'; it has {', '.join(SETTINGS)}.")
    given = {**SETTINGS, **settings, "min_found": min_found}
    _check(encoder, given)
    chosen = chosen_tests(tests, "aslant.ceat")
    seed = seed_of(rng)
    words = tuple(dict.fromkeys(word for test in chosen for word in test.words))
    drawn = draw_contexts(
        corpus, words, per_word=given["contexts_per_word"], case=given["case"], seed=seed, progress=progress
    )
    results: list[CeatResult] = []
    skipped: list[SkippedTest] = []
    vectors: WordVectors = {}
    for place, test in enumerate(chosen):
        new = {word: drawn.contexts[word] for word in test.words if word not in vectors}
        vectors |= context_vectors(encoder, new, store, _encoding(progress, test))
        try:
            results.append(_measure(encoder, test, drawn, vectors, given, seed))
        except (NoSpreadError, TooFewWordsError) as error:
            lacking = tuple(word for word in test.words if not len(vectors[word]))
            skipped.append(SkippedTest(test.id, test.title, str(error).rstrip("."), lacking))
        later = {word for other in chosen[place + 1 :] for word in other.words}
        vectors = {word: rows for word, rows in vectors.items() if word in later}
    missing = [word for words in [*(r.missing for r in results), *(t.missing for t in skipped)] for word in words]
    return CeatSuiteResult(
        results=tuple(results),
        qvalues=tuple(benjamini_hochberg([result.pvalue for result in results]).tolist()) if results else (),
        skipped=tuple(skipped),
        provenance=encoder_provenance(
            encoder, " ".join(test.id for test in chosen), missing, seed, {**given, "corpus": drawn.corpus.name}
        ),
    )

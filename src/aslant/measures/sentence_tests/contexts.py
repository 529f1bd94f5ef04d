"""CEAT, the Contextualised Embedding Association Test: WEAT over contexts of a corpus (Guo & Caliskan 2021)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from os import PathLike
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from aslant.corpus import Context, Query
from aslant.measures.sentence_tests import clustered_words as c
from aslant.measures.sentence_tests.chance import CONTEXTS, IN_CORPUS, ceat_chance, random_words
from aslant.measures.sentence_tests.contexts_statistic import distribution, sampled_effects, word_associations
from aslant.measures.sentence_tests.pieces import piece_fields
from aslant.measures.sentence_tests.result import CeatResult, CeatSuiteResult, ContextWord, CorpusRead, Heterogeneity
from aslant.measures.sentence_tests.sentences import seat_suite
from aslant.measures.sentence_tests.settings import CeatSettings, CeatSuiteSettings
from aslant.measures.shared.open_subject import opening
from aslant.measures.shared.settings import keywords
from aslant.measures.shared.statistic import effect_size
from aslant.measures.shared.suite import NoSpreadError, chosen_test, compared, need_share, run_suite, weat_sets
from aslant.measures.shared.wordsets import FloatArray, WordSets, provenance
from aslant.models.protocols import Encoder, Passage, Progress
from aslant.models.twins import twins_of
from aslant.models.vector_store import vectors_of
from aslant.statistics import combine, generator, seed_of
from aslant.stimuli import WeatSet

if TYPE_CHECKING:
    from aslant.auditing.step_context import Results, Work

#: Unit vectors of each word in its contexts: (contexts, dimensions).
WordVectors: TypeAlias = dict[str, NDArray[np.float32]]


@dataclass(frozen=True)
class Drawn:
    """The contexts drawn for each word; `found` counts the sentences that hold it in a spelling that counts.

    `random` are contexts of random words, with which those are compared.
    """

    contexts: dict[str, tuple[Context, ...]]
    found: dict[str, int]
    corpus: CorpusRead
    random: dict[str, tuple[Context, ...]]


@dataclass(frozen=True)
class Others:
    """What a test is compared with: vectors of random words, and those that untrained twins give its own words."""

    random: WordVectors
    twins: tuple[WordVectors, ...]


@opening("encoder")
@keywords
def ceat(
    encoder: Encoder,
    corpus: Iterable[str],
    test: str | PathLike[str] | WeatSet | None = None,
    *,
    targets: WordSets | None = None,
    attributes: WordSets | None = None,
    language: str | None = None,
    settings: CeatSettings,
    store: str | PathLike[str] | None = None,
    rng: int | np.random.Generator | None = 0,
    progress: Progress | None = None,
) -> CeatResult:
    """Run one CEAT: a WEAT set (by name, file, or word lists), its words in sentences of a corpus.

    Up to `contexts_per_word` sentences are drawn for each word; each of `samples` draws takes one of them for each
    word and has an effect size; a random-effects model combines these. The p-value is over re-partitions of the
    target words, exact where it can be; the paper's own, which assumes independent draws, is given as
    `published_pvalue`. `chance` sets of random words of the corpus take the place of the attributes (compared by
    `effect_size_words`), and `twins` untrained models of the same architecture are asked the same, in up to 20
    contexts of each word. A word counts as it is written ("Bill", not "bill") unless `case="any"`. `store` is a folder
    that keeps vectors. With fewer than the share `min_found` of any set in the corpus, the test is refused.

    >>> import aslant  # here, encoder is a small toy; aslant.load_encoder(…) opens real ones
    >>> words = aslant.stimuli.load_set("weat-7").words
    >>> r = aslant.ceat(encoder, [f"{a} and {b}" for a in words for b in words if a != b], "weat-7", samples=100)
    >>> r.samples, r.missing, r.pvalue_method
    (100, (), 'enumeration')
    """
    encoder = c.check_encoder(encoder)
    chosen = chosen_test(test, targets, attributes, language)
    seed = seed_of(rng)
    drawn = _drawn(encoder, corpus, chosen.words, settings, seed, progress)
    vectors = context_vectors(encoder, drawn.contexts, store, progress, chosen.id)
    others = _others(encoder, drawn, settings, seed, store, progress)
    return _measure(encoder, chosen, drawn, vectors, others, settings, seed)


def _drawn(
    encoder: Encoder, corpus: Iterable[str], words: Sequence[str], settings: CeatSettings, seed: int,
    progress: Progress | None,
) -> Drawn:  # fmt: skip
    """Draw sentences for each word, and for random ones, in one reading of the corpus."""
    written = settings.case == "as written"
    queries = {"words": Query(tuple(words), settings.contexts_per_word, as_written=written)}
    if settings.chance:
        most = min(settings.contexts_per_word, CONTEXTS)
        queries["random"] = Query(tuple(random_words(encoder, seed)[:IN_CORPUS]), most, as_written=written)
    sample, read = c.read_contexts(corpus, queries, seed, progress)
    found = sample.contexts["words"]
    return Drawn(found.by_word, found.counts, read, sample.contexts["random"].by_word if settings.chance else {})


def _others(
    encoder: Encoder, drawn: Drawn, settings: CeatSettings, seed: int, store: Any, progress: Progress | None
) -> Others:
    """Encode random words, and let untrained twins encode some contexts of each word."""
    some = {word: found[:CONTEXTS] for word, found in drawn.contexts.items()}
    return Others(
        context_vectors(encoder, drawn.random, store, progress, "random words"),
        tuple(
            context_vectors(twin, some, store, shown, "all tests")
            for twin, shown in twins_of(encoder, settings.twins, seed, progress)
        ),
    )


def context_vectors(
    encoder: Encoder, contexts: Mapping[str, Sequence[Context]], store: Any, progress: Progress | None, of: str = ""
) -> WordVectors:
    """Return the unit vectors of each word in its contexts, each distinct sentence encoded once, for test `of`."""
    passages = [Passage(c.text, ((c.start, c.end),)) for found in contexts.values() for c in found]
    if not passages:
        return {word: np.zeros((0, encoder.dimensions), np.float32) for word in contexts}
    shown = progress and (lambda step, done, total: progress(f"{step} of {of}", done, total))
    vectors = vectors_of(encoder, passages, store=store, progress=shown)
    ends = np.cumsum([len(found) for found in contexts.values()])
    units = {}
    for word, part in zip(contexts, np.split(vectors, ends[:-1]), strict=True):
        unit, usable = c.usable_units(part)
        units[word] = unit[usable]
    return units


def _measure(
    encoder: Encoder, test: WeatSet, drawn: Drawn, vectors: WordVectors, others: Others, settings: CeatSettings,
    seed: int,
) -> CeatResult:  # fmt: skip
    X, Y, A, B = sets = [c.clustered(group, vectors) for group in test.groups]
    used = tuple(group.words for group in sets)
    need_share(test, used, settings.min_found, "a context in the corpus")
    first, second = word_associations(X, Y, A, B)
    random = generator(seed)
    effects, variances = sampled_effects(X, Y, A, B, settings.samples, random)
    if not effects.size:
        raise NoSpreadError(f"no draw of contexts of '{test.id}' has an effect size.")
    whole = combine(effects, variances)
    by_words = effect_size(first, second)
    return CeatResult(
        **compared(test, first, second, settings, seed),
        targets=used[:2], attributes=used[2:],  # type: ignore[arg-type]
        samples=whole.samples,
        effect_size=whole.effect, standard_error=whole.standard_error,
        published_z=whole.z, published_pvalue=whole.pvalue,
        effect_size_words=by_words,
        heterogeneity=Heterogeneity(whole.q, whole.samples - 1, whole.i_squared, whole.tau_squared),
        distribution=distribution(effects),
        contexts_per_word=settings.contexts_per_word,
        words=_words(sets, drawn, (first, second)),
        corpus=drawn.corpus,
        chance=ceat_chance(test, sets, others.random, by_words, settings.chance, random),
        twins=tuple(
            effect_size(*word_associations(*(c.clustered(group, twin) for group in test.groups)))
            for twin in others.twins
        ),
        **piece_fields(encoder, used, first, second),
        provenance=provenance(encoder, test.id, used, seed, {**settings.record(), "corpus": drawn.corpus.name}),
    )  # fmt: skip


def _words(sets: Sequence[c.Clustered], drawn: Drawn, means: tuple[FloatArray, FloatArray]) -> tuple[ContextWord, ...]:
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


@opening("encoder")
@keywords
def ceat_suite(
    encoder: Encoder,
    corpus: Iterable[str],
    tests: Iterable[str | PathLike[str] | WeatSet] | None = None,
    *,
    language: str | None = None,
    settings: CeatSuiteSettings,
    store: str | PathLike[str] | None = None,
    rng: int | np.random.Generator | None = 0,
    progress: Progress | None = None,
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
    encoder = c.check_encoder(encoder)
    chosen = weat_sets(tests, "aslant.ceat", language)
    seed = seed_of(rng)
    words = tuple(dict.fromkeys(word for test in chosen for word in test.words))
    drawn = _drawn(encoder, corpus, words, settings, seed, progress)
    others = _others(encoder, drawn, settings, seed, store, progress)
    vectors: WordVectors = {}

    def measure(test: WeatSet) -> CeatResult:
        later = {word for other in chosen[chosen.index(test) :] for word in other.words}
        for word in vectors.keys() - later:
            del vectors[word]
        new = {word: drawn.contexts[word] for word in test.words if word not in vectors}
        vectors.update(context_vectors(encoder, new, store, progress, test.id))
        return _measure(encoder, test, drawn, vectors, others, settings, seed)

    settled = {**settings.record(), "corpus": drawn.corpus.name}
    return run_suite(CeatSuiteResult, chosen, measure, encoder, seed, settled)


def ceats(work: Work) -> Results:
    """Run every CEAT that ships on the text that was given, as a step of an audit."""
    suite = ceat_suite(
        work.subject.encoder, work.subject.corpus, rng=work.seed, store=work.journal, progress=work.progress,
        **work.settings,
    )  # fmt: skip
    return (work.noted("ceat", suite),)


def own_words(work: Work, sets: list[WeatSet]) -> Results:
    """Run the user's own tests on words in template sentences and, where there is a corpus, in its sentences."""
    encoder, corpus = work.subject.encoder, work.subject.corpus
    done = work.own_suite(seat_suite(encoder, sets, rng=work.seed, progress=work.progress, **work.settings), "SEAT")
    if corpus is not None:
        how: dict[str, Any] = {"store": work.journal, "rng": work.seed, "progress": work.progress}
        suite = ceat_suite(encoder, corpus, sets, twins=work.settings.get("twins", 0), **how)
        done += work.own_suite(suite, "CEAT")
    return done

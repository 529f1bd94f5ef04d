"""SEAT, the Sentence Encoder Association Test: WEAT on words in bleached sentences (May et al. 2019)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from os import PathLike
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from aslant.errors import MeasureError, StimuliError
from aslant.measures.association.measure import bootstrap_interval
from aslant.measures.sentence_tests.chance import LANGUAGES, Pools, pools, seat_chance
from aslant.measures.sentence_tests.clustered_words import (
    Clustered,
    check_sentence_encoder,
    clustered,
    sentence_vectors,
    usable_units,
)
from aslant.measures.sentence_tests.pieces import piece_fields
from aslant.measures.sentence_tests.result import SeatResult, SeatSuiteResult, SentenceWord
from aslant.measures.sentence_tests.settings import SeatSettings, SeatSuiteSettings
from aslant.measures.shared.open_subject import opening
from aslant.measures.shared.settings import keywords
from aslant.measures.shared.statistic import effect_size, target_scores
from aslant.measures.shared.suite import chosen_test, compared, need_share, need_spread, run_suite, weat_sets
from aslant.measures.shared.wordsets import FloatArray, WordSets, checked_words, provenance
from aslant.models.protocols import Pooling, Progress, SentenceEncoder
from aslant.models.twins import twins_of
from aslant.statistics import generator, seed_of
from aslant.stimuli import SentenceSet, WeatSet, load_set, own_sentences, suite_sets

if TYPE_CHECKING:
    from aslant.auditing.step_context import Results, Work

DEFAULT_TEMPLATES = "seat-templates"
#: A set of sentences by name, file or object, or sentences with {word} that every word is put into.
Templates: TypeAlias = str | PathLike[str] | SentenceSet | Sequence[str]
#: Unit vectors of the sentences of each word, and of each (kind, word) of a pool.
Vectors: TypeAlias = dict[Any, FloatArray]


@dataclass(frozen=True)
class Encoded:
    """Sentences as vectors: the encoder's own, with those of random words, and those of its untrained twins."""

    sentences: SentenceSet
    vectors: Vectors
    pool: Pools | None
    twins: tuple[Vectors, ...]


@opening("encoder")
@keywords
def seat(
    encoder: SentenceEncoder,
    test: str | PathLike[str] | WeatSet | None = None,
    *,
    targets: WordSets | None = None,
    attributes: WordSets | None = None,
    language: str | None = None,
    templates: Templates | None = None,
    settings: SeatSettings,
    rng: int | np.random.Generator | None = 0,
    progress: Progress | None = None,
) -> SeatResult:
    """Run one SEAT: a WEAT set (by name, file, or word lists) whose words are put into sentences (May et al. 2019).

    `templates`: those of the paper by the kind of each word (default), a TOML file, or a list of sentences with {word}
    (and {a} for "a" or "an"); a word in another `language` stands alone by default. Every sentence becomes one vector
    by `pooling`: as the model is served (default), or the mean of its words, or its first token. The effect size is
    WEAT's over all sentences, as published. The p-value re-partitions *words*, each with its mean association, since
    sentences of a word are not independent; `unit="sentence"` re-partitions sentences, as published. `chance` sets of
    random words, in sentences of the same kinds, take the place of the attributes; `twins` untrained models of the same
    architecture are asked the same, so that what comes from word pieces can be told. Other settings: `aslant.weat`.

    >>> import aslant  # here, encoder is a small toy; aslant.load_encoder(…) opens real ones
    >>> r = aslant.seat(encoder, "weat-7")
    >>> r.sentences, r.n_partitions, r.unit
    ((56, 82, 80, 80), 12870, 'word')
    >>> aslant.seat(encoder, "weat-6", templates=["I met {word}."]).sentences
    (8, 8, 8, 8)
    """
    encoder = check_sentence_encoder(encoder)
    chosen = chosen_test(test, targets, attributes, language)
    sentences = _sentence_set(templates, [chosen])
    seed = seed_of(rng)
    encoded = _encoded(encoder, sentences, [chosen], settings, seed, progress)
    return _measure(encoder, chosen, encoded, settings, seed)


def _sentence_set(templates: Any, tests: Sequence[WeatSet]) -> SentenceSet:
    """Return the sentences to use: by default those of May et al., or, in another language than theirs, none."""
    if isinstance(templates, SentenceSet):
        return templates
    if templates is None and any(test.language not in LANGUAGES for test in tests):
        return own_sentences(("{word}",), None, as_written=True)
    if templates is None or isinstance(templates, PathLike) or (isinstance(templates, str) and "{" not in templates):
        return load_set(DEFAULT_TEMPLATES if templates is None else templates, SentenceSet)
    texts = tuple(dict.fromkeys(checked_words([templates] if isinstance(templates, str) else templates)))
    if not texts:
        raise MeasureError("no sentence was given; give some with {word}, or leave out `templates`.")
    try:
        return own_sentences(texts, load_set(DEFAULT_TEMPLATES, SentenceSet).article)
    except StimuliError as error:
        raise MeasureError(str(error)) from None


def _encoded(
    encoder: SentenceEncoder, sentences: SentenceSet, tests: Sequence[WeatSet], settings: SeatSettings, seed: int,
    progress: Progress | None,
) -> Encoded:  # fmt: skip
    """Encode the sentences of all tests, and of the random words that they are compared with; twins the former."""
    own = {word: sentences.sentences_of(word) for test in tests for word in test.words}
    pool = pools(encoder, sentences, seed) if settings.chance else None
    vectors = _vectors(encoder, {**own, **(pool.of(tests) if pool else {})}, settings.pooling, progress)
    twins = twins_of(encoder, settings.twins, seed, progress)
    return Encoded(
        sentences, vectors, pool, tuple(_vectors(twin, own, settings.pooling, shown) for twin, shown in twins)
    )


def _vectors(
    encoder: SentenceEncoder,
    of_word: Mapping[Any, tuple[str, ...]],
    pooling: Pooling,
    progress: Progress | None,
) -> Vectors:
    """Return the unit vectors of each word's sentences; each distinct sentence is encoded once."""
    texts = list(dict.fromkeys(text for found in of_word.values() for text in found))
    unit, usable = usable_units(sentence_vectors(encoder, texts, pooling, progress))
    row = {text: i for i, text in enumerate(texts) if usable[i]}
    rows = {word: np.array([row[text] for text in found if text in row], np.int64) for word, found in of_word.items()}
    return {word: unit[places].astype(np.float64) for word, places in rows.items()}


def _measure(
    encoder: SentenceEncoder, test: WeatSet, encoded: Encoded, settings: SeatSettings, seed: int
) -> SeatResult:
    settings = settings.towards(test)
    sentences, pool = encoded.sentences, encoded.pool
    X, Y, *_ = sets = [clustered(group, encoded.vectors) for group in test.groups]
    used = tuple(group.words for group in sets)
    need_share(test, used, settings.min_found, "a vector")
    units, sizes = [group.unit for group in sets], [group.sizes for group in sets]
    first, second = target_scores(*units)
    by_word = X.means(first), Y.means(second)
    need_spread(test, *by_word)
    random = generator(seed)
    d = effect_size(first, second)
    return SeatResult(
        **compared(test, *(by_word if settings.unit == "word" else (first, second)), settings, random),
        templates=sentences.id, pooling=_pooling(encoder, settings), unit=settings.unit,
        targets=used[:2], attributes=used[2:],  # type: ignore[arg-type]
        sentences=tuple(map(len, units)),  # type: ignore[arg-type]
        effect_size=d,
        effect_size_population=effect_size(first, second, ddof=0),
        effect_size_words=effect_size(*by_word),
        interval=bootstrap_interval(units, settings, random, sizes),
        words=_words(sets, sentences, by_word),
        chance=seat_chance(test, sets, pool, encoded.vectors, d, settings.chance, random) if pool else None,
        **piece_fields(encoder, used, *by_word),
        twins=tuple(_effect(test, vectors) for vectors in encoded.twins),
        provenance=provenance(encoder, f"{test.id} {sentences.id}", used, seed, _recorded(settings, sentences)),
    )  # fmt: skip


def _pooling(encoder: Any, settings: SeatSettings) -> str:
    """Return how sentences became vectors: what "served" is for this encoder."""
    return str(getattr(encoder, "served_as", "served")) if settings.pooling == "served" else settings.pooling


def _effect(test: WeatSet, vectors: Vectors) -> float:
    """Return only the effect size of a test."""
    return effect_size(*target_scores(*(clustered(group, vectors).unit for group in test.groups)))


def _recorded(settings: SeatSettings, sentences: SentenceSet) -> dict[str, Any]:
    """Return what is needed to repeat a run; of sentences, the id of a set that ships or was named, or themselves."""
    own = [text for kind in sentences.kinds for text in kind.sentences]
    return {**settings.record(), "sentences": own if sentences.id == "own" else sentences.id}


def _words(
    sets: Sequence[Clustered], sentences: SentenceSet, by_word: tuple[FloatArray, FloatArray]
) -> tuple[SentenceWord, ...]:
    found = []
    for place, group in enumerate(sets):
        values: list[Any] = by_word[place].tolist() if place < 2 else [None] * len(group.words.used)
        for word, size, value in zip(group.words.used, group.sizes.tolist(), values, strict=True):
            kind, listed = sentences.kind_of(word)
            # A user's sentences are meant for every word: nothing is assumed about any.
            found.append(SentenceWord(word, group.words.name, kind.name, listed or sentences.id == "own", size, value))
    return tuple(found)


@opening("encoder")
@keywords
def seat_suite(
    encoder: SentenceEncoder,
    tests: Iterable[str | PathLike[str] | WeatSet] | None = None,
    *,
    language: str | None = None,
    templates: Templates | None = None,
    settings: SeatSuiteSettings,
    rng: int | np.random.Generator | None = 0,
    progress: Progress | None = None,
) -> SeatSuiteResult:
    """Run a SEAT on the ten WEAT sets of Caliskan et al. (or `tests`) and control the false-discovery rate over them.

    With a `language`, on the tests that WEATHub or XWEAT have in it (docs/languages.md), fetched if need be. English
    words stand in the paper's sentences and words of other languages alone, unless `templates` are given. All
    sentences are encoded together, each once. The settings are those of `aslant.seat`. A test that has no effect size,
    or of which a word set has less than the share `min_found` of its words, is listed as skipped.

    >>> import aslant  # here, encoder is a small toy; aslant.load_encoder(…) opens real ones
    >>> suite = aslant.seat_suite(encoder, ["weat-6", "weat-7"])
    >>> [r.test for r in suite.results], max(suite.qvalues) <= 1
    (['weat-6', 'weat-7'], True)
    """
    encoder = check_sentence_encoder(encoder)
    chosen = weat_sets(tests, "aslant.seat", language)
    seed = seed_of(rng)
    # English words in the paper's sentences, those of other languages alone; the user's sentences are for all words.
    groups: dict[bool, list[WeatSet]] = {}

    def in_sentences(test: WeatSet) -> bool:
        return templates is not None or test.language in LANGUAGES

    for test in chosen:
        groups.setdefault(in_sentences(test), []).append(test)
    encoded = {
        own: _encoded(encoder, _sentence_set(templates, group), group, settings, seed, progress)
        for own, group in groups.items()
    }
    kept = [_recorded(settings, found.sentences) for found in encoded.values()]
    record = {**kept[0], "sentences": [each["sentences"] for each in kept]} if len(kept) > 1 else kept[0]
    measure = lambda test: _measure(encoder, test, encoded[in_sentences(test)], settings, seed)  # noqa: E731
    return run_suite(SeatSuiteResult, chosen, measure, encoder, seed, record)


def seats(work: Work) -> Results:
    """Run every SEAT that ships, as a step of an audit."""
    suite = seat_suite(work.subject.encoder, rng=work.seed, progress=work.progress, **work.settings)
    return (work.noted("seat", suite),)


def category_seats(work: Work) -> Results:
    """Run the tests that ship for social categories that the ten WEATs are not about."""
    suite = seat_suite(
        work.subject.encoder, suite_sets("categories"), rng=work.seed, progress=work.progress, **work.settings
    )
    return (work.noted("seat-categories", suite),)

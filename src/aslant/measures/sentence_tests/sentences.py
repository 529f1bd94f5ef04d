"""SEAT, the Sentence Encoder Association Test: WEAT on words in bleached sentences (May et al. 2019)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from os import PathLike
from typing import Any, Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from aslant.errors import MeasureError, StimuliError
from aslant.measures.association.measure import (
    DEFAULT_BOOTSTRAP,
    NoSpreadError,
    chosen_test,
    chosen_tests,
    human_comparison,
)
from aslant.measures.association.result import SkippedTest
from aslant.measures.association.statistic import NO_SPREAD, effect_size
from aslant.measures.sentence_tests.clustered_words import (
    Clustered,
    TooFewWordsError,
    all_clustered,
    check_encoder,
    encoder_provenance,
    usable_units,
)
from aslant.measures.sentence_tests.result import SeatResult, SeatSuiteResult, SentenceWord
from aslant.measures.sentence_tests.sentences_statistic import sentence_scores, word_interval
from aslant.measures.shared.wordsets import FloatArray, WordSets, check_share, checked_words
from aslant.models.protocols import Encoder, Pooling, Progress
from aslant.statistics import (
    MOST_BOOTSTRAP,
    benjamini_hochberg,
    check_choices,
    check_confidence,
    check_count,
    generator,
    partition_pvalue,
    seed_of,
)
from aslant.stimuli import SentenceSet, WeatSet, load_set, own_sentences

DEFAULT_TEMPLATES = "seat-templates"
NO_VECTOR = "a vector"
#: A set of sentences by name, file or object, or sentences with {word} that every word is put into.
Templates: TypeAlias = str | PathLike[str] | SentenceSet | Sequence[str]
#: What is re-partitioned for the p-value.
Unit: TypeAlias = Literal["word", "sentence"]
#: The settings of `seat` that a suite passes on, with their defaults.
SETTINGS: dict[str, Any] = {
    "templates": None,
    "pooling": "mean",
    "unit": "word",
    "alternative": "greater",
    "method": "auto",
    "n_resamples": 100_000,
    "bootstrap": DEFAULT_BOOTSTRAP,
    "confidence": 0.95,
}


def seat(
    encoder: Encoder,
    test: str | PathLike[str] | WeatSet | None = None,
    *,
    targets: WordSets | None = None,
    attributes: WordSets | None = None,
    templates: Templates | None = None,
    pooling: Pooling = "mean",
    unit: Unit = "word",
    alternative: str = "greater",
    method: str = "auto",
    n_resamples: int = 100_000,
    bootstrap: int = DEFAULT_BOOTSTRAP,
    confidence: float = 0.95,
    min_found: float = 0.0,
    rng: int | np.random.Generator | None = 0,
    progress: Progress | None = None,
) -> SeatResult:
    """Run one SEAT: a WEAT set (by name, file, or word lists) whose words are put into sentences (May et al. 2019).

    `templates`: those of the paper by the kind of each word (default), a TOML file, or a list of sentences with {word}
    (and {a} for "a" or "an"). Every sentence becomes one vector by `pooling`; the effect size is WEAT's over all
    sentences, as published. The p-value re-partitions *words*, each with its mean association, since sentences of
    a word are not independent; `unit="sentence"` re-partitions sentences, as published. Other settings: `aslant.weat`.

    >>> import aslant  # here, encoder is a small toy; aslant.load_encoder(…) opens real ones
    >>> r = aslant.seat(encoder, "weat-7")
    >>> r.sentences, r.n_partitions, r.unit
    ((56, 82, 80, 80), 12870, 'word')
    >>> aslant.seat(encoder, "weat-6", templates=["I met {word}."]).sentences
    (8, 8, 8, 8)
    """
    settings: dict[str, Any] = {
        "pooling": pooling, "unit": unit, "alternative": alternative, "method": method, "n_resamples": n_resamples,
        "bootstrap": bootstrap, "confidence": confidence, "min_found": min_found,
    }  # fmt: skip
    _check(encoder, settings)
    chosen = chosen_test(test, targets, attributes)
    sentences = _sentence_set(templates)
    vectors = _encoded(encoder, sentences, chosen.words, pooling, progress)
    return _measure(encoder, chosen, sentences, vectors, settings, seed_of(rng))


def _check(encoder: Any, settings: dict[str, Any]) -> None:
    check_encoder(encoder)
    for name, known in (("pooling", get_args(Pooling)), ("unit", get_args(Unit))):
        if settings[name] not in known:
            raise MeasureError(f"{name}={settings[name]!r} is not known; choose one of {', '.join(known)}.")
    check_share(settings["min_found"])
    check_choices(settings["alternative"], settings["method"], settings["n_resamples"])
    check_confidence(settings["confidence"])
    check_count("bootstrap", settings["bootstrap"], 0, MOST_BOOTSTRAP)


def _sentence_set(templates: Any) -> SentenceSet:
    if isinstance(templates, SentenceSet):
        return templates
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
    encoder: Encoder, sentences: SentenceSet, words: Iterable[str], pooling: Pooling, progress: Progress | None
) -> dict[str, FloatArray]:
    """Return the unit vectors of each word's sentences; each distinct sentence is encoded once."""
    of_word = {word: sentences.sentences_of(word) for word in words}
    texts = list(dict.fromkeys(text for found in of_word.values() for text in found))
    unit, usable = usable_units(encoder.sentence_vectors(texts, pooling=pooling, progress=progress))
    row = {text: i for i, text in enumerate(texts) if usable[i]}
    return {word: _rows(unit, [row[text] for text in found if text in row]) for word, found in of_word.items()}


def _rows(unit: NDArray[np.float32], rows: list[int]) -> FloatArray:
    return unit[np.array(rows, np.int64)].astype(np.float64)


def _measure(
    encoder: Encoder, test: WeatSet, sentences: SentenceSet, vectors: dict[str, FloatArray], settings: dict[str, Any],
    seed: int,
) -> SeatResult:  # fmt: skip
    X, Y, A, B = sets = all_clustered(test, vectors, settings["min_found"], NO_VECTOR)
    first, second = sentence_scores(X, Y, A, B)
    if np.ptp(np.concatenate([first, second])) < NO_SPREAD:
        raise NoSpreadError(
            f"every sentence of the targets of '{test.id}' has the same association, so no effect size exists."
        )
    by_word = X.means(first), Y.means(second)
    if np.ptp(np.concatenate(by_word)) < NO_SPREAD:
        raise NoSpreadError(f"every target word of '{test.id}' has the same association, so no effect size exists.")
    compared = by_word if settings["unit"] == "word" else (first, second)
    random = generator(seed)
    p = partition_pvalue(
        *compared, alternative=settings["alternative"], method=settings["method"],
        n_resamples=settings["n_resamples"], rng=random,
    )  # fmt: skip
    used = tuple(group.words for group in sets)
    missing = [word for group in used for word in group.missing]
    return SeatResult(
        test=test.id, title=test.title, category=test.category, templates=sentences.id,
        pooling=settings["pooling"], unit=settings["unit"],
        targets=used[:2], attributes=used[2:],  # type: ignore[arg-type]
        sentences=tuple(len(group.unit) for group in sets),  # type: ignore[arg-type]
        statistic=float(compared[0].mean() - compared[1].mean()),
        effect_size=effect_size(first, second),
        effect_size_population=effect_size(first, second, ddof=0),
        effect_size_words=effect_size(*by_word),
        pvalue=p.pvalue, pvalue_bounds=p.bounds, pvalue_method=p.method, n_partitions=p.n_partitions,
        alternative=settings["alternative"],
        interval=word_interval(X, Y, A, B, settings["bootstrap"], settings["confidence"], random),
        words=_words(sets, sentences, by_word),
        human=human_comparison(test),
        provenance=encoder_provenance(
            encoder, f"{test.id} {sentences.id}", missing, seed, {**settings, "sentences": _texts(sentences)}
        ),
    )  # fmt: skip


def _texts(sentences: SentenceSet) -> Any:
    """Return what is needed to repeat a run: the id of a set that ships or was named, or the sentences themselves."""
    return [text for kind in sentences.kinds for text in kind.sentences] if sentences.id == "own" else sentences.id


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
    return tuple(found)  # fmt: skip


def seat_suite(
    encoder: Encoder,
    tests: Iterable[str | PathLike[str] | WeatSet] | None = None,
    *,
    min_found: float = 0.5,
    rng: int | np.random.Generator | None = 0,
    progress: Progress | None = None,
    **settings: Any,
) -> SeatSuiteResult:
    """Run a SEAT on every WEAT set that ships (or on `tests`) and control the false-discovery rate over them.

    All sentences are encoded together, each once. The settings are those of `aslant.seat`. A test that has no effect
    size, or of which a word set has less than the share `min_found` of its words, is listed as skipped.

    >>> import aslant  # here, encoder is a small toy; aslant.load_encoder(…) opens real ones
    >>> suite = aslant.seat_suite(encoder, ["weat-6", "weat-7"])
    >>> [r.test for r in suite.results], max(suite.qvalues) <= 1
    (['weat-6', 'weat-7'], True)
    """
    if unknown := sorted(set(settings) - set(SETTINGS)):
        raise MeasureError(f"seat has no setting '{unknown[0]}'; it has {', '.join(SETTINGS)}.")
    given = {**SETTINGS, **settings, "min_found": min_found}
    sentences = _sentence_set(given.pop("templates"))
    _check(encoder, given)
    chosen = chosen_tests(tests, "aslant.seat")
    seed = seed_of(rng)  # each test starts from it, so its result does not depend on the others
    words = dict.fromkeys(word for test in chosen for word in test.words)
    vectors = _encoded(encoder, sentences, words, given["pooling"], progress)
    results: list[SeatResult] = []
    skipped: list[SkippedTest] = []
    for test in chosen:
        try:
            results.append(_measure(encoder, test, sentences, vectors, given, seed))
        except (NoSpreadError, TooFewWordsError) as error:
            lacking = tuple(word for word in test.words if not len(vectors[word]))
            skipped.append(SkippedTest(test.id, test.title, str(error).rstrip("."), lacking))
    missing = [word for words in [*(r.missing for r in results), *(t.missing for t in skipped)] for word in words]
    return SeatSuiteResult(
        results=tuple(results),
        qvalues=tuple(benjamini_hochberg([result.pvalue for result in results]).tolist()) if results else (),
        skipped=tuple(skipped),
        provenance=encoder_provenance(
            encoder, " ".join(test.id for test in chosen), missing, seed, {**given, "sentences": _texts(sentences)}
        ),
    )

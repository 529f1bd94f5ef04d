"""Polarity: how far words lean between two or more classes, in one embedding or several (docs/definitions.md §4)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from os import PathLike
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from aslant import statistics
from aslant.errors import MeasureError, plural
from aslant.measures.polarities.chance import polarity_chance
from aslant.measures.polarities.result import PROFESSIONS, Difference, PolarityComparison, PolarityResult, WordPolarity
from aslant.measures.polarities.settings import PolaritySettings, Scheme
from aslant.measures.shared.chance import lean_by_frequency
from aslant.measures.shared.open_subject import opening
from aslant.measures.shared.settings import SampledSettings, keywords
from aslant.measures.shared.wordsets import (
    FloatArray,
    Found,
    check_vectors,
    checked_words,
    find,
    need_words,
    provenance,
)
from aslant.results.codec import MeasuredResult
from aslant.results.parts import Interval
from aslant.stimuli import ClassSet, WordList, WordSet, load_set
from aslant.vectors import WordVectors

if TYPE_CHECKING:
    from aslant.auditing.step_context import Results, Work

#: Classes: the name of a class set, or words, each a class; a mapping gives a class several words.
Classes: TypeAlias = str | PathLike[str] | Mapping[str, Iterable[str]] | Sequence[str] | Sequence[WordList]
Words: TypeAlias = str | PathLike[str] | Iterable[str]

#: The polarity settings of the paper, which audits and comparisons run: classes and scheme.
POLARITIES: tuple[tuple[Classes, Scheme], ...] = (
    ("gender-binary", "binary"),
    ("gender-three", "one-vs-rest"),
    ("race-four", "one-vs-one"),
    ("race-four", "one-vs-rest"),
)
#: Words are multiplied this many at a time, which bounds memory, and paired this many at a time, which suits caches.
BLOCK, CACHED = 1 << 17, 1 << 12
#: Scores that differ by less are the same but for single precision.
ROUNDING = 1e-6


def polarity_scores(words: NDArray[Any], classes: FloatArray, scheme: Scheme) -> tuple[FloatArray, NDArray[np.intp]]:
    """Return each word's polarity and the class it leans to; shapes (words,), from (words, d) and (classes, d).

    Vectors are raw. All schemes need only the products of words and classes, since
    cos(w, c_j − c_k) = (w·c_j − w·c_k) / (|w| |c_j − c_k|).
    """
    n = len(classes)
    if scheme == "one-vs-rest":
        leans = np.eye(n) - (1 - np.eye(n)) / (n - 1)  # c_j − mean of the others = Σ_k leans_jk c_k
        leans /= _lengths(leans @ classes)[:, None]
    else:
        first, second = np.triu_indices(n, 1)
        inverse = np.zeros((n, n))
        inverse[first, second] = inverse[second, first] = 1 / _lengths(classes[first] - classes[second])
        leans = np.diag(inverse.sum(axis=1)) - inverse  # Σ_k cos(w, c_j − c_k), a linear function of the products
    scores, leaning = np.empty(len(words)), np.empty(len(words), dtype=np.intp)
    for start in range(0, len(words), BLOCK):
        block, part = np.asarray(words[start : start + BLOCK], dtype=np.float64), slice(start, start + BLOCK)
        products = classes @ block.T
        products /= np.sqrt(np.einsum("ij,ij->i", block, block))
        if scheme == "binary":
            scores[part] = (products[0] - products[1]) * inverse[0, 1]
            leaning[part] = scores[part] < 0
        else:
            toward = leans @ products
            leaning[part] = toward.argmax(axis=0)
            scores[part] = toward.max(axis=0) if scheme == "one-vs-rest" else _mean_gap(products, inverse)
    return scores, leaning


def _mean_gap(products: FloatArray, inverse: FloatArray) -> FloatArray:
    """Return the mean over pairs of |p_j − p_k| · inverse_jk for each word; `products` is (classes, words)."""
    n, total = products.shape
    mean = np.zeros(total)
    for start in range(0, total, CACHED):  # few enough at a time for the gaps to stay in cache
        part = products[:, start : start + CACHED]
        for j in range(n - 1):
            mean[start : start + CACHED] += inverse[j, j + 1 :] @ np.abs(part[j + 1 :] - part[j])
    return np.asarray(mean / (n * (n - 1) / 2))


def _lengths(vectors: FloatArray) -> FloatArray:
    lengths = np.linalg.norm(vectors, axis=1)
    if (lengths < 1e-12).any():
        raise MeasureError("two classes have the same vector, so nothing can be between them.")
    return np.asarray(lengths)


@opening("vectors")
@keywords
def polarity(
    vectors: WordVectors,
    classes: Classes,
    words: Words = PROFESSIONS,
    *,
    settings: PolaritySettings,
    rng: int | np.random.Generator | None = 0,
) -> PolarityResult:
    """Measure how far `words` lean between `classes`, by one of three schemes (Lu et al.).

    ``"binary"``: cos(w, c_1 − c_2) for two classes; ``"one-vs-one"``: the mean of |cos(w, c_j − c_k)| over all pairs;
    ``"one-vs-rest"``: the largest cos(w, c_j − mean of the others). A class of several words is their mean vector.
    `chance` random classes of the same frequency say what these classes add. Vectors of class words are taken at their
    own length, as published, on which the score depends; with `unit`, at unit length.

    >>> import aslant
    >>> r = aslant.polarity(aslant.load(), ["she", "he"], ["nurse", "engineer"])
    >>> [(w.word, w.leans_to) for w in r.by_word]
    [('nurse', 'she'), ('engineer', 'he')]
    >>> three = aslant.polarity(aslant.load(), "gender-three", scheme="one-vs-rest")
    >>> round(three.score, 2), three.chance.low < three.score < three.chance.high  # what random words give
    (0.11, True)
    """
    groups, class_id = class_lists(classes)
    listed, words_id = word_list(words)
    return measure(vectors, groups, class_id, listed, words_id, settings, statistics.seed_of(rng))


def measure(
    vectors: WordVectors, groups: Sequence[WordList], class_id: str, listed: tuple[str, ...], words_id: str,
    settings: PolaritySettings, seed: int,
) -> PolarityResult:  # fmt: skip
    """Measure polarity, with everything chosen."""
    check_vectors(vectors)
    check_scheme(scheme := settings.scheme, len(groups))
    classes = [find(vectors, group) for group in groups]
    for group in classes:
        need_words(group, 1, vectors)
    unit = settings.unit
    matrix = np.array([class_vector(group, unit) for group in classes])
    used = tuple(group.words for group in classes)
    found = find(vectors, WordList("words", listed))
    if not found.words.used:
        raise MeasureError(f"'{vectors.name}' has none of the words ({len(listed)}), so nothing can be measured.")
    scores, leaning = polarity_scores(found.raw, matrix, scheme)
    values, random = magnitude(scores, scheme), statistics.generator(seed)
    score, interval = float(values.mean()), mean_interval(values, settings, random)
    by_chance = polarity_chance(vectors, found, used, scheme, values, settings.chance, random, unit=unit)
    chance, shares = by_chance or (None, np.full(len(values), None))
    qvalues = statistics.known_qvalues(shares.tolist())
    return PolarityResult(
        scheme=scheme,
        classes=used,
        score=score,
        interval=interval,
        by_word=tuple(
            WordPolarity(word, score, used[lean].name, p, q)
            for word, score, lean, p, q in zip(
                found.words.used, scores.tolist(), leaning.tolist(), shares.tolist(), qvalues, strict=True
            )
        ),
        provenance=provenance(vectors, class_id, (*used, found.words), seed, {**settings.record(), "words": words_id}),
        chance=chance,
        frequency=lean_by_frequency(vectors, scores, found.words) if scheme == "binary" else None,
    )


def class_vector(group: Found, unit: bool) -> FloatArray:
    """Return the mean vector of a class, of raw vectors or of those at `unit` length, (d,)."""
    return np.asarray((group.unit if unit else group.raw).mean(axis=0, dtype=np.float64))


def magnitude(scores: FloatArray, scheme: str) -> FloatArray:
    """Return what is averaged over words: the absolute value under the binary scheme, else the score itself."""
    return np.abs(scores) if scheme == "binary" else scores


def mean_interval(values: FloatArray, how: SampledSettings, random: np.random.Generator) -> Interval | None:
    """Percentile bootstrap interval of the mean over words; None without resamples or with a single word."""
    if how.bootstrap < 1 or len(values) < 2:
        return None
    means = statistics.bootstrap_means(values, how.bootstrap, random)
    return Interval(*statistics.percentile_interval(means, how.confidence), how.confidence, how.bootstrap)


def check_scheme(scheme: str, n_classes: int) -> None:
    """Refuse a scheme that does not fit the number of classes."""
    if n_classes < 2 or (scheme == "binary" and n_classes != 2):
        wanted = "exactly two" if scheme == "binary" else "at least two"
        raise MeasureError(f"{plural(n_classes, 'class', 'classes')} given; the {scheme} scheme needs {wanted}.")


def class_lists(classes: Classes) -> tuple[tuple[WordList, ...], str]:
    """Return the classes as named word lists, and the id of the set they come from ("own" if none)."""
    if isinstance(classes, str | PathLike):
        chosen = load_set(classes, ClassSet)
        return chosen.classes, chosen.id
    if not isinstance(classes, Iterable):
        raise MeasureError(f"classes={classes!r} are not classes; give a set's name, words, or words by class.")
    if isinstance(classes, Mapping) and any(isinstance(name, int) for name in classes):
        raise MeasureError("classes by year are for polarity_trend; give one embedding the classes of its own year.")
    items = classes.items() if isinstance(classes, Mapping) else [(None, item) for item in classes]
    lists = [
        item
        if isinstance(item, WordList)
        else WordList(name or item, (item,))
        if isinstance(item, str)
        else WordList(str(name), checked_words(item))
        for name, item in items
    ]
    if len({group.name for group in lists}) < len(lists):
        raise MeasureError("a class is named twice; give each class once.")
    return tuple(lists), "own"


def word_list(words: Words) -> tuple[tuple[str, ...], str]:
    """Return the words to measure, each once, and the id of the set they come from ("own" if none)."""
    if isinstance(words, str | PathLike):
        chosen = load_set(words, WordSet)
        return chosen.words, chosen.id
    return tuple(dict.fromkeys(checked_words(words))), "own"


def polarities(work: Work) -> Results:
    """Measure the polarity of professions in every setting of the paper."""
    done: list[MeasuredResult] = []
    for classes, scheme in POLARITIES:
        with work.noting(f"polarity {scheme}, {classes}"):
            done.append(polarity(work.subject.opened, classes, scheme=scheme, rng=work.seed, **work.settings))
    return tuple(done)


def own_words(work: Work, sets: list[ClassSet | WordSet]) -> Results:
    """Measure the polarity of professions between the user's classes, or of the user's words between genders."""
    vectors, more = work.subject.opened, {"rng": work.seed, **work.settings}
    done: list[MeasuredResult] = []
    for found in sets:
        with work.noting(f"own words, {found.id}"):
            if isinstance(found, WordSet):
                done.append(work.named(polarity(vectors, "gender-binary", found.words, **more), words=found.id))
                continue
            schemes: tuple[Scheme, ...] = ("binary",) if len(found.classes) == 2 else ("one-vs-one", "one-vs-rest")
            done += [work.named(polarity(vectors, found.classes, scheme=s, **more), found.id) for s in schemes]
    return tuple(done)


@opening("embeddings")
@keywords
def compare_polarity(
    embeddings: Sequence[WordVectors],
    classes: Classes,
    words: Words = "bold-professions",
    *,
    settings: PolaritySettings,
    rng: int | np.random.Generator | None = 0,
) -> PolarityComparison:
    """Measure the polarity of the words that all `embeddings` have, and their paired differences to the first.

    A difference is the mean over words of (other − first), with a bootstrap interval over words and the p-value of a
    sign-flip permutation test. Vectors of classes are taken at their own length, so that a copy at unit length
    differs; `lengths` says how long they are. With `unit` they are taken at unit length in all.

    >>> import aslant
    >>> v = aslant.load()
    >>> c = aslant.compare_polarity([v, aslant.load(top=20_000)], "gender-binary", ["nurse", "engineer", "clerk"])
    >>> c.differences[0].difference
    0.0
    """
    if len(embeddings) < 2:
        raise MeasureError(f"only {plural(len(embeddings), 'embedding')} given; give at least two to compare.")
    listed, words_id = word_list(words)
    groups, class_id = class_lists(classes)
    names = [v.name for v in embeddings]  # those that several share are numbered, to tell their rows apart
    numbered = [name if names.count(name) == 1 else f"{name} ({place})" for place, name in enumerate(names, 1)]
    named = [replace(v, name=name) for v, name in zip(embeddings, numbered, strict=True)]
    left_out = {v.name: find(v, WordList("words", listed)).words.missing for v in named}
    absent = {word for missing in left_out.values() for word in missing}
    shared = tuple(word for word in listed if word not in absent)
    if not shared:
        raise MeasureError(f"none of the words ({len(listed)}) is in all {len(embeddings)} embeddings.")
    seed = statistics.seed_of(rng)
    # Measured on the shared words only, so that scores differ because of the vectors, not of the words.
    results = [measure(v, groups, class_id, shared, words_id, settings, seed) for v in named]
    differences = [_difference(results[0], other, settings, seed) for other in results[1:]]
    found, unit = [[find(v, group) for group in groups] for v in named], settings.unit
    lengths = tuple(tuple(float(np.linalg.norm(class_vector(own, unit))) for own in of) for of in found)
    at_unit_length = tuple(
        unit or all(np.allclose(np.linalg.norm(own.raw, axis=1), 1, atol=1e-3) for own in of) for of in found
    )
    return PolarityComparison(tuple(results), tuple(differences), shared, left_out, lengths, at_unit_length)


def _difference(first: PolarityResult, second: PolarityResult, how: SampledSettings, seed: int) -> Difference:
    ours, others = ({w.word: float(magnitude(np.array(w.score), r.scheme)) for w in r.by_word} for r in (first, second))
    gaps = np.array([others[word] - ours[word] for word in ours if word in others])
    gaps[np.abs(gaps) < ROUNDING] = 0.0
    names = (first.provenance.representation.name, second.provenance.representation.name)
    interval = mean_interval(gaps, how, statistics.generator(seed))
    return Difference(*names, float(gaps.mean()), interval, statistics.sign_flip_pvalue(gaps, rng=seed), len(gaps))

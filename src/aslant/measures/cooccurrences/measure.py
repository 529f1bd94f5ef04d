"""PMI bias: which words a text puts near one set of words rather than another (Valentini et al. 2023)."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from os import PathLike
from statistics import NormalDist
from typing import TYPE_CHECKING, Any

import numpy as np

from aslant.corpus.matching import folded_tokens
from aslant.corpus.sampling import watched
from aslant.errors import MeasureError, TooFewWordsError, plural
from aslant.measures.association.single_words import chosen_words
from aslant.measures.cooccurrences.result import PmiContrast, PmiResult, PmiWord
from aslant.measures.cooccurrences.settings import PmiSettings
from aslant.measures.cooccurrences.statistic import Counts, count, left_out_errors, log_odds
from aslant.measures.sentence_tests.clustered_words import corpus_read, sentences_of
from aslant.measures.sentence_tests.result import CorpusRead
from aslant.measures.shared.settings import keywords
from aslant.measures.shared.statistic import correlation
from aslant.measures.shared.wordsets import FloatArray, WordSets, provenance, word_lists
from aslant.models.protocols import Progress
from aslant.results.parts import Interval, WordsUsed
from aslant.statistics import (
    Chance,
    against_chance,
    benjamini_hochberg,
    bootstrap_means,
    draw_matched,
    frequency_lean,
    generator,
    is_large_enough,
    partition_pvalue,
    percentile_interval,
    seed_of,
)
from aslant.stimuli import StimulusSet, WeatSet, WordList, load_set

if TYPE_CHECKING:
    from aslant.auditing.step_context import Results, Work

#: The kind of chance: words of the text itself.
KIND = "words of the text"


@dataclass(frozen=True)
class Asked:
    """Two sets of contexts, one or two lists of words, and a figure for each word, if there is one."""

    contexts: tuple[WordList, ...]
    words: tuple[WordList, ...]
    stimuli: str
    figures: Mapping[str, float]
    figure: str


@keywords
def pmi_bias(
    corpus: Iterable[str],
    words: str | PathLike[str] | Iterable[str] = "occupations-share-of-women",
    *,
    contexts: str | PathLike[str] | WordSets = "weat-7",
    test: str | PathLike[str] | WeatSet | None = None,
    figure: str | Mapping[str, float] | None = None,
    settings: PmiSettings,
    rng: int | np.random.Generator | None = 0,
    progress: Progress | None = None,
) -> PmiResult:
    """Say of each word how much more often a text puts it near the first contexts than near the second.

    The log odds ratio of standing within `window` words of either set, which is the difference of two pointwise
    mutual informations for rare words. `corpus` is one of `aslant.load_corpus`, or sentences. `contexts` are two sets
    of words, two classes, or a WEAT whose attributes are taken (male and female terms). With a `test`, a WEAT set, its
    targets are the contexts and its two attribute sets the words, which are then also contrasted. `figure` is as for
    `aslant.wefat`. `chance` draws put words of the text of about the same frequency in place of the words.

    >>> import aslant
    >>> text = ["She is a nurse.", "He is a clerk.", "She met the nurse.", "He saw a clerk.", "She and he met."] * 20
    >>> r = aslant.pmi_bias(text, ["nurse", "clerk", "pilot"], contexts=(["she"], ["he"]))
    >>> [(word.word, word.near_first, word.near_second, word.log_odds > 0) for word in r.words], r.missing
    ([('nurse', 40, 0, True), ('clerk', 0, 40, False)], ('pilot',))
    """
    asked = _asked(words, contexts, test, figure)
    first, second = (set(_tokens(group).values()) for group in asked.contexts)
    if both := sorted(first & second):
        raise MeasureError(f"'{both[0]}' is in both sets of contexts; a word must be in only one of the two.")
    sides = dict.fromkeys(first, 0) | dict.fromkeys(second, 1)
    listed = {token: word for group in asked.words for word, token in _tokens(group).items()}
    if both := sorted(sides.keys() & listed.keys()):
        raise MeasureError(f"'{both[0]}' is both a word and a context; a word always stands with itself, so remove it.")
    content = sha256()
    sentences = _tokens_of(watched(sentences_of(corpus), progress), content)
    counts = count(sentences, sides, list(listed), settings.window)
    read = corpus_read(corpus, counts.sentences, counts.total.total())
    if not min(counts.pairs):
        absent = asked.contexts[counts.pairs.index(0)].name
        raise TooFewWordsError(f"no word of '{absent}' is near another word in '{read.name}'; give more text.")
    text = _Text(read.name, content.hexdigest()[:12], len(counts.total))
    return _judged(asked, counts, read, text, settings, seed_of(rng))


def _tokens_of(sentences: Iterable[str], content: Any) -> Iterator[list[str]]:
    """Yield the tokens of each sentence, and let the digest of the `content` have it."""
    for sentence in sentences:
        content.update(f"{sentence}\n".encode("utf-8", "surrogatepass"))
        yield folded_tokens(sentence)


def _asked(words: Any, contexts: Any, test: Any, figure: Any) -> Asked:
    """Open what a user names: sets, files or lists."""
    if test is not None:
        chosen = test if isinstance(test, WeatSet) else load_set(test, WeatSet)
        return Asked(chosen.targets, chosen.attributes, chosen.id, {}, "")
    listed, stimuli, figures, name = chosen_words(words, figure)
    if isinstance(contexts, str | PathLike):
        given = load_set(contexts, StimulusSet)
        contexts = given.attributes if isinstance(given, WeatSet) else getattr(given, "classes", ())
    return Asked(word_lists(contexts, ("contexts 1", "contexts 2")), (listed,), stimuli, figures, name)


def _tokens(group: WordList) -> dict[str, str]:
    """Return the token of each word that is one token; phrases are not counted."""
    found = {word: folded_tokens(word) for word in group.words}
    return {word: tokens[0] for word, tokens in found.items() if len(tokens) == 1}


def _used(group: WordList, known: Any) -> WordsUsed:
    """Return the words of a group that are known; those that are one token, such as "Cook" and "cook", count once."""
    tokens = {word: token for word, token in _tokens(group).items() if known(token)}
    once = {token: word for word, token in reversed(tokens.items())}
    used = {word: token for word, token in tokens.items() if once[token] == word}
    missing = tuple(word for word in group.words if word not in tokens)
    return WordsUsed(group.name, tuple(used), tuple(used.values()), missing)


@dataclass(frozen=True)
class Vocabulary:
    """Every word that stands near the contexts often enough, the frequent ones first, and its log odds ratio."""

    words: dict[str, int]
    log_odds: FloatArray
    errors: FloatArray

    @classmethod
    def of(cls, counts: Counts, least: int) -> Vocabulary:
        """Keep the words with enough counts near either set."""
        first, second = counts.near
        words = [word for word, _ in counts.total.most_common() if first[word] + second[word] >= least]
        near = np.array([[side[word] for word in words] for side in counts.near], dtype=np.float64)
        ratios, errors = log_odds(near.reshape(2, len(words)), np.array(counts.pairs, dtype=np.float64))
        return cls({word: row for row, word in enumerate(words)}, ratios, errors)


def _judged(asked: Asked, counts: Counts, read: CorpusRead, text: _Text, settings: PmiSettings, seed: int) -> PmiResult:
    vocabulary = Vocabulary.of(counts, settings.min_near)
    contexts = tuple(_used(group, counts.total.__contains__) for group in asked.contexts)
    groups = [_used(group, counts.total.__contains__) for group in asked.words]
    rare = tuple(w for g in groups for w, t in zip(g.used, g.tokens, strict=True) if t not in vocabulary.words)
    kept = [_used(group, vocabulary.words.__contains__) for group in asked.words]
    if not all(group.used for group in kept):
        empty = next(group.name for group in kept if not group.used)
        raise TooFewWordsError(
            f"no word of '{empty}' stands near the contexts {plural(settings.min_near, 'time')} in '{read.name}'; give "
            "more text, other words or a smaller min_near."
        )
    rows = [np.array([vocabulary.words[token] for token in group.tokens]) for group in kept]
    random = generator(seed)
    drawn = _drawn(vocabulary, [*contexts, *groups], rows, settings.chance, random)
    scored = _words(asked, counts, vocabulary, kept, rows, drawn, settings)
    leans = np.array([word.log_odds for word in scored])
    sizes = np.abs(leans)
    known = [word for word in scored if word.figure is not None]
    return PmiResult(
        contexts=contexts,  # type: ignore[arg-type]
        words=scored,
        too_rare=rare,
        score=float(sizes.mean()),
        interval=_interval(sizes, settings, random),
        chance=None if drawn is None else _chance(sizes.mean(), np.abs(vocabulary.log_odds[drawn]).mean(axis=1), False),
        contrast=_contrast(vocabulary, kept, rows, drawn, random) if len(kept) == 2 else None,
        correlation=correlation(asked.figure, [w.log_odds for w in known], [w.figure or 0.0 for w in known]),
        frequency=frequency_lean(leans, np.concatenate(rows)),
        pairs=(counts.pairs[0], counts.pairs[1]),
        corpus=read,
        provenance=provenance(text, asked.stimuli, [*contexts, *groups], seed, settings.record()),
    )  # fmt: skip


@dataclass(frozen=True)
class _Text:
    """A text as something that is measured; its fingerprint is that of all its sentences."""

    name: str
    fingerprint: str
    words: int
    format: str = "text"
    dimensions: int = 0

    def record(self) -> dict[str, Any]:
        return vars(self)


def _drawn(
    vocabulary: Vocabulary, known: Sequence[WordsUsed], rows: Sequence[Any], draws: int, random: np.random.Generator
) -> Any:
    """Draw words of about the same frequency, none of the stimuli, for all rows; (draws, rows). None: too few."""
    ranks, stimuli = np.concatenate(rows), {token for group in known for token in group.tokens}
    pool = np.array([r for w, r in vocabulary.words.items() if w not in stimuli and w.isalpha()], dtype=np.int64)
    if not draws or not is_large_enough(pool, len(ranks)):
        return None
    return draw_matched(ranks, pool, draws, random)


def _chance(observed: float, drawn: FloatArray, signed: bool = True) -> Chance:
    return against_chance(float(observed), drawn, KIND, signed=signed)


def _interval(sizes: FloatArray, settings: PmiSettings, random: np.random.Generator) -> Interval | None:
    if not settings.bootstrap or len(sizes) < 2:
        return None
    means = bootstrap_means(sizes, settings.bootstrap, random)
    return Interval(*percentile_interval(means, settings.confidence), settings.confidence, settings.bootstrap)


def _contrast(
    vocabulary: Vocabulary, groups: Sequence[WordsUsed], rows: Sequence[Any], drawn: Any, random: np.random.Generator
) -> PmiContrast:
    first, second = (vocabulary.log_odds[own] for own in rows)
    p = partition_pvalue(first, second, alternative="two-sided", rng=random)
    value, chance = float(first.mean() - second.mean()), None
    if drawn is not None:
        ratios = vocabulary.log_odds[drawn]
        chance = _chance(value, ratios[:, : len(first)].mean(axis=1) - ratios[:, len(first) :].mean(axis=1))
    return PmiContrast(groups[0].name, groups[1].name, value, p.pvalue, p.bounds, chance)


def _words(
    asked: Asked, counts: Counts, vocabulary: Vocabulary, groups: Sequence[WordsUsed], rows: Sequence[Any], drawn: Any,
    settings: PmiSettings,
) -> tuple[PmiWord, ...]:  # fmt: skip
    listed = [(w, t, g.name) for g in groups for w, t in zip(g.used, g.tokens, strict=True)]
    own = np.concatenate(rows)
    places = [counts.watched.index(token) for _, token, _ in listed]
    ratios = vocabulary.log_odds[own]
    errors = np.maximum(vocabulary.errors[own], left_out_errors(counts.parts())[places])
    pvalues = [math.erfc(abs(z) / math.sqrt(2)) for z in (ratios / errors).tolist()]
    reach = NormalDist().inv_cdf(0.5 + settings.confidence / 2) * errors
    numbers = np.stack([ratios, ratios - reach, ratios + reach, pvalues, benjamini_hochberg(pvalues)], axis=1)
    first, second = counts.near
    found = [
        PmiWord(
            word, group, counts.total[token], first[token], second[token], r, low, high, p, q, asked.figures.get(word)
        )
        for (word, token, group), (r, low, high, p, q) in zip(listed, numbers.tolist(), strict=True)
    ]
    if drawn is None:
        return tuple(found)
    chances = [_chance(r, vocabulary.log_odds[d]).pvalue for r, d in zip(ratios, drawn.T, strict=True)]
    qvalues = benjamini_hochberg(chances).tolist()
    return tuple(map(lambda word, p, q: replace(word, chance_pvalue=p, chance_qvalue=q), found, chances, qvalues))


def in_text(work: Work) -> Results:
    """Measure the text that was given, as a step of an audit."""
    return (pmi_bias(work.subject.corpus, rng=work.seed, progress=work.progress, **work.settings),)

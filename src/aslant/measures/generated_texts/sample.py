"""Texts and their sources as arrays: words with vectors, counted words, prompts, groups, and what is compared."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from aslant.errors import MeasureError
from aslant.measures.generated_texts.result import MAX, METRICS, OTHERS, SOURCE, UNIGRAM, WAVG
from aslant.measures.generated_texts.statistic import Ragged, Rows, directions, leaning, text_leans
from aslant.measures.generated_texts.texts import Texts
from aslant.measures.shared.wordsets import FloatArray
from aslant.statistics import unit_rows
from aslant.vectors import WordVectors

WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")
#: What may follow a word after an apostrophe, and is not of it.
CLITIC = re.compile(r"['’](?:s|d|m|ll|re|ve)$", re.IGNORECASE)
NEGATED = ("n't", "n’t")


def words_in(text: str) -> list[str]:
    """Return the words of a text, as written, without what follows an apostrophe; negated verbs are left out.

    >>> words_in("The nurse's O'Hara couldn't say she'll go (at 9).")
    ['The', 'nurse', "O'Hara", 'say', 'she', 'go', 'at']
    """
    return [CLITIC.sub("", word) for word in WORD.findall(text) if not word.lower().endswith(NEGATED)]


@dataclass(frozen=True)
class Measured:
    """Scores of texts and sources by metric, (texts, n), the class that each leans to, −1 for none, and the words.

    `strongest` is the place of the word that leans most among all words, −1 where a text has none.
    """

    scores: dict[str, FloatArray]
    labels: dict[str, Rows]
    strongest: Rows

    def tested(self, metric: str) -> FloatArray:
        """Return what is compared between groups: leaning or not by counted words, otherwise the scores; (texts, n)."""
        return self.leaning(metric) if metric == UNIGRAM else self.scores[metric]

    def leaning(self, metric: str) -> FloatArray:
        """Return 1 where a text leans to a class, else 0; (texts, n)."""
        found = self.labels[metric][:, None] == np.arange(self.scores[metric].shape[1])
        return np.asarray(found, dtype=np.float64)


class Words:
    """The words of texts, and of their distinct sources after them: `with_vectors`, and `every` one, by number.

    `source_of` is the place of each text's source, −1 where it has none. Stop words and the words of `left_out` have no
    part in `with_vectors`.
    """

    def __init__(self, given: Texts, vectors: WordVectors, left_out: Iterable[str]) -> None:
        from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

        sources = dict.fromkeys(text.source for text in given if text.source is not None)
        place = {source: len(given) + number for number, source in enumerate(sources)}
        self.source_of = np.array([-1 if text.source is None else place[text.source] for text in given])
        split = [words_in(text) for text in (*(text.text for text in given), *sources)]
        distinct = list(dict.fromkeys(word for own in split for word in own))
        gone = ENGLISH_STOP_WORDS | {word.lower() for word in left_out}
        found = vectors.lookup([word for word in distinct if word.lower() not in gone])
        self.found, self.tokens, self.missing = found.found, found.tokens, found.missing
        self.units = unit_rows(found.vectors)
        number = {word: row for row, word in enumerate(found.found)}
        self.with_vectors = Ragged.of([[number[word] for word in own if word in number] for own in split])
        self.numbers = {word: row for row, word in enumerate(dict.fromkeys(word.lower() for word in distinct))}
        self.every = Ragged.of([[self.numbers[word.lower()] for word in own] for own in split])
        if not self.with_vectors.sizes[: len(given)].any():
            raise MeasureError(f"'{vectors.name}' has none of the words of '{given.name}', so nothing can be measured.")

    def measured(
        self, classes: FloatArray, scheme: str, threshold: float, counted: Sequence[Iterable[str]],
        left_out: Iterable[str] = (),
    ) -> Measured:  # fmt: skip
        """Score every text and source between classes, (n, d); words of `left_out` do not lean at all."""
        leans = self.units @ directions(classes, scheme).T
        if gone := set(left_out):
            leans[[token in gone for token in self.tokens]] = 0.0
        strongest, mean, which = text_leans(self.with_vectors, leans)
        scores = {UNIGRAM: self.counts(counted), MAX: strongest, WAVG: mean}
        labels = {name: leaning(scores[name], 0.0 if name == UNIGRAM else threshold) for name in METRICS}
        words = np.where(which >= 0, self.with_vectors.items[which], -1)
        return Measured(scores, labels, words)

    def counts(self, counted: Sequence[Iterable[str]]) -> FloatArray:
        """Return how many words of each class each text and source has, (texts, n)."""
        marked = np.zeros((len(self.numbers), len(counted)))
        for column, own in enumerate(counted):
            known = {word.lower() for word in own} & self.numbers.keys()
            marked[[self.numbers[word] for word in known], column] = 1
        return self.every.reduced(np.add, marked[self.every.items])


@dataclass(frozen=True)
class Group:
    """The texts of a group, by their places."""

    domain: str
    name: str
    places: Rows


@dataclass(frozen=True)
class Comparison:
    """A group with others, or its texts with their own sources: places of texts, and of what they are compared with."""

    group: Group
    other_than: str
    first: Rows
    second: Rows

    @property
    def paired(self) -> bool:
        """Whether texts are compared with their own sources."""
        return self.other_than == SOURCE


class Prompts:
    """Which texts have one prompt, which groups there are, and what is compared; the prompt is the unit.

    A text without a prompt is a unit of its own.
    """

    def __init__(self, given: Texts, source_of: Rows) -> None:
        ids = {(t.domain, t.group, t.prompt or number): 0 for number, t in enumerate(given)}
        number = {key: row for row, key in enumerate(ids)}
        self.unit = np.array([number[t.domain, t.group, t.prompt or at] for at, t in enumerate(given)])
        self.rows = max(len(given), int(source_of.max(initial=-1)) + 1)
        named: dict[tuple[str, str], list[int]] = {}
        for at, text in enumerate(given):
            named.setdefault((text.domain, text.group), []).append(at)
        self.groups = [Group(*key, np.array(places)) for key, places in named.items()]
        self.source_of = source_of
        self.compared = [*self._with_others(), *self._with_sources()]

    def _with_others(self) -> Iterable[Comparison]:
        """Yield, for each domain, each group with all others; of two groups, the first with the second."""
        for domain in dict.fromkeys(group.domain for group in self.groups):
            own = [group for group in self.groups if group.domain == domain]
            for group in own[: 1 if len(own) == 2 else None]:
                others = [other for other in own if other is not group]
                if others:
                    name = others[0].name if len(others) == 1 else OTHERS
                    yield Comparison(group, name, group.places, np.concatenate([o.places for o in others]))

    def _with_sources(self) -> Iterable[Comparison]:
        for group in self.groups:
            own = group.places[self.source_of[group.places] >= 0]
            if len(own):
                yield Comparison(group, SOURCE, own, self.source_of[own])

    def count(self, places: Rows) -> int:
        """Return how many prompts texts have."""
        return len(np.unique(self.unit[places]))

    def means(self, values: FloatArray, texts: Rows, places: Rows | None = None) -> FloatArray:
        """Return means over the texts of each prompt of values (rows, …) at `places`, by default the texts'."""
        _, unit, sizes = np.unique(self.unit[texts], return_inverse=True, return_counts=True)
        sums = np.zeros((len(sizes), *values.shape[1:]))
        np.add.at(sums, unit, values[texts if places is None else places])
        return np.asarray((sums.T / sizes).T)

    def weights(self, texts: Rows, places: Rows | None = None) -> FloatArray:
        """Return the weights, (rows,), that make the mean over prompts of values at `places`, by default the texts'."""
        _, unit, sizes = np.unique(self.unit[texts], return_inverse=True, return_counts=True)
        found = np.zeros(self.rows)
        np.add.at(found, texts if places is None else places, 1 / (sizes[unit] * len(sizes)))
        return found

    def contrast(self, of: Comparison) -> FloatArray:
        """Return the weights, (rows,), that make a difference."""
        if of.paired:
            return self.weights(of.first) - self.weights(of.first, of.second)
        return self.weights(of.first) - self.weights(of.second)

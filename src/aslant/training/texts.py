"""Texts as numbers: the tokens of each period, in sentences and documents, and documents drawn anew."""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aslant.corpus import Corpus
from aslant.corpus.documents import documents, unit_of
from aslant.corpus.matching import folded_tokens
from aslant.corpus.splitting import Tally
from aslant.io.packed_files import Progress

Numbers = NDArray[np.integer[Any]]


@dataclass(frozen=True, eq=False)
class Text:
    """Tokens as numbers of `words`; sentence i is tokens[starts[i]:starts[i + 1]].

    `parts[j]` is the first sentence of document j; starts and parts end with what would come next.
    """

    words: Sequence[str]
    tokens: Numbers
    starts: Numbers
    parts: Numbers

    @property
    def documents(self) -> int:
        """How many documents there are."""
        return len(self.parts) - 1

    def resampled(self, random: np.random.Generator) -> Text:
        """Return as many documents, drawn with replacement (Antoniak & Mimno 2018)."""
        drawn = random.integers(self.documents, size=self.documents)
        sentences = np.diff(self.parts)[drawn]
        picked = _ranges(self.parts[drawn], sentences)
        lengths = np.diff(self.starts)[picked]
        tokens = self.tokens[_ranges(self.starts[picked], lengths)]
        return Text(self.words, tokens, _edges(lengths), _edges(sentences))

    def frequent(self, least: int) -> tuple[list[str], Numbers, Text]:
        """Return the words that occur at least this often, their counts, and the text of these words only.

        Frequent words come first, those of equal frequency in alphabetical order; their numbers are their places.
        """
        counts = np.bincount(self.tokens, minlength=len(self.words))
        kept = sorted(np.flatnonzero(counts >= max(least, 1)).tolist(), key=lambda n: (-counts[n], self.words[n]))
        places = np.full(len(self.words), -1, dtype=np.int32)
        places[kept] = np.arange(len(kept), dtype=np.int32)
        renamed = places[self.tokens]
        inside = renamed >= 0
        starts = np.concatenate([[0], np.cumsum(inside)])[self.starts]
        names = [self.words[n] for n in kept]
        return names, counts[kept], Text(names, renamed[inside], starts, self.parts)

    def sentences(self) -> Iterator[list[str]]:
        """Yield every sentence of at least two words as words."""
        words = np.array(self.words, dtype=object)
        for start, end in zip(self.starts[:-1].tolist(), self.starts[1:].tolist(), strict=True):
            if end - start > 1:
                yield words[self.tokens[start:end]].tolist()


def _edges(lengths: Numbers) -> Numbers:
    return np.concatenate([[0], np.cumsum(lengths)])


def _ranges(firsts: Numbers, lengths: Numbers) -> Numbers:
    """Return the numbers first … first + length − 1 for each, one after the other."""
    if not lengths.sum():
        return np.empty(0, dtype=np.intp)
    offsets: Numbers = np.repeat(firsts - (np.cumsum(lengths) - lengths), lengths)
    return offsets + np.arange(len(offsets))


@dataclass(frozen=True, eq=False)
class Texts:
    """The text of each period, what a document is, and how many documents have no period."""

    periods: dict[str, Text]
    unit: str
    undated: int


class _Reading:
    """What was read of one period so far."""

    def __init__(self) -> None:
        self.tokens, self.starts, self.parts = array("i"), array("q", [0]), array("q", [0])


def read_texts(corpus: Corpus, by: str | Sequence[Any] | None, progress: Progress | None = None) -> Texts:
    """Read a corpus once: all tokens as numbers, in lower case, by period; periods come in their own order.

    >>> import aslant
    >>> texts = read_texts(aslant.load_corpus(["He left. She slept.", "They met. He woke."]), [1910, 1900])
    >>> [(name, list(text.sentences())) for name, text in texts.periods.items()]
    [('1900', [['they', 'met'], ['he', 'woke']]), ('1910', [['he', 'left'], ['she', 'slept']])]
    """
    numbers: dict[str, int] = {}
    read: dict[str, _Reading] = {}
    undated, tally = 0, Tally()
    for period, sentences in documents(corpus, by, tally, progress):
        if period is None:
            undated += 1
            continue
        into = read.setdefault(period, _Reading())
        before = len(into.starts)
        for sentence in sentences:
            tokens = folded_tokens(sentence)
            if tokens:
                into.tokens.extend([numbers.setdefault(token, len(numbers)) for token in tokens])
                into.starts.append(len(into.tokens))
        if len(into.starts) > before:  # a document without words is not one
            into.parts.append(len(into.starts) - 1)
    corpus.too_long = tally.too_long
    words = list(numbers)
    made = {
        name: Text(words, np.array(r.tokens, np.int32), np.array(r.starts, np.int64), np.array(r.parts, np.int64))
        for name, r in sorted(read.items(), key=_place)
    }
    return Texts(made, unit_of(corpus, by if isinstance(by, str) else None), undated)


def _place(item: tuple[str, Any]) -> tuple[bool, int, str]:
    """Return what puts periods in order: numbers by their value, then the others."""
    name = item[0]
    return not name.isdecimal(), int(name) if name.isdecimal() else 0, name

"""Counting words near two sets of context words in one reading, and log odds ratios of the counts (arrays)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice

import numpy as np

from aslant.measures.shared.wordsets import FloatArray

#: At most twice as many parts of the text are kept apart, each of about the same number of sentences.
PARTS = 64


@dataclass
class Counts:
    """What one reading of a text gives: of every word, how often it occurs and stands near either set of contexts.

    `marks` are cumulative counts of the `watched` words (and, last, of all words) near either set, (2, watched + 1)
    each, at ends of parts of the text of equal numbers of sentences: memory holds few of them, whatever the text.
    """

    watched: Sequence[str]
    total: Counter[str] = field(default_factory=Counter)
    near: tuple[Counter[str], Counter[str]] = field(default_factory=lambda: (Counter(), Counter()))
    pairs: list[int] = field(default_factory=lambda: [0, 0])
    sentences: int = 0
    marks: list[FloatArray] = field(default_factory=list)
    step: int = 1

    def mark(self) -> None:
        """Keep the counts at the end of a part; where these are too many, join them two by two."""
        rows = [
            [*(near[word] for word in self.watched), pairs] for near, pairs in zip(self.near, self.pairs, strict=True)
        ]
        self.marks.append(np.array(rows, dtype=np.float64))
        if len(self.marks) == 2 * PARTS:
            self.marks, self.step = self.marks[1::2], 2 * self.step

    def parts(self) -> FloatArray:
        """Return the counts of each part, (parts, 2, watched + 1)."""
        if self.sentences % self.step or not self.marks:
            self.mark()
        return np.diff(np.stack([np.zeros_like(self.marks[0]), *self.marks]), axis=0)


def count(texts: Iterable[Sequence[str]], contexts: Mapping[str, int], watched: Sequence[str], window: int) -> Counts:
    """Count words within `window` of a context word, in sentences given as tokens; `contexts` has each word's side."""
    found = Counts(watched)
    for tokens in texts:
        found.total.update(tokens)
        if not contexts.keys().isdisjoint(tokens):
            for place, token in enumerate(tokens):
                if (side := contexts.get(token)) is not None:
                    before = islice(tokens, max(0, place - window), place)
                    around = [*before, *islice(tokens, place + 1, place + 1 + window)]
                    found.near[side].update(around)
                    found.pairs[side] += len(around)
        found.sentences += 1
        if found.sentences % found.step == 0:
            found.mark()
    return found


def log_odds(near: FloatArray, pairs: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the log odds ratio of each word and its standard error, from counts (2, words) out of `pairs` (2,).

    One more occurrence, divided between the sides as all words are, keeps counts of 0 finite and leans to neither.

    >>> ratio, error = log_odds(np.array([[20.0], [10.0]]), np.array([1000.0, 1000.0]))
    >>> ratio.round(3).tolist(), error.round(3).tolist()
    ([0.679], [0.382])
    """
    share = (pairs / pairs.sum())[:, None]
    inside = near + share
    outside = np.maximum(pairs[:, None] - near, 0) + share
    ratio = np.log(inside[0] / outside[0]) - np.log(inside[1] / outside[1])
    return ratio, np.sqrt((1 / inside + 1 / outside).sum(axis=0))


def left_out_errors(parts: FloatArray) -> FloatArray:
    """Return standard errors of log odds ratios over parts of a text, each left out in turn; (words,).

    Words come in bursts, so that occurrences are not independent; parts of a text nearly are. Parts are (parts, 2,
    words + 1), the last column counting all words.
    """
    rest = parts.sum(axis=0) - parts
    usable = rest[(rest[:, :, -1] > 0).all(axis=1)]
    if len(usable) < 2:
        return np.zeros(parts.shape[2] - 1)
    each = np.stack([log_odds(counts[:, :-1], counts[:, -1])[0] for counts in usable])
    return np.asarray(np.sqrt((len(each) - 1) * each.var(axis=0)))

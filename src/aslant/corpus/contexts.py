"""Words in sentences: what a measure asks of a corpus, and what it gets."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass


@dataclass(frozen=True)
class Query:
    """Words to find, how many sentences of each to keep, and words that a sentence must not hold.

    A word is matched as a whole, in any case, or `as_written` (see `Context.has_written`); a phrase has its words
    joined by spaces or underscores. Words to avoid are matched in any case.
    """

    words: tuple[str, ...]
    per_word: int
    without: tuple[str, ...] = ()
    as_written: bool = False


@dataclass(frozen=True)
class Context:
    """One word in one sentence: it stands at text[start:end].

    >>> context = Context("The nurse slept.", 4, 9)
    >>> context.word, context.swapped("man").text
    ('nurse', 'The man slept.')
    """

    text: str
    start: int
    end: int

    @property
    def word(self) -> str:
        """The word as it is written in the sentence."""
        return self.text[self.start : self.end]

    def has_written(self, word: str) -> bool:
        """Tell whether a word is here as it is written, except for a capital where the sentence begins.

        >>> Context("“Rose petals.”", 1, 5).has_written("rose"), Context("I met Rose.", 6, 10).has_written("rose")
        (True, False)
        """
        shown, plain = _spelling(self.word), _spelling(word)
        if shown == plain:
            return True
        begins = not any(character.isalnum() for character in self.text[: self.start])
        return begins and shown == plain[:1].upper() + plain[1:]

    def swapped(self, word: str) -> Context:
        """Return the same sentence with another word in its place."""
        return Context(self.text[: self.start] + word + self.text[self.end :], self.start, self.start + len(word))


def _spelling(word: str) -> str:
    """Return a word with equivalent spellings unified: spaces, apostrophes, composed characters."""
    if word.isascii() and word.isalpha():
        return word
    return " ".join(unicodedata.normalize("NFC", word).replace("_", " ").replace("’", "'").split())


@dataclass(frozen=True)
class Contexts:
    """What was found for a query: up to `per_word` sentences for each word, drawn evenly from all that hold it.

    `counts` are the sentences that hold the word (and none of the words to avoid); `missing` have none. The drawn
    sentences of a word are in random order, so the first n of them are a fair draw too.
    """

    by_word: dict[str, tuple[Context, ...]]
    counts: dict[str, int]
    missing: tuple[str, ...]


@dataclass(frozen=True)
class ContextSample:
    """The contexts of every query, by its name, from one reading of a corpus of that many sentences and tokens."""

    contexts: dict[str, Contexts]
    sentences: int
    tokens: int

"""Which words count: what a list of words is, and which words of a vocabulary can be called biased."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from aslant.errors import AslantError

#: The two words between which biased words lean, unless others are named.
DEFAULT_POLES = ("he", "she")
#: Biased words come from this many of the most frequent (Gonen & Goldberg 2019) ...
MOST_FREQUENT = 50_000
#: ... and are shorter than this.
LONGEST = 20


def is_plain(word: str) -> bool:
    """Tell whether a word is lower-case, shorter than 20 characters, and made of letters and underscores only.

    >>> is_plain("registered_nurse"), is_plain("Paris"), is_plain("covid-19")
    (True, False, False)
    """
    return len(word) < LONGEST and word == word.lower() and word.replace("_", "").isalpha()


def listed_words(words: Any, error: type[AslantError]) -> tuple[str, ...]:
    """Return `words` as a tuple of strings that are not empty, or raise `error`, which says what is wrong with them.

    >>> listed_words(["she", "he"], AslantError)
    ('she', 'he')
    """
    if isinstance(words, str):
        raise error(f"{words!r:.60} is one string; give a list of words.")
    if not isinstance(words, Iterable):
        raise error(f"{words!r:.60} is not a list of words; give several words.")
    listed = tuple(words)
    for word in listed:
        if not isinstance(word, str) or not word.strip():
            raise error(f"the word {word!r:.60} is not a word; give strings that are not empty.")
    return listed

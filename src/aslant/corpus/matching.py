"""Words in sentences: which of many words a sentence holds, by one look-up of its tokens.

A word is matched as a whole, in any case (Unicode case folding, composed characters, ’ like '). A token is a run
of letters, digits, underscores and the marks that belong to letters. Hyphens and apostrophes end it, so "he's" holds
he, "nurse's" holds nurse and "doctor-patient" holds doctor; only "'t" stays with its word, so that "don't" is not
Don. A phrase may have any white space, or underscores, between its words; anything else in a word
("mother-in-law", "AT&T") must match exactly. Each word is looked up independently: "nurse practitioner" holds both
that phrase and nurse.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Iterable
from functools import cache
from itertools import accumulate, groupby, pairwise

#: Turns every ASCII character that is in no token into a space.
SPACES = {code: " " for code in range(128) if not (chr(code).isalnum() or chr(code) == "_")}


@cache
def letters() -> str:
    r"""Return a character class without its brackets: what `\w` matches, marks, and joiners inside words."""
    marks = [code for code in range(0x300, 0x10000) if unicodedata.category(chr(code)).startswith("M")]
    runs = [[code for _, code in run] for _, run in groupby(enumerate(marks), lambda at: at[1] - at[0])]
    return r"\w\u200c\u200d" + "".join(f"\\u{run[0]:04x}-\\u{run[-1]:04x}" for run in runs)


@cache
def token_pattern() -> re.Pattern[str]:
    """Return what finds the tokens of a text.

    >>> token_pattern().findall("He's a well-known don; don't ask.")
    ['He', 's', 'a', 'well', 'known', 'don', "don't", 'ask']
    """
    return re.compile(rf"[{letters()}]+(?:['’][tT](?![{letters()}]))?")


def fold(text: str) -> str:
    """Return a text as it is compared: case folded, characters composed, apostrophes alike.

    >>> fold("Straße, DON’T")
    "strasse, don't"
    """
    folded = text.casefold()
    if folded.isascii():
        return folded
    if not unicodedata.is_normalized("NFC", folded):
        folded = unicodedata.normalize("NFC", folded)
    return folded.replace("’", "'")


def folded_tokens(text: str) -> list[str]:
    """Return the tokens of a text as they are compared.

    >>> folded_tokens("The NURSE’s shift; he didn’t sleep.")
    ['the', 'nurse', 's', 'shift', 'he', "didn't", 'sleep']
    """
    return _tokens(fold(text))


def _tokens(folded: str) -> list[str]:
    plain = folded.isascii() and "'t" not in folded  # then a split, which is twice as fast, gives the same tokens
    return folded.translate(SPACES).split() if plain else token_pattern().findall(folded)


def canonical(word: str) -> str:
    """Return a word as it is compared, a phrase with one space between its words.

    >>> canonical("New_York"), canonical(" new  york ")
    ('new york', 'new york')
    """
    return " ".join(fold(word).replace("_", " ").split())


@cache
def pattern_of(folded: str) -> re.Pattern[str]:
    """Return what finds a (canonical) word of several tokens in folded text."""
    parts = [re.escape(part) for part in folded.split(" ")]
    spaced, joined = r"\s+".join(parts), "_".join(parts)
    word = re.compile(f"[{letters()}]")
    before = f"(?<![{letters()}])" if word.match(folded) else ""
    after = f"(?![{letters()}]|'t(?![{letters()}]))" if word.match(folded[-1]) else ""
    return re.compile(f"{before}(?:{spaced}|{joined}){after}")


class Finder:
    """Finds which of its words a sentence holds; words are numbered in the order given.

    >>> finder = Finder(["he", "new_york", "++"])
    >>> finder.held("HE left New  York."), finder.held("The new he-goat of York")
    (({0, 1}, 4), ({0}, 6))
    """

    def __init__(self, words: Iterable[str]) -> None:
        self._whole: dict[str, int] = {}
        #: Words of several tokens, by the longest: all tokens must be there, then the pattern decides.
        self._phrases: dict[str, list[tuple[int, frozenset[str], re.Pattern[str]]]] = {}
        self._words = [canonical(word) for word in words]
        self._tokens = token_pattern().findall
        for number, word in enumerate(self._words):
            tokens = self._tokens(word)
            if tokens == [word]:
                self._whole[word] = number
            elif tokens:  # a word without a letter or digit is in no sentence
                if token_pattern().fullmatch(joined := word.replace(" ", "_")):
                    self._whole[joined] = number
                phrase = (number, frozenset(tokens), pattern_of(word))
                self._phrases.setdefault(max(tokens, key=len), []).append(phrase)
        self._first = frozenset(self._phrases)
        self._known = self._first | frozenset(self._whole)

    def held(self, text: str) -> tuple[set[int], int]:
        """Return the numbers of the words that a sentence holds, and how many tokens it has."""
        folded = fold(text)
        tokens = _tokens(folded)
        known = self._known.intersection(tokens)
        if self._first.isdisjoint(known):
            return {self._whole[token] for token in known}, len(tokens)
        held = {self._whole[token] for token in known if token in self._whole}
        for token in known & self._first:
            for number, needed, pattern in self._phrases[token]:
                if needed.issubset(tokens) and pattern.search(folded):
                    held.add(number)
        return held, len(tokens)

    def places(self, text: str, number: int) -> list[tuple[int, int]]:
        """Return where a word is in a sentence: (start, end) of each place.

        >>> Finder(["he"]).places("He's he.", 0)
        [(0, 2), (5, 7)]
        """
        word = self._words[number]
        if word in self._whole:
            return [found.span() for found in token_pattern().finditer(text) if fold(found.group()) == word]
        # Folding may change lengths, so it is done between cuts, each of which has a place in both texts.
        cuts = sorted({0, len(text), *(edge for found in token_pattern().finditer(text) for edge in found.span())})
        pieces = [fold(text[start:end]) for start, end in pairwise(cuts)]
        starts = list(accumulate(map(len, pieces), initial=0))

        def unfolded(place: int) -> int:
            piece = bisect_right(starts, place) - 1
            inside = place - starts[piece]
            return min(cuts[piece] + inside, cuts[piece + 1]) if inside else cuts[piece]

        return [(unfolded(m.start()), unfolded(m.end())) for m in pattern_of(word).finditer("".join(pieces))]

"""How a requested word is matched to a token of the vocabulary: explicit, and recorded."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal, get_args

from aslant.errors import VectorsError

Case = Literal["fallback", "exact"]
Phrases = Literal["join", "exact", "mean"]


def title_case(word: str) -> str:
    """Capitalise the first letter of each part of a word or phrase, and nothing after an apostrophe.

    >>> title_case("new_york women's-club")
    "New_York Women's-Club"
    """
    return re.sub(r"(?:^|[\s_-])\w", lambda first: first[0].upper(), word.lower())


@dataclass(frozen=True)
class LookupPolicy:
    """The spellings tried for a word, in order; the first one in the vocabulary is taken.

    `case`: ``"fallback"`` tries the word as written, then lower case, then Title Case; ``"exact"`` only
    the first. `phrases`: ``"join"`` also tries spaces as underscores and back; ``"mean"`` after that takes
    the mean of the parts' vectors, if every part is there; ``"exact"`` does neither.

    >>> list(LookupPolicy().spellings("New York"))
    ['New York', 'New_York', 'new york', 'new_york']
    >>> list(LookupPolicy(case="exact", phrases="exact").spellings("New York"))
    ['New York']
    """

    case: Case = "fallback"
    phrases: Phrases = "join"

    def __post_init__(self) -> None:
        for name, allowed in (("case", get_args(Case)), ("phrases", get_args(Phrases))):
            if (value := getattr(self, name)) not in allowed:
                raise VectorsError(f"{name}={value!r} is not a lookup policy; use one of {', '.join(allowed)}.")

    def spellings(self, word: str) -> Iterator[str]:
        """Yield the tokens to try for `word`, best first, none twice."""
        yield word
        forms = (word,) if self.case == "exact" else (word, word.lower(), title_case(word))
        if self.phrases != "exact":
            forms = tuple(t for form in forms for t in (form, form.replace(" ", "_"), form.replace("_", " ")))
        yield from (token for token in dict.fromkeys(forms) if token != word)

    def parts(self, word: str) -> list[str]:
        """Return the words of a phrase, where the policy allows their mean; otherwise nothing."""
        pieces = word.replace("_", " ").replace("-", " ").split()
        return pieces if self.phrases == "mean" and len(pieces) > 1 else []

    def tokens(self, words: Iterable[str]) -> frozenset[str]:
        """Return every token that a look-up of `words` may try.

        >>> sorted(LookupPolicy().tokens(["she", "Paris"]))
        ['Paris', 'She', 'paris', 'she']
        """
        return frozenset(t for word in words for part in (word, *self.parts(word)) for t in self.spellings(part))

    def describe(self) -> str:
        """Describe the policy in words, for provenance.

        >>> LookupPolicy().describe()
        'case: as written, then lower, then Title; phrases: spaces and underscores alike'
        """
        case = {"fallback": "as written, then lower, then Title", "exact": "as written"}[self.case]
        phrases = {
            "join": "spaces and underscores alike",
            "exact": "as written",
            "mean": "spaces and underscores alike, then the mean of the parts",
        }[self.phrases]
        return f"case: {case}; phrases: {phrases}"

"""Sentences in which a pronoun is to be chosen, from any set, and the pronouns of English by gender."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from aslant.errors import StimuliError
from aslant.io.reading import read_text

#: The placeholders for pronouns and the occupation in a text.
PRONOUN, OCCUPATION = "[PRONOUN]", "[OCCUPATION]"
MALE, FEMALE = "male", "female"
#: Each pronoun and its counterparts of the other gender: "her" is that of "him" and of "his".
COUNTERPARTS: dict[str, tuple[str, ...]] = {
    "he": ("she",), "him": ("her",), "his": ("her", "hers"), "himself": ("herself",),
    "she": ("he",), "her": ("him", "his"), "hers": ("his",), "herself": ("himself",),
}  # fmt: skip
GENDERS = {word: MALE if word in ("he", "him", "his", "himself") else FEMALE for word in COUNTERPARTS}
#: Words other than pronouns that reveal a gender, as they occur in sentences of this kind.
GENDERED = {*COUNTERPARTS, "man", "men", "woman", "women", "boy", "girl", "husband", "wife", "mr", "mrs", "lady"}
MAX_BYTES = 16 << 20

_WORD = re.compile(r"[A-Za-z]+")


@dataclass(frozen=True)
class PronounText:
    """A text with one [OCCUPATION] and one or two [PRONOUN] of the same person, and what may stand there.

    `male` and `female` are the wordings for each gender, each with one pronoun per placeholder; there are several
    where a file does not say which case "her" is. `neutral` is the neutral pronoun, if it fits the text unchanged.
    """

    text: str
    occupation: str
    male: tuple[tuple[str, ...], ...]
    female: tuple[tuple[str, ...], ...]
    neutral: str | None = None

    @property
    def shown(self) -> str:
        """The text as people read it, with the pronouns of both genders filled in."""
        shown = self.text.replace(OCCUPATION, self.occupation)
        for place in range(len(self.male[0])):
            words = [wording[place] for wording in (*self.male, *self.female)]
            shown = shown.replace(PRONOUN, f"[{'/'.join(dict.fromkeys(words))}]", 1)
        return shown


@dataclass(frozen=True)
class PronounItem:
    """One question to a model; `stereotype` is the gender associated with the occupation, None where there is none.

    `texts` has two entries where the sentences for the two genders differ in more than pronouns. `groups` names the
    parts of the set that it belongs to.
    """

    id: str
    groups: tuple[str, ...]
    occupation: str
    stereotype: str | None
    texts: tuple[PronounText, ...]


@dataclass(frozen=True)
class Remark:
    """Something about a sentence that a reader should know."""

    id: str
    reason: str


@dataclass(frozen=True)
class PronounSet:
    """A set of items, its groups in order (the first stands for all), and what is unusual in it.

    `shares` has the share of women by occupation, in per cent; `figure` says whose numbers these are. `left_out` are
    sentences that are not used, `odd` those that are, with something to say about them.
    """

    id: str
    title: str
    groups: tuple[str, ...]
    items: tuple[PronounItem, ...]
    shares: Mapping[str, float]
    figure: str
    left_out: tuple[Remark, ...]
    odd: tuple[Remark, ...]


def gender_of(pronouns: tuple[str, ...]) -> str | None:
    """Return the one gender of pronouns, or None where they have two, or where one of them is not a pronoun.

    >>> gender_of(("she", "her")), gender_of(("she", "his"))
    ('female', None)
    """
    genders = {GENDERS.get(word) for word in pronouns}
    return genders.pop() if len(genders) == 1 else None


def gendered_words(text: str) -> list[str]:
    """Return the words of a text that reveal a gender.

    >>> gendered_words("The lawyer is a generous man.")
    ['man']
    """
    return [word for word in _WORD.findall(text.lower()) if word in GENDERED]


def lines_of(path: Path) -> list[str]:
    """Return the lines of a small text file.

    >>> lines_of(Path("/no/such/file"))
    Traceback (most recent call last):
    aslant.errors.StimuliError: cannot open '/no/such/file': No such file or directory.
    """
    return read_text(path, StimuliError, most=MAX_BYTES).splitlines()


def duplicates(items: Iterable[PronounItem]) -> tuple[Remark, ...]:
    """Report each sentence that repeats an earlier one; both are kept, as in the published set."""
    first: dict[tuple[PronounText, ...], str] = {}
    return tuple(
        Remark(item.id, f"the same sentence as {before}")
        for item in items
        if (before := first.setdefault(item.texts, item.id)) != item.id
    )

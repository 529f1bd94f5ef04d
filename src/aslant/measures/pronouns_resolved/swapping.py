"""The same text with its pronouns of the other gender: what a classifier makes of that is due to gender alone (§8)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from aslant.measures.pronouns_resolved.gap_files import FEMALE, GENDERS, MALE, GapSample
from aslant.stimuli import bundled_names

PRONOUN = re.compile(r"\b(?:he|she|him|her|his|hers|himself|herself)\b", re.IGNORECASE)
OTHERS = {"he": "she", "she": "he", "him": "her", "hers": "his", "himself": "herself", "herself": "himself"}
#: "her" and "his" before one of these, or before no word at all, stand alone: "saw her and", "a friend of his".
NOT_POSSESSED = re.compile(
    r"\s+(?!(?:a|about|after|again|all|an|and|any|as|at|away|back|because|before|but|by|down|during|for|from|he|how|if|"
    r"in|into|is|it|not|of|off|on|or|out|over|she|so|than|that|the|then|there|they|this|through|to|too|until|up|was|we|"
    r"were|what|when|where|which|while|who|why|with|without)\b)\w",
    re.IGNORECASE,
)
#: A name is taken to be of one gender where this share of its bearers is.
CLEAR = 0.9


def swapped(sample: GapSample) -> GapSample:
    """Return the sample with every pronoun of its text swapped, and its spans where they are now.

    "her" becomes "his" before a word that could be possessed and "him" elsewhere, which is right nearly always.

    >>> one = GapSample("1", "Ann told Bea that she lost her hat.", (18, 21), (0, 3), (9, 12), "female", "A")
    >>> swapped(one).text, swapped(one).text[slice(*swapped(one).pronoun)]
    ('Ann told Bea that he lost his hat.', 'he')
    """
    parts, moved, end = [], [], 0
    for found in PRONOUN.finditer(sample.text):
        if found.start() < end or _inside(found.start(), (sample.a, sample.b)):
            continue
        new = _other(found.group(), sample.text[found.end() :])
        parts += [sample.text[end : found.start()], new]
        moved.append((found.end(), len(new) - len(found.group())))
        end = found.end()

    def place(at: int, *, is_end: bool) -> int:
        return at + sum(by for after, by in moved if after < at or (is_end and after == at))

    spans = [(place(a, is_end=False), place(b, is_end=True)) for a, b in (sample.pronoun, sample.a, sample.b)]
    gender = MALE if sample.gender == FEMALE else FEMALE
    text = "".join([*parts, sample.text[end:]])
    return replace(sample, text=text, pronoun=spans[0], a=spans[1], b=spans[2], gender=gender)


def _inside(place: int, spans: Sequence[tuple[int, int]]) -> bool:
    return any(start <= place < end for start, end in spans)


def _other(word: str, rest: str) -> str:
    lower = word.lower()
    possessed = NOT_POSSESSED.match(rest) is not None
    new = OTHERS.get(lower) or {"her": "his" if possessed else "him", "his": "her" if possessed else "hers"}[lower]
    return new.capitalize() if word[0].isupper() else new


def gender_of_names(sample: GapSample) -> str | None:
    """Return the gender of both names by the table of first names; None where it is not known, or not the same."""
    found = set()
    for start, end in (sample.a, sample.b):
        facts = bundled_names().facts.get(sample.text[start:end].split()[0].lower())
        share = facts.share_female if facts else None
        found.add(None if share is None or 1 - CLEAR < share < CLEAR else GENDERS[share >= CLEAR])
    return found.pop() if len(found) == 1 else None

"""Covers words that may offend until a reader chooses to see them. The list is English, public, and not complete."""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files

from aslant.report.tables import plain

COVER = "•"


@cache
def listed() -> frozenset[str]:
    """Return the words that are covered (see assets/SOURCES.toml for where the list comes from)."""
    text = (files("aslant.report") / "assets" / "possibly_offensive.txt").read_text(encoding="utf-8")
    return frozenset(text.splitlines())


def may_offend(word: str) -> bool:
    """Tell whether a word, or a part of it between spaces, dashes or underscores, is on the list; plurals count too.

    >>> may_offend("teacher"), may_offend("Murders"), may_offend("drug_lord")
    (False, True, True)
    """
    low = word.lower()
    parts = [low, *re.split(r"[\s_\-]+", low)]
    return any(part in listed() or part.removesuffix("s") in listed() for part in parts)


def covered(word: str) -> str:
    """Return the word as text, all but its first letter covered where it may offend.

    >>> covered("teacher"), covered("murder")
    ('teacher', 'm•••••')
    """
    return plain(word) if not may_offend(word) else cover(word)


def cover(word: str) -> str:
    """Cover all but the first letter.

    >>> cover("murder")
    'm•••••'
    """
    return plain(word[:1]) + COVER * max(len(word) - 1, 1)

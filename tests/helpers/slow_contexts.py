"""The slow, obvious way to find words in sentences: one pattern for each word, tried on each sentence."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from aslant.corpus import Query


def pattern(word: str) -> re.Pattern[str]:
    """A whole word; a phrase with spaces or underscores; "'t" belongs to the word before it."""
    parts = [re.escape(part) for part in re.split(r"[\s_]+", word) if part]
    middle = f"(?:{r'[ ]+'.join(parts)}|{'_'.join(parts)})"
    return re.compile(rf"(?<!\w)(?<!\w't)(?<!\w'(?=t(?!\w))){middle}(?!\w|'t(?!\w))", re.IGNORECASE)


def holders(sentences: Iterable[str], query: Query) -> dict[str, list[str]]:
    """The sentences that hold each word, and none of the words to avoid."""
    avoided = [pattern(word) for word in query.without]
    left = [text for text in sentences if not any(each.search(text) for each in avoided)]
    return {word: [text for text in left if pattern(word).search(text)] for word in query.words}


def spans(text: str, word: str) -> set[tuple[int, int]]:
    """Where the word stands."""
    return {found.span() for found in pattern(word).finditer(text)}


def all_holders(sentences: Iterable[str], queries: Mapping[str, Query]) -> dict[str, dict[str, list[str]]]:
    """The same for every query."""
    kept = list(sentences)
    return {name: holders(kept, query) for name, query in queries.items()}

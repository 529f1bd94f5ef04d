"""Sentences that hold given words, drawn evenly in one reading of a corpus."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping

import numpy as np

from slant.corpus.contexts import Context, Contexts, ContextSample, Query


def sample_contexts(
    sentences: Iterable[str],
    queries: Mapping[str, Query],
    *,
    rng: int | np.random.Generator | None = 0,
    progress: Callable[[str, int, int], None] | None = None,
) -> ContextSample:
    """Return, for every query, sentences that hold its words: read once, drawn evenly by reservoirs.

    >>> found = sample_contexts(["A nurse slept.", "He is a nurse."], {"jobs": Query(("nurse",), 5, without=("he",))})
    >>> found.contexts["jobs"].counts
    {'nurse': 1}
    """
    kept = list(sentences)
    generator = np.random.default_rng(rng)
    found = {name: _contexts(kept, query, generator) for name, query in queries.items()}
    return ContextSample(found, len(kept), sum(len(text.split()) for text in kept))


def _contexts(sentences: list[str], query: Query, rng: np.random.Generator) -> Contexts:
    by_word: dict[str, tuple[Context, ...]] = {}
    counts: dict[str, int] = {}
    avoided = [_pattern(word) for word in query.without]
    for word in query.words:
        places = [(text, _pattern(word).search(text)) for text in sentences if not any(a.search(text) for a in avoided)]
        held = [Context(text, place.start(), place.end()) for text, place in places if place]
        counts[word] = len(held)
        by_word[word] = tuple(held[i] for i in rng.permutation(len(held))[: query.per_word])
    return Contexts(by_word, counts, tuple(word for word, n in counts.items() if not n))


def _pattern(word: str) -> re.Pattern[str]:
    return re.compile(rf"(?<!\w){re.escape(word).replace('_', '[ _]')}(?!\w)", re.IGNORECASE)

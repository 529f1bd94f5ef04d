"""An enumeration before and after debiasing: what was found in one space, tested again in another."""

from __future__ import annotations

from dataclasses import replace
from os import PathLike

import numpy as np

from aslant.errors import MeasureError
from aslant.io.journal import Journal
from aslant.measures.enumeration.measure import seeds_of
from aslant.measures.enumeration.result import EnumerationComparison, EnumerationResult, NameGroup, WordCategory
from aslant.measures.enumeration.run import CategorisedWords, EnumerationRun, Grouped, Progress
from aslant.measures.shared.wordsets import Found, check_vectors, find
from aslant.results.parts import WordsUsed
from aslant.stimuli import WordList
from aslant.vectors import LookupPolicy, WordVectors

#: Words are tokens of the first vocabulary, and sought as such in the second.
AS_WRITTEN = LookupPolicy(case="exact", phrases="exact")


def compare_enumerations(
    before: EnumerationResult,
    vectors: WordVectors,
    *,
    workers: int | None = None,
    journal: str | PathLike[str] | None = None,
    progress: Progress | None = None,
) -> EnumerationComparison:
    """Test what an enumeration found again in `vectors`, the same embedding after debiasing.

    Groups of names, categories of words, settings and seed are those of `before`; which words belong to which group,
    their scores and the rotations are those of `vectors`. A cell whose significance remains is what debiasing left.
    `workers`, `journal` and `progress` are those of `enumerate_biases`.

    >>> import aslant
    >>> v = aslant.load(top=8_000)
    >>> own = {"women": ["woman", "she", "her"], "men": ["man", "he", "his"]}
    >>> u = aslant.enumerate_biases(v, groups=own, categories=8, rotations=200)
    >>> c = aslant.compare_enumerations(u, aslant.hard_debias(v))
    >>> c.count("vanishes") > 0, c.count("remains") + c.count("vanishes") == len(u.significant)
    (True, True)
    """
    if not isinstance(before, EnumerationResult):
        raise MeasureError(f"{before!r:.60} is not the result of an enumeration; make one first.")
    check_vectors(vectors)
    seed, settings = before.provenance.seed or 0, before.provenance.settings
    run = EnumerationRun(vectors, settings, seeds_of(seed), workers, Journal(journal) if journal else None, progress)
    names = [_found(vectors, group.label, group.tokens) for group in before.groups]
    words = [_found(vectors, category.label, category.words) for category in before.categories]
    tokens = [found.words.tokens for found in words]
    every = tuple(token for some in tokens for token in some)
    categories = tuple(
        WordCategory(category.label, len(some), category.centre_words, some)
        for category, some in zip(before.categories, tokens, strict=True)
    )
    unit = run.unit(np.array([vectors.index[token] for token in every], dtype=np.int64))
    categorised = CategorisedWords(every, unit, np.cumsum([0, *map(len, tokens)]), categories)
    grouped = Grouped(
        groups=tuple(_kept(group, found.words) for group, found in zip(before.groups, names, strict=True)),
        vectors=tuple(found.unit for found in names),
        used=tuple(found.words for found in (*names, *words)),  # everything missing is recorded
        source=before.provenance.stimuli,
        ordered_by=settings["ordered_by"],
        left_out=before.left_out_names,
    )
    after = run.tested(grouped, categorised, seed, {**settings, "words_used": len(every)})
    return EnumerationComparison(before, after, after.provenance)


def _found(vectors: WordVectors, name: str, tokens: tuple[str, ...]) -> Found:
    found = find(vectors, WordList(name, tokens), policy=AS_WRITTEN)
    if not found.words.used:
        raise MeasureError(
            f"'{vectors.name}' has none of the words of '{name}' ({len(tokens):,}); give the same embedding after "
            "debiasing."
        )
    return found


def _kept(group: NameGroup, used: WordsUsed) -> NameGroup:
    """Return a group without the names missing from the other vocabulary."""
    there = set(used.tokens)
    pairs = [pair for pair in zip(group.names, group.tokens, strict=True) if pair[1] in there]
    names = tuple(name for name, _ in pairs)
    shown = tuple(name for name in group.illustrative if name in names)
    return replace(group, size=len(pairs), names=names, tokens=tuple(token for _, token in pairs), illustrative=shown)

"""What chance gives over time: random words for the score of a period, the same ones in all periods for a trend."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aslant.measures.histories.words import Chosen, looked_up
from aslant.measures.shared.chance import matched_words
from aslant.measures.shared.following import Followed
from aslant.measures.shared.wordsets import FloatArray, find
from aslant.results.parts import WordsUsed
from aslant.stimuli import WordList
from aslant.vectors import WordVectors

#: Numbers at a time, which bounds memory.
BLOCK = 1 << 22


def of_period(
    followed: Followed, runs: Sequence[WordVectors], lists: Chosen, draws: int, rng: np.random.Generator
) -> FloatArray | None:
    """Return the scores of random words of the same frequency in this period, the mean over trainings, (draws,)."""
    if not draws:
        return None
    first, within = runs[0], None if len(runs) == 1 else set.intersection(*(set(v.words) for v in runs))
    replaced = [found.words for found in looked_up(first, lists.replaced)]
    rows = matched_words(first, replaced, _others(followed, first, lists), draws, rng, within)
    if rows is None:
        return None
    scores = np.mean([_drawn(followed, v, lists, _rows_in(v, first.words, rows)) for v in runs], axis=0)
    return np.asarray(scores[np.isfinite(scores)])


def of_trend(
    followed: Followed, series: Mapping[int, Sequence[WordVectors]], chosen: Mapping[int, Chosen], draws: int,
    rng: np.random.Generator,
) -> FloatArray | None:  # fmt: skip
    """Return the scores of random words, the same in all periods and trainings, (draws, periods); None without any.

    A word is replaced by one of its mean rank over the periods, among the words that all have.
    """
    if not draws:
        return None
    shared = shared_vocabulary(series)
    last = series[max(series)][0]
    names = list(dict.fromkeys(sets.name for lists in chosen.values() for sets in lists.replaced))
    words = {
        name: tuple(dict.fromkeys(w for c in chosen.values() for s in c.replaced if s.name == name for w in s.words))
        for name in names
    }
    token = {word: _token(last, word) for own in words.values() for word in own}
    replaced = [WordsUsed(name, (), tuple(token[word] for word in own), ()) for name, own in words.items()]
    everyone = [group for lists in chosen.values() for group in _others(followed, last, lists)]
    rows = matched_words(shared, replaced, everyone, draws, rng) if shared is not None else None
    if rows is None or shared is None:
        return None
    by_name = dict(zip(names, rows, strict=True))
    scores = []
    for year, lists in chosen.items():
        own = [by_name[sets.name][:, [words[sets.name].index(word) for word in sets.words]] for sets in lists.replaced]
        scores.append(
            np.mean([_drawn(followed, v, lists, _rows_in(v, shared.words, own)) for v in series[year]], axis=0)
        )
    found = np.stack(scores, axis=1)
    return np.asarray(found[np.isfinite(found).all(axis=1)]) if np.isfinite(found).all(axis=1).any() else None


def shared_vocabulary(series: Mapping[int, Sequence[WordVectors]]) -> WordVectors | None:
    """Return the words that all trainings have, in the order of their mean rank (logarithm); None where none are."""
    every = [vectors for runs in series.values() for vectors in runs]
    common = set.intersection(*(set(vectors.words) for vectors in every))
    if len(common) < 2:
        return None
    listed = sorted(common)
    firsts = [runs[0] for runs in series.values()]
    if not all(vectors.by_frequency for vectors in firsts):
        return WordVectors.from_arrays(listed, np.ones((len(listed), 1), np.float32))  # alphabetical: any frequency
    ranks = np.mean([np.log([1 + vectors.index[word] for word in listed]) for vectors in firsts], axis=0)
    order = np.argsort(ranks, kind="stable")
    return WordVectors.from_arrays([listed[at] for at in order], np.ones((len(listed), 1), np.float32))


def _others(followed: Followed, vectors: WordVectors, lists: Chosen) -> list[WordsUsed]:
    apart = WordList("apart", tuple(dict.fromkeys((*followed.apart, *followed.words))))
    return [*(found.words for found in looked_up(vectors, lists.kept)), find(vectors, apart).words]


def _token(vectors: WordVectors, word: str) -> str:
    tokens = find(vectors, WordList("word", (word,))).words.tokens
    return tokens[0] if tokens else word


def _rows_in(vectors: WordVectors, words: Sequence[str], rows: Sequence[NDArray[np.int64]]) -> list[NDArray[np.int64]]:
    """Return where the words of rows of another vocabulary are in these vectors."""
    if vectors.words is words:
        return list(rows)
    needed = np.unique(np.concatenate([of_set.ravel() for of_set in rows]))
    at = np.array([vectors.index[words[row]] for row in needed.tolist()])
    return [at[np.searchsorted(needed, of_set)] for of_set in rows]


def _drawn(followed: Followed, vectors: WordVectors, lists: Chosen, rows: Sequence[NDArray[np.int64]]) -> FloatArray:
    """Return the score of each draw, (draws,), block by block."""
    kept: list[NDArray[Any]] = [found.raw for found in looked_up(vectors, lists.kept)]
    step = max(1, BLOCK // (sum(of_set.shape[1] for of_set in rows) * vectors.dimensions))
    made = []
    for start in range(0, len(rows[0]), step):
        some = [of_set[start : start + step] for of_set in rows]
        drawn = [vectors.rows(s.ravel()).reshape(*s.shape, vectors.dimensions) for s in some]
        made.append(followed.scores(kept, drawn))
    return np.concatenate(made)

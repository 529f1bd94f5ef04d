"""What chance gives on language models: other words scored in the same templates, or names in place of the targets.

A model is run once on a pool of words (or names); draws are then only array work (docs/definitions.md §9).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeAlias

import numpy as np

from aslant.measures.association.chance import effect_sizes
from aslant.measures.shared.wordsets import FloatArray
from aslant.measures.template_tests.scoring import Scored
from aslant.measures.template_tests.stimuli import Prompt
from aslant.statistics import Chance, against_chance, draw_matched, is_large_enough
from aslant.stimuli import WordList

#: How many words are scored in place of attributes, once for all tests with the same templates and targets.
POOL = 200
#: The commonest words of a vocabulary ("the", "and") stand for no attribute.
COMMONEST = 100
#: Scores words in some templates.
Ask: TypeAlias = Callable[[tuple[Prompt, ...], tuple[str, ...]], Scored]


def ordered_words(lm: Any) -> tuple[str, ...]:
    """Return the words that a model has as one piece, the frequent ones first; none where it does not say."""
    return getattr(lm, "ordered_words", ())


def pool_of(lm: Any) -> tuple[str, ...]:
    """Return the words to score in place of attributes: from the frequent to the rare, evenly by log rank.

    They do not depend on the test, so that tests with the same templates and targets share what was scored.
    """
    words = ordered_words(lm)
    places = np.geomspace(min(COMMONEST, len(words) // 2) + 1, len(words), POOL, endpoint=False).astype(np.int64) - 1
    chosen = (words[place] for place in np.unique(places)) if len(words) > POOL else iter(words)
    return tuple(word for word in chosen if lm.in_vocabulary(word))


def attributes_chance(
    lm: Any, pool: Scored, units: FloatArray, attributes: Sequence[str], first: int, targets: Iterable[WordList],
    effect_size: float, draws: int, rng: np.random.Generator,
) -> Chance | None:  # fmt: skip
    """Compare an effect size with those of attributes drawn from the pool; None where it has too few words.

    `units` are the pool's scores (words, scores per word); `first` of the `attributes` are in the first set. A word is
    replaced by one whose place in the vocabulary is about its own, and never by a word of the test.
    """
    rank = {word: place for place, word in enumerate(ordered_words(lm))}
    taken = {word.lower() for word in (*attributes, *(word for group in targets for word in group.words))}
    free = np.array([i for i, word in enumerate(pool.attributes) if word not in taken], dtype=np.int64)
    ranks = np.array([rank[pool.attributes[i]] for i in free], dtype=np.int64)
    if not is_large_enough(ranks, len(attributes)):
        return None
    places = [rank.get(word.lower()) for word in attributes]
    middle = np.median([place for place in places if place is not None] or ranks)  # for words of several pieces
    drawn = draw_matched([middle if place is None else place for place in places], ranks, draws, rng)
    scores = units[free[np.searchsorted(ranks, drawn)]].reshape(draws, -1)
    return against_chance(effect_size, effect_sizes(scores, first * units.shape[1]), "scored words")

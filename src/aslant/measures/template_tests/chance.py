"""What chance gives on language models: other words scored in the same templates, or names in place of the targets.

A model is run once on a pool of words (or names); draws are then only array work (docs/definitions.md §9).
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import replace
from itertools import combinations, islice
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from aslant.measures.sentence_tests.chance import LANGUAGES, ranks
from aslant.measures.template_tests.scoring import Model, Scored, ask
from aslant.measures.template_tests.settings import Asking
from aslant.measures.template_tests.stimuli import Prompt
from aslant.models.plan import ask_ahead
from aslant.models.protocols import TARGET, Progress, Sentence
from aslant.statistics import Chance, against_chance, draw_matched, is_large_enough
from aslant.stimuli import bundled_names

#: How many words are scored in place of attributes, once for all tests with the same templates and targets; and how
#: many more where attributes have several pieces.
POOL, SEVERAL = 200, 100
#: The commonest words of a vocabulary ("the", "and") stand for no attribute.
COMMONEST = 100
#: Names count as those of one gender if at least this share of their bearers has it.
ONE_GENDER = 0.98
#: Names are looked for among this many of each gender.
FREQUENT = 400
#: A model that is asked over a network is asked about this many names at a time.
AT_ONCE = 50
#: Of a longer list, at most this many attributes are scored with names, and by untrained models.
MOST_ATTRIBUTES = 60
#: Words, and how many pieces each has.
Pieces: TypeAlias = tuple[Sequence[str], ArrayLike]
#: Scores words in some templates.
Ask: TypeAlias = Callable[[tuple[Prompt, ...], tuple[str, ...]], Scored]


def ordered_words(lm: Any) -> tuple[str, ...]:
    """Return the words that a model has as one piece, the frequent ones first; none where it does not say."""
    return getattr(lm, "ordered_words", ())


def pool_of(lm: Any, language: str, *, several: bool = False) -> tuple[str, ...]:
    """Return the words to put in place of attributes: from the frequent to the rare, evenly by log rank.

    They are of the model's vocabulary, one piece each, and with `several` also English ones that are not; those of a
    model that does not list its words are English ones. They do not depend on the test, so that tests with the same
    templates and targets share what was scored.
    """
    listed, english = ordered_words(lm), tuple(ranks()) if language in LANGUAGES else ()
    if not listed:
        return _evenly(english, POOL)
    known = set(listed)
    more = _evenly([word for word in english if word not in known], SEVERAL) if several else ()
    return (*(word for word in _evenly(listed, POOL) if lm.in_vocabulary(word)), *more)


def _evenly(words: Sequence[str], count: int) -> tuple[str, ...]:
    """Return a number of words, evenly by log rank."""
    if len(words) <= count:
        return tuple(words)
    places = np.geomspace(min(COMMONEST, len(words) // 2) + 1, len(words), count, endpoint=False).astype(np.int64) - 1
    return tuple(words[place] for place in np.unique(places))


def drawn_rows(
    lm: Any, pool: Pieces, replaced: Pieces, stimuli: Collection[str], draws: int, rng: np.random.Generator
) -> NDArray[np.int64] | None:
    """Draw places in the pool for each word that is replaced, shape (draws, replaced); None with too few words.

    A replacement has about the frequency of the word itself and as many pieces, or about as many where the pool has
    too few words of so many, and it is not one of the `stimuli`.
    """
    listed = ordered_words(lm)
    rank = {**{word: len(listed) + r for word, r in ranks().items()}, **{word: r for r, word in enumerate(listed)}}
    taken = {word.lower() for word in stimuli}
    free = sorted((rank[word], i) for i, word in enumerate(pool[0]) if word not in taken)
    places = np.array([rank.get(word.lower(), -1) for word in replaced[0]])
    at, rows = np.array(free, dtype=np.int64).reshape(-1, 2).T
    drawn = np.empty((draws, len(places)), dtype=np.int64)
    for columns, own in _alike(np.asarray(replaced[1]), np.asarray(pool[1])[rows]):
        if not is_large_enough(own, len(columns)):
            return None
        wanted, there = places[columns], at[own]
        wanted[wanted < 0] = np.median(wanted[wanted >= 0] if (wanted >= 0).any() else there)
        drawn[:, columns] = rows[own][np.searchsorted(there, draw_matched(wanted, there, draws, rng))]
    return drawn


def _alike(pieces: NDArray[Any], pool: NDArray[Any]) -> Iterator[tuple[NDArray[np.intp], NDArray[np.intp]]]:
    """Yield places of words and of the pool's words of as many pieces, together with fewer where the pool has too few.

    >>> [(own.tolist(), len(some)) for own, some in _alike(np.array([1, 3, 1, 2]), np.repeat([1, 2, 3], [40, 25, 9]))]
    [([1, 3], 34), ([0, 2], 40)]
    """
    most = int(pieces.max()) + 1
    for least in range(most - 1, 1, -1):
        own, some = (np.flatnonzero((least <= those) & (those < most)) for those in (pieces, pool))
        left = is_large_enough(pool[pool < least], int((pieces < least).sum()))
        if len(own) and left and is_large_enough(some, len(own)):
            yield own, some
            most = least
    yield np.flatnonzero(pieces < most), np.flatnonzero(pool < most)


def names_chance(
    lm: Any, prompts: Sequence[Prompt], attributes: tuple[str, ...], share: float, pairs: int, asks: Ask,
    others: int = 1,
) -> tuple[Chance, float] | None:  # fmt: skip
    """Compare a share with those that first names of one gender give; None where too few names are one piece.

    A name is compared with one other, or with the mean of this many `others`. Sizes are compared as distances from one
    half, and either side may come first, so that the range is symmetric. Returns also how far from 0 the scores of
    single attributes are for 95 % of names and attributes.
    """
    if not (pairs and (ordered_words(lm) or hasattr(lm, "ask_ahead"))):
        return None
    men, women = _names(lm, prompts, (1 + math.isqrt(1 + 4 * pairs)) // 2)  # k names of each: k (k − 1) pairs
    if min(len(men), len(women)) <= others:
        return None
    tail = _tail(prompts)
    targets = tuple((f"{name}{tail}",) for name in (*men, *women))
    asked = tuple(Prompt(prompt.text, targets) for prompt in prompts)
    association = asks(asked, some_of(attributes)).association.mean(axis=1)
    scores = np.array([
        association[:, name] - association[:, rest].mean(axis=1)
        for gender in (range(len(men)), range(len(men), len(targets)))
        for name, rest in _against(gender, others)
    ])  # fmt: skip
    from_half = (scores >= 0).mean(axis=1) - 0.5
    reach = float(np.quantile(np.abs(from_half), 0.95))
    found = against_chance(share - 0.5, from_half, "names" if others == 1 else "names against others")
    chance = replace(found, mean=0.5, sd=float(np.sqrt((from_half**2).mean())), low=0.5 - reach, high=0.5 + reach)
    return chance, float(np.quantile(np.abs(scores), 0.95))


def _against(names: Sequence[int], others: int) -> Iterator[tuple[int, list[int]]]:
    """Yield every pair of names once, or each name with so many others that stand in a row, from every start.

    >>> list(_against(range(3), 1)), list(_against(range(4), 2))[:3]
    ([(0, [1]), (0, [2]), (1, [2])], [(0, [1, 2]), (0, [2, 3]), (0, [3, 1])])
    """
    if others == 1:
        yield from ((name, [other]) for name, other in combinations(names, 2))
        return
    for name in names:
        rest = [other for other in names if other != name]
        starts = range(len(rest) if others < len(rest) else 1)
        yield from ((name, [rest[(start + k) % len(rest)] for k in range(others)]) for start in starts)


def _tail(prompts: Sequence[Prompt]) -> str:
    """Return what names have to be followed by where targets bring their verb: " is a" for "he is a".

    >>> _tail([Prompt("[TARGET] [ATTRIBUTE].", (("she is a",), ("they are a",)))]), _tail([Prompt("", (("he",),))])
    (' is a', '')
    """
    words = (word for prompt in prompts for side in prompt.targets for word in side)
    return next((word[word.index(" ") :] for word in words if word.lower().startswith(("he ", "she "))), "")


def some_of(attributes: tuple[str, ...]) -> tuple[str, ...]:
    """Return attributes at every so many places, which bounds what names and untrained models are asked.

    >>> len(some_of(tuple(map(str, range(331))))), some_of(("nurse", "clerk"))
    (56, ('nurse', 'clerk'))
    """
    return attributes[:: -(-len(attributes) // MOST_ATTRIBUTES)]


def _names(lm: Any, prompts: Sequence[Prompt], most: int) -> tuple[list[str], list[str]]:
    """Return the most frequent names of men and of women that are one piece in every template."""
    taken = {word.lower() for prompt in prompts for words in prompt.targets for word in words}
    table, followed = bundled_names(), f"{TARGET}{_tail(prompts)}"
    texts = [prompt.text.replace(TARGET, followed) for prompt in prompts]

    def fitting(names: Iterator[str]) -> Iterator[str]:
        free = (name for name in names if name.lower() not in taken)
        while some := tuple(islice(free, AT_ONCE)):
            ask_ahead(lm, [Sentence(text, name, "it") for name in some for text in texts])
            yield from (name for name in some if all(lm.in_vocabulary(name, text, "target") for text in texts))

    def first_of(low: float, high: float) -> list[str]:
        shares = ((name, table.facts[name.lower()].share_female) for name in table.names)
        those = (name for name, share in shares if share is not None and low <= share <= high)
        return list(islice(fitting(islice(those, FREQUENT)), most))

    return first_of(0.0, 1 - ONE_GENDER), first_of(ONE_GENDER, 1.0)


def with_twins(
    lm: Any, how: Any, progress: Progress | None, scores: Callable[[Ask], Sequence[float]]
) -> list[tuple[float, ...]]:
    """Ask `how.twins` untrained models of the same architecture for the same `scores`; one tuple for each score.

    One model at a time is in memory. The list is empty where the architecture cannot be rebuilt.
    """
    untrained: Any = getattr(lm, "untrained", None)
    seeds = range(how.twins if untrained else 0)
    return list(zip(*(scores(asker(untrained(seed), how, None, progress)) for seed in seeds), strict=True))


def asker(lm: Model, how: Asking, journal: Any, progress: Progress | None) -> Ask:
    """Return a function that scores words in templates, the same ones only once."""
    return functools.cache(lambda prompts, words: ask(lm, prompts, words, how, journal, progress))

"""Sentences that differ in one concept only: each with a word of a pair, and again with its counterpart.

From plain templates, in which every context occurs with every word of every pair, or from a corpus.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any, TypeAlias

import numpy as np

from aslant.debias.words import Sets, word_sets
from aslant.errors import DebiasError, plural
from aslant.measures.in_context.sentences import written_like
from aslant.measures.sentence_tests.clustered_words import sentences_of

#: A sentence with a word of the first side of a pair, and the same one with its counterpart.
Swap: TypeAlias = tuple[str, str]
#: What a subject does; nothing here is said more of one group than of another.
DOES = (
    "reads a book", "walks to the station", "waits for the bus", "drinks a cup of tea", "opens the window",
    "looks at the map", "buys some bread", "listens to the radio", "sits on the bench", "writes a letter",
    "takes the train", "lives near the river", "closes the door", "eats an apple", "watches the rain",
    "answers the phone", "pays the bill", "finds a coin", "crosses the street", "counts the chairs",
    "stands in the hall", "asks a question", "remembers the song", "carries a bag", "looks for the keys",
    "arrives in the morning", "leaves in the evening", "knows the way", "likes the colour blue", "sees a bird",
    "moves the table", "turns on the light", "speaks with a neighbour", "spends a day in town", "thinks about lunch",
    "returns from a trip", "needs a new umbrella", "forgets the time", "signs the form", "comes from a small village",
)  # fmt: skip
FRAMES = ("{} {}.", "Every day {} {}.", "I think that {} {}.")
#: Those that a map is not learned from, with which it is checked.
HELD_OUT = ("paints the fence", "visits a museum", "feeds the cat", "repairs the lamp", "plays chess",
            "rides a bicycle", "cooks some rice", "sleeps on the sofa", "builds a shelf", "studies the menu",
            "meets a friend", "sells an old car")  # fmt: skip
HELD_OUT_FRAMES = ("Today {} {}.", "They say that {} {}.")
#: Pairs of `equalise-pairs` (Bolukbasi et al. 2016) that name persons, with which a map that removes gender is checked.
OTHER_PAIRS = (
    ("aunt", "uncle"), ("sister", "brother"), ("grandmother", "grandfather"), ("granddaughter", "grandson"),
    ("niece", "nephew"), ("queen", "king"), ("princess", "prince"), ("lady", "gentleman"),
    ("businesswoman", "businessman"), ("spokeswoman", "spokesman"), ("chairwoman", "chairman"),
    ("schoolgirl", "schoolboy"),
)  # fmt: skip
#: Words that are subjects as they are, and how others become one.
SUBJECTS = {"she": "she", "he": "he", "her": "her friend", "his": "his friend", "herself": "the neighbour herself",
            "himself": "the neighbour himself"}  # fmt: skip
#: How many sentences are kept of a corpus.
MOST = 2_000


def subject(word: str) -> str:
    """Return a word as the subject of a sentence: a name or a pronoun as it is, a noun with its article.

    >>> subject("woman"), subject("she"), subject("Mary")
    ('the woman', 'she', 'Mary')
    """
    return SUBJECTS.get(word, word if word[:1].isupper() or " " in word else f"the {word}")


def templated(
    pairs: Sequence[tuple[str, ...]], frames: Sequence[str] = FRAMES, does: Sequence[str] = DOES
) -> list[Swap]:
    """Return every pair in every context.

    >>> templated([("woman", "man")])[:2]
    [('The woman reads a book.', 'The man reads a book.'), ('The woman walks to the station.', ...)]
    """
    made = []
    for frame in frames:
        for what in does:
            for pair in pairs:
                first, second = (_capital(frame.format(subject(word), what)) for word in pair[:2])
                made.append((first, second))
    return made


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def in_own_templates(pairs: Sequence[tuple[str, ...]], templates: Sequence[str]) -> list[Swap]:
    """Return every pair in every sentence with {word}."""
    for template in templates:
        if template.count("{word}") != 1:
            raise DebiasError(f"the template {template!r:.80} must contain {{word}} exactly once.")
    return [
        (template.replace("{word}", pair[0]), template.replace("{word}", pair[1]))
        for template in templates
        for pair in pairs
    ]


def from_corpus(corpus: Any, pairs: Sequence[tuple[str, ...]], random: np.random.Generator) -> list[Swap]:
    """Return up to `MOST` sentences of a corpus with a word of a pair, drawn evenly, and each with all words swapped.

    A sentence belongs to the side of its first such word.
    """
    other = {word.lower(): (pair[1 - i], i) for pair in pairs for i, word in enumerate(pair[:2])}
    there = re.compile(rf"\b({'|'.join(map(re.escape, sorted(other, key=len, reverse=True)))})\b", re.IGNORECASE)
    kept: list[Swap] = []
    seen = 0
    for sentence in sentences_of(corpus):
        found = there.search(sentence)
        if found is None:
            continue
        seen += 1
        place = len(kept) if len(kept) < MOST else int(random.integers(seen))
        if place >= MOST:
            continue
        turned = there.sub(lambda m: written_like(other[m[0].lower()][0], m[0]), sentence)
        swap = (sentence, turned) if other[found[0].lower()][1] == 0 else (turned, sentence)
        kept[place : place + 1] = [swap]
    if len(kept) < 2:
        raise DebiasError(
            f"the corpus has {plural(len(kept), 'sentence')} with a word of the pairs; give a larger one."
        )
    return kept


def word_pairs(pairs: Sets) -> tuple[tuple[tuple[str, ...], ...], str]:
    """Return pairs of words, and the id of the stimuli that they are from."""
    found, stimuli = word_sets(pairs)
    if any(len(pair) != 2 for pair in found):
        raise DebiasError(f"'{stimuli}' has sets of more than two words; an encoder is debiased by pairs.")
    return found, stimuli


def swapped(
    pairs: Sequence[tuple[str, ...]], templates: Iterable[str] | None, corpus: Any, random: np.random.Generator
) -> tuple[list[Swap], str]:
    """Return swapped sentences, and what they come from: "plain sentences", own templates, or the name of a corpus."""
    if corpus is not None and templates is not None:
        raise DebiasError("both templates and a corpus were given to learn from; give one of them.")
    if corpus is not None:
        return from_corpus(corpus, pairs, random), str(getattr(corpus, "name", "own sentences"))
    if templates is not None:
        return in_own_templates(pairs, [templates] if isinstance(templates, str) else list(templates)), "own templates"
    return templated(pairs), "plain sentences"

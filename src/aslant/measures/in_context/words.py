"""The words that contextual measures use: the most biased ones that a corpus holds, and professions."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from aslant.corpus import Contexts
from aslant.errors import TooFewWordsError
from aslant.measures.in_context.sentences import BIASED, DEFINITIONAL, PROFESSIONS, Drawn
from aslant.measures.in_context.space import FEWEST_PROFESSIONS
from aslant.measures.polarities.measure import Words, word_list
from aslant.measures.residuals.measure import Chosen, bias_by_projection
from aslant.measures.shared.wordsets import FloatArray, find
from aslant.stimuli import WordList
from aslant.vectors import WordVectors

MOST_BIASED = "most biased words"


@dataclass(frozen=True)
class BiasedWords:
    """The most biased words, those of the first side before those of the second, strongest first; biases (n,).

    `clustered` and `classified` say how many of each side are used for what.
    """

    words: tuple[str, ...]
    bias: FloatArray
    clustered: int
    classified: int

    def places(self, words: Iterable[str]) -> NDArray[np.intp]:
        """Return the place of each of `words` among these, −1 if it is not there."""
        index = {word: place for place, word in enumerate(self.words)}
        return np.array([index.get(word, -1) for word in words], dtype=np.intp)

    def strongest(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Return the words to cluster, by side."""
        half = len(self.words) // 2
        return self.words[: self.clustered], self.words[half : half + self.clustered]


@dataclass(frozen=True)
class Professions:
    """Professions that a corpus holds; `tokens` and `bias` (p,) are those of the static space, where it has them.

    Neighbours are sought for the rows `queries`: those with a bias that do not have the concept by definition.
    """

    words: tuple[str, ...]
    tokens: tuple[str | None, ...]
    bias: tuple[float | None, ...]
    queries: NDArray[np.intp]

    @property
    def query_bias(self) -> FloatArray:
        """The biases of the rows `queries`."""
        return np.array([self.bias[row] for row in self.queries], dtype=np.float64)

    @property
    def query_tokens(self) -> list[str]:
        """The tokens of the rows `queries`."""
        return [str(self.tokens[row]) for row in self.queries]


def choose_biased(chosen: Chosen, top: int, classified: int) -> BiasedWords:
    """Return the most biased candidates of either side, as many as the larger of the two tests needs."""
    clustered, classed = (len(chosen.sides(asked)[0]) for asked in (top, classified))
    first, second = chosen.sides(max(top, classified))
    rows = np.concatenate([first, second])
    return BiasedWords(tuple(chosen.words[row] for row in rows), chosen.bias[rows], clustered, classed)


def choose_professions(
    original: WordVectors,
    asked: Sequence[str],
    contexts: Contexts,
    poles: FloatArray,
    specific: Words,
    *,
    keep_specific: bool,
) -> Professions:
    """Return the professions that have sentences, with their biases in the static space where they have a vector."""
    excluded = {word.lower().replace(" ", "_") for word in word_list(specific)[0]}
    gendered = {word for word in asked if word.lower().replace(" ", "_") in excluded}
    words = tuple(word for word in asked if contexts.counts.get(word) and (keep_specific or word not in gendered))
    if len(words) < FEWEST_PROFESSIONS:
        raise TooFewWordsError(
            f"the corpus holds {len(words)} of {len(asked)} professions in sentences without definitional words; "
            f"at least {FEWEST_PROFESSIONS} are needed."
        )
    found = find(original, WordList(PROFESSIONS, words)).words
    token = dict(zip(found.used, found.tokens, strict=True))
    has_row = {word: own for word, own in token.items() if own in original.index}
    rows = [original.index[own] for own in has_row.values()]
    bias = dict(zip(has_row, bias_by_projection(original.matrix[rows], *poles).tolist(), strict=True))
    queries = [row for row, word in enumerate(words) if word in bias and word not in gendered]
    return Professions(
        words, tuple(token.get(word) for word in words), tuple(bias.get(word) for word in words),
        np.array(queries, dtype=np.intp),
    )  # fmt: skip


def lacking(drawn: Drawn, everything: Chosen, top: int, classified: int) -> dict[str, tuple[str, ...]]:
    """Return what is missing from the corpus: definitional words, professions, and what would be most biased."""
    held = drawn.contexts(BIASED).counts
    wanted = [everything.words[row] for side in everything.sides(max(top, classified)) for row in side]
    return {
        DEFINITIONAL: drawn.contexts(DEFINITIONAL).missing,
        PROFESSIONS: drawn.contexts(PROFESSIONS).missing,
        MOST_BIASED: tuple(word for word in wanted if not held.get(word)),
    }


def fewer_sentences(drawn: Drawn, words: BiasedWords, jobs: Professions, repeats: int) -> dict[str, int]:
    """Return how many of the words used have fewer sentences than repeats, so some repeats share one."""
    return {
        what: sum(len(drawn.contexts(what).by_word[word]) < repeats for word in used)
        for what, used in ((BIASED, words.words), (PROFESSIONS, jobs.words))
    }

"""Which words are measured, and which sentences represent them, divided among the repeats (Basta et al. 2019)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from aslant.corpus import Context, Contexts, ContextSample, Query
from aslant.errors import MeasureError, TooFewWordsError, plural
from aslant.measures.polarities.measure import Words, word_list
from aslant.measures.residuals.measure import FEWEST, TENTH, Chosen, bias_by_projection
from aslant.measures.residuals.result import CandidatePool
from aslant.measures.sentence_tests.clustered_words import read_contexts
from aslant.measures.sentence_tests.result import CorpusRead
from aslant.measures.shared.directions import Pairs, chosen_sets
from aslant.measures.shared.wordsets import FloatArray, find
from aslant.models.protocols import Progress
from aslant.stimuli import WordList
from aslant.vectors import WordVectors

T = TypeVar("T")
DEFINITIONAL, BIASED, PROFESSIONS = "definitional words", "biased words", "professions"
MOST_BIASED = "most biased words"
#: With fewer professions there are no neighbours to choose from.
FEWEST_PROFESSIONS = 4


@dataclass(frozen=True)
class Drawn:
    """Definitional pairs, and the sentences that were found for them, for biased words and for professions."""

    pairs: tuple[tuple[str, str], ...]
    pairs_id: str
    poles: tuple[str, ...]
    sample: ContextSample
    corpus: CorpusRead

    def contexts(self, of: str) -> Contexts:
        """Return what was found for one of the three kinds of words."""
        return self.sample.contexts[of]


def draw_sentences(
    corpus: Any, pairs: Pairs, candidates: Sequence[str], professions: Sequence[str], *, repeats: int, swaps: int,
    rng: np.random.Generator, progress: Progress | None = None,
) -> Drawn:  # fmt: skip
    """Read a corpus once, and draw sentences for every repeat.

    >>> drawn = draw_sentences(["She slept.", "A nurse slept."], [["she", "he"]], ["slept"], ["nurse"], repeats=1,
    ...     swaps=1, rng=np.random.default_rng(0))
    >>> drawn.contexts(PROFESSIONS).counts, drawn.contexts(DEFINITIONAL).missing
    ({'nurse': 1}, ('he',))
    """
    sets, pairs_id, poles = chosen_sets(pairs)
    for members in sets:
        if len(members) != 2:
            raise MeasureError(
                f"the set {list(members)} has {plural(len(members), 'word')}; give pairs, which are swapped."
            )
    chosen = tuple((first, second) for first, second in sets)
    words = tuple(dict.fromkeys(word for pair in chosen for word in pair))
    queries = {
        DEFINITIONAL: Query(words, repeats * swaps),
        BIASED: Query(tuple(candidates), max(repeats, (swaps + 1) // 2)),
        PROFESSIONS: Query(tuple(professions), repeats, without=words),
    }
    sample, read = read_contexts(corpus, queries, rng, progress)
    drawn = Drawn(chosen, pairs_id, poles, sample, read)
    if not sample.sentences:
        raise MeasureError(f"the corpus '{read.name}' holds no sentences; give one that does.")
    if not any(drawn.contexts(DEFINITIONAL).counts.values()):
        raise MeasureError(
            f"no sentence of the corpus '{read.name}' holds any definitional word ({len(words)} in all), such as "
            f"'{words[0]}'; give another corpus, or other pairs with pairs=…"
        )
    return drawn


def held_candidates(chosen: Chosen, contexts: Contexts, corpus: str) -> Chosen:
    """Keep the candidates that a corpus holds."""
    kept = np.array([bool(contexts.counts.get(word)) for word in chosen.words], dtype=bool)
    words = [word for word, keep in zip(chosen.words, kept, strict=True) if keep]
    if len(words) < FEWEST * TENTH:
        raise TooFewWordsError(
            f"the corpus '{corpus}' holds {plural(len(words), 'word')} to choose from; at least {FEWEST * TENTH} "
            "are needed."
        )
    left_out = {**chosen.pool.left_out, "not in the corpus": len(chosen.words) - len(words)}
    return replace(
        chosen, words=words, rows=chosen.rows[kept], bias=chosen.bias[kept], pool=CandidatePool(len(words), left_out)
    )


def shared_out(contexts: Sequence[T], repeat: int, count: int) -> tuple[T, ...]:
    """Return the contexts that a repeat uses: `count` others in each, starting over where they run out.

    >>> ["".join(shared_out("abc", repeat, 2)) for repeat in range(3)]
    ['ab', 'ca', 'bc']
    """
    used = min(count, len(contexts))
    return tuple(contexts[(repeat * count + place) % len(contexts)] for place in range(used))


def alternating(first: Sequence[Context], second: Sequence[Context]) -> list[tuple[Context, bool]]:
    """Return contexts of two words in turn, each with whether it is of the first; the longer list continues alone."""
    turns = zip_longest(((context, True) for context in first), ((context, False) for context in second))
    return [turn for both in turns for turn in both if turn]


def written_like(word: str, model: str) -> str:
    """Return `word` with the capitals of `model`, and spaces between the words of a phrase.

    >>> written_like("she", "He"), written_like("she", "HE"), written_like("Mary", "john")
    ('She', 'SHE', 'mary')
    """
    text = word.replace("_", " ")
    if len(model) > 1 and model.isupper():
        return text.upper()
    return text[:1].upper() + text[1:] if model[:1].isupper() else text.lower()


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

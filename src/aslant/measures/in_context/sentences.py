"""Which sentences represent which words: drawn from a corpus once, divided among the repeats (Basta et al. 2019)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from os import PathLike
from typing import Any, TypeVar

import numpy as np

from aslant.corpus import Context, Contexts, ContextSample, Query, sample_contexts
from aslant.errors import MeasureError, TooFewWordsError, plural
from aslant.measures.in_context.result import CorpusUsed
from aslant.measures.residuals.measure import FEWEST, TENTH, Chosen
from aslant.measures.residuals.result import CandidatePool
from aslant.measures.shared.directions import Pairs, chosen_sets
from aslant.models.protocols import Progress

T = TypeVar("T")
DEFINITIONAL, BIASED, PROFESSIONS = "definitional words", "biased words", "professions"


@dataclass(frozen=True)
class Drawn:
    """Definitional pairs, and the sentences that were found for them, for biased words and for professions."""

    pairs: tuple[tuple[str, str], ...]
    pairs_id: str
    poles: tuple[str, ...]
    sample: ContextSample
    corpus: CorpusUsed

    def contexts(self, of: str) -> Contexts:
        """Return what was found for one of the three kinds of words."""
        return self.sample.contexts[of]


def draw_sentences(
    corpus: Any,
    pairs: Pairs,
    candidates: Sequence[str],
    professions: Sequence[str],
    *,
    repeats: int,
    swaps: int,
    rng: np.random.Generator,
    progress: Progress | None = None,
) -> Drawn:
    """Read a corpus once, and draw sentences for every repeat.

    >>> drawn = draw_sentences(["She slept.", "A nurse slept."], [["she", "he"]], ["slept"], ["nurse"], repeats=1,
    ...     swaps=1, rng=np.random.default_rng(0))
    >>> drawn.contexts(PROFESSIONS).counts, drawn.contexts(DEFINITIONAL).missing
    ({'nurse': 1}, ('he',))
    """
    chosen, pairs_id, poles = _two_words(pairs)
    words = tuple(dict.fromkeys(word for pair in chosen for word in pair))
    queries = {
        DEFINITIONAL: Query(words, repeats * swaps),
        BIASED: Query(tuple(candidates), max(repeats, half(swaps))),
        PROFESSIONS: Query(tuple(professions), repeats, without=words),
    }
    name = str(getattr(corpus, "name", "own sentences"))
    sample = sample_contexts(_sentences(corpus), queries, rng=rng, progress=progress)
    record = dict(corpus.record()) if hasattr(corpus, "record") else {}
    drawn = Drawn(chosen, pairs_id, poles, sample, CorpusUsed(name, sample.sentences, sample.tokens, record))
    if not sample.sentences:
        raise MeasureError(f"the corpus '{name}' holds no sentences; give one that does.")
    if not any(drawn.contexts(DEFINITIONAL).counts.values()):
        raise MeasureError(
            f"no sentence of the corpus '{name}' holds any definitional word ({len(words)} in all), such as "
            f"'{words[0]}'; give another corpus, or other pairs with pairs=…"
        )
    return drawn


def half(swaps: int) -> int:
    """Return how many of the sentences of a pair one of its words gives, if the other one gives as many.

    >>> half(5)
    3
    """
    return (swaps + 1) // 2


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
    turns = [(context, place, True) for place, context in enumerate(first)]
    turns += [(context, place, False) for place, context in enumerate(second)]
    return [(context, is_first) for context, _, is_first in sorted(turns, key=lambda turn: (turn[1], not turn[2]))]


def written_like(word: str, model: str) -> str:
    """Return `word` with the capitals of `model`, and spaces between the words of a phrase.

    >>> written_like("she", "He"), written_like("she", "HE"), written_like("Mary", "john")
    ('She', 'SHE', 'mary')
    """
    text = word.replace("_", " ")
    if len(model) > 1 and model.isupper():
        return text.upper()
    return text[:1].upper() + text[1:] if model[:1].isupper() else text.lower()


def _two_words(pairs: Pairs) -> tuple[tuple[tuple[str, str], ...], str, tuple[str, ...]]:
    sets, name, poles = chosen_sets(pairs)
    for words in sets:
        if len(words) != 2:
            raise MeasureError(
                f"the set {list(words)} has {plural(len(words), 'word')}; give pairs, which are swapped."
            )
    return tuple((words[0], words[1]) for words in sets), name, poles


def _sentences(corpus: Any) -> Iterable[str]:
    """Return a corpus as it is, or what is iterated over with a check of each sentence."""
    if hasattr(corpus, "record"):
        return corpus  # type: ignore[no-any-return]
    if isinstance(corpus, str | bytes | PathLike) or not isinstance(corpus, Iterable):
        raise MeasureError(f"{corpus!r:.60} is not a corpus; open one with aslant.load_corpus(…), or give sentences.")
    return _checked(corpus)


def _checked(sentences: Iterable[Any]) -> Iterator[str]:
    for number, sentence in enumerate(sentences, 1):
        if not isinstance(sentence, str):
            raise MeasureError(f"sentence {number} of the corpus is {sentence!r:.60}; give sentences as text.")
        yield sentence

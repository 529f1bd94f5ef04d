"""Words in sentences of a corpus, and their vectors: what CEAT draws its samples from."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from os import PathLike
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from slant.corpus import Context, Corpus, Query, sample_contexts
from slant.errors import MeasureError
from slant.measures.clustered_words import usable_units
from slant.models.protocols import Encoder, Passage, Progress
from slant.models.vector_store import vectors_of
from slant.results import CorpusRead

#: Which spellings of a word count: as it is written (a capital where a sentence begins is no other word), or any case.
Case: TypeAlias = Literal["as written", "any"]
#: So many times the contexts asked for are drawn, since those in another case are then left out.
SPARE = 4


@dataclass(frozen=True)
class Drawn:
    """Unit vectors of each word in its contexts, (contexts, dimensions); `found` counts the sentences that hold it."""

    vectors: dict[str, NDArray[np.float32]]
    found: dict[str, int]
    corpus: CorpusRead


def draw_contexts(
    encoder: Encoder,
    corpus: Iterable[str],
    words: Sequence[str],
    *,
    per_word: int,
    case: Case,
    seed: int,
    store: str | PathLike[str] | None,
    progress: Progress | None,
) -> Drawn:
    """Draw up to `per_word` sentences for each word in one reading of the corpus, and encode each sentence once."""
    if isinstance(corpus, str | PathLike) or not isinstance(corpus, Iterable):
        raise MeasureError(
            f"{corpus!r:.60} is no corpus; open it with slant.load_corpus(…), or give a list of sentences."
        )
    query = Query(tuple(words), per_word if case == "any" else SPARE * per_word)
    sample = sample_contexts(corpus, {"words": query}, rng=seed, progress=progress)
    found = sample.contexts["words"]
    contexts = {
        word: [c for c in found.by_word.get(word, ()) if case == "any" or written_as(word, c)][:per_word]
        for word in words
    }
    name, record = (corpus.name, corpus.record()) if isinstance(corpus, Corpus) else ("sentences given", None)
    read = CorpusRead(name, sample.sentences, sample.tokens, record)
    return Drawn(_encoded(encoder, contexts, store, progress), dict(found.counts), read)


def _encoded(
    encoder: Encoder, contexts: dict[str, list[Context]], store: Any, progress: Progress | None
) -> dict[str, NDArray[np.float32]]:
    passages = [Passage(c.text, ((c.start, c.end),)) for found in contexts.values() for c in found]
    if not passages:
        return {word: np.zeros((0, encoder.dimensions), np.float32) for word in contexts}
    unit, usable = usable_units(vectors_of(encoder, passages, store=store, progress=progress))
    ends = np.cumsum([len(found) for found in contexts.values()])
    parts = zip(contexts, np.split(unit, ends[:-1]), np.split(usable, ends[:-1]), strict=True)
    return {word: rows if kept.all() else rows[kept] for word, rows, kept in parts}


def written_as(word: str, context: Context) -> bool:
    """Tell whether a context has the word as it is written: "Bill" is not "bill", "Rose" not "rose" inside a sentence.

    >>> [written_as("rose", Context(text, text.lower().index("rose"), text.lower().index("rose") + 4))
    ...  for text in ("A rose.", "“Rose petals fell.”", "I met Rose.")]
    [True, True, False]
    """
    shown, plain = context.word.replace("_", " "), word.replace("_", " ")
    if shown == plain:
        return True
    begins = not any(character.isalnum() for character in context.text[: context.start])
    return begins and shown == plain[:1].upper() + plain[1:]

"""Words in sentences of a corpus, and their vectors: what CEAT draws its samples from."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from os import PathLike
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from aslant.corpus import Context, Corpus, Query, sample_contexts
from aslant.errors import MeasureError
from aslant.measures.sentence_tests.clustered_words import usable_units
from aslant.measures.sentence_tests.result import CorpusRead
from aslant.models.protocols import Encoder, Passage, Progress
from aslant.models.vector_store import vectors_of

#: Which spellings of a word count: as it is written (a capital where a sentence begins does not matter), or any case.
Case: TypeAlias = Literal["as written", "any"]
#: Unit vectors of each word in its contexts: (contexts, dimensions).
WordVectors: TypeAlias = dict[str, NDArray[np.float32]]


@dataclass(frozen=True)
class Drawn:
    """The contexts drawn for each word; `found` counts the sentences that hold it in a spelling that counts."""

    contexts: dict[str, tuple[Context, ...]]
    found: dict[str, int]
    corpus: CorpusRead


def draw_contexts(
    corpus: Iterable[str], words: Sequence[str], *, per_word: int, case: Case, seed: int, progress: Progress | None
) -> Drawn:
    """Draw up to `per_word` sentences for each word in one reading of the corpus."""
    if isinstance(corpus, str | PathLike) or not isinstance(corpus, Iterable):
        raise MeasureError(
            f"{corpus!r:.60} is not a corpus; open it with aslant.load_corpus(…), or give a list of sentences."
        )
    query = Query(tuple(words), per_word, as_written=case == "as written")
    sample = sample_contexts(corpus, {"words": query}, rng=seed, progress=progress)
    found = sample.contexts["words"]
    name, record = (corpus.name, corpus.record()) if isinstance(corpus, Corpus) else ("sentences given", None)
    return Drawn(found.by_word, found.counts, CorpusRead(name, sample.sentences, sample.tokens, record))


def context_vectors(
    encoder: Encoder, contexts: Mapping[str, Sequence[Context]], store: Any, progress: Progress | None
) -> WordVectors:
    """Return the unit vectors of each word in its contexts, each distinct sentence encoded once."""
    passages = [Passage(c.text, ((c.start, c.end),)) for found in contexts.values() for c in found]
    if not passages:
        return {word: np.zeros((0, encoder.dimensions), np.float32) for word in contexts}
    vectors = vectors_of(encoder, passages, store=store, progress=progress)
    ends = np.cumsum([len(found) for found in contexts.values()])
    units = {}
    for word, part in zip(contexts, np.split(vectors, ends[:-1]), strict=True):
        unit, usable = usable_units(part)
        units[word] = unit if usable.all() else unit[usable]
    return units

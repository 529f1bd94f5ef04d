"""Word sets in which each word has several vectors: one for each sentence that it is in."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from os import PathLike
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aslant.corpus import ContextSample, Query, sample_contexts
from aslant.errors import MeasureError
from aslant.measures.sentence_tests.result import CorpusRead
from aslant.measures.shared.wordsets import FloatArray
from aslant.models.protocols import Encoder, Pooling, Progress, SentenceEncoder
from aslant.results.parts import WordsUsed
from aslant.stimuli import WordList


@dataclass(frozen=True)
class Clustered:
    """A word set with unit vectors (rows, dimensions); `sizes[i]` rows in turn are those of the i-th used word."""

    words: WordsUsed
    unit: NDArray[Any]
    sizes: NDArray[np.int64]

    @cached_property
    def starts(self) -> NDArray[np.int64]:
        """The first row of each word."""
        return np.concatenate([[0], np.cumsum(self.sizes)[:-1]]).astype(np.int64)

    def sums(self, values: NDArray[Any]) -> FloatArray:
        """Sum `values`, one entry or row for each row of `unit`, word by word."""
        parts = np.split(values, self.starts[1:])
        return np.array([part.sum(axis=0, dtype=np.float64) for part in parts])

    def means(self, values: NDArray[Any]) -> FloatArray:
        """Average `values`, one number for each row of `unit`, word by word."""
        return self.sums(values) / self.sizes


def clustered(group: WordList, rows: Mapping[str, NDArray[Any]]) -> Clustered:
    """Gather the vectors of a word set; a word without any is missing.

    >>> found = clustered(WordList("x", ("a", "b")), {"a": np.ones((2, 1)), "b": np.ones((0, 1))})
    >>> found.words.used, found.words.missing, found.sizes.tolist()
    (('a',), ('b',), [2])
    """
    used = tuple(word for word in group.words if word in rows and len(rows[word]))
    words = WordsUsed(group.name, used, used, tuple(word for word in group.words if word not in used))
    unit = np.concatenate([rows[word] for word in used]) if used else np.zeros((0, 1))
    return Clustered(words, unit, np.array([len(rows[word]) for word in used], np.int64))


def usable_units(vectors: NDArray[np.float32]) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
    """Scale rows to length one, and say which rows are vectors at all: finite and not of length zero.

    >>> unit, usable = usable_units(np.array([[3.0, 4.0], [0.0, 0.0]], np.float32))
    >>> usable.tolist()
    [True, False]
    """
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    usable = np.isfinite(lengths) & (lengths > 0)
    unit = np.divide(vectors, lengths, out=np.zeros_like(vectors), where=usable)
    return unit, usable[:, 0]


def check_encoder(encoder: Any) -> Encoder:
    """Return an encoder of words in sentences; refuse anything else, saying how to get one."""
    found = check_sentence_encoder(encoder)
    if isinstance(found, Encoder):
        return found
    raise MeasureError(
        f"'{found.name}' gives one vector for a whole text and none for the words in it, which this measure needs; "
        "use aslant.seat, or open a model whose token vectors can be read."
    )


def check_sentence_encoder(encoder: Any) -> SentenceEncoder:
    """Return an encoder of sentences, as every `Encoder` is; refuse anything else."""
    if isinstance(encoder, SentenceEncoder):
        return encoder
    raise MeasureError(f"{encoder!r:.60} is not an encoder; open one with aslant.load_encoder(…) first.")


def sentence_vectors(
    encoder: SentenceEncoder, texts: Sequence[str], pooling: Pooling, progress: Progress | None
) -> NDArray[np.float32]:
    """Return one vector for each text, as served, or by a pooling that only an encoder of words can do."""
    if pooling == "served":
        return encoder.sentence_vectors(texts, progress=progress)
    return check_encoder(encoder).sentence_vectors(texts, pooling=pooling, progress=progress)


def read_contexts(
    corpus: Any, queries: dict[str, Query], rng: int | np.random.Generator, progress: Progress | None
) -> tuple[ContextSample, CorpusRead]:
    """Draw sentences for every query in one reading of a corpus, or of sentences, and describe what was read."""
    sample = sample_contexts(sentences_of(corpus), queries, rng=rng, progress=progress)
    return sample, corpus_read(corpus, sample.sentences, sample.tokens)


def sentences_of(corpus: Any) -> Any:
    """Return a corpus as it is, or given sentences, each of which is checked when it is read."""
    if isinstance(corpus, str | bytes | PathLike) or not isinstance(corpus, Iterable):
        raise MeasureError(f"{corpus!r:.60} is not a corpus; open one with aslant.load_corpus(…), or give sentences.")
    return corpus if hasattr(corpus, "record") else _checked(corpus)


def corpus_read(corpus: Any, sentences: int, tokens: int) -> CorpusRead:
    """Describe a corpus, or given sentences, that have been read."""
    name, record = (corpus.name, corpus.record()) if hasattr(corpus, "record") else ("own sentences", {})
    return CorpusRead(name, sentences, tokens, record)


def _checked(sentences: Iterable[Any]) -> Iterator[str]:
    for number, sentence in enumerate(sentences, 1):
        if not isinstance(sentence, str):
            raise MeasureError(f"sentence {number} of the corpus is {sentence!r:.60}; give sentences as text.")
        yield sentence

"""What a measure may ask of a language model or an encoder: nothing here knows torch, transformers or files."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol, TypeAlias, runtime_checkable

import numpy as np
from numpy.typing import NDArray

#: Called with a step, how much of it is done, and how much there is.
Progress: TypeAlias = Callable[[str, int, int], None]
#: The fields of `aslant.results.Representation`, which our models have as attributes.
RECORDED = ("name", "fingerprint", "format", "words", "dimensions", "note")
#: The placeholders of a template.
TARGET, ATTRIBUTE = "[TARGET]", "[ATTRIBUTE]"
#: A template both of whose words stand inside a sentence.
INSIDE = f"It is {TARGET} or {ATTRIBUTE}"
#: A target of several pieces: the whole word by a chain of masks, or its first piece (as published).
TargetPieces: TypeAlias = Literal["chain", "first"]
#: How a sentence becomes one vector: as the model is served (the mean, if nothing says how), or from the vectors of its
#: tokens: their mean over its words, or that of the first token ([CLS]).
Pooling: TypeAlias = Literal["served", "mean", "first"]


@dataclass(frozen=True)
class Sentence:
    """A template with the words for its [TARGET] and its [ATTRIBUTE], exactly as written (with or without full stop).

    >>> Sentence("[TARGET] is a [ATTRIBUTE].", "she", "nurse").text
    'she is a nurse.'
    """

    template: str
    target: str
    attribute: str

    @property
    def text(self) -> str:
        """The sentence with both words in it."""
        return self.template.replace(TARGET, self.target).replace(ATTRIBUTE, self.attribute)


@dataclass(frozen=True)
class MaskedScore:
    """Log-probabilities of one sentence's target (docs/definitions.md §7), natural logarithm.

    `target`: the target masked, the attribute shown; `prior`: both masked. `pieces` are the target's, as the model
    sees them there; `attribute_pieces` likewise: as many masks stand for the attribute (unless one was requested).
    """

    target: float
    prior: float
    pieces: tuple[str, ...]
    attribute_pieces: tuple[str, ...]


@dataclass(frozen=True)
class CausalScore:
    """Log-likelihoods of one sentence under a left-to-right model, natural logarithm.

    `continuation`: of the attribute and all that follows it, given all before it (None where the attribute stands
    before the target); `sentence`: of the whole sentence. `unweighed`: the target's first piece has nothing before it
    and so no probability, which is then missing from `sentence`.
    """

    continuation: float | None
    sentence: float
    pieces: tuple[str, ...]
    attribute_pieces: tuple[str, ...]
    unweighed: bool = False


@dataclass(frozen=True)
class TextScore:
    """The score of a text or of a part of it (docs/definitions.md §11), natural logarithm.

    `total` is the sum over `pieces` word pieces of their log-probabilities (weighed by attention for "aula").

    >>> TextScore(-12.0, 4).per_piece
    -3.0
    """

    total: float
    pieces: int

    @property
    def per_piece(self) -> float:
        """The mean over its pieces; 0 where there are none."""
        return self.total / self.pieces if self.pieces else 0.0


class LanguageModel(Protocol):
    """What every model can say about itself.

    A model may also have `unplaceable(sentences)`, which returns, by index, why sentences cannot be scored: their
    attributes are then left out and listed, before any other work is done. With `ordered_words` (its words of one
    piece, the frequent ones first) and `in_vocabulary(word, template, role)`, scores are compared with chance; with
    `untrained(seed)` (the same architecture and tokenizer, weights drawn anew), with those of an untrained model.
    """

    name: str

    def record(self) -> dict[str, Any]:
        """Return the fields of `aslant.results.Representation`: name, fingerprint, format, words, dimensions, note."""


@runtime_checkable
class MasksWords(LanguageModel, Protocol):
    """A model that gives the vector of a word in a sentence with another one masked: a masked model, or its encoder."""

    def word_vectors_in_place(
        self, sentences: Sequence[Sentence], word: Literal["target", "attribute"], *, progress: Progress | None = None
    ) -> NDArray[np.float32]:
        """Return last-layer vectors of `word` (pieces averaged) while the other one is masked; (sentences, d)."""

    def in_vocabulary(self, word: str, template: str = INSIDE, role: Literal["target", "attribute"] = "target") -> bool:
        """Tell whether the word is a single piece as [TARGET] or [ATTRIBUTE] of a template; else inside a sentence."""


@runtime_checkable
class MaskedLM(MasksWords, Protocol):
    """A model that fills masks."""

    def masked_scores(
        self,
        sentences: Sequence[Sentence],
        *,
        target_pieces: TargetPieces = "chain",
        single_mask: bool = False,
        prior_place: Literal["target", "published"] = "target",
        journal: Any = None,
        progress: Progress | None = None,
    ) -> list[MaskedScore]:
        """Score sentences, in their order; each distinct masked sentence is run once.

        `prior_place="published"` reads the prior one token before the attribute, as the authors' code does.
        """


@runtime_checkable
class CausalLM(LanguageModel, Protocol):
    """A left-to-right model."""

    def causal_scores(
        self, sentences: Sequence[Sentence], *, journal: Any = None, progress: Progress | None = None
    ) -> list[CausalScore]:
        """Score sentences, in their order."""


@runtime_checkable
class ScoresTexts(LanguageModel, Protocol):
    """A model that scores whole texts, as they are written, by one of its `scorings`."""

    @property
    def scorings(self) -> tuple[str, ...]:
        """The names of its scores, its default first."""

    def unscorable(self, texts: Sequence[str]) -> dict[int, str]:
        """Return, for each text that cannot be scored, by its index, the reason."""

    def text_scores(
        self, texts: Sequence[str], *, score: str | None = None, journal: Any = None, progress: Progress | None = None
    ) -> list[TextScore]:
        """Score texts, in their order; each distinct sequence of tokens is run once."""

    def continuation_scores(
        self,
        pairs: Sequence[tuple[str, str]],
        *,
        score: str | None = None,
        journal: Any = None,
        progress: Progress | None = None,
    ) -> list[TextScore]:
        """Score the continuation of each (prompt, continuation), which are put together as they are."""


@runtime_checkable
class WritesTexts(LanguageModel, Protocol):
    """A model that continues prompts."""

    def unwritable(self, prompts: Sequence[str], max_tokens: int) -> dict[int, str]:
        """Return, for each prompt that cannot be continued by this many tokens, by its index, the reason."""

    def continuations(
        self,
        prompts: Sequence[tuple[str, int]],
        *,
        max_tokens: int = 40,
        temperature: float = 1.0,
        top_p: float = 1.0,
        journal: Any = None,
        progress: Progress | None = None,
    ) -> list[str]:
        """Continue prompts, each with a seed of its own: a text depends on its prompt and seed alone.

        What is returned follows its prompt directly, with its own space before it.
        """


@runtime_checkable
class ScoresShared(ScoresTexts, Protocol):
    """A masked model that also scores both texts of a pair by the pieces that they share."""

    def shared_scores(
        self, pairs: Sequence[tuple[str, str]], *, journal: Any = None, progress: Progress | None = None
    ) -> list[tuple[TextScore, TextScore]]:
        """Score both texts of each pair by the pieces that they share, each masked alone."""


@dataclass(frozen=True)
class Passage:
    """A text, and the spans in it whose vectors are wanted: (start, end) in characters, the end left out.

    >>> Passage("The nurse slept.", ((4, 9),)).words
    ('nurse',)
    """

    text: str
    spans: tuple[tuple[int, int], ...]

    @property
    def words(self) -> tuple[str, ...]:
        """The text at the spans."""
        return tuple(self.text[start:end] for start, end in self.spans)


@runtime_checkable
class SentenceEncoder(Protocol):
    """A model that gives one vector of `dimensions` for a whole text, as it is served, and may give nothing else.

    A text's vector never depends on its neighbours: in a batch and alone it is the same (up to rounding). An empty list
    gives an array of shape (0, dimensions). A model may also have `piece_counts(words)` (how many pieces its tokenizer
    makes of each word inside a sentence; None where it cannot tell), so that tests say what word pieces do, and
    `untrained(seed)` (the same architecture with weights drawn anew; None where it cannot be rebuilt).
    """

    name: str

    @property
    def dimensions(self) -> int:
        """How many numbers a vector has."""

    def record(self) -> dict[str, Any]:
        """Return the fields of `aslant.results.Representation`: name, fingerprint, format, words, dimensions, note.

        `words` is 0 where the vocabulary is not known. The fingerprint covers all that decides a vector, as far as it
        can be known (a server's address and model name, without keys); the format says how a text becomes a vector.
        """

    def sentence_vectors(self, texts: Sequence[str], *, progress: Progress | None = None) -> NDArray[np.float32]:
        """Return one vector for each text, as served: (texts, dimensions). Progress is told as "sentences", done, all.

        A text that is longer than the model reads is cut as it is served, and the note of `record()` says so.
        """


@runtime_checkable
class Encoder(Protocol):
    """A model that gives vectors of `dimensions` for words in sentences, by the layer and pieces it was loaded with.

    A text's vectors never depend on its neighbours: in a batch and alone they are the same (up to rounding).
    """

    name: str
    dimensions: int

    def record(self) -> dict[str, Any]:
        """Return the fields of `aslant.results.Representation`; its fingerprint covers weights, layer and pieces."""

    def layers(self, tokens: Sequence[str]) -> NDArray[np.float32]:
        """Return the vectors of every layer for one sentence given as words: (layers, tokens, dimensions)."""

    def span_vectors(
        self, passages: Sequence[Passage], *, progress: Progress | None = None
    ) -> Iterator[NDArray[np.float32]]:
        """Yield (spans, dimensions) for each passage, in their order.

        A text longer than the model can see is read through a window around its spans, or one for each span where
        they are too far apart; a span is never cut.
        """

    def sentence_vectors(
        self, texts: Sequence[str], *, pooling: Pooling = "served", progress: Progress | None = None
    ) -> NDArray[np.float32]:
        """Return one vector for each text; those of a sentence encoder, as served, may be of other dimensions."""

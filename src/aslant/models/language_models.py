"""Language models of transformers, masked and causal: log-probabilities (docs/definitions.md §7), vectors in place."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Sequence
from contextlib import closing
from dataclasses import replace
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import Any, Literal, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray

from aslant.errors import DataError, MeasureError
from aslant.models.chat import frame_of, markup_of
from aslant.models.generation import TextWriter
from aslant.models.network import STEPS, Network, memory_suffices
from aslant.models.plan import Ids, Query, Runner, answered, batches, merged, run_batches, table_in
from aslant.models.protocols import INSIDE, RECORDED, CausalScore, MaskedScore, Progress, Sentence, TargetPieces
from aslant.models.spelling import Speller, Spelling, longest, written_out
from aslant.models.text_scores import CausalTextScorer, MaskedTextScorer, Request
from aslant.models.twins import fresh

InPlace: TypeAlias = Generator[Iterable[tuple[Query, NDArray[np.float32]]], None, None]
Word: TypeAlias = Literal["target", "attribute"]
#: Sentences of different lengths with which a model is checked when it is loaded.
PROBES = (
    Sentence("[TARGET] is a [ATTRIBUTE].", "he", "doctor"),
    Sentence("I know that [TARGET] is [ATTRIBUTE].", "she", "a good nurse"),
)
#: Weights of untrained twins that are kept, of all together: 2 GB in float32.
KEPT_WEIGHTS = 500_000_000
#: What a piece begins with that begins a word, in byte-level and in SentencePiece vocabularies.
BEGINS = ("Ġ", "▁")


class TransformersLM:
    """What masked and causal models have in common. `passes` counts the sequences run for scores."""

    kind: Literal["masked", "causal"]

    def __init__(
        self,
        model: Any,
        tokenizer: Any,
        name: str,
        *,
        token_budget: int | None = None,
        capitalise: bool = True,
        journal: Any = None,
        note: str = "",
        chat: str | None = None,
        fingerprint: str = "",
    ) -> None:
        self.name, self.journal, self.chat = name, journal, chat
        self.folder: Path | None = None  #: what it was loaded from, see `aslant.models.identity_of`
        self.network = Network(model, token_budget)
        causal = self.kind == "causal"
        begin, beginning = beginning_of(tokenizer, self.network.vocabulary) if causal else (None, "")
        frame = None if chat is None else frame_of(tokenizer, name, chat)
        markup, before = markup_of(tokenizer) if causal else (None, [])
        limit = longest(model, tokenizer)
        self.speller = Speller(
            tokenizer, capitalise=capitalise, longest=limit, begin=begin, frame=frame,
            markup=markup, before_markup=before,
        )  # fmt: skip
        if frame is not None:
            beginning = f"sentences are answers in the model's chat format, after {frame!r}"
        # Before it runs, which may change how packed weights are stored.
        self.fingerprint = fingerprint or self.network.fingerprint(written_out(tokenizer), limit, before, frame)
        with memory_suffices(name):
            checked = self._check([found for found in self.speller.try_spell(PROBES) if isinstance(found, Spelling)])
        capital = "sentences begin with a capital" if self.speller.capital else ""
        self.note = "; ".join(filter(None, [note, *checked, beginning, capital]))
        self._twins: dict[int, Self] = {}
        self.format = f"{self.kind} language model ({type(model).__name__})"
        self.words, self.dimensions = self.network.vocabulary, int(model.config.hidden_size)
        self._runner = Runner(self.network.log_probabilities, self.network.limits, alone=self.network.alone)

    def _check(self, probes: list[Spelling]) -> list[str]:
        """Try the model out; return notes on it."""
        raise NotImplementedError

    @property
    def passes(self) -> int:
        """How many sequences this model has been run on for scores."""
        return self._runner.passes

    def record(self) -> dict[str, Any]:
        """Return the fields of `aslant.results.Representation`."""
        return {name: getattr(self, name) for name in RECORDED}

    @property
    def weights(self) -> int:
        """How many numbers it has learnt."""
        return sum(parameter.numel() for parameter in self.network.model.parameters())

    def untrained(self, seed: int) -> Self:
        """Return a model of the same architecture and tokenizer with weights drawn anew from a seed.

        Several measures of an audit ask for the same ones, so small ones are kept.
        """
        if (kept := self._twins.get(seed)) is not None:
            return kept
        model, name = fresh(self.network.model, seed), f"{self.name} (untrained, seed {seed})"
        how: dict[str, Any] = {
            "token_budget": self.network.limits.tokens,
            "capitalise": self.speller.capital,
            "chat": self.chat,
            "fingerprint": f"{self.fingerprint}-{seed}",  # what it is drawn from: no need to read all weights
        }
        twin = type(self)(model, self.speller.tokenizer, name, **how)
        if (len(self._twins) + 1) * self.weights <= KEPT_WEIGHTS:
            self._twins[seed] = twin
        return twin

    def unplaceable(self, sentences: Sequence[Sentence]) -> dict[int, str]:
        """Return, for each sentence that cannot be scored, by its index, the reason."""
        return {i: found for i, found in enumerate(self.speller.try_spell(sentences)) if isinstance(found, str)}

    def seen(self, sentence: Sentence) -> str:
        """Return exactly what the model sees of a sentence in a chat, or of one with markup; "" for any other."""
        return self.speller.seen(sentence)

    def _answers(self, queries: Sequence[Query], journal: Any, progress: Progress | None) -> dict[Request, float]:
        dtype = str(self.network.dtype).removeprefix("torch.")
        table = table_in(journal, f"{self.kind}-{self.fingerprint}-{dtype}", self.journal)
        return answered(queries, self._runner, table, progress)


class WordsInPlace:
    """What a masked model and its encoder have in common: vectors of one word while another is masked."""

    name: str
    speller: Speller
    dimensions: int
    pieces: Literal["mean", "first"] = "mean"

    def _vectors_of(self, queries: list[Query]) -> InPlace:
        """Yield vectors of queries, batch by batch."""
        raise NotImplementedError

    def word_vectors_in_place(
        self, sentences: Sequence[Sentence], word: Word, *, progress: Progress | None = None
    ) -> NDArray[np.float32]:
        """Return vectors of `word`, by the layer and the pieces chosen, while the other one is masked; (sentences, d).

        A sentence begins with a capital where the tokenizer knows capitals.
        """
        mask = self.speller.tokenizer.mask_token_id
        if mask is None:
            raise MeasureError(f"the tokenizer of '{self.name}' has no mask, so no word can be hidden from it.")
        queries, vectors = [], dict[Query, NDArray[np.float32]]()
        other: Word = "attribute" if word == "target" else "target"
        for found in self.speller.spell(sentences):
            hide = {"target": None, "attribute": None, other: len(getattr(found, other))}
            ids, _, _ = found.masked(int(mask), **hide)  # as many masks as pieces: places stay
            asks = tuple((position, 0) for position in getattr(found, word))
            queries.append(Query(ids, asks if self.pieces == "mean" else asks[:1]))
        distinct = list(dict.fromkeys(queries))
        with closing(self._vectors_of(distinct)) as parts:
            for part in parts:
                vectors.update(part)
                if progress is not None:
                    progress("vectors", len(vectors), len(distinct))
        return np.array([vectors[query] for query in queries], np.float32).reshape(len(queries), self.dimensions)

    @cached_property
    def ordered_words(self) -> tuple[str, ...]:
        """The words of its vocabulary, letters only and in lower case, in the order of their numbers.

        That is roughly the order of frequency. Some may still be of several pieces in a sentence.
        """
        return whole_words(self.speller.tokenizer)

    def in_vocabulary(self, word: str, template: str = INSIDE, role: Word = "target") -> bool:
        """Tell whether the word is a single piece as [TARGET] or [ATTRIBUTE] of a template; else inside a sentence."""
        return self.speller.one_piece(word, template, role)


class TransformersMaskedLM(TransformersLM, WordsInPlace, MaskedTextScorer):
    """A masked language model with its tokenizer; see `aslant.models.MaskedLM` for its methods.

    `capitalise`: a cased model sees a capital at the beginning of a sentence. `passes` counts the sequences run.
    """

    kind = "masked"

    def __init__(self, model: Any, tokenizer: Any, name: str, **options: Any) -> None:
        if options.get("chat") is not None:
            raise DataError(f"'{name}' fills masks, and so is not a chat model; leave chat out.")
        if tokenizer.mask_token_id is None:
            raise MeasureError(f"the tokenizer of '{name}' has no mask, so it is not a masked language model.")
        self.mask = int(tokenizer.mask_token_id)
        super().__init__(model, tokenizer, name, **options)
        self._vectors = Runner(self.network.hidden, self.network.limits, alone=self.network.alone)

    def _check(self, probes: list[Spelling]) -> list[str]:
        masked = [found.masked(self.mask, target=1, attribute=None)[0] for found in probes]
        sequences = masked or [(self.mask,) * 3, (self.mask,) * 5]
        notes = self.network.check(sequences)
        self.network.localise(sequences)
        return notes

    def _vectors_of(self, queries: list[Query]) -> InPlace:
        return run_batches(self._vectors, batches(queries, self._vectors.limits))

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

        A target of several pieces: "chain" multiplies P(piece 1 | all its pieces masked), P(piece 2 | piece 1 shown) …;
        "first" puts one mask and takes its first piece, as published. An attribute of k pieces is masked by k masks, or
        by one (`single_mask`). `prior_place="published"` reads the prior one token before the attribute.
        """
        spelt = self.speller.spell(sentences)
        masks = [1 if single_mask else len(found.attribute) for found in spelt]
        shown = [self._requests(found, target_pieces, None) for found in spelt]
        if prior_place == "published":
            _check_published(sentences, spelt, target_pieces)
        hidden = [self._requests(found, target_pieces, k, prior_place) for found, k in zip(spelt, masks, strict=True)]
        answers = self._answers(merged(chain(*shown, *hidden)), journal, progress)
        return [
            MaskedScore(
                target=sum(answers[request] for request in target),
                prior=sum(answers[request] for request in prior),
                pieces=self.speller.pieces(found, found.target),
                attribute_pieces=self.speller.pieces(found, found.attribute),
            )
            for found, target, prior in zip(spelt, shown, hidden, strict=True)
        ]

    def _requests(
        self, found: Spelling, target_pieces: TargetPieces, attribute: int | None, place: str = "target"
    ) -> list[Request]:
        """Return the requests for the target's log-probability, the attribute shown (None) or under that many masks."""
        pieces = [found.ids[i] for i in found.target]
        if target_pieces == "first" or place == "published":
            del pieces[1:]
        ids, start, attribute_start = found.masked(self.mask, target=len(pieces), attribute=attribute)
        if place == "published":
            return [(ids, (attribute_start - 1, pieces[0]))]
        return [
            (ids[:start] + tuple(pieces[:i]) + ids[start + i :], (start + i, piece)) for i, piece in enumerate(pieces)
        ]


def _check_published(sentences: Sequence[Sentence], spelt: Sequence[Spelling], target_pieces: TargetPieces) -> None:
    for sentence, found in zip(sentences, spelt, strict=True):
        if found.target.start > found.attribute.start:
            raise MeasureError(f"the published prior needs the target before the attribute; see {sentence.template!r}.")
        if target_pieces == "chain" and len(found.target) > 1:
            raise MeasureError(
                f"'{sentence.target}' has {len(found.target)} pieces; the published prior needs target_pieces='first'."
            )


class TransformersCausalLM(TransformersLM, CausalTextScorer, TextWriter):
    """A left-to-right model with its tokenizer; see `aslant.models.CausalLM` for its methods.

    `passes` counts the sequences run: a sentence's last piece needs no pass.
    """

    kind = "causal"
    in_vocabulary, ordered_words = WordsInPlace.in_vocabulary, WordsInPlace.ordered_words

    def _check(self, probes: list[Spelling]) -> list[str]:
        sequences = [found.ids for found in probes] or [(1, 2, 3), (1, 2, 3, 4, 5)]
        checked = self.network.check(sequences)
        if self.network.looks_ahead(sequences):
            raise DataError(
                f"'{self.name}' ({type(self.network.model).__name__}) looks at the words that follow, so it is not a "
                "causal language model; if it fills masks, let its config.json name an architecture in …ForMaskedLM."
            )
        asked = [Query(ids, tuple(enumerate(ids[1:])), stepwise=True) for ids in sequences]
        plain = [self.network.log_probabilities([Query(query.ids, query.asks)])[0] for query in asked]
        self.shares = not self.network.one_by_one and self.network.steps_agree(asked, plain)
        return [*checked, "" if self.shares else "common beginnings are run each time: by steps its numbers differ"]

    def causal_scores(
        self, sentences: Sequence[Sentence], *, journal: Any = None, progress: Progress | None = None
    ) -> list[CausalScore]:
        """Score sentences, in their order; those that differ in their last piece only share one pass.

        A piece with nothing before it has no probability, so a sentence without a beginning token (the record
        says whether there is one) counts from its second piece; `unweighed` tells where that is the target's.
        """
        spelt = self.speller.spell(sentences)
        answers = self._by_place({found.ids[: found.content.stop]: 1 for found in spelt}, journal, progress)
        return [self._score(found, answers) for found in spelt]

    def _by_place(self, first: dict[Ids, int], journal: Any, progress: Progress | None) -> dict[tuple[Ids, int], float]:
        """Return log-probabilities of the tokens of sequences, by sequence and place, from the first wanted one on.

        What several begin with alike is run once, up to `STEPS` tokens, where the model's numbers do not depend on it.
        """
        wanted = {(ids, i): (ids[:-1], (i - 1, ids[i])) for ids in first for i in range(max(1, first[ids]), len(ids))}
        queries = merged(wanted.values())
        by_steps = [replace(query, stepwise=self.shares and len(query.ids) <= STEPS) for query in queries]
        answers = self._answers(by_steps, journal, progress)
        return {place: answers[request] for place, request in wanted.items()}

    def _score(self, found: Spelling, answers: dict[tuple[Ids, int], float]) -> CausalScore:
        ids = found.ids[: found.content.stop]
        values = {i: answers[ids, i] for i in found.content if i > 0}
        follows = found.attribute.start > found.target.start
        return CausalScore(
            continuation=sum(v for i, v in values.items() if i >= found.attribute.start) if follows else None,
            sentence=sum(values.values()),
            pieces=self.speller.pieces(found, found.target),
            attribute_pieces=self.speller.pieces(found, found.attribute),
            unweighed=found.target.start == 0,
        )


def whole_words(tokenizer: Any) -> tuple[str, ...]:
    """Return the pieces of a vocabulary that are whole words of three or more letters, in lower case, by number."""
    pieces = [piece for piece, _ in sorted(tokenizer.get_vocab().items(), key=lambda entry: entry[1])]
    marked = any(piece.startswith(BEGINS) for piece in pieces)  # else, as in BERT, "##" marks what does not begin one
    words = (
        piece.removeprefix(piece[:1]) if marked else piece for piece in pieces if piece.startswith(BEGINS) or not marked
    )
    return tuple(word for word in words if len(word) > 2 and word.isascii() and word.isalpha() and word.islower())


def beginning_of(tokenizer: Any, vocabulary: int) -> tuple[int | None, str]:
    """Return the token to put before each sentence, if the tokenizer has one and does not do so, and a note."""
    ids = tokenizer("He is", return_special_tokens_mask=True)
    if ids["special_tokens_mask"][0]:
        return None, f"sentences begin with {tokenizer.convert_ids_to_tokens(ids['input_ids'][0])}"
    begin = tokenizer.bos_token_id
    if begin is not None and 0 <= begin < vocabulary:
        return int(begin), f"sentences begin with {tokenizer.bos_token}, which the tokenizer has but does not add"
    return None, "no beginning token, so a sentence's first piece has no probability"

"""Language models of transformers, masked and causal: log-probabilities (docs/definitions.md §7), vectors in place."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Generator, Iterable, Mapping, Sequence
from contextlib import closing
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import Any, Literal, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray

from aslant.errors import DataError, MeasureError
from aslant.models.network import Network, fitting, memory_suffices
from aslant.models.plan import Ids, Query, Runner, answered, batches, merged, run_batches, table_in
from aslant.models.protocols import INSIDE, RECORDED, CausalScore, MaskedScore, Progress, Sentence, TargetPieces
from aslant.models.spelling import Speller, Spelling, longest
from aslant.models.text_scores import CausalTextScorer, MaskedTextScorer, Request
from aslant.models.twins import fresh

InPlace: TypeAlias = Generator[Iterable[tuple[Query, NDArray[np.float32]]], None, None]
Word: TypeAlias = Literal["target", "attribute"]
#: Sentences of different lengths with which a model is checked when it is loaded.
PROBES = (
    Sentence("[TARGET] is a [ATTRIBUTE].", "he", "doctor"),
    Sentence("I know that [TARGET] is [ATTRIBUTE].", "she", "a good nurse"),
)
#: A prefix is run once for all where at least this many sequences share it; fewer make batches too small.
SHARED_BY = 64
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
    ) -> None:
        self.name, self.journal = name, journal
        self.folder: Path | None = None  #: what it was loaded from, see `aslant.models.identity_of`
        self.network = Network(model, int(tokenizer.pad_token_id or 0), token_budget)
        causal = self.kind == "causal"
        begin, beginning = beginning_of(tokenizer, self.network.vocabulary) if causal else (None, "")
        self.speller = Speller(tokenizer, capitalise=capitalise, longest=longest(model, tokenizer), begin=begin)
        with memory_suffices(name):
            checked = self._check([found for found in self.speller.try_spell(PROBES) if isinstance(found, Spelling)])
        capital = "sentences begin with a capital" if self.speller.capital else ""
        self.note = "; ".join(filter(None, [note, *checked, beginning, capital]))
        self.fingerprint = self.network.fingerprint(tokenizer.get_vocab())
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
        """Return a model of the same architecture and tokenizer with weights drawn anew from a seed."""
        model, name = fresh(self.network.model, seed), f"{self.name} (untrained, seed {seed})"
        budget = self.network.limits.tokens
        return type(self)(model, self.speller.tokenizer, name, token_budget=budget, capitalise=self.speller.capital)

    def unplaceable(self, sentences: Sequence[Sentence]) -> dict[int, str]:
        """Return, for each sentence that cannot be scored, by its index, the reason."""
        return {i: found for i, found in enumerate(self.speller.try_spell(sentences)) if isinstance(found, str)}

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
        if tokenizer.mask_token_id is None:
            raise MeasureError(f"the tokenizer of '{name}' has no mask, so it is not a masked language model.")
        self.mask = int(tokenizer.mask_token_id)
        super().__init__(model, tokenizer, name, **options)
        self._vectors = Runner(self.network.hidden, self.network.limits, alone=self.network.alone)

    def _check(self, probes: list[Spelling]) -> list[str]:
        masked = [found.masked(self.mask, target=1, attribute=None)[0] for found in probes]
        return [self.network.check(masked or [(self.mask,) * 3, (self.mask,) * 5])]

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


def contexts(sequences: Iterable[Ids], *, share: bool = True, first: Mapping[Ids, int] | None = None) -> list[Query]:
    """Return queries for all tokens of `sequences` but their first ones: of the tree of contexts, only leaves are run.

    A sentence's last token is predicted but never read. `share`: let common beginnings be run once where it pays.
    `first`: by sequence, the first token that is wanted.

    >>> contexts([(1, 2, 3), (1, 2, 4), (1, 2, 4, 5)])
    [Query(ids=(1, 2, 4), asks=((0, 2), (1, 3), (1, 4), (2, 5)), shared=0)]
    """
    distinct = set(sequences)
    found = sorted({ids[:-1] for ids in distinct if len(ids) > 1})
    # In this order a context is followed at once by those that it begins.
    leaves = [ids for ids, follower in zip(found, [*found[1:], ()], strict=True) if follower[: len(ids)] != ids]
    queries = merged(
        (leaves[bisect_left(leaves, ids[:i])], (i - 1, ids[i]))
        for ids in distinct
        for i in range(max(1, first[ids] if first else 1), len(ids))
    )
    if not share:
        return queries
    counts = Counter(leaf[:n] for leaf in leaves for n in range(1, len(leaf)))

    def shared(ids: Ids) -> int:
        return max((n for n in range(1, len(ids)) if counts[ids[:n]] >= SHARED_BY), default=0)

    return [Query(query.ids, query.asks, shared(query.ids)) for query in queries]


class TransformersCausalLM(TransformersLM, CausalTextScorer):
    """A left-to-right model with its tokenizer; see `aslant.models.CausalLM` for its methods.

    `passes` counts the sequences run: a sentence's last piece needs no pass, nor does a prefix of another sentence.
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
        asked = [(ids, tuple(enumerate(ids[1:]))) for ids in sequences]
        plain = sum(self.network.log_probabilities([Query(*each) for each in asked]), ())
        found = None
        if not self.network.one_by_one:
            found = fitting(lambda: self.network.log_probabilities([Query(*each, shared=2) for each in asked]))
        self.shares = found is not None and self.network.agree(sum(found, ()), plain)
        alone = "" if self.shares else "common prefixes are run each time: its cache does not give the same numbers"
        return [checked, alone]

    def causal_scores(
        self, sentences: Sequence[Sentence], *, journal: Any = None, progress: Progress | None = None
    ) -> list[CausalScore]:
        """Score sentences, in their order; common beginnings share one pass.

        A piece with nothing before it has no probability, so a sentence without a beginning token (the record
        says whether there is one) counts from its second piece; `unweighed` tells where that is the target's.
        """
        spelt = self.speller.spell(sentences)
        by_context = self._by_context({found.ids[: found.content.stop]: 1 for found in spelt}, journal, progress)
        return [self._score(found, by_context) for found in spelt]

    def _by_context(
        self, first: dict[Ids, int], journal: Any, progress: Progress | None
    ) -> dict[tuple[Ids, int], float]:
        """Return log-probabilities of the tokens of sequences, from the first wanted one on, given what precedes it."""
        answers = self._answers(contexts(first, share=self.shares, first=first), journal, progress).items()
        return {(ids[: position + 1], token): value for (ids, (position, token)), value in answers}

    def _score(self, found: Spelling, answers: dict[tuple[Ids, int], float]) -> CausalScore:
        values = {i: answers[found.ids[:i], found.ids[i]] for i in found.content if i > 0}
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

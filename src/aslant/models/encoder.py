"""Encoders: vectors of words and sentences in their texts, from any model of transformers, or any other network.

Of all networks: tokenise, read long texts in windows, batch, pool. See `elmo` for another network.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from itertools import groupby, tee
from pathlib import Path
from typing import Any, Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from aslant.errors import DataError, MeasureError
from aslant.models.language_models import InPlace, WordsInPlace, beginning_of
from aslant.models.network import ALONE, FEWEST, UNSTEADY, Network, fitting, memory_suffices
from aslant.models.plan import Ids, Limits, Query, Runner, batches
from aslant.models.products import inference
from aslant.models.protocols import RECORDED, Passage, Pooling, Progress
from aslant.models.spelling import Cut, Speller, cut_texts, longest, shown, tiles, windows, written_out
from aslant.parallel import cores, one_thread_each, spread, workers_in_use

#: Which vectors: of the last layer, the mean of all (with the one before the first), or of one by number.
Layer: TypeAlias = Literal["last", "mean"] | int
#: A word of several pieces: their mean, or the first.
Pieces: TypeAlias = Literal["mean", "first"]
#: The (start, end) of each word of each text.
Words: TypeAlias = Sequence[Sequence[tuple[int, int]]] | None
#: Texts that are tokenised and read together, by length; vectors of no more than these are held.
CHUNK = 512
#: Sequences to vectors as a tensor: (sequences, tokens, d) of one layer, or (layers, sequences, tokens, d) of all.
Forward: TypeAlias = Callable[..., Any]
#: A sequence to run, and the numbers of what is pooled from it; asks are (place in the sequence, number).
Asked: TypeAlias = tuple[Query, tuple[int, ...]]
Answers: TypeAlias = dict[Query, NDArray[np.float32]]
#: Texts of different lengths with which a model is tested when it is loaded.
PROBES = ("He is a doctor.", "I know that she is a good nurse, and so do they.")
LEFT_TO_RIGHT = "left-to-right: a word does not see what follows it"


class ContextEncoder:
    """An encoder over a network, as `aslant.load_encoder` gives it; see `aslant.models.Encoder` for its methods.

    A subclass sets `depth` (layers) and `dimensions`, and splits texts into tokens. `passes` counts the sequences run.
    """

    depth: int
    dimensions: int
    sees: int | None = None  #: how many tokens the network takes at once (None: any number)
    refuses_first = ""  #: why the first token says nothing about its sentence
    alone = False  #: on a device that takes one batch at a time
    body: Forward | None = None  #: sequences to vectors, if that is the same for all texts: then workers can have it
    served_as = "mean"  #: what the pooling "served" is, as results record it

    def __init__(
        self,
        name: str,
        kind: str,
        fingerprint: str,
        *,
        layer: Layer,
        pieces: Pieces,
        words: int,
        note: str,
        tokens: int,
    ) -> None:
        self.name, self.pieces, self.passes = name, pieces, 0
        self.folder: Path | None = None  #: what it was loaded from, see `aslant.models.identity_of`
        self._pooled = Pooled(self.body, Limits(tokens, 10**9))
        self.format = f"encoder ({kind}; layer: {layer}, pieces: {pieces})"
        self.fingerprint, self.words, self.note = fingerprint, words, note

    def cut(self, texts: Sequence[str], words: Words = None) -> tuple[list[Cut], Forward]:
        """Return the texts as tokens, and what turns sequences of such tokens into vectors.

        `words`: where the words of each text are, if they are known; a network of words takes these.
        """
        raise NotImplementedError

    def record(self) -> dict[str, Any]:
        """Return the fields of `aslant.results.Representation`."""
        return {name: getattr(self, name) for name in RECORDED}

    def layers(self, tokens: Sequence[str]) -> NDArray[np.float32]:
        """Return the vectors of every layer for one sentence given as words: (layers, tokens, dimensions)."""
        if isinstance(tokens, str):
            raise MeasureError(f"tokens={tokens[:40]!r} is a string; give a list of words, such as text.split().")
        starts = np.cumsum([0, *(len(token) + 1 for token in tokens)]).tolist()
        spans = [(start, start + len(token)) for start, token in zip(starts, tokens, strict=False)]
        (cut,), forward = self.cut([" ".join(tokens)], [spans])
        found = np.empty((self.depth, len(spans), self.dimensions), np.float32)
        with one_thread_each():
            for query, numbers in self._asked(cut, [cut.places(span) for span in spans]):
                for layer, vectors in enumerate(forward([query.ids], every=True)):
                    found[layer, list(numbers)] = _pooled([query], vectors)[0]
        return found

    def span_vectors(
        self, passages: Sequence[Passage], *, progress: Progress | None = None
    ) -> Iterator[NDArray[np.float32]]:
        """Yield (spans, dimensions) for each passage, in their order."""

        def asked(cut: Cut, number: int) -> list[Asked]:
            return self._asked(cut, [cut.places(span) for span in passages[number].spans])

        texts = [passage.text for passage in passages]
        for number, wanted, answers in self._read(texts, asked, progress):
            found = np.empty((len(passages[number].spans), self.dimensions), np.float32)
            for query, numbers in wanted:
                found[list(numbers)] = answers[query]
            yield found

    def sentence_vectors(
        self, texts: Sequence[str], *, pooling: Pooling = "served", progress: Progress | None = None
    ) -> NDArray[np.float32]:
        """Return one vector for each text: the mean over its own tokens (not special ones), or that of the first token.

        A model whose files do not say how sentences are served gives the mean for "served".

        A text that is too long is read in parts, as even as can be: the mean is over the tokens of all, "first" over
        the first tokens of all.
        """
        if pooling not in get_args(Pooling):
            raise MeasureError(f"pooling is {pooling!r}; choose 'served', 'mean' or 'first'.")
        if pooling == "first" and self.refuses_first:
            raise MeasureError(f"pooling='first' does not work with '{self.name}': {self.refuses_first}; use 'mean'.")
        found = np.zeros((len(texts), self.dimensions), np.float32)
        for number, wanted, answers in self._read(texts, lambda cut, _: self._whole(cut, pooling), progress):
            weights = np.array([len(query.asks) for query, _ in wanted], np.float64)
            rows = np.concatenate([answers[query] for query, _ in wanted])
            found[number] = np.average(rows.astype(np.float64), axis=0, weights=weights)
        return found

    def _read(
        self, texts: Sequence[str], asked: Callable[[Cut, int], list[Asked]], progress: Progress | None,
        cut: Callable[[Sequence[str]], tuple[list[Cut], Forward]] | None = None, pooled: Pooled | None = None,
    ) -> Iterator[tuple[int, list[Asked], Answers]]:  # fmt: skip
        """Yield, for each text, its number, the requests and the answers, run on the workers in use.

        Texts are tokenised and batched some hundred at a time.
        """
        cut, pooled = cut or self.cut, pooled or self._pooled
        begun: deque[_Chunk] = deque()

        def work() -> Iterator[tuple[list[Query], Forward | None]]:
            for start in range(0, len(texts), CHUNK):
                cuts, forward = cut(texts[start : start + CHUNK])
                wanted = [asked(cut, number) for number, cut in enumerate(cuts, start)]
                queries = list(dict.fromkeys(query for text in wanted for query, _ in text))
                found = list(batches(queries, pooled.limits))
                begun.append(_Chunk(start, wanted, len(found)))
                yield from ((batch, None if pooled.body is forward else forward) for batch in found)

        with closing(self._run(work(), pooled)) as answers:
            for part in answers:
                yield from _finished(begun)
                chunk = begun[0]
                chunk.answers.update(part)
                chunk.left -= 1
                if progress is not None:
                    done = min(len(chunk.answers), len(chunk.wanted)) if chunk.left else len(chunk.wanted)  # about
                    progress("sentences", chunk.start + done, len(texts))
            yield from _finished(begun)

    def _run(
        self, work: Iterator[tuple[list[Query], Forward | None]], pooled: Pooled
    ) -> Generator[Answers, None, None]:
        """Yield the answers for each batch, in order; a network that is not the same for all texts stays here."""
        first, second = tee(work)
        stays = pooled.body is None or workers_in_use() is None
        threads = (1 if self.alone else cores()) if stays else None
        results = spread(Pooled.run, first, pooled, threads)
        with one_thread_each(), closing(results):
            for (batch, _), vectors in zip(second, results, strict=True):
                self.passes += len(batch)
                yield dict(zip(batch, vectors, strict=True))

    def _asked(self, cut: Cut, places: Sequence[tuple[int, ...]]) -> list[Asked]:
        """Return what to run for spans of a text, given by their places: one sequence for each window."""
        seen = windows(cut.content, places, cut.room(self.sees)) if places else []
        found = []
        for window in dict.fromkeys(seen):
            numbers = tuple(i for i, other in enumerate(seen) if other == window)
            shift = cut.content.start - window.start
            asks = tuple(
                (place + shift, i)
                for i, number in enumerate(numbers)
                for place in (places[number] if self.pieces == "mean" else places[number][:1])
            )
            found.append((Query(cut.through(window), asks), numbers))
        return found

    def _whole(self, cut: Cut, pooling: Pooling) -> list[Asked]:
        if not cut.content:
            raise MeasureError(f"{shown(cut.text)} has no words that the model reads; leave it out.")
        found: list[Asked] = []
        for part in tiles(cut.content, cut.room(self.sees)):
            own = range(cut.content.start, cut.content.start + len(part)) if pooling != "first" else range(1)
            found.append((Query(cut.through(part), tuple((place, 0) for place in own)), (0,)))
        return found


@dataclass
class _Chunk:
    """Texts that are read together: where they begin, the requests for each, how many batches are still to come."""

    start: int
    wanted: list[list[Asked]]
    left: int
    answers: Answers = field(default_factory=dict)


def _finished(begun: deque[_Chunk]) -> Iterator[tuple[int, list[Asked], Answers]]:
    """Yield the texts of complete chunks, and release them."""
    while begun and not begun[0].left:
        chunk = begun.popleft()
        yield from ((number, wanted, chunk.answers) for number, wanted in enumerate(chunk.wanted, chunk.start))


@dataclass(eq=False)
class Pooled:
    """Makes the vectors of a batch on any worker: the network that is the same for all texts, and its limits."""

    body: Forward | None
    limits: Limits

    def run(self, item: tuple[list[Query], Forward | None]) -> list[NDArray[np.float32]]:
        """Return the vectors of a batch; `item` brings a network of its own where there is none for all texts."""
        batch, own = item
        forward = own or self.body
        assert forward is not None
        runner = Runner(lambda queries: _pooled(queries, forward([query.ids for query in queries])), self.limits)
        answers = runner.run(batch)
        self.limits = runner.limits  # less, where memory ran out
        return answers


def _pooled(batch: Sequence[Query], vectors: Any) -> list[NDArray[np.float32]]:
    """Return, for each query, the means of the vectors (rows, tokens, d) that its asks number alike: (numbers, d)."""
    import torch

    rows = [row for row, query in enumerate(batch) for _ in query.asks]
    places = [place for query in batch for place, _ in query.asks]
    with torch.inference_mode():
        picked = vectors[rows, places].float().cpu().numpy()
    if not np.isfinite(picked).all():
        raise MeasureError("the model returns NaN: its weights are damaged, or their type is too small.")
    found, start = [], 0
    for query in batch:
        sizes = [len(list(same)) for _, same in groupby(number for _, number in query.asks)]
        edges = start + np.cumsum([0, *sizes])
        sums = np.add.reduceat(picked[start : edges[-1]], edges[:-1] - start, axis=0)
        found.append((sums / np.array(sizes, np.float32)[:, None]).astype(np.float32))
        start = int(edges[-1])
    return found


def check_choice(layer: object, pieces: object, depth: int, name: str) -> None:
    """Raise one clear error for a layer that does not exist, or an unknown choice of pieces.

    >>> check_choice(12, "mean", 7, "MiniLM")
    Traceback (most recent call last):
    aslant.errors.MeasureError: layer is 12; 'MiniLM' has layers 0 (before the first) to 6; or choose 'last' or 'mean'.
    """
    number = isinstance(layer, int) and not isinstance(layer, bool) and -depth <= layer < depth
    if not number and layer not in ("last", "mean"):
        raise MeasureError(
            f"layer is {layer!r}; '{name}' has layers 0 (before the first) to {depth - 1}; or choose 'last' or 'mean'."
        )
    if pieces not in ("mean", "first"):
        raise MeasureError(f"pieces is {pieces!r}; choose 'mean' or 'first'.")


def chosen(states: Sequence[Any], layer: Layer) -> Any:
    """Return the requested layer, of all: tensors (…, d).

    >>> import torch
    >>> layers = [torch.tensor([n]) for n in (1.0, 2.0, 6.0)]
    >>> [chosen(layers, layer).item() for layer in ("last", "mean", 0, -2)]
    [6.0, 3.0, 1.0, 2.0]
    """
    if layer != "mean":
        return states[-1 if layer == "last" else layer]
    total = states[0].float()
    for state in states[1:]:
        total = total + state
    return total / len(states)


class TransformersEncoder(ContextEncoder, WordsInPlace):
    """A transformers model without a head, or the encoder of one, with its tokenizer.

    `layer`: "last", "mean" (of all, with the embeddings), or a number (0: the embeddings; −1: the last). `pieces`: a
    word's vector is the "mean" of its pieces', or that of the "first". A left-to-right model is accepted, with a note.
    """

    body: ChosenLayer

    def __init__(
        self,
        model: Any,
        tokenizer: Any,
        name: str,
        *,
        layer: Layer = "last",
        pieces: Pieces = "mean",
        token_budget: int | None = None,
        note: str = "",
    ) -> None:
        self.speller = Speller(tokenizer, longest=longest(model, tokenizer))
        self.network = Network(model, token_budget)
        self.body, self.alone = ChosenLayer(self.network, layer), self.network.alone
        self.sees = self.speller.longest
        self._begin: list[int] = []
        words = self.network.vocabulary
        # Before it runs, which may change how packed weights are stored.
        fingerprint = self.network.fingerprint(written_out(tokenizer), layer, pieces, self.sees, unused="pooler")
        with memory_suffices(name), one_thread_each():
            notes = self._try_out(name)
        check_choice(layer, pieces, self.depth, name)
        note, tokens = "; ".join(filter(None, [note, *notes])), self.network.limits.tokens
        kind = type(model).__name__
        super().__init__(name, kind, fingerprint, layer=layer, pieces=pieces, words=words, note=note, tokens=tokens)

    def cut(self, texts: Sequence[str], words: Words = None) -> tuple[list[Cut], Forward]:
        """Return the tokenised texts, none truncated, and the network."""
        return cut_texts(self.speller.tokenizer, texts, self._begin), self.body

    def _try_out(self, name: str) -> list[str]:
        """Compare batches with single passes, and see whether the model looks ahead; return notes."""
        network, cuts = self.network, self.cut(PROBES)[0]
        sequences = [cut.ids for cut in cuts]
        network.one_by_one, network.fast, quick = True, False, network.fast
        alone = [self._numbers([ids])[0] for ids in sequences]
        network.one_by_one = False
        self.depth, self.dimensions = len(alone[0]), int(alone[0].shape[-1])
        if not all(np.isfinite(states).all() for states in alone):
            raise DataError(f"'{name}' gives no numbers (NaN): its weights are damaged, or their type is too small.")
        for network.fast in dict.fromkeys((quick, False)):
            found = fitting(lambda: list(map(self._in_company, sequences)))
            steady = found is not None and all(np.array_equal(each[0], one) for each in found for one in each)
            alike = found is not None and all(
                self._alike(each[-1], own) for each, own in zip(found, alone, strict=True)
            )
            if alike and (steady or self.alone):
                break
        network.one_by_one = not alike or not (steady or self.alone)
        ahead, beginning = False, ""
        for ids, states in zip(sequences, alone, strict=True):  # does another last token change what is before it?
            other = ids[0] if ids[0] != ids[-1] else (ids[-1] + 1) % network.vocabulary
            ahead = ahead or not self._alike(self._numbers([(*ids[:-1], other)])[0][:, :-1], states[:, :-1])
        if not cuts[0].content.start:
            self.refuses_first = "it does not put a token before a sentence"
        if not ahead:
            self.refuses_first = "it reads from left to right, so the first token sees no other"
            begin, beginning = beginning_of(self.speller.tokenizer, network.vocabulary)
            self._begin = [] if begin is None else [begin]
            self.body.options = {"use_cache": False}  # it would hold keys and values of every layer
        batch = ALONE if network.one_by_one else "" if steady else UNSTEADY
        return ["" if ahead else LEFT_TO_RIGHT, beginning.partition(",")[0], batch]

    def _in_company(self, ids: Ids) -> list[Any]:
        """Return the vectors of a sequence alone, and at several places among others."""
        other = ids[1:2] * len(ids)
        found = self._numbers([other, ids, ids, *[other] * FEWEST, ids])
        return [*self._numbers([ids]), *found[1:3], found[-1]]

    def _numbers(self, sequences: Sequence[Ids]) -> list[Any]:
        """Return, for each sequence, all its vectors: (layers, tokens, d)."""
        states = [state.float().cpu().numpy() for state in self.body(sequences, every=True)]
        return [np.stack([state[row] for state in states]) for row in range(len(sequences))]

    def _alike(self, found: Any, expected: Any) -> bool:
        """Tell whether vectors are the same up to rounding, relative to their largest number."""
        return self.network.agree(found, expected, max(1.0, float(np.abs(expected).max())))

    def _vectors_of(self, queries: list[Query]) -> InPlace:
        work = ((batch, None) for batch in batches(queries, self._pooled.limits))
        return (part.items() for part in self._run(work, self._pooled))


@dataclass(eq=False)
class ChosenLayer:
    """Sequences of tokens, all of one length, to vectors of one layer, or of all; it can be sent to workers."""

    network: Network
    layer: Layer
    options: dict[str, Any] = field(default_factory=dict)

    def __call__(self, sequences: Sequence[Ids], *, every: bool = False) -> Any:
        """Return (sequences, tokens, d) of the chosen layer, or of every layer one after the other."""
        if self.network.one_by_one and len(sequences) > 1:
            import torch

            return torch.cat([self([ids]) for ids in sequences])
        ids, mask = self.network.rows(sequences)
        with inference(self.network.fast):
            if self.layer == "last" and not every:
                return self.network.model(input_ids=ids, attention_mask=mask, **self.options)[0][: len(sequences)]
            with self.network.recording():
                output = self.network.model(
                    input_ids=ids, attention_mask=mask, output_hidden_states=True, **self.options
                )
            states = tuple(layer[: len(sequences)] for layer in (*output.hidden_states[:-1], output[0]))
            return states if every else chosen(states, self.layer)

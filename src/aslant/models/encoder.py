"""Any encoder of transformers (BERT, RoBERTa, DistilBERT, MiniLM …) as a network for `ContextEncoder`."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from aslant.errors import DataError, MeasureError
from aslant.models.causal import beginning_of
from aslant.models.encoding import ContextEncoder, Forward, Layer, Pieces, check_choice, chosen
from aslant.models.masked import longest, queries_in_place
from aslant.models.network import MISFITS, Network, memory_suffices, out_of_memory
from aslant.models.plan import Query, batches
from aslant.models.protocols import INSIDE, Progress, Sentence
from aslant.models.spelling import Speller
from aslant.models.table import Ids
from aslant.models.windows import Cut

#: Texts of different lengths with which a model is tested when it is loaded.
PROBES = ("He is a doctor.", "I know that she is a good nurse, and so do they.")
#: Lone surrogates, which no tokenizer accepts, and their replacement: as long, so that spans stay where they are.
LONE, UNREADABLE = re.compile("[\ud800-\udfff]"), "\ufffd"
LEFT_TO_RIGHT = "left-to-right: a word does not see what follows it"
ALONE = "padding changes this model's numbers, so texts are run one at a time"


class TransformersEncoder(ContextEncoder):
    """A transformers model without a head, or the encoder of one, with its tokenizer.

    `layer`: "last", "mean" (of all, with the embeddings), or a number (0: the embeddings; −1: the last). `pieces`: a
    word's vector is the "mean" of its pieces', or that of the "first". A left-to-right model is accepted, with a note.
    """

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
        network = Network(model, int(tokenizer.pad_token_id or 0), token_budget)
        with memory_suffices(name):
            reader = TransformersReader(network, tokenizer, name, layer)
        check_choice(layer, pieces, reader.depth, name)
        record = {
            "name": name,
            "fingerprint": network.fingerprint(_written(tokenizer), layer, pieces, reader.sees, unused="pooler"),
            "format": f"encoder ({type(model).__name__}; layer: {layer}, pieces: {pieces})",
            "words": network.vocabulary,
            "dimensions": reader.dimensions,
            "note": "; ".join(filter(None, [note, *reader.notes])),
        }
        super().__init__(reader, record, pieces=pieces, tokens=network.limits.tokens)
        self.speller = Speller(tokenizer, longest=reader.sees)

    def word_vectors_in_place(
        self, sentences: Sequence[Sentence], word: Literal["target", "attribute"], *, progress: Progress | None = None
    ) -> NDArray[np.float32]:
        """Return vectors of `word`, by the layer and the pieces chosen, while the other one is masked; (sentences, d).

        As for a masked language model, a sentence begins with a capital where the tokenizer knows capitals.
        """
        mask = self.speller.tokenizer.mask_token_id
        if mask is None:
            raise MeasureError(f"the tokenizer of '{self.name}' has no mask, so no word can be hidden from it.")
        queries = queries_in_place(self.speller, int(mask), sentences, word)
        if self.pieces == "first":
            queries = [Query(query.ids, query.asks[:1]) for query in queries]
        distinct = list(dict.fromkeys(queries))
        vectors: dict[Query, NDArray[np.float32]] = {}
        for part in self._run((batch, None) for batch in batches(distinct, self._pooled.limits)):
            vectors.update(part)
            if progress is not None:
                progress("vectors", len(vectors), len(distinct))
        return np.concatenate([vectors[query] for query in queries])

    def in_vocabulary(self, word: str, template: str = INSIDE, role: Literal["target", "attribute"] = "target") -> bool:
        """Tell whether the word is a single piece as [TARGET] or [ATTRIBUTE] of a template; else inside a sentence."""
        return self.speller.one_piece(word, template, role)


@dataclass(eq=False)
class ChosenLayer:
    """Sequences of tokens to vectors of one layer, or of all; it can be sent to workers."""

    network: Network
    layer: Layer
    options: dict[str, Any] = field(default_factory=dict)

    def __call__(self, sequences: Sequence[Ids], *, every: bool = False) -> Any:
        """Return (sequences, tokens, d) of the chosen layer, or of every layer one after the other."""
        import torch

        if self.network.one_by_one and len(sequences) > 1:
            return self._one_by_one(sequences, every)
        ids, mask = self.network.padded(sequences)
        with torch.inference_mode():
            if self.layer == "last" and not every:
                return self.network.model(input_ids=ids, attention_mask=mask, **self.options)[0]
            with self.network.recording():
                output = self.network.model(
                    input_ids=ids, attention_mask=mask, output_hidden_states=True, **self.options
                )
            states = (*output.hidden_states[:-1], output[0])
            return states if every else chosen(states, self.layer)

    def _one_by_one(self, sequences: Sequence[Ids], every: bool) -> Any:
        from torch.nn.utils.rnn import pad_sequence

        found = [self([ids], every=every) for ids in sequences]
        if every:
            return [pad_sequence([each[n][0] for each in found], batch_first=True) for n in range(len(found[0]))]
        return pad_sequence([each[0] for each in found], batch_first=True)


class TransformersReader:
    """A transformers model with its fast tokenizer, tested: `notes` says what was found."""

    def __init__(self, network: Network, tokenizer: Any, name: str, layer: Layer) -> None:
        if not getattr(tokenizer, "is_fast", False):
            raise MeasureError(
                f"{type(tokenizer).__name__} does not say where its pieces are in a text; "
                "save the model with a fast tokenizer (tokenizer.json)."
            )
        self.network, self.tokenizer = network, tokenizer
        self.body, self.alone = ChosenLayer(network, layer), network.device.type != "cpu"
        self.sees = longest(network.model, tokenizer)
        self._begin: list[int] = []
        self.notes, self.refuses_first = [""], ""
        self._try_out(name)

    def cut(self, texts: Sequence[str]) -> tuple[list[Cut], Forward]:
        """Return the tokenised texts, none truncated, and the network."""
        readable = [LONE.sub(UNREADABLE, text) for text in texts]
        cut = self.tokenizer(
            readable, return_offsets_mapping=True, return_special_tokens_mask=True, return_attention_mask=False,
            return_token_type_ids=False, truncation=False, padding=False, verbose=False,
        )  # fmt: skip
        rows = zip(texts, cut["input_ids"], cut["offset_mapping"], cut["special_tokens_mask"], strict=True)
        return [self._framed(*row) for row in rows], self.body

    def cut_words(self, words: Sequence[str]) -> tuple[Cut, Forward]:
        """Return a sentence given as words, tokenised, and the network."""
        (cut,), forward = self.cut([" ".join(words)])
        return cut, forward

    def _framed(self, text: str, ids: list[int], offsets: list[tuple[int, int]], special: list[int]) -> Cut:
        ids, offsets = [*self._begin, *ids], [*((0, 0) for _ in self._begin), *offsets]
        own = [i for i, is_special in enumerate(special, len(self._begin)) if not is_special]
        return Cut(text, tuple(ids), offsets, range(own[0], own[-1] + 1) if own else range(0))

    def _try_out(self, name: str) -> None:
        """Compare padded passes with single ones, and see whether the model looks ahead."""
        cuts = self.cut(PROBES)[0]
        sequences = [cut.ids for cut in cuts]
        alone = [self._numbers([ids])[0] for ids in sequences]
        self.depth, self.dimensions = len(alone[0]), int(alone[0].shape[-1])
        if not all(np.isfinite(states).all() for states in alone):
            raise DataError(f"'{name}' gives no numbers (NaN): its weights are damaged, or their type is too small.")
        self.network.one_by_one = not self._batches_agree(sequences, alone)
        ahead = self._looks_ahead(sequences, alone)
        beginning = ""
        if not cuts[0].content.start:
            self.refuses_first = "it does not put a token before a sentence"
        if not ahead:
            self.refuses_first = "it reads from left to right, so the first token sees no other"
            begin, beginning = beginning_of(self.tokenizer, self.network.vocabulary)
            self._begin = [] if begin is None else [begin]
            self.body.options = {"use_cache": False}  # it would hold keys and values of every layer
        self.notes = [
            "" if ahead else LEFT_TO_RIGHT,
            beginning.partition(",")[0],
            ALONE if self.network.one_by_one else "",
        ]

    def _numbers(self, sequences: Sequence[Ids]) -> list[Any]:
        """Return, for each sequence, all its vectors: (layers, tokens, d)."""
        states = [state.float().cpu().numpy() for state in self.body(sequences, every=True)]
        return [np.stack([state[row, : len(ids)] for state in states]) for row, ids in enumerate(sequences)]

    def _batches_agree(self, sequences: Sequence[Ids], alone: Sequence[Any]) -> bool:
        try:
            found = self._numbers(sequences)
        except MISFITS as error:
            if out_of_memory(error):
                raise
            return False
        return all(self._alike(a, b) for a, b in zip(found, alone, strict=True))

    def _looks_ahead(self, sequences: Sequence[Ids], alone: Sequence[Any]) -> bool:
        """Tell whether another last token changes the vectors before it."""
        for ids, states in zip(sequences, alone, strict=True):
            other = ids[0] if ids[0] != ids[-1] else (ids[-1] + 1) % self.network.vocabulary
            if not self._alike(self._numbers([(*ids[:-1], other)])[0][:, :-1], states[:, :-1]):
                return True
        return False

    def _alike(self, found: Any, expected: Any) -> bool:
        """Tell whether vectors are the same up to rounding, relative to their largest number."""
        tolerance = self.network.tolerance * max(1.0, float(np.abs(expected).max()))
        return bool(np.allclose(found, expected, rtol=0, atol=tolerance))


def _written(tokenizer: Any) -> str:
    """Return everything that decides how a text is tokenised, except lengths, which calls change."""
    settings = json.loads(tokenizer.backend_tokenizer.to_str())
    return json.dumps({**settings, "truncation": None, "padding": None}, sort_keys=True)

"""Any encoder of transformers (BERT, RoBERTa, DistilBERT, MiniLM …) as a network for `ContextEncoder`."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from aslant.errors import DataError
from aslant.models.encoding import ContextEncoder, Forward, Layer, Pieces, Words, check_choice, chosen
from aslant.models.language_models import Answers, WordsInPlace, beginning_of
from aslant.models.network import Network, fitting, memory_suffices
from aslant.models.plan import Ids, Query, batches
from aslant.models.spelling import Cut, Speller, cut_texts, longest

#: Texts of different lengths with which a model is tested when it is loaded.
PROBES = ("He is a doctor.", "I know that she is a good nurse, and so do they.")
LEFT_TO_RIGHT = "left-to-right: a word does not see what follows it"
ALONE = "padding changes this model's numbers, so texts are run one at a time"


class TransformersEncoder(ContextEncoder, WordsInPlace):
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
        self.speller = Speller(tokenizer, longest=longest(model, tokenizer))
        self.network = Network(model, int(tokenizer.pad_token_id or 0), token_budget)
        self.body, self.alone = ChosenLayer(self.network, layer), self.network.alone
        self.sees = self.speller.longest
        self._begin: list[int] = []
        with memory_suffices(name):
            notes = self._try_out(name)
        check_choice(layer, pieces, self.depth, name)
        # Everything that decides how a text is tokenised, except lengths, which calls change.
        settings = {**json.loads(tokenizer.backend_tokenizer.to_str()), "truncation": None, "padding": None}
        written, words = json.dumps(settings, sort_keys=True), self.network.vocabulary
        fingerprint = self.network.fingerprint(written, layer, pieces, self.sees, unused="pooler")
        note, tokens = "; ".join(filter(None, [note, *notes])), self.network.limits.tokens
        kind = type(model).__name__
        super().__init__(name, kind, fingerprint, layer=layer, pieces=pieces, words=words, note=note, tokens=tokens)

    def cut(self, texts: Sequence[str], words: Words = None) -> tuple[list[Cut], Forward]:
        """Return the tokenised texts, none truncated, and the network."""
        return cut_texts(self.speller.tokenizer, texts, self._begin), self.body

    def _try_out(self, name: str) -> list[str]:
        """Compare padded passes with single ones, and see whether the model looks ahead; return notes."""
        network, cuts = self.network, self.cut(PROBES)[0]
        sequences = [cut.ids for cut in cuts]
        alone = [self._numbers([ids])[0] for ids in sequences]
        self.depth, self.dimensions = len(alone[0]), int(alone[0].shape[-1])
        if not all(np.isfinite(states).all() for states in alone):
            raise DataError(f"'{name}' gives no numbers (NaN): its weights are damaged, or their type is too small.")
        found = fitting(lambda: self._numbers(sequences))
        network.one_by_one = found is None or not all(map(self._alike, found, alone))
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
        return ["" if ahead else LEFT_TO_RIGHT, beginning.partition(",")[0], ALONE if network.one_by_one else ""]

    def _numbers(self, sequences: Sequence[Ids]) -> list[Any]:
        """Return, for each sequence, all its vectors: (layers, tokens, d)."""
        states = [state.float().cpu().numpy() for state in self.body(sequences, every=True)]
        return [np.stack([state[row, : len(ids)] for state in states]) for row, ids in enumerate(sequences)]

    def _alike(self, found: Any, expected: Any) -> bool:
        """Tell whether vectors are the same up to rounding, relative to their largest number."""
        return self.network.agree(found, expected, max(1.0, float(np.abs(expected).max())))

    def _vectors_of(self, queries: list[Query]) -> Answers:
        return (part.items() for part in self._run((batch, None) for batch in batches(queries, self._pooled.limits)))


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
            from torch.nn.utils.rnn import pad_sequence

            return pad_sequence([self([ids])[0] for ids in sequences], batch_first=True)
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

"""ELMo (Peters et al. 2018) in torch, from AllenNLP's files: options.json and weights in hdf5.

A word becomes bytes, bytes become a vector (character CNN, highway layers, projection); two language models, one
forwards and one backwards, each of a few LSTM layers with a projection, read words in their sentence. A layer's
vector is (forward, backward); layer 0 is the word's own vector, twice. Sentences stand between <S> and </S>.

Both directions run side by side: the backward one sees each sentence reversed. Tensors are (2 directions, time,
sentences, …), sentences by falling length, so that those still running are always the first ones.

`ElmoEncoder` cuts texts into words and punctuation, of any length.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Sequence
from dataclasses import asdict
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from aslant.errors import MeasureError
from aslant.models.elmo_files import ElmoOptions, read_options, read_weights
from aslant.models.encoder import ContextEncoder, Forward, Layer, Pieces, Words, check_choice, chosen
from aslant.models.network import FEWEST, token_limit
from aslant.models.plan import Ids
from aslant.models.spelling import Cut

if TYPE_CHECKING:
    from torch import Tensor

#: What each LSTM layer passes on: outputs (2, sentences, projection) and cells (2, sentences, cells).
States: TypeAlias = "list[tuple[Tensor, Tensor]]"
BEGIN, END = "<S>", "</S>"
#: Bytes are 0 to 255; what else a character can be. All are moved up by one, since 0 was kept for padding of sentences.
BEGIN_SENTENCE, END_SENTENCE, BEGIN_WORD, END_WORD, PADDING = range(256, 261)
#: Words that go through the CNN at once, and places (time × sentences) that are projected at once.
WORDS, PLACES = 256, 2048
#: Near the Penn Treebank's words, which ELMo was trained on. In turn: what stands before "n't"; "n't" and "'s" and the
#: like; titles; U.S.; numbers; words, hyphens inside; any other single character.
TOKEN = re.compile(
    r"""
    \w+?(?=n['’]t\b)
  | n['’]t\b
  | ['’](?:s|re|ve|ll|d|m)\b
  | (?:Mr|Mrs|Ms|Dr|Prof|St)\.
  | (?:[^\W\d_]\.){2,}
  | \d+(?:[.,]\d+)+
  | (?:\w[\u0300-\u036f]*)+(?:-(?:\w[\u0300-\u036f]*)+)*
  | \S
    """,
    re.VERBOSE | re.IGNORECASE,
)


def character_ids(word: str, width: int = 50) -> list[int]:
    """Return a word as `width` numbers: its bytes between two marks, cut if it is too long, then padding.

    >>> character_ids("né", 7)
    [259, 111, 196, 170, 260, 261, 261]
    >>> character_ids("<S>", 5)
    [259, 257, 260, 261, 261]
    """
    marks = {BEGIN: [BEGIN_SENTENCE], END: [END_SENTENCE]}
    inside = marks.get(word) or list(word.encode("utf-8", "ignore")[: width - 2])
    filled = [BEGIN_WORD, *inside, END_WORD]
    return [number + 1 for number in (*filled, *[PADDING] * (width - len(filled)))]


def words_of(text: str) -> list[tuple[int, int]]:
    """Return the (start, end) of each word, or punctuation mark, of a text.

    >>> text = "Ms. Hall doesn't like the U.S.-born man's 1,000 know-how."
    >>> [text[start:end] for start, end in words_of(text)]
    ['Ms.', 'Hall', 'does', "n't", 'like', 'the', 'U.S.', '-', 'born', 'man', "'s", '1,000', 'know-how', '.']
    """
    return [found.span() for found in TOKEN.finditer(text)]


class Elmo:
    """The network; `read` makes one from files. It keeps no state between calls."""

    def __init__(
        self, options: ElmoOptions, weights: dict[str, NDArray[np.float32]], device: str = "cpu", dtype: str = "float32"
    ) -> None:
        import torch

        self.options, self.weights = options, weights
        self.depth, self.dimensions = options.layers + 1, 2 * options.projection
        plain = {name: torch.from_numpy(np.ascontiguousarray(array)) for name, array in weights.items()}
        self._w = {name: tensor.to(device, getattr(torch, dtype)) for name, tensor in plain.items()}
        table = self._w["char_embed"]
        self.device = table.device
        self._w["char_embed"] = torch.cat([table.new_zeros(1, options.characters), table])
        self._cells = [self._cell(layer) for layer in range(options.layers)]

    @classmethod
    def read(cls, options: Path, weights: Path, device: str = "cpu", dtype: str = "float32") -> Elmo:
        """Return the network that two files describe; what does not fit together is a `DataError`."""
        settings = read_options(options)
        return cls(settings, read_weights(weights, settings), device, dtype)

    def fingerprint(self, *settings: Any) -> str:
        """Return twelve hex digits from the options, every weight, and `settings`."""
        digest = hashlib.blake2b(json.dumps([asdict(self.options), settings], sort_keys=True, default=str).encode())
        for name, array in sorted(self.weights.items()):
            digest.update(f"{name}{array.shape}".encode())
            digest.update(np.ascontiguousarray(array).data)
        return digest.hexdigest()[:12]

    def token_vectors(self, words: Sequence[str]) -> Tensor:
        """Return the character CNN's vectors of words, regardless of their sentence: (words, projection)."""
        import torch

        ids = torch.tensor([character_ids(word, self.options.width) for word in words], device=self.device)
        lengths = (ids != PADDING + 1).sum(dim=1)
        vectors = self._w["CNN_proj/b_proj"].new_empty(len(words), self.options.projection)
        widest = max(width for width, _ in self.options.filters)
        with torch.inference_mode():
            for length in lengths.unique():  # one at a time, so that a word has the same vector beside any others
                seen = min(self.options.width, int(length) + widest)  # windows further on hold only padding
                for batch in torch.nonzero(lengths == length)[:, 0].split(WORDS):
                    filled = torch.cat([batch, batch[-1:].expand(max(0, FEWEST - len(batch)))])
                    vectors[batch] = self._token_vectors(ids[filled, :seen])[: len(batch)]
        return vectors

    def contextual(
        self, tokens: Tensor, lengths: Sequence[int], states: States | None = None
    ) -> tuple[list[Tensor], States]:
        """Run the language models over sentences by falling length, with <S> and </S>, padded at their ends.

        `tokens`: (sentences, time, projection). Returned are all layers, the first being `tokens` twice, as
        (sentences, time, dimensions), and the states after the last word. Without `states`, they begin at zero.
        """
        import torch

        with torch.inference_mode():
            places = torch.arange(tokens.shape[1], device=self.device)[None]
            ends = torch.tensor(lengths, device=self.device)[:, None]
            # From each sentence's last word to its first; padding stays where it is.
            back = torch.where(places < ends, ends - 1 - places, places)[..., None]
            turned = tokens.gather(1, back.expand_as(tokens))
            inputs = torch.stack([tokens, turned]).transpose(1, 2).contiguous()
            layers = [torch.cat([tokens, tokens], dim=-1)]
            after: States = []
            for cell, before in zip(self._cells, states or self.states(len(lengths)), strict=True):
                outputs, state = self._lstm(inputs, lengths, cell, before)
                if after and self.options.skip_connections:
                    outputs += inputs
                forwards, backwards = outputs.transpose(1, 2)
                layers.append(torch.cat([forwards, backwards.gather(1, back.expand_as(tokens))], dim=-1))
                after.append(state)
                inputs = outputs
        return layers, after

    def states(self, sentences: int) -> States:
        """Return the states in which that many sentences begin: zeros."""
        sizes = (self.options.projection, self.options.cells)
        output, memory = (self._w["CNN_proj/b_proj"].new_zeros(2, sentences, size) for size in sizes)
        return [(output, memory)] * self.options.layers

    def _token_vectors(self, ids: Tensor) -> Tensor:
        import torch

        # For each filter, its largest value over the places of a word: (words, filters).
        activation = torch.relu if self.options.activation == "relu" else torch.tanh
        characters = self._w["char_embed"][ids].transpose(1, 2)
        found = []
        for i in range(len(self.options.filters)):
            weight = self._w[f"CNN/W_cnn_{i}"][0].permute(2, 1, 0)  # (width, in, out) → (out, in, width)
            found.append(torch.conv1d(characters, weight, self._w[f"CNN/b_cnn_{i}"]).amax(dim=-1))
        x = activation(torch.cat(found, dim=-1))
        for i in range(self.options.highways):
            w = {name: self._w[f"CNN_high_{i}/{name}"] for name in ("W_carry", "b_carry", "W_transform", "b_transform")}
            carry = torch.sigmoid(torch.addmm(w["b_carry"], x, w["W_carry"]))
            transformed = torch.relu(torch.addmm(w["b_transform"], x, w["W_transform"]))
            x = carry * transformed + (1 - carry) * x
        return torch.addmm(self._w["CNN_proj/b_proj"], x, self._w["CNN_proj/W_proj"])

    def _cell(self, layer: int) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        """Return a layer's weights, both directions stacked: for inputs, for states, biases, projection."""
        import torch

        def both(name: str) -> Tensor:
            return torch.stack([self._w.pop(f"RNN_{d}/RNN/MultiRNNCell/Cell{layer}/LSTMCell/{name}") for d in (0, 1)])

        weight, bias = both("W_0"), both("B").unsqueeze(1)
        bias.chunk(4, dim=-1)[2].add_(1)  # TensorFlow's cells add 1 to the input of the forget gate
        entry = weight.shape[1] - self.options.projection
        return weight[:, :entry].contiguous(), weight[:, entry:].contiguous(), bias, both("W_P_0")

    def _lstm(
        self, inputs: Tensor, lengths: Sequence[int], cell: tuple[Tensor, ...], state: tuple[Tensor, Tensor]
    ) -> tuple[Tensor, tuple[Tensor, Tensor]]:
        """Run one layer over (2, time, sentences, in); sentences that have ended keep their state, and give zeros."""
        import torch

        to_gates, from_state, bias, projection = cell
        sentences, options = inputs.shape[2], self.options
        output, memory = (part.clone() for part in state)
        outputs = inputs.new_zeros(*inputs.shape[:3], options.projection)
        running = (np.asarray(lengths)[None] > np.arange(inputs.shape[1])[:, None]).sum(axis=1).tolist()
        blocks = inputs.split(max(1, PLACES // sentences), dim=1)  # many time steps are one multiplication
        opened = (torch.baddbmm(bias, x.flatten(1, 2), to_gates).unflatten(1, x.shape[1:3]).unbind(1) for x in blocks)
        for time, projected in enumerate(chain.from_iterable(opened)):
            n = running[time]
            gates = torch.baddbmm(projected[:, :n], output[:, :n], from_state)
            entry, new, forget, out = gates.chunk(4, dim=-1)  # TensorFlow's order
            kept = torch.sigmoid(entry) * torch.tanh(new) + torch.sigmoid(forget) * memory[:, :n]
            memory[:, :n] = _clipped(kept, options.cell_clip)
            shown = torch.bmm(torch.sigmoid(out) * torch.tanh(memory[:, :n]), projection)
            output[:, :n] = _clipped(shown, options.projection_clip)
            outputs[:, time, :n] = output[:, :n]
        return outputs, (output, memory)


def _clipped(x: Tensor, limit: float | None) -> Tensor:
    return x.clamp_(-limit, limit) if limit else x


class StatefulElmo:
    """Sentences in batches, each row of a batch continuing from the state in which the same row of the last one ended.

    AllenNLP's ELMo always works this way, which makes a sentence's vectors depend on earlier ones. It is here to
    compare with numbers made that way. Rows beyond those of earlier batches begin at zero; rows that a smaller batch
    does not have keep their state.
    """

    def __init__(self, elmo: Elmo) -> None:
        self.elmo = elmo
        self._states = elmo.states(0)

    def layers(self, sentences: Sequence[Sequence[str]]) -> list[NDArray[np.float32]]:
        """Return (layers, words, dimensions) for each sentence of the next batch, given as words."""
        from torch.nn.functional import pad
        from torch.nn.utils.rnn import pad_sequence

        framed = [(BEGIN, *words, END) for words in sentences]
        vocabulary = {word: i for i, word in enumerate(dict.fromkeys(word for row in framed for word in row))}
        vectors = self.elmo.token_vectors(list(vocabulary))
        order = sorted(range(len(framed)), key=lambda row: -len(framed[row]))
        lengths = [len(framed[row]) for row in order]
        sequences = [vectors[[vocabulary[word] for word in framed[row]]] for row in order]
        tokens = pad_sequence(sequences, batch_first=True)
        more = max(0, len(framed) - self._states[0][0].shape[1])
        self._states = [(pad(output, (0, 0, 0, more)), pad(memory, (0, 0, 0, more))) for output, memory in self._states]
        before = [(output[:, order], memory[:, order]) for output, memory in self._states]
        layers, after = self.elmo.contextual(tokens, lengths, before)
        for kept, ended in zip(chain(*self._states), chain(*after), strict=True):
            kept[:, order] = ended
        found = [
            np.stack([layer[i, 1 : n - 1].float().cpu().numpy() for layer in layers]) for i, n in enumerate(lengths)
        ]
        return [found[place] for place in np.argsort(order)]


class ElmoEncoder(ContextEncoder):
    """An ELMo; `layer`: "mean" of the three layers (the default), "last", or 0, 1, 2. It keeps no state between texts.

    `pieces` matters where a span covers several words. See `StatefulElmo` for vectors as AllenNLP makes them.
    """

    refuses_first = "ELMo has no token that stands for a sentence"

    def __init__(
        self,
        elmo: Elmo,
        name: str,
        *,
        layer: Layer = "mean",
        pieces: Pieces = "mean",
        token_budget: int | None = None,
        dtype: str = "float32",
    ) -> None:
        check_choice(layer, pieces, elmo.depth, name)
        self.elmo, self.layer, self.alone = elmo, layer, elmo.device.type != "cpu"
        self.depth, self.dimensions = elmo.depth, elmo.dimensions
        # It reads characters, and has no list of words.
        fingerprint, tokens = elmo.fingerprint(layer, pieces, dtype), token_limit(token_budget, elmo.device)
        super().__init__(name, "ELMo", fingerprint, layer=layer, pieces=pieces, words=0, note="", tokens=tokens)

    def stateful(self) -> StatefulElmo:
        """Return the same network with states that are carried from batch to batch, as AllenNLP's does."""
        return StatefulElmo(self.elmo)

    def cut(self, texts: Sequence[str], words: Words = None) -> tuple[list[Cut], Forward]:
        """Return the texts as words, numbered anew each time: each distinct one goes through the character CNN once."""
        import torch

        numbers = {BEGIN: 0, END: 1}
        cuts = []
        for text, found in zip(texts, words or map(words_of, texts), strict=True):
            if not all(end > start for start, end in found):
                raise MeasureError("an empty word has no vector; leave it out.")
            inside = (numbers.setdefault(text[start:end], len(numbers)) for start, end in found)
            cuts.append(Cut(text, (0, *inside, 1), [(0, 0), *found, (len(text), len(text))], range(1, len(found) + 1)))
        vectors = self.elmo.token_vectors(list(numbers))

        def forward(sequences: Sequence[Ids], *, every: bool = False) -> Any:
            filled = [*sequences, *[sequences[-1]] * (FEWEST - len(sequences))]
            layers, _ = self.elmo.contextual(vectors[torch.tensor(filled)], list(map(len, filled)))
            with torch.inference_mode():
                layers = [layer[: len(sequences)] for layer in layers]
                return layers if every else chosen(layers, self.layer)

        return cuts, forward

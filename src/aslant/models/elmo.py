"""ELMo (Peters et al. 2018) in torch, from AllenNLP's files: options.json and weights in hdf5.

A word becomes bytes, bytes become a vector (character CNN, highway layers, projection); two language models, one
forwards and one backwards, each of a few LSTM layers with a projection, read words in their sentence. A layer's
vector is (forward, backward); layer 0 is the word's own vector, twice. Sentences stand between <S> and </S>.

Both directions run side by side: the backward one sees each sentence reversed. Tensors are (2 directions, time,
sentences, …), sentences by falling length, so that those still running are always the first ones.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from aslant.models.elmo_files import ElmoOptions, read_options, read_weights

if TYPE_CHECKING:
    from torch import Tensor

#: What each LSTM layer passes on: outputs (2, sentences, projection) and cells (2, sentences, cells).
States: TypeAlias = "list[tuple[Tensor, Tensor]]"
BEGIN, END = "<S>", "</S>"
#: Bytes are 0 to 255; what else a character can be. All are moved up by one, since 0 was kept for padding of sentences.
BEGIN_SENTENCE, END_SENTENCE, BEGIN_WORD, END_WORD, PADDING = range(256, 261)
#: Words that go through the CNN at once, and places (time × sentences) that are projected at once.
WORDS, PLACES = 256, 2048


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


class Elmo:
    """The network; `read` makes one from files. It keeps no state between calls."""

    def __init__(
        self, options: ElmoOptions, weights: dict[str, NDArray[np.float32]], device: str = "cpu", dtype: str = "float32"
    ) -> None:
        import torch

        self.options, self.weights = options, weights
        self.depth, self.dimensions = options.layers + 1, 2 * options.projection

        def tensor(array: NDArray[np.float32]) -> Tensor:
            return torch.from_numpy(np.ascontiguousarray(array)).to(device, getattr(torch, dtype))

        self._w = {name: tensor(array) for name, array in weights.items()}
        table = self._w["char_embed"]
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
        order = torch.argsort(lengths, stable=True)
        vectors = self._w["CNN_proj/b_proj"].new_empty(len(words), self.options.projection)
        with torch.inference_mode():
            for batch in order.split(WORDS):
                vectors[batch] = self._highway(self._cnn(ids[batch, : self._seen(int(lengths[batch[-1]]))]))
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
            back = self._reversal(lengths, tokens.shape[1])[..., None]
            turned = tokens.gather(1, back.expand_as(tokens))
            inputs = torch.stack([tokens, turned]).transpose(1, 2).contiguous()
            layers, after = [torch.cat([tokens, tokens], dim=-1)], []
            for number, cell in enumerate(self._cells):
                outputs, state = self._lstm(inputs, lengths, cell, states[number] if states else None)
                if number and self.options.skip_connections:
                    outputs += inputs
                forwards, backwards = outputs.transpose(1, 2)
                layers.append(torch.cat([forwards, backwards.gather(1, back.expand_as(tokens))], dim=-1))
                after.append(state)
                inputs = outputs
        return layers, after

    @property
    def device(self) -> Any:
        """Where the network runs."""
        return self._w["CNN_proj/b_proj"].device

    def _seen(self, longest: int) -> int:
        """Return how many characters need to be read: all further windows hold only padding, like the last one."""
        return min(self.options.width, longest + max(width for width, _ in self.options.filters))

    def _cnn(self, ids: Tensor) -> Tensor:
        """Return, for each filter, its largest value over the places of a word: (words, filters)."""
        import torch

        activation = torch.relu if self.options.activation == "relu" else torch.tanh
        characters = self._w["char_embed"][ids].transpose(1, 2)
        found = []
        for i in range(len(self.options.filters)):
            weight = self._w[f"CNN/W_cnn_{i}"][0].permute(2, 1, 0)  # (width, in, out) → (out, in, width)
            found.append(torch.conv1d(characters, weight, self._w[f"CNN/b_cnn_{i}"]).amax(dim=-1))
        return activation(torch.cat(found, dim=-1))

    def _highway(self, x: Tensor) -> Tensor:
        import torch

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
        self, inputs: Tensor, lengths: Sequence[int], cell: tuple[Tensor, ...], state: tuple[Tensor, Tensor] | None
    ) -> tuple[Tensor, tuple[Tensor, Tensor]]:
        """Run one layer over (2, time, sentences, in); sentences that have ended keep their state, and give zeros."""
        import torch

        _, _, own, projection = cell
        sentences, options = inputs.shape[2], self.options
        if state is None:
            state = (inputs.new_zeros(2, sentences, options.projection), inputs.new_zeros(2, sentences, options.cells))
        output, memory = (part.clone() for part in state)
        outputs = inputs.new_zeros(*inputs.shape[:3], options.projection)
        running = (np.asarray(lengths)[None] > np.arange(inputs.shape[1])[:, None]).sum(axis=1).tolist()
        for time, projected in enumerate(_projected(inputs, cell[0], own)):
            n = running[time]
            gates = torch.baddbmm(projected[:, :n], output[:, :n], cell[1])
            entry, new, forget, out = gates.chunk(4, dim=-1)  # TensorFlow's order
            kept = torch.sigmoid(entry) * torch.tanh(new) + torch.sigmoid(forget) * memory[:, :n]
            memory[:, :n] = _clipped(kept, options.cell_clip)
            output[:, :n] = _clipped(
                torch.bmm(torch.sigmoid(out) * torch.tanh(memory[:, :n]), projection), options.projection_clip
            )
            outputs[:, time, :n] = output[:, :n]
        return outputs, (output, memory)

    def _reversal(self, lengths: Sequence[int], time: int) -> Tensor:
        """Return, for each sentence, the places of its words from last to first; padding stays where it is."""
        import torch

        places = torch.arange(time, device=self.device)[None]
        ends = torch.tensor(lengths, device=self.device)[:, None]
        return torch.where(places < ends, ends - 1 - places, places)


def _clipped(x: Tensor, limit: float | None) -> Tensor:
    return x.clamp_(-limit, limit) if limit else x


def _projected(inputs: Tensor, weight: Tensor, bias: Tensor) -> Iterator[Tensor]:
    """Yield the inputs' part of the gates, one time step after the other; many steps are one multiplication."""
    import torch

    for block in inputs.split(max(1, PLACES // inputs.shape[2]), dim=1):
        opened = torch.baddbmm(bias, block.flatten(1, 2), weight).unflatten(1, block.shape[1:3])
        yield from opened.unbind(1)


class StatefulElmo:
    """Sentences in batches, each row of a batch continuing from the state in which the same row of the last one ended.

    AllenNLP's ELMo always works this way, which makes a sentence's vectors depend on earlier ones. It is here to
    compare with numbers made that way. Rows beyond those of earlier batches begin at zero; rows that a smaller batch
    does not have keep their state.
    """

    def __init__(self, elmo: Elmo) -> None:
        self.elmo = elmo
        self._states: States | None = None

    def layers(self, sentences: Sequence[Sequence[str]]) -> list[NDArray[np.float32]]:
        """Return (layers, words, dimensions) for each sentence of the next batch, given as words."""
        framed = [(BEGIN, *words, END) for words in sentences]
        vocabulary = {word: i for i, word in enumerate(dict.fromkeys(word for row in framed for word in row))}
        vectors = self.elmo.token_vectors(list(vocabulary))
        order = sorted(range(len(framed)), key=lambda row: -len(framed[row]))
        lengths = [len(framed[row]) for row in order]
        tokens = padded_rows([[vocabulary[word] for word in framed[row]] for row in order], vectors)
        layers, after = self.elmo.contextual(tokens, lengths, self._before(order))
        self._keep(order, after)
        places = {row: place for place, row in enumerate(order)}
        return [
            np.stack([layer[places[row], 1 : len(words) - 1].float().cpu().numpy() for layer in layers])
            for row, words in enumerate(framed)
        ]

    def _before(self, order: list[int]) -> States | None:
        """Return the states of the rows in `order`; there are zeros for rows that are new."""
        if self._states is None:
            return None
        grown = []
        for state in self._states:
            more = len(order) - state[0].shape[1]
            parts = [_with_rows(part, more) if more > 0 else part for part in state]
            grown.append((parts[0], parts[1]))
        self._states = grown
        return [(output[:, order], memory[:, order]) for output, memory in grown]

    def _keep(self, order: list[int], after: States) -> None:
        if self._states is None:
            self._states = [(output.clone(), memory.clone()) for output, memory in after]
        for kept, new in zip(self._states, after, strict=True):
            for part, state in zip(kept, new, strict=True):
                part[:, order] = state


def _with_rows(state: Tensor, rows: int) -> Tensor:
    """Return a state with that many more rows of zeros."""
    import torch

    return torch.cat([state, state.new_zeros(state.shape[0], rows, state.shape[2])], dim=1)


def padded_rows(rows: Sequence[Sequence[int]], vectors: Tensor) -> Tensor:
    """Return (rows, time, d): the vectors that each row's numbers stand for, zeros after its end.

    >>> import torch
    >>> padded_rows([[1, 0], [1]], torch.tensor([[5.0], [7.0]])).tolist()
    [[[7.0], [5.0]], [[7.0], [0.0]]]
    """
    found = vectors.new_zeros(len(rows), max(map(len, rows)), vectors.shape[1])
    for place, row in enumerate(rows):
        found[place, : len(row)] = vectors[list(row)]
    return found

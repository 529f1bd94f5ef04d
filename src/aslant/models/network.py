"""A transformers model as this package uses it: sequences in, log-probabilities at a few positions out.

The head (a matrix as large as the vocabulary) is run only at the positions that are needed. That works for any
architecture whose head looks at one position at a time: the model's own forward pass is run, and what its encoder hands
to the head is narrowed on the way, for the thread that asked. Each model is checked against its plain forward pass
before it is trusted.
"""

from __future__ import annotations

import copyreg
import hashlib
import io
import json
import pickle
import threading
from collections import OrderedDict
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from copy import deepcopy
from importlib.util import find_spec
from itertools import islice
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from aslant.errors import MeasureError
from aslant.models.plan import Ids, Limits, Query, Values, out_of_memory

Found = TypeVar("Found")
#: Largest difference from the plain forward pass, by the bits of a number.
TOLERANCE = {4: 1e-4, 8: 1e-4, 2: 5e-2}
#: Tokens that go through a model at once, padding included, where the user does not say: processor, and others.
TOKENS, TOKENS_ACCELERATED = 2048, 16384
#: Logits that are held at once: 128 MB as float32.
LOGITS = 32_000_000
#: Settings of a configuration that change no number: where it came from, who wrote it.
NOT_HASHED = ("name_or_path", "transformers_version", "architectures", "dtype", "torch_dtype")
#: What fails when a model is not built as assumed; the plain forward pass is used then.
MISFITS = (RuntimeError, IndexError, KeyError, TypeError, ValueError, AttributeError)
#: Hooks that were added to a model while it ran here: they cannot be sent, and are added again where needed.
HOOKS = ("_forward_hooks", "_forward_pre_hooks", "_forward_hooks_with_kwargs", "_forward_pre_hooks_with_kwargs")
#: What transformers records about its own hooks.
HOOKED = "_output_capturing_hooks_installed"


class Reading:
    """Which logits are needed, and which tokens are read there: each (row, position) once, however often requested."""

    def __init__(self) -> None:
        self.places: dict[tuple[int, int], int] = {}
        self._asked: list[tuple[int, int]] = []

    def add(self, row: int, position: int, token: int) -> None:
        """Ask for a token's log-probability at a place."""
        self._asked.append((self.places.setdefault((row, position), len(self.places)), token))

    def values(self, logits: Any) -> Iterator[float]:
        """Return log-probabilities, in the order in which they were requested, from logits (places, vocabulary)."""
        import torch

        rows, tokens = _columns(self._asked, logits.device)
        values = logits[rows, tokens] - torch.logsumexp(logits, dim=-1)[rows]
        if values.isnan().any():
            raise MeasureError("the model returns NaN: its weights are damaged, or their type is too small.")
        return iter(values.tolist())


class Network:
    """A model in evaluation mode on its device; `narrow`: the head is run only at the requested positions."""

    def __init__(self, model: Any, pad: int, token_budget: int | None = None) -> None:
        self.model, self.base, self.pad = model.eval(), model.base_model, pad
        # Out of a mapped file or a store into memory that torch allocates, on which bits may depend: a model that was
        # opened here and one that was sent to a worker are then treated alike.
        for tensor in (*model.parameters(), *model.buffers()):
            if tensor.device.type == "cpu" and (tensor.data_ptr() % 64 or not tensor.is_contiguous()):
                tensor.data = tensor.data.contiguous().clone()
        first = next(model.parameters())
        self.device, self.dtype, self.alone = first.device, first.dtype, first.device.type != "cpu"
        self.vocabulary = int(model.config.get_text_config().vocab_size)
        self.narrow, self.one_by_one = self.base is not model, False
        self._recording = threading.Lock()
        self._asked = threading.local()  # the places that a pass of this thread is narrowed to
        if self.narrow:
            self.base.register_forward_hook(self._narrow)
        self.limits = Limits(token_limit(token_budget, self.device), max(1, LOGITS // self.vocabulary))

    def agree(self, found: Any, expected: Any, scale: float = 1.0) -> bool:
        """Tell whether numbers are the same up to rounding; a token may be ruled out (−∞) in both."""
        return bool(np.allclose(found, expected, rtol=0, atol=scale * TOLERANCE[self.dtype.itemsize]))

    def log_probabilities(self, batch: Sequence[Query]) -> list[Values]:
        """Return what each query of a batch asks for (log-softmax in float32)."""
        if self.one_by_one and len(batch) > 1:
            return [self.log_probabilities([query])[0] for query in batch]
        if batch[0].shared:
            return self._continued(batch)
        inputs, reading = self._read(batch)
        values = reading.values(self.logits(reading.places, **inputs)[0])
        return [tuple(islice(values, len(query.asks))) for query in batch]

    def _read(self, batch: Sequence[Query]) -> tuple[dict[str, Any], Reading]:
        """Return a batch as the model takes it, and what is to be read."""
        ids, mask = self.padded([query.ids for query in batch])
        reading = Reading()
        for row, query in enumerate(batch):
            for position, token in query.asks:
                reading.add(row, position, token)
        return {"input_ids": ids, "attention_mask": mask}, reading

    def attending(self) -> Network:
        """Return a network with the same weights that shows its attention, which is slower."""
        kept: list[Any] = [*self.model.parameters(), *self.model.buffers(), self]
        for module in self.model.modules():  # and whoever else looks at this model
            owners = (getattr(hook, "__self__", None) for hook in module._forward_hooks.values())
            kept += [owner for owner in owners if isinstance(owner, Network)]
        model = deepcopy(self.model, {id(each): each for each in kept})
        model.set_attn_implementation("eager")
        network = Network(model, self.pad, self.limits.tokens)
        network.narrow, network.one_by_one = self.narrow, self.one_by_one
        return network

    def attended(self, batch: Sequence[Query]) -> list[Values]:
        """Return log-probabilities, each times its token's attention: the mean over layers, heads and tokens."""
        import torch

        if self.one_by_one and len(batch) > 1:
            return [self.attended([query])[0] for query in batch]
        inputs, reading = self._read(batch)
        with self.recording():
            logits, output = self.logits(reading.places, **inputs, output_attentions=True)
        if not output.attentions or any(layer is None for layer in output.attentions):
            raise MeasureError("this model does not show its attention, so 'aula' cannot be computed; use 'aul'.")
        mask = inputs["attention_mask"]
        weights = torch.stack([layer.float().mean(dim=1) for layer in output.attentions]).mean(dim=0)  # row, from, to
        received = (weights * mask[:, :, None]).sum(dim=1) / mask.sum(dim=1, keepdim=True)
        values = reading.values(logits)
        return [
            tuple(float(received[row, position]) * next(values) for position, _ in query.asks)
            for row, query in enumerate(batch)
        ]

    def _continued(self, batch: Sequence[Query]) -> list[Values]:
        """Return the answers; distinct prefixes of `shared` tokens (the same in all queries) are run once each."""
        import torch

        shared = batch[0].shared
        heads: dict[Ids, int] = {}
        head_of = [heads.setdefault(query.ids[:shared], len(heads)) for query in batch]
        early, late = Reading(), Reading()
        for row, query in enumerate(batch):
            for position, token in query.asks:
                if position < shared:
                    early.add(head_of[row], position, token)
                else:
                    late.add(row, position - shared, token)
        ids, mask = self.padded(list(heads))
        logits, output = self.logits(early.places, input_ids=ids, attention_mask=mask, use_cache=True)
        before, cache = early.values(logits), output.past_key_values
        cache.batch_select_indices(torch.tensor(head_of, device=self.device))
        ids, mask = self.padded([query.ids[shared:] for query in batch])
        mask = torch.cat([mask.new_ones(len(batch), cache.get_seq_length()), mask], dim=1)
        options = {"past_key_values": cache, "use_cache": True}
        after = late.values(self.logits(late.places, input_ids=ids, attention_mask=mask, **options)[0])
        return [tuple(next(before if i < shared else after) for i, _ in query.asks) for query in batch]

    def logits(self, places: Collection[tuple[int, int]], **inputs: Any) -> tuple[Any, Any]:
        """Return logits (places, vocabulary) in float32 at (row, position) places, and all that the model returned."""
        import torch

        rows, columns = _columns(places, self.device)
        with torch.inference_mode():
            if not self.narrow:
                output = self.model(**inputs)
                return output.logits[rows, columns].float(), output
            self._asked.places = rows, columns
            try:
                output = self.model(**inputs)
            finally:
                self._asked.places = None
            if output.logits.shape[:2] != (1, len(places)):
                raise ValueError("the head's shape is not that of what it was given")
            return output.logits[0].float(), output

    def _narrow(self, _module: Any, _inputs: Any, output: Any) -> Any:
        """Let what follows the encoder see its last states at the places of this pass only, as one row of them."""
        places = getattr(self._asked, "places", None)
        if places is None:
            return None
        picked = output[0][places].unsqueeze(0)
        if isinstance(output, tuple):
            return (picked, *output[1:])
        output["last_hidden_state"] = picked
        return output

    def __reduce__(self) -> tuple[Any, ...]:
        checked = {"narrow": self.narrow, "one_by_one": self.one_by_one, "limits": self.limits}
        _Packer(packed := io.BytesIO(), protocol=pickle.HIGHEST_PROTOCOL).dump(self.model)
        return _unpacked, (packed.getvalue(), self.pad, checked)

    def hidden(self, batch: Sequence[Query]) -> list[NDArray[np.float32]]:
        """Return the mean of the last layer's vectors at the requested positions of each query; (d,) each."""
        import torch

        if self.one_by_one and len(batch) > 1:
            return [self.hidden([query])[0] for query in batch]
        ids, mask = self.padded([query.ids for query in batch])
        with torch.inference_mode():
            if self.base is not self.model:
                states = self.base(input_ids=ids, attention_mask=mask)[0].float()
            else:  # no encoder apart from its head
                with self.recording():
                    output = self.model(input_ids=ids, attention_mask=mask, output_hidden_states=True)
                states = output.hidden_states[-1].float()
        places = [[position for position, _ in query.asks] for query in batch]
        return [states[row, at].mean(dim=0).cpu().numpy() for row, at in enumerate(places)]

    def recording(self) -> AbstractContextManager[Any]:
        """Return what a pass that records the states of every layer needs: early transformers 5 took one at a time."""
        return nullcontext() if find_spec("transformers.utils.output_capturing") else self._recording

    def padded(self, sequences: Sequence[Ids]) -> tuple[Any, Any]:
        """Return (rows, tokens) tensors of ids, padded on the right, and of the attention mask."""
        import torch

        width = max(map(len, sequences))
        ids = torch.tensor([[*row, *[self.pad] * (width - len(row))] for row in sequences], device=self.device)
        lengths = torch.tensor([len(row) for row in sequences], device=self.device)
        return ids, (torch.arange(width, device=self.device) < lengths[:, None]).long()

    def check(self, probes: Sequence[Ids]) -> str:
        """Compare narrowed and padded passes with plain ones; keep what agrees, and return a note where one does not.

        `probes` are sequences of different lengths, without padding.
        """
        tokens = range(0, self.vocabulary, max(1, self.vocabulary // 16))
        queries = [Query(ids, tuple((i, token) for i in (1, len(ids) - 2) for token in tokens)) for ids in probes]
        ways = [(self.narrow, False), (False, False), (False, True)]
        self.narrow = False
        plain = np.array([self.log_probabilities([query])[0] for query in queries])
        for self.narrow, self.one_by_one in ways:
            found = fitting(lambda: self.log_probabilities(queries))
            if found is not None and self.agree(found, plain):
                break
        if self.one_by_one:
            return "padding changes this model's numbers, so sentences are run one at a time"
        return "" if self.narrow else "the whole forward pass is run: its head cannot be run at single positions"

    def looks_ahead(self, probes: Sequence[Ids]) -> bool:
        """Tell whether another last token changes what is predicted before it: then the model is not causal."""
        tokens = range(0, self.vocabulary, max(1, self.vocabulary // 16))
        for ids in probes:
            asks = tuple((i, token) for i in range(len(ids) - 1) for token in tokens)
            other = (*ids[:-1], ids[0] if ids[0] != ids[-1] else (ids[-1] + 1) % self.vocabulary)
            (plain,), (changed,) = (self.log_probabilities([Query(each, asks)]) for each in (ids, other))
            if not self.agree(plain, changed):
                return True
        return False

    def fingerprint(self, vocabulary: dict[str, int] | str, *settings: Any, unused: str | None = None) -> str:
        """Return twelve hex digits from the class, the configuration, the vocabulary, every weight, and `settings`.

        Weights with `unused` in their names are left out.
        """
        import torch

        if isinstance(vocabulary, dict):
            vocabulary = repr(sorted(vocabulary.items(), key=lambda item: item[1]))
        digest = hashlib.blake2b(type(self.model).__name__.encode())
        digest.update(json.dumps(_settings(self.model.config.to_dict()), sort_keys=True, default=str).encode())
        digest.update(vocabulary.encode("utf-8", "surrogatepass"))
        for name, weight in sorted(self.model.state_dict().items()):
            if unused is not None and unused in name:
                continue
            digest.update(f"{name}{tuple(weight.shape)}{weight.dtype}".encode())
            digest.update(weight.detach().cpu().reshape(-1).contiguous().view(torch.uint8).numpy())
        if settings:
            digest.update(repr(settings).encode())
        return digest.hexdigest()[:12]


def token_limit(budget: int | None, device: Any) -> int:
    """Return how many tokens go through a model at once, by what the user says or where it runs.

    >>> token_limit(0, None)
    Traceback (most recent call last):
    aslant.errors.MeasureError: token_budget is 0; give a whole number from 1 up, or None.
    """
    if budget is None:
        return TOKENS if device.type == "cpu" else TOKENS_ACCELERATED
    if isinstance(budget, bool) or not isinstance(budget, int) or budget < 1:
        raise MeasureError(f"token_budget is {budget!r}; give a whole number from 1 up, or None.")
    return budget


def _settings(config: Any) -> Any:
    """Return a configuration without the settings that change no number."""
    if not isinstance(config, dict):
        return config
    kept = {str(key): value for key, value in config.items()}
    return {k: _settings(v) for k, v in kept.items() if k not in NOT_HASHED and not k.startswith("_")}


def fitting(run: Callable[[], Found]) -> Found | None:
    """Return what `run` returns, or None where it fails because a model is not built as assumed."""
    try:
        return run()
    except MISFITS as error:
        if out_of_memory(error):
            raise
        return None


def _columns(pairs: Collection[tuple[int, int]], device: Any) -> Any:
    import torch

    return torch.tensor(list(pairs), device=device, dtype=torch.long).reshape(-1, 2).unbind(1)


class _Packer(pickle.Pickler):
    """Turns a model into bytes for workers of the same user, without its hooks."""

    def reducer_override(self, thing: Any) -> Any:
        import torch

        if not isinstance(thing, torch.nn.Module):
            return NotImplemented
        state = {**vars(thing), **{name: OrderedDict() for name in HOOKS if name in vars(thing)}}
        state.pop(HOOKED, None)
        return copyreg.__newobj__, (type(thing),), state  # type: ignore[attr-defined]


def _unpacked(packed: bytes, pad: int, checked: dict[str, Any]) -> Network:
    """Return a network that was sent here; it was tested where it came from."""
    network = Network(pickle.Unpickler(io.BytesIO(packed)).load(), pad)
    vars(network).update(checked)
    return network


@contextmanager
def memory_suffices(name: str) -> Iterator[None]:
    """Turn running out of memory while a model is tested into one clear error."""
    try:
        yield
    except (MemoryError, RuntimeError) as error:
        if not out_of_memory(error):
            raise
        raise MeasureError(f"not enough memory to run '{name}' on one sentence; use a smaller model.") from None

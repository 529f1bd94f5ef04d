"""A transformers model as this package uses it: sequences in, log-probabilities at a few positions out.

The head (a matrix as large as the vocabulary) is run only at the positions that are needed. That works for any
architecture whose head looks at one position at a time: the model's own forward pass is run, and what its encoder hands
to the head is narrowed on the way, for the thread that asked. Each model is checked against its plain forward pass
before it is trusted.
"""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from importlib.util import find_spec
from itertools import islice
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from aslant.errors import MeasureError
from aslant.models.packing import pack, unpack
from aslant.models.plan import Limits, Query, Runner
from aslant.models.table import Ids, Values

Answer = TypeVar("Answer")
#: Largest difference from the plain forward pass, by the bits of a number.
TOLERANCE = {4: 1e-4, 8: 1e-4, 2: 5e-2}
#: Tokens that go through a model at once, padding included, where the user does not say: processor, and others.
TOKENS, TOKENS_ACCELERATED = 2048, 16384
#: Logits that are held at once: 128 MB as float32.
LOGITS = 32_000_000
#: How running out of memory is reported, in lower case: by torch on a processor, by its devices, by cuBLAS, by Windows.
NO_MEMORY = ("out of memory", "can't allocate memory", "cannot allocate memory", "not enough memory", "alloc_failed")
#: Settings of a configuration that change no number: where it came from, who wrote it.
NOT_HASHED = ("name_or_path", "transformers_version", "architectures", "dtype", "torch_dtype")
#: What fails when a model is not built as assumed; the plain forward pass is used then.
MISFITS = (RuntimeError, IndexError, KeyError, TypeError, ValueError, AttributeError)


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

        rows, tokens = (torch.tensor(side, device=logits.device, dtype=torch.long) for side in _sides(self._asked))
        values = logits[rows, tokens] - torch.logsumexp(logits, dim=-1)[rows]
        if values.isnan().any():
            raise MeasureError("the model returns NaN: its weights are damaged, or their type is too small.")
        return iter(values.tolist())


class Network:
    """A model in evaluation mode on its device; `narrow`: the head is run only at the requested positions."""

    def __init__(self, model: Any, pad: int, token_budget: int | None = None) -> None:
        self.model = aligned(model.eval())
        self.base = model.base_model
        self.device = next(model.parameters()).device
        self.dtype = next(model.parameters()).dtype
        self.vocabulary = int(model.config.get_text_config().vocab_size)
        self.pad = pad
        self.narrow = self.base is not model
        self.one_by_one = False
        self._recording = threading.Lock()
        self._asked = threading.local()  # the places that a pass of this thread is narrowed to
        if self.narrow:
            self.base.register_forward_hook(self._narrow)
        self.limits = Limits(token_limit(token_budget, self.device), max(1, LOGITS // self.vocabulary))

    @property
    def tolerance(self) -> float:
        """How far a number may be from that of the plain forward pass."""
        return TOLERANCE[self.dtype.itemsize]

    def table_name(self, kind: str, fingerprint: str) -> str:
        """Return under which name the model's answers are kept."""
        return f"{kind}-{fingerprint}-{str(self.dtype).removeprefix('torch.')}"

    def log_probabilities(self, batch: Sequence[Query]) -> list[Values]:
        """Return what each query of a batch asks for (log-softmax in float32)."""
        if self.one_by_one and len(batch) > 1:
            return [self.log_probabilities([query])[0] for query in batch]
        ids, mask = self.padded([query.ids for query in batch])
        reading = Reading()
        for row, query in enumerate(batch):
            for position, token in query.asks:
                reading.add(row, position, token)
        values = reading.values(self.logits(reading.places, input_ids=ids, attention_mask=mask)[0])
        return [tuple(islice(values, len(query.asks))) for query in batch]

    def logits(self, places: Collection[tuple[int, int]], **inputs: Any) -> tuple[Any, Any]:
        """Return logits (places, vocabulary) in float32 at (row, position) places, and all that the model returned."""
        import torch

        rows, columns = (torch.tensor(side, device=self.device, dtype=torch.long) for side in _sides(places))
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
        return _unpacked, (type(self), pack(self.model), self.pad, checked)

    def runner(self, forward: Callable[[Sequence[Query]], Sequence[Answer]]) -> Runner[Answer]:
        """Return what sends batches through a method of this network."""
        return Runner(forward, out_of_memory, self.limits, release, alone=self.device.type != "cpu")

    def hidden(self, batch: Sequence[Query]) -> list[NDArray[np.float32]]:
        """Return the mean of the last layer's vectors at the requested positions of each query; (d,) each."""
        import torch

        if self.one_by_one and len(batch) > 1:
            return [self.hidden([query])[0] for query in batch]
        ids, mask = self.padded([query.ids for query in batch])
        with torch.inference_mode():
            states = self._last_layer(input_ids=ids, attention_mask=mask).float()
        found = []
        for row, query in enumerate(batch):
            vectors = states[row, [position for position, _ in query.asks]]
            found.append(vectors.mean(dim=0).cpu().numpy())
        return found

    def _last_layer(self, **inputs: Any) -> Any:
        if self.base is not self.model:
            return self.base(**inputs)[0]
        with self.recording():
            return self.model(**inputs, output_hidden_states=True).hidden_states[-1]  # no encoder apart from its head

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
            try:
                found = np.array(self.log_probabilities(queries))
            except MISFITS as error:
                if out_of_memory(error):
                    raise
                continue
            if agree(found, plain, self.tolerance):
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
            found = [self.log_probabilities([Query(each, asks)])[0] for each in (ids, other)]
            if not agree(found[0], found[1], self.tolerance):
                return True
        return False

    def fingerprint(self, vocabulary: dict[str, int] | str, *settings: Any, unused: str | None = None) -> str:
        """Return twelve hex digits from the class, the configuration, the vocabulary, every weight, and `settings`.

        Weights with `unused` in their names are left out.
        """
        import torch

        written = vocabulary
        if isinstance(vocabulary, dict):
            written = repr(sorted(vocabulary.items(), key=lambda item: item[1]))
        digest = hashlib.blake2b(type(self.model).__name__.encode())
        digest.update(json.dumps(_settings(self.model.config.to_dict()), sort_keys=True, default=str).encode())
        digest.update(str(written).encode("utf-8", "surrogatepass"))
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


def agree(found: Any, expected: Any, tolerance: float) -> bool:
    """Tell whether log-probabilities are the same within a tolerance; a token may be ruled out (−∞) in both.

    >>> agree([-1.0, -float("inf")], [-1.00001, -float("inf")], 1e-4), agree([-1.0], [-1.1], 1e-4)
    (True, False)
    """
    return bool(np.allclose(found, expected, rtol=0, atol=tolerance))


def _sides(pairs: Collection[tuple[int, int]]) -> tuple[list[int], list[int]]:
    return [left for left, _ in pairs], [right for _, right in pairs]


def aligned(model: Any) -> Any:
    """Copy weights out of a mapped file or a store into memory that torch allocates: bits may depend on it.

    A model that was opened here and one that was sent to a worker are then treated alike.
    """
    for tensor in (*model.parameters(), *model.buffers()):
        if tensor.device.type == "cpu" and (tensor.data_ptr() % 64 or not tensor.is_contiguous()):
            tensor.data = tensor.data.contiguous().clone()
    return model


def _unpacked(kind: type[Network], packed: bytes, pad: int, checked: dict[str, Any]) -> Network:
    """Return a network that was sent here; it was tested where it came from."""
    network = kind(unpack(packed), pad)
    vars(network).update(checked)
    return network


def out_of_memory(error: BaseException) -> bool:
    """Tell whether an error means that memory ran out, on any device.

    >>> out_of_memory(RuntimeError("MPS backend out of memory (MPS allocated: 9 GB)")), out_of_memory(RuntimeError("x"))
    (True, False)
    """
    import torch

    if isinstance(error, MemoryError | getattr(torch, "OutOfMemoryError", MemoryError)):  # torch 2.4 has no such class
        return True
    return isinstance(error, RuntimeError) and any(name in str(error).lower() for name in NO_MEMORY)


def release() -> None:
    """Release memory that is held for later use; effective only once the error has been cleared."""
    import torch

    if torch.cuda.is_available():
        torch.cuda.empty_cache()
    if torch.backends.mps.is_available():
        torch.mps.empty_cache()


@contextmanager
def memory_suffices(name: str) -> Iterator[None]:
    """Turn running out of memory while a model is tested into one clear error."""
    try:
        yield
    except (MemoryError, RuntimeError) as error:
        if not out_of_memory(error):
            raise
        raise MeasureError(f"not enough memory to run '{name}' on one sentence; use a smaller model.") from None

"""A transformers model as this package uses it: sequences in, log-probabilities at a few positions out.

The head (a matrix as large as the vocabulary) is run only at the positions that are needed. That works for any
architecture whose head looks at one position at a time: the model's own forward pass is run, and what its encoder hands
to the head is narrowed on the way, for the thread that asked. Each model is checked against its plain forward pass
before it is trusted.
"""

from __future__ import annotations

import copyreg
import io
import json
import pickle
import threading
from collections import OrderedDict
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from copy import copy, deepcopy
from importlib.util import find_spec
from itertools import islice
from typing import Any, TypeVar

import numpy as np
import xxhash
from numpy.typing import NDArray

from aslant.errors import MeasureError
from aslant.models.plan import Ids, Limits, Query, Values, out_of_memory
from aslant.models.products import Used, inference
from aslant.parallel import one_thread_each

Found = TypeVar("Found")
#: Largest difference from the plain forward pass, by the bits of a number.
TOLERANCE = {4: 1e-4, 8: 1e-4, 2: 5e-2}
#: How many times the noise of its own another last token must change a model's numbers, to count as looking ahead.
NOISE = 2.5
#: Linear layers that may be in a model's last layer, at most.
LAST = 8
#: Tokens that go through a model at once, where the user does not say: processor, and others.
TOKENS, TOKENS_ACCELERATED = 1024, 16384
#: What is said of a model whose numbers depend on the batch.
UNSTEADY = "on this device, its last digits depend on what is run beside a sentence"
ALONE = "other texts in a batch change this model's numbers, so they are run one at a time"
#: Tokens of a sequence that is run stepwise, at most: of longer ones, too few are run at once.
STEPS = 128
#: Numbers that a processor treats at once, or a multiple of that.
LANES = 32
#: Rows of every product of matrices, at least; smaller ones are computed in other ways, with other last digits.
FEWEST = 16
#: Logits that are held at once: 128 MB as float32.
LOGITS = 32_000_000
#: Settings of a configuration that change no number: where it came from, who wrote it.
NOT_HASHED = ("name_or_path", "transformers_version", "architectures", "dtype", "torch_dtype", "rounded_as")
#: What fails when a model is not built as assumed; the plain forward pass is used then.
MISFITS = (RuntimeError, IndexError, KeyError, TypeError, ValueError, AttributeError, AssertionError)
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

    def __init__(self, model: Any, token_budget: int | None = None) -> None:
        self.model, self.base = model.eval(), model.base_model
        # Out of a mapped file or a store into memory that torch allocates, on which bits may depend: a model that was
        # opened here and one that was sent to a worker are then treated alike.
        for tensor in (*model.parameters(), *model.buffers()):
            if (
                tensor.device.type == "cpu"
                and tensor.is_floating_point()
                and (tensor.data_ptr() % 64 or not tensor.is_contiguous())
            ):
                tensor.data = tensor.data.contiguous().clone()
        # Weights may be packed, and lie on several devices: a text goes where its embeddings are.
        self.device = next(model.parameters()).device
        with suppress(NotImplementedError, AttributeError):
            self.device = model.get_input_embeddings().weight.device
        self.dtype, self.alone, self.noise = model.dtype, self.device.type != "cpu", 0.0
        self.vocabulary = int(model.config.get_text_config().vocab_size)
        self.narrow, self.one_by_one, self.fast = self.base is not model, False, self.device.type == "cpu"
        self.partial: frozenset[int] = frozenset()  # weights, by `id`, that are applied at requested positions only
        # Numbers are computed LANES at a time, what is left over at the end one by one: that falls on a spare row.
        widths = (getattr(module, "out_features", getattr(module, "nf", 0)) for module in self.base.modules())
        self.spare = int(any(width % LANES for width in widths))
        self.limits = Limits(token_limit(token_budget, self.device), max(1, LOGITS // self.vocabulary))
        self._recording = threading.Lock()
        self._asked = threading.local()  # the places that a pass of this thread is narrowed to
        if self.narrow:
            self.base.register_forward_hook(self._narrow)

    def agree(self, found: Any, expected: Any, scale: float = 1.0) -> bool:
        """Tell whether numbers are the same up to rounding; a token may be ruled out (−∞) in both."""
        return bool(np.allclose(found, expected, rtol=0, atol=scale * TOLERANCE[self.dtype.itemsize]))

    def log_probabilities(self, batch: Sequence[Query]) -> list[Values]:
        """Return what each query of a batch asks for (log-softmax in float32)."""
        if self.one_by_one and len(batch) > 1:
            return [self.log_probabilities([query])[0] for query in batch]
        if batch[0].stepwise:
            return self._stepwise(batch)
        inputs, reading = self._read(batch)
        values = reading.values(self.logits(reading.places, **inputs)[0])
        return [tuple(islice(values, len(query.asks))) for query in batch]

    def _stepwise(self, batch: Sequence[Query]) -> list[Values]:
        """Return the answers, one token of all sequences after the other; what they begin with alike is run once.

        A beginning is run in the same way whatever follows it, and so has the same numbers in any batch.
        """
        import torch

        found: dict[tuple[Ids, int], float] = {}
        cache: Any = None
        rows: dict[Ids, int] = {(): 0}
        for at in range(max(len(query.ids) for query in batch)):
            there = [query for query in batch if len(query.ids) > at]
            begun = {ids: row for row, ids in enumerate(dict.fromkeys(query.ids[: at + 1] for query in there))}
            filled = [*begun, *[next(reversed(begun))] * max(self.spare, FEWEST - len(begun))]
            wanted = [(query.ids[: at + 1], token) for query in there for place, token in query.asks if place == at]
            reading = Reading()
            for ids, token in wanted or [(filled[0], 0)]:
                reading.add(begun[ids], 0, token)
            past = None if cache is None else _picked(cache, [rows[ids[:-1]] for ids in filled], self.device)
            logits, output = self.logits(
                reading.places, input_ids=torch.tensor([ids[-1:] for ids in filled], device=self.device),
                attention_mask=torch.ones((len(filled), at + 1), dtype=torch.long, device=self.device),
                past_key_values=past, use_cache=True,
            )  # fmt: skip
            found.update(zip(wanted, reading.values(logits), strict=False))
            cache, rows = output.past_key_values, begun
        return [tuple(found[query.ids[: place + 1], token] for place, token in query.asks) for query in batch]

    def _read(self, batch: Sequence[Query]) -> tuple[dict[str, Any], Reading]:
        """Return a batch as the model takes it, and what is to be read."""
        ids, mask = self.rows([query.ids for query in batch])
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
        network = Network(model, self.limits.tokens)
        # One at a time: small products of matrices depend on where in memory they lie.
        network.narrow, network.one_by_one, network.fast = self.narrow, True, self.fast
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
        weights = torch.stack([layer.float() for layer in output.attentions])  # layer, row, head, from, to
        received = [weights[:, row].contiguous().mean(dim=(0, 1, 2)).tolist() for row in range(len(batch))]
        values = reading.values(logits)
        return [
            tuple(own[at] * next(values) for at, _ in query.asks) for own, query in zip(received, batch, strict=True)
        ]

    def logits(self, places: Collection[tuple[int, int]], **inputs: Any) -> tuple[Any, Any]:
        """Return logits (places, vocabulary) in float32 at (row, position) places, and all that the model returned.

        Where there are few places, the last one stands there several times.
        """
        asked = [*places]
        asked += asked[-1:] * max(self.spare, FEWEST - len(asked))
        rows, columns = _columns(asked, self.device)
        with inference(self.fast, (rows, columns), self.partial):
            if not self.narrow:
                output = self.model(**inputs)
                return output.logits.to(self.device)[rows, columns][: len(places)].float(), output
            self._asked.places = rows, columns
            try:
                output = self.model(**inputs)
            finally:
                self._asked.places = None
            if output.logits.shape[:2] != (1, len(asked)):
                raise ValueError("the head's shape is not that of what it was given")
            return output.logits[0, : len(places)].to(self.device).float(), output

    def _narrow(self, _module: Any, _inputs: Any, output: Any) -> Any:
        """Let what follows the encoder see its last states at the places of this pass only, as one row of them."""
        places = getattr(self._asked, "places", None)
        if places is None:
            return None
        picked = output[0][tuple(place.to(output[0].device) for place in places)].unsqueeze(0)
        if isinstance(output, tuple):
            return (picked, *output[1:])
        output["last_hidden_state"] = picked
        return output

    def __reduce__(self) -> tuple[Any, ...]:
        checked = {name: getattr(self, name) for name in ("narrow", "one_by_one", "fast", "limits")}
        partial = [name for name, weight in self.model.named_parameters() if id(weight) in self.partial]
        _Packer(packed := io.BytesIO(), protocol=pickle.HIGHEST_PROTOCOL).dump(self.model)
        return _unpacked, (packed.getvalue(), checked, partial)

    def hidden(self, batch: Sequence[Query]) -> list[NDArray[np.float32]]:
        """Return the mean of the last layer's vectors at the requested positions of each query; (d,) each."""
        if self.one_by_one and len(batch) > 1:
            return [self.hidden([query])[0] for query in batch]
        ids, mask = self.rows([query.ids for query in batch])
        with inference(self.fast):
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

    def rows(self, sequences: Sequence[Ids]) -> tuple[Any, Any]:
        """Return (rows, tokens) tensors of the ids of sequences of one length, and of their attention mask.

        Where there are few tokens, the last sequence stands there several times; so it does where the end of a batch is
        computed otherwise than the rest.
        """
        import torch

        filled = [*sequences]
        if not self.one_by_one:
            filled += [sequences[-1]] * max(self.spare, -(-FEWEST // len(sequences[0])) - len(sequences))
        ids = torch.tensor(filled, device=self.device)
        return ids, torch.ones_like(ids)

    def check(self, probes: Sequence[Ids]) -> list[str]:
        """Compare narrowed passes and batches with plain passes; keep what agrees, and return notes where one does not.

        `probes` are sequences of different lengths.
        """
        tokens = range(0, self.vocabulary, max(1, self.vocabulary // 16))
        queries = [Query(ids, tuple((i, token) for i in (1, len(ids) - 2) for token in tokens)) for ids in probes]
        once = dict.fromkeys([(self.narrow, False, self.fast), (self.narrow, False, False), (False, False, False)])
        self.narrow, self.one_by_one, self.fast, steady = False, True, False, False
        with one_thread_each():
            plain = [self.log_probabilities([query])[0] for query in queries]
            for self.narrow, self.one_by_one, self.fast in [*once, (False, True, False)]:
                found = self._answers(queries)
                if found is not None and all(self.agree(each, own) for each, own in zip(found, plain, strict=True)):
                    steady = all(len(set(each)) == 1 for each in found)
                    if steady or self.alone or not self.fast:
                        break
        self.one_by_one = self.one_by_one or not (steady or self.alone)
        whole = "" if self.narrow else "the whole forward pass is run: its head cannot be run at single positions"
        return [whole, ALONE if self.one_by_one else "" if steady else UNSTEADY]

    def _answers(self, queries: Sequence[Query]) -> list[list[Values]] | None:
        """Return the answers to each query, alone and in company; None where the model is not built as assumed."""
        return fitting(lambda: [self._in_company(query) for query in queries])

    def _in_company(self, query: Query) -> list[Values]:
        """Return the answers to a query alone, and at several places among others."""
        other = Query(query.ids[1:2] * len(query.ids), query.asks)
        if query.stepwise:  # which runs each beginning once
            others = [Query((*query.ids[: i % 3], *query.ids[1:2] * (i + 1)), (), stepwise=True) for i in range(FEWEST)]
            groups = [query], [query, *others], [*others, query], [*others[:7], query]
            return [next(filter(None, self.log_probabilities(group))) for group in groups]
        found = self.log_probabilities([other, query, query, *[other] * FEWEST, query])
        return [*self.log_probabilities([query]), *found[1:3], found[-1]]

    def localise(self, probes: Sequence[Ids]) -> None:
        """Find the layers that are needed at the requested positions only, among the last ones: a trial of each."""
        if self.one_by_one or not (self.narrow and self.fast):
            return
        ids, mask = self.rows(probes[:1])
        used: Used = []
        with one_thread_each():
            with inference(self.fast, used=used):
                self.base(input_ids=ids, attention_mask=mask)
            queries = [Query(each, ((1, 0), (len(each) - 2, 0))) for each in probes]
            expected = [self._in_company(query) for query in queries]
            whole = [id(weight) for weight, shape in used if shape == tuple(ids.shape)]
            for weight in list(dict.fromkeys(whole))[-LAST:]:
                before, self.partial = self.partial, self.partial | {weight}
                found = None
                with suppress(MeasureError):  # NaN came through: it is needed elsewhere, too
                    found = self._answers(queries)
                steady = found is not None and all(len(set(each)) == 1 for each in found)
                if not (steady and self.agree(found, expected)):
                    self.partial = before

    def steps_agree(self, queries: Sequence[Query], plain: Sequence[Values]) -> bool:
        """Tell whether queries that are run stepwise have the numbers of plain passes, the same in any company."""
        with one_thread_each():
            found = self._answers(queries)
        near = found is not None and all(self.agree(each[0], own) for each, own in zip(found, plain, strict=True))
        return near and (self.alone or all(len(set(each)) == 1 for each in found or ()))

    def looks_ahead(self, probes: Sequence[Ids]) -> bool:
        """Tell whether another last token changes what is predicted before it: then the model is not causal.

        Where activations are rounded to few bits, all that is run at once shares a scale, so that any other token
        changes every number a little. How much, another sequence in the same pass tells (`noise`), which no model looks
        at: only what is several times as large comes from looking ahead.
        """
        tokens = range(0, self.vocabulary, max(1, self.vocabulary // 16))
        changes: list[float] = []
        largest = 0.0
        for ids in probes:
            asks = tuple((i, token) for i in range(len(ids) - 1) for token in tokens)
            other = (*ids[:-1], ids[0] if ids[0] != ids[-1] else (ids[-1] + 1) % self.vocabulary)
            (plain,), (changed,) = (self.log_probabilities([Query(each, asks)]) for each in (ids, other))
            inputs, reading = self._read([Query(ids, asks), Query(other, ()), Query(ids[::-1], ())])
            beside = tuple(reading.values(self.logits(reading.places, **inputs)[0]))
            change = distances(plain, changed)
            largest = max(largest, float(change.max()))
            changes.append(root_mean_square(change))
            self.noise = max(self.noise, root_mean_square(distances(plain, beside)))
        return largest > TOLERANCE[self.dtype.itemsize] and max(changes) > NOISE * self.noise

    def fingerprint(self, tokenizer: str, *settings: Any, unused: str | None = None) -> str:
        """Return twelve hex digits from the class, the configuration, the tokenizer, every weight, and `settings`.

        Weights with `unused` in their names are left out.
        """
        import torch

        digest = xxhash.xxh3_128(type(self.model).__name__.encode())
        digest.update(json.dumps(_settings(self.model.config.to_dict()), sort_keys=True, default=str).encode())
        digest.update(tokenizer.encode("utf-8", "surrogatepass"))
        for name, weight in sorted(stored(self.model).items()):
            if not isinstance(weight, torch.Tensor) or (unused is not None and unused in name):
                continue
            digest.update(f"{name}{tuple(weight.shape)}{weight.dtype}".encode())
            digest.update(weight.detach().cpu().reshape(-1).contiguous().view(torch.uint8).numpy())
        if settings:
            digest.update(repr(settings).encode())
        return digest.hexdigest()[:12]


def _picked(cache: Any, rows: list[int], device: Any) -> Any:
    """Return some rows of what a model keeps of the tokens that it has read; what is given stays as it is."""
    import torch

    picked = copy(cache)
    picked.layers = list(map(copy, cache.layers))
    picked.batch_select_indices(torch.tensor(rows, device=device))
    return picked


def stored(model: Any) -> dict[str, Any]:
    """Return what is saved of a model, by name.

    Once a model of 4 bits has run on some processors, bitsandbytes has other numbers in it, which saving it would put
    back, and leave a model that computes nonsense (0.50.2): of such a model, the numbers as they are.
    """
    states = [getattr(weight, "quant_state", None) for weight in model.parameters()]
    if not any(getattr(state, "packing_format_for_cpu", False) for state in states):
        return dict(model.state_dict())
    return dict(model.named_parameters(remove_duplicate=False))


def distances(found: Sequence[float], expected: Sequence[float]) -> NDArray[np.float64]:
    """Return how far numbers are from each other; a token may be ruled out (−∞) in both.

    >>> distances([1.0, -np.inf, 0.0], [1.5, -np.inf, -np.inf]).tolist()
    [0.5, 0.0, inf]
    """
    first, second = np.asarray(found, np.float64), np.asarray(expected, np.float64)
    with np.errstate(invalid="ignore"):
        return np.where(first == second, 0.0, np.abs(first - second))


def root_mean_square(values: NDArray[np.float64]) -> float:
    """Return the size of values.

    >>> round(root_mean_square(np.array([3.0, 4.0])), 3)
    3.536
    """
    return float(np.sqrt(np.mean(values**2)))


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


def _unpacked(packed: bytes, checked: dict[str, Any], partial: Collection[str]) -> Network:
    """Return a network that was sent here; it was tested where it came from."""
    network = Network(pickle.Unpickler(io.BytesIO(packed)).load())
    vars(network).update(checked)
    network.partial = frozenset(id(weight) for name, weight in network.model.named_parameters() if name in partial)
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

"""A torch model as plain arrays and a skeleton, so that it can be sent to workers, once.

A worker copies the arrays to memory that torch itself has allocated: a language model whose weights were left in Ray's
object store gave other last bits in four of nine sessions, and in none of eight with the copy (why is not proven).

What is packed is a model of this process, for workers of the same user; nothing that comes from a file is unpacked.
"""

from __future__ import annotations

import io
import pickle
import warnings
from collections import OrderedDict
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

#: Hooks that were added to a model while it ran here: they cannot be sent, and are added again where needed.
HOOKS = ("_forward_hooks", "_forward_pre_hooks", "_forward_hooks_with_kwargs", "_forward_pre_hooks_with_kwargs")
#: What transformers records about its own hooks.
HOOKED = "_output_capturing_hooks_installed"


@dataclass(frozen=True, eq=False)
class Packed:
    """A model without its numbers, and these as arrays."""

    skeleton: bytes
    arrays: list[NDArray[Any]]


class _Packer(pickle.Pickler):
    """Puts every tensor aside, each once, however often it is used (heads share weights with embeddings)."""

    def __init__(self, file: io.BytesIO) -> None:
        super().__init__(file, protocol=pickle.HIGHEST_PROTOCOL)
        self.arrays: list[NDArray[Any]] = []
        self._seen: dict[int, tuple[int, Any]] = {}

    def persistent_id(self, thing: Any) -> tuple[int, str, str, bool] | None:
        import torch

        if not isinstance(thing, torch.Tensor):
            return None
        if id(thing) not in self._seen:
            self._seen[id(thing)] = len(self.arrays), thing  # held, so that no other gets its id
            self.arrays.append(_as_array(thing))
        kind = str(thing.dtype).removeprefix("torch.")
        return self._seen[id(thing)][0], kind, str(thing.device), isinstance(thing, torch.nn.Parameter)

    def reducer_override(self, thing: Any) -> Any:
        import torch

        if not isinstance(thing, torch.nn.Module):
            return NotImplemented
        state = {**vars(thing), **{name: OrderedDict() for name in HOOKS if name in vars(thing)}}
        state.pop(HOOKED, None)
        return _empty, (type(thing),), state


def _empty(kind: Any) -> Any:
    return kind.__new__(kind)


def _as_array(tensor: Any) -> NDArray[Any]:
    import torch

    plain = tensor.detach().cpu().contiguous()
    if plain.dtype == torch.bfloat16:  # which numpy does not know
        plain = plain.view(torch.int16)
    return np.asarray(plain.numpy())


class _Unpacker(pickle.Unpickler):
    """Puts the tensors back, in memory of their own."""

    def __init__(self, packed: Packed) -> None:
        super().__init__(io.BytesIO(packed.skeleton))
        self._arrays = packed.arrays
        self._made: dict[int, Any] = {}

    def persistent_load(self, name: tuple[int, str, str, bool]) -> Any:
        import torch

        number, kind, device, is_parameter = name
        if number not in self._made:
            with warnings.catch_warnings():
                warnings.filterwarnings(
                    "ignore", message="The given NumPy array is not writable"
                )  # nor is it written to
                tensor = torch.from_numpy(self._arrays[number]).clone()
            if kind == "bfloat16":
                tensor = tensor.view(torch.bfloat16)
            tensor = tensor.to(device)
            self._made[number] = torch.nn.Parameter(tensor, requires_grad=False) if is_parameter else tensor
        return self._made[number]


def pack(model: Any) -> Packed:
    """Return a torch model as something that can be sent and mapped.

    >>> import torch
    >>> packed = pack(torch.nn.Linear(3, 2))
    >>> [array.shape for array in packed.arrays]
    [(2, 3), (2,)]
    """
    content = io.BytesIO()
    packer = _Packer(content)
    packer.dump(model)
    return Packed(content.getvalue(), packer.arrays)


def unpack(packed: Packed) -> Any:
    """Return the model that was packed, without hooks.

    >>> import torch
    >>> model = torch.nn.Linear(3, 2)
    >>> torch.equal(unpack(pack(model)).weight, model.weight)
    True
    """
    return _Unpacker(packed).load()

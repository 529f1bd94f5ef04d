"""A torch model as bytes without its hooks, so that it can be sent to workers.

What is packed is a model of this process, for workers of the same user; nothing that comes from a file is unpacked.
"""

from __future__ import annotations

import io
import pickle
from collections import OrderedDict
from typing import Any

import numpy as np
from numpy.typing import NDArray

#: Functions that were hung into a model while it ran here: they cannot be sent, and are hung in again where needed.
HOOKS = ("_forward_hooks", "_forward_pre_hooks", "_forward_hooks_with_kwargs", "_forward_pre_hooks_with_kwargs")
#: What transformers notes of its own hooks.
HOOKED = "_output_capturing_hooks_installed"


class _Packer(pickle.Pickler):
    def reducer_override(self, thing: Any) -> Any:
        import torch

        if not isinstance(thing, torch.nn.Module):
            return NotImplemented
        state = {**vars(thing), **{name: OrderedDict() for name in HOOKS if name in vars(thing)}}
        state.pop(HOOKED, None)
        return _empty, (type(thing),), state


def _empty(kind: Any) -> Any:
    return kind.__new__(kind)


def pack(model: Any) -> NDArray[np.uint8]:
    """Return a torch model as an array of bytes, which clusters send as it is.

    >>> import torch
    >>> model = torch.nn.Linear(3, 2)
    >>> torch.equal(unpack(pack(model)).weight, model.weight)
    True
    """
    content = io.BytesIO()
    _Packer(content, protocol=pickle.HIGHEST_PROTOCOL).dump(model)
    return np.frombuffer(content.getbuffer(), np.uint8)


def unpack(packed: NDArray[np.uint8]) -> Any:
    """Return the model that was packed, without hooks, in memory of its own."""
    return pickle.Unpickler(io.BytesIO(packed.data)).load()

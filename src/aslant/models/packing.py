"""A torch model as bytes that can be sent to workers of the same user; nothing that comes from a file is unpacked."""

from __future__ import annotations

import io
import pickle
from collections import OrderedDict
from typing import Any

#: Hooks that were added to a model while it ran here: they cannot be sent, and are added again where needed.
HOOKS = ("_forward_hooks", "_forward_pre_hooks", "_forward_hooks_with_kwargs", "_forward_pre_hooks_with_kwargs")
#: What transformers records about its own hooks.
HOOKED = "_output_capturing_hooks_installed"


class _Packer(pickle.Pickler):
    """Leaves hooks out."""

    def reducer_override(self, thing: Any) -> Any:
        import torch

        if not isinstance(thing, torch.nn.Module):
            return NotImplemented
        state = {**vars(thing), **{name: OrderedDict() for name in HOOKS if name in vars(thing)}}
        state.pop(HOOKED, None)
        return _empty, (type(thing),), state


def _empty(kind: Any) -> Any:
    return kind.__new__(kind)


def pack(model: Any) -> bytes:
    """Return a torch model as bytes, without hooks.

    >>> import torch
    >>> model = torch.nn.Linear(3, 2)
    >>> torch.equal(unpack(pack(model)).weight, model.weight)
    True
    """
    content = io.BytesIO()
    _Packer(content, protocol=pickle.HIGHEST_PROTOCOL).dump(model)
    return content.getvalue()


def unpack(packed: bytes) -> Any:
    """Return the model that was packed."""
    return pickle.Unpickler(io.BytesIO(packed)).load()

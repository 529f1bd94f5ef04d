"""Passes without gradients: float32 products of matrices by oneDNN, and some only where they are wanted.

torch leaves such products to MKL, which uses the vectors of 16 numbers that a processor has only if Intel made it:
elsewhere oneDNN, which comes with torch as well, is faster, twice on Zen 5 and by a sixth on Zen 4. Both round to
float32; the last digits differ.

In its last layer, a model that is asked about few places needs its feed-forward part, and most of its attention, at
these places only. Which products that is true of, a trial tells (`Network.localise`). Everywhere else stands NaN: if it
were read after all, the pass would break off, and no number would be wrong.
"""

from __future__ import annotations

import platform
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

#: Weight of a linear layer and the number of tokens it is used on, in the order of the pass.
Used = list[tuple[Any, tuple[int, ...]]]


@contextmanager
def inference(
    fast: bool, places: Any = None, partial: Collection[int] = (), used: Used | None = None
) -> Iterator[None]:
    """Compute without gradients; `fast`: linear layers by oneDNN where it is there, in this thread only.

    Layers whose weights have an `id` in `partial` are computed at `places` (rows, columns) only. What is done with
    every weight is added to `used`.

    >>> import torch
    >>> with inference(fast=True):
    ...     torch.nn.functional.linear(torch.ones(2, 3), torch.ones(1, 3)).tolist()
    [[3.0], [3.0]]
    """
    import torch

    mode = _linear_layers()
    with torch.inference_mode():
        if not fast:
            yield
            return
        with mode(places, partial, used):
            yield


@cache
def onednn() -> Callable[..., Any] | None:
    """Return oneDNN's product, or None where torch does not have it, or uses it anyway."""
    import torch

    product = getattr(torch.ops.mkldnn, "_linear_pointwise", None)
    known = torch.backends.mkldnn.is_available() and platform.machine() in ("x86_64", "AMD64")
    return (lambda given, weight, bias: product(given, weight, bias, "none", [], "")) if product and known else None


@cache
def _linear_layers() -> Any:
    import torch
    from torch.nn.functional import linear
    from torch.overrides import TorchFunctionMode

    class LinearLayers(TorchFunctionMode):  # type: ignore[misc]
        def __init__(self, places: Any, partial: Collection[int], used: Used | None) -> None:
            super().__init__()
            self.places, self.partial, self.used = places, partial, used

        def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            if func not in (linear, torch.addmm) or kwargs or not all(map(_plain, args)):
                return func(*args, **(kwargs or {}))
            # GPT-2's layers are the second kind.
            given, weight, bias = (*args, None)[:3] if func is linear else (args[1], args[2].t(), args[0])
            if not given.numel() or (bias is not None and bias.dim() != 1):
                return func(*args)
            if self.used is not None:
                self.used.append((weight, tuple(given.shape[:-1])))
            product = onednn() or linear
            if id(weight) not in self.partial:
                return product(given, weight, bias)
            found = given.new_full((*given.shape[:-1], len(weight)), torch.nan)
            found[self.places] = product(given[self.places], weight, bias)
            return found

    return LinearLayers


def _plain(tensor: Any) -> bool:
    """Tell whether an argument of a linear layer is None or of the kind that is asked of oneDNN."""
    import torch

    if tensor is None:
        return True
    kinds = torch.Tensor, torch.nn.Parameter
    return type(tensor) in kinds and tensor.dtype is torch.float32 and tensor.layout is torch.strided

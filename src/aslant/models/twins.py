"""Untrained twins: the same architecture and tokenizer with freshly drawn weights (docs/definitions.md §9).

What a twin shows comes from word pieces and positions, not from training.
"""

from __future__ import annotations

from collections.abc import Iterator
from copy import deepcopy
from typing import Any

import numpy as np

from aslant.models.model_loading import quiet
from aslant.models.protocols import Progress, SentenceEncoder


def twins_of(
    encoder: SentenceEncoder, count: int, seed: int, progress: Progress | None
) -> Iterator[tuple[Any, Progress | None]]:
    """Yield untrained twins, one at a time, each with a progress that says which it is; none where none can be made.

    >>> list(twins_of(encoder, 3, 0, None))  # here, encoder is a small toy
    []
    """
    for number, own in enumerate(np.random.default_rng(seed).integers(2**31, size=count).tolist(), 1):
        what = f"untrained model {number} of {count}"
        if twin := untrained(encoder, own):
            yield twin, progress and (lambda step, *done, what=what: progress(f"{step}, {what}", *done))


def untrained(encoder: SentenceEncoder, seed: int) -> Any:
    """Return an encoder with weights drawn anew from a seed; None where its architecture cannot be rebuilt.

    That is so for ELMo and for encoders that are not of transformers, unless they say themselves how (`untrained`).

    >>> untrained(encoder, seed=0)  # here, encoder is a small toy; aslant.load_encoder(…) opens real ones
    """
    from aslant.models.encoder import TransformersEncoder

    if (own := getattr(encoder, "untrained", None)) is not None:
        return own(seed)
    if not isinstance(encoder, TransformersEncoder):
        return None
    return TransformersEncoder(
        fresh(encoder.network.model, seed), encoder.speller.tokenizer, f"{encoder.name} (untrained, seed {seed})",
        layer=encoder.body.layer, pieces=encoder.pieces, token_budget=encoder.network.limits.tokens,
    )  # fmt: skip


def fresh(model: Any, seed: int) -> Any:
    """Return a transformers model of the same class and configuration, its weights drawn as before training."""
    import torch

    first = next(model.parameters())
    with quiet(), torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        twin = type(model)(deepcopy(model.config))
    return twin.to(first.device, first.dtype)

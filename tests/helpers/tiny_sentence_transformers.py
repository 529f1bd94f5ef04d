"""Folders of tiny sentence encoders, as sentence-transformers writes them, and slow obvious pooling to compare with."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tiny_lms import masked, torch

#: A module: its class in the library, its settings, its weights.
Module = tuple[str, dict[str, Any], dict[str, Any]]
KEYS = {
    "cls": "pooling_mode_cls_token", "mean": "pooling_mode_mean_tokens", "max": "pooling_mode_max_tokens",
    "mean_sqrt_len_tokens": "pooling_mode_mean_sqrt_len_tokens", "weightedmean": "pooling_mode_weightedmean_tokens",
    "lasttoken": "pooling_mode_lasttoken",
}  # fmt: skip
NORMALISE: Module = ("Normalize", {}, {})


def pooling(*modes: str, **settings: Any) -> Module:
    """Settings as older versions wrote them."""
    return "Pooling", {"word_embedding_dimension": 16, **{KEYS[mode]: True for mode in modes}, **settings}, {}


def dense(
    wide: int,
    out: int,
    activation: str = "activation.Tanh",
    *,
    seed: int = 0,
    bias: bool = True,
    residual: bool = False,
) -> Module:
    random = torch.Generator().manual_seed(seed)
    weights = {"linear.weight": torch.randn(out, wide, generator=random) / wide**0.5}
    weights["linear.bias"] = torch.randn(out, generator=random) / 10
    config = {"in_features": wide, "out_features": out, "bias": True, "use_residual": residual}
    return "Dense", {**config, "activation_function": f"torch.nn.modules.{activation}"}, weights


def write(
    folder: Path, modules: Sequence[Module], *, name: str = "bert", settings: dict[str, Any] | None = None,
    first: dict[str, Any] | None = None, inner: str = "", library: str = "sentence_transformers.models",
) -> Path:  # fmt: skip
    """Write the folder of a sentence encoder over a tiny transformer with random weights."""
    from safetensors.torch import save_file

    model, tok = masked(name)
    (folder / inner).mkdir(parents=True, exist_ok=True)
    model.base_model.save_pretrained(folder / inner)
    tok.save_pretrained(folder / inner)
    listed = [{"idx": 0, "name": "0", "path": inner, "type": f"{library}.Transformer"}]
    for number, (kind, config, weights) in enumerate(modules, 1):
        own = folder / f"{number}_{kind}"
        own.mkdir(exist_ok=True)
        (own / "config.json").write_text(json.dumps(config))
        if weights:
            save_file(weights, own / "model.safetensors")
        listed.append({"idx": number, "name": str(number), "path": own.name, "type": f"{library}.{kind}"})
    (folder / "modules.json").write_text(json.dumps(listed))
    own_first = {"max_seq_length": 24, "do_lower_case": False, **(first or {})}
    (folder / inner / "sentence_bert_config.json").write_text(json.dumps(own_first))
    (folder / "config_sentence_transformers.json").write_text(json.dumps(settings or {"prompts": {}}))
    return folder


def tokens_of(text: str, *, name: str = "bert", longest: int = 24) -> NDArray[np.float64]:
    """Every token's last-layer vector, special ones too, of one text alone: (tokens, d)."""
    model, tok = masked(name)
    ids = tok(text, truncation=True, max_length=longest, return_tensors="pt")["input_ids"]
    with torch.inference_mode():
        return np.asarray(model.base_model(input_ids=ids)[0][0].double().numpy())


def pooled(tokens: NDArray[np.float64], mode: str) -> NDArray[np.float64]:
    weights = np.arange(1, len(tokens) + 1)
    ways = {
        "cls": tokens[0],
        "max": tokens.max(axis=0),
        "mean": tokens.mean(axis=0),
        "mean_sqrt_len_tokens": tokens.sum(axis=0) / np.sqrt(len(tokens)),
        "weightedmean": (tokens * weights[:, None]).sum(axis=0) / weights.sum(),
        "lasttoken": tokens[-1],
    }
    return np.asarray(ways[mode])
